-- | Worksharing loops with a part in the order of the indices.
module OrderedTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import Data.List (isInfixOf, isPrefixOf)
import System.Mem (performMinorGC)
import Test.QuickCheck hiding (total)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)

import OpenMP.Parallel
import OpenMP.Settings

import Generators

tests :: TestTree
tests = testGroup "ordered"
    [ testProperty "the ordered parts in the order of the indices" inIndexOrder
    , testProperty "results, and several or no ordered parts in an iteration" someOrdered
    , testProperty "loops one after the other, ordered and not" several
    , testCase "the rest of the bodies overlaps" overlaps
    , testCase "with collections in between" collections
    , testCase "inside of an ordered part, a loop" loopInside
    , testProperty "an exception in an ordered part comes out, and no later part runs" exceptionInOrder
    , testProperty "an exception before the ordered part comes out" exceptionBefore
    , testCase "an exception of a member that does not come to the loop" exceptionElsewhere
    , testCase "a member that does not come to the loop is an error" desertedLoop
    , testCase "a task, and a thread that a body forked, are errors" misused
    , testCase "so are another member, and the same one after the loop and in another one" elsewhere
    , testCase "cancel" cancelled
    , testCase "timeout while members wait for their turn" timeouts
    ]

scheduleOf :: AnySchedule -> Schedule
scheduleOf (AnySchedule s) = maybe Static id s

size :: Range -> Int
size (Range from past) = if from < past then past - from else 0

inIndexOrder :: AnySchedule -> TeamOf -> Range -> Property
inIndexOrder sched t r@(Range from past) = ioProperty $ do
    seen <- R.newIORef []
    a <- counters (size r)
    parallel_ (inTeam t) $ \m -> forOrdered m (scheduleOf sched) from past $ \inOrder i -> do
        count a (i - from)
        inOrder (R.modifyIORef seen (i :)) -- not atomic
    got <- reverse <$> R.readIORef seen
    ran <- counts a (size r)
    pure (got === [ from + k | k <- [0 .. size r - 1] ] .&&. ran === replicate (size r) 1)

someOrdered :: AnySchedule -> TeamOf -> Property
someOrdered sched t = ioProperty $ do
    seen <- R.newIORef []
    next <- R.newIORef (0 :: Int)
    parallel_ (inTeam t) $ \m -> forOrdered m (scheduleOf sched) 0 300 $ \inOrder i ->
        replicateM_ (i `mod` 3) $ do
            k <- inOrder (R.readIORef next >>= \k -> k <$ R.writeIORef next (k + 1))
            inOrder (R.modifyIORef seen ((k, i) :))
    got <- reverse <$> R.readIORef seen
    pure (got === zip [0 ..] (concat [ replicate (i `mod` 3) i | i <- [0 .. 299] ]))

several :: AnySchedule -> AnySchedule -> TeamOf -> Property
several s1 s2 t = ioProperty $ do
    seen <- R.newIORef []
    a <- counters 50
    parallel_ (inTeam t) $ \m -> forM_ [0 .. 4] $ \k -> do
        forOrdered m (scheduleOf s1) 0 50 (\inOrder i -> inOrder (R.modifyIORef seen ((k, i) :)))
        forNowait m (scheduleOf s2) 0 50 (count a)
        forOrdered m (scheduleOf s2) 50 60 (\inOrder i -> inOrder (R.modifyIORef seen ((k, i) :)))
    got <- reverse <$> R.readIORef seen
    ran <- counts a 50
    pure (got === [ (k, i) | k <- [0 .. 4 :: Int], i <- [0 .. 59 :: Int] ] .&&. ran === replicate 50 5)

-- | Iteration 0 ends its first part only when iteration 1 has begun.
overlaps :: Assertion
overlaps = do
    begun <- newEmptyMVar
    seen <- R.newIORef []
    parallel_ (inTeam (TeamOf 2)) $ \m -> forOrdered m (StaticChunks 1) 0 2 $ \inOrder i -> do
        if i == 0 then takeMVar begun else putMVar begun ()
        inOrder (R.modifyIORef seen (i :))
    R.readIORef seen >>= (@?= [1, 0])

collections :: Assertion
collections = do
    seen <- R.newIORef []
    parallel_ (inTeam (TeamOf 8)) $ \m -> forOrdered m (Dynamic 1) 0 200 $ \inOrder i -> do
        when (i `mod` 20 == 7) performMinorGC
        inOrder (when (i `mod` 20 == 3) performMinorGC >> R.modifyIORef seen (i :))
    R.readIORef seen >>= (@?= [199, 198 .. 0])

loopInside :: Assertion
loopInside = do
    seen <- R.newIORef []
    let deep = (inTeam (TeamOf 2)) { maxActiveLevels = Just 2 }
    parallel_ deep $ \m -> forOrdered m (Dynamic 1) 0 20 $ \inOrder i -> inOrder $ do
        a <- counters 10
        parallelFor deep 0 10 (count a)
        n <- sum <$> counts a 10
        R.modifyIORef seen ((i, n) :)
    R.readIORef seen >>= (@?= [ (i, 10) | i <- [19, 18 .. 0] ])

newtype Boom = Boom Int
    deriving (Eq, Show)

instance Exception Boom

exceptionInOrder :: AnySchedule -> TeamOf -> Property
exceptionInOrder sched t = forAll (choose (0, 99)) $ \at -> ioProperty $ do
    seen <- R.newIORef []
    r <- try $ parallel_ (inTeam t) $ \m -> forOrdered m (scheduleOf sched) 0 100 $ \inOrder i -> inOrder $
        if i == at then throwIO (Boom i) else R.modifyIORef seen (i :)
    got <- R.readIORef seen
    pure (r === Left (Boom at) .&&. reverse got === [0 .. at - 1])

