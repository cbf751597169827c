-- | One call of a C library that opens many regions, beside Haskell threads that allocate.
module Library (library) where

import Control.Concurrent (threadDelay)
import Control.Monad (forM)
import Data.Maybe (isJust)
import Data.Word (Word64)
import GHC.Clock (getMonotonicTimeNSec)
import GHC.Stats (RTSStats (gc_elapsed_ns, gcs), getRTSStats)

import Fork (fork)
import Phase
import Pool (Values)

foreign import ccall unsafe "bench_cpu_seconds" c_cpuSeconds :: IO Double

-- | The threads, which return their units, and the call, which gets the window's times and returns the number of
-- regions in it. Regions and units a second, the mean time of a collection in microseconds, and the CPUs that the
-- process used.
library :: [Phases -> IO Int] -> Maybe (Word64 -> Word64 -> IO Int) -> Double -> IO Values
library threads call ms = do
  now <- getMonotonicTimeNSec
  let opens = now + 100000000
      closes = opens + round (ms * 1e6)
      phases = timedPhases opens closes
  joins <- forM threads (\thread -> fork (thread phases))
  join <- maybe (pure (pure 0)) (\regions -> fork (regions opens closes)) call
  before <- after opens >> look
  end <- after closes >> look
  units <- sum <$> sequence joins
  regions <- join
  seconds <- through phases ms
  let rate count = fromIntegral count / seconds
      collections = gcs (stats end) - gcs (stats before)
      collecting = gc_elapsed_ns (stats end) - gc_elapsed_ns (stats before)
  pure $
    [("regions", rate regions) | isJust call]
      ++ [("units", rate units) | not (null threads)]
      ++ [("collection", fromIntegral collecting / fromIntegral collections / 1e3) | collections > 0]
      ++ [("cpus", (cpu end - cpu before) / (time end - time before))]

-- | Sleeps until that time.
after :: Word64 -> IO ()
after time' = do
  now <- getMonotonicTimeNSec
  if now >= time' then pure () else threadDelay (fromIntegral ((time' - now) `div` 1000) + 1) >> after time'

data Look = Look {stats :: !RTSStats, cpu :: !Double, time :: !Double}

look :: IO Look
look = Look <$> getRTSStats <*> c_cpuSeconds <*> ((/ 1e9) . fromIntegral <$> getMonotonicTimeNSec)
