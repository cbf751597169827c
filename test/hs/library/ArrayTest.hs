{-# LANGUAGE ScopedTypeVariables #-}

-- | "OpenMP.Array" against lists, and each conversion that shares memory by writing on one side and reading on the
-- other.
module ArrayTest (tests) where

import Control.Exception (ErrorCall (..), try)
import Control.Monad (forM_)
import Control.Monad.Primitive (RealWorld)
import Data.Int (Int16)
import Data.List (isInfixOf)
import Data.Maybe (isJust, isNothing)
import Data.Primitive.ByteArray
import Data.Primitive.PrimArray
import qualified Data.Vector.Storable as V
import qualified Data.Vector.Storable.Mutable as M
import Foreign.C.Types (CInt (..))
import Foreign.ForeignPtr (mallocForeignPtrArray, newForeignPtr)
import Foreign.Marshal.Alloc (finalizerFree, mallocBytes)
import Foreign.Ptr (Ptr, alignPtr)
import Foreign.Storable (peekElemOff)
import System.Mem (performGC)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

import OpenMP.Array (Array)
import qualified OpenMP.Array as A

-- Unsafe: a few additions, and it calls nothing back.
foreign import ccall unsafe "function_add" c_add :: Ptr CInt -> CInt -> CInt -> IO ()

tests :: TestTree
tests = testGroup "Array"
    [ testProperty "toList . fromList = id" $ \(xs :: [Int]) -> ioProperty $ (=== xs) <$> (A.fromList xs >>= A.toList)
    , testProperty "the same for elements of two bytes" $ \(xs :: [Int16]) ->
        ioProperty $ (=== xs) <$> (A.fromList xs >>= A.toList)
    , testProperty "length . fromList = length" $ \(xs :: [Char]) ->
        ioProperty $ (=== length xs) . A.length <$> A.fromList xs
    , testProperty "generate n f = map f [0 .. n - 1]" $ \(NonNegative n) f ->
        ioProperty $ (=== map (applyFun f) [0 .. n - 1]) <$>
            (A.generate n (applyFun f :: Int -> Double) >>= A.toList)
    , testProperty "writes and modifications, one after the other, are those of a list" $ \(NonEmpty xs) changes ->
        ioProperty $ do
            a <- A.fromList (xs :: [Int])
            let steps = [(i `mod` length xs, x) | (i, x) <- changes]
            forM_ steps $ \(i, x) -> if even x then A.write a i x else A.modify a i (* x)
            changed <- A.toList a
            pure (changed === foldl (\ys (i, x) -> change i (if even x then const x else (* x)) ys) xs steps)
    , testProperty "a slice reads and writes the array's part" $ \(xs :: [Int]) i j -> ioProperty $ do
        a <- A.fromList xs
        let from = if null xs then 0 else i `mod` length xs
            count = if null xs then 0 else j `mod` (length xs - from + 1)
        part <- A.slice from count a
        before <- A.toList part
        A.fill part 7
        changed <- A.toList a
        pure (before === take count (drop from xs)
              .&&. changed === take from xs ++ replicate count 7 ++ drop (from + count) xs)
    , testProperty "a copy is a copy" $ \(NonEmpty xs) -> ioProperty $ do
        a <- A.fromList (xs :: [Int])
        b <- A.copy a
        v <- A.freeze a
        A.fill a 0
        (.&&. V.toList v === xs) . (=== xs) <$> A.toList b
    , testProperty "arrays start on 64-byte boundaries" $ \(NonNegative n) -> ioProperty $ do
        a <- A.new n 'x'
        A.withPtr a (\p _ -> pure (p === alignPtr p 64))
    , testCase "the collector neither moves nor frees an array that is in use" $ do
        arrays <- mapM (A.new 1000) [1 .. 200 :: Int]
        performGC
        forM_ (zip arrays [1 ..]) $ \(a, x) -> A.toList a >>= (@?= replicate 1000 x)
    , testCase "C writes what Haskell reads" $ do
        a <- A.fromList [1, 2, 3]
        A.withPtr a (\p n -> c_add p (fromIntegral n) 10)
        A.toList a >>= (@?= [11, 12, 13])
    , testGroup "sharing" sharing
    , testGroup "no conversion" refused
    , testGroup "errors" errors
    ]

change :: Int -> (a -> a) -> [a] -> [a]
change i f xs = [if i == j then f x else x | (j, x) <- zip [0 ..] xs]

sharing :: [TestTree]
sharing =
    [ testCase "toMVector" $ do
        a <- A.fromList "abc"
        shares a (M.read (A.toMVector a)) (M.write (A.toMVector a))
    , testCase "fromMVector, of a part of a vector" $ do
        v <- M.drop 2 <$> M.replicate 5 'x'
        shares (A.fromMVector v) (M.read v) (M.write v)
    , testCase "unsafeFreeze" $ do
        a <- A.fromList "abc"
        v <- A.unsafeFreeze a
        A.withPtr a (\p _ -> V.unsafeWith v (@?= p))
    , testCase "unsafeThaw" $ do
        let v = V.fromList "abc"
        a <- A.unsafeThaw v
        A.withPtr a (\p _ -> V.unsafeWith v (@?= p))
    , testCase "fromForeignPtr and toForeignPtr" $ do
        fp <- mallocForeignPtrArray 3
        a <- A.fromForeignPtr fp 3
        A.fill a 'x'
        A.toForeignPtr a @?= (fp, 3)
        A.withPtr a (\p _ -> peekElemOff p 2) >>= (@?= 'x')
    , testCase "toMutableByteArray" $ do
        a <- A.fromList "abc"
        bytes <- just (A.toMutableByteArray a)
        shares a (readByteArray bytes) (writeByteArray bytes)
    , testCase "fromMutableByteArray" $ do
        bytes <- newPinnedByteArray 12
        a <- just (A.fromMutableByteArray bytes)
        A.fill a 'x'
        A.length a @?= 3
        shares a (readByteArray bytes) (writeByteArray bytes)
    , testCase "toMutablePrimArray" $ do
        a <- A.fromList "abc"
        p <- just (A.toMutablePrimArray a)
        getSizeofMutablePrimArray p >>= (@?= 3)
        shares a (readPrimArray p) (writePrimArray p)
    , testCase "fromMutablePrimArray" $ do
        p <- newPinnedPrimArray 3
        a <- just (A.fromMutablePrimArray p)
        A.fill a 'x'
        shares a (readPrimArray p) (writePrimArray p)
    ]

-- What one side writes the other reads, in both directions, for an array of at least three characters.
shares :: Array Char -> (Int -> IO Char) -> (Int -> Char -> IO ()) -> Assertion
shares a readOther writeOther = do
    A.write a 1 'p'
    readOther 1 >>= (@?= 'p')
    writeOther 2 'q'
    A.read a 2 >>= (@?= 'q')

just :: Maybe a -> IO a
just = maybe (assertFailure "no conversion") pure

refused :: [TestTree]
refused =
    [ testCase "a part of an array is no byte array" $ do
        a <- A.fromList "abc"
        parts <- mapM (\(from, n) -> A.slice from n a) [(0, 2), (1, 2)]
        map (isNothing . A.toMutableByteArray) parts @?= [True, True]
        whole <- A.slice 0 3 a
        isJust (A.toMutableByteArray whole) @?= True
    , testCase "neither is C's memory" $ do
        p <- mallocBytes 12
        fp <- newForeignPtr finalizerFree p
        a <- A.fromForeignPtr fp 3 :: IO (Array Char)
        isNothing (A.toMutableByteArray a) @?= True
        isNothing (A.toMutablePrimArray a) @?= True
    , testCase "an array that moves is refused" $ do
        bytes <- newByteArray 16
        isNothing (A.fromMutableByteArray bytes :: Maybe (Array Char)) @?= True
        p <- newPrimArray 4
        isNothing (A.fromMutablePrimArray (p :: MutablePrimArray RealWorld Char)) @?= True
    , testCase "so are bytes that are no whole number of elements" $ do
        bytes <- newPinnedByteArray 10
        isNothing (A.fromMutableByteArray bytes :: Maybe (Array Char)) @?= True
    ]

errors :: [TestTree]
errors =
    [ fails "new: the length -1 is negative" (A.new (-1) 'x')
    , fails "newUninitialized: 9223372036854775807 elements of 8 bytes do not fit the address space"
        (A.newUninitialized maxBound :: IO (Array Int))
    , fails "read: index 3 is outside of an array of 3 elements" (abc >>= (`A.read` 3))
    , fails "write: index -1 is outside of an array of 3 elements" (abc >>= \a -> A.write a (-1) 'x')
    , fails "modify: index 9 is outside of an array of 3 elements" (abc >>= \a -> A.modify a 9 succ)
    , fails "slice: 2 elements from index 2 are not within an array of 3 elements" (abc >>= A.slice 2 2)
    , fails "slice: 1 elements from index 9223372036854775807 are not within" (abc >>= A.slice maxBound 1)
    ]
  where
    abc = A.fromList "abc"

fails :: String -> IO a -> TestTree
fails message act = testCase message $ do
    result <- try (() <$ act)
    case result of
        Left (ErrorCall text) -> assertBool text (("OpenMP.Array." ++ message) `isInfixOf` text)
        Right () -> assertFailure "no exception"

