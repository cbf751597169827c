{-# LANGUAGE LinearTypes #-}

-- | A matrix product four ways: plain Haskell, Haskell on the OpenMP team, the same with linear tokens and in blocks,
-- and OpenMP C. All of them work on the same memory; nothing is copied.
module Main (main) where

import Control.Exception (evaluate)
import Control.Monad (forM_)
import Data.Array.Linear (Slice, unur, (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel (Workers (..), parParts)
import qualified Data.Vector.Storable as V
import qualified Data.Vector.Storable.Mutable as M
import Foreign.C.Types (CLong (..))
import Foreign.Ptr (Ptr)
import GHC.Clock (getMonotonicTime)
import System.IO (hPutStrLn, stderr)

import OpenMP.Parallel (parallelFor)
import OpenMP.Settings (Schedule (..), Settings (..), defaults)

-- Safe: it opens a region and runs for long.
foreign import ccall safe "matmul"
  c_matmul :: Ptr Double -> Ptr Double -> Ptr Double -> CLong -> IO ()

-- | A square matrix, row by row. Storable vectors are pinned: C may read them where they are.
data Matrix = Matrix {size :: !Int, cells :: !(V.Vector Double)}
  deriving (Eq)

-- | Row @i@ of the product. It writes to that row of the result and to nothing else, so that rows may be computed at
-- the same time.
row :: Matrix -> Matrix -> M.IOVector Double -> Int -> IO ()
row (Matrix n a) (Matrix _ b) c i = go 0
  where
    go :: Int -> IO ()
    go j
      | j == n = pure ()
      | otherwise = M.unsafeWrite c (i * n + j) (cell j 0 0) >> go (j + 1)
    cell j k acc
      | k == n = acc
      | otherwise = cell j (k + 1) (acc + V.unsafeIndex a (i * n + k) * V.unsafeIndex b (k * n + j))
{-# INLINE row #-}

alone, onTheTeam, inC :: Matrix -> Matrix -> IO Matrix

alone a b = filled (size a) $ \c -> forM_ [0 .. size a - 1] (row a b c)

onTheTeam a b = filled (size a) $ \c ->
  parallelFor defaults {schedule = Just (Dynamic 4)} 0 (size a) (row a b c)

inC a b = filled (size a) $ \c ->
  V.unsafeWith (cells a) $ \pa -> V.unsafeWith (cells b) $ \pb -> M.unsafeWith c $ \pc ->
    c_matmul pa pb pc (fromIntegral (size a))

-- | The product with linear tokens: each part of the result has one owner, who needs no other part. It adds up a block
-- of the sum at a time, so that these rows of @b@ stay in the cache while every cell of the part takes its share of
-- them.
withTokens :: Matrix -> Matrix -> Matrix
withTokens (Matrix n a) (Matrix _ b) = Matrix n (unur (L.alloc (n * n) 0 (\c ->
  c & L.splitEvenly 4 & parParts (Team defaults) (addBlocks 0) & L.combineParts & L.freeze)))
  where
    addBlocks :: Int -> Int -> Slice p Double %1 -> Slice p Double
    addBlocks k from part
      | k >= n = part
      | otherwise = addBlocks (k + block) from (L.imap (\i cell -> share k (min n (k + block)) (from + i) cell) part)
    share k past at = let (i, j) = at `quotRem` n in go k (i * n) j
      where
        go :: Int -> Int -> Int -> Double -> Double
        go l rowOfA j acc
          | l == past = acc
          | otherwise = go (l + 1) rowOfA j (acc + V.unsafeIndex a (rowOfA + l) * V.unsafeIndex b (l * n + j))
    block = 64

filled :: Int -> (M.IOVector Double -> IO ()) -> IO Matrix
filled n fill = do
  c <- M.new (n * n)
  fill c
  Matrix n <$> V.unsafeFreeze c

-- | Whole numbers below 2^53, so that every order of adding gives the same sum.
matrix :: Int -> (Int -> Int -> Int) -> Matrix
matrix n f = Matrix n (V.fromList [fromIntegral (f i j) | i <- [0 .. n - 1], j <- [0 .. n - 1]])

timed :: String -> IO Matrix -> IO Matrix
timed name action = do
  start <- getMonotonicTime
  result <- action
  took <- subtract start <$> getMonotonicTime
  hPutStrLn stderr (name ++ ": " ++ show (round (took * 1e6) :: Int) ++ " us")
  pure result

main :: IO ()
main = do
  let a = matrix 256 (\i j -> (i * j) `mod` 7)
      b = matrix 256 (\i j -> (i + j) `mod` 5)
  one <- timed "Haskell, one thread" (alone a b)
  two <- timed "Haskell, on the team" (onTheTeam a b)
  three <- timed "Haskell, with tokens" (evaluate (withTokens a b))
  four <- timed "OpenMP C" (inC a b)
  putStrLn ("sum of the product's cells: " ++ show (round (V.sum (cells one)) :: Int))
  putStrLn ("the same on the team: " ++ show (two == one))
  putStrLn ("the same with tokens: " ++ show (three == one))
  putStrLn ("the same in C: " ++ show (four == one))
