-- | Tests, and parts of tests, that judge by time, by a rate, or by a number that the kernel or GHC may change: they
-- run where TEST_TIMING is set (test/timing/library.sh).
module Timing (timing, whenTiming) where

import Control.Monad (when)
import Data.Maybe (isJust)
import System.Environment (lookupEnv)
import System.IO.Unsafe (unsafePerformIO)
import Test.Tasty (TestTree, testGroup)

asked :: Bool
asked = unsafePerformIO (isJust <$> lookupEnv "TEST_TIMING")
{-# NOINLINE asked #-}

timing :: [TestTree] -> [TestTree]
timing tests = [ testGroup "timing" tests | asked ]

whenTiming :: IO () -> IO ()
whenTiming = when asked
