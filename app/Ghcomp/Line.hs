-- | Messages as one line, whatever the names in them are, and exceptions as messages. Tested in
-- @test\/input\/launcher.py@.
module Ghcomp.Line
    ( shown
    , tried
    , reason
    , complain
    ) where

import Control.Exception
import Data.Char (isControl, ord)
import GHC.IO.Exception (IOException (ioe_description, ioe_handle))
import Numeric (showHex)
import System.Exit (ExitCode)
import System.IO (hPutStrLn, stderr, stdout)

-- | A text from outside on one line and without effect on a terminal: control characters as @\\xNN@, and of a very long
-- text the beginning and the end.
shown :: String -> String
shown s = case splitAt (2 * half) s of
    (_, []) -> concatMap visible s
    (start, rest) -> concatMap visible (take half start) ++ " [...] " ++ concatMap visible (lastOf half (start ++ rest))
  where
    half = 600
    visible c
        | isControl c = "\\x" ++ (if ord c < 16 then "0" else "") ++ showHex (ord c) ""
        | otherwise = [c]
    -- Two positions, this far apart, walk to the end.
    lastOf n l = walk (drop n l) l
    walk [] l = l
    walk (_ : ahead) l = walk ahead (drop 1 l)

-- | The action's result, or why there is none, in one line. Exceptions that come from outside the action (a signal, a
-- limit of memory) and an exit pass.
tried :: IO a -> IO (Either String a)
tried action = fmap Right action `catches`
    [ Handler (\e -> throwIO (e :: ExitCode))
    , Handler (\e -> throwIO (e :: SomeAsyncException))
    , Handler (\e -> throwIO (e :: AsyncException))
    , Handler (\e -> throwIO (e :: IOException))
    , Handler (\e -> pure (Left (line (e :: SomeException)))) ]
  where
    line = unwords . take 40 . words . unwords . take 1 . lines . displayException

-- | An exception of a file as a message.
reason :: IOException -> String
reason e
    | ioe_handle e == Just stdout = "the output cannot be written: " ++ ioe_description e
    | otherwise = show e

-- | One line on stderr. Where that is closed or full there is still the exit status.
complain :: String -> IO ()
complain text = hPutStrLn stderr (shown ("ghcomp: " ++ text)) `catch` \e -> const (pure ()) (e :: IOException)
