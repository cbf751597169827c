module PrimTest (tests) where

import Test.Tasty

tests :: TestTree
tests = testGroup "Prim" []
