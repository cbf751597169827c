{-# LANGUAGE GADTs, LinearTypes #-}
-- Each side owns a part.
module Main (main) where

import Data.Array.Linear (Split (..), (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.halve s & \(Split j l r) ->
    L.freeze (parCombine Sparks j (L.fill 'l') (L.fill 'r') l r)))
