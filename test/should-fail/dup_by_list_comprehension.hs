-- GHC 9.0 to 9.6 treat the source of a generator as unrestricted and do not check that it is.
-- compiles: 9.0 9.6
-- expect: multiplicity|[Nn]on-linear
-- ends: Data.Array.Linear.(freeze|discard): this slice was used before
{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE LinearTypes #-}
module Main (main) where

import Data.Array.Linear (Slice, (&))
import qualified Data.Array.Linear as L

twice :: Slice p Int %1 -> (Slice p Int, Slice p Int)
twice s = [(t, t) | t <- [s]] & \case [pair] -> pair

main :: IO ()
main = print (L.alloc 2 0 (\s -> twice s & \(a, b) -> L.discard b & \() -> L.freeze a))
