-- | Two Haskell threads that work for as long as the process lives: what "a Haskell process around a test" is made of.
--
-- A turn allocates and keeps enough to make the collector copy; every 'majorEvery'-th turn ends in a collection of
-- everything. Turns come alone, or 'together' in a row so that a Capability is busy for some milliseconds, and a pause
-- stands after each row: a test should meet Capabilities that are busy, idle and collecting, and still get most of the
-- machine.
module Around () where

import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar, threadDelay)
import Control.Exception (evaluate)
import Control.Monad (forM, forM_, when)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Word (Word64)
import Foreign.Ptr (Ptr)
import Foreign.Storable (peekElemOff, pokeElemOff)
import System.Mem (performMajorGC)

-- | Turns done by each thread, which is its only writer.
foreign import ccall "&around_turns" turnsDone :: Ptr Word64

-- | Starts the threads and returns when each has done a turn. To be called once, after @hs_init@.
foreign export ccall "around_start" start :: IO ()

start :: IO ()
start = do
  begun <- forM [0, 1] $ \number -> do
    first <- newEmptyMVar
    _ <- forkIO $ do
      kept <- newIORef []
      turn kept number
      putMVar first ()
      forM_ (cycle rows) $ \row -> do
        forM_ [1 .. row] $ \_ -> turn kept number
        threadDelay pause
    pure first
  mapM_ takeMVar begun

-- | Turns in a row, again and again. The long row comes first: many a test has ended after some milliseconds.
rows :: [Int]
rows = [together, 1, 1, 1]

together, majorEvery :: Int
together = 8
majorEvery = 32

-- | Microseconds.
pause :: Int
pause = 2000

-- | Allocates about 0.6 MB, a list that lives until the next turn's stands.
turn :: IORef [Int] -> Int -> IO ()
turn kept number = do
  old <- readIORef kept
  let new = map (+ length old) [1 .. 8000]
  mapM_ evaluate new
  writeIORef kept new
  done <- peekElemOff turnsDone number
  pokeElemOff turnsDone number (done + 1)
  when ((fromIntegral done + 1) `mod` majorEvery == 0) performMajorGC
