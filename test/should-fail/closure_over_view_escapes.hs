{-# LANGUAGE GADTs, LinearTypes #-}
-- A function that reads a lent slice is returned from the borrow.
-- expect: A function can't be returned here
module Main (main) where

import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.lend s (\v -> Ur (L.index v)) & \(s', Ur f) ->
    L.discard (L.fill 'y' s') & \() -> Ur (f 0)))
