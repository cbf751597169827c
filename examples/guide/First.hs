module Main (main) where

import Data.Monoid (Sum (..))

import OpenMP (Runtime (..), defaults, runtime)
import OpenMP.Parallel (Order (..), parallelReduce)

main :: IO ()
main = do
  which <- runtime
  putStrLn ("served by ghc-openmp: " ++ show (runtimeServes which))
  Sum total <- parallelReduce defaults IndexOrder 1 1001 (\i -> pure (Sum (i * i)))
  print total
