module ArrayTest (tests) where

import Test.Tasty

tests :: TestTree
tests = testGroup "Array" []
