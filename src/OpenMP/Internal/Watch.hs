{-# LANGUAGE BangPatterns #-}
-- |
-- Module:      OpenMP.Internal.Watch
-- Description: How soon an exception that is pending for a caller, of C or of a region, is seen and interrupts the work
--
-- The caller of a region is in a foreign call, so an exception that is thrown to it waits
-- ("OpenMP.Internal.Pending") while the region's members run bodies in Haskell threads of their own. The caller's
-- exception must end these bodies, also those that wait. The interface is not stable.
--
-- == The protocol
--
-- 1. A region is in the register from before its members enter Haskell until all have left. A member that enters adds
--    itself, with its gate, to the region's crew. So does a thread that runs a task by an entry of its own, while its
--    member waits in C.
--
-- 2. One watcher thread, which lasts as long as there are regions, looks every 10 ms. When an exception is pending for
--    a caller, it sets the region's flag and throws t'Interrupt' to each member, once.
--
-- 3. A member's gate is an 'MVar' that is also a lock; its value says whether the interrupt is still pending for the
--    member. The thread that throws holds the gate meanwhile. The member closes it, by taking it for good, when its
--    body is over: an interrupt that comes before that is received in the body or at the gate, and none comes later.
--    Each throw has a thread of its own, because the member may be in a foreign call; it ends with the call.
--
-- 4. The crew has only weak references to its threads, because GHC finds that a thread is blocked for ever only when
--    nothing refers to it. GHC searches such threads only in an idle program, and the watcher's steps keep the program
--    from being idle. So the watcher performs that collection when all members of a region have been blocked for 0.3 s,
--    GHC's own patience, and again every ten seconds as long as they are.
--
-- 5. Calls of C that poll whether they are to end ("OpenMP.Interrupt") are in the register, too, with an action for
--    each look, and no crew.
--
-- 6. The child of a @forkProcess@ has neither the watcher nor the register's regions. So the register names its
--    process, and the first entry in another process begins a new register, with a watcher.
--
-- Callers: "OpenMP.Internal.Region", "OpenMP.Interrupt". Tests: @test\/hs\/library\/InterruptTest.hs@,
-- @InterruptibleTest.hs@.
module OpenMP.Internal.Watch
    ( Interrupt (..)
    , Crew
    , Hand
    , newCrew
    , watched
    , onLooks
    , Gate
    , joinCrew
    , closeGate
    , leaveCrew
    ) where

import Control.Concurrent (ThreadId, forkIO, forkIOWithUnmask, myThreadId, threadDelay)
import Control.Concurrent.MVar
import Control.Exception
import Control.Monad (forM_, void, when)
import qualified Data.IORef as R
import Data.Maybe (catMaybes)
import Foreign.C.Types (CInt (..))
import GHC.Conc (ThreadStatus (..), mkWeakThreadId, threadStatus)
import System.IO.Unsafe (unsafePerformIO)
import System.Mem (performMajorGC)
import System.Mem.Weak (Weak, deRefWeak)

import OpenMP.Internal.Pending (pendingException)

-- | Ends the body of a member of the region with this number, because an exception is pending for the region's caller.
newtype Interrupt = Interrupt Int
    deriving (Eq, Show)

instance Exception Interrupt where
    toException = asyncExceptionToException
    fromException = asyncExceptionFromException

-- | 'True': the member has not been interrupted yet.
type Gate = MVar Bool

-- | A member's thread and its gate.
data Hand = Hand !(Weak ThreadId) !Gate

-- | The members of a region that have entered Haskell.
type Crew = R.IORef [Hand]

data Watched = Watched
    { number  :: !Int
    , caller  :: !(Maybe ThreadId)  -- ^ none: the caller has masked asynchronous exceptions
    , flag    :: !(R.IORef Int)     -- ^ at least 1 before the first interrupt
    , crew    :: !Crew
    , blocked :: !(R.IORef Int)     -- ^ the watcher's: its last looks, in a row, at which all members were blocked
    , also    :: !(IO ())           -- ^ what the watcher does at each look: it is short, and does not throw
    }

data Register = Register
    { next     :: !Int              -- ^ the number of the next region
    , regions  :: ![Watched]
    , watching :: !Bool             -- ^ there is a watcher
    , process  :: !CInt             -- ^ ... in this process
    }

register :: R.IORef Register
register = unsafePerformIO (R.newIORef (Register 0 [] False 0))
{-# NOINLINE register #-}

-- | A crew without members.
newCrew :: IO Crew
newCrew = R.newIORef []

-- | Runs an action, which must not throw, as a region: with its number. Asynchronous exceptions are masked.
watched :: Maybe ThreadId -> R.IORef Int -> Crew -> (Int -> IO a) -> IO a
watched thread interrupted members act = do
    n <- enlist (\n looks -> Watched n thread interrupted members looks (pure ()))
    result <- act n
    strike n
    pure result

-- | Has the watcher run an action, which is short and does not throw, at each of its looks, until the result is run. It
-- may run once more after that. Asynchronous exceptions are masked.
onLooks :: IO () -> IO (IO ())
onLooks act = do
    never <- R.newIORef 0
    members <- newCrew
    n <- enlist (\n looks -> Watched n Nothing never members looks act)
    pure (strike n)

-- | Puts an entry into the register, and sees to it that there is a watcher. The entry's number.
enlist :: (Int -> R.IORef Int -> Watched) -> IO Int
enlist entry = do
    looks <- R.newIORef 0
    this <- c_generation
    (n, alone) <- R.atomicModifyIORef' register $ \before ->
        let r = if process before == this then before else Register (next before) [] False this
            !region = entry (next r) looks
        in (r { next = next r + 1, regions = region : regions r, watching = True }, (next r, not (watching r)))
    when alone (void (forkIOWithUnmask (\unmask -> unmask (watch (n + 1)))))
    pure n

strike :: Int -> IO ()
strike n = R.atomicModifyIORef' register $ \r -> (r { regions = without n (regions r) }, ())

-- Evaluated to its end: a chain of suspended removals would keep all regions since the watcher's last look.
without :: Int -> [Watched] -> [Watched]
without _ [] = []
without n (region : rest)
    | number region == n = rest
    | otherwise = let !others = without n rest in region : others

-- | Adds the calling thread to the crew. Asynchronous exceptions are masked from before until 'closeGate'.
joinCrew :: Crew -> IO Gate
joinCrew members = do
    thread <- myThreadId >>= mkWeakThreadId
    gate <- newMVar True
    R.atomicModifyIORef' members (\hands -> (Hand thread gate : hands, ()))
    pure gate

-- | From here on the calling thread is not interrupted. Returns another exception that came before.
closeGate :: Gate -> IO (Maybe SomeException)
closeGate gate = go Nothing
  where
    go other = do
        r <- try (takeMVar gate)
        case r of
            Right _ -> pure other
            Left e
                | Just (Interrupt _) <- fromException e -> go other
                | otherwise                             -> go (Just e)

-- | Takes the thread with this gate, which is closed, out of the crew. Members need not do it: their crew ends with the
-- region.
leaveCrew :: Crew -> Gate -> IO ()
leaveCrew members gate = R.atomicModifyIORef' members (\hands -> (others hands, ()))
  where
    others [] = []
    others (hand@(Hand _ g) : rest)
        | g == gate = rest
        | otherwise = let !left = others rest in hand : left

watch :: Int -> IO ()
watch seen = do
    threadDelay interval
    stuck <- look
    when stuck performMajorGC
    more <- R.atomicModifyIORef' register $ \r ->
        if null (regions r) && next r == seen then (r { watching = False }, Nothing) else (r, Just (next r))
    mapM_ watch more

-- | Interrupts what is to be interrupted; whether a collection may find members that are blocked for ever. Not inlined:
-- nothing that it has seen may be alive in the collection.
look :: IO Bool
look = R.readIORef register >>= fmap or . mapM lookAt . regions
{-# NOINLINE look #-}

lookAt :: Watched -> IO Bool
lookAt region = do
    also region
    hands <- R.readIORef (crew region) >>= fmap catMaybes . mapM alive
    waits <- maybe (pure False) pendingException (caller region)
    when waits $ do
        R.atomicModifyIORef' (flag region) (\cut -> (max 1 cut, ()))
        forM_ hands $ \(thread, gate) -> do
            pending <- tryReadMVar gate
            when (pending == Just True) (void (forkIO (interrupt (number region) thread gate)))
    states <- mapM (threadStatus . fst) hands
    looks <- (+ 1) <$> R.readIORef (blocked region)
    let all_ = not (null [ () | ThreadBlocked _ <- states ]) && and [ s /= ThreadRunning | s <- states ]
    R.writeIORef (blocked region) $! if all_ then looks else 0 -- else a chain of suspended numbers, one for each look
    pure (all_ && (looks == patience || looks `rem` again == 0))

alive :: Hand -> IO (Maybe (ThreadId, Gate))
alive (Hand thread gate) = fmap (\t -> (t, gate)) <$> deRefWeak thread

interrupt :: Int -> ThreadId -> Gate -> IO ()
interrupt n thread gate = mask_ $ do
    mine <- tryTakeMVar gate
    forM_ mine $ \pending -> do
        when pending (throwTo thread (Interrupt n))
        putMVar gate False

-- An unsafe call: it reads a word.
foreign import ccall unsafe "ghcomp_hs_generation" c_generation :: IO CInt

-- | Microseconds between two looks.
interval :: Int
interval = 10000

-- | Looks at which all members are blocked before the first collection for it, and between two later ones.
patience, again :: Int
patience = 30
again = 1000
