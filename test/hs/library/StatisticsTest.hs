-- | The counters, before and after regions of a known number and size. Other threads of this process may count too:
-- where that matters, the test runs regions of more threads than any other test does.
module StatisticsTest (tests) where

import Control.Monad
import Foreign.C.Types (CInt (..))
import Test.Tasty hiding (after)
import Test.Tasty.HUnit

import OpenMP

foreign import ccall safe "function_team_size" teamSize :: IO CInt

tests :: TestTree
tests = testGroup "Statistics"
    [ testCase "regions and their threads" $ do
        before <- statistics
        sizes <- withSettings defaults { numThreads = Just 3, dynamic = Just False } (replicateM 10 teamSize)
        after <- statistics
        sizes @?= replicate 10 3
        let done = after `since` before
        assertEqual (show done) (10, 30, 30) (regions done, threadsWanted done, threadsGiven done)
    , testCase "regions of one thread do not count" $ do
        before <- statistics
        _ <- withSettings defaults { numThreads = Just 1 } (replicateM 10 teamSize)
        after <- statistics
        regions (after `since` before) @?= 0
    , testCase "threads without work sleep" $ do
        before <- statistics
        let go = do
                _ <- withSettings defaults { numThreads = Just 3 } teamSize
                now <- statistics
                when (parks (now `since` before) == 0) go
        go
    , testCase "fields" $ do
        s <- statistics
        let t = Statistics 10 20 30 40 50 60 70 80 90 100
            u = Statistics 1 2 3 4 5 6 7 8 9 10
        t `since` u @?= Statistics 9 18 27 36 45 54 63 72 81 90
        s `since` s @?= Statistics 0 0 0 0 0 0 0 0 0 0
        show u @?= "Statistics {regions = 1, threadsWanted = 2, threadsGiven = 3, parks = 4, yields = 5, \
                   \regionsQueued = 6, admissionTimeouts = 7, workersLent = 8, steals = 9, fences = 10}"
    ]
