{-# LANGUAGE GADTs, LinearTypes #-}
-- It is written before.
module Main (main) where

import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.freeze (L.fill 'y' s)))
