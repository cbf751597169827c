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

import Work (Matrix, newMatrix, productRow)
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

-- | One row of the product. Elements are evaluated before they are written.
boxedRow :: Int -> Boxed -> Boxed -> Boxed -> Int -> IO ()
boxedRow n a b c = productRow n (readArray a) (readArray b) (readArray c) (\q !z -> writeArray c q z)

-- | The same on C's elements.
peekRow :: Int -> Ptr CDouble -> Ptr CDouble -> Ptr CDouble -> Int -> IO ()
peekRow n a b c = productRow n (peekFrom a) (peekFrom b) (peekFrom c) (\q z -> pokeElemOff c q (realToFrac z))
  where
    peekFrom m at = realToFrac <$> peekElemOff m at
