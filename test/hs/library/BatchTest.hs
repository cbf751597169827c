module BatchTest (tests) where

import Test.Tasty

tests :: TestTree
tests = testGroup "Batch" []
