module StressTest (tests) where

import Test.Tasty

tests :: TestTree
tests = testGroup "Stress" []
