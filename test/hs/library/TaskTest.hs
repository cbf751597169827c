-- | Explicit tasks with Haskell bodies.
module TaskTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import Data.Function (fix)
import qualified Data.IORef as R
import Data.List (sort)
import Data.Maybe (isNothing)
import Foreign.C.Types (CChar)
import Foreign.Marshal.Alloc (alloca)
import Foreign.Ptr (Ptr)
import Foreign.Storable (peek)
import System.Mem (performMajorGC, performMinorGC)
import System.Mem.Weak (Weak, deRefWeak)
import System.Timeout (timeout)
import Test.QuickCheck hiding (again, total)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)

import OpenMP.Parallel
import OpenMP.Settings

import Generators

tests :: TestTree
tests = testGroup "task"
    [ testProperty "each once, by the end of the region" eachOnce
    , testProperty "made by all members, awaited by a barrier" byAll
    , testProperty "taskwait waits for children" (fibonacci fib)
    , testProperty "a taskgroup waits for descendants" groups
    , testProperty "dependences: as if one after the other" dependences
    , testProperty "mutexinoutset excludes" mutex
    , testCase "dependences in a team of one: at once, by the same Haskell thread" aloneAtOnce
    , testCase "dependences in a team of one: after C's task that is not complete" behindDetached
    , testCase "dependences in a team of one: an exception comes out, and no task runs after it" aloneThrows
    , testCase "undeferred and final tasks run at once" atOnce
    , testCase "with a priority" priorities
    , testCase "tasks wait for each other on an MVar" mvars
    , testCase "a region inside of a task" regionInside
    , testProperty "an exception in a task comes out" exceptionInTask
    , testCase "an exception in a task, behind a taskgroup" exceptionInGroup
    , testCase "timeout of tasks that make tasks" timeoutOfTasks
    , testCase "a million tasks, bounded" million
    , testCase "what a task referred to is garbage when it has run" forgotten
    ]

eachOnce :: TeamOf -> NonNegative Int -> Property
eachOnce t (NonNegative n) = ioProperty $ do
    a <- counters n
    parallelTasks (inTeam t) (\m -> forM_ [0 .. n - 1] (task m . count a))
    (=== replicate n 1) <$> counts a n

byAll :: TeamOf -> Property
byAll t@(TeamOf n) = ioProperty $ do
    a <- counters 1
    seen <- parallel (inTeam t) $ \m -> do
        forM_ [1 .. 50 :: Int] (\k -> task m (when (k `mod` 25 == 0) performMinorGC >> count a 0))
        barrier m
        sum <$> counts a 1
    pure (seen === replicate n (50 * n))

fib :: Team s -> Int -> IO Int
fib m n
    | n < 2 = pure n
    | otherwise = do
        a <- R.newIORef 0
        b <- R.newIORef 0
        task m (fib m (n - 1) >>= R.writeIORef a)
        task m (fib m (n - 2) >>= R.writeIORef b)
        taskwait m
        (+) <$> R.readIORef a <*> R.readIORef b

groups :: TeamOf -> Property
groups t = ioProperty $ do
    a <- counters 1
    seen <- parallelTasks (inTeam t) $ \m -> do
        taskgroup m $ forM_ [1 .. 5 :: Int] $ \_ -> task m $ do
            forM_ [1 .. 5 :: Int] (\_ -> task m (task m (yield >> count a 0)))
            count a 0
        sum <$> counts a 1
    pure (seen === 30)

