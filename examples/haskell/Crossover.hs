-- | From which size on is a team worth it? The same sum at growing sizes: by a cheap unsafe call on one thread, by a
-- team in C, and by a team in Haskell. What it measures goes to stderr, because it depends on the machine.
module Main (main) where

import Control.Monad (forM, forM_, replicateM_)
import Data.List (find)
import Data.Monoid (Sum (..))
import qualified Data.Vector.Storable as V
import Foreign.C.Types (CDouble (..), CInt (..), CLong (..))
import Foreign.Ptr (Ptr)
import GHC.Clock (getMonotonicTime)
import System.IO (hPutStrLn, stderr)
import Text.Printf (hPrintf, printf)

import OpenMP.Parallel (Order (..), parallelReduce)
import OpenMP.Settings (Settings (..), defaults)

-- Unsafe: a short loop on this thread that waits for nobody. The call costs a few nanoseconds; but at the largest size
-- it holds up a collection for about a millisecond, so that a program would import it safe from there on.
foreign import ccall unsafe "sum_alone"
  c_sumAlone :: Ptr Double -> CLong -> IO CDouble

-- Safe: it opens a region.
foreign import ccall safe "sum_team"
  c_sumTeam :: Ptr Double -> CLong -> CInt -> IO CDouble

threads :: Int
threads = 2

type Way = (String, V.Vector Double -> IO Double)

ways :: [Way]
ways =
  [ ("C alone", \x -> V.unsafeWith x $ \p -> real <$> c_sumAlone p (count x))
  , ("C team", \x -> V.unsafeWith x $ \p -> real <$> c_sumTeam p (count x) (fromIntegral threads))
  , ("Haskell alone", V.foldM' (\acc v -> pure $! acc + v) 0)
  , ("Haskell team", haskellTeam)
  ]
  where
    count = fromIntegral . V.length
    real (CDouble d) = d

-- | A part for each thread, so that the inner loop is an ordinary one; the parts' sums are added by the team.
haskellTeam :: V.Vector Double -> IO Double
haskellTeam x =
  getSum <$> parallelReduce defaults {numThreads = Just threads} AnyOrder 0 threads (\part -> do
    let from = V.length x * part `div` threads
        past = V.length x * (part + 1) `div` threads
    pure $! Sum (V.sum (V.slice from (past - from) x)))

-- | The mean of a few calls, in nanoseconds.
measure :: Int -> (V.Vector Double -> IO Double) -> V.Vector Double -> IO Double
measure times way x = do
  start <- getMonotonicTime
  replicateM_ times (way x >>= \s -> s `seq` pure ())
  took <- subtract start <$> getMonotonicTime
  pure (took * 1e9 / fromIntegral times)

main :: IO ()
main = do
  hPrintf stderr "%10s%s\n" "size" (concatMap (printf "%16s" . fst) ways :: String)
  rows <- forM [10 ^ k | k <- [1 .. 6 :: Int]] $ \n -> do
    let x = V.generate n (fromIntegral . (`mod` 1000))
        right = fromIntegral (sum (map (`mod` 1000) [0 .. n - 1])) :: Double
    sums <- mapM (($ x) . snd) ways
    putStrLn (show n ++ " numbers: " ++ show (round right :: Int) ++ ", all four ways: " ++ show (all (== right) sums))
    took <- mapM (\(_, way) -> measure (max 3 (min 200 (1000000 `div` n))) way x) ways
    hPrintf stderr "%10d%s\n" n (concatMap (printf "%13.0f ns") took :: String)
    pure (n, took)
  forM_ [("C", 0), ("Haskell", 2)] $ \(language, way) ->
    hPutStrLn stderr $ case find (\(_, took) -> took !! (way + 1) < took !! way) rows of
      Just (n, _) -> language ++ ": a team of " ++ show threads ++ " pays from about " ++ show n ++ " numbers on"
      Nothing -> language ++ ": a team of " ++ show threads ++ " did not pay here"
