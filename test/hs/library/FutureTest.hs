-- | Tasks with results, and loops of tasks.
module FutureTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import Data.List (isPrefixOf, sort)
import Foreign.StablePtr (newStablePtr)
import GHC.Conc (atomically, newTVarIO, orElse, readTVar, retry, writeTVar)
import System.IO.Unsafe (unsafePerformIO)
import System.Mem (performMinorGC)
import System.Timeout (timeout)
import Test.QuickCheck hiding (again)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)

import OpenMP.Parallel

import Generators

tests :: TestTree
tests = testGroup "future"
    [ testGroup "tasks with results"
        [ testProperty "fork and join" (fibonacci fib)
        , testProperty "each awaits some earlier ones, whoever made them" graph
        , testProperty "with dependences: as if one after the other" dependent
        , testProperty "awaited by many tasks, twice; run once" awaitedByMany
        , testCase "the result is evaluated in the task" evaluatedThere
        , testCase "awaited while another thread runs it" runElsewhere
        , testCase "a waiting thread runs the tasks of the one it waits for" helps
        , testCase "undeferred, final, of a priority" clauses
        , testProperty "an exception comes out" exceptionComesOut
        , testCase "an exception in a task that nobody awaits" exceptionUnawaited
        , testCase "a task that is dropped with the region ends who awaits it" dropped
        , testCase "cancel ends who awaits" cancelled
        , testCase "a thread that a body forked is an error" misused
        , testCase "timeout, also of tasks that await each other" timeouts
        , testCase "a member's own timeout ends the wait, and the region" ownTimeout
        , testCase "a hundred thousand" many
        ]
    , testGroup "awaited by transactions"
        [ testProperty "in threads outside of the team" outside
        , testProperty "by other members, whenever the result comes" byMembers
        , testCase "with other things, the first one counts" firstOfTwo
        , testCase "also after the region's end" afterwards
        , testCase "the task's exception comes out" transactionThrows
        , testCase "a task that is dropped with the region is an exception" transactionDropped
        , testCase "so it is for a member, which the region waits for" droppedForMember
        , testCase "a member that comes when the region has been cancelled leaves" droppedBefore
        , testCase "in a region that is evaluated for another transaction" inTransaction
        , testCase "a member that waits for ever is found, as others are" blockedMember
        , testCase "before the region is over, from one of its threads" transactionMisused
        ]
    , testGroup "taskloop"
        [ testProperty "every index once, and all at its end" everyIndexOnce
        , testProperty "tasks of the size, or as many, as asked for" sizes
        , testProperty "an exception comes out" loopThrows
        , testCase "in tasks, in each other, by all members" nested
        , testCase "a grain of less than 1 is an error" badGrain
        ]
    ]

fib :: Team s -> Int -> IO Int
fib m n
    | n < 2 = pure n
    | otherwise = do
        a <- spawn m (fib m (n - 1))
        b <- spawn m (fib m (n - 2))
        (+) <$> await m a <*> await m b

-- | Node i adds up the nodes that it names, which are earlier ones. Nodes wait for tasks that are not their children.
graph :: TeamOf -> Property
graph t = forAll (choose (1, 60) >>= \n -> mapM names [0 .. n - 1]) $ \edges -> ioProperty $ do
    let values = [ 1 + sum (map (values !!) es) `mod` 1009 | es <- edges ] :: [Int]
    got <- parallelTasks (inTeam t) $ \m -> do
        let add made es = do
                f <- spawn m $ do
                    when (length made `mod` 7 == 3) yield
                    xs <- mapM (\k -> await m (made !! (length made - 1 - k))) es
                    pure (1 + sum xs `mod` 1009)
                pure (f : made)
        made <- foldM add [] edges
        mapM (await m) (reverse made)
    pure (got === values)
  where
    names :: Int -> Gen [Int]
    names i = if i == 0 then pure [] else resize 4 (listOf (choose (0, i - 1)))

