-- | A measurement's phases, which its threads check before each operation: what begins in the window counts.
module Phase (Phase (..), Phases, newPhases, timedPhases, phaseOf, through, repeatedly) where

import Control.Concurrent (threadDelay)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Word (Word64)
import GHC.Clock (getMonotonicTimeNSec)

data Phase = Before | Window | After
  deriving (Eq)

data Phases
  = Told !(IORef Phase)
  | -- | The window, in nanoseconds of the monotonic clock.
    Timed !Word64 !Word64

-- | Phases that `through` changes.
newPhases :: IO Phases
newPhases = Told <$> newIORef Before

-- | A window from one time to another, which no thread has to open and close: beside many threads in safe calls such a
-- thread would not run, since GHC prefers threads that come back from such calls.
timedPhases :: Word64 -> Word64 -> Phases
timedPhases = Timed

phaseOf :: Phases -> IO Phase
phaseOf (Told ref) = readIORef ref
phaseOf (Timed opens closes) = do
  now <- getMonotonicTimeNSec
  pure $ if now < opens then Before else if now < closes then Window else After

-- | Opens the window, and closes it after the given milliseconds, unless it has times of its own. Returns the seconds
-- that it was open.
through :: Phases -> Double -> IO Double
through (Timed opens closes) _ = pure (fromIntegral (closes - opens) / 1e9)
through (Told ref) ms = do
  start <- getMonotonicTimeNSec
  writeIORef ref Window
  let wait = do
        threadDelay 10000
        now <- getMonotonicTimeNSec
        let passed = fromIntegral (now - start)
        if passed < ms * 1e6 then wait else pure (passed / 1e9)
  passed <- wait
  writeIORef ref After
  pure passed

-- | Repeats the operation on a state until the window has closed; returns how many were begun in the window.
repeatedly :: Phases -> (Phase -> s -> IO s) -> s -> IO Int
repeatedly phases operation = go 0
  where
    go done state = done `seq` do
      phase <- phaseOf phases
      case phase of
        After -> pure done
        _ -> operation phase state >>= go (if phase == Window then done + 1 else done :: Int)
{-# INLINE repeatedly #-}
