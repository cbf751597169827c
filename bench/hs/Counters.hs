-- | Counters of a loop's threads that show that each index was run once, and how evenly.
module Counters (line, counters, Counters) where

import Control.Monad.Primitive (RealWorld)
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Primitive.PrimArray (MutablePrimArray, newAlignedPinnedPrimArray, readPrimArray, setPrimArray)

import Measure

-- | For each thread a line of words: the first one counts its indices, the second one adds them up.
type Counters = MutablePrimArray RealWorld Int

-- | A cache line and the one that the hardware fetches beside it, in words.
line :: Int
line = 16

-- | The time of an index of a loop that keeps such counters, pinned, from zeros. Besides the time, the result has how
-- much of its fair share the thread with the fewest indices got in the last batch, in percent: a time of two threads is
-- one only if both took part.
counters :: Cell -> (Int -> Counters -> IO ()) -> IO Sample
counters cell run = do
  own <- newAlignedPinnedPrimArray (m * line)
  setPrimArray own 0 (m * line) (0 :: Int)
  share <- newIORef 0
  let measured = [("least-share", readIORef share) | m > 1]
  pure . flip (EachWith 1) (mapM sequence measured) $ \n -> do
    (ns, ()) <- timed (run n own)
    counts <- mapM (\k -> readPrimArray own (k * line)) [0 .. m - 1]
    totals <- mapM (\k -> readPrimArray own (k * line + 1)) [0 .. m - 1]
    expect "number of indices" (sum counts) n
    expect "sum of the indices" (sum totals) (n * (n - 1) `div` 2)
    writeIORef share (fromIntegral (100 * minimum counts * m) / fromIntegral n)
    setPrimArray own 0 (m * line) 0
    pure ns
  where
    m = cellThreads cell
{-# INLINE counters #-}
