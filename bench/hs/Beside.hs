-- | Rows of C regions and Haskell beside each other: how long a region takes while the collector is at work, and how
-- much of a C region and a Haskell computation the machine does at once.
module Beside (rows) where

import Control.Concurrent (threadDelay)
import Control.Exception (evaluate)
import Control.Monad (forM)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import qualified Data.List as List
import Data.Word (Word64)
import GHC.Clock (getMonotonicTimeNSec)
import GHC.Stats (RTSStats (..), getRTSStats)
import System.Mem (performMajorGC)

import Allocating (newLive, unit, unitOfLive)
import Calls (regionOfUnits, sumSinRegion)
import Fork (fork)
import Measure
import Work (sinRange)

rows :: Rows
rows =
  [ ("latency", [("c-openmp", latency [])])
  , ("latency-allocating", [("c-openmp", latency [allocating])])
  , ("latency-collecting", [("c-openmp", latency [collecting])])
  , ("overlap", [("c-openmp", overlap)])
  ]

-- | What a Haskell thread does until it is told to stop.
type Load = IORef Bool -> IO ()

-- | Regions of some 400 us, one after the other, beside these threads: the median time of one, the 99th percentile and
-- the longest, and the part of the time, in percent, that is not the collector's.
latency :: [Load] -> Cell -> IO Sample
latency loads cell = do
  region <- regionOfUnits (20000 * cellThreads cell) cell
  pure . Values $ \ms -> do
    region
    stop <- newIORef False
    joins <- forM loads (\load -> fork (load stop))
    before <- getRTSStats
    start <- getMonotonicTimeNSec
    times <- calling region (start + round (ms * 40 * 1e6)) []
    after <- getRTSStats
    writeIORef stop True
    sequence_ joins
    let sorted = List.sort times
        at part = fromIntegral (sorted !! min (length sorted - 1) (length sorted * part `div` 100)) :: Double
        whole = fromIntegral (elapsed_ns after - elapsed_ns before) :: Double
        collector = fromIntegral (gc_elapsed_ns after - gc_elapsed_ns before)
    pure
      [ ("", at 50)
      , ("p99", at 99 / 1e3)
      , ("max", at 100 / 1e3)
      , ("productivity", 100 * (1 - collector / whole))
      ]
  where
    calling :: IO () -> Word64 -> [Word64] -> IO [Word64]
    calling region end times = do
      start <- getMonotonicTimeNSec
      if start >= end && not (null times)
        then pure times
        else do
          region
          done <- getMonotonicTimeNSec
          let took = done - start
          took `seq` calling region end (took : times)

-- | Allocates without a pause, all of it garbage at once.
allocating :: Load
allocating stop = go 0
  where
    go seed = readIORef stop >>= \halt -> if halt then pure () else unit seed >>= go

-- | A major collection of 4 MB of live data, again and again after a pause of 10 ms.
collecting :: Load
collecting stop = go (1, newLive)
  where
    go state = do
      halt <- readIORef stop
      if halt then pure () else unitOfLive state >>= \state' -> performMajorGC >> threadDelay 10000 >> go state'

-- | A sum by a C region and one of a quarter of the elements by a Haskell thread, as long on one thread: one after
-- the other, then both at once. The time of both at once, the other one, and how much of the shorter one's time was
-- saved, in percent.
overlap :: Cell -> IO Sample
overlap cell = do
  region <- sumSinRegion elements cell
  want <- evaluate (sinRange 0 quarter)
  count <- newIORef quarter -- so that the sum is computed anew each time
  let half = readIORef count >>= evaluate . sinRange 0 >>= \got -> near "sum" got want
  pure . Values $ \_ -> do
    region
    runs <- forM [1 .. 5 :: Int] $ \_ -> do
      (c, ()) <- timed region
      (haskell, ()) <- timed half
      (both, ()) <- timed (fork half >>= \join' -> region >> join')
      pure (both, c + haskell, 100 * (c + haskell - both) / min c haskell)
    let median f = List.sort (map f runs) !! 2
    pure
      [ ("", median (\(both, _, _) -> both))
      , ("sequential", median (\(_, inTurn, _) -> inTurn) / 1e3)
      , ("overlap", median (\(_, _, saved) -> saved))
      ]
  where
    elements = 2000000
    quarter = elements `div` 4
