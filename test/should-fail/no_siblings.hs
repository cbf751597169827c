{-# LANGUAGE GADTs, LinearTypes #-}
-- Parts of two different splits are combined.
-- expect: Couldn't match type "right1?" with "right1?"
module Main (main) where

import Data.Array.Linear (Split (..), Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.alloc 4 'y' (\t ->
    L.split 2 s & \(Split j l r) -> L.split 2 t & \(Split j' l' r') ->
    L.freeze (L.combine j l r') & \(Ur v) -> L.freeze (L.combine j' l' r) & \(Ur w) -> Ur (v, w))))
