{-# OPTIONS_GHC -O0 #-} -- what GHC optimises here makes no difference to what is tested
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
-- | Constructs inside of a region: OpenMP.Parallel's teams.
module TeamTest (tests, Construct (..), constructs) where

import Control.Concurrent
import Control.Concurrent.MVar ()
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import Data.List (isPrefixOf, sort)
import Data.Monoid (Sum (..))
import GHC.Conc (STM, atomically, newTVarIO, readTVar, retry, writeTVar)
import System.Mem (performMinorGC)
import System.Timeout (timeout)
import Test.QuickCheck hiding (again, total)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)

import OpenMP.Parallel
import OpenMP.Settings

import Generators

-- Safe: it opens a region.
foreign import ccall safe "function_team_size" teamSizeInC :: IO Int
foreign import ccall unsafe "omp_get_thread_num" threadNumInC :: IO Int

tests :: TestTree
tests = testGroup "team"
    [ testProperty "exact teams, results by thread number" exactTeams
    , testCase "C sees the same thread numbers" numbersInC
    , testProperty "a barrier has everything before it" barrierOrders
    , testProperty "loops follow the schedule to the letter" loopsToTheLetter
    , testProperty "loops without a barrier, one after the other" nowaitLoops
    , testProperty "sections: each once" sectionsOnce
    , testProperty "single: one executes, all get the value" singles
    , testProperty "reduce: in the order of the threads" reduceInOrder
    , testCase "masked: thread 0" maskedIsZero
    , testProperty "critical sections exclude each other" exclusion
    , testCase "members wait for each other on MVars" mvars
    , testCase "members wait for each other in STM" stm
    , testCase "regions inside of regions" nested
    , testCase "a C region inside of a body has its settings" cInside
    , testGroup "misuse has a clear error"
        [ testCase "a thread that a body forked" forked
        , testCase "a barrier in a task" barrierInTask
        , testCase "different values at one single" mixedSingle
        , testCase "each construct names itself in a foreign thread" namesInThread
        , testCase "each construct of the whole team names itself in a task" namesInTask
        , testCase "each function that opens a region names itself" namesOfRegions
        ]
    , testGroup "misuse whose error is handled leaves the team as it was"
        [ testCase (what ++ ", " ++ name) (handled place construct)
        | (what, place) <- wrongPlaces, (name, construct) <- wholes ]
    , testGroup "cancellation"
        [ testProperty "an exception leaves no thread waiting at barriers" exceptionAtBarriers
        , testCase "cancel ends the region without an exception" cancelEnds
        , testCase "an exception caught outside of its construct still ends the region" caughtOutside
        , testCase "timeout of members at barriers" timeoutAtBarriers
        ]
    , testCase "more members than Capabilities, with the collector" oversubscribed
    ]

exactTeams :: TeamOf -> Property
exactTeams t@(TeamOf n) = ioProperty $ do
    r <- parallel (inTeam t) (\m -> (,) (teamSize m) <$> threadNum m)
    pure (r === [ (n, i) | i <- [0 .. n - 1] ])

numbersInC :: Assertion
numbersInC =
    parallel (inTeam (TeamOf 5)) (\m -> (,) <$> threadNum m <*> threadNumInC) >>= (@?= [ (i, i) | i <- [0 .. 4] ])

barrierOrders :: TeamOf -> Property
barrierOrders t@(TeamOf n) = ioProperty $ do
    a <- counters 20
    seen <- parallel (inTeam t) $ \m -> forM [0 .. 19] $ \k -> do
        count a k
        barrier m
        (!! k) <$> counts a 20
    pure (seen === replicate n (replicate 20 n))

loopsToTheLetter :: AnySchedule -> TeamOf -> Range -> Property
loopsToTheLetter (AnySchedule s) t@(TeamOf n) (Range from past) = ioProperty $ do
    let sched = maybe Static id s
        size = max 0 (past - from)
    mine <- parallel (inTeam t) $ \m -> do
        own <- R.newIORef []
        for m sched from past (\i -> R.modifyIORef own (i :))
        reverse <$> R.readIORef own
    let indices = [ from + k | k <- [0 .. size - 1] ]
        roundRobin c = [ [ from + k | k <- [0 .. size - 1], k `quot` c `rem` n == i ] | i <- [0 .. n - 1] ]
    pure $ sort (concat mine) === indices .&&. case sched of
        Static          -> concat mine === indices .&&. property (spread (map length mine) <= 1)
        StaticChunks c  -> mine === roundRobin c
        _               -> conjoin [ l === sort l | l <- mine ]
  where
    spread l = maximum l - minimum l

