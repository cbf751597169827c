-- |
-- Module:      OpenMP.Statistics
-- Description: What the runtime has done so far
--
-- Counters of the whole process, for regions of C and of Haskell alike. They only grow. The counts of a part of a
-- program are the difference of two readings:
--
-- > before <- statistics
-- > action
-- > after <- statistics
-- > print (after `since` before)
--
-- Each thread counts for itself and 'statistics' adds the counts up. So counting costs next to nothing, and values that
-- change while they are added up belong to slightly different moments. GHC's eventlog has the times of events.
module OpenMP.Statistics
    ( Statistics (..)
    , statistics
    , since
    ) where

import Data.Word (Word64)
import Foreign.C.Types (CSize (..))
import Foreign.Marshal.Array (allocaArray, peekArray)
import Foreign.Ptr (Ptr)

-- | Sums over all threads that the process has had.
--
-- >>> statistics >>= \s -> print (threadsGiven s <= threadsWanted s)
-- True
--
-- @since 0.1.0.0
data Statistics = Statistics
    { regions :: !Word64 -- ^ Parallel regions for which OpenMP's rules allow more than one thread.
    , threadsWanted :: !Word64 -- ^ Threads that they asked for, before a thread limit and dynamic adjustment.
    , threadsGiven :: !Word64 -- ^ Threads that they got.
    , parks :: !Word64 -- ^ Times that a thread slept because it had nothing to do.
    , yields :: !Word64 -- ^ Times that a thread yielded its CPU to Haskell, in a wait or before a region.
    , regionsQueued :: !Word64 -- ^ Outermost regions that had to wait for their turn, since others filled the CPUs.
    , admissionTimeouts :: !Word64
      -- ^ Those of them that began without it, because it did not come (@GHCOMP_ADMISSION@).
    , workersLent :: !Word64 -- ^ Workers that a region took from another thread's idle team.
    , steals :: !Word64 -- ^ Tasks that a thread took from another one.
    , fences :: !Word64 -- ^ Fences of all threads, which interrupt all CPUs of the process: 20 a second at most.
    }
    deriving (Eq, Show)

-- | The current counts. Valid in every thread; never fails.
--
-- >>> s <- statistics
-- >>> t <- statistics
-- >>> regions (t `since` s)
-- 0
--
-- @since 0.1.0.0
statistics :: IO Statistics
statistics = allocaArray fields $ \values -> do
    _ <- c_stats values (fromIntegral fields)
    listed <$> peekArray fields values

-- | The difference, field by field, of a later reading and an earlier one.
--
-- >>> statistics >>= \s -> pure (parks (s `since` s))
-- 0
--
-- @since 0.1.0.0
since :: Statistics -> Statistics -> Statistics
later `since` earlier = Statistics
    { regions = by regions
    , threadsWanted = by threadsWanted
    , threadsGiven = by threadsGiven
    , parks = by parks
    , yields = by yields
    , regionsQueued = by regionsQueued
    , admissionTimeouts = by admissionTimeouts
    , workersLent = by workersLent
    , steals = by steals
    , fences = by fences
    }
  where
    by field = field later - field earlier

-- In the order of enum ghcomp_statistic.
fields :: Int
fields = 10

listed :: [Word64] -> Statistics
listed [a, b, c, d, e, f, g, h, i, j] = Statistics a b c d e f g h i j
listed values = error ("OpenMP.Statistics: " ++ show (length values) ++ " values")

-- A safe call: it waits for a lock.
foreign import ccall safe "ghcomp_stats" c_stats :: Ptr Word64 -> CSize -> IO CSize
