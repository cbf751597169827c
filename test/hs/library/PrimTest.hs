-- | Which Capability and which OpenMP thread an action runs on: OpenMP.Prim.
module PrimTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import Data.IORef
import Foreign            (FunPtr, freeHaskellFunPtr)
import Foreign.C.Types    (CInt (..))
import System.Mem         (performGC, performMinorGC)
import Test.Tasty
import Test.Tasty.HUnit

import OpenMP.Internal.Pending
import OpenMP.Prim

import Gate

foreign import ccall "wrapper" wrap :: (CInt -> IO ()) -> IO (FunPtr (CInt -> IO ()))
-- Safe: they call back.
foreign import ccall safe "gate_region" c_region :: CInt -> FunPtr (CInt -> IO ()) -> IO CInt

tests :: TestTree
tests = testGroup "Prim"
    [ testGroup "place"
        [ testCase "the Capability is the one that the thread is pinned to" pinned
        , testCase "both numbers agree with the single ones" together
        , testCase "outside of regions the thread is number 0" outside
        , testCase "in a callback from a region it is C's thread number" inRegion
        ]
    , testCase "the size of a cache line is a power of two" lineSize
    , testGroup "pending"
        [ testCase "an exception for a thread in a foreign call is seen" inForeignCall
        , testCase "an exception for a thread that masks them is seen" whileMasked
        , testCase "a withdrawn exception stays in the queue, and is not raised" withdrawn
        , testCase "a finished thread has none" finished
        ]
    ]

-- | With each number of Capabilities; the number is restored afterwards.
withCapabilities :: [Int] -> (Int -> IO ()) -> IO ()
withCapabilities counts body = do
    before <- getNumCapabilities
    forM_ counts (\n -> setNumCapabilities n >> body n) `finally` setNumCapabilities before

pinned :: Assertion
pinned = withCapabilities [1 .. 4] $ \n -> do
    seen <- forM [0 .. n - 1] $ \i -> do
        answer <- newEmptyMVar
        void $ forkOn i $ do
            first <- capabilityNumber
            yield
            second <- capabilityNumber
            putMVar answer (i, first, second)
        pure answer
    forM_ seen $ \answer -> takeMVar answer >>= \(i, first, second) -> (first, second) @?= (i, i)

together :: Assertion
together = do
    done <- newEmptyMVar
    void $ forkOn 1 $ ((,) <$> capabilityAndThread <*> ((,) <$> capabilityNumber <*> threadNumber)) >>= putMVar done
    (both, single) <- takeMVar done
    both @?= single

outside :: Assertion
outside = do
    threadNumber >>= (@?= 0)
    done <- newEmptyMVar
    void $ forkIO (threadNumber >>= putMVar done)
    takeMVar done >>= (@?= 0)
    runInBoundThread threadNumber >>= (@?= 0)

lineSize :: Assertion
lineSize =
    assertBool ("a power of two of at least 64, not " ++ show cacheLine)
        (cacheLine `elem` takeWhile (<= 4096) (iterate (* 2) 64))

-- C opens a region and each of its threads calls with its omp_get_thread_num().
inRegion :: Assertion
inRegion = forM_ [1, 2, 5] $ \size -> do
    seen <- newIORef []
    callback <- wrap $ \number -> do
        thread <- threadNumber
        (capability, again) <- capabilityAndThread
        (expected, _) <- threadCapability =<< myThreadId
        atomicModifyIORef' seen $ \others -> ((fromIntegral number, thread, again, capability == expected) : others, ())
    got <- runInBoundThread $ c_region size callback
    freeHaskellFunPtr callback
    got @?= size
    list <- readIORef seen
    length list @?= fromIntegral size
    forM_ list $ \(number, thread, again, same) -> do
        (thread, again) @?= (number, number)
        assertBool "another Capability" same

-- The thread blocks on Capability 0, the exception comes from each Capability in turn, and this thread looks on.
inForeignCall :: Assertion
inForeignCall = withCapabilities [1 .. 4] $ \n -> forM_ [0 .. n - 1] $ \from -> withGate $ \gate -> do
    caught <- newEmptyMVar
    leave <- newEmptyMVar
    thrown <- newEmptyMVar
    target <- mask_ $ forkOnWithUnmask 0 $ \unmask -> do
        try (unmask (pass gate)) >>= putMVar caught
        takeMVar leave
    until_ "the call to block" ((== 1) <$> entered gate)
    pendingException target >>= (@?= False)
    performGC
    pendingException target >>= (@?= False)

    void $ forkOn from $ killThread target >> putMVar thrown ()
    until_ ("the exception from Capability " ++ show from ++ " of " ++ show n) (pendingException target)
    -- The thread object moves; the answer stays the same.
    replicateM_ 3 $ do
        performMinorGC
        performGC
        pendingException target >>= (@?= True)
    tryReadMVar caught >>= maybe (pure ()) (const (assertFailure "the foreign call ended too early"))
    tryReadMVar thrown >>= (@?= Nothing)

    open gate
    result <- takeMVar caught
    either (@?= ThreadKilled) (const (assertFailure "the exception got lost")) result
    takeMVar thrown
    pendingException target >>= (@?= False)
    putMVar leave ()

whileMasked :: Assertion
whileMasked = withCapabilities [1, 2] $ \n -> do
    go <- newEmptyMVar
    caught <- newEmptyMVar
    target <- mask_ $ forkOn 0 $ do
        -- Not interruptible: it blocks, and the exception waits all the same.
        uninterruptibleMask_ (readMVar go)
        try (interruptible (pure ())) >>= putMVar caught
    pendingException target >>= (@?= False)
    void $ forkOn (n - 1) $ throwTo target (userError "wanted")
    until_ "the exception" (pendingException target)
    putMVar go ()
    result <- takeMVar caught
    either (@?= userError "wanted") (const (assertFailure "the exception got lost")) result

withdrawn :: Assertion
withdrawn = withGate $ \gate -> do
    caught <- newEmptyMVar
    target <- mask_ $ forkOnWithUnmask 0 $ \unmask -> try (unmask (pass gate)) >>= putMVar caught
    until_ "the call to block" ((== 1) <$> entered gate)
    thrown <- newEmptyMVar
    thrower <- forkOn 0 $ killThread target `finally` putMVar thrown ()
    until_ "the exception" (pendingException target)
    killThread thrower
    takeMVar thrown
    pendingException target >>= (@?= True)
    open gate
    result <- takeMVar caught
    either (\e -> assertFailure ("raised: " ++ show (e :: AsyncException))) (@?= 1) result

finished :: Assertion
finished = do
    done <- newEmptyMVar
    thread <- forkIO (putMVar done ())
    takeMVar done
    killThread thread
    pendingException thread >>= (@?= False)
