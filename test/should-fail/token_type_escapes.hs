{-# LANGUAGE GADTs, LinearTypes #-}
-- The body of alloc returns the token itself.
-- expect: Couldn't match (expected )?type:? .?Slice|Couldn't match expected type .Ur
module Main (main) where

import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = L.alloc 4 'x' (\s -> L.write 0 'y' s) & \(Ur ()) -> putStrLn "escaped"
