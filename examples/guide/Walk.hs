{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE GADTs, LinearTypes #-}
module Main (main) where

import qualified Data.Vector.Storable as V
import Foreign.C.Types (CDouble (..), CLong (..))
import Foreign.Ptr (Ptr)

import Data.Array.Linear (Slice, Split (..), Ur (..), View, (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel

import OpenMP (defaults)

-- | Writing, reading and freezing.
written, filled :: Ur (V.Vector Int)
written = L.alloc 3 0 (\s -> s & L.write 1 7 & L.freeze)
filled = L.alloc 3 5 (\s -> L.read 0 s & \(Ur x, s') -> L.freeze (L.fill (x + 1) s'))

addOne :: Int -> Slice p Int %1 -> Slice p Int
addOne 0 s = L.map (+ 1) s
addOne depth s = L.halve s & \(Split j l r) ->
    parCombine Sparks j (addOne (depth - 1)) (addOne (depth - 1)) l r

smooth :: View Double -> Int -> Slice p Double %1 -> Slice p Double
smooth v first = L.fillWith (\i -> (at (first + i - 1) + at (first + i) + at (first + i + 1)) / 3)
  where
    at i = L.index v (max 0 (min (L.viewLength v - 1) i))

step :: Slice p Double %1 -> Slice q Double %1 -> (Slice p Double, Slice q Double)
step from to = L.lend from (\v -> parChunks (Team defaults) 4096 (smooth v) to)

-- Four parts; `to` has the result of an odd count.
steps :: Int -> Slice p Double %1 -> Slice q Double %1 -> (Slice p Double, Slice q Double)
steps count from to = parSteps defaults 4 count smooth from to

foreign import ccall safe "scale" c_scale :: Ptr Double -> CLong -> CDouble -> IO ()

scale :: Double -> Slice p Double %1 -> Slice p Double
scale k s = L.unsafeWithSliceC (\p n -> c_scale p (fromIntegral n) (realToFrac k)) s & \(Ur (), s') -> s'

-- | Two calls of C at the same time, each on its own part.
scaled :: Ur (V.Vector Double)
scaled = L.alloc 4 1 (\s -> L.halve s & \(Split j l r) ->
    parCombine Sparks j (scale 2) (scale 3) l r & L.freeze)

-- | What a function of two arrays leaves in the second one.
second :: (forall p q. Slice p Double %1 -> Slice q Double %1 -> (Slice p Double, Slice q Double)) -> V.Vector Double
second f = L.unur (L.generate 6 fromIntegral (\from -> L.alloc 6 0 (\to ->
    f from to & \(from', to') -> L.discard from' & \() -> L.freeze to')))

main :: IO ()
main = do
    print (written, filled)
    print (L.alloc 4 0 (\s -> addOne 2 s & L.freeze))
    print (second step)
    print (second (steps 1) == second step)
    print scaled
