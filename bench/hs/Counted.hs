-- | Shared by the library's rows: a team's settings, and counters that show that each index was run once.
module Counted (team, line, counted) where

import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Primitive.PrimArray (newPrimArray, readPrimArray, setPrimArray, writePrimArray)

import GHC.OpenMP.Settings (Settings (..), defaults)

import Measure

team :: Cell -> Settings
team cell = defaults {numThreads = Just (cellThreads cell)}

-- | A cache line and the one that the hardware fetches beside it, in words.
line :: Int
line = 16

-- | For each index the body is called with its thread's number: it adds one to the thread's own counter, and the index
-- to the thread's own sum. Besides the time of an index, the result has how much of its fair share the thread with the
-- fewest indices got in the last batch, in percent: a time of two threads is one only if both took part.
counted :: Cell -> (Int -> (Int -> Int -> IO ()) -> IO ()) -> IO Sample
counted cell run = do
  counters <- newPrimArray (m * line)
  setPrimArray counters 0 (m * line) (0 :: Int)
  share <- newIORef 0
  let measured = [("least-share", readIORef share) | m > 1]
  pure . flip (EachWith 1) (mapM sequence measured) $ \n -> do
    (ns, ()) <- timed . run n $ \thread i -> do
      let own = thread * line
      count <- readPrimArray counters own
      writePrimArray counters own (count + 1)
      total <- readPrimArray counters (own + 1)
      writePrimArray counters (own + 1) (total + i)
    counts <- mapM (\k -> readPrimArray counters (k * line)) [0 .. m - 1]
    totals <- mapM (\k -> readPrimArray counters (k * line + 1)) [0 .. m - 1]
    expect "number of indices" (sum counts) n
    expect "sum of the indices" (sum totals) (n * (n - 1) `div` 2)
    writeIORef share (fromIntegral (100 * minimum counts * m) / fromIntegral n)
    setPrimArray counters 0 (m * line) 0
    pure ns
  where
    m = cellThreads cell
{-# INLINE counted #-}