dependent :: TeamOf -> Property
dependent t = forAll (listOf1 (elements [True, False])) $ \writes -> ioProperty $ do
    cell <- R.newIORef (0 :: Int)
    dep <- newDep
    got <- parallelTasks (inTeam t) $ \m -> do
        futures <- forM writes $ \w -> if w
            then spawnWith m taskDefaults { depends = [InOut dep] } $
                yield >> R.modifyIORef' cell (+ 1) >> R.readIORef cell
            else spawnWith m taskDefaults { depends = [In dep] } (R.readIORef cell)
        reverse <$> mapM (await m) (reverse futures)
    pure (got === drop 1 (scanl (\k w -> if w then k + 1 else k) 0 writes))

awaitedByMany :: TeamOf -> Property
awaitedByMany t = ioProperty $ do
    runs <- counters 20
    got <- parallelTasks (inTeam t) $ \m -> do
        futures <- forM [0 .. 19] (\i -> spawn m (yield >> i <$ count runs i))
        readers <- replicateM 10 $ spawn m $ do
            first <- mapM (await m) (reverse futures)
            again <- mapM (await m) futures
            pure (reverse first, again)
        mapM (await m) readers
    ran <- counts runs 20
    pure (got === replicate 10 ([0 .. 19], [0 .. 19]) .&&. ran === replicate 20 1)

-- | By the time that 'await' returns, in the thread that has run the task.
evaluatedThere :: Assertion
evaluatedThere = forM_ [1, 2, 4] $ \n -> do
    threads <- R.newIORef []
    got <- parallelTasks (inTeam (TeamOf n)) $ \m -> do
        futures <- forM [0 .. 49 :: Int] $ \i -> spawn m $ do
            me <- myThreadId
            let note = myThreadId >>= \it -> R.atomicModifyIORef' threads (\l -> ((me, it) : l, ()))
            pure (unsafePerformIO (i <$ note))
        values <- mapM (await m) futures
        seen <- R.readIORef threads
        assertBool "not evaluated, or elsewhere" (length seen == 50 && all (uncurry (==)) seen)
        pure values
    got @?= [0 .. 49]

-- | The first task is under way, in another thread, when it is awaited.
runElsewhere :: Assertion
runElsewhere = replicateM_ 20 $ do
    begun <- newEmptyMVar
    go <- newEmptyMVar
    r <- parallelTasks (inTeam (TeamOf 2)) $ \m -> do
        f <- spawn m (putMVar begun () >> takeMVar go)
        takeMVar begun
        _ <- forkIO (threadDelay 1000 >> putMVar go 'x')
        await m f
    r @?= 'x'

-- | Another member runs the task, and would for ever.
ownTimeout :: Assertion
ownTimeout = do
    begun <- newEmptyMVar
    go <- newEmptyMVar
    saw <- newEmptyMVar
    r <- timeout 20000000 $ try $ parallelTasks (inTeam (TeamOf 2)) $ \m -> do
        f <- spawn m (putMVar begun () >> takeMVar go)
        takeMVar begun
        timeout 200000 (await m f) >>= putMVar saw
        putMVar go ()
    tryTakeMVar saw >>= (@?= Just (Nothing :: Maybe ()))
    either (\e -> show (e :: SomeException)) (const "no exception") <$> r @?= Just "<<timeout>>"

-- | The task that is awaited has made others, which only the waiting thread can run.
helps :: Assertion
helps = do
    begun <- newEmptyMVar
    helped <- newEmptyMVar
    r <- parallelTasks (inTeam (TeamOf 2)) $ \m -> do
        f <- spawn m $ do
            task m (putMVar helped ())
            putMVar begun ()
            'x' <$ takeMVar helped -- in the thread's own hands: it waits, and runs no task
        takeMVar begun
        await m f
    r @?= 'x'

