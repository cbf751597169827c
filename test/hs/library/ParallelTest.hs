-- | Loops and reductions with Haskell bodies: the combined constructs of OpenMP.Parallel.
module ParallelTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import Data.List (sort)
import Data.Monoid (Sum (..))
import Foreign.C.Types (CBool (..), CInt (..))
import Foreign.Marshal.Alloc (alloca)
import Foreign.Ptr (Ptr)
import Foreign.Storable (poke)
import System.Mem (performGC, performMinorGC)
import System.Timeout (timeout)
import Test.QuickCheck
import Test.Tasty hiding (after)
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)

import OpenMP
import OpenMP.Parallel

import Generators
import Timing (timing)

-- Unsafe on purpose: it keeps its Capability until the first word is not 0, or for that many milliseconds, and reports
-- in the second word that it runs. 1: it was released in time.
foreign import ccall unsafe "idle_collections" idleCollections :: CBool -> IO CBool
foreign import ccall safe "function_await" await_ :: Ptr CInt -> IO ()
foreign import ccall unsafe "function_occupy" occupy :: Ptr CInt -> Ptr CInt -> CInt -> IO CInt

tests :: TestTree
tests = testGroup "parallel"
    [ testGroup "loops"
        [ testProperty "every index exactly once" everyIndexOnce
        , testProperty "chunks are the range, cut; of the size asked for" chunksAreTheRange
        , testCase "a range of all Ints" allInts
        , testProperty "sections: results in the order of the list" sectionsInOrder
        , testCase "a loop inside of a loop" nestedLoops
        ]
    , testGroup "reductions"
        [ testProperty "in index order: mconcat" reduceIsMconcat
        , testProperty "in any order, a commutative monoid: mconcat" reduceAnyIsMconcat
        , testProperty "in index order: the same bits for any team" reduceReproduces
        , testProperty "in index order: the same bits when others take over from the caller" takenOver
        , testProperty "in any order, after a short beginning: mconcat" anyTakenOver
        , testCase "in index order: the values of few parts are kept" keepsFew
        ]
    , testGroup "exceptions"
        [ testProperty "one of a body comes out, and nothing runs after it" exceptionComesOut
        , testProperty "killed at any moment: nothing runs afterwards, the next loop works" killedAnywhere
        , testCase "timeout of a loop that does not allocate" timeoutWithoutAllocation
        , testCase "a masked caller is not interrupted" (maskedCaller 2)
        , testCase "nor is that of a team of one" (maskedCaller 1)
        , testCase "a body blocked for ever on an MVar" blockedForEver
        ]
    , testCase "a busy Capability is not waited for" busyCapability
    , testGroup "begun in the caller"
        [ testProperty "after a short beginning: every index exactly once" shortBeginning
        , testProperty "after a short beginning: chunks of the size asked for" shortBeginningChunks
        , testGroup "are regions where that helps" $ timing
            [ testCase "short loops of many iterations are no regions" shortLoops
            , testCase "loops that get long become regions" getsLong
            , testCase "loops of few iterations are regions at once" fewIterations
            ]
        ]
    , testCase "the collector, in all bodies at once" collections
    , testGroup "beside Haskell threads"
        [ withResource startBursts id $ \_ -> testGroup "that come and go"
            [ testProperty "every index exactly once" everyIndexOnce
            , testProperty "chunks are the range, cut; of the size asked for" chunksAreTheRange
            , testProperty "of some milliseconds: every index exactly once" everyIndexOnceSlowly
            , testProperty "reductions in index order: mconcat" reduceIsMconcat
            , testProperty "reductions in any order: mconcat" reduceAnyIsMconcat
            , testProperty "the same bits for any team" reduceReproduces
            , testProperty "an exception comes out" exceptionComesOut
            , testProperty "killed at any moment" killedAnywhere
            ]
        , testCase "an exact team is exact" exactBesideBusy
        , testGroup "who helps" $ timing
            [ testCase "loops that nobody can help with run in their caller" withoutHelpers
            , testCase "a loop gets help when a Capability becomes idle" helpedLater
            ]
        ]
    ]

everyIndexOnce :: AnySchedule -> TeamOf -> Range -> Property
everyIndexOnce sched team (Range from past) = ioProperty $ do
    let n = max 0 (past - from)
    a <- counters n
    parallelFor (inSettings sched team) from past (\i -> count a (i - from))
    (=== replicate n 1) <$> counts a n

