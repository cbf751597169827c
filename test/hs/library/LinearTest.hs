module LinearTest (tests) where

import Test.Tasty

tests :: TestTree
tests = testGroup "Linear" []
