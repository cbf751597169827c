module Main (main) where

import Control.Exception (ArithException, try)
import qualified Data.Map as M

import OpenMP (Schedule (..), Settings (..), defaults)
import OpenMP.Eval

main :: IO ()
main = do
  -- map, the values evaluated by a team when the list is needed: to the first constructor, or all of each value.
  print (parMap defaults rseq collatz [1 .. 10])
  print (parMap defaults {schedule = Just (Dynamic 1)} rdeepseq factors [2 ^ (31 :: Int) - 1, 1001])

  -- A structure whose elements are evaluated where they are.
  print (parTraversable defaults rseq (fmap collatz (M.fromList [("six", 6), ("seven", 7)])))

  -- While it is used, eight elements at a time; the list may be infinite.
  print (takeWhile (< 100) (parBuffer defaults 8 rseq (map (\n -> n * n) [1 :: Int ..])))

  -- An element that throws keeps its exception; parEval throws the first one.
  let quotients = parMap defaults rseq (100 `div`) [5, 0, 20 :: Int]
  print (quotients !! 0, quotients !! 2)
  failed <- try (parEval defaults rseq quotients) :: IO (Either ArithException ())
  print failed

  -- Irregular work: a problem is divided into tasks until its parts are small.
  print (divConq defaults rseq small length parts (\_ counts -> sum counts) [1 :: Int .. 5000])
 where
  small list = null (drop 100 list)
  parts list = let (few, rest) = splitAt (length list `div` 3) list in [few, rest]

-- | The steps until the number is 1.
collatz :: Int -> Int
collatz = length . takeWhile (/= 1) . iterate (\n -> if even n then n `div` 2 else 3 * n + 1)

factors :: Int -> [Int]
factors = go 2
 where
  go k n
    | n == 1 = []
    | k * k > n = [n]
    | n `mod` k == 0 = k : go k (n `div` k)
    | otherwise = go (k + 1) n
