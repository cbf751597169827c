-- | Haskell for embed.c.
module Embedded () where

import Control.Concurrent (isCurrentThreadBound)
import Foreign.StablePtr (StablePtr, newStablePtr)

foreign export ccall "doubled" double :: Int -> IO Int
foreign export ccall bound :: IO Bool
foreign export ccall doubleAsObject :: IO (StablePtr (Int -> IO Int))

double :: Int -> IO Int
double n = pure (2 * n)

bound :: IO Bool
bound = isCurrentThreadBound

-- | The same function as a heap object. The stable pointer keeps it, wherever the collector moves it.
doubleAsObject :: IO (StablePtr (Int -> IO Int))
doubleAsObject = newStablePtr double
