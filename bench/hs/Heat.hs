{-# LANGUAGE BangPatterns #-}

-- | Heat in a rod: each step's points from those of the step before. The cost of a barrier between the steps, and of
-- doing without one.
module Heat (rows, heating, heatingVectors, Rod, next, sweep, part) where

import Control.Exception (evaluate)
import Control.Monad (when)
import qualified Data.Vector.Storable as V
import qualified Data.Vector.Storable.Mutable as M
import Foreign.C.Types (CInt (..), CLong (..))
import Foreign.Ptr (Ptr)

import Measure

-- Safe: it opens a region.
foreign import ccall safe "bench_heat" c_heat :: CLong -> CLong -> Ptr Double -> Ptr Double -> CInt -> IO ()
-- Unsafe: the cheapest call of sequential C.
foreign import ccall unsafe "bench_heat_alone" c_heatAlone :: CLong -> CLong -> Ptr Double -> Ptr Double -> IO ()

rows :: Rows
rows = [("heat", [("c-openmp", inC c_heat'), ("c-alone", inC (const c_heatAlone)), ("alone", heating (const alone))])]
  where
    c_heat' cell n steps one other = c_heat n steps one other (fromIntegral (cellThreads cell))

type Rod = M.IOVector Double

initial :: Int -> Int -> Double
initial points i = if i >= points `div` 3 && i < points `div` 2 then 100 else 0

-- | A point's next temperature, from its left neighbour, itself, and its right neighbour.
next :: Double -> Double -> Double -> Double
next left here right = here + 0.25 * (left - 2 * here + right)
{-# INLINE next #-}

-- | One step of the points [from, past); the rod's ends are constant.
sweep :: Rod -> Rod -> Int -> Int -> IO ()
sweep old new from past = go (max 1 from)
  where
    !end = min (M.length old - 1) past
    go :: Int -> IO ()
    go i
      | i >= end = pure ()
      | otherwise = do
          x <- next <$> M.unsafeRead old (i - 1) <*> M.unsafeRead old i <*> M.unsafeRead old (i + 1)
          M.unsafeWrite new i x
          go (i + 1)

-- | The points of one thread of a team.
part :: Int -> Int -> Int -> (Int, Int)
part points threads me = (points * me `div` threads, points * (me + 1) `div` threads)

-- | From the number of steps and the two rods, which are equal at first, to the rod that has the result.
alone :: Int -> Rod -> Rod -> IO Rod
alone 0 one _ = pure one
alone steps one other = sweep one other 0 (M.length one) >> alone (steps - 1) other one

inC :: (Cell -> CLong -> CLong -> Ptr Double -> Ptr Double -> IO ()) -> Cell -> IO Sample
inC call = heating $ \cell steps one other -> do
  M.unsafeWith one $ \p -> M.unsafeWith other (call cell (fromIntegral (M.length one)) (fromIntegral steps) p)
  pure (if odd steps then other else one)

-- | The time of a step on two rods, with their copies; the run says which has the result.
heating :: (Cell -> Int -> Rod -> Rod -> IO Rod) -> Cell -> IO Sample
heating run cell = measuring cell $ \steps start -> timed $ do
  one <- V.thaw start
  other <- V.thaw start
  run cell steps one other >>= V.unsafeFreeze
{-# INLINE heating #-}

-- | The same of a pure function, which makes the copies itself.
heatingVectors :: (Cell -> Int -> V.Vector Double -> V.Vector Double) -> Cell -> IO Sample
heatingVectors run cell = measuring cell $ \steps start -> timed (evaluate (run cell steps start))

-- | From the rod at the start, a run's time and result; each result is compared with that of 'alone', bit by bit.
measuring :: Cell -> (Int -> V.Vector Double -> IO (Double, V.Vector Double)) -> IO Sample
measuring cell run = do
  want <- V.thaw start >>= \one -> V.thaw start >>= alone steps one >>= V.unsafeFreeze
  let times 0 !total = pure total
      times n total = do
        (ns, got) <- run steps start
        when (got /= want) $ expect "number of wrong points" (V.length (V.filter id (V.zipWith (/=) got want))) 0
        times (n - 1) (total + ns)
  pure (Each steps (\n -> times n (0 :: Double)))
  where
    start = V.generate points (initial points)
    (points, steps) = twoSizes cell
