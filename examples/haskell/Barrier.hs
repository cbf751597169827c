-- | Steps with a barrier between them: the usual way to share an array.
--
-- Each thread of the team computes its part of the rod from the parts of all. There are two rods: a step reads one and
-- writes the other. A thread's first and last points need a neighbour's points of the step before, so nobody may begin
-- a step before all have ended the last one. The barrier sees to that.
--
-- Nothing but the programmer's care says that the barrier must be there. Untyped.hs shows what happens without it,
-- NoBarrier.hs does without barriers and lets the compiler check the sharing.
module Main (main) where

import Control.Monad (forM_, unless)
import qualified Data.Vector.Storable as V
import qualified Data.Vector.Storable.Mutable as M
import Heat
import OpenMP.Parallel
import OpenMP.Settings
import System.Exit (exitFailure)

-- | Computes points [from, past) of the new rod. The ends of the rod stay as they are.
sweep :: M.IOVector Double -> M.IOVector Double -> Int -> Int -> IO ()
sweep old new from past =
  forM_ [max 1 from .. min (points - 1) past - 1] $ \i ->
    M.write new i =<< next <$> M.read old (i - 1) <*> M.read old i <*> M.read old (i + 1)

rodWithBarriers :: Settings -> IO (V.Vector Double)
rodWithBarriers settings = do
  one <- V.thaw (V.generate points initial)
  other <- V.thaw (V.generate points initial)
  parallel_ settings $ \team -> do
    me <- threadNum team
    let (from, past) = share (teamSize team) me
    forM_ [1 .. steps] $ \step -> do
      if odd step then sweep one other from past else sweep other one from past
      barrier team
  V.unsafeFreeze (if odd steps then other else one)

main :: IO ()
main = do
  wrongs <- mapM run [1, 2, 4]
  unless (all (== 0) wrongs) exitFailure
  where
    run threads = do
      rod <- rodWithBarriers defaults {numThreads = Just threads}
      let (wrong, temperatures) = report rod
      putStrLn ("team of " ++ show threads ++ ": " ++ temperatures ++ ", wrong points: " ++ show wrong)
      pure wrong
