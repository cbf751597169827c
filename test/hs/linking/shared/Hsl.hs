{-# LANGUAGE ForeignFunctionInterface #-}
-- | A library for C programs, with a region whose body is Haskell.
module Hsl (hslSum, hslServes) where

import Data.Monoid (Sum (..))
import Foreign.C.Types (CInt (..))

import OpenMP (Runtime (..), Settings (..), defaults, runtime)
import OpenMP.Parallel (Order (..), parallelReduce)

foreign export ccall "hsl_sum" hslSum :: CInt -> IO CInt
foreign export ccall "hsl_serves" hslServes :: IO CInt

-- | 0 + ... + (n - 1).
hslSum :: CInt -> IO CInt
hslSum n = getSum <$>
    parallelReduce defaults { numThreads = Just 3 } IndexOrder 0 (fromIntegral n) (pure . Sum . fromIntegral)

-- | Whether OpenMP code of the process runs on our runtime.
hslServes :: IO CInt
hslServes = fromIntegral . fromEnum . runtimeServes <$> runtime
