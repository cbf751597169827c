-- | Which runtime the system's libraries get.
module Main (main) where

import Foreign.C.Types (CInt (..))

import OpenMP (setNumThreads)
import Regions (facts)

-- Safe, both: they open regions.
foreign import ccall safe "system_blas" systemBlas :: CInt -> IO CInt
foreign import ccall safe "system_fftw" systemFftw :: CInt -> IO CInt

-- OpenBLAS goes first and FFTW asks for one thread more, so that each has workers to make.
main :: IO ()
main = do
    setNumThreads 4
    systemBlas 300 >>= putStrLn . ("blas: workers " ++) . show
    setNumThreads 6
    systemFftw 100000 >>= putStrLn . ("fftw: workers " ++) . show
    facts >>= putStrLn . ("run: " ++)
