module Main (main) where

import Control.Monad (forM_)
import qualified Data.Vector.Unboxed as U
import qualified Data.Vector.Unboxed.Mutable as M

import OpenMP (Schedule (..), Settings (..), defaults)
import OpenMP.Parallel (for2, forOrdered, parallelFor2, parallelForTiles, parallel_)

rows, columns :: Int
rows = 3
columns = 4

main :: IO ()
main = do
  -- One loop over all pairs: three rows are enough for a large team.
  table <- M.new (rows * columns)
  parallelFor2 defaults (0, rows) (0, columns) $ \row column ->
    M.write table (columns * row + column) (10 * row + column)
  source <- U.freeze table
  print source

  -- Tiles of two rows and two columns, or less at the edges: neighbours in both directions are in one cache.
  transposed <- M.new (rows * columns)
  parallelForTiles defaults (2, 2) (0, rows) (0, columns) $ \(top, bottom) (left, right) ->
    forM_ [top .. bottom - 1] $ \row ->
      forM_ [left .. right - 1] $ \column ->
        M.write transposed (rows * column + row) (source U.! (columns * row + column))
  U.unsafeFreeze transposed >>= print

  -- The same in a region, and then a loop whose lines come in order.
  parallel_ defaults {numThreads = Just 3} $ \team -> do
    for2 team Static (0, rows) (0, columns) $ \row column ->
      M.write table (columns * row + column) (row * column)
    forOrdered team (Dynamic 1) 0 rows $ \inOrder row -> do
      line <- U.freeze (M.slice (columns * row) columns table) -- at the same time as other rows
      inOrder (print (row, line))
