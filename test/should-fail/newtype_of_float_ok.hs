{-# LANGUAGE DerivingStrategies, GeneralizedNewtypeDeriving #-}
-- The double itself is passed. Newtypes of integers and pointers derive the instances.
module Main (main) where

import Control.Monad (unless)
import Foreign (FunPtr, Ptr, Storable, nullPtr)
import Foreign.C (CDouble, CInt, CSize)
import OpenMP.Batch

newtype Metre = Metre CDouble
    deriving (Eq)

newtype Count = Count CInt
    deriving newtype (Eq, Storable, CArgument, CResult)

newtype Block = Block (Ptr ())
    deriving newtype (Eq, Storable, CArgument, CResult)

foreign import ccall "&sqrt" c_sqrt :: FunPtr (CDouble -> IO CDouble)
foreign import ccall "&abs" c_abs :: FunPtr (Count -> IO Count)
foreign import ccall "&realloc" c_realloc :: FunPtr (Block -> CSize -> IO Block)
foreign import ccall "&free" c_free :: FunPtr (Block -> IO ())

main :: IO ()
main = do
    (root, count, block) <- runBatch $
        (,,) <$> (Metre <$> call c_sqrt 9) <*> call c_abs (Count (-4)) <*> call c_realloc (Block nullPtr) 8
    runBatch (call c_free block)
    unless (root == Metre 3 && count == Count 4 && block /= Block nullPtr) (fail "a batch with newtypes")
