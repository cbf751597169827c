{-# LANGUAGE DataKinds, GADTs, LinearTypes, TypeFamilies #-}
-- The parts are combined in their order.
module Main (main) where

import Data.Array.Linear (Slice, Ur (..), (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Record (Columns (..), Record (..))
import qualified Data.Array.Linear.Record as R

data Bodies names where
    Bodies :: Slice x Int %1 -> Slice v Int %1 -> Bodies '[x, v]

instance Record Bodies where
    type Fields Bodies = '[Int, Int]
    toColumns (Bodies x v) = x :& v :& End
    fromColumns (x :& v :& End) = Bodies x v

main :: IO ()
main = print (L.alloc 4 1 (\x -> L.alloc 4 2 (\v ->
    frozen (R.halve (Bodies x v) & \(R.SplitRecord js l r) -> R.combine js l r))))

frozen :: Bodies names %1 -> Ur (Int, Int)
frozen (Bodies x v) = L.foldl' (+) 0 x & \(Ur a, x') -> L.foldl' (+) 0 v & \(Ur b, v') ->
    L.discard x' & \() -> L.discard v' & \() -> Ur (a, b)
