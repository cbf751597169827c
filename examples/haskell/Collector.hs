-- | The garbage collector and parallel regions: neither waits for the other.
--
-- A region fills one half of an array and then waits for Haskell. Haskell collects its garbage ten times, while the
-- three threads of the team are still inside, and lets them go. If a collection had to wait for the region, this
-- program would never end.
module Main (main) where

import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar, threadDelay)
import Control.Exception (evaluate)
import Control.Monad (replicateM_, unless)
import qualified Data.Map.Strict as Map
import Foreign.C.Types (CInt (..), CLong (..))
import Foreign.ForeignPtr (mallocForeignPtrArray, withForeignPtr)
import Foreign.Marshal.Array (peekArray)
import Foreign.Ptr (Ptr)
import GHC.Stats (RTSStats (major_gcs), getRTSStats)
import System.Mem (performMajorGC)

-- Safe, and that is the point: during a safe call the thread holds no Capability, so a collection does not ask it to
-- stop. Imported unsafe, the first performMajorGC would wait for the end of the region, which waits for it.
foreign import ccall safe "fill_around"
  c_fillAround :: Ptr CLong -> CLong -> IO ()

-- Unsafe: they read and write one word.
foreign import ccall unsafe "region_waits"
  c_regionWaits :: IO CInt
foreign import ccall unsafe "region_go"
  c_regionGo :: IO ()

size :: Int
size = 100000

-- | Something for the collector to move: a map of a few megabytes.
garbage :: IO Int
garbage = Map.size <$> evaluate (Map.fromList [(k * 7919 `mod` 65537, show k) | k <- [1 .. 20000 :: Int]])

untilInside :: IO ()
untilInside = do
  inside <- c_regionWaits
  unless (inside /= 0) (threadDelay 100 >> untilInside)

main :: IO ()
main = do
  -- Pinned memory of the Haskell heap: the collector frees it when it is not used any more, but never moves it, so that
  -- C may write to it through a collection. withForeignPtr keeps it in use until the call has returned.
  array <- mallocForeignPtrArray size
  done <- newEmptyMVar
  _ <- forkIO $ do
    withForeignPtr array $ \x -> c_fillAround x (fromIntegral size)
    putMVar done ()

  untilInside
  before <- getRTSStats
  replicateM_ 10 (garbage >> performMajorGC)
  after <- getRTSStats
  c_regionGo
  takeMVar done

  putStrLn ("ten major collections while the region was open: " ++ show (major_gcs after - major_gcs before >= 10))
  filled <- withForeignPtr array (peekArray size)
  putStrLn ("the region's array is right: " ++ show (filled == [0 .. fromIntegral size - 1]))
