module Main (main) where

import Foreign.C.Types (CLong (..))
import Foreign.Marshal.Array (withArrayLen)
import Foreign.Ptr (Ptr)

-- Safe: the function opens a parallel region.
foreign import ccall safe "dot" c_dot :: Ptr Double -> Ptr Double -> CLong -> IO Double

dot :: [Double] -> [Double] -> IO Double
dot xs ys =
  withArrayLen xs $ \n x ->
    withArrayLen ys $ \m y ->
      c_dot x y (fromIntegral (min n m))

main :: IO ()
main = dot [1 .. 100] [1 .. 100] >>= print
