-- | Haskell threads and OpenMP regions in one process: a first Haskell program on ghc-openmp.
--
-- Two Haskell threads compute with big numbers, which allocates and so needs GHC's garbage collector all the
-- time. At the same time the main thread calls a C function again and again, whose loop is shared by a team
-- of OpenMP threads. Both want the CPUs. On ghc-openmp the OpenMP threads live in GHC's runtime system and
-- see when Haskell wants a CPU; on another OpenMP runtime the two know nothing of each other.
--
-- The package's Cabal file names @ghc-openmp@ under @build-depends@ and puts @-fopenmp@ into @cc-options@: no
-- more is needed to link it.
module Main (main) where

import Control.Concurrent (forkIO, getNumCapabilities, newEmptyMVar, putMVar, takeMVar)
import Control.Exception (evaluate)
import Control.Monad (forM, forM_, unless, when)
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import qualified Data.List as List
import Foreign.C.Types (CLong (..))
import GHC.Clock (getMonotonicTime)
import System.Exit (exitFailure)
import System.IO (hPutStrLn, stderr)

-- Safe: the call runs for a long time and waits for other threads. During a safe call this Haskell thread's
-- Capability serves other Haskell threads; an unsafe call would keep it, and the garbage collector, waiting.
foreign import ccall safe "sum_of_squares"
  c_sumOfSquares :: CLong -> IO CLong

-- Safe, since it opens a region too.
foreign import ccall safe "where_print"
  c_wherePrint :: IO ()

calls, size :: Int
calls = 4000
size = 20000

-- | A unit of Haskell work: allocates about 100 kB.
unit :: Integer -> Integer
unit seed = List.foldl' (\acc k -> (acc * 31 + k) `mod` 1000000007) seed [1 .. 1000]

-- | Works until told to stop, and tells how many units it did.
worker :: IORef Bool -> Integer -> IO Int
worker stop = go 0
  where
    go done seed = do
      halt <- readIORef stop
      if halt
        then pure done
        else do
          next <- evaluate (unit seed)
          go (done + 1) next

main :: IO ()
main = do
  c_wherePrint
  capabilities <- getNumCapabilities
  hPutStrLn stderr ("haskell: " ++ show capabilities ++ " Capabilities, 2 computing threads, 1 calling OpenMP")

  stop <- newIORef False
  results <- forM [1, 2] $ \seed -> do
    result <- newEmptyMVar
    _ <- forkIO (worker stop seed >>= putMVar result)
    pure result

  start <- getMonotonicTime
  wrong <- newIORef (0 :: Int)
  forM_ [1 .. calls] $ \_ -> do
    got <- c_sumOfSquares (fromIntegral size)
    when (toInteger got /= expected) $ modifyIORef' wrong (+ 1)
  took <- subtract start <$> getMonotonicTime
  writeIORef stop True
  units <- sum <$> mapM takeMVar results

  bad <- readIORef wrong
  putStrLn ("regions: " ++ show calls ++ " called, " ++ show bad ++ " with a wrong sum; the sum is " ++ show expected)
  putStrLn ("haskell: the other threads went on meanwhile: " ++ (if units > 0 then "yes" else "NO"))
  hPutStrLn stderr $
    "rates:   " ++ show (round (fromIntegral calls / took) :: Int) ++ " regions/s beside "
      ++ show (round (fromIntegral units / took) :: Int)
      ++ " units of Haskell work/s"
  unless (bad == 0 && units > 0) exitFailure
  where
    expected = sum [k * k | k <- [0 .. toInteger size - 1]]