clauses :: Assertion
clauses = do
    r <- parallelTasks (inTeam (TeamOf 3)) $ \m -> do
        log_ <- R.newIORef ""
        now <- spawnWith m taskDefaults { deferred = False } ('a' <$ R.modifyIORef log_ ('a' :))
        R.modifyIORef log_ ('b' :)
        included <- spawnWith m taskDefaults { final = True, deferred = False } $ do
            f <- spawn m (R.modifyIORef log_ ('c' :))
            R.modifyIORef log_ ('d' :)
            await m f
        urgent <- spawnWith m taskDefaults { priority = 9 } (pure 'u')
        (,,,) <$> await m now <*> await m included <*> await m urgent <*> R.readIORef log_
    r @?= ('a', (), 'u', "dcba")

newtype Boom = Boom Int
    deriving (Eq, Show)

instance Exception Boom

exceptionComesOut :: TeamOf -> Property
exceptionComesOut t = forAll (choose (0, 29)) $ \at -> ioProperty $ do
    past <- R.newIORef False
    r <- try $ parallelTasks (inTeam t) $ \m -> do
        futures <- forM [0 .. 29] (\i -> spawn m (if i == at then throwIO (Boom i) else pure i))
        xs <- mapM (await m) (reverse futures)
        R.writeIORef past True
        pure (sum xs)
    lazily <- try (parallelTasks (inTeam t) (\m -> spawn m (pure (throw (Boom 77))) >>= await m))
    went <- R.readIORef past
    pure (r === Left (Boom at) .&&. (lazily :: Either Boom ()) === Left (Boom 77) .&&. went === False)

exceptionUnawaited :: Assertion
exceptionUnawaited = do
    r <- try (parallelTasks (inTeam (TeamOf 2)) (\m -> 'x' <$ spawn m (throwIO (Boom 1) :: IO ())))
    r @?= Left (Boom 1)

-- | The awaited task waits for a dependence, and never begins.
dropped :: Assertion
dropped = forM_ [1, 2, 4] $ \n -> do
    r <- try $ parallelTasks (inTeam (TeamOf n)) $ \m -> do
        dep <- newDep
        _ <- spawnWith m taskDefaults { depends = [Out dep] } (threadDelay 10000 >> throwIO (Boom 5) :: IO ())
        f <- spawnWith m taskDefaults { depends = [In dep] } (pure 'x')
        await m f
    r @?= Left (Boom 5)

cancelled :: Assertion
cancelled = do
    r <- try $ (>>= evaluate) $ parallelTasks (inTeam (TeamOf 3)) $ \m -> do
        never <- newEmptyMVar
        f <- spawn m (threadDelay 5000 >> cancel m :: IO ())
        g <- spawn m (await m f)
        await m g
        takeMVar never :: IO ()
    case r of
        Left (ErrorCall text) -> assertBool text ("OpenMP.Parallel.parallelTasks: " `isPrefixOf` text)
        Right ()              -> assertFailure "no error"

misused :: Assertion
misused = forM_ [taskDefaults { depends = [] }, taskDefaults { priority = 1 }] $ \settings -> do
    r <- try $ parallelTasks (inTeam (TeamOf 2)) $ \m -> do
        go <- newEmptyMVar
        blocker <- spawn m (takeMVar go)
        f <- if priority settings == 0 then spawn m (takeMVar go) else spawnWith m settings (takeMVar go)
        done <- newEmptyMVar
        _ <- forkIO (try (await m f) >>= putMVar done)
        got <- takeMVar done
        putMVar go () >> putMVar go ()
        await m blocker
        either (\e -> throwIO (e :: SomeException)) pure got
    case r of
        Left (ErrorCall text) -> assertBool text ("OpenMP.Parallel.await: " `isPrefixOf` text)
        Right ()              -> assertFailure "no error"

timeouts :: Assertion
timeouts = forM_ [1, 2, 4] $ \n -> do
    held <- newEmptyMVar
    endsEarly (parallelTasks (inTeam (TeamOf n)) (\m -> spawn m (takeMVar held) >>= await m))
    endsEarly (parallelTasks (inTeam (TeamOf n)) (\m -> replicateM 5 (spawn m (takeMVar held)) >>= mapM_ (await m)))
    forM_ (True : [ False | n > 1 ]) $ \plain ->
        endsEarly $ parallelTasks (inTeam (TeamOf n)) $ \m -> do
            box <- newEmptyMVar
            -- A task that runs at once waits for the box. Without this a collection would find it blocked for ever.
            _ <- newStablePtr box
            let body = readMVar box >>= await m
            f <- if plain then spawn m body else spawnWith m taskDefaults { priority = 1 } body
            putMVar box f
            await m f
    putMVar held ()

