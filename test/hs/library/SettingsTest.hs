module SettingsTest (tests) where

import Test.Tasty

tests :: TestTree
tests = testGroup "Settings" []
