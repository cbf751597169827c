{-# LANGUAGE GADTs, LinearTypes #-}
-- A part is dropped.
-- expect: Couldn't match type "Many" with "One" arising from multiplicity of "r"
module Main (main) where

import Data.Array.Linear (Split (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.split 1 s & \(Split _ l r) -> L.freeze l))
