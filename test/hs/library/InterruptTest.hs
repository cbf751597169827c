{-# LANGUAGE LinearTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
-- | Asynchronous exceptions, lazy values and threads that are blocked for ever, in the regions of OpenMP.Parallel.
module InterruptTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import Data.List (isInfixOf)
import Data.Monoid (Sum (..))
import qualified Data.Vector.Storable as V
import GHC.Conc (BlockReason (..), ThreadStatus (..), threadStatus)
import System.IO.Unsafe (unsafePerformIO)
import System.Mem (performMajorGC)
import Test.QuickCheck
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)

import qualified Data.Array.Linear as L
import qualified Data.Array.Linear.Parallel as LP
import OpenMP.Parallel
import OpenMP.Settings

import Gate (until_)
import Generators

tests :: TestTree
tests = testGroup "interruption"
    [ testGroup "a lazy value that was interrupted is evaluated later"
        [ testProperty "a reduction in index order" (lazyReduce IndexOrder)
        , testProperty "a reduction in any order" (lazyReduce AnyOrder)
        , testProperty "a reduction of many short chunks, which members take several at a time" lazyBatches
        , testProperty "a loop inside of a loop" lazyNested
        , testProperty "sections" lazySections
        , testProperty "a linear array worked on by a team" lazyLinear
        , testCase "each of them, when its first body waits" lazyWaiting
        , testCase "by another thread, while callers wait for their turn" lazyTurns
        , testCase "not if a body throws the interrupt again" rethrown
        ]
    , testGroup "bodies that run are interrupted"
        [ testCase "those that sleep" sleepers
        , testCase "those that wait for ever" waiters
        , testCase "those that wait, after a collection" collectedWaiters
        , testCase "those that do not allocate" busyBodies
        , testCase "those of tasks" taskBodies
        , testCase "those of tasks that run where they are made" includedBodies
        , testCase "those of tasks that run at the region's end" lateTaskBodies
        , testCase "in a loop inside of a region" innerLoop
        , testCase "what a body has acquired is released once" released
        , testCase "not those of a masked caller" maskedBodies
        ]
    , testCase "a loop goes on when the exception was withdrawn" withdrawn
    , testCase "two exceptions for a thread in withSettings" twoExceptions
    , testGroup "threads that are blocked for ever"
        [ testCase "in a loop" (blocked (\m -> parallelFor dynamic1 0 3 (\_ -> takeMVar m)))
        , testCase "in a region" (blocked (\m -> parallel_ two (\_ -> takeMVar m)))
        , testCase "in one member, the other at a barrier" oneBlocked
        , testCase "in a task that runs where it is made"
            (forM_ included (\region -> blocked (region . takeMVar)))
        , testCase "in a task that runs at the region's end"
            (blocked (\m -> parallel_ two (\team -> task team (takeMVar m))))
        ]
    , testGroup "a barrier that a member does not come to is an error"
        [ testCase "when it is reached first" (deserted (\i -> threadDelay (20000 * i)))
        , testCase "when the other has left already" (deserted (\i -> threadDelay (20000 * (1 - i))))
        , testCase "of a worksharing construct" desertedSingle
        ]
    ]

two, dynamic1, inRegion :: Settings
two = defaults { numThreads = Just 2 }
dynamic1 = two { schedule = Just (Dynamic 1) }
inRegion = two { maxActiveLevels = Just 1 } -- settings for the bodies' own regions always open a region

-- | The value, and that each of so many bodies has run once.
resumed :: (Eq a, Show a) => Int -> Int -> a -> a -> R.IORef (Maybe (IO [Int])) -> IO Property
resumed n micros value wanted ran = do
    (v, times) <- evaluateInParts micros value
    later <- evaluate value
    counted <- R.readIORef ran >>= maybe (pure []) id
    pure $ classify (times > 0) "interrupted" $
        v === wanted .&&. later === wanted .&&. counted === replicate n 1

lazyReduce :: Order -> AnySchedule -> TeamOf -> Property
lazyReduce order sched team = forAll (choose (100, 4000)) $ \micros -> ioProperty $ do
    let n = 600
    a <- counters n
    ran <- R.newIORef (Just (counts a n))
    let value = getSum (unsafePerformIO (parallelReduce (inSettings sched team) order 0 n body))
        body i = count a i >> spin 2000 >> pure (Sum i)
    resumed n micros value (sum [0 .. n - 1]) ran

