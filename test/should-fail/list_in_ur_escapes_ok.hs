{-# LANGUAGE GADTs, LinearTypes #-}
-- A pair of elements is returned.
module Main (main) where

import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 (1 :: Int) (\s -> L.lend s (\v -> Ur (L.index v 0, L.index v 1)) & \(s', Ur (x, y)) ->
    L.discard (L.fill 2 s') & \() -> Ur (x + y)))
