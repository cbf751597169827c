-- | Loops over rectangles.
module RectangleTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import Data.List (sort)
import System.Timeout (timeout)
import Test.QuickCheck
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)

import OpenMP
import OpenMP.Parallel

import Generators

tests :: TestTree
tests = testGroup "rectangle"
    [ testProperty "every pair exactly once" everyPairOnce
    , testProperty "in a region: every pair exactly once" everyPairOnceInTeam
    , testProperty "one thread: row by row" inOrder
    , testProperty "tiles: the rectangle, cut, of the size asked for" tilesAreTheRectangle
    , testCase "chunks of the size asked for, across rows" acrossRows
    , testCase "rectangles with empty sides have no pairs" emptySides
    , testCase "as many pairs as can be counted, and more" manyPairs
    , testCase "tiles without rows or columns are an error" emptyTiles
    , testProperty "an exception comes out" exceptionComesOut
    , testCase "timeout" timeouts
    , testCase "a rectangle inside of a rectangle" nested
    ]

-- | A small range, anywhere.
newtype Side = Side (Int, Int)
    deriving (Show)

instance Arbitrary Side where
    arbitrary = do
        n <- frequency [(1, choose (-2, 0)), (1, pure 1), (6, choose (1, 60))]
        from <- oneof [choose (-100, 100), pure minBound, pure (maxBound - max 0 n)]
        pure (Side (if n < 0 then (0, n) else (from, from + n)))

size :: (Int, Int) -> Int
size (from, past) = if from < past then past - from else 0

-- | Runs the loop, whose body counts pairs, and looks that each was counted once.
eachOnce :: (Int, Int) -> (Int, Int) -> ((Int -> Int -> IO ()) -> IO ()) -> IO Property
eachOnce rows columns loop = do
    let n = size rows * size columns
    a <- counters n
    stray <- R.newIORef (0 :: Int)
    loop $ \r c ->
        let (i, j) = (r - fst rows, c - fst columns)
        in if i >= 0 && i < size rows && j >= 0 && j < size columns
            then count a (size columns * i + j)
            else R.atomicModifyIORef' stray (\k -> (k + 1, ()))
    ran <- counts a n
    strays <- R.readIORef stray
    pure (ran === replicate n 1 .&&. strays === 0)

everyPairOnce :: AnySchedule -> TeamOf -> Side -> Side -> Property
everyPairOnce sched team (Side rows) (Side columns) = ioProperty $
    eachOnce rows columns (parallelFor2 (inSettings sched team) rows columns)

everyPairOnceInTeam :: AnySchedule -> TeamOf -> Side -> Side -> Property
everyPairOnceInTeam (AnySchedule s) (TeamOf n) (Side rows) (Side columns) = ioProperty $
    eachOnce rows columns $ \body ->
        parallel_ defaults { numThreads = Just n } (\team -> for2 team (maybe Static id s) rows columns body)

inOrder :: AnySchedule -> Side -> Side -> Property
inOrder sched (Side rows) (Side columns) = ioProperty $ do
    seen <- R.newIORef []
    parallelFor2 (inSettings sched (TeamOf 1)) rows columns (\r c -> R.modifyIORef seen ((r, c) :))
    got <- reverse <$> R.readIORef seen
    pure (got === [ (fst rows + i, fst columns + j) | i <- [0 .. size rows - 1], j <- [0 .. size columns - 1] ])

tilesAreTheRectangle :: AnySchedule -> TeamOf -> Side -> Side -> Property
tilesAreTheRectangle sched team (Side rows) (Side columns) = forAll ((,) <$> edge <*> edge) $ \(h, w) -> ioProperty $ do
    seen <- R.newIORef []
    parallelForTiles (inSettings sched team) (h, w) rows columns $ \r c ->
        R.atomicModifyIORef' seen (\l -> ((shift rows r, shift columns c) : l, ()))
    got <- R.readIORef seen
    pure (sort got === [ (r, c) | r <- cut h (size rows), c <- cut w (size columns) ])
  where
    edge = frequency [(4, choose (1, 20)), (1, pure maxBound)]
    shift (from, _) (a, b) = (a - from, b - from)
    cut k n = if n <= 0 then [] else [ (b, if n - b <= k then n else b + k) | b <- takeWhile (< n) (begins k) ]
    begins k = if k > 1000 then [0] else [0, k ..]

