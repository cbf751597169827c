-- | Haskell threads whose results are waited for.
module Fork (fork, forkAt) where

import Control.Concurrent (forkIO, forkOn, newEmptyMVar, putMVar, takeMVar)
import Control.Exception (SomeException, throwIO, try)

-- | Starts a thread; the action that comes back waits for its result, and rethrows what it threw.
fork :: IO a -> IO (IO a)
fork action = do
  done <- newEmptyMVar
  _ <- forkIO (try action >>= putMVar done)
  pure (takeMVar done >>= either (throwIO :: SomeException -> IO a) pure)

-- | The same on a Capability of the caller's choice.
forkAt :: Int -> IO a -> IO (IO a)
forkAt capability action = do
  done <- newEmptyMVar
  _ <- forkOn capability (try action >>= putMVar done)
  pure (takeMVar done >>= either (throwIO :: SomeException -> IO a) pure)
