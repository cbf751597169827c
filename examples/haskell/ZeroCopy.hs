-- | Arrays that Haskell and C both use, where they are.
--
-- Storable vectors, and the arrays of OpenMP.Array, lie in memory that the garbage collector does not move. So C
-- can work on the elements themselves. That nothing is copied is shown three ways: C tells which address it has read,
-- what one side writes the other side reads, and Haskell allocates next to nothing in between.
module Main (main) where

import Control.Exception (evaluate)
import Control.Monad (unless, when)
import Data.Primitive.PrimArray (readPrimArray)
import qualified Data.Vector.Storable as V
import qualified Data.Vector.Storable.Mutable as M
import Foreign.C.Types (CDouble (..), CLong (..))
import Foreign.ForeignPtr (newForeignPtr)
import Foreign.Marshal.Alloc (finalizerFree)
import Foreign.Ptr (Ptr, minusPtr, nullPtr)
import Foreign.Storable (sizeOf)
import qualified OpenMP.Array as A
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

-- | A permutation of the first million numbers.
shuffled :: V.Vector Double
shuffled = V.generate size (\i -> fromIntegral ((i * 7919 + 17) `mod` size))

-- | C reads the vector's own elements: the address that it finds lies in the vector, at the index of the largest.
reading :: V.Vector Double -> IO Bool
reading vector = do
  found <- V.unsafeWith vector (\p -> (`minusPtr` p) <$> c_largest p (fromIntegral (V.length vector)))
  pure (found == sizeOf (0 :: Double) * V.maxIndex vector)

-- | C writes into a mutable vector; Haskell reads there what C wrote.
writing :: M.IOVector Double -> IO Bool
writing vector = do
  before <- M.read vector (size - 1)
  M.unsafeWith vector (\p -> c_scale p (fromIntegral size) 2)
  after <- M.read vector (size - 1)
  pure (after == 2 * before)

-- | Memory that C has allocated becomes a vector; free() is called when nobody has the vector any more.
adopting :: IO Bool
adopting = do
  p <- c_squares (fromIntegral size)
  when (p == nullPtr) (ioError (userError "no memory"))
  memory <- newForeignPtr finalizerFree p
  let vector = V.unsafeFromForeignPtr0 memory size
  same <- V.unsafeWith vector (\q -> pure (p == q))
  pure (same && vector V.! 1000 == 1000000)

-- | One array, written and read by Haskell, by C, as a vector and as one of primitive's arrays.
sharing :: A.Array Double -> IO Bool
sharing array = do
  A.write array 0 1
  A.withPtr array (\p n -> c_scale p (fromIntegral n) 3)
  M.modify (A.toMVector array) (+ 1) 0
  case A.toMutablePrimArray array of
    Just primitive -> (== 4) <$> readPrimArray primitive 0
    Nothing -> pure False -- not for arrays that are parts of others, or C's

-- | Runs an action, prints whether it found what it should, and whether Haskell allocated less than 64 kB
-- meanwhile. The arrays have 4 and 8 MB.
check :: String -> IO Bool -> IO Bool
check what action = do
  before <- getAllocationCounter -- of this thread; it counts down
  right <- action
  after <- getAllocationCounter
  let little = before - after < 65536
  putStrLn $
    take 32 (what ++ repeat ' ')
      ++ (if right then "right, " else "WRONG, ")
      ++ (if little then "nothing copied" else "COPIED")
  pure (right && little)

main :: IO ()
main = do
  _ <- evaluate shuffled
  mutable <- V.thaw shuffled
  array <- A.generate size fromIntegral
  results <-
    sequence
      [ check "C reads a vector" (reading shuffled)
      , check "C reads a slice of it" (reading (V.drop (size `div` 2) shuffled))
      , check "C writes into a mutable vector" (writing mutable)
      , check "an array in four views" (sharing array)
      , check "Haskell adopts C's memory" adopting
      ]
  -- That the check can tell: a copy does allocate.
  copied <- check "a copy, for comparison" (True <$ M.clone mutable)
  unless (and results && not copied) exitFailure
