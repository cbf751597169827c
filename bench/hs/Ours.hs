-- | The rows of the library's loops: Haskell bodies on the OpenMP team. The kernels are those of "Peers" with another
-- way of sharing the work out.
module Ours (rows) where

import Control.Exception (evaluate)
import Data.Monoid (Sum (..))

import OpenMP (getThreadNum)
import OpenMP.Parallel (Order (..), parallelFor, parallelReduce)
import OpenMP.Settings (Schedule (..), Settings (..))

import Counted (counted, team)
import Load (callers, mixed)
import Measure
import Peers (counting, looping, multiplying, multiplyingBoxed, multiplyingByPeek, reducing, summing)
import Split (Loop, Reduce)
import Work

rows :: Rows
rows =
  [ ("fork-join", [("ours-for", \cell -> counting (loop cell) cell)])
  , ( "sum-sin"
    , [ ("ours", \cell -> summing sines (reduce AnyOrder cell) cell)
      , ("ours-index", \cell -> summing sines (reduce IndexOrder cell) cell)
      ]
    )
  , ( "trivial"
    , [ ("ours", \cell -> summing trivials (reduce AnyOrder cell) cell)
      , ("ours-index", \cell -> summing trivials (reduce IndexOrder cell) cell)
      ]
    )
  , ("crossover", [("ours", \cell -> summing sines (reduce AnyOrder cell) cell)])
  , ("elements", [("ours", \cell -> summing sines (reduce AnyOrder cell) cell)])
  , ("code-generator", [("ours", \cell -> summing logistics (reduce AnyOrder cell) cell)])
  , ("dgemm", [("ours", \cell -> multiplying (loop cell) cell)])
  , ( "boxed"
    , [ ("unboxed-ours", \cell -> multiplying (loop cell) cell)
      , ("peek-ours", \cell -> multiplyingByPeek (loop cell) cell)
      , ("boxed-ours", \cell -> multiplyingBoxed (loop cell) cell)
      ]
    )
  , ("loop-bound", [("ours", \cell -> looping (loop cell) cell)])
  , ("loop-unbound", [("ours", \cell -> looping (loop cell) cell)])
  , ( "reduce"
    , [ ("ours", \cell -> reducing (reduce AnyOrder cell) cell)
      , ("ours-index", \cell -> reducing (reduce IndexOrder cell) cell)
      ]
    )
  , ("chunk", [("ours", chunks (Dynamic 1)), ("ours-static", chunks (StaticChunks 1))])
  , ("callers", [("ours", \cell -> callers (size cell) <$> shortRegion cell)])
  , ("mixed", [("ours", fmap (mixed . Just) . shortRegion)])
  ]

-- | As many parts as threads are a static schedule; other numbers are chunks of a dynamic one.
split :: Cell -> Int -> Int -> Settings
split cell pieces n
  | pieces == cellThreads cell = (team cell) {schedule = Just Static}
  | otherwise = (team cell) {schedule = Just (Dynamic (max 1 ((n + pieces - 1) `div` pieces)))}

loop :: Cell -> Loop
loop cell pieces n = parallelFor (split cell pieces n) 0 n
{-# INLINE loop #-}

-- | The library adds the terms up; the peers have sums of ranges.
reduce :: Num a => Order -> Cell -> Reduce a
reduce order cell pieces n (Terms term _) _ =
  getSum <$> parallelReduce (split cell pieces n) order 0 n (\i -> pure $! Sum (term i))
{-# INLINE reduce #-}

-- | A loop of chunks of one index; each adds one to its thread's own counter and the index to its sum.
chunks :: Schedule -> Cell -> IO Sample
chunks how cell = counted cell $ \n body ->
  parallelFor (team cell) {schedule = Just how} 0 n $ \i -> getThreadNum >>= \thread -> body thread i

-- | A region of about 4 us of work, checked.
shortRegion :: Cell -> IO (IO ())
shortRegion cell = do
  want <- evaluate (workRange 0 units)
  pure (reduce AnyOrder cell (cellThreads cell) units works (+) >>= \got -> expect "sum" got want)
  where
    units = 200
