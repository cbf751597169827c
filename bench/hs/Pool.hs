-- | Regions beside other threads of one process: beside Haskell threads that allocate, many callers at once, and two
-- masters that meet inside their regions.
module Pool (mixed, beside, callers, rendezvous, Values) where

import Control.Concurrent (newEmptyMVar, putMVar, readMVar, threadDelay)
import Control.Monad (forM, forM_, replicateM, replicateM_)
import Data.Maybe (isJust)
import GHC.Clock (getMonotonicTimeNSec)

import Fork (fork, forkBound)
import Phase
import Regions

type Values = [(String, Double)]

-- | Haskell threads, possibly beside one thread that calls regions.
mixed :: [Phases -> IO Int] -> Maybe (IO (), Maybe Int) -> Double -> IO Values
mixed = beside (\_ window -> window)

-- | The same; the first argument wraps the window.
--
-- `threads` are the allocating threads, which return their units; the other thread's operation is a region, or a burst
-- of 20 and a pause of some microseconds. The window opens when the first region is done and caches are warm.
beside ::
  (Phases -> IO Double -> IO Double) -> [Phases -> IO Int] -> Maybe (IO (), Maybe Int) -> Double -> IO Values
beside around threads caller ms = do
  phases <- newPhases
  started <- newEmptyMVar
  latencies <- newLatencies
  joins <- forM threads (\thread -> fork (thread phases))
  join <- case caller of
    Nothing -> pure (pure 0) <* putMVar started ()
    Just (region, pause) -> fork $ do
      region
      putMVar started ()
      repeatedly phases (operation latencies region pause) ()
  readMVar started
  threadDelay 50000
  seconds <- around phases (through phases ms)
  operations <- join
  units <- sum <$> sequence joins
  whole <- mergeLatencies [latencies]
  p50 <- percentile whole 0.5
  p99 <- percentile whole 0.99
  let regions = operations * maybe 1 (maybe 1 (const burst) . snd) caller
  pure $
    concat [[("regions", fromIntegral regions / seconds), ("p50", p50), ("p99", p99)] | isJust caller]
      ++ [("units", fromIntegral units / seconds) | not (null threads)]

burst :: Int
burst = 20

operation :: Latencies -> IO () -> Maybe Int -> Phase -> () -> IO ()
operation latencies region pause phase () = do
  replicateM_ (maybe 1 (const burst) pause) $ if phase == Window then recorded latencies region else region
  mapM_ threadDelay pause

-- | A number of Haskell threads, each in a loop of calls to a region. The window opens after 100 ms and 2 ms for each
-- of them. Not all of them need run in it: GHC prefers threads that come back from a call.
callers :: Int -> IO () -> Double -> IO Values
callers count region ms = do
  region
  now <- getMonotonicTimeNSec
  let opens = now + 100000000 + 2000000 * fromIntegral count
      closes = opens + round (ms * 1e6)
      phases = timedPhases opens closes
  watched <- watchThreads opens closes
  joins <- replicateM count . fork $ do
    latencies <- newLatencies
    calls <- repeatedly phases (operation latencies region Nothing) ()
    pure (calls, latencies)
  results <- sequence joins
  (end, highest) <- watched
  seconds <- through phases ms
  whole <- mergeLatencies (map snd results)
  p50 <- percentile whole 0.5
  p99 <- percentile whole 0.99
  made <- workers
  pure $
    [ ("regions", fromIntegral (sum (map fst results)) / seconds)
    , ("p50", p50)
    , ("p99", p99)
    , ("active", fromIntegral (length (filter ((> 0) . fst) results)))
    , ("threads-end", fromIntegral end)
    , ("threads-max", fromIntegral highest)
    ]
      ++ [("workers", fromIntegral made) | made >= 0]

-- | Two bound threads, a number of rounds: milliseconds in all.
rendezvous :: Int -> IO Values
rendezvous count = do
  go <- newEmptyMVar
  joins <- forM [0, 1] $ \who -> forkBound $ do
    () <- readMVar go
    forM_ [1 .. count] (meet who)
  start <- getMonotonicTimeNSec
  putMVar go ()
  sequence_ joins
  end <- getMonotonicTimeNSec
  pure [("time", fromIntegral (end - start) / 1e6)]
