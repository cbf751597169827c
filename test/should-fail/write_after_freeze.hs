{-# LANGUAGE GADTs, LinearTypes #-}
-- A slice is written after it was frozen.
-- expect: Couldn't match type "Many" with "One" arising from multiplicity of "s"
module Main (main) where

import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.freeze s & \(Ur v) -> L.discard (L.fill 'y' s) & \() -> Ur v))
