-- |
-- Module:      OpenMP.Internal.Slot
-- Description: StablePtrs that hold one value after another
--
-- How the actions of tasks get to the threads that run them, without the RTS's lock for StablePtrs; the reasons are in
-- @cbits\/haskell\/slots.c@. The interface is not stable.
--
-- The type of the values is one for the whole process, since a slot serves tasks of any region.
--
-- Callers: "OpenMP.Internal.Region", "OpenMP.Internal.Task". Tests: TaskTest.
module OpenMP.Internal.Slot
    ( Slot
    , Runner (..)
    , hold
    , takeOut
    , freeSpare
    ) where

import Control.Monad (unless, when)
import qualified Data.IORef as R
import Foreign.C.Types (CBool (..))
import Foreign.Ptr (nullPtr)
import Foreign.StablePtr

-- | The Haskell thread that runs a task's action.
data Runner
    = InBody  -- ^ one that runs the region's bodies already: a member's, or that of another task
    | Entry   -- ^ one of its own, which runs nothing else

-- | Holds a task's action, or nothing.
type Slot = StablePtr (R.IORef (Runner -> IO ()))

-- | A slot with this action. With asynchronous exceptions masked: it must get to a task.
--
-- >>> slot <- hold (\_ -> putStrLn "now")
-- >>> takeOut slot >>= ($ Entry)
-- now
hold :: (Runner -> IO ()) -> IO Slot
hold action = do
    spare <- c_take
    if castStablePtrToPtr spare == nullPtr
        then R.newIORef action >>= newStablePtr
        else do
            ref <- deRefStablePtr spare
            spare <$ R.writeIORef ref action

-- | The action that is in the slot. The slot is empty then, and not the caller's any more. With asynchronous exceptions
-- masked.
takeOut :: Slot -> IO (Runner -> IO ())
takeOut slot = do
    ref <- deRefStablePtr slot
    action <- R.readIORef ref
    R.writeIORef ref nothing -- what the action refers to may be garbage now
    kept <- c_keep slot
    when (kept == 0) (freeStablePtr slot)
    pure action

-- | Frees the empty slots that this thread has kept: it is about to leave Haskell. With asynchronous exceptions masked.
--
-- >>> freeSpare
freeSpare :: IO ()
freeSpare = do
    slot <- c_take
    unless (castStablePtrToPtr slot == nullPtr) (freeStablePtr slot >> freeSpare)

nothing :: Runner -> IO ()
nothing _ = pure ()

-- Unsafe calls: they read and write a few words of their thread.
foreign import ccall unsafe "ghcomp_hs_slot_take" c_take :: IO Slot
foreign import ccall unsafe "ghcomp_hs_slot_keep" c_keep :: Slot -> IO CBool
