module Main (main) where

import qualified Data.Vector.Unboxed as U
import qualified Data.Vector.Unboxed.Mutable as M
import Foreign.C.Types (CInt (..), CLong (..), CSize (..))
import Foreign.Marshal.Array (peekArray, withArrayLen)
import Foreign.Ptr (FunPtr, Ptr)
import Foreign.Storable (peek)

import OpenMP.Callback (CCallback, callbackPtr, withCallback, withFunPtr)

type Compare = Ptr Int -> Ptr Int -> IO CInt

foreign import ccall "wrapper" wrapCompare :: Compare -> IO (FunPtr Compare)

-- Safe, both: they call back into Haskell, and the second opens a parallel region.
foreign import ccall safe "qsort" c_qsort :: Ptr Int -> CSize -> CSize -> FunPtr Compare -> IO ()
foreign import ccall safe "blocks" c_blocks :: Ptr CCallback -> CLong -> IO CInt

main :: IO ()
main = do
  -- A function pointer goes wherever C wants one. Each call of it enters Haskell.
  let descending a b = (\x y -> fromIntegral (fromEnum (compare y x) - 1)) <$> peek a <*> peek b
  sorted <- withArrayLen [3, 1, 4, 1, 5] $ \n numbers -> do
    withFunPtr wrapCompare descending $ \compareC -> c_qsort numbers (fromIntegral n) 8 compareC
    peekArray n numbers
  print sorted

  -- A callback object goes to C code that knows it. One entry serves many calls.
  cells <- M.new 5000
  failed <- withCallback (\i -> M.write cells i (2 * i)) $ \callback -> c_blocks (callbackPtr callback) 5000
  total <- U.sum <$> U.freeze cells
  print (failed, total :: Int)
