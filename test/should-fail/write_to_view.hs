{-# LANGUAGE GADTs, LinearTypes #-}
-- A view is written.
-- expect: Couldn't match expected type:? "?L.Slice p0 Char"? with actual type:? "?L.View Char
module Main (main) where

import Data.Array.Linear ((&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.lend s (\v -> L.write 0 'y' v) & \(s', t) -> L.discard t & \() -> L.freeze s'))
