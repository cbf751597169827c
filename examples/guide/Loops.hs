module Main (main) where

import Control.Monad (forM_)
import Data.Monoid (Sum (..))
import Data.Vector.Unboxed (Vector, (!))
import qualified Data.Vector.Unboxed as U
import qualified Data.Vector.Unboxed.Mutable as M

import OpenMP (Schedule (..), Settings (..), defaults)
import OpenMP.Parallel (Order (..), parallelFor, parallelForChunks, parallelReduce)

-- | The length of a vector in space.
norm :: Vector Double -> IO Double
norm v = do
  total <- parallelReduce defaults IndexOrder 0 (U.length v) $ \i ->
    pure (Sum (v ! i * v ! i))
  pure (sqrt (getSum total))

-- | Iteration i writes cell i and no other: the iterations may run in any order and at the same time.
squares :: Int -> IO (U.Vector Int)
squares n = do
  cells <- M.new n
  parallelFor defaults 0 n $ \i -> M.write cells i (i * i)
  U.unsafeFreeze cells

-- | The number of steps differs from number to number: the next chunk of 16 goes to the thread that asks first.
collatz :: Int -> IO (U.Vector Int)
collatz n = do
  cells <- M.new n
  parallelFor defaults {schedule = Just (Dynamic 16)} 0 n $ \i -> M.write cells i (steps (i + 1))
  U.unsafeFreeze cells
  where
    steps :: Int -> Int
    steps k = length (takeWhile (/= 1) (iterate next k))
    next k = if even k then k `div` 2 else 3 * k + 1

-- | The body gets a range, so that the loop over it is its own.
doubled :: U.Vector Int -> IO (U.Vector Int)
doubled xs = do
  cells <- M.new (U.length xs)
  parallelForChunks defaults 0 (U.length xs) $ \from past ->
    forM_ [from .. past - 1] $ \i -> M.write cells i (2 * xs U.! i)
  U.unsafeFreeze cells

main :: IO ()
main = do
  squares 10 >>= print
  collatz 10 >>= print
  doubled (U.enumFromN 1 5) >>= print

  -- Any monoid. In index order also one that does not commute.
  Sum total <- parallelReduce defaults AnyOrder 0 1000 (pure . Sum)
  print total
  text <- parallelReduce defaults IndexOrder 0 10 (pure . show)
  putStrLn text
  norm (U.fromList [2, 3, 6]) >>= print
