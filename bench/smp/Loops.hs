-- Nothing is floated out of a function: a part that does not depend on the size would be evaluated once for all runs.
{-# OPTIONS_GHC -fno-full-laziness #-}

-- | Calls and arithmetic: next to no allocation, no lazy values.
module Loops
  ( nfib
  , takeuchi
  ) where

-- | How often the function of Fibonacci's recursion is called.
nfib :: Int -> Int
nfib n = if n < 2 then 1 else nfib (n - 1) + nfib (n - 2) + 1

-- | Takeuchi's function, for arguments that differ by a third of the size.
takeuchi :: Int -> Int
takeuchi n = tak (n + n `div` 2) n (n `div` 2)
  where
    tak :: Int -> Int -> Int -> Int
    tak x y z
      | y >= x = z
      | otherwise = tak (tak (x - 1) y z) (tak (y - 1) z x) (tak (z - 1) x y)
