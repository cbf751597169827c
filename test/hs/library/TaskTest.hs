module TaskTest (tests) where

import Test.Tasty

tests :: TestTree
tests = testGroup "Task" []
