module Main (main) where

import Data.IORef (newIORef, readIORef, writeIORef)

import OpenMP (defaults)
import OpenMP.Parallel
  (Depend (..), Team, TaskSettings (..), newDep, parallelTasks, task, taskDefaults, taskWith, taskgroup, taskwait)

-- | A task for one half, this thread does the other, and both are there after taskwait.
fib :: Team s -> Int -> IO Integer
fib team n
  | n < 12 = pure (plain n)
  | otherwise = do
      left <- newIORef 0
      task team (fib team (n - 1) >>= writeIORef left)
      right <- fib team (n - 2)
      taskwait team
      (+ right) <$> readIORef left
  where
    plain k = if k < 2 then toInteger k else plain (k - 1) + plain (k - 2)

main :: IO ()
main = do
  parallelTasks defaults (\team -> fib team 24) >>= print

  -- Dependences order tasks by what they read and write: first the two, in any order, then the third.
  sum' <- parallelTasks defaults $ \team -> do
    a <- newIORef (0 :: Int)
    b <- newIORef 0
    c <- newIORef 0
    da <- newDep
    db <- newDep
    taskgroup team $ do
      taskWith team taskDefaults {depends = [Out da]} (writeIORef a 20)
      taskWith team taskDefaults {depends = [Out db]} (writeIORef b 22)
      taskWith team taskDefaults {depends = [In da, In db]} $ do
        x <- readIORef a
        y <- readIORef b
        writeIORef c (x + y)
    readIORef c
  print sum'
