{-# LANGUAGE GADTs, LinearTypes #-}
-- The function is applied within the borrow.
module Main (main) where

import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.lend s (\v -> Ur (L.index v 0)) & \(s', Ur c) ->
    L.discard (L.fill 'y' s') & \() -> Ur c))
