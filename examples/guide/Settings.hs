module Main (main) where

import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar)
import Foreign.C.Types (CInt (..))

import OpenMP (Settings (..), defaults, withSettings)
import OpenMP.Parallel (parallel, teamSize)

-- Safe: the function opens a parallel region.
foreign import ccall safe "team_size" c_teamSize :: IO CInt

main :: IO ()
main = do
  -- A region whose body is Haskell takes its settings as an argument.
  sizes <- parallel defaults {numThreads = Just 3} (pure . teamSize)
  print sizes

  -- Regions in C code read what holds for the calling thread. From a thread of forkIO, too.
  result <- newEmptyMVar
  _ <- forkIO $ do
    size <- withSettings defaults {numThreads = Just 4} c_teamSize
    putMVar result size
  takeMVar result >>= print
