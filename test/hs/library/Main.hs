-- | The library's own tests, all in one process: OpenMP regions, Haskell threads and the collector share it.
module Main (main) where

import Test.Tasty

import qualified ArrayTest
import qualified BatchTest
import qualified BufferTest
import qualified CallbackTest
import qualified CriticalTest
import qualified EvalTest
import qualified FutureTest
import qualified GraphTest
import qualified InterruptTest
import qualified InterruptibleTest
import qualified LinearRecordTest
import qualified LinearTest
import qualified LinearTwiceTest
import qualified OrderedTest
import qualified ParallelTest
import qualified PrimTest
import qualified RectangleTest
import qualified SameTest
import qualified SettingsTest
import qualified ShortageTest
import qualified StateTest
import qualified StatisticsTest
import qualified StormTest
import qualified StressTest
import qualified TaskTest
import qualified TeamLeavesTest
import qualified TeamTest
import qualified ThunkTest
import qualified TransactionTest
import qualified VectorLazyTest
import qualified VectorTest

main :: IO ()
main = defaultMain $ localOption (mkTimeout 120000000) $ testGroup "library"
    [ SettingsTest.tests
    , ShortageTest.tests
    , StatisticsTest.tests
    , ParallelTest.tests
    , StateTest.tests
    , VectorTest.tests
    , VectorLazyTest.tests
    , RectangleTest.tests
    , TeamTest.tests
    , TeamLeavesTest.tests
    , SameTest.tests
    , CriticalTest.tests
    , OrderedTest.tests
    , TaskTest.tests
    , FutureTest.tests
    , GraphTest.tests
    , InterruptTest.tests
    , InterruptibleTest.tests
    , EvalTest.tests
    , BufferTest.tests
    , ThunkTest.tests
    , TransactionTest.tests
    , CallbackTest.tests
    , PrimTest.tests
    , BatchTest.tests
    , ArrayTest.tests
    , LinearRecordTest.tests
    , LinearTwiceTest.tests
    , LinearTest.tests
    , StressTest.tests
    , StormTest.tests
    ]
