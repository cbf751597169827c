{-# LANGUAGE GADTs, LinearTypes #-}
-- Both sides of a parallel computation own the whole slice.
-- expect: Couldn't match type "Many" with "One" arising from multiplicity of "s"
module Main (main) where

import Data.Array.Linear ((&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel

main :: IO ()
main = print (L.alloc 4 'x' (\s ->
    parallelBoth Sparks (\() -> L.fill 'l' s) (\() -> L.fill 'r' s) & \(l, r) -> L.discard l & \() -> L.freeze r))
