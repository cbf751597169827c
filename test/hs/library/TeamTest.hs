module TeamTest (tests) where

import Test.Tasty

tests :: TestTree
tests = testGroup "Team" []