chunksAreTheRange :: AnySchedule -> TeamOf -> Range -> Property
chunksAreTheRange sched@(AnySchedule s) team (Range from past) = ioProperty $ do
    seen <- R.newIORef []
    parallelForChunks (inSettings sched team) from past $ \b e -> R.atomicModifyIORef' seen (\l -> ((b, e) : l, ()))
    cs <- sort . map (\(b, e) -> (b - from, e - from)) <$> R.readIORef seen
    let ends = map snd cs
        sizes = [ e - b | (b, e) <- cs ]
    pure $ conjoin
        [ map fst cs === take (length cs) (0 : ends)
        , (if null cs then 0 else last ends) === max 0 (past - from)
        , counterexample (show sizes) $ case s of
            Just (Dynamic c)      -> all (== c) (dropLast sizes) .&&. all (<= c) sizes
            Just (StaticChunks c) -> all (== c) (dropLast sizes) .&&. all (<= c) sizes
            Just (Guided c)       -> property (all (>= c) (dropLast sizes))
            _                     -> property (all (> 0) sizes)
        ]
  where
    dropLast l = if null l then [] else init l

allInts :: Assertion
allInts = forM_ [Just Static, Just (Dynamic (2 ^ (61 :: Int))), Just (Guided (2 ^ (60 :: Int)))] $ \s -> do
    wide <- R.newIORef (0 :: Integer)
    parallelForChunks defaults { numThreads = Just 3, schedule = s } minBound maxBound $ \b e ->
        R.atomicModifyIORef' wide (\t -> (t + toInteger e - toInteger b, ()))
    R.readIORef wide >>= (@?= 2 ^ (64 :: Int) - 1)

sectionsInOrder :: TeamOf -> [Int] -> Property
sectionsInOrder (TeamOf n) xs = ioProperty $
    (=== xs) <$> parallelSections defaults { numThreads = Just n } [ yield >> pure x | x <- xs ]

nestedLoops :: Assertion
nestedLoops = do
    a <- counters 400
    let two = defaults { numThreads = Just 2, maxActiveLevels = Just 2 }
    parallelFor two 0 20 $ \i -> parallelFor two 0 20 $ \j -> count a (20 * i + j)
    counts a 400 >>= (@?= replicate 400 1)

indices :: Int -> Int -> [Int]
indices from past = if from < past then [from .. past - 1] else []

reduceIsMconcat :: AnySchedule -> TeamOf -> Range -> Property
reduceIsMconcat sched team (Range from past) = ioProperty $
    (=== indices from past) <$> parallelReduce (inSettings sched team) IndexOrder from past (\i -> pure [i])

reduceAnyIsMconcat :: AnySchedule -> TeamOf -> Range -> Property
reduceAnyIsMconcat sched team (Range from past) = ioProperty $
    (=== sum (indices from past)) . getSum <$> parallelReduce (inSettings sched team) AnyOrder from past (pure . Sum)

reduceReproduces :: AnySchedule -> TeamOf -> Property
reduceReproduces sched team = ioProperty $ do
    let sumOf t = getSum <$>
            parallelReduce (inSettings sched t) IndexOrder 1 2000 (\i -> pure (Sum (1 / fromIntegral i)))
    one <- sumOf (TeamOf 1)
    many <- sumOf team
    pure ((many :: Double) === one)

-- | The caller begins alone, and the rest becomes a region at an iteration that differs, in a part or between two.
takenOver :: AnySchedule -> TeamOf -> NonNegative Int -> Property
takenOver sched team (NonNegative from) = ioProperty $ do
    let sumOf t slow = getSum <$> parallelReduce (inSettings sched t) IndexOrder 1 1500 (\i -> do
            when (slow && i >= from) (spin 100)
            pure (Sum (1 / fromIntegral i)))
    one <- sumOf (TeamOf 1) False
    many <- sumOf team True
    pure ((many :: Double) === one)

anyTakenOver :: AnySchedule -> TeamOf -> NonNegative Int -> Property
anyTakenOver sched team (NonNegative from) = ioProperty $
    (=== Sum 1124250) <$> parallelReduce (inSettings sched team) AnyOrder 1 1500 (\i ->
        Sum i <$ when (i >= from) (spin 100))

