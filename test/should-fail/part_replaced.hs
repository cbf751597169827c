{-# LANGUAGE GADTs, LinearTypes #-}
-- A function on parts gives back another part than it was given.
-- expect: Couldn't match type "(q|right)" with "(q|right)"
module Main (main) where

import Data.Array.Linear (Slice, Split (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> s & L.splitEvenly 2 & L.mapParts only & L.combineParts & L.freeze))

only :: Int -> Slice q Char %1 -> Slice q Char
only _ part = L.halve part & \(Split _ l r) -> L.discard l & \() -> r
