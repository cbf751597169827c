{-# LANGUAGE GADTs, LinearTypes #-}
-- It is written when it has come back.
module Main (main) where

import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.lend s (\v -> Ur (L.index v 1)) & \(s', Ur x) -> L.freeze (L.write 0 x s')))
