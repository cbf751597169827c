{-# LANGUAGE GADTs, LinearTypes #-}
-- The combined slice is used.
module Main (main) where

import Data.Array.Linear (Split (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> s & L.split 2 & \(Split j l r) ->
    L.combine j l r & \s' -> L.freeze (L.write 0 'y' s')))
