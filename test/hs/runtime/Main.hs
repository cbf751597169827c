-- | OpenMP regions in a Haskell program that links the library: each case is a process of its own, this
-- program with the case's name as its argument. Without an argument it starts them all.
module Main (main) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import Data.Bits (popCount)
import qualified Data.IORef as R
import qualified Data.List as List
import Foreign.C.Types (CInt (..), CLong (..), CUIntPtr (..))
import Foreign.Ptr (FunPtr, freeHaskellFunPtr)
import GHC.Stats (gc, gcdetails_live_bytes, getRTSStats)
import Numeric (readHex)
import System.Directory (listDirectory)
import System.Environment (getArgs, getEnvironment, getExecutablePath)
import System.Exit (ExitCode (..))
import System.Mem (performMajorGC)
import System.Posix.Process (ProcessStatus (..), forkProcess, getProcessStatus)
import System.Process (CreateProcess (env), proc, readCreateProcessWithExitCode)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit

import Check
import OpenMP
import OpenMP.Internal.Watch (onLooks)
import OpenMP.Parallel (parallel_)
import Pool

-- Safe, all three: they open regions, and region_calls comes back into Haskell.
foreign import ccall safe "region_sum" regionSum :: CLong -> CInt -> IO CLong
foreign import ccall safe "region_size" regionSize :: CInt -> IO CInt
foreign import ccall safe "region_calls" regionCalls :: CInt -> FunPtr (CInt -> IO CInt) -> IO CInt
foreign import ccall safe "region_events" regionEvents :: CInt -> CInt -> FunPtr (CUIntPtr -> IO ()) -> IO CInt
foreign import ccall "wrapper" handler :: (CUIntPtr -> IO ()) -> IO (FunPtr (CUIntPtr -> IO ()))
-- Safe: it may run the end of a task and wake threads, and must not hold up the collector meanwhile.
foreign import ccall safe "omp_fulfill_event" fulfillEvent :: CUIntPtr -> IO ()
-- Safe: what another Task does with the Capability meanwhile is what the case is about.
foreign import ccall safe "usleep" usleep :: CInt -> IO CInt
foreign import ccall "wrapper" callback :: (CInt -> IO CInt) -> IO (FunPtr (CInt -> IO CInt))

main :: IO ()
main = getArgs >>= \args -> case args of
    ["case", name] | Just body <- lookup name ([ (n, b) | (n, _, b) <- allCases ] ++ map endingCase poolEndings) -> body
    _ -> do
        self <- getExecutablePath
        defaultMain $ localOption (mkTimeout 180000000) $ testGroup "runtime"
            (testCase "libgomp comes first" (behindLibgomp self)
                : [ testCase name (passes self name vars) | (name, vars, _) <- allCases ]
                ++ [ testCase (endingName e) (ends self e) | e <- poolEndings ])
  where
    allCases = cases ++ poolCases
    endingCase e = (endingName e, endingRun e)

two :: Settings
two = defaults { numThreads = Just 2 }

passes :: FilePath -> String -> [(String, String)] -> Assertion
passes self name vars = runCase self name vars >>= (@?= (ExitSuccess, ""))

ends :: FilePath -> Ending -> Assertion
ends self e = do
    (status, err) <- runCase self (endingName e) (endingVars e)
    assertEqual err (endingExit e) status
    assertBool err (endingSays e err)

-- | How a case ended, and what it wrote to stderr.
runCase :: FilePath -> String -> [(String, String)] -> IO (ExitCode, String)
runCase self name vars = do
    now <- getEnvironment
    let kept = [ v | v <- now, fst v `notElem` ("GHCOMP_HOST" : "OMP_NUM_THREADS" : "OMP_DYNAMIC" : map fst vars) ]
    (status, _, err) <- readCreateProcessWithExitCode (proc self ["case", name]) { env = Just (vars ++ kept) } ""
    pure (status, err)

-- | As if the program were linked with @-lgomp@. In a @-dynamic@ program libgomp serves then, which is said at the
-- start; a static one has the names itself.
behindLibgomp :: FilePath -> Assertion
behindLibgomp self = do
    (status, err) <- runCase self foreignRuntime [("LD_PRELOAD", "libgomp.so.1")]
    assertEqual err ExitSuccess status
    case lines err of
        [] -> pure () -- the case has checked whether that is right
        [line] -> do
            assertBool line ("ghc-openmp: warning: OpenMP code of this program runs on " `List.isPrefixOf` line)
            assertBool line ("/libgomp.so.1, not on ghc-openmp; link without -lgomp" `List.isInfixOf` line)
        _ -> assertFailure err