nowaitLoops :: AnySchedule -> TeamOf -> Property
nowaitLoops (AnySchedule s) t = ioProperty $ do
    a <- counters 500
    parallel_ (inTeam t) $ \m -> forM_ [0 .. 9] $ \k ->
        forNowait m (maybe (Dynamic 1) id s) 0 50 (\i -> count a (50 * k + i))
    (=== replicate 500 1) <$> counts a 500

sectionsOnce :: TeamOf -> NonNegative (Small Int) -> Property
sectionsOnce t (NonNegative (Small n)) = ioProperty $ do
    a <- counters n
    parallel_ (inTeam t) (\m -> sections m (map (count a) [0 .. n - 1]))
    (=== replicate n 1) <$> counts a n

singles :: TeamOf -> Property
singles t@(TeamOf n) = ioProperty $ do
    runs <- counters 1
    r <- parallel (inTeam t) $ \m -> forM [1 .. 30 :: Int] $ \k ->
        if odd k
            then single m (k <$ count runs 0)
            else length <$> single m (replicate k 'x' <$ count runs 0)
    [c] <- counts runs 1
    pure (r === replicate n [1 .. 30] .&&. c === 30)

reduceInOrder :: TeamOf -> Property
reduceInOrder t@(TeamOf n) = ioProperty $ do
    r <- parallel (inTeam t) $ \m -> forM [1 .. 10 :: Int] $ \k -> do
        i <- threadNum m
        reduce m [(k, i)]
    pure (r === replicate n [ [ (k, i) | i <- [0 .. n - 1] ] | k <- [1 .. 10] ])

maskedIsZero :: Assertion
maskedIsZero = do
    who <- R.newIORef []
    parallel_ (inTeam (TeamOf 4)) (\m -> masked m (threadNum m >>= \i -> R.modifyIORef who (i :)))
    R.readIORef who >>= (@?= [0])

exclusion :: TeamOf -> Property
exclusion t@(TeamOf n) = ioProperty $ do
    lock <- newCritical
    named <- R.newIORef (0 :: Int)
    unnamed <- R.newIORef (0 :: Int)
    parallel_ (inTeam t) $ \_ -> replicateM_ 200 $ do
        criticalIn lock (R.readIORef named >>= \v -> yield >> R.writeIORef named (v + 1))
        critical (R.readIORef unnamed >>= \v -> R.writeIORef unnamed (v + 1))
    r <- (,) <$> R.readIORef named <*> R.readIORef unnamed
    pure (r === (200 * n, 200 * n))

mvars :: Assertion
mvars = do
    boxes <- replicateM 4 newEmptyMVar
    r <- parallel (inTeam (TeamOf 4)) $ \m -> do
        i <- threadNum m
        putMVar (boxes !! i) i
        takeMVar (boxes !! ((i + 1) `mod` 4))
    r @?= [1, 2, 3, 0]

stm :: Assertion
stm = do
    turn <- newTVarIO (0 :: Int)
    order <- R.newIORef []
    parallel_ (inTeam (TeamOf 4)) $ \m -> do
        i <- threadNum m
        atomically (waitFor turn i)
        R.modifyIORef order (i :)
        atomically (writeTVar turn (i + 1))
    R.readIORef order >>= (@?= [3, 2, 1, 0])
  where
    waitFor turn i = readTVar turn >>= \v -> if v == i then pure () else retry :: STM ()

nested :: Assertion
nested = do
    r <- parallel (inTeam (TeamOf 3)) { maxActiveLevels = Just 2 } $ \outer -> do
        i <- threadNum outer
        inner <- parallel (inTeam (TeamOf 2)) (\m -> (,) i <$> threadNum m)
        barrier outer
        s <- parallelReduce (inTeam (TeamOf 2)) IndexOrder 0 10 (\k -> pure (Sum (i * k)))
        pure (inner, getSum s)
    r @?= [ ([(i, 0), (i, 1)], 45 * i) | i <- [0 .. 2] ]

cInside :: Assertion
cInside = do
    one <- parallel (inTeam (TeamOf 2)) { maxActiveLevels = Just 1 } (const teamSizeInC)
    one @?= [1, 1]

forked :: Assertion
forked = do
    r <- try $ parallel_ (inTeam (TeamOf 2)) $ \m -> do
        done <- newEmptyMVar
        _ <- forkIO (try (barrier m) >>= putMVar done)
        takeMVar done >>= either (\e -> throwIO (e :: SomeException)) pure
    clear "barrier" r

