{-# LANGUAGE GADTs, LinearTypes #-}
-- A token is used in a let, which is not linear.
-- expect: Couldn't match type "Many" with "One" arising from multiplicity of "s"
module Main (main) where

import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s -> let { t = L.fill 'y' s } in L.freeze t))
