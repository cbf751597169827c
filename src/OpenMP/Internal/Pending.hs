{-# LANGUAGE GHCForeignImportPrim #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}
-- GHCi's byte code has no primitive calls.
{-# OPTIONS_GHC -fobject-code #-}

-- |
-- Module:      OpenMP.Internal.Pending
-- Description: Whether an asynchronous exception is pending for a thread
--
-- A thread in a safe foreign call cannot be interrupted: 'Control.Exception.throwTo' to it blocks until the call is
-- over. A parallel region can end early on request, so its members have to notice that an exception is pending. The
-- runtime system keeps such exceptions in a queue of the thread, and 'pendingException' tests whether it is empty.
--
-- == When an exception gets into the queue
--
-- Only the Capability that owns a thread changes the thread's queue, and a thread in a foreign call stays with the
-- Capability that it left.
--
-- * The throwing thread runs on the same Capability: it appends the exception itself, before @throwTo@ blocks.
--
-- * It runs on another Capability: it sends the owner a message, which is handled at the owner's next pass through the
--   scheduler. An idle Capability is woken for it, which takes as long as waking an operating system thread. A busy one
--   gets a request to stop at the next safe point of its running Haskell thread: the next allocation. A loop that does
--   not allocate delays the message until it ends (@-fno-omit-yields@ helps), as it delays the collector.
--
-- * The thread is not in a foreign call but masks exceptions: the same. (If it blocks interruptibly, or does not mask
--   them, then the exception is raised at once, and the queue stays empty.)
--
-- The exception leaves the queue when the thread has returned from the call and runs with exceptions unmasked, or
-- blocks interruptibly.
--
-- == What the result means
--
-- 'True' is a hint that stays true as long as the thread is in the foreign call, with one restriction: when the
-- throwing thread is itself killed while it waits, its exception is withdrawn, but the entry stays until the thread
-- reads the queue. So 'True' does not promise that an exception will be raised. 'False' means that none was queued at
-- the time of the read. The read orders nothing else: what the throwing thread wrote before need not be visible.
module OpenMP.Internal.Pending
    ( pendingException
    ) where

import GHC.Conc (ThreadId (..))
import GHC.Exts (Int#, RealWorld, State#, ThreadId#, isTrue#, (/=#))
import GHC.IO   (IO (..))

-- No call of C and no allocation: a jump, a load, a comparison.
foreign import prim "ghcomp_prim_pending"
    pending# :: ThreadId# -> State# RealWorld -> (# State# RealWorld, Int# #)

-- | Whether an asynchronous exception is pending for a thread. Valid in any thread for any thread, itself included; a
-- finished thread has none. It takes a few instructions, never blocks and never fails.
--
-- >>> import Control.Concurrent (myThreadId)
-- >>> myThreadId >>= pendingException
-- False
pendingException :: ThreadId -> IO Bool
pendingException (ThreadId thread) = IO $ \s -> case pending# thread s of
    (# s', waits #) -> (# s', isTrue# (waits /=# 0#) #)
