{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module:      Data.Array.Linear.Internal.Workers
-- Description: The threads that work on the parts of linear arrays
--
-- Callers: "Data.Array.Linear.Parallel", "Data.Array.Linear.Record". The interface is not stable.
module Data.Array.Linear.Internal.Workers
    ( Workers (..)
    , runAll
    ) where

import Data.Primitive.Array (Array, arrayFromList, indexArray, sizeofArray)
import GHC.Exts (noDuplicate#, runRW#, seq#)
import GHC.IO (IO (..), unIO)

import GHC.OpenMP.Internal.Spark (offer)
import GHC.OpenMP.Parallel (parallelSections)
import GHC.OpenMP.Settings (Settings)

-- | The threads that do the work.
data Workers
    = Sparks           -- ^ GHC's own threads: for recursive splitting, at any depth
    | Team !Settings
      -- ^ an OpenMP team, from a parallel region for each call: for flat splitting into parts. Within a parallel region
      -- the region is nested, and has one thread unless 'GHC.OpenMP.Settings.maxActiveLevels' allows more.
    deriving (Eq, Show)

-- | Runs the actions, possibly in parallel, at least one.
runAll :: Workers -> [IO ()] -> IO ()
runAll Sparks actions = sparks (arrayFromList actions)
runAll (Team settings) actions = () <$ parallelSections settings actions

-- Runs the actions, the later half of each part of them as a spark: a tree, so that a spark that is taken has much
-- work.
sparks :: Array (IO ()) -> IO ()
sparks actions = go 0 (sizeofArray actions)
  where
    go from past
        | past - from == 1 = indexArray actions from
        | otherwise = do
            let middle = from + (past - from) `quot` 2
                later = sparkable (go middle past)
            offer later
            go from middle
            IO (seq# later)

-- Not inlined: the action runs when the value is evaluated.
sparkable :: IO () -> ()
sparkable action = runRW# $ \s0 -> case noDuplicate# s0 of
    s1 -> case unIO action s1 of (# _, () #) -> ()
{-# NOINLINE sparkable #-}
