module Main (main) where

import Foreign.C.Types
import OpenMP.Interrupt
import System.Timeout

-- Safe: it opens a region, and lasts long.
foreign import ccall safe "count_primes" countPrimes :: CLong -> IO CLong

main :: IO ()
main = do
  timeout 60000000 (interruptibly (countPrimes 1000)) >>= print
  timeout 50000 (interruptibly (countPrimes 1000000000)) >>= print
