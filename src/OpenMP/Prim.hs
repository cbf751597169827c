{-# LANGUAGE GHCForeignImportPrim #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}
-- GHCi's byte code has no primitive calls.
{-# OPTIONS_GHC -fobject-code #-}

-- |
-- Module:      OpenMP.Prim
-- Description: Primitive operations in Cmm: where the caller runs, and how far its data should be from others'
--
-- These functions are written in Cmm (@cmm\/place.cmm@, @cmm\/line.cmm@) and called by @foreign import prim@, GHC's
-- convention for its own primitive operations: a jump with arguments and results in registers. They allocate nothing,
-- cannot block and cannot be interrupted.
--
-- A result in t'IO' is true at the moment of the call. A Haskell thread may be moved to another Capability, and one
-- that is not bound to another operating system thread, whenever it yields: at a safe foreign call, when it blocks, and
-- when its time slice ends. The body of a region is bound to its operating system thread, and so keeps its OpenMP
-- thread.
module OpenMP.Prim
    ( capabilityNumber
    , threadNumber
    , capabilityAndThread
    , cacheLine
    ) where

import GHC.Exts (Int (I#), Int#, RealWorld, State#)
import GHC.IO   (IO (..))

-- Primitive calls are neither safe nor unsafe: the callee is a piece of Haskell's own machine code.
foreign import prim "ghcomp_prim_capability"
    capability# :: State# RealWorld -> (# State# RealWorld, Int# #)
foreign import prim "ghcomp_prim_thread"
    thread# :: State# RealWorld -> (# State# RealWorld, Int# #)
foreign import prim "ghcomp_prim_place"
    place# :: State# RealWorld -> (# State# RealWorld, Int#, Int# #)
-- Without State#: GHC may take the call out of loops.
foreign import prim "ghcomp_prim_cache_line"
    cacheLine# :: Int# -> Int#

-- | The number of the Capability that runs the caller: from 0, and below the largest number of Capabilities that the
-- program has had. Valid everywhere; never fails. 'Control.Concurrent.threadCapability' returns the same for any
-- thread.
--
-- >>> import Control.Concurrent (getNumCapabilities)
-- >>> n <- capabilityNumber
-- >>> capabilities <- getNumCapabilities
-- >>> n >= 0 && n < capabilities
-- True
--
-- @since 0.1.0.0
capabilityNumber :: IO Int
capabilityNumber = IO $ \s -> case capability# s of
    (# s', n #) -> (# s', I# n #)

-- | The number of the OpenMP thread that runs the caller, in its innermost parallel region: from 0 (the primary thread,
-- which opened the region) to the team's size less 1; 0 outside of regions (@omp_get_thread_num@, OpenMP 5.2, section
-- 18.2.4). It never fails.
--
-- It is a property of the operating system thread. Haskell code that a region's thread runs (a body, a callback) is
-- bound to that thread and gets its number. A thread that such a body makes with 'Control.Concurrent.forkIO' is not
-- part of the region: it gets the number of the operating system thread that runs it at that moment.
--
-- >>> threadNumber
-- 0
--
-- @since 0.1.0.0
threadNumber :: IO Int
threadNumber = IO $ \s -> case thread# s of
    (# s', n #) -> (# s', I# n #)

-- | 'capabilityNumber' and 'threadNumber' at the same moment: the caller is not moved between the two.
--
-- >>> (_, thread) <- capabilityAndThread
-- >>> thread
-- 0
--
-- @since 0.1.0.0
capabilityAndThread :: IO (Int, Int)
capabilityAndThread = IO $ \s -> case place# s of
    (# s', capability, thread #) -> (# s', (I# capability, I# thread) #)

-- | How many bytes data of different threads should be apart, so that a write by one of them does not slow down the
-- others: 128, two lines of the cache, since the processor fetches adjacent lines in pairs.
--
-- It does not change while the program runs, so it is not in t'IO': GHC calls the primitive once for a loop that uses
-- it.
--
-- >>> cacheLine
-- 128
--
-- @since 0.1.0.0
cacheLine :: Int
cacheLine = I# (cacheLine# 0#)
{-# INLINE cacheLine #-}
