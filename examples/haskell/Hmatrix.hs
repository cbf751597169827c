-- | Linear algebra by hmatrix on OpenBLAS, whose threads are this runtime's, while Haskell threads work beside it.
--
-- hmatrix and OpenBLAS are the distribution's packages, unchanged. OpenBLAS is loaded when the program starts, and
-- brings the system's libgomp.so.1 with it; but what it calls there is found in the program first.
module Main (main) where

import Control.Concurrent (MVar, forkIO, newEmptyMVar, putMVar, takeMVar)
import Control.Exception (IOException, evaluate, try)
import Control.Monad (forM)
import qualified Data.Vector.Storable as V
import qualified Data.Vector.Storable.Mutable as M
import Foreign.C.String (CString, withCString)
import Foreign.C.Types (CDouble (..), CInt (..))
import Foreign.Marshal.Utils (with)
import Foreign.Ptr (FunPtr, Ptr)
import Numeric.LinearAlgebra
import Prelude hiding ((<>))
import System.Posix.DynamicLinker (DL (Default), dlsym)

import OpenMP (Runtime (..), Settings (..), defaults, runtime, withSettings)

-- Unsafe: both return a number.
foreign import ccall unsafe "ghcomp_workers_created"
  c_workersCreated :: IO CInt
foreign import ccall unsafe "dynamic"
  callNumber :: FunPtr (IO CInt) -> IO CInt

-- Safe: a big product takes long, and the team's other threads take part in it.
foreign import ccall safe "dgemm_"
  c_dgemm :: CString -> CString -> Ptr CInt -> Ptr CInt -> Ptr CInt -> Ptr CDouble -> Ptr Double -> Ptr CInt
          -> Ptr Double -> Ptr CInt -> Ptr CDouble -> Ptr Double -> Ptr CInt -> IO ()

-- | hmatrix imports BLAS @unsafe@: the Haskell threads may run on the other Capabilities meanwhile, until one of them
-- needs the garbage collector. For a long product that is a pity, and this is the remedy: the same @dgemm@, called
-- safely on the memory that hmatrix's matrices have, without a copy. They lie row by row and Fortran's column by
-- column, so the product is computed as @b' a'@. Square matrices only, to keep it short.
safeProduct :: Matrix Double -> Matrix Double -> IO (Matrix Double)
safeProduct a b = do
  c <- M.new (n * n)
  V.unsafeWith (flatten a) $ \pa -> V.unsafeWith (flatten b) $ \pb -> M.unsafeWith c $ \pc ->
    withCString "N" $ \no -> with (fromIntegral n) $ \pn -> with 1 $ \one -> with 0 $ \zero ->
      c_dgemm no no pn pn pn one pb pn pa pn zero pc pn
  reshape n <$> V.unsafeFreeze c
  where
    n = rows a

-- | What OpenBLAS itself says of its threads; every BLAS has @dgemm_@, this is OpenBLAS's own.
blasThreading :: IO String
blasThreading = do
  found <- try (dlsym Default "openblas_get_parallel") :: IO (Either IOException (FunPtr (IO CInt)))
  either (const (pure "another BLAS")) (fmap name . callNumber) found
  where
    name 0 = "OpenBLAS, sequential"
    name 1 = "OpenBLAS, threads of its own"
    name 2 = "OpenBLAS, OpenMP"
    name k = "OpenBLAS, unknown: " ++ show k

-- | Whole numbers, so that a product is exact, whoever computes which part of it.
left, right :: Int -> Matrix Double
left n = build (n, n) (\i j -> fromIntegral ((round i * round j :: Int) `mod` 7))
right n = build (n, n) (\i j -> fromIntegral ((round i + round j :: Int) `mod` 5))

-- | A Haskell computation that allocates: the length of the longest Collatz sequence that starts below n.
collatz :: Int -> Int
collatz n = maximum [length (takeWhile (/= 1) (iterate next k)) + 1 | k <- [1 .. n - 1]]
  where
    next k = if even k then k `div` 2 else 3 * k + 1

beside :: IO a -> IO (MVar a)
beside action = do
  result <- newEmptyMVar
  _ <- forkIO (action >>= putMVar result)
  pure result

-- A team of three for what is computed in here. Haskell is lazy: what leaves the scope unevaluated is computed outside.
main :: IO ()
main = withSettings defaults {numThreads = Just 3} $ do
  served <- runtimeServes <$> runtime
  putStrLn ("served by ghc-openmp: " ++ show served)
  blasThreading >>= putStrLn . ("BLAS: " ++)

  before <- c_workersCreated
  haskell <- forM [20000, 30000] (beside . evaluate . collatz)
  let n = 400
      c = left n <> right n
  putStrLn ("product: " ++ show (map round [c `atIndex` (1, 1), c `atIndex` (n - 1, n - 1), sumElements c] :: [Int]))
  after <- c_workersCreated
  putStrLn ("workers of ghc-openmp: " ++ show before ++ ", after a product in a team of 3: " ++ show after)

  same <- (== c) <$> safeProduct (left n) (right n)
  putStrLn ("the same by a safe call: " ++ show same)

  let a = left n + scalar (fromIntegral (4 * n)) * ident n
      b = right n
      x = a <\> b
  putStrLn ("solved: " ++ show (norm_Inf (a <> x - b) < 1e-9))
  longest <- mapM takeMVar haskell
  putStrLn ("Haskell threads beside it: " ++ show longest)
