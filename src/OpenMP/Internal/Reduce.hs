{-# LANGUAGE BangPatterns, MagicHash, UnboxedTuples #-}
-- Makes each chunk a safe point, also where bodies do not allocate, as in "OpenMP.Internal.Loop".
{-# OPTIONS_GHC -fno-omit-yields #-}
-- |
-- Module:      OpenMP.Internal.Reduce
-- Description: Loops with a result
--
-- The reductions of "OpenMP.Parallel", whose chunks have values, and its folds, whose chunks change accumulators.
-- The interface is not stable.
--
-- A reduction begins in its caller when a loop does ("OpenMP.Internal.Loop"). The caller's value by then is the
-- first value of the rest. In index order the rest may begin in the middle of a part: the member that takes that part
-- continues with the caller's value of it, so that the values and their order are the same wherever the caller stopped.
--
-- Tests: ParallelTest, StateTest, InterruptTest; @test\/hs\/loops.sh@ for the loops that GHC makes.
module OpenMP.Internal.Reduce
    ( Order (..)
    , Fold (..)
    , Piece
    , foldIndices
    , foldChunks
    , runReduce
    , runFold
    ) where

import Control.Monad (foldM, when)
import qualified Data.IORef as R
import qualified Data.List as List
import Data.Primitive.Array
import Data.Primitive.SmallArray
import Data.Word (Word64)
import GHC.Exts (RealWorld, inline, touch#)
import GHC.IO (IO (..))

import OpenMP.Internal.Loop
import OpenMP.Internal.Region (Sharing (..), SharingKind (..))
import OpenMP.Internal.Serial
import OpenMP.Internal.Settings (chunkOf)
import OpenMP.Settings

-- | How the values of a reduction are combined.
--
-- @since 0.1.0.0
data Order
    = IndexOrder
      -- ^ In the order of the indices. The range is cut at places that depend only on the range and the schedule's
      -- chunk size, into at most 4096 parts, whose values are kept until the end. For every monoid. The result is the
      -- same for every team size, also where '<>' is only nearly associative (floating-point sums).
    | AnyOrder
      -- ^ In the order in which threads finish. For commutative monoids; keeps one value for each thread.
    deriving (Eq, Show, Enum, Bounded)

-- | How the values of a reduction are computed. All values are evaluated.
data Fold m = Fold
    { foldPiece :: Piece m -> IO m
      -- ^ the value of a piece
    , foldList  :: m -> Int -> SmallArray m -> m
      -- ^ a value, combined from the left with those of the array from that place on
    }

-- | The indices of @[begin, end)@, which is not empty: the rest of a part, and then whole parts of a size, the last of
-- which may be smaller. The values of a part's indices are combined one by one, and then the values of the parts.
data Piece m = Piece
    { _pieceWhole :: !(Acc m) -- ^ the value of the parts before the first one
    , _piecePart  :: !(Acc m) -- ^ the value of the first part's indices before @begin@
    , _pieceStop  :: !Int     -- ^ where the first part ends
    , _pieceSize  :: !Word    -- ^ of each part after it
    , _pieceBegin :: !Int
    , _pieceEnd   :: !Int     -- ^ where the last part ends
    , _pieceMark  :: ()       -- ^ see @leave@
    }

-- | The value so far, with those of the indices of @[begin, end)@ after it, one by one.
follow :: Fold m -> Acc m -> Int -> Int -> IO m
follow fold before begin end = foldPiece fold (Piece None before end 0 begin end ())

-- | A value for each index, combined from the left.
--
-- One loop for all: GHC makes of it the loop that a programmer writes for the body, with the values in registers
-- (@test\/hs\/loops.sh@ compares them). The body is in the loop whatever its size ('inline'). Where it is small, a copy
-- is in front of the loop, for the first index of a part: the caller's variables that the body evaluates there, a lazy
-- vector for example, are not evaluated again for each index.
foldIndices :: Semigroup m => (Int -> IO m) -> Fold m
foldIndices value = Fold piece combined
  where
    piece (Piece whole part stop size begin end mark) = value begin >>= \ !first -> case part of
        None        -> enter first
        Some before -> enter (before <> first)
      where
        enter !v = case whole of
            None        -> within 0 v stop (begin + 1) v
            Some before -> within 1 before stop (begin + 1) v
        -- `before` is a value when `parts` is 1; it is not of type Acc so that GHC may keep it in a register.
        within !parts !before !past !i !v
            | i /= past  = inline value i >>= \w -> within parts before past (i + 1) (v <> w)
            | parts == (0 :: Int) = next past v
            | otherwise  = next past (before <> v)
        next !past !before
            | past == end = leave mark before
            | otherwise   = value past >>= \ !v -> within 1 before (partAfter size past end) (past + 1) v
{-# INLINE foldIndices #-}

-- | A value for each chunk.
foldChunks :: Semigroup m => (Int -> Int -> IO m) -> Fold m
foldChunks value = Fold piece combined
  where
    piece (Piece whole part stop size begin end _) = value begin stop >>= \ !first ->
        next stop $! after whole (after part first)
      where
        next !past !before
            | past == end = pure before
            | otherwise   = do
                let stop' = partAfter size past end
                value past stop' >>= \ !v -> next stop' (before <> v)
{-# INLINE foldChunks #-}

-- | The end of the part that begins there.
partAfter :: Word -> Int -> Int -> Int
partAfter size begin end
    | fromIntegral (end - begin) <= size = end
    | otherwise = fromIntegral (fromIntegral begin + size)
{-# INLINE partAfter #-}

-- | The way out of a loop with its result. GHC checks the heap for the result's box where the loop compares, so for
-- each index, unless the box is made in code outside of the loop. The pass that moves it out (-fexitification) takes
-- what mentions a variable from outside; the mark is one.
leave :: () -> m -> IO m
leave mark value = IO (\state -> case touch# mark state of state' -> (# state', value #))
{-# INLINE leave #-}

-- | 'foldList' of all folds.
combined :: Semigroup m => m -> Int -> SmallArray m -> m
combined before !from values = go from before
  where
    go !i !acc
        | i == sizeofSmallArray values = acc
        | otherwise = case indexSmallArray## values i of (# value #) -> go (i + 1) (acc <> value)
{-# INLINE combined #-}

-- | The value of the indices so far, if there are any yet.
data Acc m = None | Some !m

-- | The value so far, with a part's value after it.
after :: Semigroup m => Acc m -> m -> m
after None value          = value
after (Some before) value = before <> value

-- | The values of the indices of a range, combined.
runReduce :: Monoid m => Cuts -> Settings -> Order -> Int -> Int -> Fold m -> IO m
runReduce cuts settings order !from !past fold
    | rangeCount from past == 0 = pure mempty
    | order == AnyOrder = inAnyOrder cuts settings from past fold
    | otherwise = inIndexOrder cuts settings (cut from past (schedule settings)) fold

inAnyOrder :: Monoid m => Cuts -> Settings -> Int -> Int -> Fold m -> IO m
inAnyOrder cuts settings !from !past fold = do
    start <- beginning cuts settings sharing from
    case start of
        AtOnce       -> rest [] 0
        InCaller run -> run (\acc begin end -> Some <$> follow fold acc begin end) None >>= \reached -> case reached of
            Reached (Some value) done
                | done == count -> pure value
                | otherwise     -> rest [value] done
            Reached None done -> rest [] done
  where
    count = rangeCount from past
    sharing = sharingOf (schedule settings) count
    rest before done = do
        total <- R.newIORef before
        inRegions settings sharing { sharingCount = count - done } (from + done) $ \each -> do
            mine <- R.newIORef None
            each $ \begin end -> do
                acc <- R.readIORef mine
                value <- follow fold acc begin end
                R.writeIORef mine (Some value)
            acc <- R.readIORef mine
            case acc of
                None       -> pure ()
                Some value -> R.atomicModifyIORef' total (\values -> (value : values, ()))
        values <- R.readIORef total
        pure $! case values of
            []             -> mempty
            value : others -> List.foldl' (<>) value others

-- | What a caller has done of a reduction in index order: the value of the complete parts, the value of the part that
-- has begun, and the number of that part, or of the next one.
data Prefix m = Prefix !(Acc m) !(Acc m) !Int

inIndexOrder :: Monoid m => Cuts -> Settings -> Parts -> Fold m -> IO m
inIndexOrder cuts settings parts fold = do
    start <- beginningOf keepsValues cuts settings sharing from
    case start of
        AtOnce       -> rest (Prefix None None 0) from
        InCaller run -> run (advance (cuts == AnyCut) parts fold) (Prefix None None 0) >>= \reached -> case reached of
            Reached (Prefix (Some value) _ k) _ | k == n -> pure value
            Reached prefix done                          -> rest prefix (from + done)
  where
    from = partsFrom parts
    n = partsNumber parts
    count = rangeCount from (partsPast parts)
    -- The values of a region's parts are kept, and come to the caller from other CPUs: with 250 parts that is another 5
    -- us, as much as a region costs by itself.
    keepsValues = 2
    -- How the caller's part of the loop is cut. In the region, parts are never cut.
    sharing = case cuts of
        AnyCut -> Sharing GuidedChunks count 1 stepBetweenSafePoints
        _      -> Sharing DynamicChunks count (partsSize parts) 0
    rest (Prefix whole part k) reached = do
        -- The values of a chunk of parts are an array of their own, at the first one's place: in one array for all,
        -- each write would take the line of the array's header from the other members.
        values <- newArray (n - k) noValues
        inRegions settings (Sharing GuidedChunks (n - k) 1 0) k $ \each -> each $ \first past ->
            valuesOf first past >>= writeArray values (first - k)
        collect fold values 0 whole
      where
        valuesOf first past = do
            values <- newSmallArray (past - first) (error "OpenMP.Internal.Reduce: a part has no value")
            next <- case part of
                Some before | first == k -> do
                    follow fold (Some before) reached (partEnd parts k) >>= writeSmallArray values 0
                    pure (k + 1)
                _ -> pure first
            when (next < past) $ overRange next past $ \i -> do
                !value <- follow fold None (partBegin parts i) (partEnd parts i)
                writeSmallArray values (i - first) value
            unsafeFreezeSmallArray values

-- | The indices of @[begin, end)@ after those before them. The first argument says whether parts of one index may be
-- computed together.
advance :: Bool -> Parts -> Fold m -> Prefix m -> Int -> Int -> IO (Prefix m)
advance joined parts fold (Prefix whole part k) !begin !end
    | size == 1, joined = (\value -> Prefix (Some value) None done) <$> follow fold whole begin end
    | done == k = (\value -> Prefix whole (Some value) k) <$> follow fold part begin end
    | otherwise = do
        value <- foldPiece fold (Piece whole part (partEnd parts k) (fromIntegral size) begin past ())
        if past == end
            then pure (Prefix (Some value) None done)
            else (\value' -> Prefix (Some value) (Some value') done) <$> follow fold None past end
  where
    size = partsSize parts
    -- The parts that are complete at the end, and where the last of them ends.
    done
        | end == partsPast parts = partsNumber parts
        | otherwise = fromIntegral (asWord (end - partsFrom parts) `quot` asWord size)
    past = if done == partsNumber parts then end else partBegin parts done

-- | The values of all parts from this place on, combined from the left after those before it. There is a value.
collect :: Monoid m => Fold m -> MutableArray RealWorld (SmallArray m) -> Int -> Acc m -> IO m
collect fold values !i acc
    | i < sizeofMutableArray values = do
        list <- readArray values i
        collect fold values (i + 1) $ case acc of
            _ | sizeofSmallArray list == 0 -> acc
            None         -> Some (foldList fold (indexSmallArray list 0) 1 list)
            Some before  -> Some (foldList fold before 0 list)
    | Some value <- acc = pure value
    | otherwise = pure mempty

noValues :: SmallArray m
noValues = mempty

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
            accs <- newArray n (error "OpenMP.Internal.Reduce.runFold: a part has no accumulator")
            runChunks NoCuts settings (Sharing GuidedChunks n 1 0) 0 $ \begin end -> overRange begin end $ \i -> do
                !acc <- make
                chunkAction acc (partBegin parts i) (partEnd parts i)
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
    { partsFrom   :: !Int
    , partsPast   :: !Int
    , partsSize   :: !Int  -- ^ as an unsigned number
    , partsNumber :: !Int
    }

-- | The bounds of a part.
partBegin, partEnd :: Parts -> Int -> Int
partBegin parts i = partsFrom parts + i * partsSize parts
partEnd parts i
    | i == partsNumber parts - 1 = partsPast parts
    | otherwise = partBegin parts (i + 1)

-- | The parts that a reduction in index order cuts a range into: of a multiple of the schedule's chunk size such that
-- there are at most 4096 parts, since the value of each is kept; without a size, at most 256 parts.
cut :: Int -> Int -> Maybe Schedule -> Parts
cut from past wanted = Parts from past (fromIntegral size) (fromIntegral (parts size))
  where
    n = fromIntegral (rangeCount from past) :: Word64
    size = maybe (max 1 (parts 256)) (widen . max 1 . min n . fromIntegral) (chunkOf =<< wanted)
    widen chunk = if parts chunk <= 4096 then chunk else parts (4096 * chunk) * chunk
    parts k = if n == 0 then 1 else (n - 1) `quot` k + 1

asWord :: Int -> Word64
asWord = fromIntegral
