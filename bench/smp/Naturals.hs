-- Nothing is floated out of a function: a part that does not depend on the size would be evaluated once for all runs.
{-# OPTIONS_GHC -fno-full-laziness #-}

-- | Peano's natural numbers, each of them lazy: nothing but allocation and updates of lazy values.
module Naturals
  ( power
  ) where

data Natural = Zero | Successor Natural

plus, times :: Natural -> Natural -> Natural
plus Zero n = n
plus (Successor m) n = Successor (plus m n)
times Zero _ = Zero
times (Successor m) n = plus n (times m n)

-- | Three to the n-th, counted.
power :: Int -> Int
power n = count 0 (raise three (natural n))
  where
    three = natural 3
    raise _ Zero = Successor Zero
    raise m (Successor k) = times m (raise m k)

natural :: Int -> Natural
natural n = if n == 0 then Zero else Successor (natural (n - 1))

count :: Int -> Natural -> Int
count total Zero = total
count total (Successor n) = let next = total + 1 in next `seq` count next n
