{-# OPTIONS_GHC -O0 #-} -- what GHC optimises here makes no difference to what is tested
{-# LANGUAGE ScopedTypeVariables #-}
-- | Callbacks from C: every shape, from every thread, with what can go wrong. The C side is callbacks.c.
module CallbackTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import Data.IORef
import Foreign hiding (void)
import Foreign.C.Types
import System.IO.Unsafe (unsafePerformIO)
import System.Mem (performGC, performMinorGC)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (function, total)

import OpenMP.Callback

import Capabilities

-- Safe: it calls back.
foreign import ccall safe "callbacks_run" c_run
    :: CInt -> CInt -> CInt -> CIntPtr -> CSize -> Ptr c -> Ptr Double -> IO CInt

foreign import ccall safe "ghcomp_callback_call" c_call :: Ptr CCallback -> CIntPtr -> IO CInt
foreign import ccall safe "ghcomp_callback_range" c_range :: Ptr CCallback -> CIntPtr -> CIntPtr -> IO CInt
foreign import ccall safe "ghcomp_callback_fold" c_fold
    :: Ptr CFoldCallback -> CIntPtr -> CIntPtr -> Ptr Double -> IO CInt

-- Unsafe: a load.
foreign import ccall unsafe "omp_get_thread_num" c_thread :: IO CInt

foreign import ccall "wrapper" wrapFunction
    :: (CIntPtr -> IO CIntPtr) -> IO (FunPtr (CIntPtr -> IO CIntPtr))

-- | The order is that of callbacks.c.
data Way = Call | Range | Array | Each | Batch | Function | Map | Fold | FoldInt | Records | RecordsNoResult
    deriving (Bounded, Enum, Eq, Show)

data Threads = Team Int | Pthreads Int deriving Show

allThreads :: [Threads]
allThreads = [kind n | kind <- [Team, Pthreads], n <- [1, 2, 4, 8]]

-- | Runs the indices below the count; returns how many threads saw a failure, and the total of the results.
run :: Way -> Threads -> Int -> Int -> Ptr c -> IO (Int, Double)
run way threads count room object = alloca $ \total -> do
    failed <- c_run (fromIntegral (fromEnum way)) team (fromIntegral n) (fromIntegral count) (fromIntegral room) object
        total
    (,) (fromIntegral failed) <$> peek total
  where
    (team, n) = case threads of
        Team size     -> (1, size)
        Pthreads size -> (0, size)

-- | The ways that call a function of an index, with the function as they want it.
indexWays :: [Way]
indexWays = [Call, Range, Array, Each, Batch, Function]

runIndices :: Way -> Threads -> Int -> Int -> (Int -> IO ()) -> IO Int
runIndices Function threads count room f =
    withFunPtr wrapFunction (\i -> f (fromIntegral i) >> pure (2 * i + 1)) $ \function ->
        fst <$> run Function threads count room (castFunPtrToPtr function)
runIndices way threads count room f =
    withCallback f $ \callback -> fst <$> run way threads count room (callbackPtr callback)

-- | How often a body is called for each index. No two calls are for one index, unless the test fails: no atomics.
countCalls :: Int -> ((Int -> IO ()) -> IO a) -> IO (a, [Int])
countCalls count act = withArray (replicate count 0) $ \calls -> do
    result <- act $ \i ->
        if i < 0 || i >= count then throwIO (userError ("index " ++ show i)) else
            peekElemOff calls i >>= pokeElemOff calls i . (+ 1)
    (,) result <$> peekArray count calls

newtype Boom = Boom Int deriving (Eq, Show)
instance Exception Boom

tests :: TestTree
tests = testGroup "Callback"
    [ testGroup "every index once" [everyIndexOnce way threads | way <- indexWays, threads <- allThreads]
    , testGroup "results" $ concatMap results allThreads
    , testProperty "one thread: the arguments in order" inOrder
    , testGroup "with the rest of Haskell" withHaskell
    , testGroup "exceptions" exceptions
    , testGroup "lifetime" lifetime
    ]

everyIndexOnce :: Way -> Threads -> TestTree
everyIndexOnce way threads = testCase (show way ++ ", " ++ show threads) $
    forM_ [0, 1, 7, 1000] $ \count -> do
        (failed, calls) <- countCalls count (runIndices way threads count 16)
        failed @?= 0
        calls @?= replicate count 1

results :: Threads -> [TestTree]
results threads =
    [ testCase ("map, " ++ show threads) $ do
        outcome <- withMapCallback (\x -> pure (2 * x)) (run Map threads 1000 0 . callbackPtr)
        outcome @?= (0, 999000)
    , testCase ("fold, " ++ show threads) $ do
        outcome <- withFoldCallback (\i total -> pure (total + fromIntegral i)) (run Fold threads 1000 0 . callbackPtr)
        outcome @?= (0, 499500)
    , testCase ("fold_int, " ++ show threads) $ do
        outcome <- withFoldIntCallback (\i total -> pure (total + i)) (run FoldInt threads 1000 0 . callbackPtr)
        outcome @?= (0, 499500)
    , testCase ("records, " ++ show threads) $ do
        outcome <- withRecordCallback multiply (run Records threads 1000 0 . callbackPtr)
        outcome @?= (0, 249750)
    , testCase ("records without results, " ++ show threads) $ do
        ((failed, _), calls) <- countCalls 1000 $ \body -> do
            let visit argument result = do
                    when (result /= nullPtr) $ throwIO (userError "a result")
                    peek (castPtr argument) >>= body . fromIntegral . (id :: CInt -> CInt)
            withRecordCallback visit (run RecordsNoResult threads 1000 0 . callbackPtr)
        failed @?= 0
        calls @?= replicate 1000 1
    ]
  where
    multiply :: Ptr () -> Ptr Double -> IO ()
    multiply argument result = do
        number <- peekByteOff argument 0 :: IO CInt
        factor <- peekByteOff argument 8 :: IO Double
        poke result (fromIntegral number * factor)

inOrder :: Property
inOrder = forAll (elements indexWays) $ \way -> forAll (choose (0, 300)) $ \count -> forAll (choose (0, 40)) $ \room ->
    ioProperty $ do
        seen <- newIORef []
        failed <- runIndices way (Pthreads 1) count room (\i -> modifyIORef' seen (i :))
        order <- reverse <$> readIORef seen
        pure ((failed, order) === (0, [0 .. count - 1]))

withHaskell :: [TestTree]
withHaskell =
    [ testCase "collections in callbacks, 8 threads" $ forM_ indexWays $ \way -> do
        kept <- newMVar []
        (failed, calls) <- countCalls 400 $ \body -> runIndices way (Team 8) 400 8 $ \i -> do
            let squares = map (^ (2 :: Int)) [i .. i + 50]
            when (i `mod` 50 == 0) performGC
            when (i `mod` 10 == 0) performMinorGC
            modifyMVar_ kept (\rest -> pure (squares : rest))
            body i
        failed @?= 0
        calls @?= replicate 400 1
        total <- sum . map sum <$> readMVar kept
        total @?= sum [j * j | i <- [0 .. 399], j <- [i .. i + 50]]
    , testCase "Haskell threads run meanwhile" $ do
        turns <- newIORef (0 :: Int)
        -- One callback waits until its thread has been scheduled again, by giving up its Capability.
        let calling = countCalls 2000 $ \body -> runIndices Each (Team 4) 2000 0 $ \i -> do
                body i
                when (i == 1000) $ do
                    before <- readIORef turns
                    let wait = readIORef turns >>= \now -> when (now == before) (yield >> wait)
                    wait
        (failed, calls) <- calling `beside` modifyIORef' turns (+ 1)
        failed @?= 0
        calls @?= replicate 2000 1
    , testGroup "two workers' callbacks hand over values"
        [ testCase (show way ++ ", " ++ show threads) $ do
            there <- newEmptyMVar
            back <- newEmptyMVar
            answer <- newEmptyMVar
            failed <- runIndices way threads 2 1 $ \i -> case i of
                0 -> putMVar there (20 :: Int) >> takeMVar back >>= putMVar answer
                _ -> takeMVar there >>= \x -> putMVar back (x + 1)
            failed @?= 0
            takeMVar answer >>= (@?= (21 :: Int))
        | way <- [Call, Range, Array, Batch, Function], threads <- [Team 2, Pthreads 2] ]
    , testCase "a region inside of callbacks" $ forM_ indexWays $ \way -> do
        inner <- newMVar (0 :: Int)
        failed <- runIndices way (Team 2) 8 3 $ \_ -> do
            nested <- runIndices Range (Team 3) 50 0 (\_ -> modifyMVar_ inner (pure . (+ 1)))
            nested @?= 0
        failed @?= 0
        readMVar inner >>= (@?= 400)
    , testCase "callbacks run in the worker that calls" $ forM_ indexWays $ \way -> do
        threads <- newMVar []
        _ <- runIndices way (Team 4) 400 10 $ \i -> do
            thread <- c_thread
            modifyMVar_ threads (pure . ((i, fromIntegral thread) :))
        pairs <- readMVar threads
        length pairs @?= 400
        -- Parts are contiguous: index i is thread i / 100's, except where the threads take indices.
        forM_ pairs $ \(i, thread) -> unless (way == Each) $ thread @?= i `div` 100
    , testCase "setNumCapabilities in between" $ do
        before <- getNumCapabilities
        (`finally` setNumCapabilities before) $ forM_ [1, 3, 2, 4, 1, 2] $ \n -> do
            setNumCapabilities n
            forM_ indexWays $ \way -> do
                (failed, calls) <- countCalls 100 (runIndices way (Team 4) 100 5)
                failed @?= 0
                calls @?= replicate 100 1
    , testCase "setNumCapabilities in a callback" $ do
        before <- getNumCapabilities
        (_, calls) <- (`finally` setNumCapabilities before) $ countCalls 100 $ \body ->
            runIndices Each (Team 4) 100 0 $ \i -> do
                when (i `mod` 25 == 0) $ changeCapabilities (if mayFall then 1 + i `div` 25 else before + i `div` 25)
                body i
        calls @?= replicate 100 1
    , testCase "asked by many Haskell threads at once" $ do
        dones <- forM [1 .. 12 :: Int] $ \k -> do
            done <- newEmptyMVar
            _ <- forkIO $ try (countCalls 200 (runIndices (indexWays !! (k `mod` 6)) (Team 2) 200 9)) >>= putMVar done
            pure done
        forM_ dones $ \done -> takeMVar done >>= \outcome -> case outcome of
            Right (failed, calls) -> (failed, calls) @?= (0, replicate 200 1)
            Left (e :: SomeException) -> assertFailure (show e)
    ]

exceptions :: [TestTree]
exceptions =
    [ testCase (show way ++ ", " ++ show threads) $ do
        seen <- newIORef (-1)
        outcome <- try $ withIndices way (\i -> when (i == 333) (throwIO (Boom i))) $ \object ->
            run way threads 1000 16 object >>= writeIORef seen . fst
        outcome @?= Left (Boom 333)
        failed <- readIORef seen
        assertBool ("C saw " ++ show failed ++ " failures") (failed > 0)
    | way <- indexWays, threads <- [Team 1, Team 4, Pthreads 4] ]
  ++
    [ testCase "the first of many" $ do
        (outcome :: Either Boom Int) <- try (runIndices Call (Team 8) 800 0 (throwIO . Boom))
        case outcome of
            Left (Boom i) -> assertBool (show i) (i `mod` 100 == 0) -- the first call of some thread
            Right _       -> assertFailure "no exception"
    , testCase "what is left is skipped" $ do
        calls <- newIORef (0 :: Int)
        callback <- newCallback $ \i -> modifyIORef' calls (+ 1) >> when (i == 10) (throwIO (Boom i))
        c_range (callbackPtr callback) 0 1000 >>= (@?= 1)
        readIORef calls >>= (@?= 11)
        c_range (callbackPtr callback) 0 1000 >>= (@?= 1)
        c_call (callbackPtr callback) 5 >>= (@?= 1)
        c_range (callbackPtr callback) 0 0 >>= (@?= 1)
        readIORef calls >>= (@?= 11)
        try (rethrowCallback callback) >>= (@?= Left (Boom 10))
        freeCallback callback
    , testCase "a failing worker stops the others" $ do
        -- Thread 1 fails once thread 0 is inside its range, which would never end by itself.
        inside <- newEmptyMVar
        (outcome :: Either Boom Int) <- try $ runIndices Range (Team 2) 2000000000 0 $ \i ->
            if i < 1000000000 then void (tryPutMVar inside ()) else takeMVar inside >> throwIO (Boom 1)
        outcome @?= Left (Boom 1)
    , testCase "map" $ failing Map (withMapCallback (\x -> if x == 700 then throwIO (Boom 700) else pure x))
    , testCase "fold_int" $
        failing FoldInt (withFoldIntCallback (\i x -> if i == 700 then throwIO (Boom 700) else pure x))
    , testCase "records" $ failing RecordsNoResult $ withRecordCallback $ \argument _ -> do
        number <- peek (castPtr argument) :: IO CInt
        when (number == 700) $ throwIO (Boom 700)
    , testCase "fold leaves its accumulator" $ do
        accumulator <- newIORef 0
        outcome <- try $ withFoldCallback (\i x -> if i == 5 then throwIO (Boom i) else pure (x + 1)) $ \callback ->
            with 42 $ \place -> do
                c_fold (callbackPtr callback) 0 10 place >>= (@?= 1)
                peek place >>= writeIORef accumulator
        outcome @?= Left (Boom 5)
        readIORef accumulator >>= (@?= 42)
    , testCase "a lazy result is evaluated inside" $ do
        outcome <- try $ withMapCallback (\x -> pure (if x == 3 then throw (Boom 3) else x)) $ \callback ->
            run Map (Team 2) 10 0 (callbackPtr callback)
        outcome @?= Left (Boom 3)
        function <- try $ withFunPtr wrapFunction (\i -> pure (if i == 3 then throw (Boom 4) else 2 * i + 1)) $ \f ->
            run Function (Team 2) 10 0 (castFunPtrToPtr f)
        function @?= Left (Boom 4)
    , testCase "thrown to a callback's thread" $ do
        outcome <- try $ runIndices Range (Team 2) 10 0 $ \i -> when (i == 4) $ do
            self <- myThreadId
            done <- newEmptyMVar
            _ <- forkIO (throwTo self UserInterrupt >> putMVar done ())
            takeMVar done >> threadDelay 100000000
        outcome @?= Left UserInterrupt
    , testCase "many thrown to one thread" $ do
        (outcome :: Either AsyncException Int) <- try $ runIndices Range (Team 2) 10 0 $ \i -> when (i == 4) $ do
            self <- myThreadId
            replicateM_ 2 (forkIO (throwTo self UserInterrupt))
            threadDelay 100000000
        outcome @?= Left UserInterrupt
    , testCase "blocked for ever" $ do
        outcome <- try $ runIndices Range (Team 2) 10 0 $ \i -> when (i == 4) (newEmptyMVar >>= takeMVar)
        case outcome of
            Left BlockedIndefinitelyOnMVar -> pure ()
            Right failed                   -> assertFailure ("no exception, " ++ show failed)
    , testCase "the action's own exception" $ do
        outcome <- try (withCallback (\_ -> pure ()) (\_ -> throwIO (Boom 1)))
        outcome @?= (Left (Boom 1) :: Either Boom ())
    , testCase "the callback's comes before the action's" $ do
        outcome <- try $ withCallback (throwIO . Boom) $ \callback -> do
            _ <- c_call (callbackPtr callback) 2
            throwIO (Boom 3)
        outcome @?= (Left (Boom 2) :: Either Boom ())
    , testCase "a timeout comes before the callback's" $ do
        outcome <- timeout 50000 $ withCallback (throwIO . Boom) $ \callback -> do
            _ <- c_call (callbackPtr callback) 2
            threadDelay 100000000
        outcome @?= Nothing
    , testCase "timeout in a callback" $ do
        ended <- newMVar (0 :: Int)
        failed <- runIndices Range (Team 4) 8 0 $ \_ -> do
            outcome <- timeout 1000 (threadDelay 100000000)
            when (outcome == Nothing) $ modifyMVar_ ended (pure . (+ 1))
        failed @?= 0
        readMVar ended >>= (@?= 8)
    ]
  where
    withIndices :: Way -> (Int -> IO ()) -> (Ptr CCallback -> IO a) -> IO a
    withIndices Function f act =
        withFunPtr wrapFunction (\i -> f (fromIntegral i) >> pure (2 * i + 1)) (act . castPtr . castFunPtrToPtr)
    withIndices _ f act = withCallback f (act . callbackPtr)

    failing :: Way -> ((CallbackOf c -> IO ()) -> IO ()) -> Assertion
    failing way with' = forM_ [Team 1, Team 4, Pthreads 4] $ \threads -> do
        seen <- newIORef (-1)
        outcome <- try $ with' $ \callback -> run way threads 1000 0 (callbackPtr callback) >>= writeIORef seen . fst
        outcome @?= Left (Boom 700)
        readIORef seen >>= assertBool "C saw no failure" . (> 0)

lifetime :: [TestTree]
lifetime =
    [ testCase "freeing twice" $ do
        callback <- newCallback (throwIO . Boom)
        c_call (callbackPtr callback) 1 >>= (@?= 1)
        freeCallback callback
        freeCallback callback
        try (rethrowCallback callback) >>= (@?= Left (Boom 1))
    , testCase "freed by many threads" $ do
        callback <- newCallback (\_ -> pure ())
        dones <- replicateM 8 $ do
            done <- newEmptyMVar
            done <$ forkIO (freeCallback callback >> putMVar done ())
        mapM_ takeMVar dones
    , testCase "a callback outlives collections" $ do
        callback <- newCallback (\i -> modifyIORef' keptAlive (+ i))
        replicateM_ 3 performGC
        c_range (callbackPtr callback) 0 10 >>= (@?= 0)
        readIORef keptAlive >>= (@?= 45)
        freeCallback callback
    , testCase "ten thousand objects" $ forM_ [1 .. 10000 :: Int] $ \k ->
        withCallback (\i -> when (i /= k) (throwIO (Boom i))) $ \callback ->
            c_call (callbackPtr callback) (fromIntegral k) >>= (@?= 0)
    ]

keptAlive :: IORef Int
keptAlive = unsafePerformIO (newIORef 0)
{-# NOINLINE keptAlive #-}
