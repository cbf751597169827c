{-# LANGUAGE GADTs, LinearTypes #-}
-- Two splits of one slice would make parts that overlap.
-- expect: Couldn't match type "Many" with "One" arising from multiplicity of "s"
module Main (main) where

import Data.Array.Linear (Split (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s ->
    L.split 3 s & \(Split _ l r) -> L.split 1 s & \(Split _ l' r') ->
    L.discard l & \() -> L.discard r & \() -> L.discard l' & \() -> L.freeze r'))