barrierInTask :: Assertion
barrierInTask = do
    r <- try $ parallelTasks (inTeam (TeamOf 2)) (\m -> task m (barrier m))
    clear "barrier" r

-- | Each construct names itself where its caller is not in the team, and not a function that it is made of.
namesInThread :: Assertion
namesInThread = forM_ constructs $ \(Construct name act) -> do
    r <- try $ parallel_ (inTeam (TeamOf 1)) $ \m -> do
        done <- newEmptyMVar
        _ <- forkIO (try (act m) >>= putMVar done)
        takeMVar done >>= either (\e -> throwIO (e :: SomeException)) pure
    clear name r

-- | The same for those that may not be in a task.
namesInTask :: Assertion
namesInTask = forM_ (filter wholeTeam constructs) $ \(Construct name act) -> do
    r <- try $ parallelTasks (inTeam (TeamOf 1)) (\m -> task m (act m))
    clear name r
  where
    wholeTeam (Construct name _) =
        name `elem` ["barrier", "for", "forChunks", "forNowait", "for2", "forOrdered", "sections", "single", "reduce"]

data Construct = Construct String (forall s. Team s -> IO ())

constructs :: [Construct]
constructs =
    [ Construct "threadNum" (void . threadNum)
    , Construct "barrier" barrier
    , Construct "for" (\m -> for m Static 0 9 (const (pure ())))
    , Construct "forChunks" (\m -> forChunks m Static 0 9 (\_ _ -> pure ()))
    , Construct "forNowait" (\m -> forNowait m Static 0 9 (const (pure ())))
    , Construct "for2" (\m -> for2 m Static (0, 3) (0, 3) (\_ _ -> pure ()))
    , Construct "forOrdered" (\m -> forOrdered m Static 0 9 (\_ _ -> pure ()))
    , Construct "sections" (\m -> sections m [pure ()])
    , Construct "single" (\m -> single m (pure ()))
    , Construct "masked" (\m -> masked m (pure ()))
    , Construct "reduce" (\m -> void (reduce m "a"))
    , Construct "cancellationPoint" cancellationPoint
    , Construct "task" (\m -> task m (pure ()))
    , Construct "taskWith" (\m -> taskWith m taskDefaults (pure ()))
    , Construct "taskwait" taskwait
    , Construct "taskgroup" (\m -> taskgroup m (pure ()))
    , Construct "taskyield" taskyield
    , Construct "taskloop" (\m -> taskloop m AutoGrain 0 9 (const (pure ())))
    , Construct "spawn" (\m -> void (spawn m (pure ())))
    , Construct "spawnWith" (\m -> void (spawnWith m taskDefaults (pure ())))
    ]

-- | So does each function that opens a region, about its settings.
namesOfRegions :: Assertion
namesOfRegions = forM_
    [ ("parallelFor", parallelFor bad 0 9 (const (pure ())))
    , ("parallelForChunks", parallelForChunks bad 0 9 (\_ _ -> pure ()))
    , ("parallelReduce", parallelReduce bad AnyOrder 0 9 (const (pure ())))
    , ("parallelReduceChunks", parallelReduceChunks bad AnyOrder 0 9 (\_ _ -> pure ()))
    , ("parallelFor2", parallelFor2 bad (0, 3) (0, 3) (\_ _ -> pure ()))
    , ("parallelForTiles", parallelForTiles bad (1, 1) (0, 3) (0, 3) (\_ _ -> pure ()))
    , ("parallelForWith", parallelForWith bad 0 9 (pure ()) (\_ _ -> pure ()))
    , ("parallelForChunksWith", parallelForChunksWith bad 0 9 (pure ()) (\_ _ _ -> pure ()))
    , ("parallelFoldWith", parallelFoldWith bad AnyOrder 0 9 (pure ()) (\_ _ -> pure ()) (\_ _ -> pure ()))
    , ("parallelSections", void (parallelSections bad [pure ()]))
    , ("parallel", void (parallel bad (const (pure ()))))
    , ("parallel_", parallel_ bad (const (pure ())))
    , ("parallelTasks", parallelTasks bad (const (pure ())))
    ] $ \(name, act) -> try act >>= clear name
  where
    bad = defaults { numThreads = Just 0 }

-- | Runs a construct where it is an error, by an action that handles it: the body of each of two members. An MVar is
-- for one that comes from the other member.
newtype Place = Place (forall s. MVar (IO ()) -> Team s -> (IO () -> IO ()) -> IO () -> IO ())