-- | How values were combined: how many were added to the leftmost one, from the right, one after the other. Those of
-- the first part are among them.
newtype Spine = Spine Int

instance Semigroup Spine where
    Spine a <> _ = Spine (a + 1)

instance Monoid Spine where
    mempty = Spine 0

keepsFew :: Assertion
keepsFew = forM_ [Nothing, Just (Dynamic 1), Just (Guided 3), Just (StaticChunks 1000)] $ \s -> do
    Spine n <- parallelReduce defaults { schedule = s } IndexOrder 0 1000000 (\_ -> pure (Spine 0))
    assertBool (show (s, n)) (n < 10000)

newtype Boom = Boom Int
    deriving (Eq, Show)

instance Exception Boom

exceptionComesOut :: AnySchedule -> TeamOf -> Positive Int -> Property
exceptionComesOut sched team (Positive at) = ioProperty $ do
    let n = 300
        i0 = at `mod` n
    a <- counters n
    over <- R.newIORef False
    r <- try $ parallelFor (inSettings sched team) 0 n $ \i -> do
        R.readIORef over >>= \o -> when o (throwIO (Boom (-1)))
        when (i == i0) (throwIO (Boom i))
        count a i
    R.writeIORef over True
    ran <- counts a n
    pure $ r === Left (Boom i0) .&&. all (<= 1) ran .&&. ran !! i0 === 0

