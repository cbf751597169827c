-- | Many short C calls: one by one, in batches, over a vector; and numbers of the place where Haskell code runs, which
-- are cheap enough to ask for in an inner loop.
module Main (main) where

import qualified Data.Vector.Storable as V
import qualified Data.Vector.Unboxed.Mutable as M
import Foreign.C.Types (CLong (..))
import Foreign.Ptr (FunPtr)
import GHC.Clock (getMonotonicTime)
import System.IO (hPutStrLn, stderr)

import OpenMP.Batch (Column (..), call, callColumns, runBatch)
import OpenMP.Parallel (parallelFor)
import OpenMP.Prim (threadNumber)
import OpenMP.Settings (Schedule (..), Settings (..), defaults)

-- Safe only for comparison: each call gives up the Capability and takes it back, which costs more than the function.
foreign import ccall safe "steps"
  c_steps :: CLong -> IO CLong
foreign import ccall "&steps"
  p_steps :: FunPtr (CLong -> IO CLong)
foreign import ccall "&digit"
  p_digit :: FunPtr (CLong -> IO CLong)

oneByOne, inBatches, overVector :: [CLong] -> IO [CLong]
oneByOne = mapM c_steps
inBatches = fmap concat . mapM (runBatch . traverse (call p_steps)) . groupsOf 100
overVector xs = V.toList <$> callColumns p_steps (Each (V.fromList xs))

groupsOf :: Int -> [a] -> [[a]]
groupsOf _ [] = []
groupsOf n xs = let (front, rest) = splitAt n xs in front : groupsOf n rest

-- | How many iterations each thread has done. Each thread writes to a cell of its own, so that no atomic operation is
-- needed.
shares :: Int -> Int -> IO [Int]
shares threads n = do
  counts <- M.replicate threads 0
  parallelFor defaults {numThreads = Just threads, schedule = Just (Dynamic 10)} 0 n $ \_ -> do
    me <- threadNumber
    M.modify counts (+ 1) me
  mapM (M.read counts) [0 .. threads - 1]

timed :: String -> IO [CLong] -> IO CLong
timed name action = do
  start <- getMonotonicTime
  total <- sum <$> action
  took <- total `seq` (subtract start <$> getMonotonicTime)
  hPutStrLn stderr (name ++ ": " ++ show (round (took * 1e6) :: Int) ++ " us")
  pure total

main :: IO ()
main = do
  -- The calls of a batch are made in order, by one operating system thread.
  runBatch (traverse (call p_digit) [1 .. 5]) >>= print

  one <- timed "10000 safe calls" (oneByOne [1 .. 10000])
  two <- timed "in batches of 100" (inBatches [1 .. 10000])
  three <- timed "over a vector" (overVector [1 .. 10000])
  putStrLn ("Collatz steps from 1 to 10000: " ++ show one)
  putStrLn ("the same in batches: " ++ show (two == one) ++ ", over a vector: " ++ show (three == one))

  counts <- shares 3 10000
  putStrLn ("iterations by 3 threads, together: " ++ show (sum counts))
  hPutStrLn stderr ("iterations by each thread: " ++ show counts)
