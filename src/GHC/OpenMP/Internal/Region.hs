{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- Makes each chunk and each construct a safe point, also in bodies that do not allocate. Otherwise the collector and
-- messages for this Capability (an asynchronous exception for the caller, for example) would wait.
{-# OPTIONS_GHC -fno-omit-yields #-}
-- |
-- Module:      GHC.OpenMP.Internal.Region
-- Description: Regions whose members enter Haskell once
--
-- The mechanism below "GHC.OpenMP.Parallel"; @cbits\/haskell\/region.c@ is its C half. The interface is not stable.
--
-- Exceptions. The body of each member runs in a Haskell thread of its own, which must not end by an exception: that
-- would end the process. So the first exception of a region is kept, and cancels the region. Members that notice this
-- leave by t'RegionCancelled', which never leaves the region. When all have left, the caller throws the kept exception
-- unchanged.
--
-- The caller itself is in a foreign call meanwhile, so an exception that another thread throws at it
-- ('Control.Concurrent.killThread', 'System.Timeout.timeout') is pending until that call returns. Before they take more
-- work, members check for this ("GHC.OpenMP.Internal.Pending"), and then cancel the region. The caller masks
-- asynchronous exceptions during the call, so that it cleans up before the exception is delivered.
module GHC.OpenMP.Internal.Region
    ( Request (..)
    , exactRegion
    , Sharing (..)
    , SharingKind (..)
    , Member (..)
    , runRegion
    , checkpoint
    , cancelRegion
    , leaveCancelled
    , keepException
    , teamBound
    , RegionCancelled (..)
    , RegionInterrupted (..)
    , CRegion
    , CTask
    , runTask
    ) where

import Control.Concurrent (ThreadId, myThreadId, rtsSupportsBoundThreads)
import Control.Exception
import Control.Monad (when)
import qualified Data.IORef as R
import Data.Maybe (fromMaybe)
import Foreign.C.Types (CBool (..), CInt (..))
import Foreign.Marshal.Array (withArray)
import Foreign.Ptr (Ptr, castPtr, minusPtr, nullPtr)
import Foreign.StablePtr (StablePtr, castStablePtrToPtr, deRefStablePtr, freeStablePtr, newStablePtr)
import Foreign.Storable (peek)
import GHC.Exts (raiseIO#)
import GHC.IO (IO (..), unsafeUnmask)
import System.IO.Unsafe (unsafePerformIO)

import GHC.OpenMP.Internal.Admission (admitted)
import GHC.OpenMP.Internal.Pending (pendingException)
import GHC.OpenMP.Settings

-- | @struct ghcomp_hs_region@.
data CRegion

-- | @struct ghcomp_hs_task@.
data CTask

-- | How the chunks of a region's loop are handed out. The order is that of @enum ghcomp_sharing@
-- (@cbits\/haskell\/chunk_pool.h@).
data SharingKind
    = NoLoop         -- ^ the region is exact and has no loop
    | StaticPieces   -- ^ a piece for each member, which takes its own first
    | DynamicChunks  -- ^ chunks of one size, first come, first served
    | GuidedChunks   -- ^ chunks that shrink with what is left, first come, first served
    deriving (Eq, Enum)

-- | How a region's loop is divided: @enum ghcomp_sharing@ and its parameters.
data Sharing = Sharing
    { sharingKind  :: !SharingKind
    , sharingCount :: !Int  -- ^ iterations, as an unsigned number
    , sharingChunk :: !Int  -- ^ at least 1
    }

-- | What a region is opened with.
data Request = Request
    { requestSettings :: !Settings
    , requestSharing  :: !Sharing
    }

-- | A request for an exact region, which every member of the team takes part in.
exactRegion :: Settings -> Request
exactRegion settings = Request settings (Sharing NoLoop 0 0)

-- | A member of a region's team, for its body.
data Member = Member
    { memberRegion :: !(Ptr CRegion)
    , memberNumber :: !Int         -- ^ from 0
    , memberSize   :: !Int         -- ^ of the team
    , memberCaller :: !(Maybe ThreadId)
      -- ^ the Haskell thread that opened the region, unless it had masked asynchronous exceptions
    , memberFailed :: !(R.IORef (Maybe SomeException)) -- ^ the first exception
    }

-- | Ends the body of a member whose region has been cancelled. It is an asynchronous exception, so that a body's
-- handlers for its own exceptions let it pass, and it never leaves the region.
data RegionCancelled = RegionCancelled
    deriving (Show)

instance Exception RegionCancelled where
    toException = asyncExceptionToException
    fromException = asyncExceptionFromException

-- | A region was cancelled because an asynchronous exception was pending for its caller, and then none came: the thread
-- that threw it was itself killed while it waited. The region's work is not complete.
data RegionInterrupted = RegionInterrupted
    deriving (Show)

instance Exception RegionInterrupted where
    displayException _ =
        "GHC.OpenMP.Parallel: the region was cancelled for an asynchronous exception that was then withdrawn"

-- | Runs a region: the body once in each member of its team (if the region has a loop, in those members that found a
-- Capability). Returns when all have left it. Throws the first exception of a body.
runRegion :: Request -> (Member -> IO ()) -> IO ()
runRegion request body = do
    bound <- teamBound (requestSettings request)
    when (bound > 1 && not rtsSupportsBoundThreads) $ throwIO $ ErrorCall
        "GHC.OpenMP.Parallel: a team of more than one thread needs GHC's threaded runtime: link with -threaded"
    state <- getMaskingState
    caller <- case state of
        Unmasked -> Just <$> myThreadId
        _        -> pure Nothing
    failed <- R.newIORef Nothing
    let unmasked = case state of
            Unmasked -> unsafeUnmask
            _        -> id
        member region number = mask_ $ do
            size <- peek (castPtr region)
            let self = Member region number size caller failed
            try (unmasked (body self)) >>= either (keepException self) pure
    killed <- mask_ $ admitted $ withRequest request $ \c_request -> do
        action <- newStablePtr member
        r <- c_region action c_request
        freeStablePtr action
        pure (r /= 0)
    R.readIORef failed >>= mapM_ rethrow
    when killed (throwIO ThreadKilled)

-- | Keeps the first exception and cancels the region.
keepException :: Member -> SomeException -> IO ()
keepException member e
    | Just RegionCancelled <- fromException e = pure ()
    | otherwise = fail_ member e

fail_ :: Member -> SomeException -> IO ()
fail_ member e = do
    R.atomicModifyIORef' (memberFailed member) $ \first -> (Just (fromMaybe e first), ())
    c_cancel (memberRegion member)

-- | Whether the member should go on: 'False' once the region has been cancelled or an asynchronous exception is pending
-- for its caller. It takes a few nanoseconds.
checkpoint :: Member -> IO Bool
checkpoint member = do
    waits <- maybe (pure False) pendingException (memberCaller member)
    if waits then False <$ interrupt else (== 0) <$> c_cancelled (memberRegion member)
  where
    -- The caller sees this one only if the pending exception is withdrawn.
    interrupt = fail_ member (toException RegionInterrupted)
{-# INLINE checkpoint #-}

-- | Cancels the region for every member (OpenMP 5.2, section 16.1). The caller goes on to its next construct.
cancelRegion :: Member -> IO ()
cancelRegion = c_cancel . memberRegion

-- | Leaves the body of a cancelled region.
leaveCancelled :: IO a
leaveCancelled = throwIO RegionCancelled

-- | Throws an exception with its original context: 'throwIO' of newer versions of base would add this place to it.
rethrow :: SomeException -> IO a
rethrow e = IO (raiseIO# e)

withRequest :: Request -> (Ptr Int -> IO a) -> IO a
withRequest (Request settings (Sharing kind count chunk)) act = do
    origin <- c_capability_here
    withArray
        [ fromMaybe 0 (numThreads settings)
        , maybe 0 fromEnum (procBind settings)
        , maybe (-1) fromEnum (dynamic settings)
        , fromMaybe (-1) (maxActiveLevels settings)
        , fromIntegral origin
        , fromEnum kind
        , count
        , chunk
        , address (castStablePtrToPtr taskRunner)
        ] act
  where
    address p = p `minusPtr` nullPtr

-- | The function by which a member that waits in C runs a task: one for the whole process.
taskRunner :: StablePtr (Ptr CTask -> Int -> IO ())
taskRunner = unsafePerformIO (newStablePtr (\task _ -> runTask task))
{-# NOINLINE taskRunner #-}

-- | Runs the action of a task that core has started. The action handles its exceptions itself.
runTask :: Ptr CTask -> IO ()
runTask task = do
    action <- peek (castPtr task) :: IO (StablePtr (IO ()))
    body <- deRefStablePtr action
    freeStablePtr action
    body

-- A safe call: it lasts as long as the region, and its members call back.
foreign import ccall safe "ghcomp_hs_region" c_region
    :: StablePtr (Ptr CRegion -> Int -> IO ()) -> Ptr Int -> IO CBool

-- | The most threads that a region with these settings can get.
teamBound :: Settings -> IO Int
teamBound settings = fromIntegral <$> c_bound (maybe 0 fromIntegral (numThreads settings))

-- Unsafe calls: they read or write a few words and never wait.
foreign import ccall unsafe "ghcomp_hs_cancelled" c_cancelled :: Ptr CRegion -> IO CBool
foreign import ccall unsafe "ghcomp_hs_bound" c_bound :: CInt -> IO CInt
foreign import ccall unsafe "ghcomp_hs_capability_here" c_capability_here :: IO CInt

-- An unsafe call: a few atomic operations, and at most one system call to wake members that sleep.
foreign import ccall unsafe "ghcomp_hs_cancel" c_cancel :: Ptr CRegion -> IO ()
