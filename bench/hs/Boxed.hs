{-# LANGUAGE BangPatterns #-}

-- | The matrix product on boxed elements, each a pointer to a number: the cost of an array of Haskell values. And on
-- C's elements, each of which is converted when it is read and written.
module Boxed (Boxed, newBoxed, boxedRow, unboxed, peekRow) where

import Control.Monad.Primitive (RealWorld)
import Data.Foldable (for_)
import Data.Primitive.Array (MutableArray, newArray, readArray, writeArray)
import Foreign.C.Types (CDouble)
import Foreign.Ptr (Ptr)
import Foreign.Storable (peekElemOff, pokeElemOff)

import Work (Matrix, newMatrix)
import Data.Primitive.PrimArray (writePrimArray)

type Boxed = MutableArray RealWorld Double

newBoxed :: Int -> (Int -> Int -> Double) -> IO Boxed
newBoxed n f = do
  m <- newArray (n * n) 0
  for_ [0 .. n - 1] $ \i -> for_ [0 .. n - 1] $ \j -> let !x = f i j in writeArray m (i * n + j) x
  pure m

unboxed :: Int -> Boxed -> IO Matrix
unboxed n m = do
  result <- newMatrix n (\_ _ -> 0)
  for_ [0 .. n * n - 1] $ \i -> readArray m i >>= writePrimArray result i
  pure result

-- | One row of the product, by the same loops as 'Work.dgemmRow'. Elements are evaluated before they are written.
boxedRow :: Int -> Boxed -> Boxed -> Boxed -> Int -> IO ()
boxedRow n a b c i = do
  for_ [i * n .. i * n + n - 1] $ \q -> writeArray c q 0
  overK 0
  where
    overK :: Int -> IO ()
    overK k
      | k >= n = pure ()
      | otherwise = readArray a (i * n + k) >>= \x -> overJ x (k * n) (i * n) (i * n + n) >> overK (k + 1)
    overJ :: Double -> Int -> Int -> Int -> IO ()
    overJ !x !p !q !end
      | q >= end = pure ()
      | otherwise = do
          y <- readArray b p
          z <- readArray c q
          let !sum' = z + x * y
          writeArray c q sum'
          overJ x (p + 1) (q + 1) end

-- | One row of the product, by the same loops. What is read is the first factor: GHC's own code generator makes of
-- @x * y@ a copy of @x@ that waits for the product before it, since the copy keeps the upper half of its register.
peekRow :: Int -> Ptr CDouble -> Ptr CDouble -> Ptr CDouble -> Int -> IO ()
peekRow n a b c i = do
  for_ [i * n .. i * n + n - 1] $ \q -> pokeElemOff c q 0
  overK 0
  where
    overK :: Int -> IO ()
    overK k
      | k >= n = pure ()
      | otherwise = peekElemOff a (i * n + k) >>= \x ->
          overJ (realToFrac x) (k * n) (i * n) (i * n + n) >> overK (k + 1)
    overJ :: Double -> Int -> Int -> Int -> IO ()
    overJ !x !p !q !end
      | q >= end = pure ()
      | otherwise = do
          y <- peekElemOff b p
          z <- peekElemOff c q
          pokeElemOff c q (realToFrac (realToFrac z + realToFrac y * x))
          overJ x (p + 1) (q + 1) end
