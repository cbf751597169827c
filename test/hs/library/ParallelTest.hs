module ParallelTest (tests) where

import Test.Tasty

tests :: TestTree
tests = testGroup "Parallel" []
