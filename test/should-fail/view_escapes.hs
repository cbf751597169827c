{-# LANGUAGE GADTs, LinearTypes #-}
-- The view of a lent slice is returned from the borrow.
-- expect: The view of a lent slice can't leave the borrow: the slice may be written afterwards
module Main (main) where

import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.lend s (\v -> Ur v) & \(s', Ur v) ->
    L.discard (L.fill 'y' s') & \() -> Ur (L.index v 0)))
