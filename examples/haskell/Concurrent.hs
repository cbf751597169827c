-- | Many Haskell threads open regions at the same time; and the threads of a team talk to Haskell threads by MVars.
module Main (main) where

import Control.Concurrent (MVar, forkIO, newEmptyMVar, putMVar, takeMVar)
import Control.Monad (forM, forM_)
import Data.Monoid (Sum (..))
import Foreign.C.Types (CInt (..), CLong (..))
import System.IO (hPutStrLn, stderr)

import OpenMP.Parallel (Order (..), parallel, parallelReduce, threadNum)
import OpenMP.Settings (Settings (..), defaults)

-- Safe: it opens a region (squares.c).
foreign import ccall safe "sum_of_squares"
  c_sumOfSquares :: CLong -> IO CLong
-- Unsafe: it reads a number.
foreign import ccall unsafe "ghcomp_workers_created"
  c_workersCreated :: IO CInt

-- | The same sum by a region in C and by one in Haskell.
sums :: Int -> IO (Int, Int)
sums n = do
  inC <- c_sumOfSquares (fromIntegral n)
  inHaskell <- parallelReduce defaults AnyOrder 0 n (\i -> pure $! Sum (i * i))
  pure (fromIntegral inC, getSum inHaskell)

-- | A thread of its own for each action.
concurrently :: [IO a] -> IO [a]
concurrently actions = do
  results <- forM actions $ \action -> do
    result <- newEmptyMVar
    _ <- forkIO (action >>= putMVar result)
    pure result
  mapM takeMVar results

-- | A team of three. Each of its threads waits for a question and gives an answer; the Haskell thread that asks waits
-- for one answer before it asks the next one. A body that waits lends its Capability to others, so this needs
-- no more than one.
answers :: [Int] -> IO [Int]
answers questions = do
  doors <- mapM (const newDoor) questions
  _ <- forkIO $ forM_ (zip doors questions) $ \((question, _, heard), number) -> do
    putMVar question number
    takeMVar heard
  _ <- parallel defaults {numThreads = Just (length questions)} $ \team -> do
    me <- threadNum team
    let (question, answer, heard) = doors !! me
    number <- takeMVar question
    putMVar answer (number * number)
    putMVar heard ()
  mapM (\(_, answer, _) -> takeMVar answer) doors
  where
    newDoor :: IO (MVar Int, MVar Int, MVar ())
    newDoor = (,,) <$> newEmptyMVar <*> newEmptyMVar <*> newEmptyMVar

main :: IO ()
main = do
  results <- concurrently [sums n | n <- [1 .. 100]]
  let right = [(s, s) | n <- [1 .. 100], let s = sum [i * i | i <- [0 .. n - 1]]]
      wrong = length (filter id (zipWith (/=) results right))
  putStrLn ("100 Haskell threads, two regions each, wrong sums: " ++ show wrong)
  answers [2, 3, 5] >>= putStrLn . ("a team's answers: " ++) . show
  workers <- c_workersCreated
  hPutStrLn stderr ("threads that OpenMP has made for it: " ++ show workers)
