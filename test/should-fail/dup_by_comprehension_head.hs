-- GHC 9.0 to 9.6 count a variable in the head of a list comprehension once, however many elements there are.
-- compiles: 9.0 9.6
-- expect: multiplicity|[Nn]on-linear
-- ends: Data.Array.Linear.(freeze|discard): this slice was used before
{-# LANGUAGE LinearTypes #-}
module Main (main) where

import Data.Array.Linear (Slice, (&))
import qualified Data.Array.Linear as L

copies :: Slice p Int %1 -> [Slice p Int]
copies s = [s | _ <- "ab"]

given :: [Slice p Int] %1 -> Slice p Int
given [a, b] = L.discard b & \() -> a
given tokens = (error "there are two" :: [Slice p Int] %1 -> Slice q Int) tokens

main :: IO ()
main = print (L.alloc 2 0 (\s -> L.freeze (given (copies s))))
