{-# LANGUAGE GADTs, LinearTypes #-}
-- A list of lent elements is returned from the borrow as an unrestricted value, beside another one.
-- expect: A list can't be returned here, not in Ur either.*slices, Ur with a Storable value
module Main (main) where

import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 (1 :: Int) (\s -> L.lend s (\v -> Ur ([L.index v 0, L.index v 1], 'x')) & \(s', Ur (xs, _)) ->
    L.discard (L.fill 2 s') & \() -> Ur (sum xs)))
