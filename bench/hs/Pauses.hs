-- | Garbage collections beside regions. The pauses themselves are in the eventlog (bench\/eventlog.py), between two
-- markers.
module Pauses (pauses) where

import Debug.Trace (traceMarkerIO)

import Allocating (newLive, unitOfLive)
import Phase
import Pool

-- | A number of threads that allocate and keep a heap alive, possibly beside a thread that calls regions.
pauses :: Int -> Maybe (IO ()) -> Double -> IO Values
pauses count region = beside marked (replicate count collecting) (fmap (\call -> (call, Nothing)) region)
  where
    marked _ window = traceMarkerIO "window opens" *> window <* traceMarkerIO "window closes"
    collecting phases = repeatedly phases (const unitOfLive) (1, newLive)
