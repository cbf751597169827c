{-# LANGUAGE GADTs, LinearTypes #-}
-- A slice is read after it was split.
-- expect: Couldn't match type "Many" with "One" arising from multiplicity of "s"
module Main (main) where

import Data.Array.Linear (Split (..), Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.split 2 s & \(Split j l r) ->
    L.read 0 s & \(Ur _, s') -> L.discard s' & \() -> L.freeze (L.combine j l r)))
