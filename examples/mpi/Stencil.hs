-- | Heat on a plate that several processes share, with Haskell in each: stencil.c's problem.
--
-- Each rank has a strip of the plate's rows, and above and below it a row of its neighbour (the halo). In a step,
-- members of the team exchange the two rows while the others compute the rows that need neither. So several Haskell
-- threads call MPI at the same time.
module Main (main) where

import Control.Monad (forM_, unless, when)
import qualified Data.Vector.Storable as V
import qualified Data.Vector.Storable.Mutable as M
import Foreign.Ptr (plusPtr)
import GHC.Conc (getNumCapabilities)
import Mpi
import Numeric (showFFloat)
import OpenMP (Schedule (..), defaults, getNumProcs)
import OpenMP.Parallel
import System.Exit (exitFailure)
import System.IO (BufferMode (LineBuffering), hPutStrLn, hSetBuffering, stderr)

rows, columns, steps :: Int
rows = 180
columns = 240
steps = 40

-- | A strip of the plate: its number of rows and its neighbours. A row has a point more at each end, the plate's edge.
data Strip = Strip {height :: Int, above, below :: Maybe Int}

-- | The next temperatures of row i, and their largest change. Rows 0 and @height + 1@ are the halo.
relax :: M.IOVector Double -> M.IOVector Double -> Int -> IO Double
relax old new i = go 1 0
  where
    width = columns + 2
    go :: Int -> Double -> IO Double
    go j change
      | j > columns = pure change
      | otherwise = do
          let here = i * width + j
              at :: Int -> IO Double
              at k = M.unsafeRead old (here + k)
          before <- at 0
          up <- at (-width)
          down <- at width
          left <- at (-1)
          right <- at 1
          let mean = (up + down + left + right) / 4
          M.unsafeWrite new here mean
          go (j + 1) $! max change (abs (mean - before))

-- | All steps. The points at the end, and the largest change in the last step.
solve :: Strip -> IO (V.Vector Double, Double)
solve strip = do
  one <- V.thaw start
  other <- V.thaw start
  changes <- M.replicate (height strip + 1) 0
  parallel_ defaults $ \team -> forM_ [1 .. steps] $ \step -> do
    let (old, new) = if odd step then (one, other) else (other, one)
        row i = relax old new i >>= M.write changes i
    -- Whoever is free takes a side; a team of one takes them in turn.
    forNowait team (Dynamic 1) 0 2 (halo old)
    for team (Dynamic 8) 2 (height strip) row
    -- After the loop's barrier the halo is there.
    for team Static 0 2 (\side -> row (if side == 0 then 1 else height strip))
  result <- V.unsafeFreeze (if odd steps then other else one)
  change <- V.maximum <$> V.unsafeFreeze changes
  pure (result, change)
  where
    width = columns + 2
    start = V.generate ((height strip + 2) * width) $ \k ->
      if k `mod` width == 0 && k >= width && k < (height strip + 1) * width then 100 else 0
    -- Side 0 is the upper one. A message has the number of its side, so each side receives the other's.
    halo old side = M.unsafeWith old $ \p -> do
      let rowAt i = p `plusPtr` (8 * i * width)
          (neighbour, mine, theirs)
            | side == 0 = (above strip, 1, 0)
            | otherwise = (below strip, height strip, height strip + 1)
      exchange neighbour (side, rowAt mine) (1 - side, rowAt theirs) width

-- | The points of a strip without the halo.
inner :: Strip -> V.Vector Double -> V.Vector Double
inner strip = V.slice (columns + 2) (height strip * (columns + 2))

main :: IO ()
main = withMpi $ do
  me <- rank
  ranks <- size
  let first r = rows * r `div` ranks
      strip = Strip
        { height = first (me + 1) - first me
        , above = if me == 0 then Nothing else Just (me - 1)
        , below = if me == ranks - 1 then Nothing else Just (me + 1)
        }
  (points, change) <- solve strip

  -- The distributed reductions: the team's result, then those of all ranks.
  let mine = inner strip points
      part r = V.sum (V.generate columns (\j -> mine V.! (r * (columns + 2) + j + 1)))
  total <- parallelReduce defaults IndexOrder 0 (height strip) (\r -> pure (Total (part r)))
  [sumOfAll] <- allreduce Add [getTotal total]
  [largest] <- allreduce Largest [change]

  -- The whole plate in this process.
  let whole = Strip {height = rows, above = Nothing, below = Nothing}
  (alone, changeAlone) <- solve whole
  let sameRows = V.slice (first me * (columns + 2)) (V.length mine) (inner whole alone)
      sumAlone = sum [inner whole alone V.! (r * (columns + 2) + j) | r <- [0 .. rows - 1], j <- [1 .. columns]]
  [wrong] <- allreduce Add [fromIntegral (V.length (V.filter id (V.zipWith (/=) mine sameRows)))]
  let sameSum = abs (sumOfAll - sumAlone) <= 1e-12 * sumAlone
      right = wrong == 0 && largest == changeAlone && sameSum

  processors <- getNumProcs
  capabilities <- getNumCapabilities
  sizes <- parallel defaults (pure . teamSize)
  -- What each rank has, at its place among zeros, so that the sum has it all.
  let has = map fromIntegral [processors, maximum sizes, capabilities]
  everyone <- map round <$> allreduce Add (concat [if r == me then has else map (const 0) has | r <- [0 .. ranks - 1]])
  when (me == 0) $ do
    hSetBuffering stderr LineBuffering  -- each line is one write, so that mpirun mixes no two lines
    forM_ (zip [0 :: Int ..] (inThrees everyone)) $ \(r, (cpus, team, caps)) ->
      hPutStrLn stderr ("rank " ++ show r ++ ": omp_get_num_procs " ++ show cpus ++ ", team of " ++ show team ++ ", "
        ++ show caps ++ " Capabilities")
    putStrLn ("ranks: " ++ show ranks)
    putStrLn ("points that differ from those of one process: " ++ show (round wrong :: Int))
    putStrLn ("largest change in the last step: " ++ showFFloat (Just 6) largest ", the same as in one process: "
      ++ yes (largest == changeAlone))
    putStrLn ("sum of all temperatures: " ++ showFFloat (Just 3) sumOfAll ", the same but for rounding: "
      ++ yes sameSum)
  unless right exitFailure
  where
    yes good = if good then "yes" else "NO"

inThrees :: [Int] -> [(Int, Int, Int)]
inThrees (a : b : c : more) = (a, b, c) : inThrees more
inThrees _ = []

newtype Total = Total {getTotal :: Double}
instance Semigroup Total where Total a <> Total b = Total (a + b)
instance Monoid Total where mempty = Total 0
