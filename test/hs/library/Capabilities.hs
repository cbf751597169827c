{-# LANGUAGE CPP #-}
-- | What disturbs threads that work: others beside them, and changes of the number of Capabilities.
module Capabilities
    ( changeCapabilities
    , mayFall
    , beside
    ) where

import Control.Concurrent
import Control.Exception  (SomeException, onException, throwIO, try)
import Control.Monad      (unless, when)
import qualified Data.IORef as R
import System.IO.Unsafe   (unsafePerformIO)

-- | Whether the number may go down while threads come back from foreign calls. GHC 9.0's own scheduler then loses
-- wake-ups: a program without OpenMP hangs likewise.
mayFall :: Bool
#if __GLASGOW_HASKELL__ < 904
mayFall = False
#else
mayFall = True
#endif

-- | 'setNumCapabilities', for any moment: a smaller number than there are is left out where that is not safe.
changeCapabilities :: Int -> IO ()
changeCapabilities n
    | mayFall   = setNumCapabilities n
    | otherwise = withMVar changing $ \() -> do
        now <- getNumCapabilities
        when (n > now) (setNumCapabilities n)

-- One change at a time: it looks at the number first.
changing :: MVar ()
changing = unsafePerformIO (newMVar ())
{-# NOINLINE changing #-}

-- | @action \`beside\` other@: a Haskell thread repeats the other one for as long as the action takes. It ends with the
-- action also where a timeout ends that, so that the tests after it are not disturbed; its exception is thrown then.
beside :: IO a -> IO () -> IO a
action `beside` other = do
    over <- R.newIORef False
    ended <- newEmptyMVar
    let loop = do
            stop <- R.readIORef over
            unless stop (other >> yield >> loop)
        stopped = R.writeIORef over True >> takeMVar ended
    _ <- forkIO (try loop >>= putMVar ended)
    result <- action `onException` stopped
    stopped >>= either (throwIO :: SomeException -> IO ()) pure
    pure result
