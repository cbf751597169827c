{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE PatternSynonyms #-}
{-# LANGUAGE UnboxedTuples #-}
-- |
-- Module:      OpenMP.Internal.Same
-- Description: Whether the members of a team encounter the same constructs
--
-- The interface is not stable.
--
-- == The protocol
--
-- Members that encounter different constructs wait for each other all the same, at the barriers of their ends. So a
-- loop whose members give it different ranges would lose iterations, and one member's barrier would end another one's
-- 'OpenMP.Parallel.single'. Each construct is checked by one word at its end:
--
-- 1. A member's mark mixes the arguments of the loops that it has entered in the region.
--
-- 2. Before a member arrives at a barrier it makes a word: the sum of its mark, the barrier's number and the construct
--    that ends there, each in bits of its own as far as they tell two such words apart. If the shared word is that of
--    the barrier before, the member replaces it by its own; otherwise the two must be equal. The lowest bit of the
--    number tells the two cases apart.
--
-- 3. No member arrives at the next barrier before all have compared at this one. So one shared word is enough. The
--    first member that arrives writes it, the others only read.
--
-- 4. At the end of their bodies members compare their marks by a second word, for the loops without a barrier.
--
-- The check costs a barrier two loads, two additions, a comparison and a jump. So the member's mark is beside its
-- number of barriers, and the shared words are beside the one that says whether the region is alive, which each
-- construct reads in any case. That word also says whether constructs are checked; it is read for this only after a
-- difference.
--
-- Two loops that differ by less than 200,000 in their bounds and by less than 25,000 in their chunk sizes have
-- different marks, others the same one once in 2^60 at random. Whether members have passed the same number of barriers
-- at the end is found by @cbits\/haskell\/construct.c@.
--
-- Callers: "OpenMP.Internal.Team". Tests: @test\/hs\/library\/SameTest.hs@.
module OpenMP.Internal.Same
    ( Construct
    , pattern Barrier
    , pattern Loop
    , pattern OrderedLoop
    , pattern Single
    , pattern Reduce
    , Own
    , newOwn
    , inLoop
    , inTurns
    , loopOf
    , enterLoop
    , leaveLoop
    , barriersOf
    , noteLoop
    , noteBarrier
    , sameConstruct
    , sameToTheEnd
    , othersConstruct
    , explain
    ) where

import Data.Bits (unsafeShiftL, unsafeShiftR, xor, (.&.))
import Data.Primitive.ByteArray
import GHC.Exts (Int (..), RealWorld, casIntArray#)
import GHC.IO (IO (..))

import OpenMP.Internal.Region (Words, aliveUnchecked, placeOfEnd, placeOfLast)

-- | What ends at a barrier: a number below 8. Not an enumeration, so that GHC passes the number itself.
newtype Construct = Construct Int
    deriving (Eq)

-- | A barrier by itself.
pattern Barrier :: Construct
pattern Barrier = Construct 0

-- | The end of a loop, or of sections.
pattern Loop :: Construct
pattern Loop = Construct 1

-- | The end of a loop with an ordered part.
pattern OrderedLoop :: Construct
pattern OrderedLoop = Construct 2

-- | The end of a single.
pattern Single :: Construct
pattern Single = Construct 3

-- | The barrier of a reduction.
pattern Reduce :: Construct
pattern Reduce = Construct 4

-- | A member's own words: which exchange of values is next ("OpenMP.Internal.Team"), the number of its barriers, times
-- 8, its mark, a multiple of 16, and the worksharing loop whose body it runs: 0 for none, 'inLoop' or an 'inTurns'.
type Own = MutableByteArray RealWorld

barriers, mark, looping :: Int
barriers = 1
mark = 2
looping = 3

-- | The words of a member that has encountered nothing yet.
newOwn :: IO Own
newOwn = do
    own <- newByteArray 32
    writeByteArray own 0 (0 :: Int)
    writeByteArray own barriers (0 :: Int)
    writeByteArray own mark (0 :: Int)
    leaveLoop own
    pure own

-- | A worksharing loop without an ordered part.
inLoop :: Int
inLoop = 1

-- | The member's next loop with an ordered part. No two of a member's have one number, because each ends in a barrier.
inTurns :: Own -> IO Int
inTurns own = (+ 2) <$> readByteArray own barriers
{-# INLINE inTurns #-}

-- | The loop whose body the member runs, or 0.
loopOf :: Own -> IO Int
loopOf own = readByteArray own looping
{-# INLINE loopOf #-}

-- | The member begins a worksharing loop; false where it is in one already. Loops must not be nested (OpenMP 5.2,
-- section 17.1): the members that are at other iterations do not come to the inner one, and ends of both kinds look
-- alike.
enterLoop :: Own -> Int -> IO Bool
enterLoop own loop = do
    inside <- readByteArray own looping
    writeByteArray own looping loop
    pure (inside == (0 :: Int))
{-# INLINE enterLoop #-}

-- | The member has left its loop.
leaveLoop :: Own -> IO ()
leaveLoop own = writeByteArray own looping (0 :: Int)
{-# INLINE leaveLoop #-}

-- | The number of barriers that the member has encountered.
barriersOf :: Own -> IO Int
barriersOf own = (`unsafeShiftR` 3) <$> readByteArray own barriers
{-# INLINE barriersOf #-}

-- | The member has entered a loop: its kind, which is below 8, its chunk size and its bounds. By the multiplier's
-- lattice (Knuth, The Art of Computer Programming, 3.3.4) no three numbers below 200,000 give two loops one mark.
noteLoop :: Own -> Int -> Int -> Int -> Int -> IO ()
noteLoop own kind size from past = do
    before <- readByteArray own mark
    let bounds = ((before + from) * multiplier + past) * multiplier
    writeByteArray own mark ((bounds + unsafeShiftL size 3 + kind) `unsafeShiftL` 4)
  where
    multiplier = 0x2545F4914F6CDD1D
{-# INLINE noteLoop #-}

-- | The member encounters a barrier. Returns the number of its barriers so far, this one included, times 8.
noteBarrier :: Own -> IO Int
noteBarrier own = do
    before <- readByteArray own barriers
    let !number = before + 8
    writeByteArray own barriers number
    pure number
{-# INLINE noteBarrier #-}

-- | The member ends a construct by its barrier of this number, times 8: whether the others do, too. The second argument
-- has the shared words.
sameConstruct :: Own -> Words -> Int -> Construct -> IO Bool
sameConstruct own shared !number (Construct construct) = do
    before <- readByteArray own mark
    let !word = before + number + construct
    found <- readByteArray shared placeOfLast
    if found == word then pure True
    else if (found `xor` word) .&. 8 == 0 then aliveUnchecked shared
    else do
        there <- exchange shared placeOfLast found word
        if there == found || there == word then pure True else aliveUnchecked shared
{-# INLINE sameConstruct #-}

-- | The member's body is over: whether the others have entered the same loops.
sameToTheEnd :: Own -> Words -> IO Bool
sameToTheEnd own shared = do
    word <- (+ 1) <$> readByteArray own mark
    there <- exchange shared placeOfEnd 0 word
    if there == 0 || there == word then pure True else aliveUnchecked shared

-- | The construct that other members end, as the last word has it.
othersConstruct :: Words -> IO Construct
othersConstruct shared = Construct . (.&. 7) <$> readByteArray shared placeOfLast

-- | Puts a word in the place of another, and returns the one that was there.
exchange :: Words -> Int -> Int -> Int -> IO Int
exchange (MutableByteArray words') (I# at) (I# old) (I# new) = IO $ \s -> case casIntArray# words' at old new s of
    (# s', found #) -> (# s', I# found #)

-- | Why a member's construct and that of others are not the same.
explain :: Construct -> Construct -> String
explain mine others
    | mine /= others = same ++ "one is at the end of " ++ named mine ++ ", and another at the end of " ++ named others
    | otherwise = same ++ "they have given different ranges or schedules to one of its loops"
  where
    same = "the members of the team are not at the same construct: "
    named construct = case construct of
        Barrier     -> "a barrier"
        Loop        -> "a loop (for, sections)"
        OrderedLoop -> "a forOrdered"
        Single      -> "a single"
        _           -> "a reduce"
