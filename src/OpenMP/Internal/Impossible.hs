-- |
-- Module:      OpenMP.Internal.Impossible
-- Description: Teams whose threads cannot be made
--
-- C code on the runtime ends the process when its team cannot be made, as on libgomp, because C has no exceptions.
-- Haskell has them. The rules are in @cbits\/core\/team\/shortage.c@ and @cbits\/haskell\/region.c@. The interface is
-- not stable.
module OpenMP.Internal.Impossible
    ( TeamImpossible (..)
    , checkPossible
    , impossibleNow
    ) where

import Control.Exception (Exception (..), throwIO)
import Control.Monad (when)
import Foreign.C.Error (Errno (..), errnoToIOError)
import Foreign.C.String (CString, peekCString)
import Foreign.C.Types (CInt (..))
import Foreign.Marshal.Alloc (alloca)
import Foreign.Ptr (Ptr)
import Foreign.Storable (peek)
import System.IO.Error (ioeGetErrorString)

-- | A team of more threads than there can be. No body has run, the threads that were made for it have ended, and the
-- program continues as if it had not opened the region.
--
-- A number that no process on this system can have is refused before anything is made, by all functions that take
-- 'OpenMP.Settings.Settings' and by 'OpenMP.Settings.setNumThreads'. Whether a smaller one can be had becomes known
-- when a region begins: it depends on limits (@ulimit -u@, a container's @pids.max@, memory) and on all that runs. If
-- it cannot, regions with a 'OpenMP.Parallel.Team' throw this, unless @dynamic = Just True@ lets them have fewer
-- threads. Loops, reductions and sections, whose bodies never wait for each other, run with fewer, and one line on
-- stderr reports it once. A region of C code ends the process, as on libgomp, unless its team may be smaller
-- (@OMP_DYNAMIC@, or 'OpenMP.Settings.withSettings' with 'OpenMP.Settings.dynamic').
--
-- >>> import Control.Exception (try)
-- >>> let ask = withSettings defaults { numThreads = Just 2000000000 } getMaxThreads
-- >>> either teamWanted id <$> try ask
-- 2000000000
--
-- @since 0.1.0.0
data TeamImpossible = TeamImpossible
    { teamWanted   :: !Int    -- ^ threads that were asked for
    , teamPossible :: !Int    -- ^ how many there could be
    , teamWhyNot   :: !String -- ^ what the limit is, and what to do
    }
    deriving (Eq)

instance Show TeamImpossible where
    showsPrec _ = showString . displayException

instance Exception TeamImpossible where
    displayException (TeamImpossible wanted possible why) =
        "OpenMP: a team of " ++ show wanted ++ " threads is impossible, only " ++ show possible ++ " can be had: "
        ++ why

-- | Throws when no process on this system can have so many threads, at least 1 and at most what fits a C int, which a
-- region asks for. The system's limits are read only for unusual numbers.
checkPossible :: Int -> IO ()
checkPossible n = when (n > usual) (checkUnusual n)
{-# INLINE checkPossible #-}

checkUnusual :: Int -> IO ()
checkUnusual n = alloca $ \at -> do
    most <- c_possible (fromIntegral n) at
    when (most /= 0) $ do
        limit <- peek at >>= peekCString
        throwIO (TeamImpossible n (fromIntegral most) ("the system's limit is " ++ limit ++ "; ask for fewer"))
{-# NOINLINE checkUnusual #-}

-- | The exception for a region that could get only so many of its threads, with the value of @errno@.
impossibleNow :: Int -> Int -> Int -> TeamImpossible
impossibleNow wanted possible errno = TeamImpossible wanted possible $
    "the system said \"" ++ said ++ "\"; ask for fewer, raise the limit on threads or memory, or let the team be "
    ++ "smaller (dynamic = Just True)"
  where
    said = ioeGetErrorString (errnoToIOError "" (Errno (fromIntegral errno)) Nothing Nothing)

-- | Every system can have this many threads.
usual :: Int
usual = 1000

-- A safe call: it reads files.
foreign import ccall safe "ghcomp_hs_possible" c_possible :: CInt -> Ptr CString -> IO CInt