many :: Assertion
many = do
    r <- parallelTasks (inTeam (TeamOf 4)) $ \m -> do
        futures <- forM [1 .. 100000 :: Int] (\i -> spawn m (i <$ when (i `mod` 20000 == 0) performMinorGC))
        sum <$> mapM (await m) futures
    r @?= 5000050000

-- --------------------------------------------------------------------------------------------------------------------

-- | Threads that are not in the team wait from before the tasks begin, and meanwhile, and afterwards.
outside :: TeamOf -> Property
outside t = ioProperty $ do
    answers <- replicateM 30 newEmptyMVar
    parallelTasks (inTeam t) $ \m -> forM_ (zip [0 :: Int ..] answers) $ \(i, answer) -> do
        let square = yield >> pure (i * i)
        f <- if even i then spawn m square else spawnWith m taskDefaults { priority = 1 } square
        result <- futureSTM m f
        again <- futureSTM m f
        when (i `mod` 3 == 0) (() <$ await m f)
        forkIO (atomically ((,) <$> result <*> again) >>= putMVar answer)
    got <- mapM takeMVar answers
    pure (got === [ (i * i, i * i) | i <- [0 .. 29] ])

-- | One member makes tasks that it runs itself, the others wait for them by transactions.
byMembers :: TeamOf -> Property
byMembers t = ioProperty $ do
    sums <- parallel (inTeam t) $ \m -> do
        me <- threadNum m
        if teamSize m == 1 then pure 45 else do
            made <- single m (forM [0 .. 9 :: Int] (\i -> (,) i <$> newEmptyMVar))
            if me == 0
                then do
                    forM_ made (\(i, box) -> spawnWith m taskDefaults { deferred = i `mod` 3 /= 0 } (yield >> pure i)
                        >>= futureSTM m >>= putMVar box)
                    taskwait m
                    pure 45
                else sum <$> forM made (\(_, box) -> readMVar box >>= atomically)
    pure (sums === map (const 45) sums)

firstOfTwo :: Assertion
firstOfTwo = do
    go <- newEmptyMVar
    other <- newTVarIO False
    done <- newEmptyMVar
    r <- parallelTasks (inTeam (TeamOf 2)) $ \m -> do
        f <- spawn m (takeMVar go)
        result <- futureSTM m f
        let first = (Left <$> result) `orElse` (readTVar other >>= \there -> if there then pure (Right 'o') else retry)
        _ <- forkIO $ do
            one <- atomically first -- the task cannot end before this
            putMVar go 'f'
            two <- atomically result
            putMVar done (one, two)
        atomically (writeTVar other True)
        await m f
    both <- takeMVar done
    (r, both) @?= ('f', (Right 'o', 'f'))

afterwards :: Assertion
afterwards = forM_ [1, 2, 4] $ \n -> do
    (now, results) <- parallelTasks (inTeam (TeamOf n)) $ \m -> do
        futures <- forM [1 .. 20 :: Int] (spawn m . pure)
        early <- mapM (futureSTM m) futures
        values <- mapM (await m) futures
        late <- mapM (futureSTM m) futures
        pure (values, early ++ late)
    performMinorGC
    later <- atomically (sequence results)
    later @?= now ++ now

-- | Whoever waits gets the exception of the task that it waits for.
transactionThrows :: Assertion
transactionThrows = forM_ [1, 2, 4] $ \n -> do
    answer <- newEmptyMVar
    r <- try $ parallelTasks (inTeam (TeamOf n)) $ \m -> do
        dep <- newDep
        go <- newEmptyMVar
        _ <- forkIO (putMVar go ())
        f <- spawnWith m taskDefaults { depends = [Out dep] } (takeMVar go >> throwIO (Boom 3) :: IO ())
        result <- futureSTM m f
        forkIO (try (atomically result) >>= putMVar answer)
    got <- takeMVar answer
    (either id (const (Boom 0)) r, got) @?= (Boom 3, Left (Boom 3))

