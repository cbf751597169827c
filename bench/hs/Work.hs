{-# LANGUAGE BangPatterns #-}

-- | The work of the loops, in Haskell: the same arithmetic as in kernels.c, so that the results are the same.
module Work
  ( work
  , workRange
  , sinRange
  , logisticRange
  , Terms (..)
  , works
  , sines
  , logistics
  , trivials
  , Out
  , newOut
  , addOut
  , checkOut
  , outContents
  , Matrix
  , matrixA
  , matrixB
  , newMatrix
  , checkProduct
  , productAt
  , dgemmRow
  , productRow
  ) where

import Control.Monad.Primitive (RealWorld)
import Data.Foldable (for_)
import Data.Primitive.PrimArray
  ( MutablePrimArray
  , getSizeofMutablePrimArray
  , mutablePrimArrayContents
  , newPinnedPrimArray
  , readPrimArray
  , setPrimArray
  , writePrimArray
  )
import Data.Word (Word64)
import Foreign.Ptr (Ptr)

import Measure (expect)

-- | The unit of work: 32 steps of a linear congruential generator, about 20 ns.
work :: Int -> Word64
work i = go (32 :: Int) (fromIntegral i)
  where
    go 0 !x = x
    go k x = go (k - 1) (x * 6364136223846793005 + 1442695040888963407)

-- | The units of a range, added.
workRange :: Int -> Int -> Word64
workRange from past = go from 0
  where
    go i !acc
      | i >= past = acc
      | otherwise = go (i + 1) (acc + work i)

-- | What a sum adds up: the term of an index, and the sum of those of a range.
data Terms a = Terms (Int -> a) (Int -> Int -> a)

works :: Terms Word64
works = Terms work workRange
{-# INLINE works #-}

sines, logistics, trivials :: Terms Double
sines = Terms (sin . fromIntegral) sinRange
{-# INLINE sines #-}
logistics = Terms logistic logisticRange
{-# INLINE logistics #-}
trivials = Terms trivial trivialRange
{-# INLINE trivials #-}

sinRange :: Int -> Int -> Double
sinRange from past = go from 0
  where
    go i !acc
      | i >= past = acc
      | otherwise = go (i + 1) (acc + sin (fromIntegral i))

-- | Next to nothing, so that the loop itself is what is measured.
trivial :: Int -> Double
trivial i = fromIntegral (i * i)

trivialRange :: Int -> Int -> Double
trivialRange from past = go from 0
  where
    go i !acc
      | i >= past = acc
      | otherwise = go (i + 1) (acc + trivial i)

logisticRange :: Int -> Int -> Double
logisticRange from past = go from 0
  where
    go i !acc
      | i >= past = acc
      | otherwise = go (i + 1) (acc + logistic i)

-- | A hundred steps of the logistic map.
logistic :: Int -> Double
logistic i = steps (100 :: Int) (0.25 + fromIntegral (i `mod` 1024) / 2048)
  where
    steps 0 !x = x
    steps k x = steps (k - 1) (3.75 * x * (1 - x))

-- | Where the loops write: each index adds its unit of work to its own element, so that an index that was left out or
-- done twice is detected. Pinned, so that C can write to it.
type Out = MutablePrimArray RealWorld Word64

newOut :: Int -> IO Out
newOut n = do
  out <- newPinnedPrimArray n
  setPrimArray out 0 n 0
  pure out

outContents :: Out -> Ptr Word64
outContents = mutablePrimArrayContents

addOut :: Out -> Int -> IO ()
addOut out i = readPrimArray out i >>= \x -> writePrimArray out i (x + work i)
{-# INLINE addOut #-}

-- | Checks that each element is this many times the function's value, and sets the array to zero.
checkOut :: Out -> Int -> (Int -> Word64) -> IO ()
checkOut out times unit = do
  n <- getSizeofMutablePrimArray out
  for_ [0 .. n - 1] $ \i -> do
    x <- readPrimArray out i
    expect ("element " ++ show i) x (fromIntegral times * unit i)
  setPrimArray out 0 n 0

-- | An n by n matrix, row by row, pinned.
type Matrix = MutablePrimArray RealWorld Double

newMatrix :: Int -> (Int -> Int -> Double) -> IO Matrix
newMatrix n f = do
  m <- newPinnedPrimArray (n * n)
  for_ [0 .. n - 1] $ \i -> for_ [0 .. n - 1] $ \j -> writePrimArray m (i * n + j) (f i j)
  pure m

-- | Two matrices of small integers, whose product has a closed form: its elements are exact.
matrixA, matrixB :: Int -> Int -> Double
matrixA i k = fromIntegral (i `mod` 7 + k `mod` 2)
matrixB k j = fromIntegral (k `mod` 2 + j `mod` 5)

checkProduct :: Int -> Matrix -> IO ()
checkProduct n c = for_ [0 .. n - 1] $ \i -> for_ [0 .. n - 1] $ \j -> do
  x <- readPrimArray c (i * n + j)
  expect ("element " ++ show (i, j)) x (productAt n i j)

-- | An element of the product of an even n, from the sums over k: half the k are even.
productAt :: Int -> Int -> Int -> Double
productAt n i j = half * p * q + half * (p + 1) * (q + 1)
  where
    p = fromIntegral (i `mod` 7)
    q = fromIntegral (j `mod` 5)
    half = fromIntegral (n `div` 2)

-- | One row of the product: the loops of dgemm_row in kernels.c.
dgemmRow :: Int -> Matrix -> Matrix -> Matrix -> Int -> IO ()
dgemmRow n a b c = productRow n (readPrimArray a) (readPrimArray b) (readPrimArray c) (writePrimArray c)

-- | The same on elements that are read and written by these functions. What is read is the first factor: GHC's own code
-- generator makes of @x * y@ a copy of @x@ that waits for the product before it, since the copy keeps the upper half of
-- its register.
productRow ::
  Int -> (Int -> IO Double) -> (Int -> IO Double) -> (Int -> IO Double) -> (Int -> Double -> IO ()) -> Int -> IO ()
productRow n readA readB readC writeC i = do
  for_ [i * n .. i * n + n - 1] $ \q -> writeC q 0
  overK 0
  where
    overK :: Int -> IO ()
    overK k
      | k >= n = pure ()
      | otherwise = readA (i * n + k) >>= \x -> overJ x (k * n) (i * n) (i * n + n) >> overK (k + 1)
    overJ :: Double -> Int -> Int -> Int -> IO ()
    overJ !x !p !q !end
      | q >= end = pure ()
      | otherwise = do
          y <- readB p
          z <- readC q
          writeC q (z + y * x)
          overJ x (p + 1) (q + 1) end
{-# INLINE productRow #-}
