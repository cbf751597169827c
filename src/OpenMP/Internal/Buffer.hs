{-# LANGUAGE BangPatterns #-}
-- Makes each element a safe point, also where evaluating it does not allocate.
{-# OPTIONS_GHC -fno-omit-yields #-}
-- |
-- Module:      OpenMP.Internal.Buffer
-- Description: A list that is evaluated ahead of its consumer
--
-- The interface is not stable.
--
-- == The protocol
--
-- The list is cut into blocks. A block's elements are evaluated in /turns/: each takes chunks of elements, atomically,
-- until none is left. The first turn is the consumer's own, the others are offered as sparks when the block before has
-- been evaluated. The consumer needs all turns of a block before it gets the first element: one that no thread has
-- begun finds nothing left, and for one under way the consumer waits no longer than for its present chunk. So an early
-- consumer takes part. It offers the next block's turns, and has the elements.
--
-- == Why that is sound
--
-- * /Each element is taken once./ A turn is a lazy value made by 'unsafeInterleaveIO', which lets one thread evaluate
--   it, whether that is a spark's or a consumer's; other threads that need it wait. And no two turns get one chunk.
--
-- * /A consumer that is interrupted/ (a timeout, a kill) leaves its turn where it was, chunk included: the next thread
--   that needs the block enters that turn and continues it ("OpenMP.Internal.Force"). No thread has the identity of
--   a spark's thread, so none interrupts it; the runtime system's own exceptions leave the turn in the same way.
--
-- * /No thread waits for itself./ Threads that need a block wait for its turns. A turn runs only elements of that
--   block, and these may need earlier blocks, which are complete when the turn is offered, but not their own (the rule
--   of "OpenMP.Eval": not the structure under evaluation). An element that needs another one waits for that element
--   alone, not for a turn.
--
-- * /A consumer that stops/ leaves sparks, which nothing but the list keeps: when the list is dropped, the next
--   collection removes those that have not begun. One under way ends with its block.
--
-- * /What is ahead is bounded./ A turn evaluates its own block and nothing behind it, and the turns of a block are
--   offered when the block before it is complete and its consumer is about to use it. So at most two blocks are ahead
--   of what the consumer has, and of the list no more constructors than these have elements.
--
-- * /A spark that is not run/ (no Capability is idle, the pool is full) costs nothing: the consumer's own turn takes
--   everything.
--   The collector keeps the sparks of a list that is used: the consumer holds the values that it has offered.
--
-- A buffer in an element of another one is a list like others. Its consumer is the thread that evaluates that element;
-- in a member of a region, where a loop would have a team of one, it offers nothing.
--
-- Settings for the elements' own regions need a region to apply to, and so does a consumer that has masked asynchronous
-- exceptions, which would interrupt elements that block in its thread (@helpersOf@ in "OpenMP.Internal.Loop").
-- There a block has one turn, which is a loop of the team.
--
-- Callers: "OpenMP.Eval". Tests: @test\/hs\/library\/BufferTest.hs@.
module OpenMP.Internal.Buffer
    ( Ways (..)
    , waysOf
    , buffered
    ) where

import Control.Monad (replicateM, when)
import qualified Data.IORef as R
import Data.Maybe (fromMaybe)
import Data.Primitive.Array
import System.IO.Unsafe (unsafeDupablePerformIO, unsafeInterleaveIO, unsafePerformIO)

import OpenMP.Internal.Force (Step (..), forceEach)
import OpenMP.Internal.Loop (Helpers (..), helpersOf)
import OpenMP.Internal.Region (teamBound)
import OpenMP.Internal.Settings (Schedule (..), Settings (..), chunkOf)
import OpenMP.Internal.Spark (offer)

-- | How blocks are evaluated.
data Ways
    = Turns !Int !Int -- ^ by so many turns, the consumer's own included, which take so many elements at a time
    | Loops           -- ^ each by a loop of the team

-- | The way for these settings, and blocks of that size.
waysOf :: Settings -> Int -> IO Ways
waysOf settings n = do
    helpers <- helpersOf settings
    bound <- teamBound settings
    pure $ case helpers of
        Required -> Loops
        Alone    -> Turns 1 n
        _        -> shared (min bound (max 2 n))
  where
    -- Of a block of one element the second turn is for the next block's.
    shared threads = Turns threads (min n (fromMaybe (max 1 (n `quot` pieces threads)) (schedule settings >>= chunkOf)))
    pieces threads = if schedule settings == Just Static then threads else 32 * threads

-- | A block's elements, the consumer's turn and the others', and the block after it.
data Block a = Block [a] () [()] (Block a) | NoBlock

-- | @buffered ways n strategy loop list@ is the list, evaluated in blocks of @n@ elements by the strategy;
-- @loop@ evaluates a block's elements by the team.
--
-- >>> take 5 (buffered (Turns 2 1) 3 (`seq` ()) (const (pure ())) [1 :: Int ..])
-- [1,2,3,4,5]
buffered :: Ways -> Int -> (a -> ()) -> ([a] -> IO ()) -> [a] -> [a]
buffered ways n strategy loop list = case ways of
    Loops     -> consume ways turns first -- which the consumer can begin itself
    Turns _ _ -> offered turns `seq` consume ways turns first
  where
    first = blocks ways n strategy loop list
    turns = offersOf ways first

-- | Evaluated, a block has its constructors; its elements are left to the turns.
blocks :: Ways -> Int -> (a -> ()) -> ([a] -> IO ()) -> [a] -> Block a
blocks _ _ _ _ [] = NoBlock
blocks ways n strategy loop list = unsafePerformIO $ do
    let (now, rest) = splitAt n list
        later = blocks ways n strategy loop rest
    case ways of
        Loops -> do
            turn <- unsafeInterleaveIO (loop now)
            pure (Block now () [turn] later)
        Turns threads chunk -> do
            let !elements = arrayFromList now
            next <- R.newIORef 0
            -- Made by actions, because GHC could merge equal lazy values.
            own <- unsafeInterleaveIO (takeChunks chunk strategy elements next)
            others <- replicateM (threads - 1) (unsafeInterleaveIO (takeChunks chunk strategy elements next))
            pure (Block now own others later)

-- | One turn. The element that the next chunk begins with is taken atomically; what the elements are was there before
-- the turn, so nothing else needs an order.
takeChunks :: Int -> (a -> ()) -> Array a -> R.IORef Int -> IO ()
takeChunks chunk strategy elements next = another
  where
    n = sizeofArray elements
    another = do
        begin <- R.atomicModifyIORef' next (\i -> (if i < n then i + chunk else i, i))
        let end = min n (begin + chunk)
            element i
                | i >= end = pure (Done i)
                | otherwise = Step (i + 1) . strategy <$> indexArrayM elements i
        when (begin < n) (forceEach element begin >> another)

-- | The turns that others may take, as values that can be offered before the block is there: the first of them makes
-- its constructors.
offersOf :: Ways -> Block a -> [()]
offersOf ways block = map turn [0 .. others - 1]
  where
    others = case ways of
        Loops           -> 1
        Turns threads _ -> threads - 1
    turn k = case block of
        Block _ _ turns _ -> turns !! k
        NoBlock           -> ()

-- | Offers them as sparks. When two threads do so at the same time, a spark that finds its turn taken does nothing.
offered :: [()] -> ()
offered turns = unsafeDupablePerformIO (mapM_ offer turns)

-- | The elements of a block whose turns have been offered, and of those behind it.
consume :: Ways -> [()] -> Block a -> [a]
consume ways turns block = case block of
    NoBlock               -> []
    Block now own _ later ->
        let next = offersOf ways later
        in own `seq` foldr seq () turns `seq` offered next `seq` (now ++ consume ways next later)
