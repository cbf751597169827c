module Main (main) where

import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar)
import Control.Monad (void)
import Data.IORef (newIORef, readIORef, writeIORef)
import qualified Data.Vector.Unboxed as U
import qualified Data.Vector.Unboxed.Mutable as M
import GHC.Conc (atomically)

import OpenMP (defaults)
import OpenMP.Parallel
  ( Depend (..), Grain (..), TaskSettings (..), Team, await, futureSTM, newDep, parallelTasks, spawn, spawnWith
  , taskDefaults, taskWith, taskloop
  )

-- | A task with a result for one half; await runs it here if nobody has begun it.
fib :: Team s -> Int -> IO Integer
fib team n
  | n < 12 = pure (plain n)
  | otherwise = do
      left <- spawn team (fib team (n - 1))
      right <- fib team (n - 2)
      (+ right) <$> await team left
  where
    plain k = if k < 2 then toInteger k else plain (k - 1) + plain (k - 2)

main :: IO ()
main = do
  parallelTasks defaults (\team -> fib team 24) >>= print

  -- With dependences: the second task reads what the first one writes.
  answer <- parallelTasks defaults $ \team -> do
    cell <- newIORef (0 :: Int)
    dep <- newDep
    taskWith team taskDefaults {depends = [Out dep]} (writeIORef cell 41)
    future <- spawnWith team taskDefaults {depends = [In dep]} ((+ 1) <$> readIORef cell)
    await team future
  print answer

  -- A thread that is not in the team waits for a task, in a transaction.
  told <- newEmptyMVar
  parallelTasks defaults $ \team -> do
    twenty <- spawn team (fib team 20) >>= futureSTM team
    void (forkIO (atomically twenty >>= putMVar told))
  takeMVar told >>= print

  -- A loop of tasks, about four indices in each. Unlike for, it may stand in a task.
  cells <- M.new 10
  parallelTasks defaults $ \team ->
    taskloop team (Grainsize 4) 0 10 $ \i -> M.write cells i (i * i)
  U.unsafeFreeze cells >>= print
