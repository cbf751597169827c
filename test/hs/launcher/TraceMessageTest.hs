{-# LANGUAGE OverloadedStrings #-}
-- | The messages that the runtime writes into a log, the command line's times and the names of files.
module TraceMessageTest (tests) where

import Test.Tasty
import Test.Tasty.HUnit

import Ghcomp.Trace (TraceOptions (..), nanoseconds, traceFile)
import Ghcomp.Trace.Label
import Ghcomp.Trace.Message

tests :: TestTree
tests = testGroup "messages"
    [ testCase "spans and moments of masters and workers" $ do
        parse "ghcomp m0 region-begin region=3 size=4" @?= Parsed (Message (Master 0) Begin "region" "region=3 size=4")
        parse "ghcomp w12 part-end" @?= Parsed (Message (Worker 12) End "part" "")
        parse "ghcomp w1 yield" @?= Parsed (Message (Worker 1) Moment "yield" "")
    , testCase "what it does not know stays as it is" $ do
        parse "ghcomp gpu0 copy-begin bytes=7" @?= Parsed (Message (OtherThread "gpu0") Begin "copy" "bytes=7")
        parse "ghcomp w a-b" @?= Parsed (Message (OtherThread "w") Moment "a-b" "")
        parse "ghcomp w1234567890 x" @?= Parsed (Message (OtherThread "w1234567890") Moment "x" "")
        parse "ghcomp w\x0663 x" @?= Parsed (Message (OtherThread "w\x0663") Moment "x" "")
    , testCase "malformed" $ map parse
        ["ghcomp", "ghcomp ", "ghcomp w1", "ghcomp w1 ", "ghcomp w1 -begin", "ghcomp w1 -end"]
        @?= replicate 6 Malformed
    , testCase "another program's" $ map parse ["", "ghcompx w1 yield", "hello ghcomp w1 yield"] @?= replicate 3 NotOurs
    , testCase "fields" $ do
        fieldsOf "a=1 b c=x=y  d=" @?= [("a", "1"), ("b", ""), ("c", "x=y"), ("d", "")]
        fieldsOf "text=two words a=1" @?= [("text", "two words a=1")]
        fieldsOf "a=1 text=b = c" @?= [("a", "1"), ("text", "b = c")]
        fieldsOf "" @?= []
    , testCase "times of the command line" $ do
        map nanoseconds ["0", "12", "12.5", "0.0000019"] @?= map Right [0, 12000000, 12500000, 1]
        [ s | s <- ["", ".5", "1.", "-1", "1e3", "x", "1.2.3", "1234567890123"], Right _ <- [nanoseconds s] ] @?= []
    , testCase "the trace's name" $ do
        let named log' = TraceOptions Nothing Nothing Nothing False Nothing Nothing log'
        traceFile (named "a/b.eventlog") @?= Just "a/b.trace.json"
        traceFile (named "b.log") @?= Just "b.log.trace.json"
        traceFile (named "b.eventlog") { traceSummary = True } @?= Nothing
        traceFile (named "b.eventlog") { traceSvg = Just "x" } @?= Nothing
        traceFile (named "b.eventlog") { traceSvg = Just "x", traceOut = Just "y" } @?= Just "y"
    , testCase "milliseconds are rounded" $ do
        [ milliseconds d 1999500 | d <- [0, 1, 3, 4, 6] ] @?= ["2", "2.0", "2.000", "1.9995", "1.999500"]
        milliseconds 3 1002000 @?= "1.002"
    ]
