{-# LANGUAGE GADTs, LinearTypes #-}
-- A slice is written while it is lent.
-- expect: Couldn't match type "Many" with "One" arising from multiplicity of "s"
module Main (main) where

import Data.Array.Linear ((&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.lend s (\v -> L.write 0 (L.index v 1) s) & \(s', t) ->
    L.discard t & \() -> L.freeze s'))
