{-# LANGUAGE GADTs, LinearTypes #-}
-- A list of lent elements, which may be lazy, is returned from the borrow.
-- expect: This can't be returned here: .*slices, Ur with a Storable value
module Main (main) where

import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 (1 :: Int) (\s -> L.lend s (\v -> [L.index v 0, L.index v 1]) & \(s', xs) ->
    L.discard (L.fill 2 s') & \() -> Ur (sum xs)))
