-- | A buffer that is handed from Haskell to OpenMP C and back, and never copied.
--
-- Three stages work at the same time: a Haskell thread fills buffers, the main thread has a team of OpenMP threads
-- smooth them in C, and another Haskell thread looks for the peak in each. There are only two buffers. They go round
-- from stage to stage through channels, and who has a buffer is the only one to touch it.
--
-- Nothing else is needed for one stage to see what another has written: a buffer comes out of a channel after it was
-- put in, a region begins after the call that opens it, and its threads have ended their work before the call returns.
--
-- That a stage really lets go of a buffer is a matter of discipline here: the compiler does not notice who keeps one.
-- With linear tokens it does; see LinearArrays.hs.
module Main (main) where

import Control.Concurrent (Chan, forkIO, newChan, newEmptyMVar, putMVar, readChan, takeMVar, writeChan)
import Control.Monad (forM, forM_, replicateM_, unless)
import qualified Data.List as List
import Foreign.C.Types (CDouble (..), CLong (..))
import Foreign.ForeignPtr (ForeignPtr, mallocForeignPtrArray, withForeignPtr)
import Foreign.Ptr (Ptr)
import Foreign.Storable (peekElemOff, pokeElemOff)
import Numeric (showFFloat)
import System.Exit (exitFailure)

-- Safe: it opens a region.
foreign import ccall safe "smooth"
  c_smooth :: Ptr CDouble -> Ptr CDouble -> CLong -> IO ()

size, blocks :: Int
size = 20000
blocks = 40

-- | What a buffer holds: room for the raw signal and for the smoothed one. Pinned, so that C can use it while the
-- garbage collector runs.
data Buffer = Buffer (ForeignPtr CDouble) (ForeignPtr CDouble)

-- | The signal of a block: a small saw, and one high tooth.
signal :: Int -> Int -> CDouble
signal block i
  | i == (block * 7919) `mod` size = 1000 + fromIntegral block
  | otherwise = fromIntegral (i `mod` 10)

-- | Haskell fills a buffer.
fill :: Int -> Buffer -> IO ()
fill block (Buffer raw _) =
  withForeignPtr raw $ \p -> forM_ [0 .. size - 1] $ \i -> pokeElemOff p i (signal block i)

-- | A team of OpenMP threads computes in it.
smooth :: Buffer -> IO ()
smooth (Buffer raw smoothed) =
  withForeignPtr raw $ \p -> withForeignPtr smoothed $ \q -> c_smooth p q (fromIntegral size)

-- | Haskell reads what C has written: where the highest point is, and how high.
peak :: Buffer -> IO (CDouble, Int)
peak (Buffer _ smoothed) =
  withForeignPtr smoothed $ \q -> do
    values <- forM [0 .. size - 1] $ \i -> peekElemOff q i
    pure $! List.foldl' higher (-1, 0) (zip values [0 ..])
  where
    higher best new = if fst new > fst best then new else best

-- | The same computed in Haskell alone, from the signal's formula.
expected :: Int -> (CDouble, Int)
expected block = List.foldl' higher (-1, 0) [(smoothedAt i, i) | i <- around]
  where
    centre = (block * 7919) `mod` size
    around = [max 0 (centre - 2) .. min (size - 1) (centre + 2)]
    smoothedAt i = mean [signal block k | k <- [max 0 (i - 2) .. min (size - 1) (i + 2)]]
    mean xs = List.foldl' (+) 0 xs / fromIntegral (length xs)
    higher best new = if fst new > fst best then new else best

main :: IO ()
main = do
  empty <- newChan
  filled <- newChan
  smoothed <- newChan
  results <- newEmptyMVar
  replicateM_ 2 $ do
    buffer <- Buffer <$> mallocForeignPtrArray size <*> mallocForeignPtrArray size
    writeChan empty buffer
  _ <- forkIO (forM_ [0 .. blocks - 1] (\block -> stage empty (fill block) filled))
  _ <- forkIO (forM [1 .. blocks] (\_ -> stage smoothed peak empty) >>= putMVar results)
  forM_ [1 .. blocks] $ \_ -> stage filled smooth smoothed
  peaks <- takeMVar results

  forM_ (take 3 (zip [0 :: Int ..] peaks)) $ \(block, (height, place)) ->
    putStrLn ("block " ++ show block ++ ": peak " ++ showFFloat (Just 2) height (" at " ++ show place))
  let wrong = length (filter id (zipWith (/=) peaks (map expected [0 .. blocks - 1])))
  putStrLn (show blocks ++ " blocks through 2 buffers, " ++ show wrong ++ " wrong")
  unless (wrong == 0) exitFailure

-- | Takes a buffer over, works in it, and hands it on.
stage :: Chan Buffer -> (Buffer -> IO a) -> Chan Buffer -> IO a
stage from work to = do
  buffer <- readChan from
  result <- work buffer
  writeChan to buffer
  pure result
