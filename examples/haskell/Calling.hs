-- | Calling C code that uses OpenMP.
--
-- The Cabal file names @ghc-openmp@ under @build-depends@, lists the C file under @c-sources@ and has @-fopenmp@ in
-- @cc-options@. The C code then runs on the library's runtime, inside of GHC's runtime system.
module Main (main) where

import Foreign.C.Types (CDouble (..), CInt (..), CLong (..))
import Foreign.Marshal.Array (allocaArray, peekArray)
import Foreign.Ptr (Ptr)

import OpenMP (Runtime (..), runtime)

-- Safe, all of them: they open parallel regions. A region waits for its threads; during a safe call this thread's
-- Capability runs other Haskell threads, and the garbage collector does not wait for the call. An unsafe call would
-- hold up both.
foreign import ccall safe "fill"
  c_fill :: Ptr CDouble -> CLong -> IO ()
foreign import ccall safe "dot"
  c_dot :: Ptr CDouble -> Ptr CDouble -> CLong -> IO CDouble
foreign import ccall safe "team"
  c_team :: CInt -> Ptr CInt -> IO CInt

-- | The scalar product of 1 to n with itself; both arrays live in C's memory only as long as the call.
sumOfSquares :: Int -> IO Double
sumOfSquares n =
  allocaArray n $ \x -> do
    c_fill x count
    CDouble sum' <- c_dot x x count
    pure sum'
  where
    count = fromIntegral n

-- | A region of exactly that many threads: who took part.
team :: Int -> IO [Int]
team threads =
  allocaArray threads $ \numbers -> do
    size <- c_team (fromIntegral threads) numbers
    map fromIntegral <$> peekArray (fromIntegral size) numbers

main :: IO ()
main = do
  served <- runtimeServes <$> runtime
  putStrLn ("served by ghc-openmp: " ++ show served)
  total <- sumOfSquares 1000
  putStrLn ("1^2 + ... + 1000^2 = " ++ show (round total :: Int))
  team 2 >>= putStrLn . ("a team of 2: " ++) . show
  team 5 >>= putStrLn . ("a team of 5: " ++) . show
