module CallbackTest (tests) where

import Test.Tasty

tests :: TestTree
tests = testGroup "Callback" []
