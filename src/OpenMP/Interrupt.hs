{-# LANGUAGE MagicHash #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE UnliftedFFITypes #-}
-- |
-- Module:      OpenMP.Interrupt
-- Description: Calls of C that end early when an exception is pending for their caller
--
-- A 'System.Timeout.timeout', 'Control.Concurrent.killThread' or Ctrl-C around a safe foreign call takes effect when
-- the call returns. GHC cannot end C code, and neither can this library: only C can free what it has allocated. Its
-- loops cannot be cut short from outside either, because C would continue after them as if they were complete.
--
-- C can poll. In a call inside of 'interruptibly' the function @ghcomp_interrupted@ of @ghcomp.h@ returns whether an
-- exception waits for the call to return:
--
-- > #pragma omp parallel for schedule(dynamic)
-- > for (long i = 0; i < n; i++) {
-- >     if (ghcomp_interrupted())
-- >         continue;
-- >     step(i);
-- > }
-- > if (ghcomp_interrupted())
-- >     return clean_up();
--
-- Callbacks ("OpenMP.Callback") fail there, so C that handles their failure ends, too. An entry that has begun runs
-- all its callbacks.
--
-- C code that does not poll is not affected: its call takes as long as without. To continue without waiting for it,
-- make the call in a thread of its own ('Control.Concurrent.forkIO') that puts the result into an
-- 'Control.Concurrent.MVar.MVar', and put the timeout around the wait. The call then keeps its CPUs until it is over,
-- and must own the memory that it uses.
module OpenMP.Interrupt
    ( interruptibly
    , CallInterrupted (..)
    ) where

import Control.Concurrent (mkWeakThreadId, myThreadId)
import Control.Exception
import Control.Monad (when)
import Control.Monad.Primitive (touch)
import Data.Primitive.ByteArray (MutableByteArray (..), newPinnedByteArray, setByteArray)
import Data.Word (Word8)
import Foreign.C.Types (CInt (..))
import GHC.Exts (MutableByteArray#, RealWorld)
import System.Mem.Weak (deRefWeak)

import OpenMP.Internal.Bound (inBoundThread, needThreaded)
import OpenMP.Internal.Pending (pendingException)
import OpenMP.Internal.Watch (onLooks)

-- | C code was told to end early, and the exception has not come: the thread that threw it has been killed meanwhile,
-- or the action inside of 'interruptibly' has handled it. The result of the call is incomplete.
--
-- >>> import Control.Exception (displayException)
-- >>> displayException CallInterrupted
-- "OpenMP.Interrupt.interruptibly: C was told to end early, and the exception was withdrawn or handled"
--
-- @since 0.1.0.0
data CallInterrupted = CallInterrupted
    deriving (Eq, Show)

instance Exception CallInterrupted where
    displayException _ = "OpenMP.Interrupt.interruptibly: C was told to end early, and the exception was withdrawn "
        ++ "or handled"

-- | Runs an action in which C can poll whether it is to end: @ghcomp_interrupted@ is nonzero, in all threads of the C
-- code's regions, some 10 ms after an asynchronous exception has begun to wait for a safe call of the action to return.
-- The exception is thrown when the call has returned. Calls by @unsafe@ imports are not affected.
--
-- The action runs in a bound thread, as in 'OpenMP.Settings.withSettings': the caller, or one that gets the
-- caller's asynchronous exceptions. In a caller that has masked them it stays 0. Put a timeout around this and not
-- inside of it: once it is nonzero, it stays so until the action ends.
--
-- Scopes nest, and for C in a callback or in a body of "OpenMP.Parallel" exceptions for the outer callers count,
-- too. In a program that is linked without @-threaded@ this is an t'ErrorCall'.
--
-- >>> import Foreign.C.Types
-- >>> import System.Timeout
-- >>> foreign import ccall safe "usleep" usleep :: CUInt -> IO CInt
-- >>> timeout 10000000 (interruptibly (usleep 1000))
-- Just 0
--
-- @since 0.1.0.0
interruptibly :: IO a -> IO a
interruptibly action = do
    needThreaded "Interrupt.interruptibly"
    state <- getMaskingState
    case state of
        Unmasked -> inBoundThread (mask (inScope action))
        _        -> action

inScope :: IO a -> (forall b. IO b -> IO b) -> IO a
inScope action unmasked = do
    thread <- myThreadId >>= mkWeakThreadId
    scope@(MutableByteArray words_) <- newPinnedByteArray size
    setByteArray scope 0 size (0 :: Word8)
    -- The watcher may look once more when the scope is over, so it keeps the words alive, too.
    stop <- onLooks $ deRefWeak thread >>= mapM_ (\t -> do
        waits <- pendingException t
        when waits (c_interrupt words_))
    c_enter words_
    result <- try (unmasked action)
    c_leave words_
    stop
    told <- c_delivered words_
    touch scope
    when (told /= 0) (unmasked (pure ())) -- the exception comes here, if the action has masked it
    case result of
        Left e             -> throwIO (e :: SomeException)
        Right _ | told /= 0 -> throwIO CallInterrupted
        Right value        -> pure value
  where
    size = 24 -- struct ghcomp_interrupt

-- Unsafe calls: they read or write a few words, which stay where they are.
foreign import ccall unsafe "ghcomp_hs_interrupt_enter" c_enter :: MutableByteArray# RealWorld -> IO ()
foreign import ccall unsafe "ghcomp_hs_interrupt_leave" c_leave :: MutableByteArray# RealWorld -> IO ()
foreign import ccall unsafe "ghcomp_hs_interrupt" c_interrupt :: MutableByteArray# RealWorld -> IO ()
foreign import ccall unsafe "ghcomp_hs_interrupt_delivered" c_delivered :: MutableByteArray# RealWorld -> IO CInt
