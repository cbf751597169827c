-- | One sample of bench\/pool.py, printed as a JSON object.
--
-- > pool mixed REGIONS THREADS WINDOW_MS      (REGIONS: short, long, bursty or none; THREADS that allocate)
-- > pool library REGIONS THREADS WINDOW_MS    (REGIONS: us of work of each, or none; needs +RTS -T)
-- > pool callers - CALLERS WINDOW_MS
-- > pool rendezvous - ROUNDS WINDOW_MS        (the window is not used)
-- > pool pauses REGIONS THREADS WINDOW_MS     (REGIONS: calling, silent or none)
module Main (main) where

import Control.Concurrent (runInUnboundThread)
import System.Environment (getArgs)
import System.Exit (die)
import Text.Read (readMaybe)

import Allocating (unit)
import Library (library)
import Pauses (pauses)
import Phase (repeatedly)
import Pool
import Regions (dynamicRegion, repeatedRegion, staticRegion)
import Report (report)

main :: IO ()
main = runInUnboundThread $ do
  args <- getArgs
  case args of
    [row, kind, countText, msText]
      | Just count <- readMaybe countText
      , Just ms <- readMaybe msText
      , count >= 0
      , ms > 0 ->
          maybe (die ("pool: there is no row " ++ row ++ " of kind " ++ kind)) (>>= report [("row", row)]) $
            measuring row kind count ms
    _ -> die "usage: pool mixed|library|callers|rendezvous|pauses KIND COUNT WINDOW_MS"

measuring :: String -> String -> Int -> Double -> Maybe (IO Values)
measuring "mixed" kind count ms = beside' <$> lookup kind kinds
  where
    beside' make = make >>= \caller -> mixed (replicate count allocating) caller ms
    allocating phases = repeatedly phases (const unit) 1
    kinds =
      [ ("none", pure Nothing)
      , ("short", Just . flip (,) Nothing <$> staticRegion 250)
      , ("long", Just . flip (,) Nothing <$> staticRegion 100000)
      , ("bursty", Just . flip (,) (Just 1000) <$> staticRegion 250)
      ]
measuring "library" kind count ms = beside' <$> lookup kind kinds
  where
    beside' make = make >>= \call -> library (replicate count allocating) call ms
    allocating phases = repeatedly phases (const unit) 1
    kinds = ("none", pure Nothing) : [(show us, Just <$> repeatedRegion (us * 100)) | us <- [3, 30, 300 :: Int]]
measuring "callers" "-" count ms | count > 0 = Just (staticRegion 1000 >>= \region -> callers count region ms)
measuring "rendezvous" "-" count _ = Just (rendezvous count)
measuring "pauses" kind count ms = beside' <$> lookup kind kinds
  where
    beside' make = make >>= \region -> pauses count region ms
    kinds =
      [ ("none", pure Nothing)
      , ("calling", Just <$> dynamicRegion 80 400000)
      , ("silent", Just <$> staticRegion 1000000)
      ]
measuring _ _ _ _ = Nothing
