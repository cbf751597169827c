{-# LANGUAGE GHCForeignImportPrim #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}
-- GHCi's byte code has no primitive calls.
{-# OPTIONS_GHC -fobject-code #-}

-- |
-- Module:      OpenMP.Internal.Critical
-- Description: Critical sections
--
-- The mechanism below 'OpenMP.Parallel.critical'; @cbits\/haskell\/critical.c@ is its C half, with the protocol.
-- The interface is not stable.
--
-- A thread that waits is in C for some milliseconds at a time. Between two of these calls it is where
-- 'Control.Concurrent.MVar.takeMVar' would be: an asynchronous exception is delivered there, unless it is masked
-- uninterruptibly. Without the threaded RTS no other Haskell thread runs meanwhile, so there it yields to them instead,
-- and tries again.
module OpenMP.Internal.Critical
    ( Critical
    , unnamedCritical
    , newCritical
    , criticalIn
      -- * With the name of the function that errors are to name
    , criticalOf
      -- * The calling thread
    , haskellThread
    ) where

import Control.Concurrent (rtsSupportsBoundThreads, yield)
import Control.Exception
import Control.Monad.Primitive (touch)
import Data.Primitive.ByteArray
import Data.Word (Word8)
import Foreign.C.Types (CInt (..))
import Foreign.Ptr (Ptr, castPtr, nullPtr)
import GHC.Exts (Int (..), Int#, RealWorld, State#)
import GHC.IO (IO (..))

-- | A critical section, like one with a name in C (OpenMP 5.2, section 15.2).
--
-- >>> section <- newCritical
-- >>> criticalIn section (pure ())
--
-- @since 0.1.0.0
data Critical = Unnamed | Critical !(MutableByteArray RealWorld)

-- | OpenMP's unnamed critical section: the one of @#pragma omp critical@ in C.
unnamedCritical :: Critical
unnamedCritical = Unnamed

-- | A new critical section, independent of all others. It occupies a cache line, which the collector frees.
--
-- >>> left <- newCritical
-- >>> right <- newCritical
-- >>> criticalIn left (criticalIn right (pure "two are not one"))
-- "two are not one"
--
-- @since 0.1.0.0
newCritical :: IO Critical
newCritical = do
    line <- newAlignedPinnedByteArray 64 64
    setByteArray line 0 64 (0 :: Word8)
    pure (Critical line)

-- | Runs the action while no other thread runs one in the same critical section. Any thread of the process may call it.
-- A thread that waits can be interrupted, as by an 'Control.Concurrent.MVar.MVar'. A thread that would wait for itself
-- gets an t'ErrorCall': one that is in the section already, or a member of a region that such a thread has opened
-- there. So does a member that encounters a barrier within a section. A callback is a Haskell thread of its own: one
-- that C makes within the action, and that enters the same section, is not recognised, and waits until an exception
-- ends it.
--
-- >>> import Data.IORef
-- >>> section <- newCritical
-- >>> total <- newIORef (0 :: Int)
-- >>> parallelFor defaults 0 100 (\i -> criticalIn section (modifyIORef' total (+ i)))
-- >>> readIORef total
-- 4950
--
-- @since 0.1.0.0
criticalIn :: Critical -> IO a -> IO a
criticalIn = criticalOf "Parallel.criticalIn"

-- | 'criticalIn' for a function of any module, @Module.function@, which an error names.
criticalOf :: String -> Critical -> IO a -> IO a
criticalOf name critical act = mask $ \restore -> do
    -- Asked anew for each call: where this is in a lazy value, an exception in the wait leaves a computation that
    -- another thread may go on with.
    let by call = haskellThread >>= call lock
        wait r
            | r == 1    = pure ()
            | r == 2    = itself name
            -- The thread that is inside needs the only OS thread to leave.
            | not rtsSupportsBoundThreads = yield >> allowInterrupt >> by c_try >>= wait
            | otherwise = do
                again <- by c_enter
                if again == 1 then pure () else allowInterrupt >> wait again
    by c_try >>= wait
    restore act `finally` (c_leave lock >> keepLock)
  where
    (lock, keepLock) = case critical of
        Unnamed       -> (nullPtr, pure ())
        Critical line -> (castPtr (mutableByteArrayContents line), touch line)

-- | The error of a thread that would wait for ever.
itself :: String -> IO a
itself name = throwIO $ ErrorCall $
    "OpenMP." ++ name ++ ": the calling thread would wait for itself: it is in this critical section already, or a "
    ++ "member of a region that was opened in it; leave the section first, or use another one inside (newCritical)"

foreign import prim "ghcomp_prim_haskell_thread" haskellThread# :: State# RealWorld -> (# State# RealWorld, Int# #)

-- | The calling Haskell thread's number, which no other thread of the process has.
haskellThread :: IO Int
haskellThread = IO $ \s -> case haskellThread# s of (# s', n #) -> (# s', I# n #)

-- Unsafe calls: they never wait; the longest of them wakes threads by one system call. The results are the @enum@ of
-- critical.c: 0 another thread is in the section, 1 it is entered, 2 the caller would wait for itself.
foreign import ccall unsafe "ghcomp_hs_critical_try" c_try :: Ptr () -> Int -> IO CInt
foreign import ccall unsafe "ghcomp_hs_critical_leave" c_leave :: Ptr () -> IO ()

-- A safe call: it waits for ten milliseconds at most.
foreign import ccall safe "ghcomp_hs_critical_enter" c_enter :: Ptr () -> Int -> IO CInt
