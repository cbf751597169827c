{-# LANGUAGE GADTs, LinearTypes #-}
-- What is kept is frozen.
module Main (main) where

import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = L.alloc 4 'x' (\s -> L.freeze (L.write 0 'y' s)) & \(Ur v) -> print v