wrongPlaces :: [(String, Place)]
wrongPlaces =
    [ ("in a task", Place (\_ m attempt act -> threadNum m >>= \i -> when (i == 0) (task m (attempt act))))
    , ("in a critical section", Place (\_ m attempt act ->
        threadNum m >>= \i -> when (i == 1) (attempt (critical act))))
    , ("by another member", Place (\box m attempt act ->
        threadNum m >>= \i -> if i == 0 then putMVar box act else takeMVar box >>= attempt))
    ]

-- | A construct of the whole team, and what is to run in it.
newtype Misused = Misused (forall s. Team s -> IO () -> IO ())

wholes :: [(String, Misused)]
wholes =
    [ ("reduce", Misused (\m _ -> void (reduce m [999 :: Int])))
    , ("single", Misused (\m ran -> void (single m (9 <$ ran :: IO Int))))
    , ("for", Misused (\m ran -> for m Static 0 4 (const ran)))
    , ("forOrdered", Misused (\m ran -> forOrdered m Static 0 4 (\_ _ -> ran)))
    ]

handled :: Place -> Misused -> Assertion
handled (Place place) (Misused construct) = do
    box <- newEmptyMVar
    errors <- R.newIORef (0 :: Int)
    let attempt act = try act >>= \r -> case r of
            Left (ErrorCall _) -> R.atomicModifyIORef' errors (\n -> (n + 1, ()))
            Right ()           -> pure ()
    got <- parallel (inTeam (TeamOf 2)) $ \m -> do
        i <- threadNum m
        first <- reduce m [i]
        place box m attempt (construct m (throwIO Boom))
        (,,,) first <$> reduce m [10 + i] <*> single m (pure 'x') <*> reduce m [20 + i]
    got @?= replicate 2 ([0, 1], [10, 11], 'x', [20, 21])
    R.readIORef errors >>= (@?= 1)

mixedSingle :: Assertion
mixedSingle = do
    r <- try $ parallel_ (inTeam (TeamOf 2)) $ \m -> do
        i <- threadNum m
        if i == 0 then void (single m (pure 'x')) else void (single m (pure True))
    clear "single" r

clear :: String -> Either ErrorCall () -> Assertion
clear name r = case r of
    Left (ErrorCall text) -> assertBool text (("OpenMP.Parallel." ++ name ++ ": ") `isPrefixOf` text)
    Right ()              -> assertFailure "no error"

data Boom = Boom
    deriving (Eq, Show)

instance Exception Boom

exceptionAtBarriers :: TeamOf -> Property
exceptionAtBarriers t@(TeamOf n) =
  forAll (choose (0, n - 1)) $ \who -> forAll (choose (0, 5)) $ \when_ -> ioProperty $ do
    past <- counters 1
    r <- try $ parallel_ (inTeam t) $ \m -> do
        i <- threadNum m
        forM_ [0 .. 5 :: Int] $ \k -> do
            when (i == who && k == when_) (throwIO Boom)
            barrier m
        count past 0
    [p] <- counts past 1
    again <- parallel (inTeam t) threadNum
    pure (r === Left Boom .&&. p === 0 .&&. again === [0 .. n - 1])

cancelEnds :: Assertion
cancelEnds = do
    r <- parallel (inTeam (TeamOf 4)) $ \m -> do
        i <- threadNum m
        when (i == 2) (cancel m)
        forever (barrier m)
    (r :: [()]) @?= []
    again <- parallel (inTeam (TeamOf 4)) (\m -> barrier m >> threadNum m)
    again @?= [0 .. 3]

caughtOutside :: Assertion
caughtOutside = do
    r <- try $ parallel_ (inTeam (TeamOf 3)) $ \m -> do
        caught <- try (for m (Dynamic 1) 0 9 (\i -> when (i == 4) (throwIO Boom)))
        either (\Boom -> pure ()) pure caught
        barrier m
    r @?= Left Boom

timeoutAtBarriers :: Assertion
timeoutAtBarriers = forM_ [1, 2, 5] $ \n -> do
    r <- timeout 30000 (parallel_ (inTeam (TeamOf n)) (\m -> forever (barrier m)))
    r @?= Nothing

oversubscribed :: Assertion
oversubscribed = do
    r <- parallel (inTeam (TeamOf 16)) $ \m -> do
        s <- R.newIORef (0 :: Int)
        forM_ [1 .. 20 :: Int] $ \k -> do
            for m (Guided 1) 0 64 (\i -> R.modifyIORef' s (+ i))
            i <- threadNum m
            when (i == k `mod` 16) performMinorGC
        R.readIORef s >>= reduce m . Sum
    r @?= replicate 16 (Sum (20 * 2016))
