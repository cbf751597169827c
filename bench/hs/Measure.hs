-- | One sample: a kernel timed in batches, its result checked.
--
-- A kernel does a number of operations, checks their results and returns the nanoseconds that they took. A batch is as
-- many operations as fill the time that the driver (bench\/haskell.py) asked for; the sample is the best of several,
-- which excludes first touches and most of the time that other processes take. A wrong result ends the program: the
-- time of a wrong loop is not a measurement.
module Measure
  ( Cell (..)
  , Kernel
  , Sample (..)
  , Rows
  , size
  , twoSizes
  , unbound
  , timed
  , rounds
  , expect
  , near
  , runSample
  ) where

import Control.Monad (join, unless)
import GHC.Clock (getMonotonicTimeNSec)

import Fork (fork)

-- | The parameters of a sample besides its row and series: the number of threads, and the row's sizes, such as the
-- number of elements.
data Cell = Cell
  { cellThreads :: !Int
  , cellSizes :: ![Int]
  }

-- | Does a number of operations and returns the nanoseconds that they took.
type Kernel = Int -> IO Double

data Sample
  = -- | The time of an operation, divided by a number of units.
    Each !Int Kernel
  | -- | The same, and named values of the last batch.
    EachWith !Int Kernel (IO [(String, Double)])
  | -- | Named values that the kernel measures itself, in a window of this many milliseconds.
    Values (Double -> IO [(String, Double)])

-- | Row, series, and how the row is measured.
type Rows = [(String, [(String, Cell -> IO Sample)])]

-- | The row's first size.
size :: Cell -> Int
size cell = case cellSizes cell of
  n : _ -> n
  [] -> error "this row needs a size"

-- | The cell's two sizes.
twoSizes :: Cell -> (Int, Int)
twoSizes cell = case cellSizes cell of
  [a, b] -> (a, b)
  _ -> error "this row needs two sizes"

-- | The kernel in a Haskell thread that is not bound to an OS thread, as most are.
unbound :: Sample -> Sample
unbound (Each units kernel) = Each units (join . fork . kernel)
unbound (EachWith units kernel more) = EachWith units (join . fork . kernel) more
unbound (Values kernel) = Values (join . fork . kernel)

-- | The action's nanoseconds.
timed :: IO a -> IO (Double, a)
timed action = do
  start <- getMonotonicTimeNSec
  result <- action
  end <- getMonotonicTimeNSec
  pure (fromIntegral (end - start), result)

-- | Repeats the action.
rounds :: Int -> IO () -> IO ()
rounds n action = go n
  where
    go 0 = pure ()
    go k = action >> go (k - 1 :: Int)
{-# INLINE rounds #-}

-- | Ends the program when a result is not the expected one.
expect :: (Eq a, Show a) => String -> a -> a -> IO ()
expect what got want =
  unless (got == want) $ ioError (userError ("wrong result: " ++ what ++ " is " ++ show got ++ ", not " ++ show want))

-- | The same for a sum of floating-point numbers, whose order the team decides.
near :: String -> Double -> Double -> IO ()
near what got want =
  unless (abs (got - want) <= 1e-9 * (1 + abs want)) $ expect what got want

-- | The best of several batches of about the given milliseconds, in nanoseconds a unit. A batch that is much shorter
-- (the first ones include the threads' start, so that the estimate from them is low) only corrects the estimate. An
-- operation that takes longer than a batch is run twice at most.
runSample :: Double -> Int -> Sample -> IO [(String, Double)]
runSample ms _ (Values window) = window ms
runSample ms batches (EachWith units kernel more) = (++) <$> runSample ms batches (Each units kernel) <*> more
runSample ms batches (Each units kernel) = do
  best <- go (0 :: Int) (0 :: Int) 1 Nothing
  pure [("", best / fromIntegral units)]
  where
    wanted = ms * 1e6
    go done corrections n best
      | done >= batches, Just result <- best = pure result
      | otherwise = do
          took <- kernel n
          let each = took / fromIntegral n
              next = max 1 (floor (fromIntegral n * min 16 (wanted / (took + 1))))
              done' = if took > wanted * fromIntegral batches / 2 then max (done + 1) (batches - 1) else done + 1
          if took < wanted / 2 && corrections < 40
            then go done (corrections + 1) (next + 1) best
            else go done' corrections next (Just (maybe each (min each) best))
