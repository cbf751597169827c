{-# LANGUAGE BangPatterns #-}
-- The evaluations do not allocate: with a safe point in each call they end their time slice all the same.
{-# OPTIONS_GHC -fno-omit-yields #-}

-- | Lazy values that all members of a team need at the same moment: how many evaluations begin, and how many come to
-- their end, for each value. The time slice is the driver's (bench\/haskell_rows.py sets it).
module Duplicates (rows) where

import Control.Monad.Primitive (RealWorld)
import Data.Foldable (for_)
import qualified Data.List as List
import Data.Primitive.PrimArray (MutablePrimArray, newPrimArray, readPrimArray, setPrimArray, writePrimArray)
import Data.Word (Word64)
import System.IO.Unsafe (unsafeDupablePerformIO)

import OpenMP.Parallel (barrier, parallel, threadNum)
import OpenMP.Prim (capabilityNumber)

import Counted (team)
import Measure
import qualified SharedEager
import qualified SharedLazy

rows :: Rows
rows =
  [ ( "duplicates"
    , [(name, duplicating SharedLazy.values) | name <- ["slice-1ms", "slice-5ms", "slice-20ms", "slice-100ms"]]
        ++ [("eager", duplicating SharedEager.values)]
    )
  ]

-- | For each Capability the evaluations that it began and that it ended, on cache lines of their own. Two threads never
-- hold one Capability, and no thread gives it up between the two accesses to a counter.
type Counts = MutablePrimArray RealWorld Int

line, capabilities :: Int
line = 16
capabilities = 256

-- | An evaluation of so many steps, about a nanosecond each.
evaluation :: Counts -> Int -> Int -> Word64
evaluation counts steps i = unsafeDupablePerformIO $ do
  count 0
  let !x = go steps (fromIntegral i)
  count 1
  pure x
  where
    count which = do
      at <- (\c -> c * line + which) <$> capabilityNumber
      readPrimArray counts at >>= writePrimArray counts at . (+ 1)
{-# NOINLINE evaluation #-}

-- | Each step needs the one before.
go :: Int -> Word64 -> Word64
go 0 !x = x
go k x = go (k - 1) (x * 6364136223846793005 + 1442695040888963407)
{-# NOINLINE go #-}

-- | All members evaluate so many values, in the same order, of so many steps each: the time of a value, and the
-- evaluations that began and that ended, in percent of the values.
duplicating :: ((Int -> Word64) -> Int -> [Word64]) -> Cell -> IO Sample
duplicating values cell = do
  counts <- newPrimArray (capabilities * line)
  let want = List.foldl' (+) 0 (values (go steps . fromIntegral) n)
      total which = sum <$> mapM (\c -> readPrimArray counts (c * line + which)) [0 .. capabilities - 1]
  pure . Values $ \_ -> do
    setPrimArray counts 0 (capabilities * line) 0
    let shared = values (evaluation counts steps) n
    expect "number of values" (length shared) n
    -- Each member's sum begins with its number, or the sum would be a shared value itself.
    (ns, sums) <- timed (parallel (team cell) (\t -> do
      me <- fromIntegral <$> threadNum t
      barrier t
      pure $! List.foldl' (+) me shared))
    for_ (zip [0 ..] sums) $ \(me, got) -> expect "sum of the values" got (want + me)
    begun <- total 0
    ended <- total 1
    pure
      [ ("", ns / fromIntegral n)
      , ("begun", 100 * fromIntegral begun / fromIntegral n)
      , ("ended", 100 * fromIntegral ended / fromIntegral n)
      ]
  where
    (n, steps) = twoSizes cell