lazyBatches :: TeamOf -> Property
lazyBatches (TeamOf t) = forAll (choose (50, 2000)) $ \micros -> ioProperty $ do
    let n = 20000
    a <- counters n
    ran <- R.newIORef (Just (counts a n))
    let value = getSum (unsafePerformIO (parallelReduce dynamic1 { numThreads = Just t } AnyOrder 0 n body))
        body i = count a i >> pure (Sum i)
    resumed n micros value (sum [0 .. n - 1]) ran

lazyNested :: TeamOf -> TeamOf -> Property
lazyNested outer inner = forAll (choose (100, 4000)) $ \micros -> ioProperty $ do
    let n = 20
        by (TeamOf t) = dynamic1 { numThreads = Just t, maxActiveLevels = Just 2 }
    a <- counters (n * n)
    ran <- R.newIORef (Just (counts a (n * n)))
    let value = getSum (unsafePerformIO (parallelReduce (by outer) IndexOrder 0 n row))
        row i = parallelReduce (by inner) AnyOrder 0 n (\j -> count a (n * i + j) >> spin 2000 >> pure (Sum 1))
    resumed (n * n) micros value (n * n) ran

lazySections :: TeamOf -> Property
lazySections (TeamOf t) = forAll (choose (100, 4000)) $ \micros -> ioProperty $ do
    let n = 100
    a <- counters n
    ran <- R.newIORef (Just (counts a n))
    let value = unsafePerformIO (parallelSections defaults { numThreads = Just t } (map section [0 .. n - 1]))
        section i = count a i >> spin 10000 >> pure i
    resumed n micros value [0 .. n - 1] ran

-- | A chunk that ran twice would add twice.
lazyLinear :: TeamOf -> Property
lazyLinear (TeamOf t) = forAll (choose (100, 4000)) $ \micros -> ioProperty $ do
    let n = 2000
        workers = LP.Team defaults { numThreads = Just t }
        value = L.unur (L.generate n id (\s -> L.freeze (LP.parChunks workers 20 slow s)))
        slow :: Int -> L.Slice q Int %1 -> L.Slice q Int
        slow _ s = L.map later s
        later x = length (filter (> x) [1 .. x + 1000]) + x - 999
    none <- R.newIORef Nothing
    resumed 0 micros (V.toList value) [1 .. n] none

-- | These values are interrupted in any case, and those above at any moment.
lazyWaiting :: Assertion
lazyWaiting = forM_ [1, 2, 5] $ \t -> do
    let s = dynamic1 { numThreads = Just t }
        nested = s { maxActiveLevels = Just 2 }
        n = 30
        reduced :: Settings -> Order -> Int -> (Int -> IO Int) -> IO Int
        reduced by order size body = getSum <$> parallelReduce by order 0 size (fmap Sum . body)
    forM_
        [ \body -> reduced s IndexOrder n body
        , \body -> reduced s AnyOrder n body
        , \body -> reduced s { schedule = Nothing } AnyOrder n body
        , \body -> reduced nested IndexOrder 5 (\i -> reduced nested AnyOrder 6 (\j -> body (6 * i + j)))
        , \body -> sum <$> parallelSections s (map body [0 .. n - 1])
        ] $ \region -> do
            (wait, evaluated) <- interruption (toException ThreadKilled)
            a <- counters n
            evaluated (unsafePerformIO (region (\i -> i <$ count a i <* when (i == 0) wait))) >>= (@?= sum [0 .. n - 1])
            counts a n >>= (@?= replicate n 1)
    (wait, evaluated) <- interruption (toException ThreadKilled)
    let workers = LP.Team defaults { numThreads = Just t }
        slow :: Int -> L.Slice q Int %1 -> L.Slice q Int
        slow _ slice = L.map later slice
        later x = unsafePerformIO (x + 1 <$ when (x == 0) wait)
    v <- evaluated (L.unur (L.generate n id (\array -> L.freeze (LP.parChunks workers 3 slow array))))
    V.toList v @?= [1 .. n]

