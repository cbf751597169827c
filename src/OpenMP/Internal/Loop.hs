{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE UnliftedFFITypes #-}
-- Makes each chunk and each construct a safe point, also in bodies that do not allocate. Otherwise the collector and
-- messages for this Capability (an asynchronous exception for the caller, for example) would wait.
{-# OPTIONS_GHC -fno-omit-yields #-}
-- |
-- Module:      OpenMP.Internal.Loop
-- Description: Loops whose chunks go to the threads that have a Capability
--
-- The combined constructs of "OpenMP.Parallel"; "OpenMP.Internal.Reduce" has those with a result. The interface
-- is not stable.
--
-- A range @[from, past)@ of 'Int' may have more than @maxBound@ elements. So iterations are counted in unsigned
-- arithmetic, and an index is @from@ plus the iteration's number, where wrapping around gives the right result.
module OpenMP.Internal.Loop
    ( Cuts (..)
    , runChunks
    , runChunksWith
    , sectionsOf
    , overRange
    , sharingOf
    , rangeCount
    , Helpers (..)
    , helpersOf
      -- * Loops in two parts
    , Beginning (..)
    , beginning
    , beginningOf
    , Chunks
    , inRegions
    ) where

import Control.Exception (MaskingState (..), evaluate, getMaskingState)
import Control.Monad (forM_, unless, when)
import Data.Bits (testBit)
import qualified Data.IORef as R
import Data.Maybe (isNothing)
import Data.Primitive.Array
import Data.Primitive.ByteArray (MutableByteArray (..), readByteArray, writeByteArray)
import Data.Word (Word64)
import Foreign.C.Types (CBool (..), CInt (..))
import GHC.Exts (MutableByteArray#, RealWorld, inline)

import OpenMP.Internal.Region
import OpenMP.Internal.Serial
import OpenMP.Internal.Settings (checkRegionOf)
import OpenMP.Settings

-- | The number of indices in @[from, past)@, as an unsigned number in an 'Int'.
rangeCount :: Int -> Int -> Int
rangeCount from past = if from < past then past - from else 0

-- | How a loop is divided, from the schedule and the number of iterations. The loop must not depend on members that get
-- no Capability, so round robin becomes first come, first served.
sharingOf :: Maybe Schedule -> Int -> Sharing
sharingOf wanted count = case wanted of
    Nothing                -> Sharing GuidedChunks count smallest stepBetweenSafePoints
    Just Auto              -> Sharing GuidedChunks count smallest stepBetweenSafePoints
    Just Static            -> Sharing StaticPieces count 1 0
    Just (StaticChunks c)  -> Sharing DynamicChunks count c 0
    Just (Dynamic c)       -> Sharing DynamicChunks count c 0
    Just (Guided c)        -> Sharing GuidedChunks count c 0
  where
    smallest = fromIntegral (max 1 ((fromIntegral count :: Word64) `quot` 1024))

-- | Where a loop may be cut besides the ends of its schedule's chunks.
data Cuts
    = AnyCut     -- ^ Anywhere: what runs a chunk does the same for its parts.
    | ChunkCuts  -- ^ Nowhere else: chunks are seen, and where the schedule leaves their sizes open, few are expected.
    | NoCuts     -- ^ A thread that takes part costs something, a state for example: the loop is not begun alone.
    deriving (Eq)

-- | How a loop begins.
data Beginning
    = AtOnce -- ^ as a region
    | InCaller (forall s. Step s -> s -> IO (Reached s))
      -- ^ with the calling Haskell thread alone, which runs all iterations or the first ones

-- | How to begin a loop: the part of it that the caller should run, judged by the helpers and by its time.
beginning :: Cuts -> Settings -> Sharing -> Int -> IO Beginning
beginning = beginningOf 1

-- | The same for a loop whose region costs this many times as much as usual.
beginningOf :: Word64 -> Cuts -> Settings -> Sharing -> Int -> IO Beginning
beginningOf dearer cuts settings sharing !from = do
    helpers <- helpersOf settings
    case helpers of
        Alone       -> pure (InCaller (serially sharing from))
        Unavailable -> pure (InCaller (untilHelped sharing from))
        Required    -> pure AtOnce
        Available   -> do
            threads <- teamBound settings
            let unit = trialUnit cuts sharing threads
            pure (if unit == 0 then AtOnce else InCaller (untilWorthwhile dearer unit sharing from))

-- | Runs the action on chunks @[begin, end)@ of the range until none is left: each index is in exactly one chunk.
runChunks :: Cuts -> Settings -> Sharing -> Int -> (Int -> Int -> IO ()) -> IO ()
runChunks cuts settings sharing !from chunkAction = unless (sharingCount sharing == 0) $ do
    start <- beginning cuts settings sharing from
    case start of
        AtOnce -> inRegions settings sharing from ($ chunkAction)
        InCaller run -> do
            Reached () done <- run (\() begin end -> atOnce (chunkAction begin end)) ()
            afterwards settings sharing from done ($ chunkAction)

-- | 'OpenMP.Parallel.parallelSections' for a function of any module, @Module.function@, which an error names.
sectionsOf :: String -> Settings -> [IO a] -> IO [a]
sectionsOf name settings bodies = do
    checkRegionOf name settings
    results <- newArray n (error "OpenMP.Internal.Loop.sectionsOf: a section has no result")
    unless (n == 0) $ runChunks NoCuts settings (Sharing DynamicChunks n 1 0) 0 $ \first past ->
        overRange first past $ \i -> indexArray list i >>= writeArray results i
    mapM (readArray results) [0 .. n - 1]
  where
    list = arrayFromList bodies
    n = sizeofArray list

-- | 'runChunks' with a state for each thread that takes a chunk. The thread makes it before its first chunk, and at its
-- end hands it on, with the first index of that chunk.
runChunksWith :: Settings -> Sharing -> Int -> IO s -> (s -> Int -> Int -> IO ()) -> (Int -> s -> IO ()) -> IO ()
runChunksWith settings sharing !from make chunkAction over = unless (sharingCount sharing == 0) $ do
    start <- beginning NoCuts settings sharing from
    case start of
        AtOnce -> inRegions settings sharing from part
        InCaller run -> do
            !state <- make
            Reached () done <- run (\() begin end -> atOnce (chunkAction state begin end)) ()
            over from state
            afterwards settings sharing from done part
  where
    part :: Chunks -> IO ()
    part each = do
        mine <- R.newIORef Nothing
        each $ \begin end -> do
            made <- R.readIORef mine
            case made of
                Just (_, state) -> chunkAction state begin end
                Nothing         -> do
                    !state <- make
                    R.writeIORef mine (Just (begin, state))
                    chunkAction state begin end
        R.readIORef mine >>= mapM_ (uncurry over)

-- | What is left of a loop that began in its caller, as a region. The chunks of both together are those of the range.
afterwards :: Settings -> Sharing -> Int -> Int -> (Chunks -> IO ()) -> IO ()
afterwards settings sharing from done part = unless (left == 0) $
    inRegions settings sharing { sharingCount = left } (from + done) part
  where
    left = sharingCount sharing - done

-- | The number of iterations that the caller takes at a time when it begins a loop alone (@untilWorthwhile@); 0 if it
-- must not. One iteration may be as long as all others together, so it begins only loops of many.
trialUnit :: Cuts -> Sharing -> Int -> Int
trialUnit cuts (Sharing kind count chunk _) threads
    | cuts == NoCuts = 0
    | kind == DynamicChunks && many (total `quot` fromIntegral chunk) = chunk
    | cuts == AnyCut && many total = 1
    | otherwise = 0
  where
    total = fromIntegral count :: Word64
    many units = units >= 16 * fromIntegral threads

-- | Whether there are helpers for a loop: the result of @ghcomp_hs_helpers@, or @Required@.
data Helpers
    = Available
    | Unavailable -- ^ at this moment; that may change
    | Alone       -- ^ a region would have a team of one
    | Required    -- ^ all of the loop is to be a region
    deriving (Eq, Enum)

-- | Whether there are helpers for a loop of these settings. @Alone@ has no effect on regions inside of the bodies,
-- since a region of one thread is not active. Two cases need a region. Settings for the bodies' own regions need one to
-- apply to. So does a caller that has masked asynchronous exceptions, also for a team of one: they would interrupt
-- bodies that block in the caller's own thread, but they do not interrupt bodies of a region.
helpersOf :: Settings -> IO Helpers
helpersOf settings = case (dynamic settings, maxActiveLevels settings) of
    (Nothing, Nothing) -> do
        state <- getMaskingState
        if state == Unmasked
            then toEnum . fromIntegral <$> c_helpers (maybe 0 fromIntegral (numThreads settings))
            else pure Required
    _ -> pure Required

-- | A function that runs one thread's chunks.
type Chunks = (Int -> Int -> IO ()) -> IO ()

-- | Runs the action on the indices of a chunk, given as the numbers of its iterations in the region's pool.
type Plan = Int -> Int -> (Int -> Int -> IO ()) -> IO ()

-- | Runs a loop as a region, and after an interruption its rest: first the bodies that were interrupted, then the
-- static pieces that no member has begun, or the iterations after those that were handed out.
--
-- Meanwhile the part is only in the region's holder ("OpenMP.Internal.Region"). If all chunks had been taken, no
-- member has put it back, and none needs it.
inRegions :: Settings -> Sharing -> Int -> (Chunks -> IO ()) -> IO ()
inRegions settings sharing0 !from part = do
    plan <- R.newIORef (\begin end act -> inSteps sharing0 (\() b e -> act b e) () (from + begin) (from + end))
    newHolder (\self -> part (eachChunk self plan)) >>= go plan sharing0 from
  where
    go plan sharing !first holder = do
        end <- attempt (Request settings sharing) holder
        case end of
            Complete -> pure ()
            Interrupted _ bodies rest -> do
                goOn settings bodies
                body <- takeHeld holder
                forM_ body $ \again -> remaining plan sharing first rest (newHolder again)
    remaining plan sharing first (Rest taken pieces bits) refilled
        | sharingKind sharing == StaticPieces = do
            let list = arrayFromList (unclaimed (sharingCount sharing) pieces bits)
                each begin end act = forM_ [begin .. end - 1] $ \i ->
                    let (b, e) = indexArray list i in act (first + b) (first + e)
                n = sizeofArray list
            unless (n == 0) $ R.writeIORef plan each >> refilled >>= go plan (Sharing DynamicChunks n 1 0) 0
        | otherwise = do
            let left = sharingCount sharing - taken
            R.atomicModifyIORef' plan $ \before -> (\begin end act -> before (begin + taken) (end + taken) act, ())
            unless (left == 0) $ refilled >>= go plan sharing { sharingCount = left } first

-- | Goes on with bodies that were interrupted, in parallel.
goOn :: Settings -> [Suspended] -> IO ()
goOn settings bodies = unless (n == 0) $ inRegions settings (Sharing DynamicChunks n 1 0) 0 $ \each ->
    each $ \begin end -> forM_ [begin .. end - 1] $ \i -> case indexArray list i of Suspended body -> evaluate body
  where
    list = arrayFromList bodies
    n = sizeofArray list

-- | The static pieces without a bit, as in @piece_begin@ of @cbits\/haskell\/chunk_pool.c@.
unclaimed :: Int -> Int -> [Int] -> [(Int, Int)]
unclaimed count pieces bits =
    [ (beginOf i, beginOf (i + 1)) | i <- [0 .. pieces - 1], not (testBit (bits !! (i `quot` 64)) (i `rem` 64)) ]
  where
    (each, longer) = (fromIntegral count :: Word64) `quotRem` fromIntegral pieces
    beginOf i = fromIntegral (each * fromIntegral i + min longer (fromIntegral i))

-- | A member's part of a loop: the chunks that it takes from the pool (@cbits\/haskell\/chunk_pool.c@). It may be
-- interrupted anywhere and resumed later, when the region is over: then there are only the chunks that it has in
-- reserve.
--
-- When it must take no more chunks, its reserve is dropped if a body's exception ends the loop. Otherwise the loop will
-- be resumed, and only the member has these chunks, so it runs them: they were short so far.
eachChunk :: Member -> R.IORef Plan -> (Int -> Int -> IO ()) -> IO ()
eachChunk self plans chunkAction = do
    plan <- R.readIORef plans
    let go = do
            waits <- callerWaits self
            unless waits $ do
                more <- c_next_chunk words_
                when (more /= 0) (chunk plan >> go)
        left = do
            more <- c_next_chunk words_
            when (more /= 0) (chunk plan >> left)
    go
    failed <- R.readIORef (memberFailed self)
    when (isNothing failed) $ writeByteArray (memberChunk self) 0 (0 :: Int) >> left
  where
    chunk :: Plan -> IO ()
    chunk plan = do
        begin <- readByteArray (memberChunk self) 1
        end <- readByteArray (memberChunk self) 2
        plan begin end chunkAction
    !(MutableByteArray words_) = memberChunk self

-- | @overRange begin end action@ runs the action for each index of @[begin, end)@. It compares by '/=' so that a chunk
-- may end at the largest 'Int' plus one. The range must not be empty.
--
-- The action is in the loop whatever its size ('inline'), and where it is small once more in front of it, for the first
-- index, as in "OpenMP.Internal.Reduce": the caller's variables that it evaluates there, a lazy vector for example, are
-- not evaluated again for each index.
overRange :: Int -> Int -> (Int -> IO ()) -> IO ()
overRange !begin !end action = action begin >> go (begin + 1)
  where
    go !i = when (i /= end) (inline action i >> go (i + 1))
{-# INLINE overRange #-}

-- Unsafe calls: they read and write a few words and never wait. c_helpers may poll for some microseconds.
foreign import ccall unsafe "ghcomp_hs_helpers" c_helpers :: CInt -> IO CInt
foreign import ccall unsafe "ghcomp_hs_next_chunk" c_next_chunk :: MutableByteArray# RealWorld -> IO CBool