-- | Random tasks on three cells, each of which reads some and then writes some: run with dependences, the cells end as
-- if the tasks had run in order.
dependences :: TeamOf -> Property
dependences t = forAll (resize 40 (listOf ((,) <$> sublistOf cells <*> sublistOf cells))) $ \ops -> ioProperty $ do
    refs <- mapM (const (R.newIORef 1)) cells
    deps <- mapM (const newDep) cells
    parallelTasks (inTeam t) $ \m -> forM_ (zip [1 ..] ops) $ \(k, (ins, outs)) ->
        taskWith m taskDefaults { depends = map (In . (deps !!)) ins ++ map (InOut . (deps !!)) outs } $ do
            yield
            s <- sum <$> mapM (R.readIORef . (refs !!)) ins
            forM_ outs (\c -> R.modifyIORef' (refs !! c) (\v -> (v * 31 + s + k) `mod` 1000003))
    got <- mapM R.readIORef refs
    pure (got === foldl step [1, 1, 1] (zip [1 ..] ops))
  where
    cells = [0 .. 2]
    step :: [Int] -> (Int, ([Int], [Int])) -> [Int]
    step vs (k, (ins, outs)) =
        let s = sum (map (vs !!) ins)
        in [ if c `elem` outs then (v * 31 + s' c + k) `mod` 1000003 else v | (c, v) <- zip cells vs, let s' _ = s ]

mutex :: TeamOf -> Property
mutex t = ioProperty $ do
    r <- R.newIORef (0 :: Int)
    d <- newDep
    parallelTasks (inTeam t) $ \m -> do
        forM_ [1 .. 40 :: Int] $ \_ -> taskWith m taskDefaults { depends = [MutexInOutSet d] } $
            R.readIORef r >>= \v -> yield >> R.writeIORef r (v + 1)
        taskWith m taskDefaults { depends = [InOutSet d] } (R.modifyIORef' r (* 2))
    (=== 80) <$> R.readIORef r

-- | A task that is made in a task is a sibling of none outside of it, so it runs in the middle of that one.
aloneAtOnce :: Assertion
aloneAtOnce = do
    seen <- R.newIORef []
    d <- newDep
    parallelTasks (inTeam (TeamOf 1)) $ \m -> do
        me <- myThreadId
        let note k = myThreadId >>= \t -> R.modifyIORef seen ((k :: Int, t == me) :)
            inTask k more = taskWith m taskDefaults { depends = [InOut d], priority = k } (note k >> more)
        inTask 1 (inTask 2 (pure ()) >> inTask 3 (pure ()))
        note 4
        inTask 5 (pure ())
    R.readIORef seen >>= (@?= [ (k, True) | k <- [5, 4 .. 1] ])

foreign import ccall safe "function_detached" detached :: Ptr CChar -> IO (Ptr ())
foreign import ccall safe "function_fulfil" fulfil :: Ptr () -> IO ()

behindDetached :: Assertion
behindDetached = do
    seen <- R.newIORef ""
    alloca $ \there -> do
        parallelTasks (inTeam (TeamOf 1)) $ \m -> do
            let inTask kind c = taskWith m taskDefaults { depends = [kind (depOf there)] } (R.modifyIORef seen (c :))
            inTask In 'a'
            event <- detached there
            inTask In 'c'
            inTask InOut 'd'
            R.modifyIORef seen ('b' :)
            fulfil event
        R.readIORef seen >>= (@?= "dcba")
        peek there >>= (@?= 1)

aloneThrows :: Assertion
aloneThrows = do
    a <- counters 10
    d <- newDep
    r <- try $ parallelTasks (inTeam (TeamOf 1)) $ \m -> forM_ [0 .. 9] $ \i ->
        taskWith m taskDefaults { depends = [InOut d] } (count a i >> when (i == 4) (throwIO (Boom i)))
    r @?= Left (Boom 4)
    counts a 10 >>= (@?= replicate 5 1 ++ replicate 5 0)

atOnce :: Assertion
atOnce = parallelTasks (inTeam (TeamOf 3)) $ \m -> do
    r <- R.newIORef []
    taskWith m taskDefaults { deferred = False } (R.modifyIORef r ('a' :))
    R.modifyIORef r ('b' :)
    taskWith m taskDefaults { deferred = False, final = True } $ do
        task m (R.modifyIORef r ('c' :))
        R.modifyIORef r ('d' :)
    R.readIORef r >>= (@?= "dcba")

priorities :: Assertion
priorities = do
    a <- counters 100
    parallelTasks (inTeam (TeamOf 3)) $ \m ->
        forM_ [0 .. 99] (\i -> taskWith m taskDefaults { priority = i } (count a i))
    counts a 100 >>= (@?= replicate 100 1)
    -- Out of range: like the nearest value that is in it.
    b <- counters 4
    parallelTasks (inTeam (TeamOf 2)) $ \m -> forM_ (zip [0 ..] [minBound, -1, 2 ^ (32 :: Int), maxBound]) $ \(i, p) ->
        taskWith m taskDefaults { priority = p } (count b i)
    counts b 4 >>= (@?= replicate 4 1)

mvars :: Assertion
mvars = do
    r <- R.newIORef ""
    parallelTasks (inTeam (TeamOf 4)) $ \m -> do
        box <- newEmptyMVar
        task m (takeMVar box >>= R.writeIORef r)
        putMVar box "handed over"
    R.readIORef r >>= (@?= "handed over")

regionInside :: Assertion
regionInside = do
    a <- counters 60
    parallelTasks (inTeam (TeamOf 3)) { maxActiveLevels = Just 2 } $ \m ->
        forM_ [0 .. 5] $ \k -> task m (parallelFor (inTeam (TeamOf 2)) 0 10 (\i -> count a (10 * k + i)))
    counts a 60 >>= (@?= replicate 60 1)

newtype Boom = Boom Int
    deriving (Eq, Show)

instance Exception Boom

exceptionInTask :: TeamOf -> Property
exceptionInTask t = forAll (choose (0, 99)) $ \at -> ioProperty $ do
    a <- counters 100
    r <- try $ parallelTasks (inTeam t) $ \m -> do
        forM_ [0 .. 99] (\i -> task m (if i == at then throwIO (Boom i) else count a i))
        taskwait m
        forever (yield >> taskwait m)
    ran <- counts a 100
    pure (either id (\() -> Boom (-1)) r === Boom at .&&. all (<= 1) ran)

exceptionInGroup :: Assertion
exceptionInGroup = do
    past <- R.newIORef False
    r <- try $ parallelTasks (inTeam (TeamOf 3)) $ \m -> do
        taskgroup m (forM_ [1 .. 10] (\i -> task m (task m (when (i == 7) (throwIO (Boom i))))))
        R.writeIORef past True
    r @?= Left (Boom 7)
    R.readIORef past >>= (@?= False)

timeoutOfTasks :: Assertion
timeoutOfTasks = forM_ [1, 2, 4] $ \n -> do
    r <- timeout 50000 $ parallelTasks (inTeam (TeamOf n)) $ \m ->
        forever (taskgroup m (replicateM_ 10 (task m (pure ()))))
    r @?= (Nothing :: Maybe ())

million :: Assertion
million = do
    a <- counters 4
    -- No list of a million numbers: GHC would make it a value of the module, which every collection after it copies.
    parallelTasks (inTeam (TeamOf 4)) $ \m -> (`fix` (1 :: Int)) $ \next i -> when (i <= 1000000) $ do
        task m (when (i `mod` 250000 == 0) (count a (i `quot` 250000 - 1)))
        next (i + 1)
    sort <$> counts a 4 >>= (@?= [1, 1, 1, 1])

-- The region goes on, and so do its threads, which keep what held the task's action.
forgotten :: Assertion
forgotten = do
    gone <- R.newIORef False
    parallelTasks defaults { numThreads = Just 2 } $ \m -> do
        weak <- writerOfItsOwn m
        taskwait m
        performMajorGC
        deRefWeak weak >>= R.writeIORef gone . isNothing
    R.readIORef gone >>= (@? "the action is alive")

-- | Makes a task that is all that refers to what it writes.
writerOfItsOwn :: Team s -> IO (Weak (R.IORef Char))
writerOfItsOwn m = do
    written <- R.newIORef 'a'
    task m (R.writeIORef written 'b')
    R.mkWeakIORef written (pure ())
{-# NOINLINE writerOfItsOwn #-}
