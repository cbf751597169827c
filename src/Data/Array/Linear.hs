{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE GADTs #-}
{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE LinearTypes #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
-- vector's conversions require Storable before 0.13, and not from 0.13 on.
{-# OPTIONS_GHC -Wno-redundant-constraints #-}

-- |
-- Module:      Data.Array.Linear
-- Description: Arrays whose parts are owned by linear tokens
--
-- Pinned, unboxed arrays that are written in place by pure functions, by C and by several threads at once, without
-- races: the compiler ensures that each element has one owner at a time.
--
-- A t'Slice' is a token: the ownership of one region of an array. Each operation consumes the token and returns the
-- next one. A slice can be split into parts, which are worked on independently ("Data.Array.Linear.Parallel"). Only the
-- two parts of one split can be combined again. A slice can be lent: many readers, no writer, until the borrow ends.
-- These are errors at compile time: using a token twice, or a split slice, or two parts that overlap; combining parts
-- of different slices; dropping a token; letting a token or a borrowed view leave its scope.
--
-- The importing module needs @LinearTypes@, and @LambdaCase@ to match on results by ('&'): GHC 9.0 checks neither
-- @case@ nor @let@ as linear. Import the module qualified, except for types and '&'.
--
-- >>> L.alloc 5 1 (\s -> s & L.split 2 & \(Split j l r) -> L.combine j (L.fill 7 l) r & L.freeze) :: Ur (V.Vector Int)
-- Ur [7,7,1,1,1]
module Data.Array.Linear
    ( -- * Values and pipelines
      Ur (..)
    , unur
    , (&)
      -- * Whole arrays
    , Slice
    , alloc
    , allocCopy
    , generate
    , freeze
    , discard
      -- * Elements
    , length
    , read
    , write
    , modify
    , swap
    , unsafeRead
    , unsafeWrite
      -- * All elements
    , fill
    , fillWith
    , map
    , imap
    , foldl'
      -- * Two parts
    , Split (..)
    , Join
    , split
    , halve
    , combine
      -- * Any number of parts
    , Parts (..)
    , splitEvenly
    , splitSizes
    , combineParts
    , mapParts
      -- * Borrows
    , View
    , lend
    , Owned
    , index
    , unsafeIndex
    , viewLength
    , viewVector
      -- * C
    , unsafeWithSliceC
    , withViewC
    ) where

-- By name: later versions of the Prelude export foldl' too.
import Prelude
    ( Applicative (..), Eq (..), IO, Int, Monad (..), Num (..), Ord (..), String
    , const, otherwise, quot, quotRem, ($), (&&), (.)
    )

import qualified Data.Vector.Storable as V
import Foreign.ForeignPtr (withForeignPtr)
import Foreign.Ptr (Ptr)
import Foreign.Storable (Storable (..))

import Data.Array.Linear.Internal
import qualified OpenMP.Array as A

-- $setup
-- >>> import Prelude
-- >>> :set -XLinearTypes -XLambdaCase
-- >>> import qualified Data.Array.Linear as L
-- >>> import Data.Array.Linear (Split (..), Ur (..), unur, (&))
-- >>> import qualified Data.Vector.Storable as V

-- | 'alloc' with the elements of a vector, which are copied.
--
-- >>> L.allocCopy (V.fromList "abc") (\s -> s & L.write 0 'x' & L.freeze)
-- Ur "xbc"
--
-- @since 0.1.0.0
allocCopy :: Storable a => V.Vector a -> (forall p. Slice p a %1 -> Ur b) %1 -> Ur b
allocCopy v = allocWith (A.unsafeThaw v >>= A.copy)

-- | 'alloc' where element @i@ is the function's value for @i@.
--
-- >>> L.generate 4 (* 2) L.freeze
-- Ur [0,2,4,6]
--
-- @since 0.1.0.0
generate :: Storable a => Int -> (Int -> a) -> (forall p. Slice p a %1 -> Ur b) %1 -> Ur b
generate n f = allocWith (ofLength "generate" n (A.generate n f))
{-# INLINE generate #-} -- for the loop of A.generate

-- | The number of elements of the region.
--
-- >>> L.alloc 3 'x' (\s -> L.length s & \(Ur n, s') -> L.discard s' & \() -> Ur n)
-- Ur 3
--
-- @since 0.1.0.0
length :: Slice p a %1 -> (Ur Int, Slice p a)
length (Slice p owner n s) = (Ur n, Slice p owner n s)
{-# INLINE length #-}

-- | The element at this index, counted from the slice's start; an index outside of the slice is an @ErrorCall@. The
-- element is read now, before any later operation on the slice.
--
-- >>> L.alloc 3 'x' (\s -> s & L.write 2 'y' & L.read 2 & \(c, s') -> L.discard s' & \() -> c)
-- Ur 'y'
-- >>> L.alloc 3 'x' (\s -> s & L.read 3 & \(c, s') -> L.discard s' & \() -> c)
-- *** Exception: Data.Array.Linear.read: index 3 is outside of a slice of 3 elements
--
-- @since 0.1.0.0
read :: Storable a => Int -> Slice p a %1 -> (Ur a, Slice p a)
read i = perform (\p n -> within "read" i n (peekElemOff p i))
{-# INLINE read #-}

-- | Replaces the element at this index; an index outside of the slice is an @ErrorCall@.
--
-- >>> L.alloc 3 'x' (\s -> s & L.write 2 'y' & L.freeze)
-- Ur "xxy"
--
-- @since 0.1.0.0
write :: Storable a => Int -> a -> Slice p a %1 -> Slice p a
write i x = perform_ (\p n -> within "write" i n (pokeElemOff p i x))
{-# INLINE write #-}

-- | Applies a function to the element at this index; an index outside of the slice is an @ErrorCall@.
--
-- >>> L.alloc 3 (5 :: Int) (\s -> s & L.modify 1 (* 2) & L.freeze)
-- Ur [5,10,5]
--
-- @since 0.1.0.0
modify :: Storable a => Int -> (a -> a) -> Slice p a %1 -> Slice p a
modify i f = perform_ $ \p n -> within "modify" i n (peekElemOff p i >>= pokeElemOff p i . f)
{-# INLINE modify #-}

-- | Exchanges two elements; an index outside of the slice is an @ErrorCall@.
--
-- >>> L.allocCopy (V.fromList "abc") (\s -> s & L.swap 0 2 & L.freeze)
-- Ur "cba"
--
-- @since 0.1.0.0
swap :: Storable a => Int -> Int -> Slice p a %1 -> Slice p a
swap i j = perform_ $ \p n -> within "swap" i n $ within "swap" j n $ do
    x <- peekElemOff p i
    y <- peekElemOff p j
    pokeElemOff p i y
    pokeElemOff p j x
{-# INLINE swap #-}

-- | 'read' without the check: an index outside of the slice reads what another token owns, or other memory.
--
-- >>> L.alloc 3 'x' (\s -> s & L.unsafeRead 2 & \(c, s') -> L.discard s' & \() -> c)
-- Ur 'x'
--
-- @since 0.1.0.0
unsafeRead :: Storable a => Int -> Slice p a %1 -> (Ur a, Slice p a)
unsafeRead i = perform (\p _ -> peekElemOff p i)
{-# INLINE unsafeRead #-}

-- | 'write' without the check: an index outside of the slice overwrites what another token owns, or other memory.
--
-- >>> L.alloc 3 'x' (\s -> s & L.unsafeWrite 2 'y' & L.freeze)
-- Ur "xxy"
--
-- @since 0.1.0.0
unsafeWrite :: Storable a => Int -> a -> Slice p a %1 -> Slice p a
unsafeWrite i x = perform_ (\p _ -> pokeElemOff p i x)
{-# INLINE unsafeWrite #-}

within :: String -> Int -> Int -> IO b -> IO b
within name i n act
    | i >= 0 && i < n = act
    | otherwise = outOfBounds name i "index" n
{-# INLINE within #-}

-- | Sets all elements of the slice to the same value.
--
-- >>> L.alloc 3 'x' (\s -> s & L.fill '-' & L.freeze)
-- Ur "---"
--
-- @since 0.1.0.0
fill :: Storable a => a -> Slice p a %1 -> Slice p a
fill x = fillWith (const x)
{-# INLINE fill #-}

-- | Sets each element to the function's value for its index, counted from the slice's start.
--
-- >>> L.alloc 4 0 (\s -> s & L.split 2 & \(Split j l r) -> L.combine j l (L.fillWith (+ 7) r) & L.freeze)
-- Ur [0,0,7,8]
--
-- @since 0.1.0.0
fillWith :: Storable a => (Int -> a) -> Slice p a %1 -> Slice p a
fillWith f = performAll_ "fillWith" $ \p n ->
    let go i | i == n = pure ()
             | otherwise = pokeElemOff p i (f i) >> go (i + 1)
    in go 0
{-# INLINE fillWith #-}

-- | Applies a function to each element, in place.
--
-- >>> L.generate 3 id (\s -> s & L.map (+ 1) & L.freeze)
-- Ur [1,2,3]
--
-- @since 0.1.0.0
map :: Storable a => (a -> a) -> Slice p a %1 -> Slice p a
map f = imap (const f)
{-# INLINE map #-}

-- | 'map' with the index as the function's first argument.
--
-- >>> L.alloc 3 (5 :: Int) (\s -> s & L.imap (\i x -> i * x) & L.freeze)
-- Ur [0,5,10]
--
-- @since 0.1.0.0
imap :: Storable a => (Int -> a -> a) -> Slice p a %1 -> Slice p a
imap f = performAll_ "imap" $ \p n ->
    let go i | i == n = pure ()
             | otherwise = (peekElemOff p i >>= pokeElemOff p i . f i) >> go (i + 1)
    in go 0
{-# INLINE imap #-}

-- | A strict left fold over the elements.
--
-- >>> L.generate 5 id (\s -> s & L.foldl' (+) 0 & \(sum', s') -> L.discard s' & \() -> sum')
-- Ur 10
--
-- @since 0.1.0.0
foldl' :: Storable a => (b -> a -> b) -> b -> Slice p a %1 -> (Ur b, Slice p a)
foldl' f z = performAll "foldl'" $ \p n ->
    let go i !acc | i == n = pure acc
                  | otherwise = peekElemOff p i >>= go (i + 1) . f acc
    in go 0 z
{-# INLINE foldl' #-}

-- | 'split' in the middle; of an odd number of elements, the right half has one more.
--
-- >>> L.generate 5 id (\s -> s & L.halve & \(Split j l r) -> L.combine j (L.fill 0 l) r & L.freeze)
-- Ur [0,0,2,3,4]
--
-- @since 0.1.0.0
halve :: Storable a => Slice p a %1 -> Split p a
halve (Slice p owner n s) = splitOf "halve" (n `quot` 2) (Slice p owner n s)
{-# INLINE halve #-}

-- | A slice in one or more parts, in order. As for the two parts of a split, the types prove that a part can neither be
-- lost nor swapped with another.
--
-- >>> :{
-- ends :: L.Parts p Char %1 -> L.Parts p Char
-- ends (L.More j part rest) = L.More j (L.fill 'a' part) (ends rest)
-- ends (L.Last part) = L.Last (L.fill 'z' part)
-- :}
--
-- >>> L.alloc 6 '-' (\s -> s & L.splitSizes [2, 1] & ends & L.combineParts & L.freeze)
-- Ur "aaazzz"
--
-- @since 0.1.0.0
data Parts p a where
    Last :: Slice p a %1 -> Parts p a
    More :: Join p left right -> Slice left a %1 -> Parts right a %1 -> Parts p a

instance Owned (Parts p a) where
    settle (Last slice) s = settle slice s & \(Settled s' slice') -> Settled s' (Last slice')
    settle (More j slice rest) s = settle slice s & \(Settled s1 slice') ->
        settle rest s1 & \(Settled s2 rest') -> Settled s2 (More j slice' rest')

-- | This number of parts, of about the same length, the longer ones first; they may be empty. A number below 1 is an
-- @ErrorCall@.
--
-- >>> L.alloc 7 0 (\s -> s & L.splitEvenly 3 & L.mapParts L.fill & L.combineParts & L.freeze)
-- Ur [0,0,0,3,3,5,5]
--
-- @since 0.1.0.0
splitEvenly :: Storable a => Int -> Slice p a %1 -> Parts p a
splitEvenly count (Slice p owner n s)
    | count < 1 = belowOne "splitEvenly" "number of parts" count
    | otherwise = splitSizes sizes (Slice p owner n s) -- no error: the sizes fit
  where
    (size, longer) = n `quotRem` count
    sizes = [if i < longer then size + 1 else size | i <- [0 .. count - 2]]

-- | Parts of these lengths, and a last one with the remaining elements. A length below 0 or above the number of
-- elements left is an @ErrorCall@.
--
-- >>> L.alloc 5 0 (\s -> s & L.splitSizes [1, 3] & L.mapParts L.fill & L.combineParts & L.freeze)
-- Ur [0,1,1,1,4]
--
-- @since 0.1.0.0
splitSizes :: Storable a => [Int] -> Slice p a %1 -> Parts p a
splitSizes [] slice = Last slice
splitSizes (size : sizes) slice = splitOf "splitSizes" size slice & \(Split j l r) -> More j l (splitSizes sizes r)

-- | Combines all parts into the slice that was split.
--
-- >>> L.alloc 3 'x' (\s -> s & L.splitEvenly 2 & L.combineParts & L.freeze)
-- Ur "xxx"
--
-- @since 0.1.0.0
combineParts :: Parts p a %1 -> Slice p a
combineParts (Last slice) = slice
combineParts (More j slice rest) = combine j slice (combineParts rest)

-- | Applies a function to each part, one after the other. The function gets the index of the part's first element in
-- the whole slice, and must return the part.
--
-- >>> let mark first = L.write 0 (10 * first)
-- >>> L.generate 6 id (\s -> s & L.splitEvenly 2 & L.mapParts mark & L.combineParts & L.freeze)
-- Ur [0,1,2,30,4,5]
--
-- @since 0.1.0.0
mapParts :: forall p a. (forall q. Int -> Slice q a %1 -> Slice q a) -> Parts p a %1 -> Parts p a
mapParts f = go 0
  where
    go :: Int -> Parts q a %1 -> Parts q a
    go first (Last slice) = Last (f first slice)
    go first (More j slice rest) = length slice & \(Ur n, slice') -> More j (f first slice') (go (first + n) rest)

-- | The element at this index, from 0 to the view's length - 1; otherwise an @ErrorCall@.
--
-- >>> L.alloc 2 'x' (\s -> L.lend s (\v -> Ur (L.index v 0)) & \(s', x) -> L.discard s' & \() -> x)
-- Ur 'x'
--
-- @since 0.1.0.0
index :: Storable a => View a -> Int -> a
index (View v) i
    | i >= 0 && i < V.length v = V.unsafeIndex v i
    | otherwise = outOfBounds "index" i "index" (V.length v)
{-# INLINE index #-}

-- | 'index' without the check: an index out of bounds reads other memory.
--
-- >>> L.alloc 2 'x' (\s -> L.lend s (\v -> Ur (L.unsafeIndex v 0)) & \(s', x) -> L.discard s' & \() -> x)
-- Ur 'x'
--
-- @since 0.1.0.0
unsafeIndex :: Storable a => View a -> Int -> a
unsafeIndex (View v) = V.unsafeIndex v
{-# INLINE unsafeIndex #-}

-- | The number of elements.
--
-- >>> L.alloc 2 'x' (\s -> L.lend s (\v -> Ur (L.viewLength v)) & \(s', n) -> L.discard s' & \() -> n)
-- Ur 2
--
-- @since 0.1.0.0
viewLength :: Storable a => View a -> Int
viewLength (View v) = V.length v
{-# INLINE viewLength #-}

-- | The lent elements as a vector, without copying. Like the view, it cannot leave the borrow.
--
-- >>> let total v = Ur (V.sum (L.viewVector v))
-- >>> L.generate 5 id (\s -> L.lend s total & \(s', n) -> L.discard s' & \() -> n)
-- Ur 10
--
-- @since 0.1.0.0
viewVector :: View a -> V.Vector a
viewVector (View v) = v
{-# INLINE viewVector #-}

-- | The address of the lent elements, and their number, for C code that reads them: usually within the
-- 'unsafeWithSliceC' of the slice that it writes. The caller has the same obligations as there.
--
-- >>> import Foreign.Marshal.Utils (copyBytes)
-- >>> let copyC v = L.unsafeWithSliceC (\to n -> L.withViewC v (\from _ -> copyBytes to from (8 * n)))
-- >>> :{
-- L.generate 3 id (\src -> L.alloc 3 0 (\dst ->
--     L.lend src (\v -> copyC v dst & \(Ur (), dst') -> dst') & \(src', dst') ->
--     L.discard src' & \() -> L.freeze dst'))
-- :}
-- Ur [0,1,2]
--
-- @since 0.1.0.0
withViewC :: Storable a => View a -> (Ptr a -> Int -> IO r) -> IO r
withViewC (View v) act = let (fp, n) = V.unsafeToForeignPtr0 v in withForeignPtr fp (`act` n)
{-# INLINE withViewC #-}
