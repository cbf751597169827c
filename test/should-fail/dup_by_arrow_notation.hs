-- GHC 9.0 to 9.10 do not count uses in arrow notation.
-- compiles: 9.0 9.6 9.10
-- expect: multiplicity|[Nn]on-linear
-- ends: Data.Array.Linear.(freeze|discard): this slice was used before
{-# LANGUAGE Arrows #-}
{-# LANGUAGE LinearTypes #-}
module Main (main) where

import Control.Arrow (returnA)
import Data.Array.Linear (Slice, (&))
import qualified Data.Array.Linear as L

twice :: Slice p Int %1 -> (() -> (Slice p Int, Slice p Int))
twice s = proc () -> do
    token <- returnA -< s
    returnA -< (token, token)

main :: IO ()
main = print (L.alloc 2 0 (\s -> twice s () & \(a, b) -> L.discard b & \() -> L.freeze a))
