{-# LANGUAGE GADTs, LinearTypes #-}
-- A part is used after it was combined.
-- expect: Couldn't match type "Many" with "One" arising from multiplicity of "l"
module Main (main) where

import Data.Array.Linear (Split (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> s & L.split 2 & \(Split j l r) ->
    L.combine j l r & \s' -> L.write 0 'y' l & \l' -> L.discard l' & \() -> L.freeze s'))