-- | The task waits for a dependence on one that throws, and never begins.
transactionDropped :: Assertion
transactionDropped = forM_ [2, 4] $ \n -> forM_ [False, True] $ \early -> do
    answer <- newEmptyMVar
    held <- newEmptyMVar
    r <- try $ parallelTasks (inTeam (TeamOf n)) $ \m -> do
        dep <- newDep
        go <- newEmptyMVar
        _ <- spawnWith m taskDefaults { depends = [Out dep] } (takeMVar go >> throwIO (Boom 5) :: IO ())
        f <- spawnWith m taskDefaults { depends = [In dep] } (pure 'x')
        result <- futureSTM m f
        putMVar held result
        when early (() <$ forkIO (try (atomically result) >>= putMVar answer))
        putMVar go ()
    -- What waits is used here, too: the collector must not find that it waits for ever.
    result <- takeMVar held
    got <- if early then takeMVar answer else try (atomically result)
    (either id (const (Boom 0)) r, got) @?= (Boom 5, Left FutureDropped)

-- | A member of the region that ends waits for it, and the region waits for the member.
droppedForMember :: Assertion
droppedForMember = do
    got <- newEmptyMVar
    r <- try $ parallel (inTeam (TeamOf 2)) $ \m -> do
        me <- threadNum m
        box <- single m newEmptyMVar
        if me == 0
            then do
                dep <- newDep
                go <- newEmptyMVar
                _ <- spawnWith m taskDefaults { depends = [Out dep] } (takeMVar go :: IO ())
                f <- spawnWith m taskDefaults { depends = [In dep] } (pure ())
                futureSTM m f >>= putMVar box
                _ <- newStablePtr go
                threadDelay 1000
                cancel m
            else takeMVar box >>= try . atomically >>= putMVar got
    answer <- takeMVar got
    (either (\(ErrorCall text) -> text) (const "") r, answer) @?= ("", Left FutureDropped)

-- | The task has cancelled the region, and has no exception of its own. A handler leaves, and does not wait.
droppedBefore :: Assertion
droppedBefore = forM_ [1, 2] $ \n -> do
    rs <- parallel (inTeam (TeamOf n)) $ \m -> do
        f <- spawn m (cancel m :: IO ())
        await m f `onException` (futureSTM m f >>= atomically)
    rs @?= []

inTransaction :: Assertion
inTransaction = forM_ [1, 2] $ \n -> do
    held <- newEmptyMVar
    let six = unsafePerformIO $ parallelTasks (inTeam (TeamOf n)) $ \m -> do
            f <- spawn m (pure (6 :: Int))
            futureSTM m f >>= putMVar held
            await m f
    v <- newTVarIO (7 :: Int)
    r <- atomically (readTVar v >>= \seven -> pure $! six * seven)
    again <- takeMVar held >>= atomically
    (r, again) @?= (42, 6)

-- | A task and a member wait for each other, the member by a transaction.
blockedMember :: Assertion
blockedMember = do
    r <- try $ parallelTasks (inTeam (TeamOf 2)) $ \m -> do
        never <- newEmptyMVar
        begun <- newEmptyMVar
        f <- spawn m (putMVar begun () >> takeMVar never :: IO ())
        takeMVar begun
        futureSTM m f >>= atomically
    let blocked e = or [ True | Just BlockedIndefinitelyOnMVar <- [fromException e] ]
            || or [ True | Just BlockedIndefinitelyOnSTM <- [fromException e] ]
    assertBool (show r) (either blocked (const False) r)

