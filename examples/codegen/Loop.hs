{-# LANGUAGE BangPatterns #-}

module Loop (sumOfSquares, sumOfSines, numbered) where

import Data.Array.Base (unsafeAt)
import Data.Array.Unboxed (UArray)

-- | The sum of the squares of the first n numbers of an array.
{-# NOINLINE sumOfSquares #-}
sumOfSquares :: UArray Int Double -> Int -> Double
sumOfSquares !numbers n = go 0 0
  where
    go total i
      | i >= n = total
      | otherwise = go (total + x * x) (i + 1)
      where
        x = unsafeAt numbers i

-- | The sum of the sines of the first n thousandths.
{-# NOINLINE sumOfSines #-}
sumOfSines :: Int -> Double
sumOfSines n = go 0 0
  where
    go :: Double -> Int -> Double
    go !total i
      | i >= n = total
      | otherwise = go (total + sin (fromIntegral i * 0.001)) (i + 1)

-- | A list of n numbers, made from its end.
{-# NOINLINE numbered #-}
numbered :: Int -> [Int] -> [Int]
numbered 0 list = list
numbered n list = numbered (n - 1) (n : list)
