{-# LANGUAGE LinearTypes #-}
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
    , both
    ) where

import Data.Primitive.Array (Array, arrayFromList, indexArray, sizeofArray)
import GHC.Exts (noDuplicate#, runRW#, seq#)
import GHC.IO (IO (..), unIO)

import Data.Array.Linear.Internal (Owned (..), Settled (..))
import OpenMP.Internal.Loop (sectionsOf)
import OpenMP.Internal.Spark (offer)
import OpenMP.Settings (Settings)

-- | The threads that do the work.
--
-- @since 0.1.0.0
data Workers
    = Sparks           -- ^ GHC's own threads: for recursive splitting, at any depth
    | Team !Settings
      -- ^ an OpenMP team, from a parallel region for each call: for flat splitting into parts. Within a parallel region
      -- the region is nested, and has one thread unless 'OpenMP.Settings.maxActiveLevels' allows more.
    deriving (Eq, Show)

-- | Runs the actions, at least one, possibly in parallel. An error names the function: @Module.function@.
runAll :: String -> Workers -> [IO ()] -> IO ()
runAll _ Sparks actions = sparks (arrayFromList actions)
runAll name (Team settings) actions = () <$ sectionsOf name settings actions

-- | Two computations, possibly in parallel. An error names the function: @Module.function@. Not inlined, so that the
-- bodies are unknown functions: no part of them can be evaluated before they are called.
both :: (Owned t, Owned u) => String -> Workers -> (() %1 -> t) -> (() %1 -> u) -> (t, u)
both _ Sparks left right = runRW# $ \s0 ->
    let right' = runRW# $ \s -> case noDuplicate# s of
            s1 -> case unIO (settled right) s1 of (# _, value #) -> value
    in case unIO (offer right') s0 of
        (# s1, () #) -> case unIO (settled left) s1 of
            (# s2, left' #) -> case seq# right' s2 of
                (# _, right'' #) -> (left', right'')
both name (Team settings) left right = runRW# $ \s0 ->
    case unIO (sectionsOf name settings [Left <$> settled left, Right <$> settled right]) s0 of
        (# _, [Left left', Right right'] #) -> (left', right')
        (# _, _ #) -> error "Data.Array.Linear.Internal.Workers.both: two sections did not give two results"
{-# NOINLINE both #-}

-- The body's value, after all its effects.
settled :: Owned t => (() %1 -> t) -> IO t
settled body = IO (\s -> case settle (body ()) s of Settled s' t -> (# s', t #))

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
