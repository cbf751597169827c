{-# LANGUAGE RankNTypes #-}
-- |
-- Module:      OpenMP.Internal.Bound
-- Description: Running an action in a bound thread without losing exceptions
--
-- 'Control.Concurrent.runInBoundThread' alone would keep the caller in a foreign call for as long as the action runs:
-- 'System.Timeout.timeout' and 'Control.Concurrent.killThread' could not reach it, and the action would begin unmasked
-- whatever the caller's state. So a third thread makes that call; the caller waits in Haskell and forwards exceptions
-- that are thrown to it.
module OpenMP.Internal.Bound (inBoundThread, needThreaded) where

import Control.Concurrent
import Control.Exception
import Control.Monad (unless)
import Data.IORef (modifyIORef, newIORef, readIORef)
import GHC.Conc (BlockReason (..), ThreadStatus (..), threadStatus)
import System.Mem.Weak (deRefWeak)

-- | Runs an action in a thread that stays on one operating system thread: in the caller when it is bound, otherwise in
-- a new thread, with the caller's masking state. Exceptions of the action are thrown in the caller, and asynchronous
-- exceptions thrown to the caller reach the action. Without @-threaded@ no thread is bound: 'needThreaded' comes first.
inBoundThread :: IO a -> IO a
inBoundThread action = do
    bound <- isCurrentThreadBound
    if bound then action else inAnother action

-- | An t'ErrorCall' that names the function, @Module.function@, in a program that is linked without @-threaded@.
needThreaded :: String -> IO ()
needThreaded name = unless rtsSupportsBoundThreads $ throwIO $ ErrorCall $
    "OpenMP." ++ name ++ ": it needs GHC's threaded runtime: link with -threaded"

-- The gate is an MVar that is also a lock; its value says whether exceptions still go to the action's thread. The
-- caller holds the gate while it throws, and the action's thread closes the gate after the action has ended. An
-- exception that comes before that is received in the action or at the gate. One that comes later stays with the
-- caller. So each is received once, and none is dropped: the first is the result, and those that came after the
-- action's end are thrown to the caller again, so that they are pending when it throws the first.
--
-- The caller, which the foreign call keeps reachable, has only a weak reference to the action's thread. Otherwise the
-- collector could not detect that the action's thread is blocked indefinitely.
inAnother :: IO a -> IO a
inAnother action = getMaskingState >>= \state -> mask_ $ do
    started <- newEmptyMVar
    ended <- newEmptyMVar
    gate <- newMVar True
    missed <- newIORef []
    let inside = mask $ \unmasked -> do
            putMVar started . Just =<< mkWeakThreadId =<< myThreadId
            try (inState state unmasked action) >>= closeGate gate . only
        wait = takeMVar ended `catch` \e -> do
            uninterruptibleMask_ $ do
                weak <- readMVar started -- short: the new thread does nothing before it
                open <- takeMVar gate
                target <- if open then maybe (pure Nothing) deRefWeak weak else pure Nothing
                maybe (modifyIORef missed (e :)) (`throwTo` (e :: SomeException)) target
                putMVar gate open
            wait
    -- The result comes when the foreign call is over: a program that ended before would report an interrupted call.
    _ <- forkIO $ do
        outcome <- try (runInBoundThread inside)
        _ <- tryPutMVar started Nothing -- when there was no thread to be had
        putMVar ended (either (only . Left) id outcome)
    outcome <- wait
    late <- readIORef missed
    let Outcome result others = foldl another outcome (reverse late)
    mapM_ pending (reverse others)
    either throwIO pure result

-- | How an action has ended, and exceptions that came after the one that ended it, the last one first.
data Outcome a = Outcome (Either SomeException a) [SomeException]

only :: Either SomeException a -> Outcome a
only result = Outcome result []

another :: Outcome a -> SomeException -> Outcome a
another (Outcome (Right _) _) e   = Outcome (Left e) []
another (Outcome result others) e = Outcome result (e : others)

-- | Throws an exception to the calling thread, which has masked asynchronous exceptions: it gets it when it unmasks.
pending :: SomeException -> IO ()
pending e = do
    caller <- myThreadId
    thrower <- forkIO (throwTo caller e)
    let wait yields = do
            status <- threadStatus thrower
            unless (status `elem` [ThreadBlocked BlockedOnException, ThreadFinished, ThreadDied]) $ do
                -- The thrower may be on another Capability, whose thread lacks the CPU that this one keeps.
                if yields < mostYields then yield else uninterruptibleMask_ (threadDelay 1000)
                wait (yields + 1)
    wait 0
  where
    mostYields = 1000 :: Int

closeGate :: MVar Bool -> Outcome a -> IO (Outcome a)
closeGate gate outcome =
    (takeMVar gate >> putMVar gate False >> pure outcome) `catch` (closeGate gate . another outcome)

inState :: MaskingState -> (forall b. IO b -> IO b) -> IO a -> IO a
inState state unmasked action = case state of
    Unmasked              -> unmasked action
    MaskedInterruptible   -> action
    MaskedUninterruptible -> uninterruptibleMask_ action
