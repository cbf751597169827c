{-# LANGUAGE LinearTypes #-}
module Main (main) where

import qualified Data.Vector.Storable as V
import Foreign.C.Types (CDouble (..), CLong (..))
import Foreign.Ptr (Ptr)

import Data.Array.Linear (Slice, Split (..), Ur (..), View, (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel (Workers (..), parCombine, parParts)
import GHC.OpenMP (defaults)

-- Safe: the function opens a parallel region.
foreign import ccall safe "scale" c_scale :: Ptr Double -> CLong -> CDouble -> IO ()

-- | Two halves, each by a thread of its own.
halves :: Ur (V.Vector Double)
halves = L.alloc 6 0 (\array ->
  L.halve array & \(Split join left right) ->
    parCombine (Team defaults) join (L.fill 1) (L.fillWith fromIntegral) left right & L.freeze)

-- | Any number of parts. Each gets the index of its first element.
squares :: Ur (V.Vector Int)
squares = L.alloc 10 0 (\array ->
  L.splitEvenly 4 array
    & parParts (Team defaults) (\first -> L.fillWith (\i -> (first + i) * (first + i)))
    & L.combineParts
    & L.freeze)

-- | C works on the left part only: the call uses up the left token, and gives it back.
scaled :: Ur (V.Vector Double)
scaled = L.generate 6 fromIntegral (\array ->
  L.split 3 array & \(Split join left right) ->
    L.combine join (tenfold left) right & L.freeze)

tenfold :: Slice p Double %1 -> Slice p Double
tenfold slice = L.unsafeWithSliceC (\p n -> c_scale p (fromIntegral n) 10) slice & \(Ur (), slice') -> slice'

-- | Each element of the result is the sum of three neighbours. The source is lent while the parts of the result are
-- written: everybody may read it, nobody may write it.
sums :: Ur (V.Vector Int)
sums = L.generate 8 id (\source -> L.alloc 8 0 (\result ->
  L.lend source (\view -> neighbours view result) & \(source', result') ->
    L.discard source' & \() -> L.freeze result'))

neighbours :: View Int -> Slice p Int %1 -> Slice p Int
neighbours view result =
  L.splitEvenly 2 result
    & parParts (Team defaults) (\first -> L.fillWith (\k -> sum (map at [first + k - 1 .. first + k + 1])))
    & L.combineParts
  where
    at i = if i < 0 || i >= L.viewLength view then 0 else L.index view i

main :: IO ()
main = do
  print halves
  print squares
  print scaled
  print sums
