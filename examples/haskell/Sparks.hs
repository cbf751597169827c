{-# LANGUAGE GADTs #-}
{-# LANGUAGE LinearTypes #-}

-- | Quicksort in place and in parallel: each part of a linear array sorted by whoever is free.
--
-- After the elements are parted at a pivot, the two sides have nothing in common, and their tokens prove it. So they
-- may be sorted at the same time, by sparks: an idle Capability takes one side, and if none is idle, nothing is lost.
-- The function is pure, and what it returns cannot depend on who sorted what.
--
-- Times go to stderr.
module Main (main) where

import Control.Exception (evaluate)
import Control.Monad (unless)
import Data.Array.Linear (Slice, Split (..), Ur (..), unur, (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel (Workers (..), parCombine)
import Data.List (sort)
import qualified Data.Vector.Storable as V
import GHC.Clock (getMonotonicTime)
import Numeric (showFFloat)
import System.Exit (exitFailure)
import System.IO (hPutStrLn, stderr)

-- | Slices with fewer elements than @grain@ are sorted without a spark, which would cost more than it gains.
sortedBy :: Int -> V.Vector Int -> V.Vector Int
sortedBy grain values = unur (L.allocCopy values (\whole -> quicksort grain whole & L.freeze))

quicksort :: Int -> Slice p Int %1 -> Slice p Int
quicksort grain slice =
  L.length slice & \(Ur n, slice') -> if n < 2 then slice' else sides grain n (partition n slice')

-- | Sorts both sides of the pivot, which is at k and stays there.
sides :: Int -> Int -> (Ur Int, Slice p Int) %1 -> Slice p Int
sides grain n (Ur k, slice) =
  L.split k slice & \(Split join left right) ->
    if n < grain
      then L.combine join (quicksort grain left) (behindPivot right)
      else parCombine Sparks join (quicksort grain) behindPivot left right
  where
    behindPivot :: Slice q Int %1 -> Slice q Int
    behindPivot right = L.split 1 right & \(Split join pivot rest) -> L.combine join pivot (quicksort grain rest)

-- | Takes the middle element for the pivot, brings what is smaller to the front, and the pivot behind that. Tells where
-- it is now.
partition :: Int -> Slice p Int %1 -> (Ur Int, Slice p Int)
partition n slice =
  slice & L.swap (n `div` 2) (n - 1) & L.read (n - 1) & \(Ur pivot, slice') -> go pivot 0 0 slice'
  where
    -- Elements before k are smaller than the pivot, those from k to i are not.
    go :: Int -> Int -> Int -> Slice q Int %1 -> (Ur Int, Slice q Int)
    go pivot k i part
      | i == n - 1 = (Ur k, L.swap k i part)
      | otherwise =
          L.read i part & \(Ur x, part') ->
            if x < pivot then go pivot (k + 1) (i + 1) (L.swap k i part') else go pivot k (i + 1) part'

main :: IO ()
main = do
  _ <- evaluate values
  putStrLn (show (V.length values) ++ " numbers: " ++ unwords (map show (V.toList (V.take 3 right))) ++ " ...")
  rights <- sequence [timed "one thread" (sortedBy maxBound values), timed "sparks" (sortedBy 2000 values)]
  unless (and rights) exitFailure
  where
    values = V.iterateN 200000 (\x -> (x * 1103515245 + 12345) `mod` 2147483648) 42
    right = V.fromList (sort (V.toList values))
    timed name result = do
      start <- getMonotonicTime
      _ <- evaluate result
      took <- subtract start <$> getMonotonicTime
      hPutStrLn stderr (name ++ ": " ++ showFFloat (Just 1) (took * 1000) " ms")
      putStrLn (name ++ ": " ++ (if result == right then "sorted" else "WRONG"))
      pure (result == right)
