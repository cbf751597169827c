{-# LANGUAGE GADTs, LinearTypes #-}
-- The body of alloc returns the token itself.
-- expect: Couldn't match expected type:? "?Ur \(\)"? with actual type:? "?L.Slice p Char
module Main (main) where

import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = L.alloc 4 'x' (\s -> L.write 0 'y' s) & \(Ur ()) -> putStrLn "escaped"
