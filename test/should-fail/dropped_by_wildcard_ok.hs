{-# LANGUAGE GADTs, LinearTypes #-}
-- The part has a name and is given up.
module Main (main) where

import Data.Array.Linear (Split (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.split 1 s & \(Split _ l r) -> L.discard r & \() -> L.freeze l))
