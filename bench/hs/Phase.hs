-- | A measurement's phases, which its threads look at before each operation: what begins in the window counts.
module Phase (Phase (..), Phases, newPhases, phaseOf, through, repeatedly) where

import Control.Concurrent (threadDelay)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import GHC.Clock (getMonotonicTimeNSec)

data Phase = Before | Window | After
  deriving (Eq)

newtype Phases = Phases (IORef Phase)

newPhases :: IO Phases
newPhases = Phases <$> newIORef Before

phaseOf :: Phases -> IO Phase
phaseOf (Phases ref) = readIORef ref

-- | Opens the window, does the action every 10 ms or so until so many milliseconds are over, and closes it. Gives the
-- seconds that it was open.
through :: Phases -> Double -> IO () -> IO Double
through (Phases ref) ms look = do
  start <- getMonotonicTimeNSec
  writeIORef ref Window
  let wait = do
        threadDelay 10000
        now <- getMonotonicTimeNSec
        let passed = fromIntegral (now - start)
        if passed < ms * 1e6 then look >> wait else pure (passed / 1e9)
  passed <- wait
  writeIORef ref After
  pure passed

-- | The operation on a state, until the window has closed; gives how many were begun in the window.
repeatedly :: Phases -> (Phase -> s -> IO s) -> s -> IO Int
repeatedly phases operation = go 0
  where
    go done state = done `seq` do
      phase <- phaseOf phases
      case phase of
        After -> pure done
        _ -> operation phase state >>= go (if phase == Window then done + 1 else done :: Int)
{-# INLINE repeatedly #-}
