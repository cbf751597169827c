{-# LANGUAGE TemplateHaskell #-}
-- | Runs OpenMP code when it is compiled, and when it runs.
module Main (main) where

import Language.Haskell.TH (runIO, stringE)

import Counts (evens)
import Regions (facts)

main :: IO ()
main = do
    facts >>= putStrLn . ("run: " ++)
    evens 1000 >>= putStrLn . ("evens: " ++) . show
    putStrLn ("splice: " ++ $(runIO facts >>= stringE))
