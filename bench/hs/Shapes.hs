{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DeriveTraversable #-}

-- | Whole algorithms instead of loops, by Haskell's own means: k-means, a tiled Cholesky factorisation, a pipeline over
-- a vector, Mandelbrot's set, a tree, and items that two threads hand over. "OursShapes" has the same kernels.
module Shapes
  ( rows
  , clustering
  , Cluster
  , factoring
  , Factor
  , Step (..)
  , staging
  , Pipeline
  , drawing
  , Draw
  , visiting
  , handing
  ) where

import Control.Concurrent (MVar, newEmptyMVar, putMVar, readMVar, takeMVar)
import Control.Exception (evaluate)
import Control.Monad (foldM, forM, forM_, replicateM_)
import Control.Parallel.Strategies (rseq, withStrategy)
import qualified Control.Parallel.Strategies as Strategies
import Data.Foldable (foldl')
import Data.IORef (atomicModifyIORef', newIORef, readIORef)
import qualified Data.Map.Strict as Map
import qualified Data.Vector as B
import qualified Data.Vector.Mutable as BM
import qualified Data.Vector.Unboxed as U
import qualified Data.Vector.Unboxed.Mutable as UM
import Data.Word (Word64)

import Fork (fork, forkBound)
import Measure
import Split (pieces)
import Work

rows :: Rows
rows =
  [ ( "k-means"
    , [ ("alone", clustering allAtOnce)
      , ("forkio", \cell -> clustering (byRanges (cellThreads cell)) cell)
      , ("forkio-all", \cell -> clustering (allRanges (cellThreads cell)) cell)
      ]
    )
  , ("cholesky", [("alone", factoring inTurn), ("forkio", factoring byThreads)])
  , ( "pipeline"
    , [ ("alone", staging aloneStages)
      , ("forkio", \cell -> staging (forkStages callerToo (cellThreads cell)) cell)
      , ("forkio-all", \cell -> staging (forkStages callerWaits (cellThreads cell)) cell)
      ]
    )
  , ( "mandelbrot"
    , [ ("alone", drawing aloneRows)
      , ("forkio", \cell -> drawing (forkRows callerToo (cellThreads cell)) cell)
      , ("forkio-all", \cell -> drawing (forkRows callerWaits (cellThreads cell)) cell)
      ]
    )
  , ("tree", [("alone", visiting id), ("par-traversable", visiting (withStrategy (Strategies.parTraversable rseq)))])
  , ("hand-over", [("forkio", handing (both fork)), ("forkos", handing (both forkBound))])
  ]
  where
    allAtOnce n part _ = part 0 n

-- | A number that the compiler cannot know.
hashed :: Int -> Double
hashed i = fromIntegral ((fromIntegral i * 0x9e3779b97f4a7c15 :: Word64) `div` 0x100000000) / 4294967296

-- | Runs the actions at the same time, in a Haskell thread each: the caller takes the first one, or it only waits, so
-- that its Capability passes the threads on at once ("Split").
callerToo, callerWaits :: [IO ()] -> IO ()
callerToo actions = do
  joins <- mapM fork (drop 1 actions)
  sequence_ (take 1 actions)
  sequence_ joins
callerWaits actions = mapM fork actions >>= sequence_

-- ---- k-means ----

-- | Number of points, the sums of a range's points, how sums combine: the sums of all.
type Cluster = Int -> (Int -> Int -> IO (U.Vector Double)) -> (U.Vector Double -> U.Vector Double -> U.Vector Double) ->
  IO (U.Vector Double)

byRanges :: Int -> Cluster
byRanges threads n part plus = case pieces threads n of
  (from, past) : rest -> do
    joins <- forM rest (fork . uncurry part)
    own <- part from past
    foldM (\sums join -> plus sums <$> join) own joins
  [] -> part 0 n

-- | The caller only waits.
allRanges :: Int -> Cluster
allRanges threads n part plus = do
  joins <- forM (pieces threads n) (fork . uncurry part)
  foldl1 plus <$> sequence joins

-- | A step of k-means on points of the plane: for each centre the sums of x and of y and the number of its points. The
-- time of a point.
clustering :: Cluster -> Cell -> IO Sample
clustering way cell = do
  want <- sumsOf 0 n
  pure . Each n $ \count -> do
    (ns, ()) <- timed . rounds count $ do
      got <- way n sumsOf (U.zipWith (+))
      near "sum of x" (got U.! 0) (want U.! 0)
      near "number of points" (got U.! (3 * k - 1)) (want U.! (3 * k - 1))
    pure ns
  where
    (n, k) = twoSizes cell
    !xs = U.generate n (hashed . (* 2))
    !ys = U.generate n (hashed . (+ 1) . (* 2))
    !centresX = U.generate k (\c -> hashed (7 * c + 3))
    !centresY = U.generate k (\c -> hashed (7 * c + 4))

    sumsOf from past = do
      sums <- UM.replicate (3 * k) 0
      let go !i
            | i >= past = pure ()
            | otherwise = do
                let !x = U.unsafeIndex xs i
                    !y = U.unsafeIndex ys i
                    !c = 3 * nearest x y 1 0 (distance x y 0)
                UM.unsafeModify sums (+ x) c
                UM.unsafeModify sums (+ y) (c + 1)
                UM.unsafeModify sums (+ 1) (c + 2)
                go (i + 1)
      go from
      U.unsafeFreeze sums
    distance x y c = let dx = x - U.unsafeIndex centresX c; dy = y - U.unsafeIndex centresY c in dx * dx + dy * dy
    nearest :: Double -> Double -> Int -> Int -> Double -> Int
    nearest !x !y !c !best !least
      | c >= k = best
      | d < least = nearest x y (c + 1) c d
      | otherwise = nearest x y (c + 1) best least
      where
        d = distance x y c

-- ---- Cholesky ----

-- | A tile's new value: the tile that it writes, those that it reads, and the action.
data Step = Step (Int, Int) [(Int, Int)] (IO ())

-- | The steps of a factorisation, of so many rows of tiles, in a sequential program's order.
type Factor = Int -> [Step] -> IO ()

inTurn, byThreads :: Factor
inTurn _ steps = forM_ steps $ \(Step _ _ act) -> act
-- A Haskell thread for each step, and an MVar that is full when the step is done. Steps that write one tile come one
-- after the other, and a tile is read after its last one.
byThreads _ steps = foldM start Map.empty steps >>= mapM_ readMVar
  where
    start :: Map.Map (Int, Int) (MVar ()) -> Step -> IO (Map.Map (Int, Int) (MVar ()))
    start ended (Step out ins act) = do
      done <- newEmptyMVar
      let before = [ended Map.! tile | tile <- out : ins, Map.member tile ended]
      _ <- fork (mapM_ readMVar before >> act >> putMVar done ())
      pure (Map.insert out done ended)

type Tile = UM.IOVector Double

-- | The time of a factorisation of so many tiles by tiles, of so many rows each.
factoring :: Factor -> Cell -> IO Sample
factoring way cell = do
  tiles <- forM [(i, j) | i <- [0 .. n - 1], j <- [0 .. i]] $ \at -> (,) at <$> UM.new (b * b)
  let stored = Map.fromList tiles
      steps = stepsOf n b (stored Map.!)
      fresh = forM_ tiles $ \((i, j), tile) -> forM_ [0 .. b * b - 1] $ \e ->
        UM.unsafeWrite tile e (entry (i * b + e `div` b) (j * b + e `mod` b))
      corner = UM.read (stored Map.! (n - 1, n - 1)) (b * b - 1)
  fresh >> inTurn n steps
  want <- corner
  pure . Each 1 $ \count -> do
    times <- forM [1 .. count] $ \_ -> do
      fresh
      (ns, ()) <- timed (way n steps)
      corner >>= \got -> expect "last element" got want
      pure ns
    pure (sum times)
  where
    (n, b) = twoSizes cell
    entry r c
      | r == c = fromIntegral (n * b)
      | otherwise = hashed (max r c * n * b + min r c)

-- | The steps for a matrix whose lower tiles are these.
stepsOf :: Int -> Int -> ((Int, Int) -> Tile) -> [Step]
stepsOf n b tile = concat [column k | k <- [0 .. n - 1]]
  where
    column k =
      Step (k, k) [] (diagonal b (tile (k, k)))
        : [Step (i, k) [(k, k)] (below b (tile (k, k)) (tile (i, k))) | i <- [k + 1 .. n - 1]]
        ++ [ Step (i, j) [(i, k), (j, k)] (update b (tile (i, k)) (tile (j, k)) (tile (i, j)))
           | i <- [k + 1 .. n - 1]
           , j <- [k + 1 .. i]
           ]

-- | The product of parts of two rows, of so many elements.
dot :: Tile -> Int -> Tile -> Int -> Int -> IO Double
dot a p c q count = go 0 0
  where
    go :: Int -> Double -> IO Double
    go !t !s
      | t >= count = pure s
      | otherwise = do
          x <- UM.unsafeRead a (p + t)
          y <- UM.unsafeRead c (q + t)
          go (t + 1) (s + x * y)

loop :: Int -> Int -> (Int -> IO ()) -> IO ()
loop from past body = go from
  where
    go !i = if i >= past then pure () else body i >> go (i + 1)
{-# INLINE loop #-}

-- | A diagonal tile's own factorisation.
diagonal :: Int -> Tile -> IO ()
diagonal b a = loop 0 b $ \r -> loop 0 (r + 1) $ \c -> do
  s <- dot a (r * b) a (c * b) c
  x <- UM.unsafeRead a (r * b + c)
  if r == c
    then UM.unsafeWrite a (r * b + c) (sqrt (x - s))
    else UM.unsafeRead a (c * b + c) >>= \d -> UM.unsafeWrite a (r * b + c) ((x - s) / d)

-- | A tile below it.
below :: Int -> Tile -> Tile -> IO ()
below b l a = loop 0 b $ \r -> loop 0 b $ \c -> do
  s <- dot a (r * b) l (c * b) c
  x <- UM.unsafeRead a (r * b + c)
  d <- UM.unsafeRead l (c * b + c)
  UM.unsafeWrite a (r * b + c) ((x - s) / d)

-- | The third tile, less the product of the first and the transposed second.
update :: Int -> Tile -> Tile -> Tile -> IO ()
update b x y a = loop 0 b $ \r -> loop 0 b $ \c -> do
  s <- dot x (r * b) y (c * b) b
  UM.unsafeModify a (subtract s) (r * b + c)

-- ---- a pipeline ----

-- | The stages, and a vector that goes through them.
type Pipeline = [Double -> Double] -> U.Vector Double -> IO (U.Vector Double)

stages :: [Double -> Double]
stages = [\x -> sqrt (x + 1), \x -> x * x - 0.5 * x, \x -> 1 / (1 + x), \x -> sin x]

aloneStages :: Pipeline
aloneStages fs v = pure $! foldl' (flip U.map) v fs

-- | For each stage an action for each range.
forkStages :: ([IO ()] -> IO ()) -> Int -> Pipeline
forkStages together threads fs v0 = foldM stage v0 fs
  where
    stage v f = do
      let n = U.length v
      out <- UM.unsafeNew n
      let part (from, past) = loop from past (\i -> UM.unsafeWrite out i $! f $! U.unsafeIndex v i)
      together (map part (pieces threads n))
      U.unsafeFreeze out

-- | The time of the pipeline for a vector of so many elements.
staging :: Pipeline -> Cell -> IO Sample
staging way cell = do
  want <- U.sum <$> aloneStages stages start
  pure . Each 1 $ \count -> do
    (ns, ()) <- timed . rounds count $ way stages start >>= evaluate >>= \v -> expect "last" (U.last v) lastWanted
    way stages start >>= \v -> near "sum" (U.sum v) want
    pure ns
  where
    !start = U.generate (size cell) hashed
    lastWanted = foldl' (flip ($)) (U.last start) stages

-- ---- Mandelbrot ----

-- | From a number of rows and a row: all rows.
type Draw = Int -> (Int -> U.Vector Int) -> IO (B.Vector (U.Vector Int))

aloneRows :: Draw
aloneRows n f = B.generateM n (\i -> pure $! f i)

-- | Threads that take the next row from a counter.
forkRows :: ([IO ()] -> IO ()) -> Int -> Draw
forkRows together threads n f = do
  next <- newIORef 0
  out <- BM.new n
  let go = do
        i <- atomicModifyIORef' next (\k -> (k + 1, k))
        if i >= n then pure () else (BM.unsafeWrite out i $! f i) >> go
  together (replicate threads go)
  B.unsafeFreeze out

-- | The time of a picture of so many rows by columns.
drawing :: Draw -> Cell -> IO Sample
drawing way cell = do
  want <- total <$> aloneRows n (pixels n columns)
  known <- newIORef n
  pure . Each 1 $ \count -> do
    (ns, ()) <- timed . rounds count $ do
      m <- readIORef known -- so that each operation draws again
      picture <- way m (pixels m columns)
      expect "number of iterations" (total picture) want
    pure ns
  where
    (n, columns) = twoSizes cell
    total = B.foldl' (\s line -> s + U.sum line) 0

-- | A row of the picture: the iterations of each point, 200 at most.
pixels :: Int -> Int -> Int -> U.Vector Int
pixels n columns r = U.generate columns (\c -> escape (x0 c) 0 0 0)
  where
    y0 = 2.4 * fromIntegral r / fromIntegral n - 1.2 :: Double
    x0 c = 3.2 * fromIntegral c / fromIntegral columns - 2.2 :: Double
    escape :: Double -> Double -> Double -> Int -> Int
    escape !cx !x !y !i
      | i >= 200 || x * x + y * y > 4 = i
      | otherwise = escape cx (x * x - y * y + cx) (2 * x * y + y0) (i + 1)

-- ---- a tree ----

data Tree a = Leaf | Node (Tree a) a (Tree a)
  deriving (Functor, Foldable, Traversable)

-- | A tree whose elements are evaluated, then added up by one thread: so many elements, of so many units of work. The
-- time of an element.
visiting :: (Tree Word64 -> Tree Word64) -> Cell -> IO Sample
visiting way cell = do
  known <- newIORef units
  want <- evaluate (sum (map (\i -> workRange i (i + units)) [0 .. n - 1]))
  pure . Each n $ \count -> do
    (ns, ()) <- timed . rounds count $ do
      u <- readIORef known -- so that each operation has elements of its own
      got <- evaluate (foldl' (+) 0 (way (fmap (\i -> workRange i (i + u)) tree)))
      expect "sum" got want
    pure ns
  where
    (n, units) = twoSizes cell
    !tree = balanced 0 n
    balanced :: Int -> Int -> Tree Int
    balanced from past
      | from >= past = Leaf
      | otherwise = let m = (from + past) `div` 2 in Node (balanced from m) m (balanced (m + 1) past)

-- ---- items from one thread to another ----

-- | The two actions at the same time, by two threads.
both :: (IO () -> IO (IO ())) -> IO () -> IO () -> IO ()
both start one other = do
  joinOne <- start one
  joinOther <- start other
  joinOne >> joinOther

-- | Two threads, of which one puts items into an MVar and the other one takes them. The time of an item.
handing :: (IO () -> IO () -> IO ()) -> Cell -> IO Sample
handing way _ = pure . Each items $ \count -> do
  (ns, ()) <- timed . rounds count $ do
    box <- newEmptyMVar
    sums <- newIORef (0 :: Int)
    way (forM_ [1 .. items] (putMVar box)) $
      replicateM_ items (takeMVar box >>= \x -> atomicModifyIORef' sums (\s -> (s + x, ())))
    readIORef sums >>= \got -> expect "sum of the items" got (items * (items + 1) `div` 2)
  pure ns
  where
    items = 2000
