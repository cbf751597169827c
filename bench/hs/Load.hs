-- | Regions called beside other Haskell threads: many callers at once, and a caller beside threads that allocate.
module Load (callers, mixed) where

import Control.Concurrent (threadDelay)
import Control.Monad (forM)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import qualified Data.List as List
import Data.Maybe (maybeToList)
import GHC.Clock (getMonotonicTimeNSec)
import System.Directory (listDirectory)

import Allocating (unit)
import Fork (fork)
import Measure

-- | A number of Haskell threads, each in a loop of safe calls to a region: regions a second, the 99th percentile of a
-- region's time in microseconds, and the process's OS threads at the end.
callers :: Int -> IO () -> Sample
callers count region = Values $ \ms -> do
  stop <- newIORef False
  joins <- forM [1 .. count] (const (fork (caller stop [])))
  ns <- window ms
  osThreads <- length <$> listDirectory "/proc/self/task"
  writeIORef stop True
  sorted <- List.sort . concat <$> sequence joins
  let calls = length sorted
  pure
    [ ("", fromIntegral calls / ns * 1e9)
    , ("p99", fromIntegral (sorted !! (calls * 99 `div` 100)) / 1e3)
    , ("os-threads", fromIntegral osThreads)
    ]
  where
    caller stop times = do
      halt <- readIORef stop
      if halt && not (null times)
        then pure times
        else do
          start <- getMonotonicTimeNSec
          region
          end <- getMonotonicTimeNSec
          let took = end - start
          took `seq` caller stop (took : times)

-- | Two Haskell threads that allocate, and possibly a third that calls regions: regions a second and the others' units
-- a second.
mixed :: Maybe (IO ()) -> Sample
mixed region = Values $ \ms -> do
  stop <- newIORef False
  workers <- forM [1, 2] (fork . allocating stop 0)
  caller <- forM (maybeToList region) (fork . calling stop 0)
  ns <- window ms
  writeIORef stop True
  units <- sum <$> sequence workers
  calls <- sum <$> sequence caller
  let rate count = fromIntegral count / ns * 1e9
  pure ([("", rate calls) | Just _ <- [region]] ++ [("units", rate units)])

calling :: IORef Bool -> Int -> IO () -> IO Int
calling stop done region = do
  halt <- readIORef stop
  if halt then pure done else region >> (calling stop $! done + 1) region

allocating :: IORef Bool -> Int -> Integer -> IO Int
allocating stop done seed = do
  halt <- readIORef stop
  if halt
    then pure done
    else do
      next <- unit seed
      (allocating stop $! done + 1) next

-- | Waits for the time of at least 20 batches: the counted operations come in bursts.
window :: Double -> IO Double
window ms = fst <$> timed (threadDelay (round (ms * 20 * 1000)))
