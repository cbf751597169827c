-- | Which modules one run of GHC compiles.
--
-- A run reads the interfaces of the packages that its modules use before it compiles anything, and that takes longer
-- than most modules do. Modules of one run have it done once. But what needs one of them waits for the run to end: few
-- large runs leave processors idle, many small ones begin too often.
module Batches
  ( batches
  ) where

import Data.Foldable (minimumBy)
import Data.IntMap.Lazy (IntMap)
import qualified Data.IntMap.Lazy as IntMap
import Data.IntSet (IntSet)
import qualified Data.IntSet as IntSet
import Data.List (insertBy, sortOn)
import qualified Data.Map.Strict as Map
import Data.Ord (Down (..), comparing)

import Dependencies

-- | All compilations, in an order in which they can be made, divided into runs: one needs only what is in runs before
-- its own, or before it in that. What counts is the number of runs at a time and the sizes of the sources, in bytes.
--
-- Runs of several largest sizes are tried in a model where a run takes a time for each byte, and a start as long as
-- some bytes; the shortest schedule is taken.
batches :: Int -> Map.Map Object (Unit, Int) -> [[Object]]
batches workers units = map (map (names IntMap.!)) (snd shortest)
  where
    shortest = minimumBy (comparing fst) (map (schedule workers jobs) limits)
    numbers = Map.fromDistinctAscList (zip (Map.keys units) [0 ..])
    names = IntMap.fromDistinctAscList (zip [0 ..] (Map.keys units))
    from = IntMap.fromDistinctAscList
      [(i, IntSet.fromList (map (numbers Map.!) (needs unit))) | (i, (unit, _)) <- zip [0 ..] (Map.elems units)]
    size = IntMap.fromDistinctAscList (zip [0 ..] (map ((+ each) . snd) (Map.elems units)))
    users = IntMap.fromListWith IntSet.union
      [(k, IntSet.singleton i) | (i, ks) <- IntMap.toList from, k <- IntSet.toList ks]
    -- Values of these lazy maps are made from others of them: the graph has no cycle, or ghc -M says so.
    below = IntMap.map (\ks -> IntSet.unions (ks : [below IntMap.! k | k <- IntSet.toList ks])) from
    path = IntMap.mapWithKey
      (\i own -> own + maximum (0 : [path IntMap.! k | k <- maybe [] IntSet.toList (IntMap.lookup i users)])) size
    jobs = IntMap.intersectionWithKey job from size
    job i ks own = Job
      { after = ks
      , bytes = own
      , urgency = path IntMap.! i
      , alone = not (IntSet.null (boots ks))
          || any (without (below IntMap.! i)) (IntSet.toList (boots (below IntMap.! i)))
      }
    -- GHC keeps an interface that it has loaded, and after that of an .hs-boot file it would not load the module's own.
    -- So what may load the former has a run for itself: what imports it, and what comes before the module's own.
    boots = IntSet.filter (isBoot . (names IntMap.!))
    without ks boot = maybe True (`IntSet.notMember` ks) (Map.lookup (ofModule (names IntMap.! boot)) numbers)
    ofModule name = take (length name - length "-boot") name
    total = sum size
    limits = 0 : [total `div` (workers * k) | k <- [1, 2, 3, 4, 6, 8, 12, 16, 24, 32]]

data Job = Job
  { after :: IntSet -- ^ what it needs
  , bytes :: Int
  , urgency :: Int -- ^ bytes of the longest chain of modules that begins with it
  , alone :: Bool
  }

-- | What a start of GHC costs, and each module besides its size: it could have compiled so many bytes. Taken from the
-- times of cabal-install's runs, without optimisation.
start, each :: Int
start = 50000
each = 10000

-- | When all is made, and the runs in the order in which they begin. A processor that is free takes what is ready and
-- most urgent, and with it what becomes ready by that, up to so many bytes.
schedule :: Int -> IntMap Job -> Int -> (Int, [[Int]])
schedule workers jobs limit = go 0 [] IntSet.empty (map fst (sortOn (Down . urgency . snd) (IntMap.toList jobs)))
  where
    go now running made left = case filter (ready made) left of
      first : _ | length running < workers ->
        let run = if alone (jobs IntMap.! first) then [first] else reverse (grow made left [first])
            ends = now + start + sum (map (bytes . (jobs IntMap.!)) run)
            (time, later) = go now (insertBy (comparing fst) (ends, run) running) made (filter (`notElem` run) left)
        in (time, run : later)
      _ -> case running of
        (ends, run) : rest -> go ends rest (IntSet.union made (IntSet.fromList run)) left
        [] -> (now, [])
    ready made i = after (jobs IntMap.! i) `IntSet.isSubsetOf` made
    grow made left run = case filter fits left of
      next : _ -> grow made left (next : run)
      [] -> run
      where
        within = IntSet.union made (IntSet.fromList run)
        room = limit - sum (map (bytes . (jobs IntMap.!)) run)
        fits i = i `notElem` run && not (alone job) && bytes job <= room && ready within i
          where job = jobs IntMap.! i
