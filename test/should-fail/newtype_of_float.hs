{-# LANGUAGE DerivingStrategies, GeneralizedNewtypeDeriving #-}
-- A newtype of a double, which C passes in a floating register, derives the instances by which it is in a general one.
-- expect: Couldn't match .*Floating.*argumentPassed
module Main (main) where

import Foreign (FunPtr, Storable)
import Foreign.C (CDouble)
import OpenMP.Batch

newtype Metre = Metre CDouble
    deriving newtype (Eq, Show, Storable, CArgument, CResult)

foreign import ccall "&sqrt" c_sqrt :: FunPtr (Metre -> IO Metre)

main :: IO ()
main = runBatch (call c_sqrt (Metre 9)) >>= print
