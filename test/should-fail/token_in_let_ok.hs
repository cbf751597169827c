{-# LANGUAGE GADTs, LinearTypes #-}
-- It is handed on by (&).
module Main (main) where

import Data.Array.Linear ((&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.fill 'y' s & \t -> L.freeze t))
