-- | Runs of GHC as processes of their own.
--
-- A node of the graph that waits here holds no Capability: it sleeps until the compiler has closed its end of a pipe.
-- When the node is interrupted, the compiler and what it has started (the assembler, the linker) get the signal of a
-- Ctrl-C, and are waited for.
module Compiler
  ( Compiler (..)
  , runCompiler
  , CompileError (..)
  ) where

import Control.Exception
import Control.Monad (unless, void)
import System.Exit (ExitCode (..))
import System.IO
import System.Process

-- | GHC, and the flags that every run gets.
data Compiler = Compiler
  { executable :: FilePath
  , flags :: [String]
  }

-- | What a compiler said that did not succeed.
newtype CompileError = CompileError String

instance Show CompileError where
  show (CompileError text) = text

instance Exception CompileError

-- | What the compiler says, both of its output streams together.
runCompiler :: Compiler -> [String] -> IO String
runCompiler (Compiler path always) arguments =
  bracketOnError start stop $ \(output, process) -> do
    text <- hGetContents output
    void (evaluate (length text))
    code <- waitForProcess process
    hClose output
    unless (code == ExitSuccess) (throwIO (CompileError (explained code text)))
    pure text
  where
    start = do
      (output, input) <- createPipe
      hSetEncoding output char8
      (_, _, _, process) <-
        createProcess
          (proc path (always ++ arguments))
            { std_in = NoStream, std_out = UseHandle input, std_err = UseHandle input, create_group = True }
          `onException` hClose output
      pure (output, process)
    stop (output, process) = do
      running <- getProcessExitCode process
      maybe (interruptProcessGroupOf process) (const (pure ())) running
      void (waitForProcess process)
      hClose output
    explained code text
      | null text = path ++ " said nothing, and ended by " ++ show code ++ "\n"
      | otherwise = text
