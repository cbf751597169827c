{-# LANGUAGE LinearTypes #-}
-- | Bodies of all kinds, each a function that the profiler counts: test/hs/profiling.sh says how often. The names of
-- functions are those of the script, and each is called a number of times that does not depend on who runs what.
module Main (main) where

import Control.Exception (ArithException, ErrorCall (..), throwIO, try)
import Control.Monad (forM, forM_, forever)
import Data.Array.Linear (Slice, unur)
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel (Workers (..), parChunks)
import Data.IORef (IORef, atomicModifyIORef', newIORef, readIORef)
import Data.Monoid (Sum (..))
import qualified Data.Vector.Storable as V
import Foreign.C.Types (CDouble (..), CInt (..), CLong (..))
import Foreign.Marshal.Utils (with)
import Foreign.Ptr (FunPtr, Ptr)
import Foreign.Storable (peek)
import System.Timeout (timeout)

import OpenMP.Callback (CFoldCallback, callbackPtr, withFoldCallback, withFunPtr)
import OpenMP.Eval (parMap, rseq)
import OpenMP.Parallel
import OpenMP.Settings

foreign import ccall "wrapper"
    wrap :: (CLong -> IO CDouble) -> IO (FunPtr (CLong -> IO CDouble))
-- Safe, both: they open regions, and come back into Haskell.
foreign import ccall safe "sum_by_object" c_sumByObject :: Ptr CFoldCallback -> CLong -> Ptr Double -> IO CInt
foreign import ccall safe "sum_by_pointer" c_sumByPointer :: FunPtr (CLong -> IO CDouble) -> CLong -> IO CDouble

two :: Settings
two = defaults { numThreads = Just 2 }

add :: IORef Int -> Int -> IO ()
add total k = atomicModifyIORef' total (\t -> (t + k, ()))

{-# NOINLINE loopBody #-}
loopBody :: IORef Int -> Int -> IO ()
loopBody total i = add total i

{-# NOINLINE reduceBody #-}
reduceBody :: Int -> IO (Sum Int)
reduceBody i = pure $! Sum i

{-# NOINLINE memberBody #-}
memberBody :: IORef Int -> Team s -> IO ()
memberBody total team = do
    masked team (add total 1)
    barrier team
    for team Static 0 10 (add total)

{-# NOINLINE taskBody #-}
taskBody :: Team s -> Int -> IO Int
taskBody team n
    | n < 2     = pure n
    | otherwise = do
        left <- spawn team (taskBody team (n - 1))
        right <- taskBody team (n - 2)
        (+ right) <$> await team left

{-# NOINLINE objectBody #-}
objectBody :: Int -> Double -> IO Double
objectBody i total = pure $! total + fromIntegral i

{-# NOINLINE pointerBody #-}
pointerBody :: CLong -> IO CDouble
pointerBody i = pure $! fromIntegral i

{-# NOINLINE partBody #-}
partBody :: Int -> Slice p Int %1 -> Slice p Int
partBody first = L.imap (\i x -> first + i + x)

{-# NOINLINE lazyBody #-}
lazyBody :: Int -> Int
lazyBody i = i * i

main :: IO ()
main = do
    total <- newIORef 0
    parallelFor two 0 1000 (loopBody total)
    readIORef total >>= said "a loop"
    parallelReduce two IndexOrder 0 1000 reduceBody >>= said "a reduction" . getSum
    shared <- newIORef 0
    parallel_ two (memberBody shared)
    readIORef shared >>= said "a region"
    parallelTasks two (\team -> taskBody team 12) >>= said "tasks"
    object <- withFoldCallback objectBody $ \callback -> with 0 $ \result -> do
        _ <- c_sumByObject (callbackPtr callback) 1000 result
        peek result
    said "callbacks by an object" object
    withFunPtr wrap pointerBody (`c_sumByPointer` 100) >>= \(CDouble x) -> said "callbacks by a pointer" x
    said "a linear array" (V.sum (unur (L.alloc 1000 1 (\s -> L.freeze (parChunks (Team two) 100 partBody s)))))
    said "lazy values" (sum (parMap two rseq lazyBody [1 .. 100]))
    -- What the runtime reads of GHC's own objects has other places in a profiled program: whether an exception is
    -- pending, and how a lazy value has ended.
    ended <- forM [parallelFor two 0 maxBound (add total), parallel_ two (forever . barrier)] (timeout 20000)
    said "interrupted" ended
    failed <- try (parallelFor two 0 100 (\i -> if i == 13 then throwIO (ErrorCall "13") else add total i))
    said "failed" (failed :: Either ErrorCall ())
    divided <- try (forM_ (parMap two rseq (100 `div`) [2, 1, 0]) (add total))
    said "divided" (divided :: Either ArithException ())
  where
    said what value = putStrLn (what ++ ": " ++ show value)
