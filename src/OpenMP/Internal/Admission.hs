{-# OPTIONS_GHC -fno-omit-yields #-}
-- |
-- Module:      OpenMP.Internal.Admission
-- Description: How many regions with Haskell bodies run at a time
--
-- A region keeps an operating system thread for its caller, and a team of workers, until it ends. A thousand Haskell
-- threads that open regions would have thousands of them, on a few CPUs. So the number of regions that run at a time is
-- limited. Other callers wait as Haskell threads, which cost next to nothing. The interface is not stable.
--
-- == The protocol
--
-- 1. The state is one 'R.IORef', changed by compare-and-swap: the number of regions that run, the number that have
--    ended, and the queue of those that wait, each with an 'MVar' of its own.
--
-- 2. A caller that finds the number below the limit counts itself in. Otherwise it joins the queue and takes from its
--    'MVar'.
--
-- 3. A region that ends gives its place to the first of the queue, if there is one: the number stays, the 'MVar' is
--    filled. A waiter that is killed removes itself from the queue. If it is not there any more it has been given a
--    place, and passes that on to the next.
--
-- 4. Regions may depend on each other: one that runs may wait for something that a waiting one will do. So the caller
--    that starts a queue starts a watchdog thread, which lasts as long as the queue. When no region has ended between
--    two of its looks it admits the first of the queue, beyond the limit, after the next look the first two, and four
--    each time from then on. If the regions do not depend on each other, but take longer than that, or stand still on a
--    machine that is busy with something else, they get more threads than they need, not a wrong result.
--
-- 5. In the child of a @forkProcess@ there are none of these regions, waiting threads and watchdogs. So the state names
--    its process, and a caller in another process begins with a new state.
--
-- Regions inside of regions do not wait: their caller has a place.
module OpenMP.Internal.Admission
    ( admitted
    ) where

import Control.Concurrent (forkIOWithUnmask, threadDelay)
import Control.Concurrent.MVar
import Control.Exception
import Control.Monad (unless, void, when)
import qualified Data.IORef as R
import Foreign.C.Types (CInt (..))
import System.IO.Unsafe (unsafePerformIO)

data State = State
    { running :: !Int
    , ended   :: !Int        -- ^ regions that have ended so far, modulo the size of an 'Int'
    , front   :: [MVar ()]   -- ^ the queue: its front, and its back reversed
    , back    :: [MVar ()]
    , process :: !CInt       -- ^ whose regions these are
    }

state :: R.IORef State
state = unsafePerformIO (R.newIORef (State 0 0 [] [] 0))
{-# NOINLINE state #-}

-- | Runs an action that opens a region when it is admitted: at once if the caller is inside of a region. Asynchronous
-- exceptions are masked; one that interrupts the wait is returned. It is not thrown here: thrown again from a handler
-- it would be a synchronous one, and a lazy value that needs the region could not be evaluated later.
admitted :: IO a -> IO (Either SomeException a)
admitted region = do
    limit <- fromIntegral <$> c_limit
    if limit == 0
        then Right <$> region
        else enter limit >>= either (pure . Left) (\() -> Right <$> (region `finally` leave))

enter :: Int -> IO (Either SomeException ())
enter limit = do
    this <- c_generation
    -- First without the allocation of an MVar: nearly always there is room.
    there <- R.atomicModifyIORef' state $ \before ->
        let s = if process before == this then before else State 0 (ended before) [] [] this
        in if running s < limit then (s { running = running s + 1 }, True) else (s, False)
    if there then pure (Right ()) else do
        turn <- newEmptyMVar
        r <- R.atomicModifyIORef' state $ \s ->
            if running s < limit
                then (s { running = running s + 1 }, Nothing)
                else (s { back = turn : back s }, Just (null (front s) && null (back s)))
        case r of
            Nothing -> pure (Right ())
            Just first -> do
                when first (void (forkIOWithUnmask (\unmask -> unmask watch)))
                try (takeMVar turn) >>= either (\e -> Left e <$ withdraw turn) (pure . Right)

-- | The next in the queue, and the state without it.
next :: State -> Maybe (MVar (), State)
next s = case front s of
    turn : rest -> Just (turn, s { front = rest })
    [] -> case reverse (back s) of
        turn : rest -> Just (turn, s { front = rest, back = [] })
        []          -> Nothing

leave :: IO ()
leave = do
    r <- R.atomicModifyIORef' state $ \s ->
        let over = s { ended = ended s + 1 }
        in case next over of
            Just (turn, rest) -> (rest, Just turn)
            Nothing           -> (over { running = running over - 1 }, Nothing)
    mapM_ (`putMVar` ()) r

withdraw :: MVar () -> IO ()
withdraw turn = do
    waits <- R.atomicModifyIORef' state $ \s ->
        let others = filter (/= turn)
        in if turn `elem` front s || turn `elem` back s
            then (s { front = others (front s), back = others (back s) }, True)
            else (s, False)
    unless waits leave

-- | The watchdog: admits waiting regions when no region ends.
watch :: IO ()
watch = R.readIORef state >>= go 1 . ended
  where
    go :: Int -> Int -> IO ()
    go many seen = do
        threadDelay stalledAfter
        s <- R.readIORef state
        -- An empty queue ends the watchdog: the caller that starts the next queue starts another. (There may be two for
        -- a while.)
        unless (null (front s) && null (back s)) $
            if ended s /= seen
                then go 1 (ended s)
                else mapM_ (const letIn) [1 .. many] >> go (min 4 (2 * many)) seen
    letIn = do
        r <- R.atomicModifyIORef' state $ \s -> case next s of
            Just (turn, rest) -> (rest { running = running rest + 1 }, Just turn)
            Nothing           -> (s, Nothing)
        mapM_ (`putMVar` ()) r

-- | Microseconds without the end of a region after which the running regions are taken to wait for others.
stalledAfter :: Int
stalledAfter = 20000

-- Unsafe calls: they read a few words.
foreign import ccall unsafe "ghcomp_hs_region_limit" c_limit :: IO CInt
foreign import ccall unsafe "ghcomp_hs_generation" c_generation :: IO CInt