-- | More callers than may run at a time; all are interrupted, some of them in the queue.
lazyTurns :: Assertion
lazyTurns = do
    a <- counters 1000
    let values = [ getSum (unsafePerformIO (parallelReduce inRegion IndexOrder 0 20 (body k))) | k <- [0 .. 49] ]
        body k i = count a (20 * k + i) >> spin 5000 >> pure (Sum i)
    done <- forM values $ \v -> do
        box <- newEmptyMVar
        _ <- forkIO (try (evaluateInParts 500 v) >>= putMVar box)
        pure box
    forM_ done $ takeMVar >=> either (\(e :: SomeException) -> throwIO e) (\(v, _) -> v @?= 190)
    counts a 1000 >>= (@?= replicate 1000 1)

-- | As without threads: a handler that throws the exception again makes it the value's outcome. It is not lost.
rethrown :: Assertion
rethrown = do
    begun <- newEmptyMVar
    let value = getSum (unsafePerformIO (parallelReduce inRegion IndexOrder 0 4 body))
        body i = (putMVar begun () >> threadDelay 100000000 >> pure (Sum i)) `catch` \e -> throwIO (e :: SomeException)
    result <- newEmptyMVar
    t <- mask_ $ forkIOWithUnmask $ \unmask -> try (unmask (evaluate value)) >>= putMVar result
    takeMVar begun
    killThread t
    takeMVar result >>= (@?= "Left thread killed") . shown
    try (evaluate value) >>= (\s -> assertBool s ("RegionInterrupted" `isInfixOf` s)) . shown
  where
    shown :: Either SomeException Int -> String
    shown = show

sleepers, waiters, collectedWaiters, busyBodies, taskBodies, includedBodies, lateTaskBodies, innerLoop :: Assertion
sleepers = forM_ [defaults { numThreads = Just 3 }, two, inRegion] $ \s ->
    endsEarly (parallelFor s 0 maxBound (\_ -> threadDelay 10000))
waiters = do
    m <- newEmptyMVar
    endsEarly (parallel_ two (\_ -> takeMVar m))
    endsEarly (parallelFor inRegion 0 4 (\_ -> takeMVar m))
    endsEarly (parallelSections two [takeMVar m, takeMVar m])
    putMVar m ()
collectedWaiters = do
    m <- newEmptyMVar
    let act = threadDelay 20000 >> performMajorGC
    _ <- forkIO act
    endsEarly (parallel_ two (\_ -> takeMVar m))
    _ <- forkIO act
    endsEarly (parallelFor inRegion 0 4 (\_ -> takeMVar m))
    putMVar m ()
busyBodies = do
    v <- R.newIORef (0 :: Int)
    forM_ [defaults { numThreads = Just 1 }, two] $ \s -> endsEarly (parallelFor s 0 maxBound (R.writeIORef v))
taskBodies = do
    m <- newEmptyMVar
    endsEarly (parallelTasks two (\team -> forM_ [1 :: Int .. 4] (\_ -> task team (takeMVar m))))
    endsEarly (parallelTasks two (\team -> task team (takeMVar m) >> taskwait team))
    putMVar m ()
includedBodies = do
    m <- newEmptyMVar
    forM_ included $ \region -> endsEarly (region (takeMVar m))
    putMVar m ()
lateTaskBodies = do
    m <- newEmptyMVar
    endsEarly (parallel_ two (\team -> task team (takeMVar m)))
    putMVar m ()
innerLoop = do
    m <- newEmptyMVar
    let nested = two { maxActiveLevels = Just 2 }
    endsEarly (parallel_ nested (\_ -> parallelFor nested 0 4 (\_ -> takeMVar m)))
    putMVar m ()

-- | Regions with a task that its thread runs before it goes on.
included :: [IO () -> IO ()]
included =
    [ \act -> parallelTasks one (\team -> taskWith team taskDefaults act)
    , \act -> parallelTasks one (\team -> newDep >>= \d -> taskWith team taskDefaults { depends = [Out d] } act)
    , \act -> parallelTasks one (\team -> spawnWith team finalTask act >>= await team)
    , \act -> parallelTasks two (\team -> taskWith team atOnce act)
    , \act -> parallelTasks two (\team -> spawnWith team atOnce { final = True } act >>= await team)
    , \act -> parallelTasks two (\team -> taskWith team atOnce { final = True } (taskWith team finalTask act))
    ]
  where
    one = defaults { numThreads = Just 1 }
    atOnce = taskDefaults { deferred = False }
    finalTask = taskDefaults { final = True }

