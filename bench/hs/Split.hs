{-# LANGUAGE BangPatterns #-}

-- | Loops shared between Haskell threads by hand, by sparks and by monad-par: Haskell's means without OpenMP. Each is
-- written as its users write it, and inlined into its caller together with the loop's body.
module Split
  ( Loop
  , alone
  , forkIOs
  , forkAll
  , forkOns
  , monadPar
  , Reduce
  , reduceAlone
  , reduceForkIOs
  , reduceForkAll
  , reduceForkOns
  , reduceSparks
  , reduceMonadPar
  , pieces
  ) where

import Control.Monad (forM)
import Control.Monad.IO.Class (liftIO)
import Control.Monad.Par (runPar)
import qualified Control.Monad.Par as Par
import qualified Control.Monad.Par.Class as ParClass
import Control.Monad.Par.IO (runParIO)
import Control.Parallel.Strategies (parList, rseq, withStrategy)
import qualified Data.List as List

import Fork (fork, forkAt)
import Work (Terms (..))

-- | Pieces, number of indices, body.
type Loop = Int -> Int -> (Int -> IO ()) -> IO ()

-- | Pieces, number of indices, what is added up, how two sums combine: the sum of all.
type Reduce a = Int -> Int -> Terms a -> (a -> a -> a) -> IO a

-- | The pieces' ranges, as even as possible; never an empty one.
pieces :: Int -> Int -> [(Int, Int)]
pieces count n = [(n * k `div` p, n * (k + 1) `div` p) | k <- [0 .. p - 1]]
  where
    p = max 1 (min count n)

range :: (Int -> IO ()) -> (Int, Int) -> IO ()
range body (from, past) = go from
  where
    go i
      | i >= past = pure ()
      | otherwise = body i >> go (i + 1)
{-# INLINE range #-}

alone :: Loop
alone _ n body = range body (0, n)
{-# INLINE alone #-}

-- | One Haskell thread for each piece but the first, which the caller does itself.
forkIOs :: Loop
forkIOs count n body = do
  joins <- forM rest (fork . range body)
  range body first
  sequence_ joins
  where
    (first, rest) = firstAndRest count n
{-# INLINE forkIOs #-}

-- | One Haskell thread for each piece; the caller only waits. A Capability passes threads of its queue on to idle ones
-- when its own thread yields or blocks: while the caller of 'forkIOs' computes, its threads stay in its queue until its
-- time slice ends.
forkAll :: Loop
forkAll count n body = mapM (fork . range body) (pieces count n) >>= sequence_
{-# INLINE forkAll #-}

-- | As 'forkIOs', each thread on the next Capability.
forkOns :: Loop
forkOns count n body = do
  joins <- forM (zip [1 ..] rest) $ \(k, piece) -> forkAt k (range body piece)
  range body first
  sequence_ joins
  where
    (first, rest) = firstAndRest count n
{-# INLINE forkOns #-}

firstAndRest :: Int -> Int -> ((Int, Int), [(Int, Int)])
firstAndRest count n = case pieces count n of
  first : rest -> (first, rest)
  [] -> ((0, 0), [])

monadPar :: Loop
monadPar count n body = runParIO $ do
  results <- forM (pieces count n) (\piece -> ParClass.spawn_ (liftIO (range body piece)))
  mapM_ ParClass.get results
{-# INLINE monadPar #-}

reduceAlone :: Reduce a
reduceAlone _ n (Terms _ sumOf) _ = pure $! sumOf 0 n
{-# INLINE reduceAlone #-}

reduceForkIOs :: Reduce a
reduceForkIOs = reducing (const fork)
{-# INLINE reduceForkIOs #-}

-- | As 'forkAll'.
reduceForkAll :: Reduce a
reduceForkAll count n (Terms _ sumOf) combine = do
  joins <- forM (pieces count n) (\(from, past) -> fork (pure $! sumOf from past))
  foldl1 combine <$> sequence joins
{-# INLINE reduceForkAll #-}

reduceForkOns :: Reduce a
reduceForkOns = reducing forkAt
{-# INLINE reduceForkOns #-}

reducing :: (Int -> IO a -> IO (IO a)) -> Reduce a
reducing start count n (Terms _ sumOf) combine = do
  joins <- forM (zip [1 ..] rest) $ \(k, (from, past)) -> start k (pure $! sumOf from past)
  let !own = uncurry sumOf first
  List.foldl' combine own <$> sequence joins
  where
    (first, rest) = firstAndRest count n
{-# INLINE reducing #-}

reduceSparks :: Reduce a
reduceSparks count n (Terms _ sumOf) combine =
  pure $! foldl1 combine (withStrategy (parList rseq) [sumOf from past | (from, past) <- pieces count n])
{-# INLINE reduceSparks #-}

reduceMonadPar :: Reduce a
reduceMonadPar count n (Terms _ sumOf) combine = pure $! runPar total
  where
    total = do
      results <- forM (pieces count n) (\(from, past) -> spawned (sumOf from past))
      foldl1 combine <$> mapM Par.get results
    -- spawnP would require NFData; the sums are numbers, for which weak head normal form is enough.
    spawned x = do
      result <- Par.new
      Par.fork (Par.put_ result $! x)
      pure result
{-# INLINE reduceMonadPar #-}
