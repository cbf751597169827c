module Main (main) where

import Data.Char (toUpper)
import Data.Monoid (Sum (..))
import qualified Data.Vector as B
import qualified Data.Vector.Storable as S
import qualified Data.Vector.Unboxed as U

import OpenMP (defaults)
import OpenMP.Parallel (Order (..))
import OpenMP.Vector (parallelGenerate, parallelImap, parallelMap, parallelMapIO, parallelReduceSlices)

main :: IO ()
main = do
  let squares = parallelGenerate defaults 8 (\i -> i * i) :: U.Vector Int
  print squares

  -- Source and result may be vectors of different kinds.
  print (parallelMap defaults even squares :: B.Vector Bool)
  print (parallelImap defaults (,) (S.fromList "abc") :: B.Vector (Int, Char))

  -- With an action for each element; the elements come in any order, the result is in the vector's.
  text <- parallelMapIO defaults (pure . toUpper) (U.fromList "in order") :: IO (U.Vector Char)
  print text

  -- A slice for each chunk of a loop, with all that the package vector has for slices.
  total <- parallelReduceSlices defaults AnyOrder squares (\_ part -> pure (Sum (U.sum part)))
  print (getSum total)
