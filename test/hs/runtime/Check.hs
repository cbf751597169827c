-- | Checks of a case: what does not hold is written to stderr, and ends the process with status 1.
module Check (check, equal, together, until_) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import System.Exit (exitFailure)
import System.IO (hPutStrLn, stderr)

check :: String -> Bool -> IO ()
check what ok = unless ok (hPutStrLn stderr what >> exitFailure)

equal :: (Eq a, Show a) => String -> a -> a -> IO ()
equal what want got = check (what ++ ": " ++ show got ++ ", not " ++ show want) (want == got)

-- | Runs the actions in Haskell threads of their own at the same time, and throws the first one's exception that has
-- any.
together :: [IO ()] -> IO ()
together actions = do
    ends <- forM actions $ \act -> do
        end <- newEmptyMVar
        _ <- forkIO (try act >>= putMVar end)
        pure end
    results <- mapM takeMVar ends
    forM_ results (either (throwIO :: SomeException -> IO ()) pure)

-- | Gives way to other Haskell threads until the condition holds.
until_ :: IO Bool -> IO ()
until_ condition = condition >>= \holds -> unless holds (yield >> until_ condition)
