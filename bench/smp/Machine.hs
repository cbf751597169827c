-- Nothing is floated out of a function: a part that does not depend on the size would be evaluated once for all runs.
{-# OPTIONS_GHC -fno-full-laziness #-}

-- | A machine with a record as its state, which an interpreter changes step by step.
module Machine
  ( collatz
  ) where

import qualified Data.Map.Strict as Map

data Instruction = Halve | Grow | IfOdd Int | Jump Int | CountOne | IfOne Int | Stop

-- | The counter and the step are lazy on purpose: they are built up and needed at the end.
data State = State { place :: !Int, number :: !Int, counted :: Int, steps :: Int }

program :: Map.Map Int Instruction
program = Map.fromList (zip [0 ..] [IfOne 6, CountOne, IfOdd 5, Halve, Jump 0, Grow, Stop])

-- | Collatz' sequence for several numbers, until that many instructions have been executed.
collatz :: Int -> Int
collatz budget = go 27 0 0
  where
    go start done total
      | done >= budget = total
      | otherwise =
          let end = execute (State 0 start 0 0)
          in go (start + 2) (done + steps end) ((total * 31 + counted end) `mod` 1000003)

execute :: State -> State
execute state = case Map.lookup (place state) program of
  Nothing -> state
  Just Stop -> state
  Just Halve -> execute (next state { number = number state `div` 2 })
  Just Grow -> execute (next state { number = 3 * number state + 1, place = -1 })
  Just CountOne -> execute (next state { counted = counted state + 1 })
  Just (IfOdd to) -> execute (if odd (number state) then jump to state else next state)
  Just (IfOne to) -> execute (if number state == 1 then jump to state else next state)
  Just (Jump to) -> execute (jump to state)
  where
    next s = s { place = place s + 1, steps = steps s + 1 }
    jump to s = s { place = to, steps = steps s + 1 }
