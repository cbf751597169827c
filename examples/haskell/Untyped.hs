{-# LANGUAGE LinearTypes #-}

-- | What goes wrong without types: two programs that share an array by plain pointers, and the errors that they make.
--
-- Both compile without a warning and are right with one thread. @overlap@ cuts an array into parts that overlap.
-- @stencil@ computes heat in a rod in place and forgets that other threads do so, too. How many elements come out wrong
-- depends on which thread was faster: these counts go to stderr and are different in each run.
--
-- With linear tokens neither can be written: overlapping parts and an unprotected neighbour don't compile. The same
-- work with tokens is below and in NoBarrier.hs, and is right.
module Main (main) where

import Control.Monad (forM_, replicateM, unless)
import Data.Array.Linear (Parts, Slice, Ur, unur, (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel (Workers (..), parParts)
import qualified Data.Vector.Storable as V
import qualified Data.Vector.Storable.Mutable as M
import Foreign.C.Types (CInt (..))
import Foreign.Marshal.Array (withArray)
import Foreign.Ptr (Ptr)
import Foreign.Storable (peekElemOff, pokeElemOff)
import Heat
import OpenMP.Parallel
import OpenMP.Settings
import System.Exit (exitFailure)
import System.IO (hPutStrLn, stderr)

-- Stands for anything that takes its time between a read and a write; it makes room for the other thread on a machine
-- whose cores are taken. Unsafe: it returns within microseconds and does not need Haskell.
foreign import ccall unsafe "sched_yield"
  c_schedYield :: IO CInt

elements, overlapping, rounds, runs :: Int
elements = 400
overlapping = 50
rounds = 300
runs = 10

-- | What an overlap does to an array of counters: elements with a wrong count, and additions that vanished.
data Overlap = Overlap {wrongElements :: Int, lostAdditions :: Int}

-- | Each thread adds one to the elements of its part, again and again. Each part begins too early: someone thought that
-- the ends were not included. An element of two parts is counted twice, and what other threads add to it between a
-- thread's reading and its writing is lost.
overlap :: Int -> IO Overlap
overlap threads = withArray (replicate elements 0) $ \array -> do
  parallel_ defaults {numThreads = Just threads} $ \team -> do
    me <- threadNum team
    barrier team -- all begin at the same time
    let (from, past) = part me
    forM_ [1 .. rounds] $ \_ -> addOne array from past
  counts <- mapM (peekElemOff array) [0 .. elements - 1]
  let added = sum [past - from | (from, past) <- map part [0 .. threads - 1]] * rounds
  pure (Overlap (length (filter (/= rounds) counts)) (added - sum counts))
  where
    part me = (max 0 (elements * me `div` threads - overlapping), elements * (me + 1) `div` threads)

addOne :: Ptr Int -> Int -> Int -> IO ()
addOne array from past = forM_ [from .. past - 1] $ \i -> do
  count <- peekElemOff array i
  _ <- c_schedYield
  pokeElemOff array i (count + 1)

-- | A step in place: the left neighbour's old temperature is carried along, the right one's is still there. Right for
-- one thread. With two, the neighbours across the border are of whatever step the other thread is in.
stencil :: Int -> IO Int
stencil threads = do
  rod <- V.thaw (V.generate points initial)
  M.unsafeWith rod $ \array -> parallel_ defaults {numThreads = Just threads} $ \team -> do
    me <- threadNum team
    barrier team
    let (from, past) = share threads me
    forM_ [1 .. steps] $ \_ -> sweepInPlace array (max 1 from) (min (points - 1) past)
  fst . report <$> V.unsafeFreeze rod

sweepInPlace :: Ptr Double -> Int -> Int -> IO ()
sweepInPlace array from past = peekElemOff array (from - 1) >>= go from
  where
    go i left
      | i >= past = pure ()
      | otherwise = do
          here <- peekElemOff array i
          right <- peekElemOff array (i + 1)
          pokeElemOff array i (next left here right)
          go (i + 1) here

-- | The counters with tokens: each part has one owner. Parts that overlap would need a second token for the elements in
-- both, and there is none.
withTokens :: Int -> V.Vector Int
withTokens threads = unur (L.alloc elements 0 (\whole -> countIn (L.splitEvenly threads whole)))
  where
    countIn :: Parts p Int %1 -> Ur (V.Vector Int)
    countIn parts = parts & parParts team (\_ part -> addOnes rounds part) & L.combineParts & L.freeze
    team = Team defaults {numThreads = Just threads}

addOnes :: Int -> Slice p Int %1 -> Slice p Int
addOnes 0 part = part
addOnes n part = addOnes (n - 1) (L.map (+ 1) part)

-- | The smallest and the largest of the numbers.
between :: [Int] -> String
between counts = show (minimum counts) ++ " to " ++ show (maximum counts)

main :: IO ()
main = do
  alone <- (,) . wrongElements <$> overlap 1 <*> stencil 1
  putStrLn ("one thread, pointers: overlap " ++ show (fst alone) ++ " wrong, stencil " ++ show (snd alone) ++ " wrong")
  overlaps <- replicateM runs (overlap 2)
  stencils <- replicateM runs (stencil 2)
  hPutStrLn stderr ("two threads, pointers, " ++ show runs ++ " runs:")
  hPutStrLn stderr ("  overlap: wrong elements " ++ between (map wrongElements overlaps) ++ " of " ++ show elements
    ++ ", additions lost " ++ between (map lostAdditions overlaps))
  hPutStrLn stderr ("  stencil: wrong points " ++ between stencils ++ " of " ++ show points)
  let wrongWithTokens = V.length (V.filter (/= rounds) (withTokens 2))
  putStrLn ("two threads, tokens: " ++ show wrongWithTokens ++ " wrong")
  unless (alone == (0, 0) && wrongWithTokens == 0) exitFailure
