{-# LANGUAGE CPP #-}
-- | Changes of the number of Capabilities while other threads run.
module Capabilities
    ( changeCapabilities
    , mayFall
    ) where

import Control.Concurrent
import Control.Monad      (when)
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
