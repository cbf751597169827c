-- Before 0.13 vector needs Storable for a view of foreign memory.
{-# OPTIONS_GHC -Wno-redundant-constraints #-}
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
-- GHC itself wakes an idle Capability for sparks only at a collection or at the end of a time slice of 20 ms. Here each
-- spark wakes one, if there is one, so that parts of some hundred microseconds run at the same time, too.
--
-- = Exceptions
--
-- When one side throws, the computation ends with the exception, as pure code does, and the arrays are lost. A spark
-- that runs at that moment may still write its own region, which no other code can read any more; its slice keeps the
-- memory alive. An OpenMP team has ended all its work by then.
--
-- = Steps
--
-- 'parSteps' and 'parPasses' write two arrays in turns, each from the other, which is lent meanwhile. The region lasts
-- for all steps; a barrier between two of them is all that a step costs. Within a step no thread has a token of the
-- array that is read, and each part of the other array has one owner, as with 'Data.Array.Linear.lend' and 'parParts'.
-- The barrier orders the steps. The view of a step is made by a call that GHC does not inline, in the order of the
-- effects, so nothing that is read from a view can be computed before its step, or once for several steps.
module Data.Array.Linear.Parallel
    ( Workers (..)
    , parallelBoth
    , parCombine
    , parParts
    , parChunks
    , parSteps
    , parPasses
    ) where

import Control.Concurrent (ThreadId, myThreadId)
import Control.Exception (ErrorCall (..), MaskingState (..), evaluate, getMaskingState, mask_, throw)
import Control.Monad (forM_, when)
import qualified Data.IORef as R
import qualified Data.Vector.Storable as V
import Foreign.ForeignPtr (ForeignPtr)
import Foreign.Ptr (Ptr, plusPtr)
import Foreign.Storable (Storable (..))
import GHC.Exts (RealWorld, State#, runRW#)
import GHC.IO (IO (..), unIO)

import Data.Array.Linear (Join, Parts (..), (&), combine, combineParts, splitSizes)
import Data.Array.Linear.Internal (Owned (..), Settled (..), Slice (..), View (..), belowOne, foreignPtr, linearly)
import Data.Array.Linear.Internal.Owner (Owner, contents, renewed, retire)
import Data.Array.Linear.Internal.Workers (Workers (..), both, runAll)
import OpenMP.Internal.Pending (pendingException)
import OpenMP.Internal.Settings (checkRegionOf)
import OpenMP.Internal.Team (barrier, runTeam, teamSize, threadNum)
import OpenMP.Settings (Settings)

-- $setup
-- >>> :set -XLinearTypes -XLambdaCase
-- >>> import qualified Data.Array.Linear as L
-- >>> import Data.Array.Linear (Split (..), Ur (..), (&))
-- >>> import Data.Array.Linear.Parallel
-- >>> import OpenMP.Settings (defaults)

-- | Two computations, possibly in parallel. Each is applied to a unit when it may begin, and owns the tokens that it
-- has captured; 'Owned' lists the types that they may return.
--
-- >>> :{
-- L.alloc 2 'a' (\s -> L.alloc 1 'b' (\t ->
--     parallelBoth Sparks (\() -> L.fill 'x' s) (\() -> L.fill 'y' t) & \(s', t') ->
--     L.discard t' & \() -> L.freeze s'))
-- :}
-- Ur "xx"
--
-- @since 0.1.0.0
parallelBoth :: (Owned t, Owned u) => Workers -> (() %1 -> t) %1 -> (() %1 -> u) %1 -> (t, u)
parallelBoth workers = linearly (\left -> linearly (both "Data.Array.Linear.Parallel.parallelBoth" workers left))

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
--
-- @since 0.1.0.0
parCombine
    :: Workers -> Join p left right
    -> (Slice left a %1 -> Slice left a) %1 -> (Slice right a %1 -> Slice right a) %1
    -> Slice left a %1 -> Slice right a %1 -> Slice p a
parCombine workers join f g left right =
    linearly (\first -> linearly (both "Data.Array.Linear.Parallel.parCombine" workers first))
        (\() -> f left) (\() -> g right) & \(left', right') -> combine join left' right'

-- | 'Data.Array.Linear.mapParts' with the parts in parallel.
--
-- >>> L.alloc 6 0 (\s -> s & L.splitEvenly 3 & parParts (Team defaults) L.fill & L.combineParts & L.freeze)
-- Ur [0,0,2,2,4,4]
--
-- @since 0.1.0.0
parParts :: forall p a. Workers -> (forall q. Int -> Slice q a %1 -> Slice q a) -> Parts p a %1 -> Parts p a
parParts workers f = linearly (eachPart "Data.Array.Linear.Parallel.parParts" workers f)

-- One action for each part. A part's memory is determined by its type and does not change, so the parts that are
-- returned are the original ones, with the state after all actions. The token that the function returns ends here, and
-- each part has a new one.
eachPart :: forall p a. String -> Workers -> (forall q. Int -> Slice q a %1 -> Slice q a) -> Parts p a -> Parts p a
eachPart name workers f parts = runRW# $ \s0 ->
    case unIO (runAll name workers (bodies 0 parts)) s0 of (# s, _ #) -> after s parts
  where
    bodies :: Int -> Parts q a -> [IO ()]
    bodies first (Last slice) = [body first slice]
    bodies first (More _ slice@(Slice _ _ n _) rest) = body first slice : bodies (first + n) rest

    body :: Int -> Slice q a -> IO ()
    body first slice = IO (\s -> case settle (f first slice) s of
        Settled s' (Slice _ owner _ _) -> (# retire (below name) owner s', () #))

    after :: State# RealWorld -> Parts q a -> Parts q a
    after s (Last (Slice p owner n _)) = case renewed (contents owner) s of
        (# s', owner' #) -> Last (Slice p owner' n s')
    after s (More j (Slice p owner n _) rest) = case renewed (contents owner) s of
        (# s', owner' #) -> More j (Slice p owner' n s') (after s' rest)
{-# NOINLINE eachPart #-}

-- | @parChunks workers size f slice@: @f@ works on each chunk of @size@ elements (the last may be shorter), possibly in
-- parallel, and gets the index of the chunk's first element. A size below 1 is an @ErrorCall@.
--
-- >>> L.alloc 5 0 (\s -> s & parChunks (Team defaults) 2 (\first -> L.fillWith (+ first)) & L.freeze)
-- Ur [0,1,2,3,4]
--
-- @since 0.1.0.0
parChunks
    :: Storable a
    => Workers -> Int -> (forall q. Int -> Slice q a %1 -> Slice q a) -> Slice p a %1 -> Slice p a
parChunks workers size f (Slice p owner n s)
    | size < 1 = belowOne "Parallel.parChunks" "chunk size" size
    | otherwise = Slice p owner n s & splitSizes (replicate ((n - 1) `quot` size) size)
        & linearly (eachPart "Data.Array.Linear.Parallel.parChunks" workers f) & combineParts

-- | @parSteps settings parts count f one other@: @count@ steps between two arrays of the same length. In the first
-- step @one@ is lent and @other@ is written, in the next one @other@ is lent and @one@ written, and so on. So the
-- result is in @other@ when @count@ is odd, otherwise in @one@. The array that is written is in @parts@ parts, as by
-- 'Data.Array.Linear.splitEvenly', and @f@ gets the view, the index of the part's first element, and the part.
--
-- It is one parallel region with a barrier after each step. The members of the team share the parts: there should be
-- one for each thread, or a multiple. Asynchronous exceptions are masked within a step.
--
-- >>> let shift v first = L.fillWith (\i -> L.index v (max 0 (first + i - 1)))
-- >>> :{
-- L.generate 6 id (\one -> L.alloc 6 0 (\other ->
--     parSteps defaults 2 3 shift one other & \(one', other') ->
--     L.discard one' & \() -> L.freeze other'))
-- :}
-- Ur [0,0,0,0,1,2]
--
-- Arrays of different lengths, a number of parts below 1 and a number of steps below 0 are an @ErrorCall@. An
-- asynchronous exception comes between two steps, and evaluating the value again continues with the next one.
--
-- @since 0.1.0.0
parSteps
    :: Storable a
    => Settings -> Int -> Int -> (forall r. View a -> Int -> Slice r a %1 -> Slice r a)
    -> Slice p a %1 -> Slice q a %1 -> (Slice p a, Slice q a)
parSteps settings parts count f =
    linearly (\one -> linearly (inSteps "parSteps" settings parts count (\_ -> f) one))

-- | 'parSteps' with a function that gets the step's number, from 0 on: for passes that differ. Two passes, the squares
-- into @other@ and then the sums of neighbours back into @one@:
--
-- >>> let squares v first = L.fillWith (\i -> L.index v (first + i) ^ 2)
-- >>> let sums v first = L.fillWith (\i -> L.index v (max 0 (first + i - 1)) + L.index v (first + i))
-- >>> let pass k v first = if even k then squares v first else sums v first
-- >>> :{
-- L.generate 5 id (\one -> L.alloc 5 0 (\other ->
--     parPasses defaults 2 2 pass one other & \(one', other') ->
--     L.discard other' & \() -> L.freeze one'))
-- :}
-- Ur [0,1,5,13,25]
--
-- @since 0.1.0.0
parPasses
    :: Storable a
    => Settings -> Int -> Int -> (forall r. Int -> View a -> Int -> Slice r a %1 -> Slice r a)
    -> Slice p a %1 -> Slice q a %1 -> (Slice p a, Slice q a)
parPasses settings parts count f =
    linearly (\one -> linearly (inSteps "parPasses" settings parts count f one))

inSteps
    :: forall a p q. Storable a
    => String -> Settings -> Int -> Int -> (forall r. Int -> View a -> Int -> Slice r a %1 -> Slice r a)
    -> Slice p a -> Slice q a -> (Slice p a, Slice q a)
inSteps name settings parts count f one@(Slice p owner n _) other@(Slice p' owner' n' _)
    | parts < 1 = belowOne ("Parallel." ++ name) "number of parts" parts
    | count < 0 = wrong ("the number of steps is " ++ show count)
    | n /= n' = wrong ("one slice has " ++ show n ++ " elements and the other one " ++ show n')
    | otherwise = runRW# $ \s0 -> case settle one s0 of
        Settled s1 _ -> case settle other s1 of
            Settled s2 _ -> case unIO (stepsFrom whole settings count share 0) (ended owner (ended owner' s2)) of
                (# s3, () #) -> case renewed (contents owner) s3 of
                    (# s4, again #) -> case renewed (contents owner') s4 of
                        (# s5, again' #) -> (Slice p again n s4, Slice p' again' n s5)
  where
    ended = retire (below whole)
    whole = "Data.Array.Linear.Parallel." ++ name
    wrong what = throw (ErrorCall (whole ++ ": " ++ what))

    -- A member's parts, computed once, since that takes six divisions. Then what the member does in a step.
    share :: Int -> Int -> IO (Int -> IO ())
    share member size = write <$> mapM bounds [parts * member `quot` size .. parts * (member + 1) `quot` size - 1]

    bounds i = evaluate (Bounds (begin i) (begin (i + 1)))
    begin i = i * (n `quot` parts) + min i (n `rem` parts)

    write :: [Bounds] -> Int -> IO ()
    write mine step = do
        view <- viewOf (if even step then foreignPtr p owner else foreignPtr p' owner') n
        forM_ mine (if even step then part (f step view) p' owner' else part (f step view) p owner)

    -- A part of a step has a token of its own, which ends with it.
    part :: (forall r. Int -> Slice r a %1 -> Slice r a) -> Ptr a -> Owner -> Bounds -> IO ()
    part g to whose (Bounds from past) = IO $ \s -> case renewed (contents whose) s of
        (# s1, mine #) -> case settle (g from (Slice (to `plusPtr` (from * width)) mine (past - from) s1)) s1 of
            Settled s2 (Slice _ last' _ _) -> (# retire (below whole) last' s2, () #)

    width = sizeOf (undefined :: a)
{-# NOINLINE inSteps #-}

-- A function's name as errors have it, without the one of the package's module.
below :: String -> String
below = drop (length "Data.Array.Linear.")

-- A part's first element, and the one after its last.
data Bounds = Bounds !Int !Int

-- Not inlined: what reads a view depends on this call, in this step.
viewOf :: Storable a => ForeignPtr a -> Int -> IO (View a)
viewOf memory n = pure (View (V.unsafeFromForeignPtr0 memory n))
{-# NOINLINE viewOf #-}

-- The steps from this one on. A member's share is from its number and the team's size: what it does in a step. Bodies
-- are masked, so that no step is left in its middle. When an exception is pending for the caller, the region ends after
-- the step. The exception is raised where the mask ends, and another evaluation continues there.
stepsFrom :: String -> Settings -> Int -> (Int -> Int -> IO (Int -> IO ())) -> Int -> IO ()
stepsFrom name settings count share from = when (from < count) $ do
    state <- getMaskingState
    caller <- if state == Unmasked then Just <$> myThreadId else pure Nothing
    reached <- mask_ (stepsInRegion name settings count share caller from)
    stepsFrom name settings count share reached

stepsInRegion
    :: String -> Settings -> Int -> (Int -> Int -> IO (Int -> IO ())) -> Maybe ThreadId -> Int -> IO Int
stepsInRegion name settings count share caller from = do
    end <- R.newIORef count
    checkRegionOf name settings
    runTeam settings $ \team -> do
        me <- threadNum team
        write <- share me (teamSize team)
        let go step = do
                write step
                -- Member 0 decides before the barrier, for all: the number of the first step that is not done here.
                when (me == 0) $ do
                    waits <- maybe (pure False) pendingException caller
                    when waits (R.atomicWriteIORef end (step + 1))
                barrier team
                past <- R.readIORef end
                when (step + 1 < past) (go (step + 1))
        go from
    R.readIORef end
