{-# LANGUAGE GADTs #-}
{-# LANGUAGE LinearTypes #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module:      Data.Array.Linear.Parallel
-- Description: Parts of a linear array worked on in parallel
--
-- Parts of an array ("Data.Array.Linear") are worked on in parallel, by sparks of GHC's scheduler or by an OpenMP team.
-- The result is that of the sequential program, with either of them and any number of threads: tokens own disjoint
-- regions, and lent regions are only read.
--
-- = Sparks
--
-- A spark is a thunk with effects that two threads may enter: the one that made it and the one that took the spark. It
-- begins with @noDuplicate#@, which claims the thunk for one of them; the other waits for its value.
-- 'System.IO.Unsafe.unsafePerformIO' does the same.
--
-- = Exceptions
--
-- When one side throws, the computation ends with the exception, as pure code does, and the arrays are lost. A spark
-- that runs at that moment may still write its own region, which no other code can read any more; its slice keeps the
-- memory alive. An OpenMP team has ended all its work by then.
module Data.Array.Linear.Parallel
    ( Workers (..)
    , parallelBoth
    , parCombine
    , parParts
    , parChunks
    ) where

import Foreign.Storable (Storable)
import GHC.Exts (RealWorld, State#, noDuplicate#, runRW#, seq#, spark#)
import GHC.IO (IO (..), unIO)

import Data.Array.Linear (Join, Parts (..), (&), combine, combineParts, splitSizes)
import Data.Array.Linear.Internal (Owned (..), Settled (..), Slice (..), belowOne, linearly)
import Data.Array.Linear.Internal.Workers (Workers (..), runAll)
import GHC.OpenMP.Parallel (parallelSections)

-- $setup
-- >>> :set -XLinearTypes -XLambdaCase
-- >>> import qualified Data.Array.Linear as L
-- >>> import Data.Array.Linear (Split (..), Ur (..), (&))
-- >>> import Data.Array.Linear.Parallel
-- >>> import GHC.OpenMP.Settings (defaults)

-- | Two computations, possibly in parallel. Each is applied to a unit when it may begin, and owns the tokens that it
-- has captured; 'Owned' says what they may return.
--
-- >>> :{
-- L.alloc 2 'a' (\s -> L.alloc 1 'b' (\t ->
--     parallelBoth Sparks (\() -> L.fill 'x' s) (\() -> L.fill 'y' t) & \(s', t') ->
--     L.discard t' & \() -> L.freeze s'))
-- :}
-- Ur "xx"
parallelBoth :: (Owned t, Owned u) => Workers -> (() %1 -> t) %1 -> (() %1 -> u) %1 -> (t, u)
parallelBoth workers = linearly (\left -> linearly (both workers left))

-- Not inlined, so that the bodies are unknown functions: no part of them can be evaluated before they are called.
both :: (Owned t, Owned u) => Workers -> (() %1 -> t) -> (() %1 -> u) -> (t, u)
both Sparks left right = runRW# $ \s0 ->
    let right' = runRW# $ \s -> case noDuplicate# s of
            s1 -> case unIO (settled right) s1 of (# _, value #) -> value
    in case spark# right' s0 of
        (# s1, _ #) -> case unIO (settled left) s1 of
            (# s2, left' #) -> case seq# right' s2 of
                (# _, right'' #) -> (left', right'')
both (Team settings) left right = runRW# $ \s0 ->
    case unIO (parallelSections settings [Left <$> settled left, Right <$> settled right]) s0 of
        (# _, [Left left', Right right'] #) -> (left', right')
        (# _, _ #) -> error "Data.Array.Linear.Parallel.parallelBoth: two sections did not give two results"
{-# NOINLINE both #-}

-- The body's value, after all its effects.
settled :: Owned t => (() %1 -> t) -> IO t
settled body = IO (\s -> case settle (body ()) s of Settled s' t -> (# s', t #))

-- | @parCombine workers join f g left right@: 'combine' of the two parts after @f@ has worked on the left one and @g@
-- on the right one, possibly in parallel. The functions may capture other tokens only if they consume them.
--
-- >>> :{
-- let sums :: Int -> L.Slice p Int %1 -> L.Slice p Int
--     sums 0 s = L.map (+ 1) s
--     sums depth s = L.halve s & \(Split j l r) -> parCombine Sparks j (sums (depth - 1)) (sums (depth - 1)) l r
-- in L.generate 10 id (\s -> L.freeze (sums 2 s))
-- :}
-- Ur [1,2,3,4,5,6,7,8,9,10]
parCombine
    :: Workers -> Join p left right
    -> (Slice left a %1 -> Slice left a) %1 -> (Slice right a %1 -> Slice right a) %1
    -> Slice left a %1 -> Slice right a %1 -> Slice p a
parCombine workers join f g left right =
    parallelBoth workers (\() -> f left) (\() -> g right) & \(left', right') -> combine join left' right'

-- | 'Data.Array.Linear.mapParts' with the parts in parallel.
--
-- >>> L.alloc 6 0 (\s -> s & L.splitEvenly 3 & parParts (Team defaults) L.fill & L.combineParts & L.freeze)
-- Ur [0,0,2,2,4,4]
parParts :: forall p a. Workers -> (forall q. Int -> Slice q a %1 -> Slice q a) -> Parts p a %1 -> Parts p a
parParts workers f = linearly (eachPart workers f)

-- One action for each part. A part's memory is determined by its type and does not change, so the parts that are
-- returned are the original ones, with the state after all actions.
eachPart :: forall p a. Workers -> (forall q. Int -> Slice q a %1 -> Slice q a) -> Parts p a -> Parts p a
eachPart workers f parts = runRW# $ \s0 ->
    case unIO (runAll workers (bodies 0 parts)) s0 of (# s, _ #) -> after s parts
  where
    bodies :: Int -> Parts q a -> [IO ()]
    bodies first (Last slice) = [body first slice]
    bodies first (More _ slice@(Slice _ n _) rest) = body first slice : bodies (first + n) rest

    body :: Int -> Slice q a -> IO ()
    body first slice = IO (\s -> case settle (f first slice) s of Settled s' _ -> (# s', () #))

    after :: State# RealWorld -> Parts q a -> Parts q a
    after s (Last (Slice fp n _)) = Last (Slice fp n s)
    after s (More j (Slice fp n _) rest) = More j (Slice fp n s) (after s rest)
{-# NOINLINE eachPart #-}

-- | @parChunks workers size f slice@: @f@ works on each chunk of @size@ elements (the last may be shorter), possibly in
-- parallel, and gets the index of the chunk's first element. A size below 1 is an @ErrorCall@.
--
-- >>> L.alloc 5 0 (\s -> s & parChunks (Team defaults) 2 (\first -> L.fillWith (+ first)) & L.freeze)
-- Ur [0,1,2,3,4]
parChunks
    :: Storable a
    => Workers -> Int -> (forall q. Int -> Slice q a %1 -> Slice q a) -> Slice p a %1 -> Slice p a
parChunks workers size f (Slice fp n s)
    | size < 1 = belowOne "Parallel.parChunks" "chunk size" size
    | otherwise = Slice fp n s & splitSizes (replicate ((n - 1) `quot` size) size) & parParts workers f & combineParts