foreignRuntime :: String
foreignRuntime = "another runtime may be first"

-- | A @-dynamic@ program has this package's code in a shared library.
isDynamic :: IO Bool
isDynamic = ("libHSghc-openmp" `List.isInfixOf`) <$> readFile "/proc/self/maps"

-- | A region whose result is known.
sums :: Int -> Int -> IO ()
sums n threads = do
    s <- regionSum (fromIntegral n) (fromIntegral threads)
    equal "the sum of a loop" (n * (n - 1) `div` 2) (fromIntegral s)

cases :: [(String, [(String, String)], IO ())]
cases =
    [ ("the library's runtime serves the process", [], do
        r <- runtime
        equal "host" ("ghc", "linked") (runtimeHost r, runtimeOrigin r)
        check ("another runtime serves: " ++ runtimeObject r) (runtimeServes r)
        requireRuntime
        check "no GHC version" (maybe False (not . null) (runtimeGhc r))
        equal "version" "0.1" (take 3 (runtimeVersion r)))

    , (foreignRuntime, [], do
        theirs <- (&&) <$> isDynamic <*> (any (== "LD_PRELOAD") . map fst <$> getEnvironment)
        r <- runtime
        equal "runtimeServes" (not theirs) (runtimeServes r)
        equal "the object is libgomp" theirs ("/libgomp.so.1" `List.isSuffixOf` runtimeObject r)
        let refusedExactlyThen what action = do
                done <- try action
                check what (either (\(ErrorCall e) -> theirs && runtimeObject r `List.isInfixOf` e)
                                   (const (not theirs)) done)
        refusedExactlyThen "requireRuntime" requireRuntime
        refusedExactlyThen "withSettings" (withSettings defaults { numThreads = Just 3 } (pure ()))
        refusedExactlyThen "setNumThreads" (setNumThreads 3)
        withSettings defaults (sums 1000 4)
        sums 1000 4)

    , ("the Capabilities are seen", [], do
        capabilityVisibility >>= equal "before the host is chosen" VisibilityNone
        _ <- runtime
        -- The time limit is the test's.
        let found = capabilityVisibility >>= \s -> case s of
                VisibilityFinding -> threadDelay 1000 >> found
                _ -> pure s
        found >>= equal "once they are found" VisibilityAware)

    , ("on POSIX threads there is nothing to see", [("GHCOMP_HOST", "posix")], do
        r <- runtime
        equal "host" "posix" (runtimeHost r)
        capabilityVisibility >>= equal "visibility" VisibilityNone)

    , ("settings", [("OMP_NUM_THREADS", "5")], do
        getMaxThreads >>= equal "OMP_NUM_THREADS" 5
        setNumThreads 3
        getMaxThreads >>= equal "setNumThreads" 3
        setDynamic True
        getDynamic >>= equal "setDynamic" True
        setMaxActiveLevels 2
        getMaxActiveLevels >>= equal "setMaxActiveLevels" 2
        r <- try (setNumThreads 0) :: IO (Either ErrorCall ())
        check "setNumThreads 0 is taken" (either (const True) (const False) r)
        outside <- (,,,) <$> getThreadNum <*> getNumThreads <*> getLevel <*> inParallel
        equal "outside of regions" (0, 1, 0, False) outside
        n <- getNumProcs
        check "no CPUs" (n >= 1)
        limit <- getThreadLimit
        check "no threads allowed" (limit >= 1)
        (t, u) <- (,) <$> getWtime <*> getWtime
        check "time goes back" (u >= t))

    , ("what lasts long keeps nothing for each look of the watcher", [("GHCRTS", "-T")], do
        let entries = 50 :: Int
        looks <- R.newIORef (0 :: Int)
        strikes <- mask_ $ replicateM entries $ onLooks (R.modifyIORef' looks (+ 1))
        let liveAfter n = do
                seen <- R.readIORef looks
                if seen < n * entries then threadDelay 1000 >> liveAfter n else do
                    performMajorGC
                    fromIntegral . gcdetails_live_bytes . gc <$> getRTSStats :: IO Int
        before <- liveAfter 20
        later <- liveAfter 320
        sequence_ strikes
        -- A word for each entry and look would be 120,000 bytes. A piece of a stack has 32,768.
        check ("the heap has grown by " ++ show (later - before) ++ " bytes") (later - before < 100000))

    , ("exact teams, larger than the machine", [], forM_ [1, 2, 64, 3, 64] $ \n -> regionSize n >>= equal "team" n)

    , ("regions by a safe call while Haskell threads run", [], whileHaskellRuns)
    , ("the same on POSIX threads", [("GHCOMP_HOST", "posix")], do
        r <- runtime
        equal "host" "posix" (runtimeHost r)
        whileHaskellRuns)
    , ("the same with OMP_DYNAMIC", [("OMP_DYNAMIC", "true")], whileHaskellRuns)

    , ("many Haskell threads in regions at once", [], do
        done <- forM [1 .. 8] $ \k -> do
            v <- newEmptyMVar
            _ <- forkIO (try (replicateM_ 50 (sums (1000 * k) (1 + k `mod` 4))) >>= putMVar v)
            pure v
        rs <- mapM takeMVar done
        forM_ rs (either (\e -> check (show (e :: SomeException)) False) pure))

    , ("a callback from every worker of a region", [], do
        seen <- R.newIORef []
        f <- callback (\i -> R.atomicModifyIORef' seen (\l -> (i : l, ())) >> pure (10 * i))
        forM_ [1 .. 50 :: Int] $ \_ -> do
            R.writeIORef seen []
            regionCalls 4 f >>= equal "results" 60
            R.readIORef seen >>= equal "who called" [0 .. 3] . List.sort
        freeHaskellFunPtr f)

    , ("callbacks of one team wait for each other in Haskell", [], do
        inside <- newMVar (0 :: Int)
        open <- newEmptyMVar
        f <- callback (\_ -> do
            n <- modifyMVar inside (\n -> pure (n + 1, n + 1))
            when (n == 4) (putMVar open ())
            readMVar open
            fromIntegral <$> getNumThreads)
        regionCalls 4 f >>= equal "team sizes" 16
        freeHaskellFunPtr f)

    , ("a callback opens a region of its own", [], do
        f <- callback (\i -> fromIntegral <$> regionSum (fromIntegral i + 1) 2)
        setMaxActiveLevels 2
        regionCalls 3 f >>= equal "sums" (0 + 1 + 3)
        freeHaskellFunPtr f)

    , ("forkProcess between regions, with regions in the child", [], do
        sums 1000 4
        forM_ [1 .. 5 :: Int] $ \k -> do
            child <- forkProcess (sums 1000 4 >> sums 500 (1 + k) >> sums 100 3)
            getProcessStatus True False child >>= equal "child" (Just (Exited ExitSuccess))
            sums 2000 4)

    , ("forkProcess while a region runs, with one in the child that is interrupted", [], do
        inside <- newEmptyMVar
        end <- newEmptyMVar
        over <- newEmptyMVar
        _ <- forkIO (parallel_ two (\_ -> putMVar inside () >> readMVar end) >> putMVar over ())
        replicateM_ 2 (takeMVar inside)
        child <- forkProcess $
            timeout 20000 (parallel_ two (\_ -> forever (threadDelay 1000000))) >>= equal "in the child" Nothing
        getProcessStatus True False child >>= equal "child" (Just (Exited ExitSuccess))
        putMVar end ()
        takeMVar over)

    , ("forkProcess while callers of regions wait, with regions in the child", [], do
        gate <- newEmptyMVar
        begun <- newEmptyMVar
        let one = defaults { numThreads = Just 1, maxActiveLevels = Just 1 }
        done <- replicateM 64 $ do
            v <- newEmptyMVar
            v <$ forkIO (parallel_ one (\_ -> tryPutMVar begun () >> readMVar gate) >> putMVar v ())
        takeMVar begun
        child <- forkProcess (replicateM_ 3 (parallel_ two (\_ -> pure ())))
        getProcessStatus True False child >>= equal "child" (Just (Exited ExitSuccess))
        putMVar gate ()
        mapM_ takeMVar done)

    , ("forkProcess with callbacks in the child", [], do
        sums 1000 3
        child <- forkProcess $ do
            f <- callback (pure . (+ 1))
            regionCalls 3 f >>= equal "results" 6
        getProcessStatus True False child >>= equal "child" (Just (Exited ExitSuccess)))

    , ("events of detached tasks, fulfilled by Haskell threads", [], events)
    , ("the same on POSIX threads", [("GHCOMP_HOST", "posix")], events)

    , ("the number of Capabilities changes between regions", [], do
        f <- callback pure
        forM_ [1, 3, 2, 4] $ \n -> do
            setNumCapabilities n
            sums 1000 4
            regionCalls 4 f >>= equal "results" 6
        freeHaskellFunPtr f)

    , ("threads that GHC makes take signals", [("GHCRTS", "-qg")], do
        beside (\n -> regionSize 2 >> (setNumCapabilities n >> replicateM_ 20 (regionSize 2)))
        -- Of GHC's threads only the ticker blocks any; others for a moment, where libc starts one or one ends. So those
        -- count that block some at every look.
        let blocked = filter (\(_, name, m) -> name /= "ghc_ticker" && m /= 0) <$> threadsHave "SigBlk:"
            look :: Int -> [(String, String, Integer)] -> IO [(String, String, Integer)]
            look left found
                | null found || left == 0 = pure found
                | otherwise = do
                    threadDelay 100000
                    now <- blocked
                    look (left - 1) (filter (\(thread, _, _) -> thread `elem` [ t | (t, _, _) <- now ]) found)
        found <- blocked >>= look 600
        equal "threads with blocked signals" [] found)

    , ("threads that GHC makes may use all CPUs", [("OMP_PROC_BIND", "true"), ("GHCRTS", "-qg")], do
        -- On one CPU nothing can be seen.
        [before] <- List.nub . map third <$> threadsHave "Cpus_allowed:"
        bound <- regionSize 2 >> threadsHave "Cpus_allowed:"
        beside (\n -> setNumCapabilities n >> replicateM_ 20 (regionSize 2))
        behind <- threadsHave "Cpus_allowed:"
        -- The team's other member.
        let workers = if popCount before > 1 then 1 else 0
        equal "threads that are bound" workers (length (filter ((/= before) . third) bound))
        equal "threads with fewer CPUs" workers (length (filter ((/= before) . third) behind)))
    ]
  where
    third (_, _, c) = c

-- | Runs an action with 2 to 64, while on as many Capabilities Haskell threads make short safe calls: each Capability
-- needs another Task for what runs on it meanwhile. The calls are so long that 63 threads leave CPUs idle: where
-- as many keep them busy by sleeps of 20 us, Linux (6.18) starves other processes, up to three minutes.
beside :: (Int -> IO a) -> IO ()
beside act = do
    stop <- R.newIORef False
    let go = R.readIORef stop >>= \over -> unless over (usleep 2000 >> yield >> go)
    forM_ [2 .. 64] $ \n -> do
        _ <- act n
        forkOn (n - 1) go
    R.writeIORef stop True

-- | The process's threads with their names, and a mask of each in hexadecimal, from the kernel's field of that name.
threadsHave :: String -> IO [(String, String, Integer)]
threadsHave field = listDirectory tasks >>= fmap concat . mapM one
  where
    tasks = "/proc/self/task/"
    one thread = either gone
        (\text -> [ (thread, n, m) | n <- named "Name:" text, h <- named field text
                                   , (m, "") <- readHex (filter (/= ',') h) ])
        <$> try (readFile (tasks ++ thread ++ "/status") >>= \text -> text <$ evaluate (length text))
    gone :: IOException -> [a]
    gone _ = []
    named key text = [ value | key' : value : _ <- map words (lines text), key' == key ]

-- | Tasks hand the handle of their event to Haskell; Haskell threads that no region knows fulfil it. Only then do the
-- tasks that depend on them run.
events :: IO ()
events = do
    handles <- newChan
    f <- handler (writeChan handles)
    fulfillers <- replicateM 2 (forkIO (forever (readChan handles >>= fulfillEvent)))
    forM_ [1, 2, 4, 2] $ \threads -> regionEvents threads 100 f >>= equal "dependent tasks" 100
    mapM_ killThread fulfillers
    freeHaskellFunPtr f

-- | Two Haskell threads allocate all the time; regions give right results, and neither side stops the other.
whileHaskellRuns :: IO ()
whileHaskellRuns = do
    counters <- forM [1, 2 :: Integer] $ \seed -> do
        units <- R.newIORef (0 :: Int)
        _ <- forkIO $ forever $ do
            _ <- evaluate (List.foldl' (\acc k -> (acc * 31 + k) `mod` 1000000007) seed [1 .. 1000])
            R.modifyIORef' units (+ 1)
        pure units
    -- Until both have worked beside regions: a run that starves Haskell meets the test's time limit.
    let go :: Int -> IO ()
        go k = do
            sums 10000 (1 + k `mod` 4)
            units <- mapM R.readIORef counters
            unless (k >= 60 && all (>= 50) units) (go (k + 1))
    go 1
