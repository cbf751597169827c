{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE RoleAnnotations #-}
{-# LANGUAGE ScopedTypeVariables #-}
-- vector's conversions require Storable before 0.13, and not from 0.13 on.
{-# OPTIONS_GHC -Wno-redundant-constraints #-}

-- |
-- Module:      OpenMP.Array
-- Description: Pinned, unboxed arrays that C and Haskell share
--
-- An t'Array' is a mutable block of 'Storable' elements that the collector never moves, so that Haskell, C and every
-- thread of an OpenMP team can work on the same memory. Arrays made here are on GHC's heap (they need not be freed) and
-- start on a 64-byte boundary: a cache line, and the widest vector register.
--
-- There are two kinds of conversions. 'fromList', 'toList', 'copy' and 'freeze' copy. All others share the memory: what
-- is written through one is read through the other. A conversion that would need a copy returns 'Nothing'.
--
-- Arrays are not synchronised: two threads that access one element, one of them writing, race. "Data.Array.Linear" has
-- arrays for which the compiler proves that this does not happen.
--
-- Import the module qualified.
module OpenMP.Array
    ( Array
      -- * Making arrays
    , new
    , newUninitialized
    , generate
    , fromList
      -- * Elements
    , length
    , read
    , write
    , modify
    , unsafeRead
    , unsafeWrite
    , fill
    , toList
      -- * Parts and copies
    , slice
    , copy
      -- * For C
    , withPtr
    , fromForeignPtr
    , toForeignPtr
      -- * Data.Vector.Storable
    , toMVector
    , fromMVector
    , freeze
    , unsafeFreeze
    , unsafeThaw
      -- * Data.Primitive
    , toMutableByteArray
    , fromMutableByteArray
    , toMutablePrimArray
    , fromMutablePrimArray
    ) where

import Prelude hiding (length, read)
import qualified Prelude as P

import Control.Exception (ErrorCall (..), throwIO)
import Control.Monad.Primitive (RealWorld)
import Data.Primitive.ByteArray
    ( MutableByteArray (..)
    , getSizeofMutableByteArray
    , isMutableByteArrayPinned
    , mutableByteArrayContents
    , newAlignedPinnedByteArray
    )
import Data.Primitive.PrimArray (MutablePrimArray (..))
import Data.Primitive.Types (Prim, sizeOf#)
import qualified Data.Vector.Storable as V
import qualified Data.Vector.Storable.Mutable as M
import Foreign.ForeignPtr (ForeignPtr, plusForeignPtr, withForeignPtr)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (Ptr, alignPtr)
import Foreign.Storable (Storable (..))
import GHC.Exts (Int (..))
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (..), unsafeWithForeignPtr)
import GHC.Ptr (Ptr (..))
import System.IO.Unsafe (unsafeDupablePerformIO)

-- $setup
-- >>> import qualified OpenMP.Array as A
-- >>> import qualified Data.Vector.Storable.Mutable as M

-- | A mutable array, shared by all holders of the value. Its memory lives as long as any value that shares it.
--
-- @since 0.1.0.0
data Array a = Array {-# UNPACK #-} !(ForeignPtr a) {-# UNPACK #-} !Int

-- An array that 'Data.Coerce.coerce' made one of wider elements would pass the checks of its bounds beyond its memory.
type role Array nominal

-- | A new array of this length, with all elements the same. Throws an t'ErrorCall' when the length is negative or the
-- array would not fit the address space.
--
-- >>> A.new 3 'x' >>= A.toList
-- "xxx"
--
-- @since 0.1.0.0
new :: Storable a => Int -> a -> IO (Array a)
new n x = do
    a <- allocate "new" n
    fill a x
    pure a
{-# INLINABLE new #-}

-- | Like 'new', but the elements are undefined until they are written.
--
-- >>> a <- A.newUninitialized 3 :: IO (A.Array Double)
-- >>> A.length a
-- 3
--
-- @since 0.1.0.0
newUninitialized :: Storable a => Int -> IO (Array a)
newUninitialized = allocate "newUninitialized"

-- | An array whose element @i@ is the function's value for @i@.
--
-- >>> A.generate 4 (* 2) >>= A.toList
-- [0,2,4,6]
--
-- @since 0.1.0.0
generate :: Storable a => Int -> (Int -> a) -> IO (Array a)
generate !n f = do
    !a <- allocate "generate" n
    let go i | i == n = pure ()
             | otherwise = unsafeWrite a i (f i) >> go (i + 1)
    go 0
    pure a
{-# INLINE generate #-} -- a loop for this function and this type

-- | An array with the elements of a list, copied.
--
-- >>> A.fromList [1, 2, 3 :: Int] >>= A.toList
-- [1,2,3]
--
-- @since 0.1.0.0
fromList :: Storable a => [a] -> IO (Array a)
fromList xs = do
    !a <- allocate "fromList" (P.length xs)
    mapM_ (uncurry (unsafeWrite a)) (zip [0 ..] xs)
    pure a
{-# INLINABLE fromList #-}

allocate :: forall a. Storable a => String -> Int -> IO (Array a)
allocate name n
    | n < 0 = failure name ("the length " ++ show n ++ " is negative")
    | n > (maxBound - line) `div` max 1 size =
        failure name (show n ++ " elements of " ++ show size ++ " bytes do not fit the address space")
    | otherwise = do
        bytes <- newAlignedPinnedByteArray (n * size) (max line (alignment (undefined :: a)))
        pure $! overBytes bytes n
  where
    size = sizeOf (undefined :: a)
    line = 64

-- The collector keeps the byte array for as long as it sees the foreign pointer. The conversions to primitive find the
-- byte array by the constructor PlainPtr.
overBytes :: MutableByteArray RealWorld -> Int -> Array a
overBytes bytes@(MutableByteArray b) = Array (ForeignPtr address (PlainPtr b))
  where
    !(Ptr address) = mutableByteArrayContents bytes

-- | The number of elements.
--
-- >>> A.length <$> A.fromList "abc"
-- 3
--
-- @since 0.1.0.0
length :: Array a -> Int
length (Array _ n) = n
{-# INLINE length #-}

-- | The element at this index, from 0 to @length - 1@; otherwise an t'ErrorCall'.
--
-- >>> a <- A.fromList "abc"
-- >>> A.read a 1
-- 'b'
-- >>> A.read a 3
-- *** Exception: OpenMP.Array.read: index 3 is outside of an array of 3 elements
--
-- @since 0.1.0.0
read :: Storable a => Array a -> Int -> IO a
read a i = checked "read" a i (unsafeRead a i)
{-# INLINE read #-}

-- | Replaces the element at this index, from 0 to @length - 1@; otherwise an t'ErrorCall'.
--
-- >>> a <- A.fromList "abc"
-- >>> A.write a 1 'x' >> A.toList a
-- "axc"
--
-- @since 0.1.0.0
write :: Storable a => Array a -> Int -> a -> IO ()
write a i x = checked "write" a i (unsafeWrite a i x)
{-# INLINE write #-}

-- | Applies a function to the element at this index. Not atomic. The bounds are those of 'read'.
--
-- >>> a <- A.fromList [1, 2, 3 :: Int]
-- >>> A.modify a 2 (* 10) >> A.toList a
-- [1,2,30]
--
-- @since 0.1.0.0
modify :: Storable a => Array a -> Int -> (a -> a) -> IO ()
modify a i f = checked "modify" a i (unsafeRead a i >>= unsafeWrite a i . f)
{-# INLINE modify #-}

-- | 'read' without the check: an index that is out of bounds reads other memory.
--
-- >>> a <- A.fromList "abc"
-- >>> A.unsafeRead a 2
-- 'c'
--
-- @since 0.1.0.0
unsafeRead :: Storable a => Array a -> Int -> IO a
unsafeRead (Array fp _) i = unsafeWithForeignPtr fp (`peekElemOff` i)
{-# INLINE unsafeRead #-}

-- | 'write' without the check: an index that is out of bounds overwrites other memory.
--
-- >>> a <- A.fromList "abc"
-- >>> A.unsafeWrite a 0 'x' >> A.toList a
-- "xbc"
--
-- @since 0.1.0.0
unsafeWrite :: Storable a => Array a -> Int -> a -> IO ()
unsafeWrite (Array fp _) i x = unsafeWithForeignPtr fp $ \p -> pokeElemOff p i x
{-# INLINE unsafeWrite #-}

-- | Sets all elements to the same value.
--
-- >>> a <- A.fromList "abc"
-- >>> A.fill a '-' >> A.toList a
-- "---"
--
-- @since 0.1.0.0
fill :: Storable a => Array a -> a -> IO ()
fill !a x = go 0
  where
    go i | i == length a = pure ()
         | otherwise = unsafeWrite a i x >> go (i + 1)
{-# INLINABLE fill #-}

-- | The elements, copied into a list. All are read before this returns.
--
-- >>> a <- A.fromList [True, False]
-- >>> A.toList a
-- [True,False]
--
-- @since 0.1.0.0
toList :: Storable a => Array a -> IO [a]
toList a = go (length a - 1) []
  where
    go i xs | i < 0 = pure xs
            | otherwise = unsafeRead a i >>= \x -> go (i - 1) (x : xs)

-- | @slice from count a@: a part of an array, as an array that shares its memory. Throws an t'ErrorCall' when the part
-- is not within the array.
--
-- >>> a <- A.fromList "abcd"
-- >>> b <- A.slice 1 2 a
-- >>> A.write b 0 'x' >> A.toList a
-- "axcd"
--
-- @since 0.1.0.0
slice :: forall a. Storable a => Int -> Int -> Array a -> IO (Array a)
slice from count (Array fp n)
    | from < 0 || count < 0 || from > n - count =
        failure "slice" (show count ++ " elements from index " ++ show from ++ " are not within an array of "
                         ++ show n ++ " elements")
    | otherwise = pure (Array (fp `plusForeignPtr` (from * sizeOf (undefined :: a))) count)

-- | A new array with the same elements.
--
-- >>> a <- A.fromList "abc"
-- >>> b <- A.copy a
-- >>> A.write a 0 'x' >> A.toList b
-- "abc"
--
-- @since 0.1.0.0
copy :: forall a. Storable a => Array a -> IO (Array a)
copy (Array fp n) = do
    to@(Array fq _) <- allocate "copy" n
    unsafeWithForeignPtr fp $ \p -> unsafeWithForeignPtr fq $ \q -> copyBytes q p (n * sizeOf (undefined :: a))
    pure to

-- | Passes the address of the first element and the number of elements to an action, usually a C call. The memory is
-- valid until the action ends; the address must not be used after that.
--
-- >>> import Foreign.Storable (peekElemOff)
-- >>> a <- A.fromList [1, 2, 3 :: Int]
-- >>> A.withPtr a (\p n -> peekElemOff p (n - 1))
-- 3
--
-- @since 0.1.0.0
withPtr :: Array a -> (Ptr a -> Int -> IO b) -> IO b
-- withForeignPtr, not its unsafe variant: the action may be a loop that GHC finds to be endless.
withPtr (Array fp n) act = withForeignPtr fp (`act` n)

-- | The foreign pointer's memory as an array of this length. The caller must ensure that the memory is large enough. A
-- negative length is an t'ErrorCall'.
--
-- >>> import Foreign.ForeignPtr (ForeignPtr, mallocForeignPtrArray)
-- >>> fp <- mallocForeignPtrArray 2 :: IO (ForeignPtr Char)
-- >>> a <- A.fromForeignPtr fp 2
-- >>> A.fill a 'z' >> A.toList a
-- "zz"
--
-- @since 0.1.0.0
fromForeignPtr :: ForeignPtr a -> Int -> IO (Array a)
fromForeignPtr fp n
    | n < 0 = failure "fromForeignPtr" ("the length " ++ show n ++ " is negative")
    | otherwise = pure (Array fp n)

-- | The array's memory as a foreign pointer, and the number of elements. Shares the memory.
--
-- >>> a <- A.new 5 'x'
-- >>> snd (A.toForeignPtr a)
-- 5
--
-- @since 0.1.0.0
toForeignPtr :: Array a -> (ForeignPtr a, Int)
toForeignPtr (Array fp n) = (fp, n)

-- | The array as a mutable vector. Shares the memory.
--
-- >>> a <- A.fromList "abc"
-- >>> M.write (A.toMVector a) 0 'x'
-- >>> A.read a 0
-- 'x'
--
-- @since 0.1.0.0
toMVector :: Storable a => Array a -> M.IOVector a
toMVector (Array fp n) = M.unsafeFromForeignPtr0 fp n

-- | A mutable vector as an array. Shares the memory, of any kind: the vector may be a part of another, or be on C's
-- heap.
--
-- >>> v <- M.replicate 3 'x'
-- >>> A.write (A.fromMVector v) 1 'y'
-- >>> M.read v 1
-- 'y'
--
-- @since 0.1.0.0
fromMVector :: Storable a => M.IOVector a -> Array a
fromMVector v = let (fp, n) = M.unsafeToForeignPtr0 v in Array fp n

-- | A vector with the elements that the array has now. Copies.
--
-- >>> a <- A.fromList [1, 2 :: Int]
-- >>> A.freeze a
-- [1,2]
--
-- @since 0.1.0.0
freeze :: Storable a => Array a -> IO (V.Vector a)
freeze = V.freeze . toMVector

-- | The array as an immutable vector. Shares the memory, so the array must not be written any more, neither by Haskell
-- nor by C. "Data.Array.Linear" has a freeze without this condition.
--
-- >>> a <- A.fromList [1, 2 :: Int]
-- >>> A.unsafeFreeze a
-- [1,2]
--
-- @since 0.1.0.0
unsafeFreeze :: Storable a => Array a -> IO (V.Vector a)
unsafeFreeze = V.unsafeFreeze . toMVector

-- | A vector as an array. Shares the memory, so an array that is written must be the only user of that memory.
--
-- >>> import qualified Data.Vector.Storable as V
-- >>> A.unsafeThaw (V.fromList "abc") >>= A.toList
-- "abc"
--
-- @since 0.1.0.0
unsafeThaw :: Storable a => V.Vector a -> IO (Array a)
unsafeThaw v = fromMVector <$> V.unsafeThaw v

-- | The byte array that holds an array. Shares the memory. 'Nothing' when no byte array has exactly the array's bytes:
-- the array is a part of another, or its memory is C's or has finalizers.
--
-- >>> import Data.Primitive.ByteArray (getSizeofMutableByteArray)
-- >>> a <- A.fromList [1, 2, 3 :: Int]
-- >>> traverse getSizeofMutableByteArray (A.toMutableByteArray a)
-- Just 24
--
-- @since 0.1.0.0
toMutableByteArray :: forall a. Storable a => Array a -> Maybe (MutableByteArray RealWorld)
toMutableByteArray (Array (ForeignPtr address contents) n) = case contents of
    PlainPtr b | let bytes = MutableByteArray b
               , mutableByteArrayContents bytes == Ptr address
               , bytesOf bytes == n * sizeOf (undefined :: a) -> Just bytes
    _ -> Nothing

-- | A byte array as an array. Shares the memory. 'Nothing' when the byte array is not pinned, not aligned for the
-- elements ('alignment'), or does not hold a whole number of them.
--
-- >>> import Data.Primitive.ByteArray (newByteArray, newPinnedByteArray)
-- >>> unpinned <- newByteArray 8
-- >>> A.length <$> (A.fromMutableByteArray unpinned :: Maybe (A.Array Int))
-- Nothing
-- >>> pinned <- newPinnedByteArray 8
-- >>> A.length <$> (A.fromMutableByteArray pinned :: Maybe (A.Array Int))
-- Just 1
--
-- @since 0.1.0.0
fromMutableByteArray :: forall a. Storable a => MutableByteArray RealWorld -> Maybe (Array a)
fromMutableByteArray bytes
    | isMutableByteArrayPinned bytes
    , size > 0
    , bytesOf bytes `rem` size == 0
    , let address = mutableByteArrayContents bytes
    , alignPtr address (alignment (undefined :: a)) == address =
        Just (overBytes bytes (bytesOf bytes `quot` size))
    | otherwise = Nothing
  where
    size = sizeOf (undefined :: a)

-- | The array as a primitive array. Shares the memory. 'Nothing' where 'toMutableByteArray' returns 'Nothing', and when
-- primitive's element size differs from that of 'Storable'.
--
-- >>> import Data.Primitive.PrimArray (readPrimArray)
-- >>> a <- A.fromList [1, 2, 3 :: Int]
-- >>> traverse (\p -> readPrimArray p 2) (A.toMutablePrimArray a)
-- Just 3
--
-- @since 0.1.0.0
toMutablePrimArray :: forall a. (Storable a, Prim a) => Array a -> Maybe (MutablePrimArray RealWorld a)
toMutablePrimArray a
    | sameSize (undefined :: a), Just (MutableByteArray b) <- toMutableByteArray a = Just (MutablePrimArray b)
    | otherwise = Nothing

-- | A primitive array as an array. Shares the memory. 'Nothing' where 'fromMutableByteArray' returns 'Nothing', and
-- when primitive's element size differs from that of 'Storable'.
--
-- >>> import Data.Primitive.PrimArray (MutablePrimArray, newPinnedPrimArray, setPrimArray)
-- >>> import Control.Monad.Primitive (RealWorld)
-- >>> p <- newPinnedPrimArray 2 :: IO (MutablePrimArray RealWorld Char)
-- >>> setPrimArray p 0 2 'x'
-- >>> traverse A.toList (A.fromMutablePrimArray p)
-- Just "xx"
--
-- @since 0.1.0.0
fromMutablePrimArray :: forall a. (Storable a, Prim a) => MutablePrimArray RealWorld a -> Maybe (Array a)
fromMutablePrimArray (MutablePrimArray b)
    | sameSize (undefined :: a) = fromMutableByteArray (MutableByteArray b)
    | otherwise = Nothing

-- Primitive has this in a monad, because a byte array may be shrunk; one whose memory is shared must not be.
bytesOf :: MutableByteArray RealWorld -> Int
bytesOf bytes = unsafeDupablePerformIO (getSizeofMutableByteArray bytes)

sameSize :: (Storable a, Prim a) => a -> Bool
sameSize x = sizeOf x == I# (sizeOf# x)

checked :: String -> Array a -> Int -> IO b -> IO b
checked name a i act
    | i >= 0 && i < length a = act
    | otherwise =
        failure name ("index " ++ show i ++ " is outside of an array of " ++ show (length a) ++ " elements")
{-# INLINE checked #-}

failure :: String -> String -> IO a
failure name what = throwIO (ErrorCall ("OpenMP.Array." ++ name ++ ": " ++ what))
{-# NOINLINE failure #-}
