{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
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
-- 1. A member's mark mixes the arguments of the loops that it has entered since its last barrier.
--
-- 2. Before a member arrives at a barrier it makes a word: the barrier's number modulo 2, the construct that ends
--    there, and the mark. A word with the other number, which is that of the barrier before, it replaces by its own;
--    one with the same number must be its own.
--
-- 3. No member arrives at the next barrier before all have compared at this one. So one shared word is enough, and it
--    has no other number. The first member that arrives writes it, the others only read.
--
-- 4. At the end of their bodies members compare their marks by a second word, for the loops without a barrier.
--
-- Two different constructs have the same word once in 2^60 at random. Whether members have passed the same number of
-- barriers at the end is found by @cbits\/haskell\/construct.c@.
--
-- Callers: "OpenMP.Internal.Team". Tests: @test\/hs\/library\/SameTest.hs@.
module OpenMP.Internal.Same
    ( Construct (..)
    , Trail
    , newTrails
    , noteLoop
    , sameConstruct
    , sameToTheEnd
    , othersConstruct
    , explain
    ) where

import Data.Bits (shiftL, shiftR, xor, (.&.), (.|.))
import Data.Primitive.ByteArray
import GHC.Exts (Int (..), RealWorld, casIntArray#)
import GHC.IO (IO (..))

-- | What ends at a barrier.
data Construct = Barrier | Loop | OrderedLoop | Single | Reduce
    deriving (Eq, Enum)

-- | What a member knows of the constructs since its last barrier: its own mark, and the words that all members share.
data Trail = Off | Trail !(MutableByteArray RealWorld) !(MutableByteArray RealWorld)

-- | The places of the shared words, each in a line of its own: of the last barrier, and of the end.
last', end' :: Int
last' = 8
end' = 16

-- | The trails of a team: the action makes one for each member. Without the check they are empty.
newTrails :: Bool -> IO (IO Trail)
newTrails False = pure (pure Off)
newTrails True = do
    shared <- newByteArray (3 * 64)
    setByteArray shared 0 24 (0 :: Int)
    pure $ do
        mark <- newByteArray 8
        writeByteArray mark 0 (0 :: Int)
        pure (Trail mark shared)

-- | The member has entered a loop: its kind, its chunk size and its bounds.
noteLoop :: Trail -> Int -> Int -> Int -> Int -> IO ()
noteLoop Off _ _ _ _ = pure ()
noteLoop (Trail mark _) kind size from past = do
    before <- readByteArray mark 0
    writeByteArray mark 0 (before `mix` kind `mix` size `mix` from `mix` past)

mix :: Int -> Int -> Int
mix hash x = let h = (hash `xor` x) * 0x2545F4914F6CDD1D + 1 in h `xor` (h `shiftR` 32)

-- | The member ends a construct by its barrier of this number, the first being 1: whether the others do, too.
sameConstruct :: Trail -> Int -> Construct -> IO Bool
sameConstruct Off _ _ = pure True
sameConstruct (Trail mark shared) !number construct = do
    hash <- readByteArray mark 0
    writeByteArray mark 0 (0 :: Int)
    let word = (hash `shiftL` 4) .|. (fromEnum construct `shiftL` 1) .|. (number .&. 1)
    found <- readByteArray shared last'
    if found == word then pure True
    else if even (found `xor` word) then pure False
    else do
        before <- replace shared last' found word
        pure (before == found || before == word)
{-# INLINE sameConstruct #-}

-- | The member's body is over: whether the others have entered the same loops since the last barrier.
sameToTheEnd :: Trail -> IO Bool
sameToTheEnd Off = pure True
sameToTheEnd (Trail mark shared) = do
    hash <- readByteArray mark 0
    let word = (hash `shiftL` 1) .|. 1
    before <- replace shared end' 0 word
    pure (before == 0 || before == word)

-- | The construct that other members end, as the last word has it.
othersConstruct :: Trail -> IO Construct
othersConstruct Off = pure Barrier
othersConstruct (Trail _ shared) = do
    word <- readByteArray shared last'
    pure (toEnum ((word `shiftR` 1) .&. 7 :: Int))

-- | Puts a word in the place of another, and returns the one that was there.
replace :: MutableByteArray RealWorld -> Int -> Int -> Int -> IO Int
replace (MutableByteArray words') (I# at) (I# old) (I# new) = IO $ \s -> case casIntArray# words' at old new s of
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
        Reduce      -> "a reduce"
