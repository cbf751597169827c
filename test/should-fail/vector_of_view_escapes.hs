{-# LANGUAGE GADTs, LinearTypes #-}
-- A lent slice is returned from the borrow as a vector.
-- expect: The view of a lent slice can't leave the borrow: the slice may be written afterwards
module Main (main) where

import qualified Data.Vector.Storable as V
import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.lend s (\v -> Ur (L.viewVector v)) & \(s', Ur v) ->
    L.discard (L.fill 'y' s') & \() -> Ur (V.length v)))
