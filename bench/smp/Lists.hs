-- Nothing is floated out of a function: a part that does not depend on the size would be evaluated once for all runs.
{-# OPTIONS_GHC -fno-full-laziness #-}

-- | Lists: lazy streams, comprehensions, sorting, characters.
module Lists
  ( sieve
  , queens
  , sorting
  , text
  ) where

import Data.Char (isAlpha, toUpper)
import Data.List (foldl', group, sort)

-- | The n-th prime number by trial division with the primes before it: one lazy list that looks at itself.
sieve :: Int -> Int
sieve n = primes !! n
  where
    primes = 2 : filter prime [3, 5 ..]
    prime x = all (\p -> x `mod` p /= 0) (takeWhile (\p -> p * p <= x) primes)

-- | How many ways there are to place queens on a board.
queens :: Int -> Int
queens n = length (place n)
  where
    place 0 = [[]]
    place k = [q : qs | qs <- place (k - 1 :: Int), q <- [1 .. n], safe q qs]
    safe q qs = and [q /= c && abs (q - c) /= d | (d, c) <- zip [1 ..] qs]

-- | Merge sort of pseudo-random numbers.
sorting :: Int -> Int
sorting n = foldl' (\total (i, x) -> (total * 31 + i * x) `mod` 1000003) 7 (zip [1 ..] (merged (randoms n)))
  where
    merged xs = case map pure xs of
      [] -> []
      runs -> go runs
    go [run] = run
    go runs = go (pairs runs)
    pairs (a : b : rest) = merge a b : pairs rest
    pairs rest = rest
    merge as@(a : as') bs@(b : bs')
      | a <= b = a : merge as' bs
      | otherwise = b : merge as bs'
    merge as [] = as
    merge [] bs = bs

randoms :: Int -> [Int]
randoms n = take n (iterate (\x -> (x * 1103515245 + 12345) `mod` 2147483648) 42)

-- | Words of a text of so many letters, in capitals, counted.
text :: Int -> Int
text n = sum (zipWith (*) [1 ..] (map length (group (sort (words (map toUpper letters))))))
  where
    letters = concatMap (\x -> if isAlpha (letter x) then [letter x] else " ") (randoms n)
    letter x = toEnum (97 + x `div` 65536 `mod` 29)
