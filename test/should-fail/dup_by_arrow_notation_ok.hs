{-# LANGUAGE Arrows #-}
{-# LANGUAGE LinearTypes #-}
module Main (main) where

import Control.Arrow (returnA)
import qualified Data.Array.Linear as L

double :: Int -> Int
double = proc x -> do
    y <- returnA -< x
    returnA -< y + y

main :: IO ()
main = print (L.generate 3 id (\s -> L.freeze (L.map double s)))
