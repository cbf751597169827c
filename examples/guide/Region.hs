module Main (main) where

import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.Monoid (Sum (..))

import OpenMP (Schedule (..), Settings (..), defaults)
import OpenMP.Parallel (critical, for, parallel, reduce, single, teamSize, threadNum)

main :: IO ()
main = do
  hits <- newIORef (0 :: Int)
  results <- parallel defaults {numThreads = Just 3} $ \team -> do
    -- Every thread of the team runs this body.
    me <- threadNum team

    -- The team shares the loop's iterations, and waits for each other at its end.
    for team Static 0 100 $ \_ ->
      critical (modifyIORef' hits (+ 1))

    -- One thread executes this; all of them get the value.
    counted <- single team (readIORef hits)

    -- Every thread gives a value and gets all of them together.
    Sum numbers <- reduce team (Sum me)
    pure (me, teamSize team, counted, numbers)
  mapM_ print results
