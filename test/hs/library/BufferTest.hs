-- | parBuffer of OpenMP.Eval with consumers of all kinds: early and late ones, several at once, ones that stop or
-- are killed, and ones in an element of another buffer. That it is the same list, and exceptions, are in EvalTest.
module BufferTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import Control.Monad.Primitive (RealWorld)
import Data.Primitive.ByteArray (MutableByteArray)
import System.IO.Unsafe (unsafeDupablePerformIO, unsafeInterleaveIO, unsafePerformIO)
import System.Mem (performMajorGC)
import Test.QuickCheck hiding (total)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)

import OpenMP
import OpenMP.Eval

import Generators

tests :: TestTree
tests = testGroup "buffer"
    [ testCase "a consumer that comes early takes part" takesPart
    , testProperty "an element is evaluated once, also for several consumers" eachOnce
    , testProperty "a consumer that is killed leaves a list that goes on" killed
    , testProperty "a consumer that stops: no more elements, no more constructors" stops
    , testProperty "a buffer of buffers" ofBuffers
    , testProperty "elements may need earlier blocks" feedback
    , testCase "settings for the elements' own regions hold" settingsHold
    , testCase "a consumer that has masked exceptions" (maskedConsumer 2)
    , testCase "a consumer that has masked exceptions, in a team of one" (maskedConsumer 1)
    ]

-- | A list whose elements count, without a lock: two threads that evaluate one are two counts.
counting :: MutableByteArray RealWorld -> Int -> [Int]
counting ran n = [ unsafeDupablePerformIO (i <$ count ran i <* spin 1000) | i <- [0 .. n - 1] ]

-- | Two elements of one block, each of which waits for the other one: they are under evaluation at the same time. The
-- consumer collects first, and sparks that nothing else refers to would be lost by that.
takesPart :: Assertion
takesPart = forM_ [1 .. 20 :: Int] $ \_ -> do
    begun <- replicateM 2 newEmptyMVar
    let element i = unsafePerformIO $ do
            performMajorGC
            putMVar (begun !! i) ()
            i <$ readMVar (begun !! (1 - i))
    evaluate (sum (parBuffer two 2 rseq (map element [0, 1]))) >>= (@?= 1)
  where
    two = defaults { numThreads = Just 2, schedule = Just (Dynamic 1) }

eachOnce :: AnySchedule -> TeamOf -> Property
eachOnce sched team = forAll ((,,) <$> choose (0, 60) <*> choose (1, 30) <*> choose (1, 4)) $
    \(n, size, consumers) -> ioProperty $ do
        ran <- counters n
        let list = parBuffer (inSettings sched team) size rseq (counting ran n)
        totals <- replicateM consumers newEmptyMVar
        forM_ totals $ \total -> forkIO (evaluate (sum list) >>= putMVar total)
        got <- mapM takeMVar totals
        times <- counts ran n
        pure (got === replicate consumers (sum [0 .. n - 1]) .&&. times === replicate n 1)

-- | Killed anywhere in it, several times; whoever comes next has the list. No element is begun twice.
killed :: AnySchedule -> TeamOf -> Property
killed sched team = forAll ((,) <$> choose (1, 60) <*> listOf (choose (0, 3000))) $ \(size, moments) ->
    ioProperty $ do
        let n = 200
        ran <- counters n
        let list = parBuffer (inSettings sched team) size rseq (counting ran n)
        forM_ (take 5 moments) $ \moment -> do
            over <- newEmptyMVar
            consumer <- forkFinally (void (evaluate (sum list))) (const (putMVar over ()))
            spin moment
            killThread consumer
            takeMVar over
        total <- evaluate (sum list)
        times <- counts ran n
        pure (total === sum [0 .. n - 1] .&&. times === replicate n 1)

-- | Elements and constructors are counted, when the consumer has stopped and when the rest of the list is gone.
stops :: AnySchedule -> TeamOf -> Property
stops sched team = forAll ((,) <$> choose (1, 20) <*> choose (1, 100)) $ \(size, used) -> ioProperty $ do
    ran <- counters 1
    made <- counters 1
    let from i = unsafeInterleaveIO (count made 0 >> (unsafePerformIO (i <$ count ran 0) :) <$> from (i + 1))
    endless <- from (1 :: Int)
    total <- evaluate (sum (take used (parBuffer (inSettings sched team) size rseq endless)))
    performMajorGC
    threadDelay 100 -- any sparks that are left may run
    evaluated <- sum <$> counts ran 1
    constructors <- sum <$> counts made 1
    pure $ total === sum [1 .. used]
        .&&. counterexample (show evaluated) (evaluated >= used && evaluated < used + 2 * size)
        .&&. counterexample (show constructors) (constructors >= used && constructors < used + 2 * size)

ofBuffers :: AnySchedule -> TeamOf -> TeamOf -> Property
ofBuffers sched outer inner = forAll ((,) <$> choose (0, 30) <*> choose (1, 8)) $ \(n, size) ->
    parBuffer (inSettings sched outer) size (evalTraversable rseq) (map row [1 .. n]) === map plain [1 .. n]
  where
    plain k = map (k *) [1 .. 20]
    row :: Int -> [Int]
    row k = parBuffer (inSettings sched inner) 3 rseq (plain k)

-- | Each element needs one that is at least a block before it, out of the list itself.
feedback :: AnySchedule -> TeamOf -> Property
feedback sched team = forAll ((,) <$> choose (1, 10) <*> choose (0, 5)) $ \(size, more) ->
    let back = size + more
        next before = replicate back 1 ++ map (+ 1) before
        list = parBuffer (inSettings sched team) size rseq (next list) :: [Int]
    in take 100 list === take 100 [ 1 + i `div` back | i <- [0 ..] ]

settingsHold :: Assertion
settingsHold = do
    let inElement i = unsafePerformIO ((,) i <$> getMaxActiveLevels)
        settings = defaults { numThreads = Just 2, maxActiveLevels = Just 3 }
    got <- evaluate (parBuffer settings 4 (evalTraversable rseq) (map inElement [1 .. 20 :: Int]))
    got @?= [ (i, 3) | i <- [1 .. 20] ]

-- | An element blocks, which asynchronous exceptions interrupt even in a masked thread, but not in a region's body.
maskedConsumer :: Int -> Assertion
maskedConsumer threads = do
    go <- newEmptyMVar
    begun <- newEmptyMVar
    result <- newEmptyMVar
    let element i = unsafePerformIO (i <$ (tryPutMVar begun () >> readMVar go))
        list = parBuffer defaults { numThreads = Just threads } 4 rseq (map element [1 .. 8 :: Int])
    consumer <- mask_ (forkIO (try (evaluate (sum list)) >>= \r -> putMVar result (r :: Either AsyncException Int)))
    takeMVar begun
    thrown <- newEmptyMVar
    _ <- forkIO (killThread consumer >> putMVar thrown ())
    yield
    putMVar go ()
    takeMVar result >>= (@?= Right 36)
    takeMVar thrown
