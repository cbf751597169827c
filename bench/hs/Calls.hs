-- | The rows whose work is in C: a Haskell program calls an OpenMP kernel, on the runtime that it is linked with, or
-- the same kernel without OpenMP.
module Calls (rows, unitsOfTask, unitsOfLongTask, regionOfUnits, sumSinRegion) where

import Control.Exception (evaluate)
import Control.Monad.Primitive (touch)
import Data.Primitive.PrimArray
  ( generatePrimArray
  , indexPrimArray
  , mutablePrimArrayContents
  , newPrimArray
  , traversePrimArray_
  , unsafeFreezePrimArray
  , writePrimArray
  )
import Data.Primitive.Types (Prim)
import Data.Word (Word64)
import Foreign.C.Types (CDouble (..), CInt (..), CLong (..))
import Foreign.Ptr (Ptr)

import Counters (counters)
import Load (callers, mixed)
import Measure
import Work

-- Safe, like all calls of OpenMP regions: they run long and wait for other threads.
foreign import ccall safe "bench_region" c_region :: CInt -> IO ()
foreign import ccall safe "bench_barriers" c_barriers :: CLong -> CInt -> IO ()
foreign import ccall safe "bench_critical" c_critical :: CLong -> CInt -> IO CLong
foreign import ccall safe "bench_sum_sin" c_sumSin :: CLong -> CInt -> IO CDouble
foreign import ccall safe "bench_logistic" c_logistic :: CLong -> CInt -> IO CDouble
foreign import ccall safe "bench_work" c_work :: CLong -> CInt -> IO Word64
foreign import ccall safe "bench_chunks" c_chunks :: CLong -> Ptr Int -> CInt -> IO ()
foreign import ccall safe "bench_tasks" c_tasks :: CLong -> CLong -> Ptr Word64 -> CInt -> IO ()
foreign import ccall safe "bench_dgemm" c_dgemm :: CLong -> Ptr Double -> Ptr Double -> Ptr Double -> CInt -> IO ()

-- Unsafe: the minimal cost of sequential C, to find the sizes at which a team is worth its start.
foreign import ccall unsafe "bench_sum_sin_alone" c_sumSinAlone :: CLong -> IO CDouble
foreign import ccall unsafe "bench_logistic_alone" c_logisticAlone :: CLong -> IO CDouble
foreign import ccall unsafe "bench_work_alone" c_workAlone :: CLong -> IO Word64
foreign import ccall unsafe "bench_tasks_alone" c_tasksAlone :: CLong -> CLong -> Ptr Word64 -> IO ()
foreign import ccall unsafe "bench_dgemm_alone"
  c_dgemmAlone :: CLong -> Ptr Double -> Ptr Double -> Ptr Double -> IO ()
foreign import ccall unsafe "bench_hits" c_hits :: CLong -> IO CLong

rows :: Rows
rows =
  [ ("fork-join", [("c-openmp", regions)])
  , ("barrier", [("c-openmp", barriers)])
  , ("critical", [("c-openmp", criticals)])
  , ("sum-sin", [("c-openmp", sumSin), ("c-alone", sumSinAlone)])
  , ("crossover", [("c-openmp", sumSin), ("c-alone", sumSinAlone)])
  , ("elements", [("c-openmp", sumSin), ("c-alone", sumSinAlone)])
  , ("ffi-scaling", [("c-openmp", workUnits), ("c-alone", workUnitsAlone)])
  , ("ffi-sines", [("c-openmp", sumSin), ("c-alone", sumSinAlone)])
  , ("code-generator", [("c-openmp", logistic), ("c-alone", logisticAlone)])
  , ("tasks", [("c-openmp", tasks unitsOfTask)])
  , ("long-tasks", [("c-openmp", tasks unitsOfLongTask), ("c-alone", tasksAlone unitsOfLongTask)])
  , ("chunk", [("c-openmp", chunks)])
  , ("dgemm", [("c-openmp", dgemm), ("c-alone", dgemmAlone)])
  , ("gflops", [("c-openmp", dgemm)])
  , ("boxed", [("c-alone", dgemmAlone)])
  , ("callers", [("c-openmp", \cell -> callers (size cell) <$> shortRegion cell)])
  , ("mixed", [("c-openmp", fmap (mixed . Just) . shortRegion), ("haskell-alone", \_ -> pure (mixed Nothing))])
  ]

team :: Cell -> CInt
team = fromIntegral . cellThreads

checkHits :: Cell -> Int -> IO ()
checkHits cell each = do
  seen <- c_hits (fromIntegral each)
  expect "number of threads that came as often as they should" (fromIntegral seen) (cellThreads cell)

regions, barriers, criticals :: Cell -> IO Sample
regions cell = pure . Each 1 $ \n -> do
  (ns, ()) <- timed (rounds n (c_region (team cell)))
  checkHits cell n
  pure ns
barriers cell = pure . Each 1 $ \n -> do
  (ns, ()) <- timed (c_barriers (fromIntegral n) (team cell))
  checkHits cell n
  pure ns
