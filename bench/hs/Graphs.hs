-- | What a node of "OpenMP.Graph" costs, in nanoseconds: a graph of four chains that is built for each run, one that is
-- built once, and the same actions as tasks with dependences.
--
-- > graphs each|built|depend THREADS [BATCH_MS [BATCHES]]
--
-- A batch is as many runs as fill BATCH_MS (15 by default); the result is the best of BATCHES (7). Each run checks how
-- many nodes ran. Prints a JSON object. Driver: bench/replay.py.
module Main (main) where

import Control.Monad (foldM, forM, forM_, replicateM, replicateM_, unless)
import Data.IORef
import GHC.Clock (getMonotonicTimeNSec)
import System.Environment (getArgs)
import System.Exit (die)

import OpenMP.Graph
import OpenMP.Parallel
import OpenMP.Settings

chains, steps :: Int
chains = 4
steps = 250

-- | Counts a step of the chain; each chain's cell is written by its own nodes alone.
step :: IORef Int -> IO ()
step cell = readIORef cell >>= \n -> writeIORef cell $! n + 1

describe :: [IORef Int] -> Graph s (Inputs s ())
describe cells = do
  ends <- forM cells $ \cell ->
    node "first" (pure ()) (\() -> step cell) >>= \first ->
      foldM (\before _ -> node "step" (input before) (\() -> step cell)) first [2 .. steps]
  pure (() <$ traverse input ends)

-- | Runs all nodes once, in a team of so many threads.
runner :: String -> Int -> [IORef Int] -> IO (IO ())
runner row threads cells = case row of
  "each"   -> pure (runGraph settings (describe cells))
  "built"  -> (\built -> runBuilt settings built ()) <$> buildGraph (\unit -> (<*) <$> describe cells <*> pure unit)
  "depend" -> pure $ do
    deps <- replicateM chains newDep
    parallelTasks settings $ \team -> forM_ [1 .. steps] $ \_ -> forM_ (zip deps cells) $ \(dep, cell) ->
      taskWith team taskDefaults { depends = [InOut dep] } (step cell)
  _        -> die usage
  where
    settings = defaults { numThreads = Just threads }

timed :: IO () -> IO Double
timed action = do
  start <- getMonotonicTimeNSec
  action
  end <- getMonotonicTimeNSec
  pure (fromIntegral (end - start))

measure :: IO () -> Double -> Int -> IO Double
measure run batchNs batches = do
  runs <- enough 1
  took <- replicateM batches (timed (replicateM_ runs run))
  pure (minimum took / fromIntegral (runs * chains * steps))
  where
    enough n = timed (replicateM_ n run) >>= \t -> if t >= batchNs then pure n else enough (2 * n)

usage :: String
usage = "usage: graphs each|built|depend THREADS [BATCH_MS [BATCHES]]"

main :: IO ()
main = do
  args <- getArgs
  (row, threads, ms, batches) <- case args of
    row : threads : more | length more <= 2 ->
      let numbers = map read more ++ drop (length more) [15, 7]
      in pure (row, read threads, fromIntegral (numbers !! 0), numbers !! 1)
    _ -> die usage
  cells <- replicateM chains (newIORef 0)
  run <- runner row threads cells
  run
  counts <- mapM readIORef cells
  unless (all (== steps) counts) (die ("graphs: the chains ran " ++ show counts ++ " steps"))
  ns <- measure run (ms * 1e6) batches
  after <- mapM readIORef cells
  unless (all (== head after) after) (die ("graphs: the chains ran " ++ show after ++ " steps"))
  putStrLn ("{\"value\": " ++ show ns ++ "}")
