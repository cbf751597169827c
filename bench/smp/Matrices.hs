-- Nothing is floated out of a function: a part that does not depend on the size would be evaluated once for all runs.
{-# OPTIONS_GHC -fno-full-laziness #-}

-- | Numbers in lists: a Fourier transform and linear equations.
module Matrices
  ( fourier
  , gauss
  ) where

import Data.Complex
import Data.List (foldl')

-- | The transform of 2^n samples, by halves.
fourier :: Int -> Int
fourier n = foldl' weighted 1 (transform samples)
  where
    weighted total (a :+ b) = (total * 7 + round (100 * a) + round (100 * b)) `mod` 1000003
    samples = [fromIntegral (k * k `mod` 31) :+ 0 | k <- [1 .. 2 ^ n :: Int]] :: [Complex Double]
    transform [x] = [x]
    transform xs = zipWith (+) evens turned ++ zipWith (-) evens turned
      where
        evens = transform (alternate xs)
        odds = transform (alternate (drop 1 xs))
        turned = zipWith (*) odds [cis (-2 * pi * fromIntegral k / count) | k <- [0 :: Int ..]]
        count = fromIntegral (length xs)
    alternate (x : rest) = x : alternate (drop 1 rest)
    alternate [] = []

-- | So many linear equations, by elimination on lists of rows.
gauss :: Int -> Int
gauss n = round (1000 * sum (zipWith (*) [1 ..] (solve rows)))
  where
    rows = [[entry i j | j <- [0 .. n]] | i <- [0 .. n - 1]]
    entry i j = (if i == j then fromIntegral n else 0) + fromIntegral ((i * 7 + j * 13) `mod` 23) / 23 :: Double
    solve [] = []
    solve (row : below) = x : xs
      where
        (pivot, rest) = headOf row
        xs = solve [zipWith (\a b -> b - a * first / pivot) rest other | (first, other) <- map headOf below]
        x = (last rest - sum (zipWith (*) (init rest) xs)) / pivot
    headOf (a : as) = (a, as)
    headOf [] = (0, [])
