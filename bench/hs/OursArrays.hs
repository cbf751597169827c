{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE LinearTypes #-}
{-# LANGUAGE RankNTypes #-}

-- | The rows of linear arrays: sparks or a team work on parts, and types ensure that no other thread touches them.
module OursArrays (rows) where

import Control.Exception (evaluate)
import Data.Array.Linear (Slice, Split (..), Ur (..), View, unur, (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel (Workers (..), parCombine, parParts, parSteps)
import Data.IORef (newIORef, readIORef)
import qualified Data.Vector.Storable as V
import Data.Word (Word64)

import Counted (team)
import Heat (heatingVectors, next)
import Measure
import Work

rows :: Rows
rows =
  [ ( "heat"
    , [ ("linear", heatingVectors heat)
      , ("linear-steps", heatingVectors heatSteps)
      , ("linear-alone", heatingVectors (const heatAlone))
      ]
    )
  , ("dgemm", [("linear", multiplying)])
  , ("depth", [("linear", halving)])
  , ("parts", [("linear", filling (const Sparks)), ("linear-team", filling (Team . team))])
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
    step view new =
      new & L.splitEvenly (cellThreads cell) & parParts (Team (team cell)) (sweepPart points view) & L.combineParts

-- | One region for all steps, and a barrier after each of them.
heatSteps :: Cell -> Int -> V.Vector Double -> V.Vector Double
heatSteps cell steps start = unur (L.allocCopy start (\one -> L.allocCopy start (\other ->
  newest steps (parSteps (team cell) (cellThreads cell) steps (sweepPart (V.length start)) one other))))

-- | The same by one thread, without a region.
heatAlone :: Int -> V.Vector Double -> V.Vector Double
heatAlone steps start = unur (L.allocCopy start (\one -> L.allocCopy start (\other -> go steps one other)))
  where
    go :: Int -> Slice p Double %1 -> Slice q Double %1 -> Ur (V.Vector Double)
    go 0 old new = L.discard new & \() -> L.freeze old
    go k old new = L.lend old (\view -> sweepPart (V.length start) view 0 new) & \(old', new') -> go (k - 1) new' old'

newest :: Int -> (Slice p Double, Slice q Double) %1 -> Ur (V.Vector Double)
newest steps (one, other)
  | even steps = L.discard other & \() -> L.freeze one
  | otherwise = L.discard one & \() -> L.freeze other

-- | One step of a part of the rod. The rod's ends, which stay as they are, are split off, so that the loop need not
-- look for them.
sweepPart :: Int -> View Double -> Int -> Slice q Double %1 -> Slice q Double
sweepPart points view from part =
  L.length part & \(Ur n, part') ->
    L.split (if from == 0 then min 1 n else 0) part' & \(Split first left rest) ->
      L.length rest & \(Ur m, rest') ->
        L.split (if from + n == points then max 0 (m - 1) else m) rest' & \(Split last' inner right) ->
          L.combine first left (L.combine last' (inside (from + n - m) inner) right)
  where
    -- From the left neighbour of the first point on, so that the loop has one index for both arrays.
    inside :: Int -> Slice r Double %1 -> Slice r Double
    inside begin = L.fillWith (\i -> next (at i) (at (i + 1)) (at (i + 2)))
      where
        !around = V.unsafeDrop (max 0 (begin - 1)) (L.viewVector view)
        at = V.unsafeIndex around

-- | Makes an array that is this one, from a zero. The zero is read again each time, or the compiler would make one
-- array and reuse it.
making :: V.Vector Word64 -> (Int -> V.Vector Word64) -> IO Sample
making want filled = do
  _ <- evaluate want
  zero <- newIORef 0
  pure . Each 1 $ \count -> do
    (ns, ()) <- timed . rounds count $ do
      z <- readIORef zero
      got <- evaluate (filled z)
      expect "length" (V.length got) (V.length want)
    z <- readIORef zero
    expect "whether the elements are right" (filled z == want) True
    pure ns

-- | Units of work in an array that is filled in parts. An element has many units, so that making the array, which one
-- thread does, takes no time in comparison.
filling :: (Cell -> Workers) -> Cell -> IO Sample
filling workers cell = making (V.generate elements element) filled
  where
    (units, parts) = twoSizes cell
    unitsOfElement = 100
    elements = units `div` unitsOfElement
    element i = workRange (i * unitsOfElement) ((i + 1) * unitsOfElement)

    filled :: Int -> V.Vector Word64
    filled z = unur (L.alloc elements 0 (\whole ->
      whole & L.splitEvenly parts & parParts (workers cell) (fill z) & L.combineParts & L.freeze))

    fill :: Int -> Int -> Slice p Word64 %1 -> Slice p Word64
    fill z from = L.fillWith (\i -> element (z + from + i))

-- | An array of units of work, halved recursively to a given depth; both halves are filled at the same time, by sparks.
halving :: Cell -> IO Sample
halving cell = making (V.generate units work) filled
  where
    (units, depth) = twoSizes cell

    filled :: Int -> V.Vector Word64
    filled z = unur (L.alloc units 0 (\whole -> L.freeze (fill depth z units whole)))

    fill :: Int -> Int -> Int -> Slice p Word64 %1 -> Slice p Word64
    fill 0 from _ slice = L.fillWith (\i -> work (from + i)) slice
    fill d from n slice =
      L.halve slice & \(Split join left right) ->
        parCombine Sparks join (fill (d - 1) from half) (fill (d - 1) (from + half) (n - half)) left right
      where
        half = n `div` 2

-- | The product, row by row: a thread's part is a number of rows, and each row a slice of its own.
multiplying :: Cell -> IO Sample
multiplying cell = do
  zero <- newIORef 0 -- read again each time, as in 'making'
  pure . Each 1 $ \count -> do
    (ns, ()) <- timed . rounds count $ do
      z <- readIORef zero
      _ <- evaluate (multiplied z)
      pure ()
    z <- readIORef zero
    expect "whether the elements are right" (multiplied z == want) True
    pure ns
  where
    n = size cell
    !a = matrix matrixA
    !b = matrix matrixB
    want = matrix (productAt n)
    matrix f = V.generate (n * n) (\at -> let (i, j) = at `quotRem` n in f i j)
    rowsOf thread = n * thread `div` cellThreads cell
    sizes = [n * (rowsOf (thread + 1) - rowsOf thread) | thread <- [0 .. cellThreads cell - 2]]

    multiplied :: Double -> V.Vector Double
    multiplied z = unur (L.alloc (n * n) z (\whole ->
      whole & L.splitSizes sizes & parParts (Team (team cell)) (\from -> part (from `quot` n)) & L.combineParts
        & L.freeze))

    part :: Int -> Slice p Double %1 -> Slice p Double
    part i slice = L.length slice & \(Ur m, slice') -> rowsFrom i m slice'

    rowsFrom :: Int -> Int -> Slice p Double %1 -> Slice p Double
    rowsFrom i m slice
      | m <= n = if m == 0 then slice else overK i 0 slice
      | otherwise = L.split n slice & \(Split join one rest) ->
          L.combine join (overK i 0 one) (rowsFrom (i + 1) (m - n) rest)

    overK :: Int -> Int -> Slice p Double %1 -> Slice p Double
    overK i k slice
      | k == n = slice
      | otherwise = overK i (k + 1) (addRow (V.unsafeIndex a (i * n + k)) (V.unsafeDrop (k * n) b) slice)

    addRow :: Double -> V.Vector Double -> Slice p Double %1 -> Slice p Double
    -- In this order of the factors for the reason that 'Work.productRow' has.
    addRow !x !row = L.imap (\j z -> z + V.unsafeIndex row j * x)
