-- | The rows of "Shapes" by the library.
module OursShapes (rows) where

import Control.Monad (forM_)
import qualified Data.Map.Strict as Map
import qualified Data.Vector.Unboxed as U

import OpenMP.Eval (parTraversable, rseq)
import OpenMP.Parallel
import OpenMP.Settings (Schedule (..), Settings (..), defaults)
import OpenMP.Vector (parallelGenerate, parallelMap)

import Counted (team)
import Measure
import Shapes hiding (rows)

rows :: Rows
rows =
  [ ( "k-means"
    , [ ("ours", \cell -> clustering (clusters AnyOrder cell) cell)
      , ("ours-index", \cell -> clustering (clusters IndexOrder cell) cell)
      ]
    )
  , ("cholesky", [("ours", \cell -> factoring (byDependences cell) cell)])
  , ("pipeline", [("ours", \cell -> staging (inStages cell) cell)])
  , ( "mandelbrot"
    , [ ("ours", \cell -> drawing (draw (team cell)) cell)
      , ("ours-dynamic", \cell -> drawing (draw (team cell) {schedule = Just (Dynamic 1)}) cell)
      ]
    )
  , ("tree", [("ours", \cell -> visiting (parTraversable (team cell) rseq) cell)])
  , ("hand-over", [("ours", handing members)])
  ]
  where
    draw settings n f = pure $! parallelGenerate settings n f
    inStages cell fs v = pure $! foldl (flip (parallelMap (team cell))) v fs

-- | Sums of all points, elementwise; no elements are those of no points.
newtype Sums = Sums (U.Vector Double)

instance Semigroup Sums where
  Sums a <> Sums b
    | U.null a = Sums b
    | U.null b = Sums a
    | otherwise = Sums (U.zipWith (+) a b)

instance Monoid Sums where
  mempty = Sums U.empty

clusters :: Order -> Cell -> Cluster
clusters order cell n part _ = do
  Sums sums <- parallelReduceChunks (team cell) order 0 n (\from past -> Sums <$> part from past)
  pure sums

-- | A task for each step, whose dependences are its tiles.
byDependences :: Cell -> Factor
byDependences cell n steps = do
  deps <- Map.fromList <$> mapM (\at -> (,) at <$> newDep) [(i, j) | i <- [0 .. n - 1], j <- [0 .. i]]
  parallelTasks (team cell) $ \t -> forM_ steps $ \(Step out ins act) ->
    taskWith t taskDefaults {depends = InOut (deps Map.! out) : map (In . (deps Map.!)) ins} act

-- | Two members, whatever the number of Capabilities.
members :: IO () -> IO () -> IO ()
members one other = parallel_ defaults {numThreads = Just 2} $ \t -> threadNum t >>= \me ->
  if me == 0 then one else other
