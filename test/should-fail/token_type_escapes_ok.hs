{-# LANGUAGE GADTs, LinearTypes #-}
-- The body returns what freeze gives.
module Main (main) where

import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = L.alloc 4 'x' (\s -> L.discard (L.write 0 'y' s) & \() -> Ur ()) & \(Ur ()) -> putStrLn "done"
