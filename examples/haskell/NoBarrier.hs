{-# LANGUAGE GADTs #-}
{-# LANGUAGE LinearTypes #-}

-- | The rod of Barrier.hs without a barrier, and with the sharing checked by the compiler.
--
-- In each round the old rod is lent, so everybody may read it and nobody can write it, and the new rod is split into
-- parts, each of which has one owner. A part goes many steps ahead without asking anybody: it starts from its piece of
-- the old rod and so many more points on either side, and each step needs one point less there. The price is that the
-- points beside the borders are computed twice.
--
-- What a barrier is there to prevent cannot be written: reading a point that another part is writing would need the
-- other part's token.
module Main (main) where

import Control.Monad (unless)
import Data.Array.Linear (Slice, Ur (..), View, unur, (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel (Workers (..), parParts)
import qualified Data.List as List
import qualified Data.Vector.Storable as V
import Heat
import OpenMP.Settings
import System.Exit (exitFailure)

-- | Steps in one round.
ahead :: Int
ahead = 20

rod :: Int -> V.Vector Double
rod threads = unur (L.generate points initial (\old -> L.alloc points 0 (rounds (steps `div` ahead) old)))
  where
    team = Team defaults {numThreads = Just threads}

    -- The rods change places after each round.
    rounds :: Int -> Slice p Double %1 -> Slice q Double %1 -> Ur (V.Vector Double)
    rounds 0 old new = L.discard new & \() -> L.freeze old
    rounds k old new = L.lend old (\view -> oneRound view new) & \(old', new') -> rounds (k - 1) new' old'

    oneRound :: View Double -> Slice q Double %1 -> Slice q Double
    oneRound view new = new & L.splitEvenly threads & parParts team (goAhead view) & L.combineParts

-- | Fills a part, which begins at this point of the rod.
goAhead :: View Double -> Int -> Slice q Double %1 -> Slice q Double
goAhead view from part =
  L.length part & \(Ur n, part') -> L.fillWith (later (L.viewVector view) from (from + n) V.!) part'

-- | The points [from, past) some steps later, from a piece of the old rod that has so many more points on each side.
-- Each step needs one point less there.
later :: V.Vector Double -> Int -> Int -> V.Vector Double
later old from past = List.foldl' step (V.slice (first ahead) (width ahead) old) [ahead - 1, ahead - 2 .. 0]
  where
    -- The piece with k more points on each side, as far as the rod goes.
    first k = max 0 (from - k)
    width k = min points (past + k) - first k
    step piece k = V.generate (width k) (\j -> at piece (first k + j) (first k + j - first (k + 1)))
    at piece i j
      | i == 0 || i == points - 1 = piece V.! j
      | otherwise = next (piece V.! (j - 1)) (piece V.! j) (piece V.! (j + 1))

main :: IO ()
main = do
  wrongs <- mapM run [1, 2, 4]
  unless (all (== 0) wrongs) exitFailure
  where
    run threads = do
      let (wrong, temperatures) = report (rod threads)
      putStrLn ("team of " ++ show threads ++ ": " ++ temperatures ++ ", wrong points: " ++ show wrong)
      pure wrong
