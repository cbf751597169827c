-- | Haskell threads whose results are waited for.
module Fork (fork, forkAt, forkBound) where

import Control.Concurrent (ThreadId, forkIO, forkOS, forkOn, newEmptyMVar, putMVar, takeMVar)
import Control.Exception (SomeException, throwIO, try)

-- | Starts a thread; the returned action waits for its result, and rethrows its exception.
fork :: IO a -> IO (IO a)
fork = forkBy forkIO

-- | The same on a Capability of the caller's choice.
forkAt :: Int -> IO a -> IO (IO a)
forkAt = forkBy . forkOn

-- | The same, bound to an OS thread of its own.
forkBound :: IO a -> IO (IO a)
forkBound = forkBy forkOS

forkBy :: (IO () -> IO ThreadId) -> IO a -> IO (IO a)
forkBy start action = do
  done <- newEmptyMVar
  _ <- start (try action >>= putMVar done)
  pure (takeMVar done >>= either (throwIO :: SomeException -> IO a) pure)
{-# INLINE forkBy #-}
