{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE RoleAnnotations #-}
-- Makes each construct a safe point, as in the other modules of constructs.
{-# OPTIONS_GHC -fno-omit-yields #-}
-- |
-- Module:      OpenMP.Internal.Future
-- Description: Tasks with results
--
-- The interface is not stable.
--
-- == The protocol
--
-- A future is a variable with one of the states of @State@, below. It ends as @Ready@ or @Failed@.
--
-- 1. A plain task's action is in the future until a thread begins it. The thread that takes it out runs it: the task's,
--    or the first one that awaits the result before any thread has taken the task. The task then finds nothing to do.
--    So 'await' needs no other thread for an action that has not begun, whose task may be anywhere in the team's
--    deques.
--
-- 2. A thread that awaits an action under way adds a word in pinned memory to the future, and waits in C until the word
--    is set; it runs descendants of its task meanwhile (@cbits\/haskell\/task.c@, @ghcomp_hs_await@). The thread that
--    ends the action sets all words that it finds. Both change the future atomically, so no word is missed.
--
-- 3. A transaction waits for a variable that 'futureSTM' has added to the future in the same way. The action of a
--    future always ends in a Haskell thread (a member's, or one that entered Haskell for the task), also when the task
--    was begun by C, and that thread writes the variable before the task is complete. C never does.
--
-- 4. When the region is cancelled actions are dropped. Then a wait ends by the region's flag, and a transaction by the
--    region's variable ("OpenMP.Internal.Over"). It reads its own variable first: a result that is there is never lost.
--
-- Callers: "OpenMP.Parallel". Tests: @test\/hs\/library\/FutureTest.hs@.
module OpenMP.Internal.Future
    ( Future
    , spawn
    , spawnWith
    , await
    , futureSTM
    , FutureDropped (..)
    ) where

import Control.Exception
import Control.Monad (forM_, when)
import Control.Monad.Primitive (touch)
import qualified Data.IORef as R
import Data.Primitive.ByteArray
import Data.Word (Word32)
import Foreign.C.Types (CInt (..))
import Foreign.Ptr (Ptr, castPtr, nullPtr)
import Foreign.Storable (peek)
import GHC.Conc (STM, TVar, atomically, newTVarIO, readTVar, retry, throwSTM, writeTVar)
import GHC.Exts (RealWorld)

import OpenMP.Internal.Over (overOf)
import OpenMP.Internal.Region
import OpenMP.Internal.Task
import OpenMP.Internal.Team
import OpenMP.Internal.Watch (Interrupt (..))

-- | The result of a task, which may not be there yet. It cannot leave its region, like t'Team'.
--
-- >>> let both team x y = (,) <$> await team x <*> (await team y :: IO Int)
-- >>> parallelTasks defaults (\team -> do { x <- spawn team (pure 'x'); y <- spawn team (pure 2); both team x y })
-- ('x',2)
--
-- @since 0.1.0.0
newtype Future s a = Future (R.IORef (State a))

type role Future nominal representational

data State a
    = Idle [Waiter a] (IO a)    -- ^ no thread has begun the action
    | Busy [Waiter a]           -- ^ a thread runs it, or will run it when its dependences allow
    | Ready a
    | Failed SomeException      -- ^ it has thrown this, so the region is cancelled

-- | What is to be written when the action has ended.
data Waiter a
    = Word !(MutableByteArray RealWorld) -- ^ a word that is 0 until then
    | Variable !(TVar (Result a))

-- | The value of a transaction's variable.
data Result a = Pending | Value a | Threw SomeException

-- | Makes a task with a result: 'OpenMP.Parallel.task' for an action that returns something. The result is
-- evaluated to weak head normal form by the thread that runs the task. An exception in it cancels the region. Valid
-- where 'OpenMP.Parallel.task' is.
--
-- >>> parallelTasks defaults (\team -> spawn team (pure (6 * 7)) >>= await team)
-- 42
--
-- @since 0.1.0.0
spawn :: Team s -> IO a -> IO (Future s a)
spawn team body = do
    future <- R.newIORef (Idle [] body)
    taskOf "Parallel.spawn" team (begin future >>= mapM_ (run team future))
    pure (Future future)

-- | 'spawn' for a task with clauses, 'OpenMP.Parallel.taskWith'.
--
-- >>> import Data.IORef
-- >>> cell <- newIORef 'a'
-- >>> dep <- newDep
-- >>> :{
-- parallelTasks defaults $ \team -> do
--     taskWith team taskDefaults { depends = [Out dep] } (writeIORef cell 'b')
--     spawnWith team taskDefaults { depends = [In dep] } (readIORef cell) >>= await team
-- :}
-- 'b'
--
-- @since 0.1.0.0
spawnWith :: Team s -> TaskSettings -> IO a -> IO (Future s a)
spawnWith team settings body = do
    future <- R.newIORef (Busy [])
    taskWithOf "Parallel.spawnWith" team settings (run team future body)
    pure (Future future)

-- | The action, for the caller to run; 'Nothing' when another thread has it.
begin :: R.IORef (State a) -> IO (Maybe (IO a))
begin future = R.atomicModifyIORef' future $ \state -> case state of
    Idle waiters body -> (Busy waiters, Just body)
    _                 -> (state, Nothing)

-- | Runs the action, and wakes the threads that wait for it.
run :: Team s -> R.IORef (State a) -> IO a -> IO ()
run team future body = do
    ended <- try (body >>= evaluate)
    case ended of
        Right value -> end (Ready value) (Value value)
        Left e      -> end (Failed e) (threw e) >> rethrow e
  where
    end over result = mask_ $ do
        waiters <- R.atomicModifyIORef' future $ \state -> (over, case state of Busy list -> list; _ -> [])
        forM_ waiters $ \waiter -> case waiter of
            Variable variable -> atomically (writeTVar variable result)
            Word word         -> do
                c_resolve (memberRegion (teamMember team)) (castPtr (mutableByteArrayContents word))
                touch word

-- | What transactions see of an exception: not those that end the bodies of a cancelled region and never leave it.
threw :: SomeException -> Result a
threw e
    | Just RegionCancelled <- fromException e = Pending
    | Just (Interrupt _) <- fromException e   = Pending
    | otherwise                               = Threw e

-- | The result of a task of the region; waits for it, and meanwhile runs the task itself if no thread has begun it,
-- otherwise tasks that descend from the current one. Any task and member of the team may await a future, any number of
-- times. Valid where 'OpenMP.Parallel.task' is.
--
-- An asynchronous exception for the thread that waits, a 'System.Timeout.timeout' around this, ends the wait within
-- some ten milliseconds and cancels the region, which throws it in its caller. If the thread runs a task in this wait,
-- the exception reaches that task's body, as in any other task.
--
-- A task must not await one that it descends from, nor one that waits for such a one: neither could continue. Only an
-- asynchronous exception ends that.
--
-- >>> :{
-- let fib team n = if n < 2 then pure n else spawn team (fib team (n - 1)) >>= both team n
--     both team n x = (+) <$> fib team (n - 2) <*> await team x
-- :}
--
-- >>> parallelTasks defaults (\team -> fib team 15)
-- 610
--
-- @since 0.1.0.0
await :: Team s -> Future s a -> IO a
await team (Future future) = do
    _ <- threadNumOf name team -- also for a result that is there: where a use is valid does not depend on the moment
    state <- R.readIORef future
    case state of
        Ready value -> pure value
        Idle _ _    -> checkPlace name team >> runHere >> settle
        Busy _      -> wait name team future >> settle
        Failed _    -> gone
  where
    name = "Parallel.await"
    -- Masked until the task has begun: no other thread has the action any more.
    runHere = mask_ (begin future >>= mapM_ (runAtOnce team . run team future))
    settle = do
        state <- R.readIORef future
        case state of
            Ready value -> pure value
            Busy _      -> cancellationPointOf name team >> wait name team future >> settle
            _           -> gone
    gone = cancellationPointOf name team >> leaveCancelled

-- | Waits until the action, which another thread runs, is over.
wait :: String -> Team s -> R.IORef (State a) -> IO ()
wait name team future = do
    word <- newPinnedByteArray 4
    writeByteArray word 0 (0 :: Word32)
    waits <- R.atomicModifyIORef' future $ \state -> case state of
        Busy list -> (Busy (Word word : list), True)
        _         -> (state, False)
    -- An exception that is thrown at this thread ends the wait, and so the region, as one in a construct does.
    when waits $ inConstruct team $ mask_ $ do
        waitState (go (castPtr (mutableByteArrayContents word))) >>= outcome name
        touch word
  where
    go resolved state = do
        r <- c_await (memberRegion (teamMember team)) state resolved
        if r /= 2 then pure r else do
            found <- peek (castPtr state)
            if found == nullPtr then allowInterrupt >> cancellationPointOf name team else performTask found
            go resolved state

-- | A transaction that retries until the task has its result, and returns it. Any Haskell thread may run it, any number
-- of times, also when the region is over: with 'GHC.Conc.orElse', threads of the package @async@ or a timeout it is
-- awaited together with other things. Valid where 'await' is; what it returns is valid anywhere.
--
-- The transaction throws the exception of the task, if it has thrown one, and t'FutureDropped' if the region was
-- cancelled before there was a result.
--
-- It runs no tasks while it waits. So it is for threads that are not in the team, and for members of a team in which
-- another one runs the task: a body that waits by it for a task that no other thread can take waits for ever.
--
-- >>> import GHC.Conc (atomically)
-- >>> import Control.Concurrent
-- >>> answer <- newEmptyMVar :: IO (MVar Int)
-- >>> :{
-- parallelTasks defaults $ \team -> do
--     result <- spawn team (pure (6 * 7)) >>= futureSTM team
--     () <$ forkIO (atomically result >>= putMVar answer)
-- :}
--
-- >>> takeMVar answer
-- 42
--
-- @since 0.1.0.0
futureSTM :: Team s -> Future s a -> IO (STM a)
futureSTM team (Future future) = do
    _ <- threadNumOf name team
    over <- overOf (memberOver (teamMember team))
    result <- newTVarIO Pending
    state <- R.atomicModifyIORef' future $ \state -> case state of
        Idle waiters body -> (Idle (Variable result : waiters) body, state)
        Busy waiters      -> (Busy (Variable result : waiters), state)
        _                 -> (state, state)
    case state of
        Ready value                        -> pure (pure value)
        Failed e | Threw thrown <- threw e -> pure (throwSTM thrown)
        -- Also after RegionCancelled in the task: no thread writes a variable that is made after the cancellation.
        _ -> cancellationPointOf name team >> pure (readTVar result >>= known over)
  where
    name = "Parallel.futureSTM"
    known over result = case result of
        Value value -> pure value
        Threw e     -> throwSTM e
        Pending     -> do
            gone <- readTVar over
            if gone then throwSTM FutureDropped else retry

-- | The region of a task was cancelled before there was a result: the exception of a transaction by 'futureSTM'.
--
-- >>> import Control.Exception (displayException)
-- >>> displayException FutureDropped
-- "OpenMP.Parallel.futureSTM: the region was cancelled before this task had a result"
--
-- @since 0.1.0.0
data FutureDropped = FutureDropped
    deriving (Eq, Show)

instance Exception FutureDropped where
    displayException _ = "OpenMP.Parallel.futureSTM: the region was cancelled before this task had a result"

-- An unsafe call: it wakes threads by one system call at most.
foreign import ccall unsafe "ghcomp_hs_resolve" c_resolve :: Ptr CRegion -> Ptr Word32 -> IO ()

-- A safe call: it waits, and runs tasks of C code.
foreign import ccall safe "ghcomp_hs_await" c_await :: Ptr CRegion -> Ptr () -> Ptr Word32 -> IO Outcome
