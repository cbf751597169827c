{-# LANGUAGE GADTs, LinearTypes #-}
-- The token is returned from alloc.
-- expect: Couldn't match type "Many" with "One" arising from multiplicity of "s"
module Main (main) where

import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = L.alloc 4 'x' (\s -> Ur (L.write 0 'y' s)) & \(Ur _) -> putStrLn "escaped"
