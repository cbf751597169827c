-- | The rows of OpenMP.Eval: those of "Lists", evaluated by the OpenMP team.
module OursEval (rows) where

import OpenMP.Eval
import OpenMP.Settings (Schedule (..), Settings (..))

import Counted (team)
import Lists hiding (rows)
import Measure

rows :: Rows
rows =
  [ ("evaluate", evaluated evenly)
  , ("evaluate-irregular", evaluated unevenly)
  , ("divide", [("ours", \cell -> dividing (divide (team cell)) cell)])
  ]
  where
    evaluated cost =
      [ ("ours", \cell -> mapping cost (const (parMap (team cell) rseq)) cell)
      , ("ours-dynamic", \cell -> mapping cost (const (parMap (team cell) {schedule = Just (Dynamic 1)} rseq)) cell)
      , ("ours-list", \cell -> mapping cost (const (\f -> parList (team cell) rseq . map f)) cell)
      , ("ours-buffer", \cell -> mapping cost (\n f -> parBuffer (team cell) (max 100 (n `div` 16)) rseq . map f) cell)
      ]

divide :: Settings -> Dividing
divide settings least =
  divConq settings rseq (small least) fibonacci (\n -> [n - 1, n - 2]) (\_ parts -> sum parts)
