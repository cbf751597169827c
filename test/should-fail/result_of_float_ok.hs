{-# LANGUAGE DerivingStrategies, GeneralizedNewtypeDeriving #-}
-- The double becomes one of the newtype in Haskell. A newtype of an integer has the instance without methods.
module Main (main) where

import Control.Monad (unless)
import Foreign (FunPtr, Storable)
import Foreign.C (CDouble, CInt)
import OpenMP.Batch

newtype Metre = Metre CDouble
    deriving (Eq)

newtype Count = Count CInt
    deriving newtype (Eq, Ord, Num, Enum, Real, Integral, Storable)

instance CResult Count

foreign import ccall "&sqrt" c_sqrt :: FunPtr (CDouble -> IO CDouble)
foreign import ccall "&abs" c_abs :: FunPtr (CInt -> IO Count)

main :: IO ()
main = do
    (root, count) <- runBatch ((,) <$> (Metre <$> call c_sqrt 9) <*> call c_abs (-4))
    unless (root == Metre 3 && count == Count 4) (fail "a batch with newtypes")
