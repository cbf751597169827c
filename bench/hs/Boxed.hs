{-# LANGUAGE BangPatterns #-}

-- | The matrix product on boxed elements, each a pointer to a number: the cost of an array of Haskell values.
module Boxed (Boxed, newBoxed, boxedRow, unboxed) where

import Control.Monad.Primitive (RealWorld)
import Data.Foldable (for_)
import Data.Primitive.Array (MutableArray, newArray, readArray, writeArray)

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
