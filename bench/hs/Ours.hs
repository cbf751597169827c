{-# LANGUAGE BangPatterns #-}

-- | The rows of the library: Haskell bodies on the OpenMP team. The kernels are those of "Peers" with another way to
-- share the work out.
module Ours (rows) where

import Control.Exception (evaluate)
import Data.Foldable (for_)
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Monoid (Sum (..))
import Data.Primitive.PrimArray (newPrimArray, readPrimArray, setPrimArray, writePrimArray)
import Data.Word (Word64)

import GHC.OpenMP (getThreadNum)
import GHC.OpenMP.Parallel
import GHC.OpenMP.Settings (Schedule (..), Settings (..), defaults)

import Calls (unitsOfTask)
import Load (callers, mixed)
import Measure
import Peers (counting, halving, looping, multiplying, multiplyingBoxed, reducing, spreading, summing)
import Split (Loop, Reduce)
import Work

rows :: Rows
rows =
  [ ("fork-join", [("ours", regions), ("ours-for", \cell -> counting (loop cell) cell)])
  , ("barrier", [("ours", barriers)])
  , ("critical", [("ours", criticals)])
  , ("sum-sin", sums sinRange)
  , ("crossover", [("ours", \cell -> summing sinRange (reduce AnyOrder cell) cell)])
  , ("code-generator", sums logisticRange)
  , ("tasks", [("ours", \cell -> spreading unitsOfTask (tasks cell) cell)])
  , ("dgemm", [("ours", \cell -> multiplying (loop cell) cell)])
  , ( "boxed"
    , [ ("unboxed-ours", \cell -> multiplying (loop cell) cell)
      , ("boxed-ours", \cell -> multiplyingBoxed (loop cell) cell)
      ]
    )
  , ("loop-bound", [("ours", \cell -> looping (loop cell) cell)])
  , ("loop-unbound", [("ours", \cell -> looping (loop cell) cell)])
  , ( "reduce"
    , [ ("ours", \cell -> reducing (reduce AnyOrder cell) cell)
      , ("ours-index", \cell -> reducing (reduce IndexOrder cell) cell)
      ]
    )
  , ("depth", [("ours", \cell -> halving (taskHalves cell) cell)])
  , ( "chunk"
    , [("ours", chunks (Dynamic 1)), ("ours-static", chunks (StaticChunks 1)), ("ours-region", chunksInRegion)]
    )
  , ("callers", [("ours", \cell -> callers (size cell) <$> shortRegion cell)])
  , ("mixed", [("ours", fmap (mixed . Just) . shortRegion)])
  ]
  where
    sums range =
      [ ("ours", \cell -> summing range (reduce AnyOrder cell) cell)
      , ("ours-index", \cell -> summing range (reduce IndexOrder cell) cell)
      ]

team :: Cell -> Settings
team cell = defaults {numThreads = Just (cellThreads cell)}

-- | As many parts as threads are a static schedule; other numbers are chunks for who asks first.
split :: Cell -> Int -> Int -> Settings
split cell pieces n
  | pieces == cellThreads cell = (team cell) {schedule = Just Static}
  | otherwise = (team cell) {schedule = Just (Dynamic (max 1 ((n + pieces - 1) `div` pieces)))}

loop :: Cell -> Loop
loop cell pieces n = parallelFor (split cell pieces n) 0 n
{-# INLINE loop #-}

-- | Sums of one index at a time, as the library adds them; the others add a range at a time.
reduce :: Num a => Order -> Cell -> Reduce a
reduce order cell pieces n sumOf _ =
  getSum <$> parallelReduce (split cell pieces n) order 0 n (\i -> pure $! Sum (sumOf i (i + 1)))
{-# INLINE reduce #-}

-- | A cache line and the one that the hardware fetches beside it, in words.
line :: Int
line = 16

-- | Regions that every thread comes to once.
regions :: Cell -> IO Sample
regions cell = do
  counters <- newPrimArray (m * line)
  setPrimArray counters 0 (m * line) (0 :: Int)
  pure . Each 1 $ \n -> do
    (ns, ()) <- timed . rounds n . parallel_ (team cell) $ \t -> do
      i <- threadNum t
      readPrimArray counters (i * line) >>= writePrimArray counters (i * line) . (+ 1)
    for_ [0 .. m - 1] $ \i -> readPrimArray counters (i * line) >>= \x -> expect "number of visits" x n
    setPrimArray counters 0 (m * line) 0
    pure ns
  where
    m = cellThreads cell

barriers :: Cell -> IO Sample
barriers cell = pure . Each 1 $ \n -> do
  (ns, done) <- timed . parallel (team cell) $ \t ->
    let go !k
          | k == n = pure k
          | otherwise = barrier t >> go (k + 1)
     in go 0
  expect "barriers of each thread" done (replicate (cellThreads cell) n)
  pure ns

criticals :: Cell -> IO Sample
criticals cell = pure . Each 1 $ \n -> do
  counter <- newIORef (0 :: Int)
  (ns, ()) <- timed . parallelFor (team cell) {schedule = Just Static} 0 n $ \_ ->
    critical (readIORef counter >>= \x -> writeIORef counter $! x + 1)
  readIORef counter >>= \x -> expect "number of entries" x n
  pure ns

tasks :: Cell -> Int -> (Int -> IO ()) -> IO ()
tasks cell count body = parallelTasks (team cell) (\t -> for_ [0 .. count - 1] (task t . body))

taskHalves :: Cell -> Int -> Int -> Int -> IO Word64
taskHalves cell depth0 from0 past0 = parallelTasks (team cell) (\t -> go t depth0 from0 past0)
  where
    go :: Team s -> Int -> Int -> Int -> IO Word64
    go _ 0 from past = pure $! workRange from past
    go t depth from past = do
      let middle = (from + past) `div` 2
      result <- newIORef 0
      task t (go t (depth - 1) from middle >>= writeIORef result)
      right <- go t (depth - 1) middle past
      taskwait t
      (+ right) <$> readIORef result

-- | A loop of chunks of one index, which adds one to its thread's own counter and the index to its sum.
chunks :: Schedule -> Cell -> IO Sample
chunks how cell = counted cell $ \n body ->
  parallelFor (team cell) {schedule = Just how} 0 n $ \i -> getThreadNum >>= \thread -> body thread i

-- | The same inside of a region, whose start is not in the time of a chunk of many.
chunksInRegion :: Cell -> IO Sample
chunksInRegion cell = counted cell $ \n body ->
  parallel_ (team cell) $ \t -> do
    thread <- threadNum t
    for t (Dynamic 1) 0 n (body thread)

counted :: Cell -> (Int -> (Int -> Int -> IO ()) -> IO ()) -> IO Sample
counted cell run = do
  counters <- newPrimArray (m * line)
  setPrimArray counters 0 (m * line) (0 :: Int)
  pure . Each 1 $ \n -> do
    (ns, ()) <- timed . run n $ \thread i -> do
      let own = thread * line
      count <- readPrimArray counters own
      writePrimArray counters own (count + 1)
      total <- readPrimArray counters (own + 1)
      writePrimArray counters (own + 1) (total + i)
    counts <- mapM (\k -> readPrimArray counters (k * line)) [0 .. m - 1]
    totals <- mapM (\k -> readPrimArray counters (k * line + 1)) [0 .. m - 1]
    expect "number of indices" (sum counts) n
    expect "sum of the indices" (sum totals) (n * (n - 1) `div` 2)
    setPrimArray counters 0 (m * line) 0
    pure ns
  where
    m = cellThreads cell
{-# INLINE counted #-}

-- | A region of about 4 us of work, checked.
shortRegion :: Cell -> IO (IO ())
shortRegion cell = do
  want <- evaluate (workRange 0 units)
  pure (reduce AnyOrder cell (cellThreads cell) units workRange (+) >>= \got -> expect "sum" got want)
  where
    units = 200
