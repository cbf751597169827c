module Main (main) where

import Control.Exception (ArithException, try)
import Control.Monad (when)
import Data.IORef (newIORef, readIORef, writeIORef)
import System.Timeout (timeout)

import GHC.OpenMP (Schedule (..), Settings (..), defaults)
import GHC.OpenMP.Parallel (cancel, cancellationPoint, for, parallel_, parallelFor, parallelReduce, Order (..))

main :: IO ()
main = do
  -- An exception in a body ends the region, and the caller gets it.
  failed <- try (parallelReduce defaults IndexOrder 0 10 (\i -> pure $! [100 `div` (5 - i)]))
  print (failed :: Either ArithException [Int])

  -- An asynchronous exception, here of a timeout, asks the region to end, and is delivered when it has.
  late <- timeout 50000 $ parallelFor defaults 0 maxBound (\_ -> pure ())
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
