module Main (main) where

import Control.Exception (SomeException)
import qualified Data.Map as Map

import OpenMP (Settings (..), defaults)
import OpenMP.Graph (buildGraph, input, keyedNodes, node, outcome, runBuilt, runGraph)

main :: IO ()
main = do
  -- Two nodes at a time: both parts, then their sum.
  answer <- runGraph defaults {numThreads = Just 2} $ do
    evens <- node "evens" (pure ()) (\() -> pure (sum [2, 4 .. 1000]))
    odds <- node "odds" (pure ()) (\() -> pure (sum [1, 3 .. 999]))
    both <- node "both" ((,) <$> input evens <*> input odds) (\(e, o) -> pure (e + o :: Int))
    pure (input both)
  print answer

  -- The same nodes for each list of numbers.
  mean <- buildGraph $ \numbers -> do
    total <- node "total" numbers (pure . sum)
    count <- node "count" numbers (pure . length)
    input <$> node "mean" ((,) <$> input total <*> input count) (\(t, n) -> pure (t / fromIntegral n :: Double))
  mapM (runBuilt defaults {numThreads = Just 2} mean) [[1, 2, 3], [4, 6]] >>= print

  -- A graph that is data: each key with those that it needs. The config can't be read, so the server does not start.
  let services = Map.fromList [("server", ["config", "log"]), ("config", []), ("log", ["disk"]), ("disk", [])]
      start name needed
        | name == "config" = ioError (userError "no such file")
        | otherwise = pure (1 + sum needed :: Int)
  ends <- runGraph defaults (traverse outcome <$> keyedNodes id services start)
  mapM_ report (Map.toList ends)

report :: (String, Either SomeException Int) -> IO ()
report (name, end) = putStrLn (name ++ ": " ++ either show (\n -> "started, after " ++ show (n - 1) ++ " others") end)
