{-# LANGUAGE GADTs, LinearTypes #-}
-- The part that has the element is read.
module Main (main) where

import Data.Array.Linear (Split (..), Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.split 2 s & \(Split j l r) ->
    L.read 0 l & \(Ur _, l') -> L.freeze (L.combine j l' r)))
