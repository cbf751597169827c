-- Nothing is floated out of a function: a part that does not depend on the size would be evaluated once for all runs.
{-# OPTIONS_GHC -fno-full-laziness #-}

-- | Balanced trees: dictionaries and sets that are changed again and again.
module Trees
  ( dictionary
  , life
  ) where

import Data.List (foldl')
import qualified Data.Map as Map
import qualified Data.Set as Set

-- | So many insertions, half as many deletions, and a sum.
dictionary :: Int -> Int
dictionary n = Map.foldlWithKey' (\total key value -> (total + key * value) `mod` 1000003) 0 fewer
  where
    keys = take n (iterate (\x -> (x * 48271) `mod` 2147483647) 1)
    full = foldl' (\m (i, key) -> Map.insertWith (+) (key `mod` n) i m) Map.empty (zip [1 ..] keys)
    fewer = foldl' (flip Map.delete) full [0, 2 .. n]

-- | Conway's game, the R-pentomino for so many generations: cells that live, weighted.
life :: Int -> Int
life n = sum [abs x + 3 * abs y | (x, y) <- Set.toList (iterate step start !! n)]
  where
    start = Set.fromList [(0, 0), (1, 0), (-1, 1), (0, 1), (0, 2)]
    step :: Set.Set (Int, Int) -> Set.Set (Int, Int)
    step alive = Map.keysSet (Map.filterWithKey (\cell k -> k == 3 || (k == 2 && Set.member cell alive)) around)
      where
        around = Map.fromListWith (+) [(c, 1 :: Int) | cell <- Set.toList alive, c <- neighbours cell]
    neighbours (x, y) = [(x + i, y + j) | i <- [-1, 0, 1], j <- [-1, 0, 1], (i, j) /= (0, 0)]
