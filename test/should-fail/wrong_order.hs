{-# LANGUAGE GADTs, LinearTypes #-}
-- The parts are combined in the wrong order.
-- expect: Couldn't match type "(left|right)" with "(left|right)"
module Main (main) where

import Data.Array.Linear (Split (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.split 1 s & \(Split j l r) -> L.freeze (L.combine j r l)))
