{-# LANGUAGE GADTs, LinearTypes #-}
-- The token of another array is written.
module Main (main) where

import Data.Array.Linear ((&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.alloc 4 'y' (\t -> L.lend s (\v -> L.write 0 (L.index v 0) t) & \(s', t') ->
    L.discard s' & \() -> L.freeze t')))
