{-# OPTIONS_GHC -fno-omit-yields #-}
-- |
-- Module:      GHC.OpenMP.Internal.Admission
-- Description: How many regions with Haskell bodies run at a time
--
-- A region keeps an operating system thread for its caller, and a team of workers, until it ends. A thousand Haskell
-- threads that open regions would have thousands of them, on a few cores. So only so many regions run at a time; other
-- callers wait as Haskell threads, which cost next to nothing. No stability is promised.
--
-- == The protocol
--
-- 1. The state is one 'R.IORef', changed by compare-and-swap: regions that run, how many have ended, and the queue of
--    those that wait, each with an 'MVar' of its own.
--
-- 2. A caller that finds room counts itself in. Otherwise it joins the queue and takes from its 'MVar'.
--
-- 3. A region that ends gives its place to the first of the queue, if there is one: the count stays, the 'MVar' is
--    filled. A waiter that is killed takes itself out of the queue; if it is not there any more it has been given a
--    place, and gives that to the next.
--
-- 4. Regions may depend on each other: one that runs may wait for something that a waiting one will do. So whoever
--    starts a queue starts a watch, which lasts as long as the queue. When no region has ended between two of its looks
--    it lets the first of the queue in, beyond the limit, then the first two, and four from then on. Regions that do not
--    depend on each other, but are longer than that, or stand still on a machine that is busy with something else, get
--    more threads than they need, not a wrong result.
--
-- Regions inside of regions do not wait: their caller has a place.
module GHC.OpenMP.Internal.Admission
    ( admitted
    ) where

import Control.Concurrent (forkIO, threadDelay)
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
    }

state :: R.IORef State
state = unsafePerformIO (R.newIORef (State 0 0 [] []))
{-# NOINLINE state #-}

-- | Runs an action that opens a region: when there is room for it, or at once when the caller is inside of a region.
-- The action must not be interrupted by asynchronous exceptions; the wait before it can be.
admitted :: IO a -> IO a
admitted region = do
    limit <- fromIntegral <$> c_limit
    if limit == 0
        then region
        else do
            enter limit
            region `finally` leave

enter :: Int -> IO ()
enter limit = do
    -- Without the allocation of an MVar when there is room, which is nearly always.
    there <- R.atomicModifyIORef' state $ \s ->
        if running s < limit then (s { running = running s + 1 }, True) else (s, False)
    unless there $ do
        turn <- newEmptyMVar
        r <- R.atomicModifyIORef' state $ \s ->
            if running s < limit
                then (s { running = running s + 1 }, Nothing)
                else (s { back = turn : back s }, Just (null (front s) && null (back s)))
        case r of
            Nothing -> pure ()
            Just first -> do
                when first (void (forkIO watch))
                takeMVar turn `onException` withdraw turn

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

-- | Lets waiting regions in when nothing moves.
watch :: IO ()
watch = R.readIORef state >>= go 1 . ended
  where
    go :: Int -> Int -> IO ()
    go many seen = do
        threadDelay stalledAfter
        s <- R.readIORef state
        -- An empty queue ends the watch: who starts the next one starts a watch, too. (There may be two for a while.)
        unless (null (front s) && null (back s)) $
            if ended s /= seen
                then go 1 (ended s)
                else mapM_ (const letIn) [1 .. many] >> go (min 4 (2 * many)) seen
    letIn = do
        r <- R.atomicModifyIORef' state $ \s -> case next s of
            Just (turn, rest) -> (rest { running = running rest + 1 }, Just turn)
            Nothing           -> (s, Nothing)
        mapM_ (`putMVar` ()) r

-- | Microseconds without the end of a region after which the regions that run seem to wait for others.
stalledAfter :: Int
stalledAfter = 20000

-- Unsafe: reads a few words.
foreign import ccall unsafe "ghcomp_hs_region_limit" c_limit :: IO CInt
