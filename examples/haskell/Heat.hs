-- | Heat in a rod, the problem of Barrier.hs, NoBarrier.hs and Untyped.hs: in each step every point moves towards the
-- mean of its neighbours, and the two ends keep their temperature.
module Heat (points, steps, initial, next, expected, share, report) where

import qualified Data.Vector.Storable as V
import Numeric (showFFloat)

points, steps :: Int
points = 4000
steps = 240

-- | The rod at the start: a hot piece in a cold rod.
initial :: Int -> Double
initial i = if i >= points `div` 3 && i < points `div` 2 then 100 else 0

-- | A point's next temperature, from its left neighbour, itself, and its right neighbour. Every version computes with
-- this function, so their results are equal to the last bit.
next :: Double -> Double -> Double -> Double
next left here right = here + 0.25 * (left - 2 * here + right)
{-# INLINE next #-}

-- | The rod after all steps, computed by one thread on immutable vectors.
expected :: V.Vector Double
expected = iterate step (V.generate points initial) !! steps
  where
    step rod = V.generate points (\i -> if i == 0 || i == points - 1 then rod V.! i else at rod i)
    at rod i = next (rod V.! (i - 1)) (rod V.! i) (rod V.! (i + 1))

-- | The part of the points that thread @me@ of @team@ computes, as [from, past).
share :: Int -> Int -> (Int, Int)
share team me = (points * me `div` team, points * (me + 1) `div` team)

-- | How many points differ from 'expected', and some of the temperatures.
report :: V.Vector Double -> (Int, String)
report rod = (wrong, unwords [showFFloat (Just 4) (rod V.! i) "" | i <- shown])
  where
    shown = [points `div` 3 - 10, points `div` 3, points `div` 2 + 5]
    wrong = V.length (V.filter id (V.zipWith (/=) rod expected))
