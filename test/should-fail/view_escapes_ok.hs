{-# LANGUAGE GADTs, LinearTypes #-}
-- A value that was read is returned.
module Main (main) where

import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.lend s (\v -> Ur (L.index v 0)) & \(s', Ur x) ->
    L.discard (L.fill 'y' s') & \() -> Ur x))
