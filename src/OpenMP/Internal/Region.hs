{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE UnboxedTuples #-}
-- Makes each chunk and each construct a safe point, also in bodies that do not allocate. Otherwise the collector and
-- messages for this Capability (an asynchronous exception for the caller, for example) would wait.
{-# OPTIONS_GHC -fno-omit-yields #-}
-- |
-- Module:      OpenMP.Internal.Region
-- Description: Regions whose members enter Haskell once
--
-- The mechanism below "OpenMP.Parallel"; @cbits\/haskell\/region.c@ is its C half. The interface is not stable.
--
-- Exceptions. The body of each member runs in a Haskell thread of its own, which must not end by an exception: that
-- would end the process. So the first exception of a region is kept, and cancels the region. Members that notice this
-- leave by t'RegionCancelled', which never leaves the region. When all have left, the caller throws the kept exception
-- unchanged.
--
-- The caller itself is in a foreign call meanwhile, so an exception that another thread throws at it
-- ('Control.Concurrent.killThread', 'System.Timeout.timeout') is pending until that call returns. Members check for
-- this before they take more work ("OpenMP.Internal.Pending"), and "OpenMP.Internal.Watch" interrupts bodies
-- that run. The region ends, and the exception is delivered to the caller, which has masked asynchronous exceptions
-- during the call.
--
-- Resuming. A lazy value may need a region ('System.IO.Unsafe.unsafePerformIO'). When an asynchronous exception
-- interrupts the evaluation of a lazy value, GHC keeps its state, and a thread that needs the value later resumes it.
-- To preserve that, the body of each member is itself evaluated as a lazy value, and the caller has two things when an
-- interrupted region has ended: the bodies that were interrupted ('endSuspended') and the iterations that no member has
-- taken ('endRest'). The exception is delivered where the caller unmasks. What follows there happens when the value is
-- needed again, or when the exception was withdrawn: it runs a region for both ("OpenMP.Internal.Loop"). The
-- members of an exact region cannot continue without each other and without the state of their constructs; that region
-- ends by t'RegionInterrupted' instead.
--
-- Threads that are blocked for ever. The caller's stack and the stable pointer that C has are alive as long as the
-- region. So neither refers to the body, which may refer to an 'Control.Concurrent.MVar.MVar' that a member waits for:
-- the body is in a t'Holder', from which the last member to enter takes it out, or the first that finds the loop's
-- chunks all taken. A member that is interrupted puts it back for the caller.
module OpenMP.Internal.Region
    ( Request (..)
    , exactRegion
    , Sharing (..)
    , SharingKind (..)
    , Member (..)
    , Words
    , aliveUnchecked
    , placeOfLast
    , placeOfEnd
    , Cut
    , Unmask (..)
    , unmasked
    , runRegion
      -- * Regions that can be resumed
    , Holder
    , newHolder
    , takeHeld
    , attempt
    , End (..)
    , Suspended (..)
    , Rest (..)
      -- * For members
    , checkpoint
    , callerWaits
    , cancelRegion
    , leaveCancelled
    , keepException
    , rethrow
    , teamBound
    , RegionCancelled (..)
    , RegionInterrupted (..)
    , CRegion
    , CTask
    , Runner (..)
    , runTask
    , asEntry
    ) where

import Control.Concurrent (ThreadId, myThreadId, rtsSupportsBoundThreads)
import Control.Exception
import Control.Monad (when)
import qualified Data.IORef as R
import Data.Maybe (fromMaybe)
import Data.Primitive.ByteArray (MutableByteArray, newByteArray, readByteArray, setByteArray, writeByteArray)
import Foreign.C.Types (CBool (..), CInt (..))
import Foreign.Marshal.Array (peekArray, withArray)
import Foreign.Ptr (Ptr, castPtr, minusPtr, nullPtr, plusPtr)
import Foreign.StablePtr (StablePtr, castStablePtrToPtr, freeStablePtr, newStablePtr)
import Foreign.Storable (peek)
import GHC.Exts (RealWorld, raiseIO#, runRW#)
import GHC.IO (IO (..), unsafeUnmask)
import System.IO.Unsafe (unsafePerformIO)

import OpenMP.Internal.Admission (admitted)
import OpenMP.Internal.Critical (haskellThread)
import OpenMP.Internal.Impossible (impossibleNow)
import OpenMP.Internal.Over (Over, announceEnd, announcing, newOver)
import OpenMP.Internal.Pending (pendingException)
import OpenMP.Internal.Slot (Runner (..), freeSpare, takeOut)
import OpenMP.Internal.Watch
import OpenMP.Settings

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
    , sharingStep  :: !Int  -- ^ a chunk has a safe point after so many iterations; 0: the chunk's size is promised
    }

-- | What a region is opened with.
data Request = Request
    { requestSettings :: !Settings
    , requestSharing  :: !Sharing
    }

-- | A request for an exact region, which every member of the team takes part in.
exactRegion :: Settings -> Request
exactRegion settings = Request settings (Sharing NoLoop 0 0 0)

-- | A few words that C reads and writes.
type Words = MutableByteArray RealWorld

-- | A member of a region's team, for its body.
data Member = Member
    { memberRegion :: !(Ptr CRegion)
    , memberNumber :: !Int         -- ^ from 0
    , memberSize   :: !Int         -- ^ of the team
    , memberCaller :: !(Maybe ThreadId)
      -- ^ the Haskell thread that opened the region, unless it had masked asynchronous exceptions
    , memberFailed :: !(R.IORef (Maybe SomeException)) -- ^ the first exception
    , memberCut    :: !(R.IORef Cut)
    , memberChunk  :: !Words
      -- ^ @struct ghcomp_hs_words@: the region, or 0 when the member has left it (its body may be resumed later), the
      -- bounds of the member's chunk, and its reserve
    , memberUnmask :: !Unmask      -- ^ the masking state of bodies
    , memberCrew   :: !Crew        -- ^ the threads that run the region's bodies
    , memberAlive  :: !Words
      -- ^ shared by all members: the place 0 has 0 once the region is over, and before that 1, or 2 when constructs are
      -- not checked; 'placeOfLast' and 'placeOfEnd' are for "OpenMP.Internal.Same"
    , memberOver   :: !Over        -- ^ for transactions that wait for the region
    }

-- | The places of the words in 'memberAlive' that members compare constructs by, which are 0 at first: at the last
-- barrier, and at the end of the bodies.
placeOfLast, placeOfEnd :: Int
placeOfLast = 1
placeOfEnd = 2

-- | Whether the words of a region that is not over say that constructs are not checked.
aliveUnchecked :: Words -> IO Bool
aliveUnchecked alive = (== (2 :: Int)) <$> readByteArray alive 0
{-# NOINLINE aliveUnchecked #-} -- so that constructs have no code for it

-- | 0: nothing has interrupted the region; 1: an exception has been pending for the caller; 2: and a member has ended
-- its part for it. It only grows.
type Cut = Int

-- | How a body's masking state is set.
newtype Unmask = Unmask (forall a. IO a -> IO a)

-- | Ends the body of a member whose region has been cancelled. It is an asynchronous exception, so that a body's
-- handlers for its own exceptions let it pass, and it never leaves the region.
data RegionCancelled = RegionCancelled
    deriving (Show)

instance Exception RegionCancelled where
    toException = asyncExceptionToException
    fromException = asyncExceptionFromException

-- | A region was interrupted by an asynchronous exception for its caller, and cannot be resumed: it is the region of a
-- team or of tasks, and then the exception was withdrawn, or a lazy value that needs it was evaluated again; or a body
-- has caught the interrupt and thrown it again. The region's work is not complete.
data RegionInterrupted = RegionInterrupted
    deriving (Show)

instance Exception RegionInterrupted where
    displayException _ =
        "OpenMP.Parallel: an asynchronous exception has interrupted this region, and it cannot be resumed"

-- | A body that was interrupted: evaluating the unit resumes it.
data Suspended = Suspended ()

-- | The iterations that no member has taken. The words that C reports: those below the first number have been taken;
-- the number of pieces, and their bits.
data Rest = Rest !Int !Int [Int]

-- | How a region ended that no body's exception has ended.
data End
    = Complete
    | Interrupted
        { endCut       :: !Cut
        , endSuspended :: [Suspended]
        , endRest      :: !Rest
        }

-- | Holds a region's body until all its members have it.
newtype Holder = Holder (R.IORef Inside)

data Inside = Inside
    { _insideEntered :: !Int         -- ^ members that have been in the holder
    , insideJob      :: !(Maybe Job)
    }

data Job = Job (Member -> IO ()) !Crew

-- | A holder with a body.
newHolder :: (Member -> IO ()) -> IO Holder
newHolder body = do
    crew <- newCrew
    Holder <$> R.newIORef (Inside 0 (Just (Job body crew)))

-- | The body that is in the holder.
takeHeld :: Holder -> IO (Maybe (Member -> IO ()))
takeHeld (Holder holder) = fmap (\(Job body _) -> body) . insideJob <$> R.readIORef holder

putHeld :: Holder -> Maybe Job -> IO ()
putHeld (Holder holder) job = R.atomicModifyIORef' holder (\inside -> (inside { insideJob = job }, ()))

enterHolder :: Holder -> Int -> IO (Maybe Job)
enterHolder (Holder holder) size = R.atomicModifyIORef' holder $ \(Inside entered job) ->
    (Inside (entered + 1) (if entered + 1 == size then Nothing else job), job)

-- | Runs an exact region: the body once in each member of its team. Returns when all have left it. Throws the first
-- exception of a body.
runRegion :: Request -> (Member -> IO ()) -> IO ()
runRegion request body = do
    end <- newHolder body >>= attempt request
    case end of
        Interrupted 2 _ _ -> throwIO RegionInterrupted
        _                 -> pure () -- complete, if only just

-- | What the members of a region share.
data Shared = Shared
    { sharedCaller      :: !(Maybe ThreadId)
    , sharedUnmask      :: !Unmask
    , sharedFailed      :: !(R.IORef (Maybe SomeException))
    , sharedCut         :: !(R.IORef Cut)
    , sharedSuspended   :: !(R.IORef [Suspended])
    , sharedHolder      :: !Holder
    , sharedAlive       :: !Words
    , sharedOver        :: !Over
    }

-- | Runs a region: the holder's body once in each member of its team (if the region has a loop, in those members that
-- found a Capability). Returns when all have left it. Throws the first exception of a body, or a t'TeamImpossible'.
attempt :: Request -> Holder -> IO End
attempt request holder = do
    bound <- teamBound (requestSettings request)
    when (bound > 1 && not rtsSupportsBoundThreads) $ throwIO $ ErrorCall
        "OpenMP.Parallel: a team of more than one thread needs GHC's threaded runtime: link with -threaded"
    state <- getMaskingState
    -- A pending exception is delivered where this unmasks.
    (shared, outcome) <- mask_ $ do
        shared <- newShared holder state (checkConstructs (requestSettings request) /= Just False)
        outcome <- admitted (inRegion request shared)
        -- Thrown under the mask: another exception that is pending comes after this one, and not instead of it.
        either (\e -> myThreadId >>= (`throwTo` e)) (const (pure ())) outcome
        pure (shared, outcome)
    case outcome of
        Left _ -> attempt request holder -- a lazy value goes on here
        Right (Left impossible) -> throwIO impossible
        Right (Right (killed, rest)) -> do
            R.readIORef (sharedFailed shared) >>= mapM_ rethrow
            when killed (throwIO ThreadKilled)
            cut <- R.readIORef (sharedCut shared)
            if cut == 0
                then pure Complete
                else (\bodies -> Interrupted cut bodies rest) <$> R.readIORef (sharedSuspended shared)

newShared :: Holder -> MaskingState -> Bool -> IO Shared
newShared holder state checked = do
    caller <- case state of
        Unmasked -> Just <$> myThreadId
        _        -> pure Nothing
    let unmask = case state of
            Unmasked -> Unmask unsafeUnmask
            _        -> Unmask id
    alive <- newByteArray 24
    writeByteArray alive 0 (if checked then 1 else 2 :: Int)
    writeByteArray alive placeOfLast (0 :: Int)
    writeByteArray alive placeOfEnd (0 :: Int)
    Shared caller unmask <$> R.newIORef Nothing <*> R.newIORef 0 <*> R.newIORef [] <*> pure holder <*> pure alive
        <*> newOver

-- Whether a member's body was ended from outside, and what is left; or why the region has not begun.
inRegion :: Request -> Shared -> IO (Either TeamImpossible (Bool, Rest))
inRegion request shared = do
    crew <- crewOf (sharedHolder shared)
    watched (sharedCaller shared) (sharedCut shared) crew $ \number -> withRequest request $ \words_ -> do
        action <- newStablePtr (member shared number loop)
        end <- c_region action words_
        writeByteArray (sharedAlive shared) 0 (0 :: Int)
        announceEnd (sharedOver shared)
        freeStablePtr action
        cut <- R.readIORef (sharedCut shared)
        rest <- if cut /= 0 || end == impossible
            then restOf <$> peekArray 6 (words_ `plusPtr` (8 * 10))
            else pure (Rest 0 0 [])
        pure (if end == impossible then Left (noTeam rest) else Right (end /= 0, rest))
  where
    impossible = 2 -- enum ghcomp_hs_end
    noTeam (Rest possible errno _) =
        impossibleNow (fromMaybe (possible + 1) (numThreads (requestSettings request))) possible errno
    loop = sharingKind (requestSharing request) /= NoLoop
    restOf (next : past : more) = Rest next past more
    restOf _                    = Rest 0 0 []
    crewOf (Holder holder) = R.readIORef holder >>= maybe newCrew (\(Job _ crew) -> pure crew) . insideJob

-- | One member's part of a region, from its entry into Haskell to its end.
member :: Shared -> Int -> Bool -> Ptr CRegion -> Int -> IO ()
member shared number loop region thread = mask_ $ do
    size <- peek (castPtr region)
    job <- enterHolder (sharedHolder shared) size
    case job of
        Nothing -> pure () -- the loop is over
        Just (Job body crew) -> do
            gate <- joinCrew crew
            chunk <- newByteArray 64
            setByteArray chunk 0 8 (0 :: Int)
            writeByteArray chunk 0 (region `minusPtr` nullPtr)
            let unmask = sharedUnmask shared
                self = Member region thread size (sharedCaller shared) (sharedFailed shared)
                    (sharedCut shared) chunk unmask crew (sharedAlive shared) (sharedOver shared)
                work = suspendable (body self)
                -- Not alive while a member of an exact region is in a foreign call, at a barrier for example.
                !kept = if loop then job else Nothing
            r <- try (unmasked unmask (evaluate work))
            late <- closeGate gate
            writeByteArray chunk 0 (0 :: Int)
            either (bodyEnded shared number self work) pure r
            mapM_ (keepException self) late
            when loop $ do
                cut <- R.readIORef (sharedCut shared)
                putHeld (sharedHolder shared) (if cut /= 0 then kept else Nothing)
                when (cut /= 0) (cancelRegion self)
            freeSpare

-- | Runs an action in the masking state of the region's bodies.
unmasked :: Unmask -> IO a -> IO a
unmasked (Unmask f) = f

-- | An action as a lazy value: evaluating it again, after an asynchronous exception, resumes it. Not inlined, so that
-- the action runs when the value is evaluated, and once.
suspendable :: IO () -> ()
suspendable (IO action) = case runRW# action of (# _, () #) -> ()
{-# NOINLINE suspendable #-}

-- | A body has ended by an exception.
bodyEnded :: Shared -> Int -> Member -> () -> SomeException -> IO ()
bodyEnded shared number self work e = case fromException e of
    Just (Interrupt n) | n /= number -> keepException self (toException RegionInterrupted)
    Just _ -> do
        R.atomicModifyIORef' (sharedSuspended shared) (\bodies -> (Suspended work : bodies, ()))
        keepException self e
    Nothing -> keepException self e

-- | Keeps the first exception and cancels the region.
keepException :: Member -> SomeException -> IO ()
keepException self e
    | Just RegionCancelled <- fromException e = grow
    | Just (Interrupt _) <- fromException e = grow >> cancelRegion self
    | otherwise = do
        R.atomicModifyIORef' (memberFailed self) $ \first -> (Just (fromMaybe e first), ())
        cancelRegion self
  where
    grow = R.atomicModifyIORef' (memberCut self) (\cut -> (if cut == 0 then 0 else 2, ()))

-- | Whether the member should continue: 'False' once the region has been cancelled or an asynchronous exception is
-- pending for its caller. It takes a few nanoseconds.
checkpoint :: Member -> IO Bool
checkpoint self = do
    waits <- callerWaits self
    if waits then False <$ cancelRegion self else (== 0) <$> c_cancelled (memberRegion self)
{-# INLINE checkpoint #-}

-- | Whether an asynchronous exception is pending for the caller. Then the region counts as interrupted: the member must
-- take nothing more.
callerWaits :: Member -> IO Bool
callerWaits self = do
    waits <- maybe (pure False) pendingException (memberCaller self)
    when waits (cutOff self)
    pure waits
{-# INLINE callerWaits #-}

cutOff :: Member -> IO ()
cutOff self = R.atomicWriteIORef (memberCut self) 2
{-# NOINLINE cutOff #-}

-- | Cancels the region for every member (OpenMP 5.2, section 16.1). The caller continues to its next construct.
cancelRegion :: Member -> IO ()
cancelRegion self = announcing (memberOver self) (c_cancel (memberRegion self))
{-# NOINLINE cancelRegion #-} -- so that constructs have no code for it, and keep nothing for it

-- | Leaves the body of a cancelled region.
leaveCancelled :: IO a
leaveCancelled = throwIO RegionCancelled

-- | Throws an exception with its original context: 'throwIO' of newer versions of base would add this place to it.
rethrow :: SomeException -> IO a
rethrow e = IO (raiseIO# e)

withRequest :: Request -> (Ptr Int -> IO a) -> IO a
withRequest (Request settings (Sharing kind count chunk _)) act = do
    origin <- c_capability_here
    opener <- haskellThread
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
        , opener
        , 0, 0, 0, 0, 0, 0 -- for the rest
        ] act
  where
    address p = p `minusPtr` nullPtr

-- | The function by which a member that waits in C runs a task: one for the whole process.
taskRunner :: StablePtr (Ptr CTask -> Int -> IO ())
taskRunner = unsafePerformIO (newStablePtr (\task _ -> mask_ (runTask Entry task >> freeSpare)))
{-# NOINLINE taskRunner #-}

-- | Runs the action of a task that core has started, with asynchronous exceptions masked. The action handles its
-- exceptions itself.
runTask :: Runner -> Ptr CTask -> IO ()
runTask runner task = do
    action <- peek (castPtr task) >>= takeOut
    action runner

-- | Runs a task's action, which handles its exceptions, in a thread of its own that has masked asynchronous exceptions:
-- as one of those in the register of "OpenMP.Internal.Watch".
asEntry :: Member -> IO () -> IO ()
asEntry self act = do
    gate <- joinCrew (memberCrew self)
    act
    late <- closeGate gate
    leaveCrew (memberCrew self) gate
    mapM_ (keepException self) late

-- A safe call: it lasts as long as the region, and its members call back.
foreign import ccall safe "ghcomp_hs_region" c_region
    :: StablePtr (Ptr CRegion -> Int -> IO ()) -> Ptr Int -> IO CInt

-- | The most threads that a region with these settings can get.
teamBound :: Settings -> IO Int
teamBound settings = fromIntegral <$> c_bound (maybe 0 fromIntegral (numThreads settings))

-- Unsafe calls: they read or write a few words and never wait.
foreign import ccall unsafe "ghcomp_hs_cancelled" c_cancelled :: Ptr CRegion -> IO CBool
foreign import ccall unsafe "ghcomp_hs_bound" c_bound :: CInt -> IO CInt
foreign import ccall unsafe "ghcomp_hs_capability_here" c_capability_here :: IO CInt

-- An unsafe call: a few atomic operations, and at most one system call to wake members that sleep.
foreign import ccall unsafe "ghcomp_hs_cancel" c_cancel :: Ptr CRegion -> IO ()
