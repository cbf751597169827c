{-# LANGUAGE LinearTypes #-}
module Main (main) where

import qualified Data.Vector.Storable as V

import Data.Array.Linear (Split (..), Ur (..), (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel (Workers (..), parCombine, parParts)
import OpenMP (defaults)

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

main :: IO ()
main = do
  print halves
  print squares
