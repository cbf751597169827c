-- | The regions of regions.c, called from Haskell, and the histograms of their latencies.
module Regions
  ( Units
  , staticRegion
  , dynamicRegion
  , repeatedRegion
  , meet
  , Latencies
  , recorded
  , newLatencies
  , mergeLatencies
  , percentile
  , watchThreads
  , workers
  ) where

import Data.Word (Word64)
import Foreign.C.Types (CDouble (..), CInt (..), CLong (..))
import Foreign.Marshal.Alloc (alloca)
import Foreign.Ptr (Ptr)
import Foreign.Storable (peek)
import GHC.Clock (getMonotonicTimeNSec)

-- Safe, like all calls of OpenMP regions: they run long and wait for other threads.
foreign import ccall safe "region_static" c_static :: CLong -> Word64 -> IO ()
foreign import ccall safe "region_repeated" c_repeated :: CLong -> Word64 -> Word64 -> Word64 -> IO CLong
foreign import ccall safe "region_dynamic" c_dynamic :: CLong -> CLong -> Word64 -> IO ()
foreign import ccall safe "region_meet" c_meet :: CInt -> CLong -> IO ()
foreign import ccall safe "region_alone" c_helpers_poll :: CLong -> IO Word64

data CLatencies

foreign import ccall unsafe "latencies_new" c_new :: IO (Ptr CLatencies)
foreign import ccall unsafe "latencies_free" c_free :: Ptr CLatencies -> IO ()
foreign import ccall unsafe "latencies_add" c_add :: Ptr CLatencies -> Word64 -> IO ()
foreign import ccall unsafe "latencies_merge" c_merge :: Ptr CLatencies -> Ptr CLatencies -> IO ()
foreign import ccall unsafe "latencies_percentile" c_percentile :: Ptr CLatencies -> CDouble -> IO CDouble

foreign import ccall unsafe "bench_watch" c_watch :: Word64 -> Word64 -> IO ()
foreign import ccall safe "bench_watched" c_watched :: Ptr CLong -> Ptr CLong -> IO ()
foreign import ccall unsafe "bench_workers" c_workers :: IO CLong

-- | A number of units of work (@work.h@), about 10 ns each on one thread.
type Units = Int

-- | A region with a static loop. One thread does the units first, to know the result.
staticRegion :: Units -> IO (IO ())
staticRegion units = c_static n <$> c_helpers_poll n
  where
    n = fromIntegral units

-- | One safe call that runs regions with a static loop until a window closes, and returns how many it began within.
repeatedRegion :: Units -> IO (Word64 -> Word64 -> IO Int)
repeatedRegion units = do
  want <- c_helpers_poll n
  pure $ \opens closes -> fromIntegral <$> c_repeated n want opens closes
  where
    n = fromIntegral units

-- | A region with a dynamic loop of a number of chunks.
dynamicRegion :: Int -> Units -> IO (IO ())
dynamicRegion chunks units = c_dynamic n (fromIntegral chunks) <$> c_helpers_poll n
  where
    n = fromIntegral units

-- | A region of one of two masters, which waits in it for the other's region of the same round.
meet :: Int -> Int -> IO ()
meet who turn = c_meet (fromIntegral who) (fromIntegral turn)

-- | A histogram that one thread at a time adds to.
newtype Latencies = Latencies (Ptr CLatencies)

newLatencies :: IO Latencies
newLatencies = Latencies <$> c_new

-- | Runs the action; its time, including the Haskell side of the call, goes to the histogram.
recorded :: Latencies -> IO () -> IO ()
recorded (Latencies l) action = do
  start <- getMonotonicTimeNSec
  action
  end <- getMonotonicTimeNSec
  c_add l (end - start)
{-# INLINE recorded #-}

-- | Merges the histograms into one, and frees them.
mergeLatencies :: [Latencies] -> IO Latencies
mergeLatencies parts = do
  whole <- c_new
  mapM_ (\(Latencies l) -> c_merge whole l >> c_free l) parts
  pure (Latencies whole)

-- | In microseconds.
percentile :: Latencies -> Double -> IO Double
percentile (Latencies l) part = (/ 1e3) . realToFrac <$> c_percentile l (realToFrac part)

-- | Samples the number of the process's OS threads between two times; the action waits for the end, and returns the
-- number then and the highest.
watchThreads :: Word64 -> Word64 -> IO (IO (Int, Int))
watchThreads opens closes = do
  c_watch opens closes
  pure . alloca $ \end -> alloca $ \highest -> do
    c_watched end highest
    (,) <$> (fromIntegral <$> peek end) <*> (fromIntegral <$> peek highest)

-- | The OpenMP workers that ghc-openmp has made; -1 on another runtime.
workers :: IO Int
workers = fromIntegral <$> c_workers
