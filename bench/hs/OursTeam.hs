{-# LANGUAGE BangPatterns #-}

-- | The rows of the library's regions: threads of a team that meet, and tasks.
module OursTeam (rows) where

import Control.Monad.Primitive (RealWorld)
import Data.Foldable (for_)
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Primitive.PrimArray (MutablePrimArray, newPrimArray, readPrimArray, setPrimArray, writePrimArray)
import qualified Data.Vector.Storable.Mutable as M
import Data.Word (Word64)

import OpenMP.Parallel
import OpenMP.Settings (Schedule (..), Settings (..))

import Calls (unitsOfLongTask, unitsOfTask)
import Counted (counted, line, team)
import Heat (Rod, heating, part, sweep)
import Measure
import Peers (halving, spreading)
import Work

rows :: Rows
rows =
  [ ("fork-join", [("ours", regions)])
  , ("barrier", [("ours", barriers)])
  , ("critical", [("ours", criticals)])
  , ("tasks", [("ours", \cell -> spreading unitsOfTask (tasks cell) cell)])
  , ("long-tasks", [("ours", \cell -> spreading unitsOfLongTask (tasks cell) cell)])
  , ("depth", [("ours", \cell -> halving (taskHalves cell) cell)])
  , ("chunk", [("ours-region", chunksInRegion)])
  , ("heat", [("ours", heating heat)])
  ]

-- | Regions in which every thread takes part once.
regions :: Cell -> IO Sample
regions cell = do
  counters <- newPrimArray (m * line)
  setPrimArray counters 0 (m * line) (0 :: Int)
  pure . Each 1 $ \n -> do
    (ns, ()) <- timed (rounds n (parallel_ (team cell) (visit counters)))
    for_ [0 .. m - 1] $ \i -> readPrimArray counters (i * line) >>= \x -> expect "number of visits" x n
    setPrimArray counters 0 (m * line) 0
    pure ns
  where
    m = cellThreads cell
    visit :: MutablePrimArray RealWorld Int -> Team s -> IO ()
    visit counters t = do
      i <- threadNum t
      readPrimArray counters (i * line) >>= writePrimArray counters (i * line) . (+ 1)

barriers :: Cell -> IO Sample
barriers cell = pure . Each 1 $ \n -> do
  (ns, done) <- timed (parallel (team cell) (pass n 0))
  expect "barriers of each thread" done (replicate (cellThreads cell) n)
  pure ns
  where
    pass :: Int -> Int -> Team s -> IO Int
    pass n !k t
      | k == n = pure k
      | otherwise = barrier t >> pass n (k + 1) t

criticals :: Cell -> IO Sample
criticals cell = pure . Each 1 $ \n -> do
  counter <- newIORef (0 :: Int)
  (ns, ()) <- timed . parallelFor (team cell) {schedule = Just Static} 0 n $ \_ ->
    critical (readIORef counter >>= \x -> writeIORef counter $! x + 1)
  readIORef counter >>= \x -> expect "number of entries" x n
  pure ns

tasks :: Cell -> Int -> (Int -> IO ()) -> IO ()
tasks cell count body = parallelTasks (team cell) (\t -> for_ [0 .. count - 1] (task t . body))

taskHalves :: Cell -> Int -> Int -> Int -> IO Word64
taskHalves cell depth0 from0 past0 = parallelTasks (team cell) (\t -> go t depth0 from0 past0)
  where
    go :: Team s -> Int -> Int -> Int -> IO Word64
    go _ 0 from past = pure $! workRange from past
    go t depth from past = do
      let middle = (from + past) `div` 2
      result <- newIORef 0
      task t (go t (depth - 1) from middle >>= writeIORef result)
      right <- go t (depth - 1) middle past
      taskwait t
      (+ right) <$> readIORef result

-- | A barrier after each step.
heat :: Cell -> Int -> Rod -> Rod -> IO Rod
heat cell steps one other = do
  parallel_ (team cell) member
  pure (if odd steps then other else one)
  where
    member :: Team s -> IO ()
    member t = do
      (from, past) <- part (M.length one) (teamSize t) <$> threadNum t
      for_ [1 .. steps] $ \step -> do
        if odd step then sweep one other from past else sweep other one from past
        barrier t

-- | Chunks of one index inside a region; with many chunks the region's start does not show in the time of one.
chunksInRegion :: Cell -> IO Sample
chunksInRegion cell = counted cell $ \n body ->
  parallel_ (team cell) $ \t -> do
    thread <- threadNum t
    for t (Dynamic 1) 0 n (body thread)
