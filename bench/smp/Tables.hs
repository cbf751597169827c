-- Nothing is floated out of a function: a part that does not depend on the size would be evaluated once for all runs.
{-# OPTIONS_GHC -fno-full-laziness #-}

-- | Tables of lazy values that refer to each other. The table outlives collections of the young generation, so values
-- in the old one are updated.
module Tables
  ( subsequence
  , knapsack
  ) where

import Data.Array

-- | The length of the longest common subsequence of two sequences of that length.
subsequence :: Int -> Int
subsequence n = table ! (0, 0)
  where
    table = listArray ((0, 0), (n, n)) [entry i j | i <- [0 .. n], j <- [0 .. n]]
    entry i j
      | i == n || j == n = 0
      | left ! i == right ! j = 1 + table ! (i + 1, j + 1)
      | otherwise = max (table ! (i + 1, j)) (table ! (i, j + 1))
    left, right :: Array Int Int
    left = listArray (0, n - 1) [i * i `mod` 17 | i <- [1 .. n]]
    right = listArray (0, n - 1) [i * 7 `mod` 19 | i <- [1 .. n]]

-- | The best value of so many things in a bag of ten times that weight.
knapsack :: Int -> Int
knapsack n = table ! (n, room)
  where
    room = 10 * n
    table = array ((0, 0), (n, room)) [((i, w), entry i w) | i <- [0 .. n], w <- [0 .. room]]
    entry 0 _ = 0 :: Int
    entry i w
      | weight i > w = table ! (i - 1, w)
      | otherwise = max (table ! (i - 1, w)) (value i + table ! (i - 1, w - weight i))
    weight i = 5 + i * 13 `mod` 29
    value i = 3 + i * 17 `mod` 31
