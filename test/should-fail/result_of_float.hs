{-# LANGUAGE DerivingStrategies, GeneralizedNewtypeDeriving #-}
-- A newtype of a double has an instance without methods for results, which are not in a general register.
-- expect: No instance for \(?Integral Metre\)?
module Main (main) where

import Foreign (FunPtr, Storable)
import Foreign.C (CDouble)
import OpenMP.Batch

newtype Metre = Metre CDouble
    deriving newtype (Eq, Show, Storable)

instance CResult Metre

foreign import ccall "&sqrt" c_sqrt :: FunPtr (CDouble -> IO Metre)

main :: IO ()
main = runBatch (call c_sqrt 9) >>= print
