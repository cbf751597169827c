{-# LANGUAGE LinearTypes #-}
{-# LANGUAGE RankNTypes #-}

-- | The rows of linear arrays: sparks or a team work on parts, and types ensure that no other thread touches them.
module OursArrays (rows) where

import Control.Exception (evaluate)
import Data.Array.Linear (Slice, Split (..), Ur (..), View, unur, (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel (Workers (..), parCombine, parParts)
import Data.IORef (newIORef, readIORef)
import qualified Data.Vector.Storable as V
import Data.Word (Word64)

import Counted (team)
import Heat (heatingVectors, next)
import Measure
import Work

rows :: Rows
rows =
  [ ("heat", [("linear", heatingVectors heat)])
  , ("depth", [("linear", halving)])
  ]

-- | A region for each step: the old rod is lent, the parts of the new one are written.
heat :: Cell -> Int -> V.Vector Double -> V.Vector Double
heat cell steps start = unur (L.allocCopy start (\one -> L.allocCopy start (\other -> go steps one other)))
  where
    points = V.length start

    go :: Int -> Slice p Double %1 -> Slice q Double %1 -> Ur (V.Vector Double)
    go 0 old new = L.discard new & \() -> L.freeze old
    go k old new = L.lend old (\view -> step view new) & \(old', new') -> go (k - 1) new' old'

    step :: View Double -> Slice q Double %1 -> Slice q Double
    step view new = new & L.splitEvenly (cellThreads cell) & parParts (Team (team cell)) (sweep view) & L.combineParts

    sweep :: View Double -> Int -> Slice q Double %1 -> Slice q Double
    sweep view from = L.fillWith (\i -> at view (from + i))

    at view i
      | i == 0 || i == points - 1 = L.unsafeIndex view i
      | otherwise = next (L.unsafeIndex view (i - 1)) (L.unsafeIndex view i) (L.unsafeIndex view (i + 1))

-- | An array of units of work, halved recursively to a given depth; both halves are filled at the same time, by sparks.
halving :: Cell -> IO Sample
halving cell = do
  let want = V.generate units work
  _ <- evaluate want
  zero <- newIORef 0
  pure . Each 1 $ \count -> do
    (ns, ()) <- timed . rounds count $ do
      -- Read again each time, or the compiler would fill one array and reuse it.
      z <- readIORef zero
      got <- evaluate (filled z)
      expect "length" (V.length got) units
    z <- readIORef zero
    expect "whether the elements are right" (filled z == want) True
    pure ns
  where
    (units, depth) = case cellSizes cell of
      [u, d] -> (u, d)
      _ -> error "this row needs numbers of units and of halvings"

    filled :: Int -> V.Vector Word64
    filled z = unur (L.alloc units 0 (\whole -> L.freeze (fill depth z units whole)))

    fill :: Int -> Int -> Int -> Slice p Word64 %1 -> Slice p Word64
    fill 0 from _ slice = L.fillWith (\i -> work (from + i)) slice
    fill d from n slice =
      L.halve slice & \(Split join left right) ->
        parCombine Sparks join (fill (d - 1) from half) (fill (d - 1) (from + half) (n - half)) left right
      where
        half = n `div` 2
