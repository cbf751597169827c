{-# LANGUAGE GADTs, LinearTypes #-}
-- Their sum is returned, which is Storable.
module Main (main) where

import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 (1 :: Int) (\s -> L.lend s (\v -> Ur (sum [L.index v 0, L.index v 1])) & \(s', Ur x) ->
    L.discard (L.fill 2 s') & \() -> Ur x))
