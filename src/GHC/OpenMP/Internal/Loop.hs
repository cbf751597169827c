{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnliftedFFITypes #-}
-- Makes each chunk and each construct a safe point, also in bodies that do not allocate. Otherwise the collector and
-- messages for this Capability (an asynchronous exception for the caller, for example) would wait.
{-# OPTIONS_GHC -fno-omit-yields #-}
-- |
-- Module:      GHC.OpenMP.Internal.Loop
-- Description: Loops whose chunks go to the threads that have a Capability
--
-- The combined constructs of "GHC.OpenMP.Parallel". The interface is not stable.
--
-- A range @[from, past)@ of 'Int' may have more than @maxBound@ elements. So iterations are counted in unsigned
-- arithmetic, and an index is @from@ plus the iteration's number, where wrapping around gives the right result.
module GHC.OpenMP.Internal.Loop
    ( Order (..)
    , Cuts (..)
    , runChunks
    , runChunksWith
    , runReduce
    , runFold
    , overRange
    , foldRange
    , sharingOf
    , rangeCount
    , Helpers (..)
    , helpersOf
    ) where

import Control.Exception (MaskingState (..), evaluate, getMaskingState)
import Control.Monad (foldM, forM_, unless, when, (>=>))
import Data.Bits (testBit)
import qualified Data.IORef as R
import qualified Data.List as List
import Data.Primitive.Array
import Data.Primitive.ByteArray (MutableByteArray (..), readByteArray)
import Data.Word (Word64)
import Foreign.C.Types (CBool (..), CInt (..))
import GHC.Exts (MutableByteArray#, RealWorld)

import GHC.OpenMP.Internal.Region
import GHC.OpenMP.Internal.Serial
import GHC.OpenMP.Internal.Settings (chunkOf)
import GHC.OpenMP.Settings

-- | How the values of a reduction are combined.
data Order
    = IndexOrder
      -- ^ In the order of the indices. The range is cut at places that depend only on the range and the schedule's
      -- chunk size, into at most 4096 parts, whose values are kept until the end. For every monoid. The result is the
      -- same for every team size, also where '<>' is only nearly associative (floating-point sums).
    | AnyOrder
      -- ^ In the order in which threads finish. For commutative monoids; keeps one value for each thread.
    deriving (Eq, Show, Enum, Bounded)

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

-- | Runs the action on chunks @[begin, end)@ of the range until none is left: each index is in exactly one chunk.
runChunks :: Cuts -> Settings -> Sharing -> Int -> (Int -> Int -> IO ()) -> IO ()
runChunks cuts settings sharing !from chunkAction = runLoop cuts settings sharing from ($ chunkAction)

-- | 'runChunks' with a state for each thread that takes a chunk. The thread makes it before its first chunk, and at its
-- end hands it on, with the first index of that chunk.
runChunksWith :: Settings -> Sharing -> Int -> IO s -> (s -> Int -> Int -> IO ()) -> (Int -> s -> IO ()) -> IO ()
runChunksWith settings sharing !from make chunkAction over = runLoop NoCuts settings sharing from $ \each -> do
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

-- | Runs a loop by what each thread that takes part does with its chunks.
runLoop :: Cuts -> Settings -> Sharing -> Int -> (Chunks -> IO ()) -> IO ()
runLoop cuts settings sharing !from part = unless (sharingCount sharing == 0) $ do
    helpers <- helpersOf settings
    case helpers of
        Alone    -> part (serially sharing from)
        Nobody   -> begun (untilHelped sharing from)
        Required -> region sharing from
        Somebody -> do
            threads <- teamBound settings
            let unit = trialUnit cuts sharing threads
            if unit == 0 then region sharing from else begun (untilWorthwhile unit sharing from)
  where
    region rest begin = inRegions settings rest begin part
    -- The first part of the loop in the calling Haskell thread, and what is left of it as a region. The chunks of both
    -- together are those of the range.
    begun first = do
        reached <- R.newIORef 0
        part (first >=> R.writeIORef reached)
        done <- R.readIORef reached
        let left = sharingCount sharing - done
        unless (left == 0) $ region sharing { sharingCount = left } (from + done)

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

-- | Whether anybody can help with a loop: the result of @ghcomp_hs_helpers@, or @Required@.
data Helpers
    = Somebody
    | Nobody    -- ^ at this moment; that may change
    | Alone     -- ^ a region would have a team of one
    | Required  -- ^ all of the loop is to be a region
    deriving (Eq, Enum)

-- | Whether anybody can help with a loop of these settings. @Alone@ is without consequences for regions inside of the
-- bodies, since a region of one thread is not active. Two cases need a region. Settings for the bodies' own regions
-- need one to apply to. So does a caller that has masked asynchronous exceptions: they would interrupt bodies that
-- block in the caller's own thread, but they do not interrupt bodies of a region.
helpersOf :: Settings -> IO Helpers
helpersOf settings = case (dynamic settings, maxActiveLevels settings) of
    (Nothing, Nothing) -> do
        helpers <- toEnum . fromIntegral <$> c_helpers (maybe 0 fromIntegral (numThreads settings))
        case helpers of
            Alone -> pure Alone
            _     -> (\state -> if state == Unmasked then helpers else Required) <$> getMaskingState
    _ -> pure Required

-- | A function that runs one thread's chunks.
type Chunks = (Int -> Int -> IO ()) -> IO ()

-- | Runs the action on the indices of a chunk, given as the numbers of its iterations in the region's pool.
type Plan = Int -> Int -> (Int -> Int -> IO ()) -> IO ()

-- | Runs a loop as a region, and after an interruption what is left of it: first the bodies that were interrupted, then
-- the static pieces that nobody has begun, or the iterations after those that were handed out.
--
-- Meanwhile the part is only in the region's holder ("GHC.OpenMP.Internal.Region"). If all chunks had been taken,
-- nobody has put it back, and nobody needs it.
inRegions :: Settings -> Sharing -> Int -> (Chunks -> IO ()) -> IO ()
inRegions settings sharing0 !from part = do
    plan <- R.newIORef (\begin end act -> inSteps sharing0 act (from + begin) (from + end))
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
-- interrupted anywhere and go on later, when the region is over: then there is no further chunk.
eachChunk :: Member -> R.IORef Plan -> (Int -> Int -> IO ()) -> IO ()
eachChunk self plans chunkAction = do
    plan <- R.readIORef plans
    let go = do
            waits <- callerWaits self
            unless waits $ do
                more <- c_next_chunk words_
                when (more /= 0) $ do
                    begin <- readByteArray (memberChunk self) 1
                    end <- readByteArray (memberChunk self) 2
                    plan begin end chunkAction
                    go
    go
  where
    !(MutableByteArray words_) = memberChunk self

-- | The values of chunks, combined. The action computes the value of a chunk, which is not empty.
runReduce :: Monoid m => Cuts -> Settings -> Order -> Int -> Int -> (Int -> Int -> IO m) -> IO m
runReduce cuts settings order !from past chunkValue
    | count == 0 = pure mempty
    | otherwise = case order of
        AnyOrder -> do
            total <- R.newIORef []
            runLoop cuts settings (sharingOf (schedule settings) count) from $ \each -> do
                mine <- R.newIORef Nothing
                each $ \begin end -> do
                    !value <- chunkValue begin end
                    before <- R.readIORef mine
                    let !now = maybe value (<> value) before
                    R.writeIORef mine (Just now)
                R.readIORef mine >>= mapM_ (\value -> R.atomicModifyIORef' total (\values -> (value : values, ())))
            mconcat <$> R.readIORef total
        IndexOrder -> do
            -- A member takes several chunks at a time and stores their values as one list, at the first one's place.
            values <- newArray (partsNumber parts) []
            runChunks AnyCut settings (Sharing GuidedChunks (partsNumber parts) 1 0) 0 $ \begin end ->
                valuesOf begin end (overPart parts chunkValue) >>= writeArray values begin
            collect values (partsNumber parts)
  where
    count = rangeCount from past
    parts = cut from past (schedule settings)

-- | Accumulators that chunks change, combined. The first action makes an accumulator.
runFold
    :: Settings -> Order -> Int -> Int -> IO acc -> (acc -> Int -> Int -> IO ()) -> (acc -> acc -> IO acc) -> IO acc
runFold settings order !from past make chunkAction combine
    | count == 0 = make
    | otherwise = case order of
        AnyOrder -> do
            accs <- R.newIORef []
            let keep first acc = R.atomicModifyIORef' accs (\list -> ((first, acc) : list, ()))
            runChunksWith settings (sharingOf (schedule settings) count) from make chunkAction keep
            R.readIORef accs >>= combineAll . map snd . List.sortOn fst
        IndexOrder -> do
            accs <- newArray n (error "GHC.OpenMP.Internal.Loop.runFold: a part has no accumulator")
            runChunks NoCuts settings (Sharing GuidedChunks n 1 0) 0 $ \begin end -> overRange begin end $ \i -> do
                !acc <- make
                overPart parts (chunkAction acc) i
                writeArray accs i acc
            mapM (readArray accs) [0 .. n - 1] >>= combineAll
  where
    count = rangeCount from past
    parts = cut from past (schedule settings)
    n = partsNumber parts
    combineAll accs = case accs of
        first : others -> foldM combine first others
        []             -> make

-- | How a range is cut into parts of one size, the last of which may be smaller.
data Parts = Parts
    { _partsFrom  :: !Int
    , _partsPast  :: !Int
    , _partsSize  :: !Int  -- ^ as an unsigned number
    , partsNumber :: !Int
    }

-- | Applies a function to the bounds of a part.
overPart :: Parts -> (Int -> Int -> a) -> Int -> a
overPart (Parts from past size n) f i = f begin (if i == n - 1 then past else begin + size)
  where
    begin = from + i * size

-- | The parts that a reduction in index order cuts a range into: of a multiple of the schedule's chunk size such that
-- there are at most 4096 parts, since the value of each is kept; without a size, at most 256 parts.
cut :: Int -> Int -> Maybe Schedule -> Parts
cut from past wanted = Parts from past (fromIntegral size) (fromIntegral (parts size))
  where
    n = fromIntegral (rangeCount from past) :: Word64
    size = maybe (max 1 (parts 256)) (widen . max 1 . min n . fromIntegral) (chunkOf =<< wanted)
    widen chunk = if parts chunk <= 4096 then chunk else parts (4096 * chunk) * chunk
    parts k = if n == 0 then 1 else (n - 1) `quot` k + 1

-- | The values of the chunks @[begin, end)@, evaluated.
valuesOf :: Int -> Int -> (Int -> IO m) -> IO [m]
valuesOf begin end value = go begin []
  where
    go i vs
        | i == end = pure (reverse vs)
        | otherwise = value i >>= \ !v -> go (i + 1) (v : vs)

-- | All values in the order of the chunks, combined from the left. The first list is not empty.
collect :: Semigroup m => MutableArray RealWorld [m] -> Int -> IO m
collect values n = do
    start <- readArray values 0
    case start of
        []            -> error "GHC.OpenMP.Internal.Loop.collect: the first chunk has no value"
        first : after -> collectOn values n 1 (List.foldl' (<>) first after)

-- | The same from a place on, with what is before it.
collectOn :: Semigroup m => MutableArray RealWorld [m] -> Int -> Int -> m -> IO m
collectOn values n !i !before
    | i == n = pure before
    | otherwise = readArray values i >>= \list -> collectOn values n (i + 1) (List.foldl' (<>) before list)

-- | @overRange begin end action@ runs the action for each index of @[begin, end)@. It compares by '/=' so that a chunk
-- may end at the largest 'Int' plus one. The range must not be empty.
overRange :: Int -> Int -> (Int -> IO ()) -> IO ()
overRange !begin !end action = go begin
  where
    go !i = do
        action i
        when (i + 1 /= end) (go (i + 1))
{-# INLINE overRange #-}

-- | The values of the indices of @[begin, end)@, which is not empty, combined from the left.
foldRange :: Semigroup m => Int -> Int -> (Int -> IO m) -> IO m
foldRange !begin !end action = action begin >>= go (begin + 1)
  where
    go !i !acc
        | i == end = pure acc
        | otherwise = action i >>= \v -> go (i + 1) (acc <> v)
{-# INLINE foldRange #-}

-- Unsafe calls: they read and write a few words and never wait. c_helpers may poll for some microseconds.
foreign import ccall unsafe "ghcomp_hs_helpers" c_helpers :: CInt -> IO CInt
foreign import ccall unsafe "ghcomp_hs_next_chunk" c_next_chunk :: MutableByteArray# RealWorld -> IO CBool
