-- | @ghcomp trace@: from events to a timeline and the files written from it, and the command on a real eventlog.
module TraceTest (tests) where

import Test.Tasty

import Programs
import qualified TraceCommandTest
import qualified TraceMessageTest
import qualified TracePictureTest
import qualified TraceTimelineTest

tests :: Programs -> TestTree
tests p = testGroup "trace"
    ( [TraceMessageTest.tests] ++ TraceTimelineTest.tests ++ [TracePictureTest.tests p, TraceCommandTest.tests p] )
