-- | Shared by the library's rows: a team's settings, and loops whose bodies count.
module Counted (team, line, counted) where

import Data.Primitive.PrimArray (readPrimArray, writePrimArray)

import OpenMP.Settings (Settings (..), defaults)

import Counters
import Measure

team :: Cell -> Settings
team cell = defaults {numThreads = Just (cellThreads cell)}

-- | For each index the body is called with its thread's number, and counts.
counted :: Cell -> (Int -> (Int -> Int -> IO ()) -> IO ()) -> IO Sample
counted cell run = counters cell $ \n all' -> run n $ \thread i -> do
  let own = thread * line
  count <- readPrimArray all' own
  writePrimArray all' own (count + 1)
  total <- readPrimArray all' (own + 1)
  writePrimArray all' (own + 1) (total + i)
{-# INLINE counted #-}
