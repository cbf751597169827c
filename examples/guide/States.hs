module Main (main) where

import Control.Monad (forM_)
import Data.Monoid (Sum (..))
import qualified Data.Vector.Unboxed as U
import qualified Data.Vector.Unboxed.Mutable as M

import OpenMP (defaults)
import OpenMP.Parallel (Order (..), parallelFoldWith, parallelForWith, parallelReduceChunks)

-- | The middle number of each row of Pascal's triangle. A thread uses one buffer for all its rows.
middles :: Int -> IO (U.Vector Int)
middles n = do
  cells <- M.new n
  parallelForWith defaults 0 n (M.new n) $ \row i -> do
    M.set row 0
    M.write row 0 1
    forM_ [1 .. i] $ \k ->
      forM_ [k, k - 1 .. 1] $ \j -> M.read row (j - 1) >>= \x -> M.modify row (+ x) j
    M.read row (i `div` 2) >>= M.write cells i
  U.unsafeFreeze cells

-- | How many squares end with each digit. Each thread counts in a vector of its own.
lastDigits :: Int -> IO (U.Vector Int)
lastDigits n = parallelFoldWith defaults AnyOrder 0 n (M.replicate 10 0) count plus >>= U.unsafeFreeze
  where
    count bins i = M.modify bins (+ 1) (i * i `mod` 10)
    plus total bins = do
      forM_ [0 .. 9] $ \d -> M.read bins d >>= \k -> M.modify total (+ k) d
      pure total

main :: IO ()
main = do
  middles 10 >>= print
  lastDigits 1000 >>= print

  -- A chunk's value in one go, here by a loop of the vector package.
  let xs = U.enumFromN 1 1000 :: U.Vector Int
  Sum total <- parallelReduceChunks defaults IndexOrder 0 (U.length xs) $ \from past ->
    pure (Sum (U.sum (U.slice from (past - from) xs)))
  print total
