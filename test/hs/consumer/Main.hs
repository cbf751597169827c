-- | The package as its user meets it: the program's own OpenMP C, Haskell bodies on the same team, and the question
-- which runtime serves. Ends with an error when an answer is wrong.
module Main (main) where

import Control.Monad (unless)
import Data.Monoid (Sum (..))
import Foreign.C.Types (CDouble (..), CInt (..))
import Foreign.Marshal.Array (withArray)
import Foreign.Ptr (Ptr)

import OpenMP
import OpenMP.Parallel (Order (IndexOrder), parallelReduce)

-- Safe: it opens a region.
foreign import ccall safe "dot" dot :: Ptr CDouble -> Ptr CDouble -> CInt -> IO CDouble
-- Unsafe: it reads a word.
foreign import ccall unsafe "made" made :: IO CInt

main :: IO ()
main = do
    let xs = map fromIntegral [1 .. 1000 :: Int]
    c <- withArray xs $ \x -> withArray xs $ \y -> dot x y 1000
    equal "a loop in C" 333833500 c
    workers <- made
    unless (workers >= 2) (ioError (userError "the loop in C made no thread of ghc-openmp"))
    h <- parallelReduce defaults IndexOrder 1 1001 (\i -> pure (Sum (i * i)))
    equal "a loop in Haskell" 333833500 (getSum h)
    r <- runtime
    equal "who serves" (True, "ghc", "linked") (runtimeServes r, runtimeHost r, runtimeOrigin r)
    putStrLn "consumer: C and Haskell on one team"

equal :: (Eq a, Show a) => String -> a -> a -> IO ()
equal what want got =
    unless (want == got) (ioError (userError (what ++ ": " ++ show got ++ ", not " ++ show want)))
