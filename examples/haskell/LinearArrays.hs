{-# LANGUAGE GADTs #-}
{-# LANGUAGE LinearTypes #-}

-- | Arrays whose parts have owners, and a compiler that knows them.
--
-- A slice is a token: the right to a region of an array. Each operation uses it up and gives the next one back, so
-- there is never a second one for the same elements. Within such functions arrays are written in place, by Haskell and
-- by C, and from outside they are pure.
--
-- None of these would compile: using @front@ twice, or not at all; writing to @whole@ after it was split; combining
-- parts of two arrays; writing to an array while it is lent; returning a slice or a view from its scope.
module Main (main) where

import Control.Monad (unless)
import Data.Array.Linear (Slice, Split (..), Ur (..), View, unur, (&))
import qualified Data.Array.Linear as L
import qualified Data.Vector.Storable as V
import Foreign.C.Types (CDouble (..), CLong (..))
import Foreign.Marshal.Array (advancePtr)
import Foreign.Ptr (Ptr)
import System.Exit (exitFailure)

-- Safe, both: they open regions.
foreign import ccall safe "ramp"
  c_ramp :: Ptr Double -> CLong -> CDouble -> IO ()

foreign import ccall safe "differences"
  c_differences :: Ptr Double -> Ptr Double -> CLong -> IO ()

size, third :: Int
size = 9000
third = size `div` 3

-- | C gets a region by its token. The call owns the elements until it returns; nobody else can have them meanwhile.
rampInC :: Int -> Slice p Double %1 -> Slice p Double
rampInC from slice =
  L.unsafeWithSliceC (\p n -> c_ramp p (fromIntegral n) (fromIntegral from)) slice & \(Ur (), slice') -> slice'

-- | One array, two owners: the first third is filled by Haskell, the rest by C. Split and combine copy nothing.
numbers :: V.Vector Double
numbers = unur (L.alloc size 0 fillBoth)
  where
    fillBoth :: Slice p Double %1 -> Ur (V.Vector Double)
    fillBoth whole =
      whole & L.split third & \(Split join front back) ->
        L.combine join (L.fillWith fromIntegral front) (rampInC third back) & L.freeze

-- | Any number of parts: each part's elements become the index of its first one.
firsts :: V.Vector Int
firsts = unur (L.alloc 10 0 (\whole -> whole & L.splitEvenly 3 & L.mapParts mark & L.combineParts & L.freeze))
  where
    mark :: Int -> Slice p Int %1 -> Slice p Int
    mark first = L.fill first

-- | A lent array can be read by any number of readers, here two: Haskell computes one half of the differences, C the
-- other. Each needs an element beyond its half, which is why the source is lent and not split.
differences :: V.Vector Double -> V.Vector Double
differences values = unur (L.allocCopy values (\source -> L.alloc (V.length values - 1) 0 (into source)))
  where
    into :: Slice p Double %1 -> Slice q Double %1 -> Ur (V.Vector Double)
    into source target =
      L.lend source (\view -> bothHalves view target) & \(source', target') ->
        L.discard source' & \() -> L.freeze target'

bothHalves :: View Double -> Slice p Double %1 -> Slice p Double
bothHalves view target =
  L.length target & \(Ur n, target') ->
    L.split (n `div` 2) target' & \(Split join left right) ->
      L.combine join (inHaskell left) (inC (n `div` 2) right)
  where
    inHaskell :: Slice q Double %1 -> Slice q Double
    inHaskell = L.fillWith (\i -> L.index view (i + 1) - L.index view i)
    inC :: Int -> Slice q Double %1 -> Slice q Double
    inC first slice = L.unsafeWithSliceC (differencesInC first) slice & \(Ur (), slice') -> slice'
    differencesInC first target' n =
      L.withViewC view (\source _ -> c_differences (source `advancePtr` first) target' (fromIntegral n))

main :: IO ()
main = do
  let squares = V.map (\x -> x * x) numbers
      wrongNumbers = wrong (V.generate size fromIntegral) numbers
      wrongDifferences = wrong (V.generate (size - 1) (\i -> 2 * fromIntegral i + 1)) (differences squares)
  putStrLn ("numbers, from Haskell and from C: " ++ show wrongNumbers ++ " of " ++ show size ++ " wrong")
  putStrLn ("first index of each part: " ++ show (V.toList firsts))
  putStrLn ("differences, from a lent array: " ++ show wrongDifferences ++ " of " ++ show (size - 1) ++ " wrong")
  unless (wrongNumbers + wrongDifferences == 0) exitFailure
  where
    wrong :: V.Vector Double -> V.Vector Double -> Int
    wrong expected got
      | V.length expected == V.length got = V.length (V.filter id (V.zipWith (/=) expected got))
      | otherwise = size
