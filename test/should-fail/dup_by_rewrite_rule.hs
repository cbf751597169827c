-- GHC does not count uses on the right side of a rewrite rule.
-- compiles: 9.0 9.6 9.10
-- expect: multiplicity|[Nn]on-linear
-- ends -O1: Data.Array.Linear.(freeze|discard): this slice was used before
{-# LANGUAGE LinearTypes #-}
module Main (main) where

import Data.Array.Linear (Slice, (&))
import qualified Data.Array.Linear as L

data Tokens p = OneToken (Slice p Int) | TwoTokens (Slice p Int) (Slice p Int)

tokens :: Slice p Int %1 -> Tokens p
tokens s = OneToken s
{-# NOINLINE tokens #-}
{-# RULES "tokens" forall s. tokens s = TwoTokens s s #-}

given :: Tokens p %1 -> Slice p Int
given (OneToken s) = s
given (TwoTokens a b) = L.discard b & \() -> a

main :: IO ()
main = print (L.alloc 2 0 (\s -> L.freeze (given (tokens s))))
