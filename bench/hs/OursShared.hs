{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE LinearTypes #-}
{-# LANGUAGE RankNTypes #-}

-- | The workload of examples/haskell/Shared.hs, over and over: @sin x * cos x + sqrt |x|@ of each element, and then the
-- mean of each with its neighbours. The second pass reads what other threads wrote in the first one, so between them is
-- a barrier, or a token that there is only when all parts have been combined.
module OursShared
  ( rows
  , Elements
  , first
  , iterating
  , iteratingPure
  , written
  , transformedPart
  ) where

import Control.Monad (unless)
import Data.Array.Linear (Slice, Ur (..), View, unur, (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel (Workers (..), parParts, parPasses)
import Data.Foldable (for_)
import Data.IORef (newIORef, readIORef)
import qualified Data.Vector.Storable as V
import qualified Data.Vector.Storable.Mutable as M

import OpenMP.Parallel

import Counted (team)
import Heat (part)
import Measure

rows :: Rows
rows =
  [ ( "shared"
    , [ ("alone", inPlace (const alone))
      , ("ours", inPlace barriers)
      , ("linear", byTokens (\cell -> Just (Team (team cell), cellThreads cell)))
      , ("linear-passes", passesByTokens)
      , ("linear-alone", byTokens (const Nothing))
      ]
    )
  , ( "shared-parts"
    , [ ("alone", inPlace (const alone) . ofElements)
      , ("linear", ofParts (const Sparks))
      , ("linear-team", ofParts (Team . team))
      ]
    )
  ]
  where
    -- The second size is a number of parts: so many iterations for each array.
    ofElements cell = cell {cellSizes = take 1 (cellSizes cell) ++ [4]}
    ofParts workers cell = byTokens (const (Just (workers cell, last (cellSizes cell)))) (ofElements cell)

type Elements = V.Vector Double

inputOf :: Int -> Elements
inputOf n = V.generate n (\i -> fromIntegral i * 0.001)

f :: Double -> Double
f x = sin x * cos x + sqrt (abs x)
{-# INLINE f #-}

mean :: Double -> Double -> Double -> Double
mean left here right = (left + here + right) / 3
{-# INLINE mean #-}

-- | The time of an iteration, both passes, with its share of making the two arrays, of which the second gets the
-- result.
inPlace :: (Cell -> Int -> Elements -> M.IOVector Double -> M.IOVector Double -> IO ()) -> Cell -> IO Sample
inPlace run cell = iterating both cell (\k values -> timed (writtenTwice (run cell k) values))

-- | The same of a pure function. 'Nothing': by one thread.
byTokens :: (Cell -> Maybe (Workers, Int)) -> Cell -> IO Sample
byTokens workers = iteratingPure both (linear . workers)

passesByTokens :: Cell -> IO Sample
passesByTokens = iteratingPure both linearPasses

-- | Both passes, by one thread.
both :: Elements -> IO Elements
both = writtenTwice (alone 1)

-- | A new array of as many elements, once the action has written it.
written :: Elements -> (M.IOVector Double -> IO ()) -> IO Elements
written values write = do
  out <- M.replicate (V.length values) 0
  write out
  V.unsafeFreeze out

-- | The same with a first array, for what is between the passes.
writtenTwice :: (Elements -> M.IOVector Double -> M.IOVector Double -> IO ()) -> Elements -> IO Elements
writtenTwice write values = do
  middle <- M.replicate (V.length values) 0
  written values (write values middle)

-- | From what the result should be, and a run of a number of iterations. The input comes out of a variable each time,
-- or the compiler would make one result and use it again.
iterating :: (Elements -> IO Elements) -> Cell -> (Int -> Elements -> IO (Double, Elements)) -> IO Sample
iterating reference cell run = do
  input <- newIORef (inputOf n)
  want <- reference (inputOf n)
  let go 0 !total = pure total
      go m total = do
        values <- readIORef input
        (ns, got) <- run k values
        unless (got == want) $ expect "number of wrong elements" (V.length (V.filter id (V.zipWith (/=) got want))) 0
        go (m - 1 :: Int) (total + ns)
  pure (Each k (`go` 0))
  where
    (n, k) = twoSizes cell

-- | The same of a pure function of the cell, the number of iterations and the input.
iteratingPure :: (Elements -> IO Elements) -> (Cell -> Int -> Elements -> Elements) -> Cell -> IO Sample
iteratingPure reference run cell = iterating reference cell (\k values -> timed (pure $! run cell k values))

first :: Elements -> M.IOVector Double -> Int -> Int -> IO ()
first values middle from past = go from
  where
    go :: Int -> IO ()
    go i = unless (i >= past) (M.unsafeWrite middle i (f (V.unsafeIndex values i)) >> go (i + 1))

second :: M.IOVector Double -> M.IOVector Double -> Int -> Int -> IO ()
second middle out from past = go from
  where
    go :: Int -> IO ()
    go i
      | i >= past = pure ()
      | i == 0 || i == M.length middle - 1 = M.unsafeWrite out i 0 >> go (i + 1)
      | otherwise = do
          x <- mean <$> M.unsafeRead middle (i - 1) <*> M.unsafeRead middle i <*> M.unsafeRead middle (i + 1)
          M.unsafeWrite out i x
          go (i + 1)

alone :: Int -> Elements -> M.IOVector Double -> M.IOVector Double -> IO ()
alone k values middle out = rounds k $ do
  first values middle 0 (V.length values)
  second middle out 0 (V.length values)

-- | A barrier between the passes, and one before the next iteration writes what others still read.
barriers :: Cell -> Int -> Elements -> M.IOVector Double -> M.IOVector Double -> IO ()
barriers cell k values middle out = parallel_ (team cell) member
  where
    member :: Team s -> IO ()
    member t = do
      (from, past) <- part (V.length values) (teamSize t) <$> threadNum t
      for_ [1 .. k] $ \_ -> do
        first values middle from past
        barrier t
        second middle out from past
        barrier t

-- | The same with tokens.
linear :: Maybe (Workers, Int) -> Int -> Elements -> Elements
linear workers k0 values = unur (L.alloc n 0 (\middle -> L.alloc n 0 (go k0 middle)))
  where
    n = V.length values

    go :: Int -> Slice p Double %1 -> Slice q Double %1 -> Ur Elements
    go 0 middle out = L.discard middle & \() -> L.freeze out
    go k middle out = L.lend (inParts transformed middle) (\view -> inParts (smoothed view) out)
      & \(middle', out') -> go (k - 1) middle' out'

    inParts :: (forall r. Int -> Slice r Double %1 -> Slice r Double) -> Slice p Double %1 -> Slice p Double
    inParts work slice = case workers of
      Nothing -> work 0 slice
      Just (who, parts) -> slice & L.splitEvenly parts & parParts who work & L.combineParts

    transformed :: Int -> Slice r Double %1 -> Slice r Double
    transformed = transformedPart values

    smoothed :: View Double -> Int -> Slice r Double %1 -> Slice r Double
    smoothed = smoothedPart n

transformedPart :: Elements -> Int -> Slice r Double %1 -> Slice r Double
transformedPart values from = L.fillWith (\i -> f (V.unsafeIndex mine i))
  where
    !mine = V.unsafeDrop from values

smoothedPart :: Int -> View Double -> Int -> Slice r Double %1 -> Slice r Double
smoothedPart n view from = L.fillWith (\j -> at (from + j))
  where
    at i
      | i == 0 || i == n - 1 = 0
      | otherwise = mean (L.unsafeIndex view (i - 1)) (L.unsafeIndex view i) (L.unsafeIndex view (i + 1))

-- | The same in one region: the passes are steps between the two arrays, in turns.
linearPasses :: Cell -> Int -> Elements -> Elements
linearPasses cell k values = unur (L.alloc n 0 (\out -> L.alloc n 0 (\middle ->
  parPasses (team cell) (cellThreads cell) (2 * k) pass out middle & \(out', middle') ->
    L.discard middle' & \() -> L.freeze out')))
  where
    n = V.length values

    pass :: Int -> View Double -> Int -> Slice r Double %1 -> Slice r Double
    pass step view from
      | even step = transformedPart values from
      | otherwise = smoothedPart n view from
