{-# LANGUAGE GHCForeignImportPrim #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}
-- GHCi's byte code has no primitive calls.
{-# OPTIONS_GHC -fobject-code #-}

-- |
-- Module:      GHC.OpenMP.Internal.Pending
-- Description: Whether an asynchronous exception waits for a thread
--
-- A thread in a safe foreign call cannot be interrupted: 'Control.Exception.throwTo' to it blocks until the call is
-- over. A parallel region can end early when it is asked to, so somebody has to notice that an exception waits. The
-- runtime system keeps such exceptions in a queue of the thread, and 'pendingException' looks whether it is empty.
--
-- == When an exception gets into the queue
--
-- Only the Capability that owns a thread changes the thread's queue, and a thread in a foreign call stays with the
-- Capability that it left.
--
-- * The throwing thread runs on the same Capability: it appends the exception itself, before @throwTo@ blocks.
--
-- * It runs on another one: it sends that Capability a message, which is dealt with at the Capability's next pass
--   through the scheduler. An idle Capability is woken for it, which takes as long as waking an operating system
--   thread. A busy one is told to stop at the next safe point of its running Haskell thread: the next allocation. A
--   loop that does not allocate delays the message until it ends (@-fno-omit-yields@ helps), as it delays the
--   collector.
--
-- * The thread is not in a foreign call but masks exceptions: the same. (If it blocks interruptibly, or masks nothing,
--   then the exception is raised at once, and the queue stays empty.)
--
-- The exception leaves the queue when the thread, back from the call, runs with exceptions unmasked, or blocks
-- interruptibly.
--
-- == What the answer is worth
--
-- 'True' is a hint that stays true for as long as the thread is in the foreign call, with one exception: when the
-- throwing thread is itself killed while it waits, its exception is withdrawn, yet its entry stays until the thread
-- looks at the queue. So 'True' does not promise that an exception will be raised. 'False' says that none was queued at
-- the time of the look. Reading orders nothing else: what the throwing thread wrote before need not be visible.
module GHC.OpenMP.Internal.Pending
    ( pendingException
    ) where

import GHC.Conc (ThreadId (..))
import GHC.Exts (Int#, RealWorld, State#, ThreadId#, isTrue#, (/=#))
import GHC.IO   (IO (..))

-- No call of C and no allocation: a jump, a load, a comparison.
foreign import prim "ghcomp_prim_pending"
    pending# :: ThreadId# -> State# RealWorld -> (# State# RealWorld, Int# #)

-- | Whether an asynchronous exception waits for a thread. Any thread may ask about any, itself included; a finished
-- thread has none. It is a handful of instructions, never blocks and never fails.
--
-- >>> import Control.Concurrent (myThreadId)
-- >>> myThreadId >>= pendingException
-- False
pendingException :: ThreadId -> IO Bool
pendingException (ThreadId thread) = IO $ \s -> case pending# thread s of
    (# s', waits #) -> (# s', isTrue# (waits /=# 0#) #)
