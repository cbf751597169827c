{-# LANGUAGE LinearTypes #-}
{-# LANGUAGE RankNTypes #-}

-- | One pass over an array, again and again: Haskell does the first half and C the second, at the same time. After each
-- pass is a barrier of the team, or the two halves' tokens are combined. The pass is the first one of "OursShared".
module OursHalves (rows) where

import Data.Array.Linear (Slice, Split (..), Ur (..), unur, (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel (Workers (..), parCombine, parPasses)
import Data.Foldable (for_)
import qualified Data.Vector.Storable as V
import qualified Data.Vector.Storable.Mutable as M
import Foreign.C.Types (CLong (..))
import Foreign.Marshal.Array (advancePtr)
import Foreign.Ptr (Ptr)

import OpenMP.Parallel

import Counted (team)
import Measure
import OursShared hiding (rows)

-- Safe: it runs long.
foreign import ccall safe "bench_transform" c_transform :: Ptr Double -> Ptr Double -> CLong -> IO ()

rows :: Rows
rows =
  [ ( "halves"
    , [ ("alone", inPlace (\_ k values out -> rounds k (first values out 0 (V.length values))))
      , ("c-alone", inPlace (\_ k values out -> rounds k (inC values out 0 (V.length values))))
      , ("ours", inPlace barriers)
      , ("linear", byTokens (const Sparks))
      , ("linear-team", byTokens (Team . team))
      , ("linear-passes", passesByTokens)
      ]
    )
  ]

-- | The time of a pass, with its share of making the array.
inPlace :: (Cell -> Int -> Elements -> M.IOVector Double -> IO ()) -> Cell -> IO Sample
inPlace run cell = iterating transformed cell (\k values -> timed (written values (run cell k values)))

byTokens :: (Cell -> Workers) -> Cell -> IO Sample
byTokens workers = iteratingPure transformed (halves . workers)

passesByTokens :: Cell -> IO Sample
passesByTokens = iteratingPure transformed passes

-- | The pass by one thread.
transformed :: Elements -> IO Elements
transformed values = written values (\out -> first values out 0 (V.length values))

inC :: Elements -> M.IOVector Double -> Int -> Int -> IO ()
inC values out from past = V.unsafeWith values $ \p -> M.unsafeWith out $ \q ->
  c_transform (p `advancePtr` from) (q `advancePtr` from) (fromIntegral (past - from))

-- | A region for all passes: its first thread is the Haskell half, its second one the C half.
barriers :: Cell -> Int -> Elements -> M.IOVector Double -> IO ()
barriers cell k values out = parallel_ (team cell) member
  where
    n = V.length values
    half = n `div` 2

    member :: Team s -> IO ()
    member t = do
      me <- threadNum t
      for_ [1 .. k] $ \_ -> do
        if me == 0 then first values out 0 half else inC values out half n
        barrier t

-- | The halves' tokens are split and combined for each pass.
halves :: Workers -> Int -> Elements -> Elements
halves workers k0 values = unur (L.alloc n 0 (go k0))
  where
    n = V.length values
    half = n `div` 2

    go :: Int -> Slice p Double %1 -> Ur Elements
    go 0 out = L.freeze out
    go k out = go (k - 1) (pass out)

    pass :: Slice p Double %1 -> Slice p Double
    pass out = L.split half out & \(Split join left right) ->
      parCombine workers join (transformedPart values 0) (partInC values half) left right

partInC :: Elements -> Int -> Slice q Double %1 -> Slice q Double
partInC values from slice = L.unsafeWithSliceC callC slice & \(Ur (), slice') -> slice'
  where
    callC q m = V.unsafeWith values $ \p -> c_transform (p `advancePtr` from) q (fromIntegral m)

-- | The same in one region: the passes write two arrays in turns.
passes :: Cell -> Int -> Elements -> Elements
passes cell k values = unur (L.alloc n 0 (\one -> L.alloc n 0 (\other ->
  newest (parPasses (team cell) 2 k (\_ _ -> part) one other))))
  where
    n = V.length values

    newest :: (Slice p Double, Slice q Double) %1 -> Ur Elements
    newest (one, other)
      | even k = L.discard other & \() -> L.freeze one
      | otherwise = L.discard one & \() -> L.freeze other

    part :: Int -> Slice r Double %1 -> Slice r Double
    part from
      | from == 0 = transformedPart values 0
      | otherwise = partInC values from