transactionMisused :: Assertion
transactionMisused = do
    r <- try $ parallelTasks (inTeam (TeamOf 2)) $ \m -> do
        f <- spawn m (pure 'x')
        done <- newEmptyMVar
        _ <- forkIO (try (() <$ futureSTM m f) >>= putMVar done)
        takeMVar done >>= either (\e -> throwIO (e :: SomeException)) pure
    case r of
        Left (ErrorCall text) -> assertBool text ("OpenMP.Parallel.futureSTM: " `isPrefixOf` text)
        Right ()              -> assertFailure "no error"

-- --------------------------------------------------------------------------------------------------------------------

grains :: Gen Grain
grains = oneof [pure AutoGrain, Grainsize <$> number, NumTasks <$> number]
  where
    number = frequency [(5, choose (1, 40)), (1, pure maxBound)]

count' :: Range -> Int
count' (Range from past) = if from < past then past - from else 0

everyIndexOnce :: TeamOf -> Range -> Property
everyIndexOnce t r@(Range from past) = forAll grains $ \grain -> ioProperty $ do
    a <- counters (count' r)
    ran <- parallelTasks (inTeam t) $ \m -> do
        taskloop m grain from past (\i -> count a (i - from))
        counts a (count' r)
    pure (ran === replicate (count' r) 1)

-- | The threads of a member run the indices of a task one after the other: its first index finds no task of that name.
sizes :: TeamOf -> Range -> Property
sizes t r@(Range from past) = forAll grains $ \grain -> ioProperty $ do
    lengths <- parallelTasks (inTeam t) $ \m -> do
        runs <- R.newIORef []
        taskloop m grain from past $ \i -> do
            me <- myThreadId
            R.atomicModifyIORef' runs (\l -> ((me, i - from) : l, ()))
        parts . reverse <$> R.readIORef runs
    let n = count' r
    pure $ counterexample (show lengths) $ sum lengths === n .&&. case grain of
        Grainsize g -> property (all (\k -> k >= min g n) lengths)
        NumTasks k  -> property (n == 0 || length lengths <= min k n)
        AutoGrain   -> property True
  where
    -- Runs of indices in each thread: tasks, of which neighbours may be one run.
    parts l = concatMap (runs_ . sort) [ [ i | (me, i) <- l, me == who ] | who <- distinct (map fst l) ]
    distinct = foldr (\x l -> if x `elem` l then l else x : l) []
    runs_ [] = []
    runs_ (x : xs) = go 1 x xs
    go k _ [] = [k :: Int]
    go k x (y : ys) = if y == x + 1 then go (k + 1) y ys else k : go 1 y ys

loopThrows :: TeamOf -> Property
loopThrows t = forAll ((,) <$> choose (0, 299) <*> grains) $ \(at, grain) -> ioProperty $ do
    a <- counters 300
    past <- R.newIORef False
    r <- try $ parallelTasks (inTeam t) $ \m -> do
        taskloop m grain 0 300 (\i -> if i == at then throwIO (Boom i) else count a i)
        R.writeIORef past True
    ran <- counts a 300
    went <- R.readIORef past
    pure (r === Left (Boom at) .&&. all (<= 1) ran .&&. went === False)

nested :: Assertion
nested = forM_ [1, 2, 4] $ \n -> do
    a <- counters 400
    parallelTasks (inTeam (TeamOf n)) $ \m ->
        taskloop m (Grainsize 3) 0 20 (\i -> taskloop m (NumTasks 4) 0 20 (\j -> count a (20 * i + j)))
    counts a 400 >>= (@?= replicate 400 1)
    seen <- parallel (inTeam (TeamOf n)) $ \m -> do
        me <- threadNum m
        mine <- counters 50
        taskloop m AutoGrain 0 50 (count mine)
        (,) me <$> counts mine 50
    seen @?= [ (k, replicate 50 1) | k <- [0 .. n - 1] ]

badGrain :: Assertion
badGrain = forM_ [Grainsize 0, NumTasks (-1)] $ \grain -> do
    r <- try (parallelTasks (inTeam (TeamOf 2)) (\m -> taskloop m grain 0 10 (\_ -> pure ())))
    r @?= Left (ErrorCall ("OpenMP.Parallel.taskloop: " ++ show grain ++ ": the number is at least 1"))
