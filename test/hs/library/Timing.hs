-- | Which tests, and parts of tests, a run has.
--
-- What judges by time, by a rate, or by a number that the kernel or GHC may change runs where TEST_TIMING is set
-- (test/timing/library.sh). A sampled run (TEST_SAMPLE, test/sample.py) has a third of a test's configurations.
module Timing (sampled, timing, whenTiming) where

import Control.Monad (when)
import Data.Maybe (fromMaybe, isJust)
import System.Environment (lookupEnv)
import System.IO.Unsafe (unsafePerformIO)
import Test.Tasty (TestTree, testGroup)
import Text.Read (readMaybe)

asked :: Bool
asked = unsafePerformIO (isJust <$> lookupEnv "TEST_TIMING")
{-# NOINLINE asked #-}

timing :: [TestTree] -> [TestTree]
timing tests = [ testGroup "timing" tests | asked ]

whenTiming :: IO () -> IO ()
whenTiming = when asked

-- | The number of parts that all configurations are divided into, and the seed, which chooses one of them.
parts, seed :: Int
parts = max 1 (numberIn 1 "TEST_SAMPLE")
seed = numberIn 0 "TEST_SEED"
{-# NOINLINE parts #-}
{-# NOINLINE seed #-}

numberIn :: Int -> String -> Int
numberIn byDefault name = unsafePerformIO (fromMaybe byDefault . (>>= readMaybe) <$> lookupEnv name)

-- | Of several configurations of one test those that the run has: at least one, and each in one of so many seeds in a
-- row as there are parts.
sampled :: [a] -> [a]
sampled configurations =
    [ c | (number, c) <- zip [0 ..] configurations, number `mod` parts == seed `mod` min parts (length configurations) ]