released :: Assertion
released = do
    held <- R.newIORef (0 :: Int)
    times <- R.newIORef (0 :: Int)
    let add r k = R.atomicModifyIORef' r (\x -> (x + k, ()))
    endsEarly $ parallelFor inRegion 0 maxBound $ \_ ->
        bracket_ (add held 1) (add held (-1) >> add times 1) (threadDelay 10000)
    R.readIORef held >>= (@?= 0)
    n <- R.readIORef times
    assertBool (show n) (n > 0)
    -- Nothing is left that interrupts the next region.
    replicateM_ 20 (parallel two threadNum >>= (@?= [0, 1]))

maskedBodies :: Assertion
maskedBodies = do
    done <- R.newIORef (0 :: Int)
    begun <- newEmptyMVar
    result <- newEmptyMVar
    t <- mask_ $ forkIO $ do
        parallelFor two 0 10 (\_ -> tryPutMVar begun () >> spin 100000 >> R.atomicModifyIORef' done (\k -> (k + 1, ())))
        R.readIORef done >>= putMVar result
    takeMVar begun
    killed <- newEmptyMVar
    _ <- forkIO (killThread t >> putMVar killed ())
    takeMVar result >>= (@?= 10)
    takeMVar killed

-- | The thread that throws is itself killed while it waits for the region to end.
withdrawn :: Assertion
withdrawn = forM_ [Nothing, Just Static, Just (Dynamic 1), Just (Guided 3)] $ \s -> do
    inside <- newEmptyMVar
    go <- newEmptyMVar
    result <- newEmptyMVar
    a <- counters 1000
    t <- forkIO $ do
        r <- try $ parallelFor inRegion { schedule = s } 0 1000 $ \i -> do
            count a i
            when (i == 0) (uninterruptibleMask_ (putMVar inside () >> takeMVar go))
        putMVar result (either (\e -> show (e :: SomeException)) show r)
    takeMVar inside
    thrower <- forkIO (throwTo t (userError "withdrawn"))
    until_ "the thread that throws waits" ((== ThreadBlocked BlockedOnException) <$> threadStatus thrower)
    threadDelay 20000 -- here the other member mostly sees the exception; the result is the same if it does not
    killThread thrower
    putMVar go ()
    takeMVar result >>= (@?= "()")
    counts a 1000 >>= (@?= replicate 1000 1)

-- | The second comes when the first is about to leave the action: it is received after the first, and not instead.
twoExceptions :: Assertion
twoExceptions = do
    inside <- newEmptyMVar
    never <- newEmptyMVar
    go <- newEmptyMVar
    result <- newEmptyMVar
    let action = (putMVar inside () >> takeMVar never) `catch` \e ->
            uninterruptibleMask_ (takeMVar go) >> throwIO (e :: SomeException)
        text = either (\e -> show (e :: SomeException)) show
    t <- mask_ $ forkIOWithUnmask $ \unmask -> do
        first <- try (unmask (withSettings two action))
        second <- try (unmask yield)
        putMVar result [text first, text second]
    takeMVar inside
    throwTo t (userError "first")
    throwTo t (userError "second")
    putMVar go ()
    takeMVar result >>= (@?= ["user error (first)", "user error (second)"])
    putMVar never ()

-- | In a bound thread and in one that is not; nothing outside of the region refers to the MVar.
blocked :: (MVar () -> IO ()) -> Assertion
blocked region = forM_ [forkIO, forkOS] $ \fork -> do
    result <- newEmptyMVar
    _ <- fork (try (newEmptyMVar >>= region) >>= putMVar result)
    r <- takeMVar result
    either (\BlockedIndefinitelyOnMVar -> "blocked") show r @?= "blocked"

oneBlocked :: Assertion
oneBlocked = blocked $ \m -> parallel_ two $ \team -> do
    i <- threadNum team
    when (i == 0) (takeMVar m)
    barrier team

deserted :: (Int -> IO ()) -> Assertion
deserted before = do
    r <- try (parallel_ two (\team -> threadNum team >>= \i -> before i >> when (i == 0) (barrier team)))
    saysBarrier r

desertedSingle :: Assertion
desertedSingle = do
    r <- try $ parallel_ two $ \team -> do
        barrier team
        i <- threadNum team
        when (i == 0) (void (single team (pure 'x')))
    saysBarrier r

saysBarrier :: Either ErrorCall () -> Assertion
saysBarrier r = case r of
    Left (ErrorCall text) -> assertBool text ("has left the region's body" `isInfixOf` text)
    Right ()              -> assertFailure "no error"
