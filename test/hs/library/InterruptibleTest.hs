{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
-- | OpenMP.Interrupt: C that asks whether it is to end.
module InterruptibleTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import Foreign.C.Types (CInt (..), CLong (..))
import Foreign.Ptr (Ptr)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit

import OpenMP.Callback
import OpenMP.Interrupt
import OpenMP.Parallel
import OpenMP.Settings

import Gate (until_)

-- Safe: they last long.
foreign import ccall safe "interruptible_in" cIn :: CInt -> IO CInt
foreign import ccall safe "interruptible_loop" cLoop :: CInt -> CLong -> IO CLong
foreign import ccall safe "interruptible_deaf" cDeaf :: CLong -> IO CLong
foreign import ccall safe "interruptible_callbacks" cCallbacks :: Ptr CCallback -> IO CInt
foreign import ccall safe "interruptible_team" cTeam :: IO CInt
-- Unsafe: they read or write a few words.
foreign import ccall unsafe "interruptible_begun" cBegun :: IO CInt
foreign import ccall unsafe "interruptible_reset" cReset :: IO ()
foreign import ccall unsafe "interruptible_now" cNow :: IO CInt

tests :: TestTree
tests = testGroup "C that asks whether it is to end"
    [ testGroup "is told, and the exception comes"
        [ testCase ("in " ++ name) (told place) | (place, name) <- zip [0 ..] places ]
    , testCase "a timeout" timedOut
    , testCase "in a body of a region" inBody
    , testCase "callbacks fail" callbacks
    , testCase "in a callback, of the outer caller's exception" inner
    , testGroup "is not told"
        [ testCase "outside of a scope" outside
        , testCase "without an exception" unasked
        , testCase "in a masked caller" maskedCaller
        , testCase "by the next call" next
        ]
    , testCase "code that does not ask is complete" deaf
    , testCase "an exception that is withdrawn" withdrawn
    , testCase "an exception that the action handles" handled
    , testCase "an exception of the action" own
    , testCase "settings hold inside" settingsHold
    ]
  where
    places =
        [ "a call", "a loop", "each member", "nested regions", "tasks", "a target region", "teams" ] :: [String]

data Stop = Stop
    deriving (Eq, Show)

instance Exception Stop where
    toException = asyncExceptionToException
    fromException = asyncExceptionFromException

data Fork = Unbound | Bound
    deriving (Eq)

-- | Runs an action in a thread of its own, throws to it when C has begun, and says how the action has ended.
stopped :: forall a. Fork -> IO a -> IO (Either SomeException a)
stopped fork act = do
    cReset
    result <- newEmptyMVar
    let inThread :: (forall b. IO b -> IO b) -> IO ()
        inThread unmask = try (unmask (act <* yield)) >>= putMVar result -- yield: unmasked after a masked action
    t <- mask_ (if fork == Bound then forkOSWithUnmask inThread else forkIOWithUnmask inThread)
    until_ "C begins" ((/= 0) <$> cBegun)
    throwTo t Stop
    takeMVar result

ends :: (Eq e, Exception e, Show a) => e -> Either SomeException a -> Assertion
ends e r = case r of
    Left other | fromException other == Just e -> pure ()
    _                                          -> assertFailure (show r)

told :: CInt -> Assertion
told place = forM_ [Unbound, Bound] $ \fork -> do
    answer <- R.newIORef 0
    -- Masked, so that what C returns is seen.
    stopped fork (interruptibly (mask_ (cIn place >>= R.writeIORef answer))) >>= ends Stop
    R.readIORef answer >>= (@?= 1)
    stopped fork (interruptibly (cIn place)) >>= ends Stop

timedOut :: Assertion
timedOut = do
    timeout 20000 (interruptibly (cLoop 2 60000)) >>= (@?= Nothing)
    timeout 60000000 (interruptibly (cLoop 2 100)) >>= (@?= Just 100)

inBody :: Assertion
inBody = do
    timeout 20000 (parallel_ defaults { numThreads = Just 2 } (\_ -> void (interruptibly (cIn 0)))) >>= (@?= Nothing)
    timeout 20000 (parallelFor defaults { numThreads = Just 2 } 0 4 (\_ -> void (interruptibly (cIn 1))))
        >>= (@?= Nothing)

callbacks :: Assertion
callbacks = do
    answer <- R.newIORef 0
    calls <- R.newIORef (0 :: Int)
    r <- stopped Unbound $ withCallback (\_ -> R.atomicModifyIORef' calls (\n -> (n + 1, ()))) $ \callback ->
        interruptibly (mask_ (cCallbacks (callbackPtr callback) >>= R.writeIORef answer))
    ends Stop r
    R.readIORef answer >>= (@?= 1)
    n <- R.readIORef calls
    assertBool (show n) (n > 0)

-- | The inner call is told of an exception that is not its own thread's, and so what it returns is no result.
inner :: Assertion
inner = do
    kept <- R.newIORef Nothing
    r <- stopped Unbound $ withCallback (\_ -> void (interruptibly (cIn 0))) $ \callback -> do
        let keep = callbackException callback >>= R.writeIORef kept
        void (interruptibly (mask_ (cCallbacks (callbackPtr callback) <* keep)))
    ends Stop r
    e <- R.readIORef kept
    (e >>= fromException) @?= Just CallInterrupted

outside :: Assertion
outside = do
    r <- R.newIORef 0
    stopped Bound (mask_ (cLoop 2 100 >>= R.writeIORef r)) >>= ends Stop
    R.readIORef r >>= (@?= 100)
    cNow >>= (@?= 0)

unasked :: Assertion
unasked = do
    interruptibly (cLoop 2 200) >>= (@?= 200)
    interruptibly cNow >>= (@?= 0)

maskedCaller :: Assertion
maskedCaller = forM_ [Unbound, Bound] $ \fork -> do
    r <- R.newIORef 0
    stopped fork (mask_ (interruptibly (cLoop 2 100) >>= R.writeIORef r)) >>= ends Stop
    R.readIORef r >>= (@?= 100)

-- | In the same operating system thread.
next :: Assertion
next = runInBoundThread $ do
    timeout 20000 (interruptibly (cIn 1)) >>= (@?= Nothing)
    cNow >>= (@?= 0)
    interruptibly cNow >>= (@?= 0)
    interruptibly (cLoop 2 50) >>= (@?= 50)

deaf :: Assertion
deaf = do
    r <- R.newIORef 0
    stopped Unbound (interruptibly (mask_ (cDeaf 100 >>= R.writeIORef r))) >>= ends Stop
    R.readIORef r >>= (@?= 100)

withdrawn :: Assertion
withdrawn = do
    cReset
    returned <- newEmptyMVar
    go <- newEmptyMVar
    result <- newEmptyMVar
    t <- mask_ $ forkOSWithUnmask $ \unmask -> do
        r <- try $ unmask $ interruptibly $ uninterruptibleMask_ $ do
            r <- cIn 0
            putMVar returned r
            takeMVar go
        putMVar result r
    until_ "C begins" ((/= 0) <$> cBegun)
    thrower <- forkIO (throwTo t Stop)
    takeMVar returned >>= (@?= 1)
    killThread thrower
    putMVar go ()
    takeMVar result >>= ends CallInterrupted

handled :: Assertion
handled = do
    r <- try (interruptibly (timeout 20000 (cIn 0)))
    r @?= Left CallInterrupted

own :: Assertion
own = do
    r <- try (interruptibly (cLoop 2 5 >>= throwIO . userError . show))
    either (\e -> show (e :: IOException)) (const "") r @?= "user error (5)"

settingsHold :: Assertion
settingsHold = withSettings defaults { numThreads = Just 3 } $ do
    interruptibly cTeam >>= (@?= 3)
    interruptibly (interruptibly cTeam) >>= (@?= 3)