-- | A loop of some milliseconds, killed after a time between none and more than that.
killedAnywhere :: AnySchedule -> TeamOf -> Property
killedAnywhere sched team = forAll (choose (0, 3000)) $ \micros -> ioProperty $ do
    running <- R.newIORef (0 :: Int)
    result <- newEmptyMVar
    t <- mask_ $ forkIOWithUnmask $ \unmask -> do
        r <- try $ unmask $ parallelFor (inSettings sched team) 0 3000 $ \_ -> bracket_
            (R.atomicModifyIORef' running (\k -> (k + 1, ())))
            (R.atomicModifyIORef' running (\k -> (k - 1, ())))
            (spin 200)
        inside <- R.readIORef running
        putMVar result (r, inside)
    threadDelay micros
    killThread t
    (r, inside) <- takeMVar result
    n <- counters 10
    parallelFor (inSettings sched team) 0 10 (count n)
    later <- counts n 10
    pure $ inside === 0 .&&. later === replicate 10 1 .&&. case r of
        Left ThreadKilled -> property True
        Left e            -> counterexample (show e) False
        Right ()          -> property True

timeoutWithoutAllocation :: Assertion
timeoutWithoutAllocation = forM_ [1, 2, 4] $ \n -> do
    r <- timeout 50000 $
        parallelForChunks defaults { numThreads = Just n, schedule = Just (Dynamic 1) } 0 maxBound $ \_ _ ->
        pure ()
    r @?= Nothing

everyIndexOnceSlowly :: AnySchedule -> TeamOf -> Property
everyIndexOnceSlowly sched team = ioProperty $ do
    a <- counters 3000
    parallelFor (inSettings sched team) 0 3000 (\i -> spin 500 >> count a i)
    (=== replicate 3000 1) <$> counts a 3000

maskedCaller :: Int -> Assertion
maskedCaller threads = do
    a <- counters 200
    inside <- newEmptyMVar
    go <- newEmptyMVar
    result <- newEmptyMVar
    t <- mask_ $ forkIO $ do
        parallelFor defaults { numThreads = Just threads, schedule = Just (Dynamic 1) } 0 200 $ \i -> do
            when (i == 0) (putMVar inside () >> takeMVar go)
            count a i
        counts a 200 >>= putMVar result
    takeMVar inside
    killed <- newEmptyMVar
    _ <- forkIO (killThread t >> putMVar killed ())
    yield
    putMVar go ()
    takeMVar result >>= (@?= replicate 200 1)
    takeMVar killed

-- | The body may run in the caller, so that is a thread whose ThreadId nothing refers to.
blockedForEver :: Assertion
blockedForEver = do
    result <- newEmptyMVar
    _ <- forkIO $ do
        r <- try $ parallelFor defaults { numThreads = Just 2 } 0 4 $ \i -> when (i == 3) (newEmptyMVar >>= takeMVar)
        putMVar result r
    r <- takeMVar result
    either (\BlockedIndefinitelyOnMVar -> True) (const False) r @? "no exception"

-- | Capability 1 is busy, and will not be free before the test is over: a region that waited for it would not end, nor
-- would a caller that is there itself.
-- No collection may come meanwhile, which would wait for the occupied Capability: not the RTS's own one, when a loaded
-- machine has left the program idle for a third of a second, and none because a nursery is full. So they are emptied,
-- and nobody allocates until Capability 1 is busy, which may take long, too.
busyCapability :: Assertion
busyCapability = bracket (idleCollections 0) idleCollections $ \_ -> onCapability 0 $ do
    before <- getNumCapabilities
    setNumCapabilities (max 3 before)
    forM_ [0 :: Int .. 20] $ \_ -> parallel_ defaults { numThreads = Just 3 } barrier -- reveals where they are
    performGC
    done <- newEmptyMVar
    late <- alloca $ \stop -> alloca $ \runs -> do
        poke stop 0
        poke runs 0
        _ <- forkOn 1 (occupy stop runs 60000 >>= putMVar done)
        await_ runs
        forM_ [0 :: Int .. 19] $ \_ -> do
            parallel_ defaults { numThreads = Just 2 } barrier
            parallelFor defaults { numThreads = Just 4, schedule = Just Static } 0 100 (\_ -> pure ())
        poke stop 1
        takeMVar done
    late @?= 1

onCapability :: Int -> IO a -> IO a
onCapability number action = do
    result <- newEmptyMVar
    _ <- forkOn number (try action >>= putMVar result)
    takeMVar result >>= either (throwIO :: SomeException -> IO a) pure

-- | How many regions are opened by so many runs of the action, after a pause in which Capabilities become idle.
regionsOf :: Int -> IO () -> IO Int
regionsOf loops act = do
    threadDelay 5000
    before <- statistics
    replicateM_ loops act
    after <- statistics
    pure (fromIntegral (regions (after `since` before)))

-- | The first loops may meet cold caches, and on a busy machine a short loop may be interrupted: it has some
-- chances.
shortLoops :: Assertion
shortLoops = attempt (50 :: Int)
  where
    attempt left = do
        added <- R.newIORef (0 :: Int)
        opened <- regionsOf 200 $ parallelFor defaults { numThreads = Just 2 } 0 50 $ \i ->
            R.atomicModifyIORef' added (\t -> (t + i, ()))
        sums <- regionsOf 200 $ forM_ [IndexOrder, AnyOrder] $ \order ->
            parallelReduce defaults { numThreads = Just 2 } order 0 50 (pure . Sum) >>= (@?= Sum 1225)
        R.readIORef added >>= (@?= 1225 * 200)
        when (opened >= 100 || sums >= 200) $
            if left > 0 then attempt (left - 1)
            else assertFailure (show opened ++ " regions, and " ++ show sums ++ " of reductions")

-- | Short iterations, then one that another thread must end: the loop is a region by then, or becomes one.
getsLong :: Assertion
getsLong = forM_ [Nothing, Just Static, Just (Dynamic 1), Just (Guided 2)] $ \s -> do
    helped <- R.newIORef False
    parallelFor defaults { numThreads = Just 2, schedule = s } 0 1000000 $ \i -> when (i >= 20) $ do
        enough <- R.readIORef helped
        unless enough $ getThreadNum >>= \n -> if n > 0 then R.writeIORef helped True else spin 500
    R.readIORef helped >>= assertBool ("nobody helped, " ++ show s)

-- | Only where another Capability is idle. Something that keeps it for 40 us hides it for 2 ms, longer than all of
-- these loops take, so they get some hundred chances.
fewIterations :: Assertion
fewIterations = attempt (300 :: Int)
  where
    attempt left = do
        opened <- regionsOf 20 $ parallelFor defaults { numThreads = Just 2 } 0 31 (\_ -> pure ())
        when (opened < 10) $
            if left > 0 then attempt (left - 1) else assertFailure (show opened ++ " regions of the last 20 loops")

-- | The iteration from which on they take longer, and how much longer.
shortBeginning :: AnySchedule -> TeamOf -> Positive Int -> NonNegative Int -> Property
shortBeginning sched team (Positive n0) (NonNegative from0) = ioProperty $ do
    let n = 40 * n0
        from = 7 * from0 `mod` n
    a <- counters n
    parallelFor (inSettings sched team) 0 n (\i -> when (i >= from) (spin 300) >> count a i)
    (=== replicate n 1) <$> counts a n

shortBeginningChunks :: TeamOf -> Positive Int -> NonNegative Int -> Property
shortBeginningChunks team (Positive c) (NonNegative from) = ioProperty $ do
    let n = 200 * c + 1
    seen <- R.newIORef []
    parallelForChunks (inSettings (AnySchedule (Just (Dynamic c))) team) 0 n $ \b e -> do
        when (b >= from * c) (spin 300)
        R.atomicModifyIORef' seen (\l -> ((b, e) : l, ()))
    cs <- sort <$> R.readIORef seen
    pure (cs === [ (b, min n (b + c)) | b <- [0, c .. n - 1] ])

collections :: Assertion
collections = do
    a <- counters 60
    parallelFor defaults { numThreads = Just 4, schedule = Just (Dynamic 1) } 0 60 $ \i -> do
        if even i then performMinorGC else performGC
        count a i
    counts a 60 >>= (@?= replicate 60 1)

-- | A thread for each Capability, which stays there and repeats the action until it is stopped. Returns the action that
-- stops them, once all have begun.
onEachCapability :: IO () -> IO (IO ())
onEachCapability act = do
    _ <- runtime
    n <- max 2 <$> getNumCapabilities
    setNumCapabilities n
    untilTrue ((== VisibilityAware) <$> capabilityVisibility)
    stop <- R.newIORef False
    threads <- forM [0 .. n - 1] $ \i -> do
        begun <- newEmptyMVar
        over <- newEmptyMVar
        let go = R.readIORef stop >>= \s -> unless s (act >> go)
        _ <- forkOn i ((act >> putMVar begun () >> go) `finally` putMVar over ())
        pure (begun, over)
    mapM_ (takeMVar . fst) threads
    pure (R.writeIORef stop True >> mapM_ (readMVar . snd) threads)
  where
    untilTrue look = look >>= \yes -> unless yes (threadDelay 1000 >> untilTrue look)

startBursts :: IO (IO ())
startBursts = onEachCapability (replicateM_ 10 (spin 5000) >> threadDelay 700)

-- | A region would have to wait for the time slices of the other threads. A few regions may be opened: when a thread is
-- woken on another Capability, for example, one looks idle.
withoutHelpers :: Assertion
withoutHelpers = bracket (onEachCapability (spin 5000)) id $ \_ -> attempt (20 :: Int)
  where
    loops = 200 :: Int
    attempt left = do
        sum_ <- R.newIORef (0 :: Int)
        opened <- regionsOf loops $ parallelFor defaults { numThreads = Just 2 } 0 10 $ \i ->
            R.atomicModifyIORef' sum_ (\t -> (t + i, ()))
        R.readIORef sum_ >>= (@?= 45 * loops)
        unless (opened < loops `div` 4) $
            if left > 1 then attempt (left - 1) else assertFailure (show opened ++ " regions")

-- | The threads stop when the loop has begun. Then another thread runs an iteration; until one does, iterations take
-- long.
helpedLater :: Assertion
helpedLater = forM_ [Nothing, Just Static, Just (Dynamic 1), Just (Guided 3)] $ \s ->
    bracket (onEachCapability (spin 5000)) id $ \stop -> do
        stopped <- newEmptyMVar
        helped <- R.newIORef False
        parallelFor defaults { numThreads = Just 2, schedule = s } 0 1000000 $ \i -> do
            when (i == 20) $ void (forkIO (stop >> putMVar stopped ()))
            enough <- R.readIORef helped
            unless enough $ do
                n <- getThreadNum
                if n > 0 then R.writeIORef helped True else spin 500
        takeMVar stopped
        R.readIORef helped >>= assertBool ("nobody helped, " ++ show s)

exactBesideBusy :: Assertion
exactBesideBusy = bracket (onEachCapability (spin 5000)) id $ \_ ->
    parallel defaults { numThreads = Just 3 } threadNum >>= (@?= [0, 1, 2])
