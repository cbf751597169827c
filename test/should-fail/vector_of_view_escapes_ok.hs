{-# LANGUAGE GADTs, LinearTypes #-}
-- The vector is used within the borrow.
module Main (main) where

import qualified Data.Vector.Storable as V
import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.lend s (\v -> Ur (V.length (L.viewVector v))) & \(s', Ur n) ->
    L.discard (L.fill 'y' s') & \() -> Ur n))
