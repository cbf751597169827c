{-# LANGUAGE GADTs, LinearTypes #-}
-- A proof is coerced to be one of other parts.
-- expect: Couldn't match type "(left|p)1?" with "(left|p|right)1?"
module Main (main) where

import Data.Array.Linear (Split (..), (&))
import qualified Data.Array.Linear as L
import Data.Coerce (coerce)

main :: IO ()
main = print (L.alloc 4 'x' (\s -> L.split 1 s & \(Split j l r) -> L.split 2 r & \(Split _ l' r') ->
    L.discard l & \() -> L.freeze (L.combine (coerce j) l' r')))
