{-# LANGUAGE LinearTypes #-}
module Main (main) where

import Data.Array.Linear (Slice, Split (..), (&))
import qualified Data.Array.Linear as L

halves :: Slice p Int %1 -> Slice p Int
halves s = L.halve s & \(Split j a b) -> L.combine j (L.fill 1 a) (L.fill 2 b)

main :: IO ()
main = print (L.alloc 2 0 (\s -> L.freeze (halves s)))