criticals cell = pure . Each 1 $ \n -> do
  (ns, entered) <- timed (c_critical (fromIntegral n) (team cell))
  expect "number of entries" (fromIntegral entered) n
  pure ns

-- | Chunks of one index.
chunks :: Cell -> IO Sample
chunks cell = counters cell $ \n own ->
  c_chunks (fromIntegral n) (mutablePrimArrayContents own) (team cell) >> touch own

-- | Makes a call a number of times, and afterwards checks each result. By a loop: a list of the results ('forM') leaves
-- a frame on the stack for each call, and each safe call goes through all of them (docs\/guide\/ffi.md).
repeated :: Prim a => IO a -> (a -> IO ()) -> Kernel
repeated call check n = do
  results <- newPrimArray n
  (ns, ()) <- timed (go results 0)
  frozen <- unsafeFreezePrimArray results
  traversePrimArray_ check frozen
  pure ns
  where
    go results i
      | i == n = pure ()
      | otherwise = call >>= writePrimArray results i >> go results (i + 1)
{-# INLINE repeated #-}

-- | Runs a kernel that returns a sum a number of times, and checks each sum.
summing :: Int -> IO CDouble -> (Int -> Double) -> IO Sample
summing size' call reference = do
  want <- evaluate (reference size')
  pure . Each 1 $ repeated call (\(CDouble got) -> near "sum" got want)

sumSin, sumSinAlone, logistic, logisticAlone :: Cell -> IO Sample
sumSin cell = summing (size cell) (c_sumSin (fromIntegral (size cell)) (team cell)) (sinRange 0)
sumSinAlone cell = summing (size cell) (c_sumSinAlone (fromIntegral (size cell))) (sinRange 0)
logistic cell = summing (size cell) (c_logistic (fromIntegral (size cell)) (team cell)) (logisticRange 0)
logisticAlone cell = summing (size cell) (c_logisticAlone (fromIntegral (size cell))) (logisticRange 0)

workUnits, workUnitsAlone :: Cell -> IO Sample
workUnits cell = working cell (c_work (fromIntegral (size cell)) (team cell))
workUnitsAlone cell = working cell (c_workAlone (fromIntegral (size cell)))

working :: Cell -> IO Word64 -> IO Sample
working cell call = do
  want <- evaluate (workRange 0 (size cell))
  pure . Each 1 $ repeated call (\got -> expect "sum" got want)

-- | A region of about 2 us of work (200 units), checked.
shortRegion :: Cell -> IO (IO ())
shortRegion = regionOfUnits 200

-- | A region of so many units of work, checked.
regionOfUnits :: Int -> Cell -> IO (IO ())
regionOfUnits units cell = do
  want <- evaluate (workRange 0 units)
  pure (c_work (fromIntegral units) (team cell) >>= \got -> expect "sum" got want)

-- | A region that adds the sines of so many numbers, checked.
sumSinRegion :: Int -> Cell -> IO (IO ())
sumSinRegion elements cell = do
  want <- evaluate (sinRange 0 elements)
  pure (c_sumSin (fromIntegral elements) (team cell) >>= \(CDouble got) -> near "sum" got want)

-- | The units of a task: about 0.2 us together in C, and 15 us of the row "long-tasks".
unitsOfTask, unitsOfLongTask :: Int
unitsOfTask = 20
unitsOfLongTask = 1500

tasks, tasksAlone :: Int -> Cell -> IO Sample
tasks each cell = tasked each cell (\count units out -> c_tasks count units out (team cell))
tasksAlone each cell = tasked each cell c_tasksAlone

-- | The time of a task, of this many units.
tasked :: Int -> Cell -> (CLong -> CLong -> Ptr Word64 -> IO ()) -> IO Sample
tasked each cell run = do
  out <- newOut count
  want <- evaluate (generatePrimArray count (\i -> workRange (i * each) ((i + 1) * each)))
  pure . Each count $ \n -> do
    (ns, ()) <- timed . rounds n $ run (fromIntegral count) (fromIntegral each) (outContents out)
    checkOut out n (indexPrimArray want)
    pure ns
  where
    count = size cell

dgemm, dgemmAlone :: Cell -> IO Sample
dgemm cell = multiplying cell (\n a b c -> c_dgemm n a b c (team cell))
dgemmAlone cell = multiplying cell c_dgemmAlone

multiplying :: Cell -> (CLong -> Ptr Double -> Ptr Double -> Ptr Double -> IO ()) -> IO Sample
multiplying cell call = do
  a <- newMatrix n matrixA
  b <- newMatrix n matrixB
  c <- newMatrix n (\_ _ -> 0)
  pure . Each 1 $ \count -> do
    (ns, ()) <-
      timed . rounds count $
        call (fromIntegral n) (mutablePrimArrayContents a) (mutablePrimArrayContents b) (mutablePrimArrayContents c)
    -- The contents' addresses do not keep the arrays alive.
    touch a >> touch b
    checkProduct n c
    pure ns
  where
    n = size cell
