{-# LANGUAGE BangPatterns #-}
-- Makes each step a safe point, also in bodies that do not allocate, as in "OpenMP.Internal.Loop".
{-# OPTIONS_GHC -fno-omit-yields #-}
-- |
-- Module:      OpenMP.Internal.Serial
-- Description: A loop's iterations in the thread that calls for them
--
-- What "OpenMP.Internal.Loop" runs without a region: all of a loop, or its first iterations. The interface is not
-- stable. When a loop becomes a region is decided in @cbits\/haskell\/helpers.c@; the reasons are in ADR 11. Tests:
-- ParallelTest.
--
-- Numbers of iterations are unsigned numbers in an 'Int', as there.
module OpenMP.Internal.Serial
    ( Step
    , atOnce
    , Reached (..)
    , serially
    , untilHelped
    , untilWorthwhile
    , inSteps
    , stepBetweenSafePoints
    ) where

import Data.Bits (bit)
import Data.Word (Word64)
import GHC.IO (IO (..))

import OpenMP.Internal.Region (Sharing (..), SharingKind (..))

-- | Runs a chunk @[begin, end)@, with what the chunks before it have left, and leaves something for the next one: the
-- sum so far of a reduction, for example.
type Step s = s -> Int -> Int -> IO s

-- | The action of an application of an unknown function. With this in a 'Step', the step runs it by one call. Without,
-- GHC makes the step a function without the state of t'IO', which returns the action for a second call.
atOnce :: IO a -> IO a
atOnce (IO action) = IO (\state -> action state)
{-# INLINE atOnce #-}

-- | What the last chunk has left, and the number of iterations done.
data Reached s = Reached s !Int

-- | The number of iterations between two safe points, for bodies that do not allocate and so have none of their own.
stepBetweenSafePoints :: Int
stepBetweenSafePoints = 4096

-- | Runs the step on a chunk, or, if the schedule has no chunk size, on each piece of it, with a safe point in between.
inSteps :: Sharing -> Step s -> s -> Int -> Int -> IO s
inSteps sharing step before begin end
    | sharingStep sharing == 0 = step before begin end
    | otherwise = inChunks (fromIntegral (sharingStep sharing)) 0 (fromIntegral (end - begin)) begin step before

-- | Runs the step on iterations of a loop; iteration 0 has index @from@. The indices are evaluated before the call: the
-- step would be given two lazy values otherwise.
onIterations :: Int -> Step s -> s -> Word64 -> Word64 -> IO s
onIterations !from step before !begin !end = step before first past
  where
    !first = from + fromIntegral begin
    !past = from + fromIntegral end
{-# INLINE onIterations #-}

-- | All chunks in one thread, with the sizes that the schedule promises.
serially :: Sharing -> Int -> Step s -> s -> IO (Reached s)
serially sharing@(Sharing kind count chunk _) !from step before = (`Reached` count) <$> if kind /= DynamicChunks
    then inSteps sharing step before from (from + count)
    else inChunks (fromIntegral chunk) 0 (fromIntegral count) from step before

-- | The iterations @[first, past)@ in chunks of that size; iteration 0 has index @from@.
inChunks :: Word64 -> Word64 -> Word64 -> Int -> Step s -> s -> IO s
inChunks !size !first !past !from step = go first
  where
    go !begin before
        | past - begin <= size = onIterations from step before begin past
        | otherwise = do
            let end = begin + size
            onIterations from step before begin end >>= go end

-- | Runs a loop in one thread until there are helpers. Its steps, of one chunk or of several, become longer until they
-- take about as long as the time between two looks.
untilHelped :: Sharing -> Int -> Step s -> s -> IO (Reached s)
untilHelped (Sharing kind count chunk _) !from step before0 = c_ticks >>= go before0 0 smallest
  where
    total = fromIntegral count :: Word64
    smallest = if kind == StaticPieces then max 1 (total `quot` 1024) else fromIntegral chunk
    through before !begin !end
        | kind == DynamicChunks = inChunks smallest begin end from step before
        | otherwise = onIterations from step before begin end
    go before !begin !size !looked
        | total - begin <= size = (`Reached` count) <$> through before begin total
        | otherwise = do
            let end = begin + size
            after <- through before begin end
            now <- c_helpers_poll looked
            if now == 0 then pure (Reached after (fromIntegral end)) else go after end (next size (now - looked)) now
    -- `since`: ticks since the last look; 0 when it was too early for another look.
    next size since
        | since == 0 = if size < bit 62 then 2 * size else size
        | since > lookEvery && size > smallest = size `quot` 2
        | otherwise = size
    lookEvery = 2000000 -- twice LOOK_EVERY of helpers.c

-- | Runs a loop in one thread until what is left is worth a region, judged by the latest step. After each step it
-- looks; the steps double, up to a quarter of the loop. The first argument is how many times a region's usual cost this
-- one has, the second is the smallest step; where it is the schedule's chunk, the chunks have that size.
untilWorthwhile :: Word64 -> Int -> Sharing -> Int -> Step s -> s -> IO (Reached s)
untilWorthwhile !dearer unit (Sharing kind count chunk _) !from step before0 =
    c_ticks >>= go before0 0 smallest
  where
    total = fromIntegral count :: Word64
    !smallest = fromIntegral unit
    !longest = max smallest (total `quot` 4 `quot` smallest * smallest)
    !promised = kind == DynamicChunks && unit == chunk
    through before !begin !end
        | promised  = inChunks smallest begin end from step before
        | otherwise = onIterations from step before begin end
    go before !begin !size !looked
        | total - begin <= size = (`Reached` count) <$> through before begin total
        | otherwise = do
            let end = begin + size
            after <- through before begin end
            now <- c_worth_region looked (size * dearer) (total - end)
            if now == 0
                then pure (Reached after (fromIntegral end))
                else go after end (min longest (2 * size)) now

-- All of these are unsafe calls: they read and write a few words and never wait. c_helpers_poll may poll for some
-- microseconds.
foreign import ccall unsafe "ghcomp_hs_ticks" c_ticks :: IO Word64
foreign import ccall unsafe "ghcomp_hs_helpers_poll" c_helpers_poll :: Word64 -> IO Word64
foreign import ccall unsafe "ghcomp_hs_worth_region" c_worth_region :: Word64 -> Word64 -> Word64 -> IO Word64
