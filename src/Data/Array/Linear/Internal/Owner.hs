{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module:      Data.Array.Linear.Internal.Owner
-- Description: Whether a token was used up, checked when the program runs
--
-- Linear types see that a token is used once. GHC's type checker has holes, in which it does not count a use. So each
-- token has a flag of its own, which says that the token was used up.
--
-- * An operation that ends a token (@freeze@, @discard@, both halves of @combine@, @split@, @lend@, the end of a
--   parallel computation) sets the flag by an atomic exchange ('retire'). When the flag was set, the token has ended
--   before: the operation throws, and the array is lost with the whole @alloc@.
-- * An operation that makes a token ('renewed') gives it a new flag. So the copy of a token that was split, combined or
--   lent is an old token, whatever has become of the new ones.
-- * An operation on all elements reads the flag ('alive'), and operations on one element do not.
--
-- A token that was duplicated has two ends, of which the second one throws. The flag is one word, no address of it is
-- in a loop, and its holder is one pointer in the token, so that loops over elements are the same code with it.
--
-- Two threads may end two copies at the same time: the exchange is atomic, and its partner is the other thread's
-- exchange. The order of the elements' accesses does not depend on the flag.
--
-- Callers: the modules below "Data.Array.Linear". The interface is not stable.
module Data.Array.Linear.Internal.Owner
    ( Owner (..)
    , renewed
    , parted
    , joined
    , retire
    , alive
    , contents
    ) where

import Control.Exception (ErrorCall (..), throw)
import GHC.Exts
    ( MutableByteArray#, RealWorld, State#, casIntArray#, lazy, newByteArray#, readIntArray#, writeIntArray#
    )
import GHC.ForeignPtr (ForeignPtrContents)

-- | What a token holds beside its address: what keeps the memory alive, and the flag, an @Int@ that is 1 when the token
-- was used up. The collector, which may move the flag, follows both. The functions here take it apart behind 'lazy':
-- GHC would otherwise pass its fields in place of it, which makes loops over elements spill registers.
data Owner = Owner !ForeignPtrContents (MutableByteArray# RealWorld)

-- | What keeps the memory alive.
contents :: Owner -> ForeignPtrContents
contents owner = case lazy owner of Owner memory _ -> memory
{-# INLINE contents #-}

-- | An owner of the memory whose flag is not set.
renewed :: ForeignPtrContents -> State# RealWorld -> (# State# RealWorld, Owner #)
renewed memory s0 = case newByteArray# 8# s0 of
    (# s1, flag #) -> case writeIntArray# flag 0# 0# s1 of
        s2 -> (# s2, Owner memory flag #)
{-# INLINE renewed #-}

-- | Uses a token up, and makes two of it. An error names the function. Not inlined, as 'joined': a loop between the two
-- would have fewer registers.
parted :: String -> Owner -> State# RealWorld -> (# State# RealWorld, Owner, State# RealWorld, Owner #)
parted name (Owner memory flag) s0 = case renewed memory (ended name flag s0) of
    (# s1, left #) -> case renewed memory s1 of
        (# s2, right #) -> (# s1, left, s2, right #)
{-# NOINLINE parted #-}

-- | Uses two tokens up, and makes one of them.
joined :: Owner -> Owner -> State# RealWorld -> (# State# RealWorld, Owner #)
joined (Owner memory left) (Owner _ right) s0 = renewed memory (ended "combine" right (ended "combine" left s0))
{-# NOINLINE joined #-}

-- | Uses a token up. An error names the function.
retire :: String -> Owner -> State# RealWorld -> State# RealWorld
retire name owner s0 = case lazy owner of Owner _ flag -> ended name flag s0
{-# INLINE retire #-}

ended :: String -> MutableByteArray# RealWorld -> State# RealWorld -> State# RealWorld
ended name flag s0 = case casIntArray# flag 0# 0# 1# s0 of
    (# s1, 0# #) -> s1
    (# _, _ #) -> twice name
{-# INLINE ended #-}

-- | An error unless the token is still to be used.
alive :: String -> Owner -> State# RealWorld -> State# RealWorld
alive name owner s0 = case lazy owner of
    Owner _ flag -> case readIntArray# flag 0# s0 of
        (# s1, 0# #) -> s1
        (# _, _ #) -> twice name
{-# INLINE alive #-}

twice :: String -> State# RealWorld
twice name = throw $ ErrorCall $
    "Data.Array.Linear." ++ name ++ ": this slice was used before; it was duplicated where GHC counts no uses "
        ++ "(docs/guide/linear-arrays.md has the list), so keep slices out of that construct"
{-# NOINLINE twice #-}
