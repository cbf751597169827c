module Main (main) where

import Control.Concurrent (threadDelay)
import Control.Exception (ArithException, try)
import Control.Monad (when)
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Monoid (Sum (..))
import System.Timeout (timeout)

import OpenMP (Schedule (..), Settings (..), defaults)
import OpenMP.Parallel
  (Order (..), cancel, cancellationPoint, for, parallelFor, parallelReduce, parallel_)

main :: IO ()
main = do
  -- An exception in a body ends the region, and the caller gets it.
  failed <- try (parallelReduce defaults IndexOrder 0 10 (\i -> pure $! Sum (100 `div` (5 - i))))
  print (fmap getSum failed :: Either ArithException Int)

  -- So does an exception from outside, here of a timeout: bodies that run are interrupted.
  late <- timeout 50000 $ parallelFor defaults {schedule = Just (Dynamic 1)} 0 1000000 (\_ -> threadDelay 1000)
  print late

  -- A team may end its region itself: the search is over when somebody has found it.
  found <- newIORef Nothing
  parallel_ defaults {numThreads = Just 2} $ \team ->
    for team (Dynamic 1) 0 1000000 $ \i -> do
      when (i * i == 1522756) $ do
        writeIORef found (Just i)
        cancel team
      cancellationPoint team
  readIORef found >>= print
