module Main (main) where

import Data.IORef
import Foreign.C.Types
import Foreign.Ptr
import OpenMP.Callback

foreign import ccall safe "visit_all" visitAll :: Ptr CCallback -> CIntPtr -> IO CInt
foreign import ccall safe "visit_dynamic" visitDynamic :: Ptr CCallback -> CIntPtr -> IO CInt
foreign import ccall safe "sum_all" sumAll :: Ptr CFoldCallback -> CIntPtr -> IO CDouble

main :: IO ()
main = do
  seen <- newIORef 0
  withCallback (\i -> atomicModifyIORef' seen (\sum_ -> (sum_ + i, ()))) $ \visit -> do
    failed <- visitAll (callbackPtr visit) 10
    total <- readIORef seen
    putStrLn ("C returned " ++ show failed ++ ", and the sum is " ++ show total)

    again <- visitDynamic (callbackPtr visit) 10
    both <- readIORef seen
    print (again, both)

  squares <- withFoldCallback (\i total -> pure (total + fromIntegral (i * i))) $ \step ->
    sumAll (callbackPtr step) 1000
  print squares
