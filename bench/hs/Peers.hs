{-# LANGUAGE BangPatterns #-}

-- | The rows in Haskell alone: sequential, forkIO with manual splitting, sparks, monad-par; and the plain calls of C.
module Peers
  ( rows
  , summing
  , looping
  , reducing
  , spreading
  , multiplying
  , counting
  , halving
  , multiplyingBoxed
  , multiplyingByPeek
  ) where

import Control.Concurrent.MVar
import Control.Exception (evaluate)
import Control.Monad (forM)
import Control.Monad.Par (runPar)
import qualified Control.Monad.Par as Par
import Control.Monad.Primitive (touch)
import Control.Parallel (par, pseq)
import Data.Foldable (for_)
import Data.IORef (newIORef, readIORef)
import Data.Primitive.PrimArray
  ( generatePrimArray
  , indexPrimArray
  , mutablePrimArrayContents
  , newPrimArray
  , readPrimArray
  , setPrimArray
  , writePrimArray
  )
import Data.Word (Word64)
import Foreign.C.Types (CLong (..))
import Foreign.Ptr (castPtr)

import Boxed
import Calls (unitsOfLongTask, unitsOfTask)
import Fork (fork)
import Measure
import Split hiding (pieces)
import Work

-- Unsafe: it only adds, and the call is what is measured.
foreign import ccall unsafe "bench_next" c_nextUnsafe :: CLong -> IO CLong
-- Safe, for the same reason: the cost of releasing the Capability.
foreign import ccall safe "bench_next" c_nextSafe :: CLong -> IO CLong

rows :: Rows
rows =
  [ ("fork-join", [("forkio", counting forkIOs), ("forkon", counting forkOns), ("monad-par", counting monadPar)])
  , ("barrier", [("forkio", barriers)])
  , ("critical", [("forkio", criticals)])
  , ( "sum-sin"
    , [ ("alone", summing sines reduceAlone)
      , ("forkio", summing sines reduceForkIOs)
      , ("forkio-all", summing sines reduceForkAll)
      , ("forkon", summing sines reduceForkOns)
      , ("sparks", summing sines reduceSparks)
      , ("monad-par", summing sines reduceMonadPar)
      ]
    )
  , ("crossover", [("alone", summing sines reduceAlone)])
  , ( "trivial"
    , [ ("alone", summing trivials reduceAlone)
      , ("forkio", summing trivials reduceForkIOs)
      , ("forkon", summing trivials reduceForkOns)
      , ("sparks", summing trivials reduceSparks)
      ]
    )
  , ( "elements"
    , [ ("alone", summing sines reduceAlone)
      , ("forkio", summing sines reduceForkIOs)
      , ("forkio-all", summing sines reduceForkAll)
      ]
    )
  , ( "code-generator"
    , [ ("alone", summing logistics reduceAlone)
      , ("forkio", summing logistics reduceForkIOs)
      , ("forkio-all", summing logistics reduceForkAll)
      , ("sparks", summing logistics reduceSparks)
      ]
    )
  , ( "tasks"
    , [ ("forkio", spreading unitsOfTask (\count -> forkIOs count count))
      , ("monad-par", spreading unitsOfTask (\count -> monadPar count count))
      , ("sparks", sparkTasks unitsOfTask)
      ]
    )
  , ( "long-tasks"
    , [ ("alone", spreading unitsOfLongTask (alone 1))
      , ("forkio", spreading unitsOfLongTask (\count -> forkIOs count count))
      , ("sparks", sparkTasks unitsOfLongTask)
      ]
    )
  , ("dgemm", [("alone", multiplying alone), ("forkon", multiplying forkOns)])
  , ( "boxed"
    , [ ("unboxed-alone", multiplying alone)
      , ("unboxed-forkon", multiplying forkOns)
      , ("peek-alone", multiplyingByPeek alone)
      , ("peek-forkon", multiplyingByPeek forkOns)
      , ("boxed-alone", multiplyingBoxed alone)
      , ("boxed-forkon", multiplyingBoxed forkOns)
      ]
    )
  , ("loop-bound", loops)
  , ("loop-unbound", loops)
  , ( "reduce"
    , [ ("alone", reducing reduceAlone)
      , ("forkio", reducing reduceForkIOs)
      , ("forkio-all", reducing reduceForkAll)
      , ("forkon", reducing reduceForkOns)
      , ("sparks", reducing reduceSparks)
      , ("monad-par", reducing reduceMonadPar)
      ]
    )
  , ( "parts"
    , [ ("alone", reducing reduceAlone)
      , ("forkon", reducing reduceForkOns)
      , ("sparks", reducing reduceSparks)
      , ("monad-par", reducing reduceMonadPar)
      ]
    )
  , ("depth", [("sparks", halving sparkHalves), ("forkio", halving forkHalves), ("monad-par", halving parHalves)])
  , ("call", [("unsafe", calling 1 c_nextUnsafe), ("safe", calling 1 c_nextSafe)])
  , ("batched", [("unsafe", sizedCalling c_nextUnsafe), ("safe", sizedCalling c_nextSafe), ("safe-deep", deepCalling)])
  ]
  where
    loops =
      [ ("alone", looping alone)
      , ("forkio", looping forkIOs)
      , ("forkio-all", looping forkAll)
      , ("forkon", looping forkOns)
      , ("monad-par", looping monadPar)
      ]

-- | As many indices as threads; each adds one to its own counter, on cache lines of its own.
counting :: Loop -> Cell -> IO Sample
counting loop cell = do
  counters <- newPrimArray (m * line)
  setPrimArray counters 0 (m * line) (0 :: Int)
  pure . Each 1 $ \n -> do
    (ns, ()) <- timed . rounds n . loop m m $ \i -> do
      x <- readPrimArray counters (i * line)
      writePrimArray counters (i * line) (x + 1)
    for_ [0 .. m - 1] $ \i -> readPrimArray counters (i * line) >>= \x -> expect "number of visits" x n
    setPrimArray counters 0 (m * line) 0
    pure ns
  where
    m = cellThreads cell
    line = 16
{-# INLINE counting #-}

-- | A barrier of MVars: the last to arrive fills the MVar that the others wait for, and installs the next one.
barriers :: Cell -> IO Sample
barriers cell = pure . Each 1 $ \n -> do
  gate <- newEmptyMVar
  state <- newMVar (0 :: Int, gate)
  counters <- forM [1 .. m] (const (newIORef (0 :: Int)))
  (ns, done) <- timed $ do
    joins <- forM counters (\_ -> fork (member state n 0))
    sequence joins
  for_ done $ \x -> expect "number of barriers" x n
  pure ns
  where
    m = cellThreads cell
    member state n !done
      | done == n = pure done
      | otherwise = arrive state >> member state n (done + 1)
    arrive state = do
      (arrived, gate) <- takeMVar state
      if arrived == m - 1
        then newEmptyMVar >>= \next -> putMVar state (0, next) >> putMVar gate ()
        else putMVar state (arrived + 1, gate) >> readMVar gate

-- | A counter in an MVar.
criticals :: Cell -> IO Sample
criticals cell = pure . Each 1 $ \n -> do
  counter <- newMVar (0 :: Int)
  (ns, ()) <- timed . forkIOs m n $ \_ -> modifyMVar_ counter (\x -> pure $! x + 1)
  readMVar counter >>= \x -> expect "number of entries" x n
  pure ns
  where
    m = cellThreads cell

-- | The sum of a range of floating-point numbers, in as many pieces as threads.
summing :: Terms Double -> Reduce Double -> Cell -> IO Sample
summing (Terms term range) reduce cell = do
  want <- evaluate (range 0 n)
  zero <- newIORef 0
  pure . Each 1 $ \count -> do
    -- Read again each time, or the compiler would compute the sum once and reuse it.
    (ns, ()) <- timed . rounds count $ do
      z <- readIORef zero
      got <- reduce (cellThreads cell) n (Terms (\i -> term (z + i)) (\from past -> range (z + from) (z + past))) (+)
      near "sum" got want
    pure ns
  where
    n = size cell
{-# INLINE summing #-}

-- | Number of indices and pieces; each index adds its unit of work to its own element.
looping :: Loop -> Cell -> IO Sample
looping loop cell = do
  out <- newOut n
  pure . Each 1 $ \count -> do
    (ns, ()) <- timed (rounds count (loop pieces n (addOut out)))
    checkOut out count work
    pure ns
  where
    (n, pieces) = twoSizes cell
{-# INLINE looping #-}

-- | The same with a sum of the units.
reducing :: Reduce Word64 -> Cell -> IO Sample
reducing reduce cell = do
  want <- evaluate (workRange 0 n)
  zero <- newIORef 0
  pure . Each 1 $ \count -> do
    (ns, ()) <- timed . rounds count $ do
      z <- readIORef zero
      got <- reduce pieces n (Terms (\i -> work (z + i)) (\from past -> workRange (z + from) (z + past))) (+)
      expect "sum" got want
    pure ns
  where
    (n, pieces) = twoSizes cell
{-# INLINE reducing #-}

-- | A task for each index, of a number of units, which writes to its own element. The time of a task.
spreading :: Int -> (Int -> (Int -> IO ()) -> IO ()) -> Cell -> IO Sample
spreading each loop cell = do
  out <- newOut count
  want <- evaluate (generatePrimArray count (\i -> workRange (i * each) ((i + 1) * each)))
  pure . Each count $ \n -> do
    (ns, ()) <- timed . rounds n . loop count $ \i -> do
      x <- readPrimArray out i
      writePrimArray out i $! x + workRange (i * each) ((i + 1) * each)
    checkOut out n (indexPrimArray want)
    pure ns
  where
    count = size cell
{-# INLINE spreading #-}

-- | Sparks are pure: the tasks' units are added up, not written.
sparkTasks :: Int -> Cell -> IO Sample
sparkTasks each cell = do
  Each _ kernel <- reducing reduceSparks cell {cellSizes = [count * each, count]}
  pure (Each count kernel)
  where
    count = size cell

multiplying :: Loop -> Cell -> IO Sample
multiplying loop cell = do
  a <- newMatrix n matrixA
  b <- newMatrix n matrixB
  c <- newMatrix n (\_ _ -> 0)
  pure . Each 1 $ \count -> do
    (ns, ()) <- timed (rounds count (loop (cellThreads cell) n (dgemmRow n a b c)))
    checkProduct n c
    pure ns
  where
    n = size cell
{-# INLINE multiplying #-}

multiplyingBoxed :: Loop -> Cell -> IO Sample
multiplyingBoxed loop cell = do
  a <- newBoxed n matrixA
  b <- newBoxed n matrixB
  c <- newBoxed n (\_ _ -> 0)
  pure . Each 1 $ \count -> do
    (ns, ()) <- timed (rounds count (loop (cellThreads cell) n (boxedRow n a b c)))
    unboxed n c >>= checkProduct n
    pure ns
  where
    n = size cell
{-# INLINE multiplyingBoxed #-}

-- | The usual way to C's arrays: CDouble by peek and poke, and realToFrac.
multiplyingByPeek :: Loop -> Cell -> IO Sample
multiplyingByPeek loop cell = do
  a <- newMatrix n matrixA
  b <- newMatrix n matrixB
  c <- newMatrix n (\_ _ -> 0)
  let pointer = castPtr . mutablePrimArrayContents
  pure . Each 1 $ \count -> do
    (ns, ()) <- timed (rounds count (loop (cellThreads cell) n (peekRow n (pointer a) (pointer b) (pointer c))))
    touch a >> touch b
    checkProduct n c
    pure ns
  where
    n = size cell
{-# INLINE multiplyingByPeek #-}

-- | The units of a range, halved recursively: number of units and depth.
halving :: (Int -> Int -> Int -> IO Word64) -> Cell -> IO Sample
halving halves cell = do
  want <- evaluate (workRange 0 n)
  zero <- newIORef 0
  pure . Each 1 $ \count -> do
    (ns, ()) <- timed . rounds count $ do
      z <- readIORef zero
      got <- halves depth z (z + n)
      expect "sum" got want
    pure ns
  where
    (n, depth) = twoSizes cell

sparkHalves, forkHalves, parHalves :: Int -> Int -> Int -> IO Word64
sparkHalves depth from past = pure $! go depth from past
  where
    go 0 a b = workRange a b
    go d a b =
      let middle = (a + b) `div` 2
          left = go (d - 1) a middle
          right = go (d - 1) middle b
       in left `par` (right `pseq` left + right)
forkHalves 0 from past = pure $! workRange from past
forkHalves depth from past = do
  let middle = (from + past) `div` 2
  left <- fork (forkHalves (depth - 1) from middle)
  right <- forkHalves (depth - 1) middle past
  (+ right) <$> left
parHalves depth from past = pure $! runPar (go depth from past)
  where
    go 0 a b = pure $! workRange a b
    go d a b = do
      let middle = (a + b) `div` 2
      left <- Par.spawn (go (d - 1) a middle)
      right <- go (d - 1) middle b
      (+ right) <$> Par.get left

-- | A chain of calls; the time of a call.
calling :: Int -> (CLong -> IO CLong) -> Cell -> IO Sample
calling each call _ = pure . Each each $ \n -> do
  (ns, end) <- timed (chain (n * each) 0)
  expect "end of the chain" (fromIntegral end) (n * each)
  pure ns
  where
    chain 0 !x = pure x
    chain k x = call x >>= chain (k - 1 :: Int)
{-# INLINE calling #-}

-- | Safe calls whose results are collected in a list: each call finds a frame more on the stack.
deepCalling :: Cell -> IO Sample
deepCalling cell = pure . Each calls $ \n -> do
  (ns, ()) <- timed . rounds n $ do
    results <- forM [1 .. fromIntegral calls] c_nextSafe
    expect "sum of the results" (fromIntegral (sum results)) (calls * (calls + 3) `div` 2)
  pure ns
  where
    calls = size cell

sizedCalling :: (CLong -> IO CLong) -> Cell -> IO Sample
sizedCalling call cell = calling (size cell) call cell
{-# INLINE sizedCalling #-}
