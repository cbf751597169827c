{-# OPTIONS_GHC -O0 #-} -- what GHC optimises here makes no difference to what is tested
-- | Settings and queries. Where the environment matters, a test starts this program again with that environment, to
-- run this one test.
module SettingsTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import Data.List (isInfixOf, isPrefixOf, nub, sort)
import Foreign.C.Types (CInt (..))
import Foreign.Marshal.Alloc (free)
import Foreign.Marshal.Array (allocaArray, peekArray)
import Foreign.Ptr (FunPtr, Ptr, freeHaskellFunPtr)
import System.Environment (getEnvironment, getExecutablePath, lookupEnv)
import System.Exit (ExitCode (..))
import System.Mem (performMajorGC)
import System.Process (CreateProcess (env), proc, readCreateProcessWithExitCode)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

import OpenMP
import OpenMP.Internal.Bound (inBoundThread)
import OpenMP.Internal.Settings (badSettings, scheduleFromC, scheduleToC)

data Gate

-- Safe: they open regions or wait.
foreign import ccall safe "function_team_size" teamSize :: IO CInt
foreign import ccall safe "function_nested_size" nestedSize :: IO CInt
foreign import ccall safe "function_gate_hold" gateHold :: Ptr Gate -> IO ()
foreign import ccall safe "function_nested_calls" nestedCalls :: FunPtr (IO ()) -> IO ()
foreign import ccall safe "function_places" regionPlaces :: CInt -> Ptr CInt -> IO ()
foreign import ccall "wrapper" callback :: IO () -> IO (FunPtr (IO ()))
-- Safe, so that each call may go to another operating system thread.
foreign import ccall safe "function_set_num_threads" rawSetNumThreads :: CInt -> IO CInt
foreign import ccall safe "function_max_threads" rawMaxThreads :: IO CInt
foreign import ccall safe "function_thread_id" threadId :: IO CInt
-- Unsafe: they touch a few words, or make a short system call.
foreign import ccall unsafe "function_thread_lives" threadLives :: CInt -> IO CInt
foreign import ccall unsafe "function_gate_new" gateNew :: IO (Ptr Gate)
foreign import ccall unsafe "function_gate_held" gateHeld :: Ptr Gate -> IO CInt
foreign import ccall unsafe "function_gate_open" gateOpen :: Ptr Gate -> IO ()

tests :: TestTree
tests = testGroup "Settings"
    [ testGroup "combined" combined
    , testGroup "environment" environment
    , testGroup "queries" queries
    , testGroup "values" values
    , testGroup "scope" scope
    , testGroup "exceptions" exceptions
    , testGroup "binding" binding
    ]

combined :: [TestTree]
combined =
    [ testCase "each setting is the left one's, or the right one's where the left one has none" $
        few <> others @?= few { schedule = Just Static, dynamic = Just True, procBind = Just BindClose
                              , checkConstructs = Just False }
    , testCase "defaults are neutral" $ do
        few <> defaults @?= few
        mempty <> few @?= few
    , testCase "the first of three that says something decides" $
        numThreads (mconcat [defaults, others, few]) @?= Just 3
    ]
  where
    few = defaults { numThreads = Just 2, maxActiveLevels = Just 1 }
    others = defaults
        { numThreads = Just 3, schedule = Just Static, procBind = Just BindClose, dynamic = Just True
        , maxActiveLevels = Just 2, checkConstructs = Just False }

-- In a process of its own, which has these variables and no other of OpenMP's.
inEnvironment :: String -> [(String, String)] -> Assertion -> TestTree
inEnvironment name vars body = testCase name $ do
    asked <- lookupEnv marker
    if asked == Just name then body else do
        self <- getExecutablePath
        now <- getEnvironment
        let kept = [ v | v <- now, not (any (`isPrefixOf` fst v) ["OMP_", "GOMP_", "GHCOMP_", "TASTY_"]) ]
            only = "$NF == " ++ show name
        (status, out, err) <- readCreateProcessWithExitCode
            (proc self ["-p", only, "--color", "never"]) { env = Just ((marker, name) : vars ++ kept) } ""
        assertBool (out ++ err) ("All 1 tests passed" `isInfixOf` out)
        (status, err) @?= (ExitSuccess, "")
  where
    marker = "SETTINGS_TEST"

environment :: [TestTree]
environment =
    [ inEnvironment "nothing is set" [] $ do
        getNumProcs >>= (getMaxThreads >>=) . (@?=)
        getDynamic >>= (@?= False)
        getMaxActiveLevels >>= (@?= 1)
        getThreadLimit >>= (@?= fromIntegral (maxBound :: CInt))
        getCancellation >>= (@?= False)
        getMaxTaskPriority >>= (@?= 0)
        getWaitPolicy >>= (@?= Nothing)
        getProcBind >>= (@?= BindFalse)
        getNumPlaces >>= (@?= 0)
        getPlaceNum >>= (@?= Nothing)
        getPartition >>= (@?= [])
    , inEnvironment "all are set"
        [ ("OMP_NUM_THREADS", "5"), ("OMP_DYNAMIC", "true"), ("OMP_MAX_ACTIVE_LEVELS", "3"), ("OMP_THREAD_LIMIT", "17")
        , ("OMP_CANCELLATION", "true"), ("OMP_MAX_TASK_PRIORITY", "9"), ("OMP_WAIT_POLICY", "passive")
        , ("OMP_SCHEDULE", "guided,7") ] $ do
        getMaxThreads >>= (@?= 5)
        getDynamic >>= (@?= True)
        getMaxActiveLevels >>= (@?= 3)
        getThreadLimit >>= (@?= 17)
        getCancellation >>= (@?= True)
        getMaxTaskPriority >>= (@?= 9)
        getWaitPolicy >>= (@?= Just WaitPassive)
        getSchedule >>= (@?= Guided 7)
    , inEnvironment "an active wait policy" [("OMP_WAIT_POLICY", "active")] $ getWaitPolicy >>= (@?= Just WaitActive)
    , inEnvironment "a schedule with a modifier" [("OMP_SCHEDULE", "monotonic:dynamic,3")] $ runInBoundThread $ do
        getSchedule >>= (@?= Dynamic 3)
        withSettings defaults { schedule = Just Static } getSchedule >>= (@?= Static)
        getSchedule >>= (@?= Dynamic 3)
    , inEnvironment "OpenMP's own variables reach a scope" [("OMP_NUM_THREADS", "6"), ("OMP_SCHEDULE", "auto")] $ do
        withSettings defaults teamSize >>= (@?= 6)
        withSettings defaults { numThreads = Just 2 } ((,) <$> teamSize <*> getSchedule) >>= (@?= (2, Auto))
    , inEnvironment "one place" [("OMP_PLACES", "threads(1)"), ("OMP_PROC_BIND", "close")] $ runInBoundThread $ do
        getNumPlaces >>= (@?= 1)
        getPlaceNum >>= (@?= Just 0)
        getPartition >>= (@?= [0])
        getPlaceProcs 0 >>= (@?= 1) . length
        mapM getPlaceProcs [-1, 1, maxBound] >>= (@?= [[], [], []])
        getProcBind >>= (@?= BindClose)
    , inEnvironment "binding follows the scope" [("OMP_PLACES", "threads")] $ runInBoundThread $ do
        places <- getNumPlaces
        let apart bind = withSettings defaults { procBind = Just bind } $ allocaArray 2 $ \ids -> do
                getProcBind >>= (@?= bind)
                regionPlaces 2 ids
                length . nub <$> peekArray 2 ids
        before <- getProcBind
        apart BindPrimary >>= (@?= 1)
        apart BindSpread >>= (@?= min 2 places)
        apart BindPrimary >>= (@?= 1)
        apart BindClose >>= (@?= min 2 places)
        getProcBind >>= (@?= before)
        withSettings defaults { procBind = Just BindFalse } (pure ()) `fails` ["procBind = BindFalse"]
    , inEnvironment "no binding without places" [] $ do
        withSettings defaults { procBind = Just BindFalse } getProcBind >>= (@?= BindFalse)
        withSettings defaults { procBind = Just BindClose, numThreads = Just 0 } (pure ())
            `fails` ["numThreads = 0", "procBind = BindClose: there are no places"]
    ]

queries :: [TestTree]
queries =
    [ testCase "outside of regions" $ do
        (,,,) <$> getThreadNum <*> getNumThreads <*> getLevel <*> getActiveLevel >>= (@?= (0, 1, 0, 0))
        (,,) <$> inParallel <*> inExplicitTask <*> inFinal >>= (@?= (False, False, False))
        mapM getAncestorThreadNum [minBound, -1, 0, 1, maxBound] >>= (@?= [Nothing, Nothing, Just 0, Nothing, Nothing])
        mapM getTeamSize [minBound, -1, 0, 1, maxBound] >>= (@?= [Nothing, Nothing, Just 1, Nothing, Nothing])
        getSupportedActiveLevels >>= assertBool "levels" . (>= 2)
    , testCase "inside of nested regions" $ do
        seen <- newMVar []
        f <- callback $ do
            place <- (,,,) <$> getLevel <*> getActiveLevel <*> getNumThreads <*> inParallel
            sizes <- mapM getTeamSize [0 .. 3]
            numbers <- mapM getAncestorThreadNum [0 .. 2]
            own <- getThreadNum
            modifyMVar_ seen (pure . ((place, sizes, numbers, Just own == last numbers) :))
        withSettings defaults { maxActiveLevels = Just 2, dynamic = Just False } (nestedCalls f)
        freeHaskellFunPtr f
        got <- takeMVar seen
        sort got @?=
            [ ((2, 2, 3, True), [Just 1, Just 2, Just 3, Nothing], [Just 0, Just i, Just j], True)
            | i <- [0, 1], j <- [0 .. 2] ]
    , testCase "time" $ do
        tick <- getWtick
        (t, u) <- (,) <$> getWtime <*> getWtime
        assertBool "the clock goes back" (u >= t)
        assertBool "the tick is no part of a second" (tick > 0 && tick < 1)
    ]

values :: [TestTree]
values =
    [ testProperty "schedules go to C and back" $ forAll goodSchedule $ \s ->
        uncurry scheduleFromC (scheduleToC s) === s
    , testProperty "a scope holds what it is given, or names each bad value" $ \(Asked s) -> ioProperty $ do
        result <- try (withSettings s ((,,,) <$> getMaxThreads <*> getSchedule <*> getDynamic <*> getMaxActiveLevels))
        pure $ case (badSettings s, result) of
            ([], Right (n, loops, dyn, levels)) -> conjoin
                [ maybe (property ()) (n ===) (numThreads s), maybe (property ()) (loops ===) (schedule s)
                , maybe (property ()) (dyn ===) (dynamic s)
                , maybe (property ()) ((levels ===) . min 255) (maxActiveLevels s) ]
            (bad, Left (ErrorCall message)) -> lines message === map ("OpenMP.withSettings: " ++) bad
            (bad, Right _) -> counterexample (show bad) False
    , testCase "a line for each bad value" $ do
        let bad = defaults { numThreads = Just (-1), schedule = Just (Dynamic 0), maxActiveLevels = Just (-2) }
        withSettings bad (pure ())
            `fails` ["numThreads = -1: a team", "schedule = Dynamic 0: a chunk", "maxActiveLevels = -2: the number"]
        withSettings defaults { numThreads = Just (2 ^ (31 :: Int)) } (pure ()) `fails` ["numThreads = 2147483648"]
    , testCase "setters refuse bad values, and keep the old" $ runInBoundThread $ do
        old <- (,,) <$> getMaxThreads <*> getSchedule <*> getMaxActiveLevels
        setNumThreads 0 `fails` ["numThreads = 0"]
        setSchedule (Guided (-3)) `fails` ["schedule = Guided (-3)"]
        setMaxActiveLevels (-1) `fails` ["maxActiveLevels = -1"]
        (,,) <$> getMaxThreads <*> getSchedule <*> getMaxActiveLevels >>= (@?= old)
    ]

newtype Asked = Asked Settings deriving Show

-- About a third of these have a bad value.
instance Arbitrary Asked where
    arbitrary = Asked <$> (Settings
        <$> optional (frequency [(9, choose (1, 1000)), (1, choose (-2, 0))])
        <*> optional (frequency [(9, goodSchedule), (1, elements [StaticChunks 0, Dynamic (-1), Guided 0])])
        <*> pure Nothing
        <*> optional arbitrary
        <*> optional (frequency [(9, choose (0, 300)), (1, pure (-1))])
        <*> pure Nothing)
      where
        optional g = frequency [(1, pure Nothing), (3, Just <$> g)]

goodSchedule :: Gen Schedule
goodSchedule = do
    n <- oneof [choose (1, 100), pure (fromIntegral (maxBound :: CInt))]
    elements [Static, StaticChunks n, Dynamic n, Guided n, Auto]

scope :: [TestTree]
scope =
    [ testCase (name ++ ": it holds, nests and restores") $ run $ do
        before <- getMaxThreads
        let outer = defaults { numThreads = Just 3, schedule = Just (Dynamic 5), dynamic = Just False }
        withSettings outer $ do
            teamSize >>= (@?= 3)
            withSettings defaults { numThreads = Just 4 } $ do
                teamSize >>= (@?= 4)
                getSchedule >>= (@?= Dynamic 5)
            (,) <$> teamSize <*> getSchedule >>= (@?= (3, Dynamic 5))
        getMaxThreads >>= (@?= before)
    | (name, run) <- [("a bound thread", runInBoundThread), ("one that is not", runInUnboundThread)] ]
    ++
    [ testCase "all of it is restored" $ runInBoundThread $ do
        withSettings defaults { schedule = Just (StaticChunks 9) } $ setSchedule Auto
        let all' = (,,,) <$> getMaxThreads <*> getSchedule <*> getDynamic <*> getMaxActiveLevels
            other = Settings (Just 7) (Just (Guided 2)) Nothing (Just True) (Just 4) Nothing
        before <- all'
        withSettings other all' >>= (@?= (7, Guided 2, True, 4))
        all' >>= (@?= before)
    , testCase "nested regions" $ do
        withSettings defaults { maxActiveLevels = Just 1 } nestedSize >>= (@?= 1)
        withSettings defaults { maxActiveLevels = Just 2, dynamic = Just False } nestedSize >>= (@?= 2)
        withSettings defaults { maxActiveLevels = Just 0 } teamSize >>= (@?= 1)
    , testCase "scopes of many threads at once do not mix" $ do
        answers <- forM [1 .. 20] $ \k -> do
            answer <- newEmptyMVar
            _ <- forkIO (try (withSettings defaults { numThreads = Just k } (replicateM 20 (rawMaxThreads <* yield)))
                             >>= putMVar answer)
            pure (fromIntegral k, answer)
        forM_ answers $ \(k, answer) ->
            takeMVar answer >>= either (assertFailure . show) (@?= replicate 20 k) . asException
    ]

asException :: Either SomeException a -> Either SomeException a
asException = id

data Boom = Boom deriving (Eq, Show)
instance Exception Boom

exceptions :: [TestTree]
exceptions =
    [ testCase (name ++ ": an exception leaves the scope, which restores") $ run $ do
        before <- getMaxThreads
        result <- try (withSettings defaults { numThreads = Just (before + 2) } (throwIO Boom)) :: IO (Either Boom ())
        result @?= Left Boom
        getMaxThreads >>= (@?= before)
    | (name, run) <- [("a bound thread", runInBoundThread), ("one that is not", runInUnboundThread)] ]
    ++
    [ testCase (name ++ ": another thread's exception reaches the scope, which restores") $ run $ do
        before <- getMaxThreads
        inside <- newEmptyMVar
        cleaned <- newEmptyMVar
        never <- newEmptyMVar
        let stuck = (putMVar inside () >> takeMVar never) `finally` (getMaxThreads >>= putMVar cleaned)
        self <- myThreadId
        _ <- forkIO (takeMVar inside >> throwTo self Boom)
        result <- try (withSettings defaults { numThreads = Just (before + 2) } stuck) :: IO (Either Boom ())
        result @?= Left Boom
        tryTakeMVar cleaned >>= (@?= Just (before + 2))
        getMaxThreads >>= (@?= before)
    | (name, run) <- [("a bound thread", runInBoundThread), ("one that is not", runInUnboundThread)] ]
    ++
    [ testCase "an exception thrown to the caller arrives once, whenever it comes" $
        forM_ [0 .. 300 :: Int] $ \k -> do
            count <- newMVar (0 :: Int)
            running <- newEmptyMVar
            thrown <- newEmptyMVar
            ended <- newEmptyMVar
            let note = modifyMVar_ count (pure . (+ 1))
                noted = handle (\Boom -> note)
            target <- mask $ \unmasked -> forkIO $ do
                noted $ unmasked $ do
                    withSettings defaults $ noted $ putMVar running () >> replicateM_ k yield
                    takeMVar thrown
                putMVar ended ()
            takeMVar running
            replicateM_ (k `mod` 7) yield
            throwTo target Boom
            putMVar thrown ()
            timeout 100000000 (takeMVar ended) >>= maybe (assertFailure "the caller never came back") pure
            readMVar count >>= assertEqual ("in round " ++ show k) 1
    , testCase "the action has the caller's masking state" $ runInUnboundThread $ do
        withSettings defaults getMaskingState >>= (@?= Unmasked)
        mask_ (withSettings defaults getMaskingState) >>= (@?= MaskedInterruptible)
        uninterruptibleMask_ (withSettings defaults getMaskingState) >>= (@?= MaskedUninterruptible)
        getMaskingState >>= (@?= Unmasked)
    , testCase "an action that is stuck for ever is told once" $ do
        told <- newMVar (0 :: Int)
        ended <- newEmptyMVar
        let telling = handle (\BlockedIndefinitelyOnMVar -> modifyMVar_ told (pure . (+ 1)))
        -- Nothing may refer to these threads: the collector finds them stuck only then.
        _ <- forkIO $ do
            telling $ withSettings defaults $ do
                telling (newEmptyMVar >>= takeMVar)
                telling (replicateM_ 100 yield)
            putMVar ended ()
        let wait = performMajorGC >> tryTakeMVar ended >>= maybe (yield >> wait) pure
        wait
        readMVar told >>= (@?= 1)
    ]

binding :: [TestTree]
binding =
    [ testCase "setters refuse a thread that is not bound" $ runInUnboundThread $ do
        before <- getMaxThreads
        setNumThreads 3 `fails` ["this Haskell thread is not bound"]
        setSchedule Auto `fails` ["this Haskell thread is not bound"]
        setDynamic True `fails` ["this Haskell thread is not bound"]
        setMaxActiveLevels 3 `fails` ["this Haskell thread is not bound"]
        getMaxThreads >>= (@?= before)
    , testCase "OpenMP's own setter is lost in a thread that is not bound" $ onCapability0 $ do
        before <- rawMaxThreads
        old <- rawSetNumThreads (before + 5)
        whileHeld old $ do
            new <- threadId
            assertBool "the same operating system thread" (new /= old)
            rawMaxThreads >>= (@?= before)
    , testCase "a scope's holds in the same place" $ onCapability0 $ do
        before <- rawMaxThreads
        withSettings defaults { numThreads = Just (fromIntegral before + 5) } $ do
            old <- threadId
            holders 8 $ do
                threadId >>= (@?= old)
                rawMaxThreads >>= (@?= before + 5)
                fromIntegral <$> getMaxThreads >>= (@?= before + 5)
    , testCase "what is bound, and what is not" $ do
        runInUnboundThread (inBoundThread isCurrentThreadBound) >>= (@?= True)
        (outside, inside) <- runInBoundThread ((,) <$> myThreadId <*> withSettings defaults myThreadId)
        inside @?= outside
        bound <- newEmptyMVar
        f <- callback (isCurrentThreadBound >>= putMVar bound)
        ended <- newEmptyMVar
        _ <- forkIO (withSettings defaults { maxActiveLevels = Just 2, dynamic = Just False } (nestedCalls f)
                         `finally` putMVar ended ())
        replicateM 6 (takeMVar bound) >>= (@?= replicate 6 True)
        takeMVar ended
        freeHaskellFunPtr f
    ]

-- In a Haskell thread that is not bound and stays on the first Capability.
onCapability0 :: IO a -> IO a
onCapability0 action = do
    result <- newEmptyMVar
    _ <- forkOn 0 (try action >>= putMVar result)
    takeMVar result >>= either (throwIO :: SomeException -> IO a) pure

-- Puts operating system threads into foreign calls until the given one is in such a call, or has ended. It may be a
-- spare one of any Capability, or busy with another test: then all are released, and the search starts again.
whileHeld :: CInt -> IO a -> IO a
whileHeld wanted action = do
    capabilities <- getNumCapabilities
    let go [] = pure Nothing
        go (capability : rest) = holding capability $ \held -> do
            lives <- threadLives wanted
            if held == wanted || lives == 0 then Just <$> action else go rest
        search = go (take (16 * capabilities) (cycle [0 .. capabilities - 1])) >>= maybe (yield >> search) pure
    search

-- Puts this many of the first Capability's operating system threads into foreign calls.
holders :: Int -> IO a -> IO a
holders 0 action = action
holders n action = holding 0 (const (holders (n - 1) action))

-- It looks for the other thread by yielding to it. A foreign call that waits would occupy the very operating system
-- thread that the other one may need.
holding :: Int -> (CInt -> IO a) -> IO a
holding capability action = bracket gateNew free $ \gate -> do
    gone <- newEmptyMVar
    _ <- forkOn capability (gateHold gate >> putMVar gone ())
    let arrival = gateHeld gate >>= \thread -> if thread == 0 then yield >> arrival else pure thread
    (arrival >>= action) `finally` (gateOpen gate >> takeMVar gone)

fails :: IO a -> [String] -> Assertion
fails action parts = do
    result <- try (void action)
    case result of
        Right () -> assertFailure "it was taken"
        Left (ErrorCall message) -> do
            length (lines message) @?= length parts
            forM_ (zip parts (lines message)) $ \(part, line) ->
                assertBool (message ++ "\n does not say: " ++ part)
                    (part `isInfixOf` line && "OpenMP." `isPrefixOf` line)