-- | Chunks of 4 pairs of rows of 3: the same thread runs each four.
acrossRows :: Assertion
acrossRows = do
    seen <- R.newIORef []
    parallel_ defaults { numThreads = Just 3 } $ \team -> do
        n <- threadNum team
        for2 team (StaticChunks 4) (0, 10) (0, 3) $ \r c ->
            R.atomicModifyIORef' seen (\l -> ((3 * r + c, n) : l, ()))
    got <- sort <$> R.readIORef seen
    got @?= [ (k, k `quot` 4 `rem` 3) | k <- [0 .. 29] ]

emptySides :: Assertion
emptySides = forM_ [((0, 0), (0, 9)), ((0, 9), (5, 5)), ((3, -3), (0, 9)), ((minBound, maxBound), (0, 0))] $
    \(rows, columns) -> do
        parallelFor2 defaults rows columns (\_ _ -> throwIO (Boom 0))
        parallelForTiles defaults (1, 1) rows columns (\_ _ -> throwIO (Boom 1))
        parallel_ defaults (\team -> for2 team Static rows columns (\_ _ -> throwIO (Boom 2)))

manyPairs :: Assertion
manyPairs = do
    r <- try (parallelFor2 dynamic1 (0, 3) (minBound, maxBound) (\i j -> throwIO (Pair i j)))
    either (\(ErrorCall text) -> text @?= tooMany) (const (assertFailure "no error")) r
    forM_ [(minBound, maxBound), (minBound, 0)] $ \columns -> do
        first <- try (parallelFor2 dynamic1 (7, 8) columns (\i j -> throwIO (Pair i j)))
        either (\(Pair i _) -> i @?= 7) (const (assertFailure "no exception")) first
    let tile = 2 ^ (62 :: Int)
    seen <- R.newIORef (0 :: Integer)
    parallelForTiles defaults (tile, tile) (minBound, maxBound) (minBound, maxBound) $ \(a, b) (c, d) ->
        R.atomicModifyIORef' seen (\t -> (t + (toInteger b - toInteger a) * (toInteger d - toInteger c), ()))
    R.readIORef seen >>= (@?= (2 ^ (64 :: Int) - 1) ^ (2 :: Int))
  where
    dynamic1 = defaults { schedule = Just (Dynamic 1), numThreads = Just 2 }
    tooMany = "OpenMP.Parallel.parallelFor2: 3 times 18446744073709551615 iterations: a loop has at most "
        ++ "18446744073709551615"

data Pair = Pair Int Int
    deriving (Show)

instance Exception Pair

newtype Boom = Boom Int
    deriving (Eq, Show)

instance Exception Boom

emptyTiles :: Assertion
emptyTiles = forM_ [(0, 1), (1, 0), (-4, 4)] $ \(h, w) -> do
    r <- try (parallelForTiles defaults (h, w) (0, 0) (0, 0) (\_ _ -> pure ()))
    r @?= Left (ErrorCall ("OpenMP.Parallel.parallelForTiles: tiles of " ++ show h ++ " by " ++ show w
        ++ ": a tile has at least 1 row and 1 column"))

exceptionComesOut :: AnySchedule -> TeamOf -> Property
exceptionComesOut sched team = forAll (choose (0, 299)) $ \at -> ioProperty $ do
    a <- counters 300
    r <- try $ parallelFor2 (inSettings sched team) (0, 15) (0, 20) $ \i j ->
        let k = 20 * i + j in if k == at then throwIO (Boom k) else count a k
    ran <- counts a 300
    pure (r === Left (Boom at) .&&. all (<= 1) ran .&&. ran !! at === 0)

timeouts :: Assertion
timeouts = forM_ [(1, Nothing), (2, Nothing), (2, Just 1)] $ \(n, levels) -> do
    let s = defaults { numThreads = Just n, maxActiveLevels = levels }
    held <- newEmptyMVar
    timeout 30000 (parallelFor2 s (0, 10) (0, 10) (\_ _ -> takeMVar held)) >>= (@?= Nothing)
    timeout 30000 (parallelForTiles s (2, 2) (0, 10) (0, 10) (\_ _ -> takeMVar held)) >>= (@?= Nothing)
    putMVar held ()

nested :: Assertion
nested = do
    a <- counters 10000
    let s = defaults { numThreads = Just 2, maxActiveLevels = Just 2 }
    parallelForTiles s (30, 30) (0, 100) (0, 100) $ \rows columns ->
        parallelFor2 s rows columns (\r c -> count a (100 * r + c))
    counts a 10000 >>= (@?= replicate 10000 1)
