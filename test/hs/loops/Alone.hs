{-# LANGUAGE BangPatterns #-}

-- | Loops as a programmer writes them, for loops.py: a strict one for each function of "Team".
module Alone (integers, roots, inBounds, indices, least, filled, thirds, written, moments, generated) where

import qualified Data.Vector.Storable.Mutable as M
import qualified Data.Vector.Unboxed as U
import Foreign.Ptr (Ptr)
import Foreign.Storable (pokeElemOff)

over :: (a -> Int -> a) -> a -> Int -> a
over step zero !n = go zero 0
  where
    go !acc !i
      | i >= n = acc
      | otherwise = go (step acc i) (i + 1)
{-# INLINE over #-}

integers :: U.Vector Int -> Int -> Int
integers !v = over (\acc i -> acc + (U.unsafeIndex v i * 10000001)) 0
{-# NOINLINE integers #-}

roots :: U.Vector Double -> Int -> Double
roots !v = over (\acc i -> acc + sqrt (U.unsafeIndex v i)) 0
{-# NOINLINE roots #-}

inBounds :: U.Vector Int -> Int -> Int
inBounds !v = over (\acc i -> acc + (v U.! i * 10000002)) 0
{-# NOINLINE inBounds #-}

indices :: Int -> Int
indices !n = over (\acc i -> acc + i * 10000003) 0 n
{-# NOINLINE indices #-}

least :: U.Vector Int -> Int -> Int
least !v = over (\acc i -> min acc (U.unsafeIndex v i * 10000004)) maxBound
{-# NOINLINE least #-}

each :: Int -> (Int -> IO ()) -> IO ()
each !n act = go 0
  where
    go !i
      | i >= n = pure ()
      | otherwise = act i >> go (i + 1)
{-# INLINE each #-}

filled :: M.IOVector Int -> IO ()
filled !v = each (M.length v) (\i -> M.unsafeWrite v i (i * 10000005))
{-# NOINLINE filled #-}

thirds :: M.IOVector Double -> IO ()
thirds !v = each (M.length v) (\i -> M.unsafeRead v i >>= \x -> M.unsafeWrite v i (x / 3))
{-# NOINLINE thirds #-}

written :: M.IOVector Int -> IO ()
written !v = each (M.length v) (\i -> M.unsafeWrite v i (i * 10000006))
{-# NOINLINE written #-}

moments :: U.Vector Double -> Int -> (Double, Double, Int)
moments !v !n = go 0 0 0 0
  where
    go !total !squares !count !i
      | i >= n = (total, squares, count)
      | otherwise = go (total + x) (squares + x * x) (count + truncate x * 10000007) (i + 1)
      where
        x = U.unsafeIndex v i
{-# NOINLINE moments #-}

generated :: Ptr Int -> Int -> IO ()
generated !p !n = go 0
  where
    go !i
      | i == n = pure ()
      | otherwise = pokeElemOff p i (i * 10000008) >> go (i + 1)
{-# NOINLINE generated #-}