-- | Iterations before that one may be left out, because the region is cancelled at once; no part is out of order.
exceptionBefore :: AnySchedule -> TeamOf -> Property
exceptionBefore sched t = forAll (choose (0, 99)) $ \at -> ioProperty $ do
    seen <- R.newIORef []
    r <- try $ parallel_ (inTeam t) $ \m -> forOrdered m (scheduleOf sched) 0 100 $ \inOrder i -> do
        when (i == at) (throwIO (Boom i))
        inOrder (R.modifyIORef seen (i :))
    got <- reverse <$> R.readIORef seen
    pure (r === Left (Boom at) .&&. got === take (length got) [0 ..] .&&. property (length got <= at))

exceptionElsewhere :: Assertion
exceptionElsewhere = do
    r <- try $ parallel_ (inTeam (TeamOf 3)) $ \m -> do
        n <- threadNum m
        when (n == 1) (threadDelay 20000 >> throwIO (Boom 1))
        forOrdered m (StaticChunks 1) 0 30 (\inOrder _ -> inOrder (pure ()))
    r @?= Left (Boom 1)

desertedLoop :: Assertion
desertedLoop = forM_ [0, 1] $ \who -> forM_ [0, 20000] $ \micros -> do
    r <- try $ parallel_ (inTeam (TeamOf 2)) $ \m -> do
        barrier m
        n <- threadNum m
        if n == who
            then threadDelay micros
            else forOrdered m (StaticChunks 1) 0 30 (\inOrder _ -> inOrder (pure ()))
    case r of
        Left (ErrorCall text) -> assertBool text ("has left the region's body" `isInfixOf` text)
        Right ()              -> assertFailure "no error"

misused :: Assertion
misused = do
    inTask <- try $ parallel_ (inTeam (TeamOf 2)) $ \m -> forOrdered m (Dynamic 1) 0 4 $ \inOrder _ ->
        task m (inOrder (pure ()))
    clear inTask
    inThread <- try $ parallel_ (inTeam (TeamOf 2)) $ \m -> forOrdered m (Dynamic 1) 0 4 $ \inOrder _ -> do
        done <- newEmptyMVar
        _ <- forkIO (try (inOrder (pure ())) >>= putMVar done)
        takeMVar done >>= either (\e -> throwIO (e :: SomeException)) pure
    clear inThread
    badChunk <- try $ parallel_ (inTeam (TeamOf 2)) $ \m ->
        forOrdered m (Dynamic 0) 0 4 (\inOrder _ -> inOrder (pure ()))
    clear badChunk
  where
    clear :: Either ErrorCall () -> Assertion
    clear r = case r of
        Left (ErrorCall text) -> assertBool text ("OpenMP.Parallel.forOrdered: " `isPrefixOf` text)
        Right ()              -> assertFailure "no error"

elsewhere :: Assertion
elsewhere = do
    box <- newEmptyMVar
    other <- parallel (inTeam (TeamOf 2)) $ \m -> do
        i <- threadNum m
        got <- if i == 1 then takeMVar box >>= try else pure (Right ())
        forOrdered m (Dynamic 1) 0 4 (\inOrder _ -> void (tryPutMVar box (inOrder (pure ()))))
        pure (fault got)
    other @?= [False, True]
    later <- parallel (inTeam (TeamOf 2)) $ \m -> do
        kept <- R.newIORef (pure ())
        forOrdered m (StaticChunks 1) 0 4 (\inOrder _ -> R.writeIORef kept (inOrder (pure ())))
        let retried = R.readIORef kept >>= try
        first <- retried
        found <- R.newIORef []
        for m (StaticChunks 1) 0 4 (\_ -> retried >>= \r -> R.modifyIORef found (fault r :))
        forOrdered m (StaticChunks 1) 0 4 (\_ _ -> retried >>= \r -> R.modifyIORef found (fault r :))
        (fault first :) <$> R.readIORef found
    later @?= replicate 2 (replicate 5 True)
  where
    fault :: Either ErrorCall () -> Bool
    fault = either (const True) (const False)

cancelled :: Assertion
cancelled = do
    seen <- R.newIORef []
    r <- parallel (inTeam (TeamOf 3)) $ \m -> forOrdered m (StaticChunks 1) 0 30 $ \inOrder i -> inOrder $ do
        when (i == 10) (void (cancel m))
        R.modifyIORef seen (i :)
    r @?= []
    R.readIORef seen >>= (@?= [9, 8 .. 0])

-- | Also when the member whose turn it is sleeps, waits for ever, or never comes to the loop.
timeouts :: Assertion
timeouts = forM_ [1, 2, 5] $ \n -> do
    held <- newEmptyMVar
    endsEarly $ parallel_ (inTeam (TeamOf n)) $ \m ->
        forOrdered m (Dynamic 1) 0 100 (\inOrder _ -> inOrder (takeMVar held))
    endsEarly $ parallel_ (inTeam (TeamOf n)) $ \m -> forOrdered m (StaticChunks 1) 0 100 $ \inOrder i -> do
        when (i == 0) (forever (threadDelay 60000000))
        inOrder (pure ())
    endsEarly $ parallel_ (inTeam (TeamOf n)) $ \m -> do
        i <- threadNum m
        when (i == 0) (takeMVar held)
        forOrdered m (StaticChunks 1) 0 100 (\inOrder _ -> inOrder (pure ()))
    putMVar held ()
