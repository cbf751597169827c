{-# OPTIONS_GHC -O0 #-} -- what GHC optimises here makes no difference to what is tested
-- | Teams whose threads cannot be made.
module ShortageTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import Data.List (isInfixOf, isPrefixOf)
import Data.Monoid (Sum (..))
import Foreign.C.Types (CInt (..))
import System.Directory (listDirectory)
import System.Environment (getEnvironment, getExecutablePath, lookupEnv)
import System.Exit (ExitCode (..))
import System.IO.Unsafe (unsafePerformIO)
import System.Process
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit

import OpenMP.Eval
import OpenMP.Parallel
import OpenMP.Query
import OpenMP.Settings

import Gate (until_)
import Timing (whenTiming)

-- Unsafe: they touch a few words, or make a short system call.
foreign import ccall unsafe "shortage_after" shortageAfter :: CInt -> IO ()
foreign import ccall unsafe "shortage_refused" refused :: IO CInt
foreign import ccall unsafe "shortage_of_kernel" shortageOfKernel :: CInt -> IO CInt
-- Safe: it may make a thread and wait for it.
foreign import ccall safe "shortage_holds" shortageHolds :: IO CInt
foreign import ccall safe "census_workers" workers :: IO CInt

tests :: TestTree
tests = testGroup "teams that cannot be made"
    [ testGroup "no system can have them"
        [ testCase "functions with settings" impossible
        , testCase "in a region" impossibleInside
        , testCase "a lazy value" impossibleLazy
        , inProcess "a thread limit makes them possible" [("OMP_THREAD_LIMIT", "3")] limited
        , inProcess "dyn-var makes them possible" [("OMP_DYNAMIC", "true")] adaptive
        ]
    , testGroup "the system makes no more"
        [ inProcess "a region" [] shortRegion
        , inProcess "a region that may be smaller" [] shortDynamic
        , inProcess "tasks" [] shortTasks
        , inProcess "a region in a region" [] shortInside
        , inProcess "a region beside others" [] shortBeside
        , inProcess "a region with an exception on its way" [] shortInterrupted
        , inProcess "loops go on" [] shortLoops
        , inProcess "by the kernel's limit" [] shortByKernel
        ]
    ]

-- | In a process of its own: what a shortage leaves behind (a loop makes no workers for a while) is not for others.
inProcess :: String -> [(String, String)] -> Assertion -> TestTree
inProcess name vars body = testCase name $ do
    asked <- lookupEnv marker
    if asked == Just name then body else do
        self <- getExecutablePath
        now <- getEnvironment
        let kept = [ v | v <- now, not (any (`isPrefixOf` fst v) ["OMP_", "GOMP_", "GHCOMP_", "TASTY_"]) ]
            only = "$0 ~ /teams that cannot be made/ && $NF == " ++ show name
        (status, out, err) <- readCreateProcessWithExitCode
            (proc self ["-p", only, "--color", "never"]) { env = Just ((marker, name) : vars ++ kept) } ""
        assertBool (out ++ err) ("All 1 tests passed" `isInfixOf` out && status == ExitSuccess)
        mapM_ putStrLn [ l | l <- lines out, "SKIP " `isPrefixOf` l ]
  where
    marker = "SHORTAGE_TEST"

tooMany :: Settings
tooMany = defaults { numThreads = Just 2000000000 }

-- | The exception, whose message is one line.
fails :: IO a -> IO TeamImpossible
fails act = do
    r <- try act
    case r of
        Right _ -> assertFailure "no exception"
        Left e  -> do
            length (lines (show e)) @?= 1
            assertBool (show e) (teamPossible e >= 1 && teamPossible e < teamWanted e)
            pure e

usable :: Assertion
usable = do
    parallel defaults { numThreads = Just 3 } threadNum >>= (@?= [0, 1, 2])
    parallelReduce defaults { numThreads = Just 3 } IndexOrder 0 1000 (pure . Sum) >>= (@?= Sum 499500)

impossible :: Assertion
impossible = do
    usable
    before <- workers
    forM_ functions $ \act -> do
        e <- fails act
        teamWanted e @?= 2000000000
        assertBool (show e) ("limit" `isInfixOf` teamWhyNot e)
    workers >>= (@?= before)
    usable
  where
    functions =
        [ void (parallel tooMany threadNum)
        , parallel_ tooMany (\_ -> pure ())
        , parallelTasks tooMany (\_ -> pure ())
        , parallelFor tooMany 0 10 (\_ -> pure ())
        , parallelForWith tooMany 0 10 (pure ()) (\_ _ -> pure ())
        , void (parallelReduce tooMany IndexOrder 0 10 (pure . Sum))
        , void (parallelSections tooMany [pure 'x', pure 'y'])
        , parallelFor2 tooMany (0, 0) (3, 3) (\_ _ -> pure ())
        , void (evaluate (sum (parMap tooMany rseq (+ 1) [1 .. 10 :: Int])))
        , void (withSettings tooMany getMaxThreads)
        , runInBoundThread (setNumThreads 2000000000)
        ]

impossibleInside :: Assertion
impossibleInside = do
    let nested = defaults { numThreads = Just 2, maxActiveLevels = Just 2 }
    e <- fails (parallel_ nested (\_ -> parallel_ tooMany (\_ -> pure ())))
    teamWanted e @?= 2000000000
    usable

impossibleLazy :: Assertion
impossibleLazy = do
    let value = getSum (unsafePerformIO (parallelReduce tooMany IndexOrder 0 10 (pure . Sum)))
    _ <- fails (evaluate value)
    void (fails (evaluate value))

limited, adaptive :: Assertion
limited = do
    parallel tooMany threadNum >>= (@?= [0, 1, 2])
    parallelFor tooMany 0 100 (\_ -> pure ())
    withSettings tooMany getMaxThreads >>= (@?= 2000000000)
adaptive = do
    n <- getNumProcs
    r <- parallel tooMany threadNum
    assertBool (show r) (length r <= n)
    withSettings tooMany getMaxThreads >>= (@?= 2000000000)

many :: Settings
many = defaults { numThreads = Just 60 }

-- | With so many threads that can still be made.
short :: CInt -> IO a -> IO a
short n = bracket_ (shortageAfter n) (shortageAfter (-1))

osThreads :: IO Int
osThreads = length <$> listDirectory "/proc/self/task"

-- | A region that does not begin has run no body, and its threads are gone.
shortRegion :: Assertion
shortRegion = do
    usable
    ran <- R.newIORef False
    before <- osThreads
    forM_ [0, 1, 20, 56] $ \n -> do
        e <- short n (fails (parallel_ many (\_ -> R.writeIORef ran True)))
        (teamWanted e, teamPossible e) @?= (60, 3 + fromIntegral n)
        whenTiming $ until_ "the threads that were made end" ((<= before + 4) <$> osThreads) -- GHC makes some, too
        usable
    R.readIORef ran >>= (@?= False)
    some <- refused
    assertBool "the shortage was simulated" (some > 0)
    length <$> parallel many threadNum >>= (@?= 60)
    short 0 (length <$> parallel many threadNum) >>= (@?= 60) -- which there are

shortDynamic :: Assertion
shortDynamic = do
    r <- short 20 (parallel many { dynamic = Just True } (\team -> barrier team >> threadNum team))
    assertBool (show r) (r == [0 .. length r - 1] && length r > 1 && length r < 21)
    usable

shortTasks :: Assertion
shortTasks = do
    _ <- short 5 (fails (parallelTasks many (\team -> mapM_ (\_ -> task team (pure ())) [1 .. 10 :: Int])))
    usable

shortInside :: Assertion
shortInside = do
    let outer = defaults { numThreads = Just 2, maxActiveLevels = Just 2 }
    parallel outer threadNum >>= (@?= [0, 1])
    e <- short 4 (fails (parallel_ outer (\_ -> parallel_ many (\_ -> pure ()))))
    teamWanted e @?= 60
    caught <- short 4 (parallel outer (\_ -> teamWanted <$> fails (parallel_ many (\_ -> pure ()))))
    caught @?= [60, 60]
    parallel outer (\_ -> length <$> parallel defaults { numThreads = Just 3 } threadNum) >>= (@?= [3, 3])
    usable

-- | Other masters have their regions meanwhile, and get the workers that they need.
shortBeside :: Assertion
shortBeside = do
    usable
    stop <- R.newIORef False
    done <- forM [1 .. 4 :: Int] $ \_ -> do
        box <- newEmptyMVar
        let go n = do
                r <- parallel defaults { numThreads = Just 2 } threadNum
                over <- R.readIORef stop
                if r /= [0, 1] then pure (Left r) else if over then pure (Right (n + 1)) else go (n + 1 :: Int)
        _ <- forkIO (try (go 0) >>= putMVar box)
        pure box
    replicateM_ 10 (parallel defaults { numThreads = Just 9 } threadNum)
    short 8 $ replicateM_ 5 $ do
        e <- fails (parallel_ many (\_ -> pure ()))
        assertBool (show e) (teamPossible e >= 3)
    R.writeIORef stop True
    forM_ done $ takeMVar >=> \r -> case r of
        Right (Right n) -> assertBool "regions ran" (n > 0)
        Right (Left l)  -> assertFailure (show l)
        Left e          -> case fromException e of
            -- Its own worker was what could not be made.
            Just impossible' -> teamWanted impossible' @?= 2
            Nothing          -> throwIO (e :: SomeException)
    usable

-- | The exception that waits comes after this one: neither is lost.
shortInterrupted :: Assertion
shortInterrupted = do
    r <- newEmptyMVar
    ready <- newEmptyMVar
    t <- mask_ $ forkIOWithUnmask $ \unmask -> do
        putMVar ready ()
        first <- try (short 3 (parallel_ many (\_ -> pure ())))
        second <- try (unmask (threadDelay 100000000))
        putMVar r (either teamWanted (const 0) first, either (\e -> show (e :: SomeException)) show second)
    takeMVar ready
    killThread t
    takeMVar r >>= (@?= (60, "thread killed"))
    timeout 100000000 usable >>= (@?= Just ())

shortLoops :: Assertion
shortLoops = do
    let n = 100000
        inRegion = many { maxActiveLevels = Just 1 } -- settings for the bodies' own regions always open a region
    forM_ [0, 20] $ \left -> short left $ replicateM_ 3 $ do
        total <- R.newIORef (0 :: Int)
        parallelFor inRegion 0 n (\i -> R.atomicModifyIORef' total (\t -> (t + i, ())))
        R.readIORef total >>= (@?= sum [0 .. n - 1])
        parallelReduce inRegion IndexOrder 0 n (pure . Sum) >>= (@?= Sum (sum [0 .. n - 1]))
        parallelSections inRegion [ pure i | i <- [1 .. 20 :: Int] ] >>= (@?= [1 .. 20])
    usable

-- | A thread beyond the limit of its user: one that is not root's, see there.
shortByKernel :: Assertion
shortByKernel = runInBoundThread $ do
    usable
    why <- shortageOfKernel 1
    holds <- if why == 0 then shortageHolds else pure 0
    if holds == 0
        then shortageOfKernel 0 >> putStrLn "SKIP the kernel's limit on threads: it has no effect here"
        else do
            e <- fails (parallel_ many (\_ -> pure ())) `finally` shortageOfKernel 0
            (teamWanted e, teamPossible e) @?= (60, 3)
            length <$> parallel many threadNum >>= (@?= 60)
    usable
