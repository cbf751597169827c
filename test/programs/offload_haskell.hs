-- A Haskell program that calls a C function with target regions (offload_haskell.c) beside Haskell threads that
-- compute, and one that calls it from a callback out of a region.
module Main (main) where

import Control.Concurrent
import Control.Exception (evaluate)
import Control.Monad
import Foreign.C.Types
import Foreign.Ptr
import System.Exit

foreign import ccall safe "offload_sum" offloadSum :: CInt -> IO CLong
foreign import ccall safe "offload_calls" offloadCalls :: FunPtr (CInt -> IO CLong) -> CInt -> IO CLong
foreign import ccall "wrapper" wrap :: (CInt -> IO CLong) -> IO (FunPtr (CInt -> IO CLong))

expected :: Int -> CLong
expected n = fromIntegral (n * (n - 1))

main :: IO ()
main = do
    sums <- forM [1 .. 4] $ \t -> do
        done <- newEmptyMVar
        _ <- forkIO $ do
            rs <- forM [1 .. 50] $ \i -> do
                let n = 10 * t + i
                r <- offloadSum (fromIntegral n)
                pure (r == expected n)
            putMVar done (and rs)
        pure done
    pure' <- newEmptyMVar
    _ <- forkIO (evaluate (sum [1 .. 3000000 :: Int]) >>= putMVar pure')
    good <- and <$> mapM takeMVar sums
    s <- takeMVar pure'
    callback <- wrap offloadSum
    called <- offloadCalls callback 100
    freeHaskellFunPtr callback
    unless (good && s == 4500001500000 && called == expected 100) $ do
        putStrLn ("wrong: " ++ show (good, s, called))
        exitFailure
    putStrLn "ok"
