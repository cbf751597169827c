{-# LANGUAGE CPP #-}

-- | Runs one of the programs, or the model, and prints a JSON object: see bench/smp.py.
--
-- > smp list                          the programs' names
-- > smp NAME one SECONDS              the program again and again for that time; the best run. =N: so many times
-- > smp NAME two SECONDS              two of it, one after the other
-- > smp NAME sparks SECONDS           two of it by par and pseq
-- > smp NAME team SECONDS             two of it by a team (in the binary with the library only)
-- > smp model WAY SECONDS             plain, claimed, filled
module Main (main) where

import Control.Concurrent (getNumCapabilities)
import Control.Exception (evaluate)
import Control.Monad (unless)
import Data.IORef (IORef, newIORef, readIORef)
import Data.List (find, intercalate)
import GHC.Clock (getMonotonicTimeNSec)
import GHC.Conc (par, pseq)
import GHC.Stats
import System.Environment (getArgs)
import System.IO.Unsafe (unsafePerformIO)

#ifdef WITH_LIBRARY
import OpenMP (defaults)
import OpenMP.Eval (parMap, rseq)
#endif

import Claims
import Programs

main :: IO ()
main = do
  args <- getArgs
  case args of
    ["list"] -> putStrLn (unwords (map name programs))
    ["model", way, seconds] -> measure (wayOf way) seconds
    [wanted, mode, seconds] | Just program <- find ((== wanted) . name) programs ->
      measure (modeOf mode program) seconds
    _ -> ioError (userError "usage: smp NAME one|two|sparks|team SECONDS, smp model plain|claimed|filled SECONDS")

-- | 0, which the compiler does not know.
nought :: IORef Int
nought = unsafePerformIO (newIORef 0)
{-# NOINLINE nought #-}

wayOf :: String -> Int -> IO Int
wayOf way zero = chains chosen (6000 + zero)
  where
    chosen = case way of
      "plain" -> Plain
      "claimed" -> Claimed
      "filled" -> ClaimedAndFilled
      _ -> error ("no way named " ++ way)

-- | The work, from a number that is 0, so that it is not done once for all.
modeOf :: String -> Program -> Int -> IO Int
modeOf mode program zero = case mode of
  "one" -> evaluate (once 0)
  "two" -> evaluate (let a = once 0; b = once 1 in a `seq` b `seq` a + b)
  "sparks" -> evaluate (let a = once 0; b = once 1 in a `par` (b `pseq` (a + b)))
#ifdef WITH_LIBRARY
  "team" -> evaluate (sum (parMap defaults rseq once [0, 1]))
#endif
  _ -> ioError (userError ("no mode named " ++ mode ++ " in this binary"))
  where
    -- Two runs of equal work that the compiler cannot take for one.
    once k = run program (programSize program + zero * k)
    {-# NOINLINE once #-}

-- | The best time of an operation, and what the collector did in all of them.
measure :: (Int -> IO Int) -> String -> IO ()
measure work seconds = do
  started <- getMonotonicTimeNSec
  before <- stats
  let (least, limit) = case seconds of
        '=' : count -> (read count :: Int, started)
        _ -> (3, started + round (1e9 * (read seconds :: Double)))
      go best times first = do
        t0 <- getMonotonicTimeNSec
        zero <- readIORef nought
        got <- work zero
        t1 <- getMonotonicTimeNSec
        unless (first == got || times == 0) $ ioError (userError "wrong result: two runs differ")
        let best' = min best (t1 - t0)
        if t1 >= limit && times + 1 >= least then pure (best', times + 1, got) else go best' (times + 1) got
  (best, times, result) <- go maxBound (0 :: Int) 0
  after <- stats
  capabilities <- getNumCapabilities
  let per f = fromIntegral (f after - f before) / fromIntegral times :: Double
      elapsed = fromIntegral (elapsed_ns after - elapsed_ns before) :: Double
      share = fromIntegral (gc_elapsed_ns after - gc_elapsed_ns before) / elapsed
  putStrLn $ "{" ++ intercalate ", "
    [ "\"ns\": " ++ show best
    , "\"times\": " ++ show times
    , "\"result\": " ++ show result
    , "\"allocated\": " ++ show (per allocated_bytes)
    , "\"copied\": " ++ show (per copied_bytes)
    , "\"collections\": " ++ show (per gcs)
    , "\"collector\": " ++ show share
    , "\"capabilities\": " ++ show capabilities
    ] ++ "}"
  where
    stats = do
      there <- getRTSStatsEnabled
      unless there $ ioError (userError "needs +RTS -T")
      getRTSStats
