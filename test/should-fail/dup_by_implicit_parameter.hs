-- GHC 9.0 to 9.10 do not count the uses of an implicit parameter.
-- compiles: 9.0 9.6 9.10
-- expect: multiplicity|[Nn]on-linear
-- ends: Data.Array.Linear.(freeze|discard): this slice was used before
{-# LANGUAGE ImplicitParams #-}
{-# LANGUAGE LinearTypes #-}
module Main (main) where

import Data.Array.Linear (Slice, (&))
import qualified Data.Array.Linear as L

both :: (?token :: Slice p Int) => (Slice p Int, Slice p Int)
both = (?token, ?token)

twice :: Slice p Int %1 -> (Slice p Int, Slice p Int)
twice s = let ?token = s in both

main :: IO ()
main = print (L.alloc 2 0 (\s -> twice s & \(a, b) -> L.discard b & \() -> L.freeze a))
