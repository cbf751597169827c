{-# LANGUAGE ImplicitParams #-}
{-# LANGUAGE LinearTypes #-}
module Main (main) where

import Data.Array.Linear (Slice)
import qualified Data.Array.Linear as L

-- A value that is not a token may be an implicit parameter.
filled :: (?value :: Int) => Slice p Int %1 -> Slice p Int
filled s = L.fill ?value s

main :: IO ()
main = let ?value = 3 in print (L.alloc 2 0 (\s -> L.freeze (filled s)))
