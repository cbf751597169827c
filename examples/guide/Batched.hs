module Main (main) where

import qualified Data.Vector.Storable as V
import Foreign.C.Types (CDouble (..), CInt (..))
import Foreign.Ptr (FunPtr)

import OpenMP.Batch (Column (..), call, callColumns, runBatch)

foreign import ccall "&hypot" c_hypot :: FunPtr (CDouble -> CDouble -> IO CDouble)
foreign import ccall "&abs" c_abs :: FunPtr (CInt -> IO CInt)

main :: IO ()
main = do
  -- Calls of different functions.
  both <- runBatch ((,) <$> call c_hypot 3 4 <*> call c_abs (-7))
  print both

  -- Many calls of one function.
  distances <- runBatch (traverse (call c_abs) [-2 .. 2])
  print distances

  -- The same over a vector: C takes the arguments from it and writes the results to another.
  lengths <- callColumns c_hypot (Each (V.fromList [3, 5, 8])) (Each (V.fromList [4, 12, 15]))
  print lengths
