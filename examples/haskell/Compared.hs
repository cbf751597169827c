-- | forkIO, sparks and OpenMP, side by side on one problem: how many primes are there below a limit?
--
-- The work is uneven, since a large prime takes longer to prove than a small one. So the ways differ in more than their
-- notation: who cuts the range into parts, and what happens when the parts don't take equally long.
--
-- The counts go to stdout and must agree; how long each way took goes to stderr.
module Main (main) where

import Control.Concurrent (forkIO, getNumCapabilities, newEmptyMVar, putMVar, takeMVar)
import Control.Exception (evaluate)
import Control.Monad (forM, unless)
import Data.Monoid (Sum (..))
import Foreign.C.Types (CLong (..))
import GHC.Clock (getMonotonicTime)
import GHC.Conc (par, pseq)
import Numeric (showFFloat)
import OpenMP.Parallel
import OpenMP.Settings
import System.Exit (exitFailure)
import System.IO (hPutStrLn, stderr)

-- Safe: it opens a region, which takes long and waits for other threads.
foreign import ccall safe "count_primes"
  c_countPrimes :: CLong -> IO CLong

limit, chunk :: Int
limit = 400000
chunk = 1000

isPrime :: Int -> Bool
isPrime n
  | n < 4 = n > 1
  | even n = False
  | otherwise = go 3
  where
    go d
      | d * d > n = True
      | n `rem` d == 0 = False
      | otherwise = go (d + 2)

-- | The primes in a range, its end not included.
countIn :: (Int, Int) -> Int
countIn (from, past) = go 0 from
  where
    go acc n
      | n >= past = acc
      | isPrime n = go (acc + 1) (n + 1)
      | otherwise = go (acc :: Int) (n + 1)

-- | Cuts the range up to the limit into parts of equal length.
parts :: Int -> [(Int, Int)]
parts count = [(limit * k `div` count, limit * (k + 1) `div` count) | k <- [0 .. count - 1]]

-- | By hand: one thread and one part for each Capability, one MVar for each result. The parts are equally long and not
-- equally much work: the last thread is the last to finish. An exception in a thread would be lost, and main would wait
-- in vain.
byForkIO :: IO Int
byForkIO = do
  capabilities <- getNumCapabilities
  results <- forM (parts capabilities) $ \part -> do
    result <- newEmptyMVar
    _ <- forkIO (evaluate (countIn part) >>= putMVar result)
    pure result
  sum <$> mapM takeMVar results

-- | Sparks: a pure expression of many small parts, each of which may be evaluated by another Capability while this one
-- goes on with the rest. The answer cannot depend on who evaluates what, and idle Capabilities take the sparks of busy
-- ones. Only pure code can run so.
bySparks :: IO Int
bySparks = evaluate (foldr (spark . countIn) 0 (parts (limit `div` chunk)))
  where
    spark count rest = count `par` (rest `pseq` (count + rest))

-- | OpenMP with a Haskell body: the loop is the program, its schedule hands out chunks, and exceptions come back.
byOpenMP :: IO Int
byOpenMP = getSum <$> parallelReduce settings AnyOrder 0 limit (\n -> pure $! Sum (fromEnum (isPrime n)))
  where
    settings = defaults {schedule = Just (Dynamic chunk)}

-- | OpenMP in C, called from Haskell: the same schedule.
byC :: IO Int
byC = fromIntegral <$> c_countPrimes (fromIntegral limit)

-- | Runs one way, prints its count, and its time on stderr.
timed :: String -> IO Int -> IO Int
timed name way = do
  start <- getMonotonicTime
  count <- way
  took <- subtract start <$> getMonotonicTime
  putStrLn (take 18 (name ++ repeat ' ') ++ show count)
  hPutStrLn stderr (take 18 (name ++ repeat ' ') ++ showFFloat (Just 1) (took * 1000) " ms")
  pure count

main :: IO ()
main = do
  putStrLn ("primes below " ++ show limit)
  counts <-
    sequence
      [ timed "one thread" (evaluate (countIn (0, limit)))
      , timed "forkIO" byForkIO
      , timed "sparks" bySparks
      , timed "OpenMP, Haskell" byOpenMP
      , timed "OpenMP, C" byC
      ]
  unless (and (zipWith (==) counts (drop 1 counts))) exitFailure
