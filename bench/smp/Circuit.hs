-- Nothing is floated out of a function: a part that does not depend on the size would be evaluated once for all runs.
{-# OPTIONS_GHC -fno-full-laziness #-}

-- | A circuit as a set of streams of bits that refer to each other: nearly every value is lazy, and most are needed
-- once.
module Circuit
  ( adder
  ) where

type Signal = [Bool]

gate :: (Bool -> Bool -> Bool) -> Signal -> Signal -> Signal
gate = zipWith

-- | A register: its signal, one tick later.
delayed :: Bool -> Signal -> Signal
delayed = (:)

-- | A counter of eight bits and a serial adder, for so many ticks; the outputs' weighted sum.
adder :: Int -> Int
adder ticks = foldr (\(k, bit) n -> if bit then (n + k) `mod` 1000003 else n) 0 (zip [1 ..] outputs)
  where
    outputs = take (8 * ticks) (foldr (gate (/=)) (repeat False) (total : counter))
    counter = count 8 (repeat True)
    count :: Int -> Signal -> [Signal]
    count 0 _ = []
    count k carryIn = bit : count (k - 1) (gate (&&) bit carryIn)
      where
        bit = delayed False (gate (/=) bit carryIn)
    total = gate (/=) (gate (/=) a b) carry
    carry = delayed False (gate (||) (gate (&&) a b) (gate (&&) carry (gate (/=) a b)))
    a = cycle [True, False, True, True]
    b = cycle [False, True, True]
