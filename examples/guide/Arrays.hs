module Main (main) where

import qualified Data.Vector.Storable as V
import Foreign.C.Types (CDouble (..), CLong (..))
import Foreign.Ptr (Ptr)

import OpenMP (defaults)
import qualified OpenMP.Array as A
import OpenMP.Parallel (parallelFor)

-- Safe: the function opens a parallel region.
foreign import ccall safe "scale" c_scale :: Ptr Double -> CLong -> CDouble -> IO ()

main :: IO ()
main = do
  array <- A.new 6 0
  parallelFor defaults 0 (A.length array) $ \i -> A.write array i (fromIntegral i)
  A.withPtr array $ \p n -> c_scale p (fromIntegral n) 10
  A.toList array >>= print

  -- A part of it, and the whole as a vector: all of them are the same memory.
  part <- A.slice 4 2 array
  A.fill part 1
  vector <- A.unsafeFreeze array
  print (V.sum vector)
