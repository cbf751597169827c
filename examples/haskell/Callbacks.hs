-- | C code on an OpenMP team that calls Haskell: by a function pointer, and by an object that enters Haskell once for
-- many calls.
module Main (main) where

import Control.Exception (ErrorCall (..), throwIO, try)
import Data.IORef (atomicModifyIORef', newIORef, readIORef)
import Data.List (insert)
import Foreign.C.Types (CDouble (..), CInt (..), CLong (..))
import Foreign.Marshal.Utils (with)
import Foreign.Ptr (FunPtr, Ptr)
import Foreign.Storable (peek)
import GHC.Clock (getMonotonicTime)
import System.IO (hPutStrLn, stderr)

import OpenMP.Callback (CFoldCallback, callbackPtr, withFoldCallback, withFunPtr)
import OpenMP.Prim (threadNumber)

type Function = CLong -> IO CDouble

foreign import ccall "wrapper"
  wrap :: Function -> IO (FunPtr Function)

-- Safe, both: they open regions, and they come back into Haskell, which an unsafe call must never do.
foreign import ccall safe "sum_by_pointer"
  c_sumByPointer :: FunPtr Function -> CLong -> IO CDouble
foreign import ccall safe "sum_by_object"
  c_sumByObject :: Ptr CFoldCallback -> CLong -> Ptr Double -> IO CInt

byPointer :: (Int -> IO Double) -> Int -> IO Double
byPointer f n =
  withFunPtr wrap (fmap CDouble . f . fromIntegral) $ \pointer -> do
    CDouble total <- c_sumByPointer pointer (fromIntegral n)
    pure total

-- | The exception of a call is thrown here, when the region has ended; C's return value says no more.
byObject :: (Int -> IO Double) -> Int -> IO Double
byObject f n =
  withFoldCallback (\i total -> (total +) <$> f i) $ \object ->
    with 0 $ \result -> do
      _ <- c_sumByObject (callbackPtr object) (fromIntegral n) result
      peek result

-- | Whole numbers, so that the sum is the same in every order.
square :: Int -> IO Double
square i = pure $! fromIntegral (i * i)

timed :: String -> IO a -> IO a
timed name action = do
  start <- getMonotonicTime
  result <- action
  took <- subtract start <$> getMonotonicTime
  hPutStrLn stderr (name ++ ": " ++ show (round (took * 1e6) :: Int) ++ " us")
  pure result

main :: IO ()
main = do
  seen <- newIORef []
  _ <- flip byPointer 3 $ \_ -> do
    me <- threadNumber
    atomicModifyIORef' seen (\others -> (insert me others, ()))
    pure 0
  readIORef seen >>= putStrLn . ("called by the team's threads " ++) . show

  one <- timed "20000 calls by a function pointer" (byPointer square 20000)
  two <- timed "20000 calls by an object" (byObject square 20000)
  putStrLn ("sum of the squares: " ++ show one)
  putStrLn ("the same by an object: " ++ show (two == one))

  failed <- try (byObject (\i -> if i == 13 then throwIO (ErrorCall "13 is bad luck") else square i) 20000)
  putStrLn ("an exception in a callback: " ++ show (failed :: Either ErrorCall Double))
