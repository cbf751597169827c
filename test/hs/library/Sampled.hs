-- | Which configurations of a test are part of a sampled run (TEST_SAMPLE and TEST_SEED, test/sample.py).
module Sampled (sampled) where

import Data.Maybe (fromMaybe)
import System.Environment (lookupEnv)
import System.IO.Unsafe (unsafePerformIO)
import Text.Read (readMaybe)

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
