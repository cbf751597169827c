{-# LANGUAGE GADTs, LinearTypes #-}
-- It gives back its own.
module Main (main) where

import Data.Array.Linear (Slice, Split (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> s & L.splitEvenly 2 & L.mapParts only & L.combineParts & L.freeze))

only :: Int -> Slice q Char %1 -> Slice q Char
only _ part = L.halve part & \(Split j l r) -> L.combine j l (L.fill 'y' r)
