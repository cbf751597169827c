-- | The rows of GHC.OpenMP.Eval: those of "Lists", evaluated by the OpenMP team.
module OursEval (rows) where

import GHC.OpenMP.Eval
import GHC.OpenMP.Settings (Schedule (..), Settings (..))

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
      , ("ours-buffer", \cell -> mapping cost (\n f -> parBuffer (team cell) (buffer n) rseq . map f) cell)
      ]

-- | A quarter of the list, within bounds.
buffer :: Int -> Int
buffer n = min 1000 (max 100 (n `div` 4))

divide :: Settings -> Dividing
divide settings least =
  divConq settings rseq (small least) fibonacci (\n -> [n - 1, n - 2]) (\_ parts -> sum parts)
