{-# LANGUAGE OverloadedStrings #-}
-- | From events to a timeline, its trace and its table: for known logs, and what holds for every log.
module TraceTimelineTest (tests) where

import Control.Monad (forM)
import qualified Data.ByteString.Lazy as BL
import Data.Char (isControl)
import Data.List (isInfixOf)
import Data.Maybe (listToMaybe)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

import Ghcomp.Trace.Chrome
import Ghcomp.Trace.Label
import Ghcomp.Trace.Log
import Ghcomp.Trace.Message
import Ghcomp.Trace.Summary
import Ghcomp.Trace.Timeline
import TraceLogs

tests :: [TestTree]
tests = [shapes, properties]

-- Known logs ------------------------------------------------------------------------------------------------------

shapes :: TestTree
shapes = testGroup "known logs"
    [ testCase "the trace" $ do
        rows <- traceRows (render (chrome [] (timeline (800, 10000) small2)))
        rows @?=
            [ "M 1/0 process_name Haskell", "M 1/0 process_sort_index 1"
            , "M 2/0 process_name OpenMP", "M 2/0 process_sort_index 2"
            , "M 1/1 thread_name Capability 0", "M 1/1 thread_sort_index 1"
            , "M 1/2 thread_name Capability 1", "M 1/2 thread_sort_index 2"
            , "M 2/3 thread_name initial thread 0", "M 2/3 thread_sort_index 3"
            , "M 2/4 thread_name worker 1 the first", "M 2/4 thread_sort_index 4"
            , "X 2/4 park 0.900+0.300"
            , "X 1/1 thread 3 1.000+4.000 stopped=heap overflow thread=3"
            , "X 2/3 region 1.100+3.800 level=1 region=1 size=2 wanted=2"
            , "X 2/4 part 1.200+3.500 region=1 tid=1"
            , "X 1/2 mapper (4) 1.500+3.600 stopped=thread yielding thread=4"
            , "X 2/4 task 2.000+1.000"
            , "i 2/4 steal 2.100"
            , "i 2/4 yield 3.500"
            , "X 2/3 barrier 4.000+0.800"
            , "X 2/4 park 4.950+5.050"
            , "X 1/2 GC gen 1 5.200+2.000 generation=1"
            , "X 1/1 GC gen 1 5.300+1.700 generation=1"
            , "X 1/2 mapper (4) 7.500+1.500 stopped=thread finished thread=4"
            , "i 1/2 half 7.600" ]
    , testCase "the table" $ map words (lines (summary ["small"] (timeline (800, 10000) small2))) @?= map words
        [ "small", "from 0.001 to 0.010 ms: 0.009 ms", ""
        , "Capability  Haskell ms  threads  runs  GC ms  idle ms"
        , "0           0.004       1        1     0.002  0.004"
        , "1           0.005       1        2     0.002  0.002", ""
        , "collections   number  ms     longest ms"
        , "generation 1  1       0.002  0.002", ""
        , "OpenMP thread regions parts tasks stolen yields work ms task ms \
          \barrier ms waiting ms asleep ms other ms outside ms"
        , "initial thread 0   1 0 0 0 0  0.003 0.000 0.001 0.000 0.000 0.000  0.005"
        , "worker 1 the first 0 1 1 1 1  0.003 0.001 0.000 0.000 0.005 0.000  0.000"
        , "all                1 1 1 1 1  0.006 0.001 0.001 0.000 0.005 0.000  0.006", ""
        , "1 span still open at the end of the log" ]
    , testCase "unmatched, unknown and malformed" $ do
        let l = timeline (0, 100)
                [ say 5 "ghcomp w1 task-end", say 10 "ghcomp w1 part-begin", say 20 "ghcomp w1 task-begin"
                , say 30 "ghcomp w1 part-end", say 40 "ghcomp w1 task-end", say 50 "ghcomp w1 dance-begin n=1"
                , say 60 "ghcomp w1 dance-end m=2", say 70 "ghcomp w1", on 0 80 (StopThread 1 ""), on 0 90 (RunThread 2)
                , on 0 95 (RunThread 3) ]
        [ (spanLabel s, spanStart s, spanEnd s, spanDepth s) | t <- timelineTracks l, s <- trackSpans t ] @?=
            [ ("thread 2", 90, 95, 0), ("thread 3", 95, 100, 0)
            , ("part", 10, 30, 0), ("task", 20, 30, 1), ("dance", 50, 60, 0) ]
        [ fieldsOf (spanRest s) | t <- timelineTracks l, s <- trackSpans t, spanLabel s == "dance" ]
            @?= [[("n", "1"), ("m", "2")]]
        timelineTrouble l @?= Trouble { troubleEnds = 3, troubleOpen = 1, troubleInner = 2, troubleMalformed = 1 }
    , testCase "generations go to the right collections" $ do
        let gc a b g =
                [ on 0 a GcStart, on 1 (a + 1) GcStart, on 0 b GcEnd, on 0 b (GcGeneration g), on 1 (b + 2) GcEnd ]
            l = timeline (0, 100) (gc 10 20 0 ++ gc 30 40 1 ++ [on 0 50 GcStart, on 0 60 GcEnd])
        [ [ (spanStart s, spanKind s) | s <- trackSpans t ] | t <- timelineTracks l ] @?=
            [ [(10, Collection (Just 0)), (30, Collection (Just 1)), (50, Collection Nothing)]
            , [(11, Collection (Just 0)), (31, Collection (Just 1))] ]
    , testCase "the non-moving collector has its own track" $ do
        let l = timeline (0, 100) [ Event 10 Nothing (ConcurrentBegin "mark"), Event 20 Nothing (ConcurrentEnd "mark") ]
        [ (trackLabel t, map spanLabel (trackSpans t)) | t <- timelineTracks l ]
            @?= [("concurrent collector", ["GC mark"])]
    , testCase "no events at all" $ do
        let l = timeline (7, 7) []
        rows <- traceRows (render (chrome [] l))
        rows @?= []
        lines (summary ["none"] l) @?= ["none", "from 0.000 to 0.000 ms: 0.000 ms"]
    ]

-- What holds for every log ----------------------------------------------------------------------------------------

properties :: TestTree
properties = testGroup "every log"
    [ testProperty "spans nest, are sorted, and lie inside of the log" $ \(AnyLog es) ->
        conjoin [ nests (trackSpans t) | t <- timelineTracks (whole es) ]
    , testProperty "each begin gives one span, each end ends one or is counted" $ \(AnyLog es) ->
        let l = whole es
            trouble = timelineTrouble l
            spans = length (concatMap trackSpans (timelineTracks l))
        in (length (filter begins es), length (filter ends es)) ===
           (spans, spans - troubleOpen trouble - troubleInner trouble + troubleEnds trouble)
    , testProperty "each moment of ours gives one mark" $ \(AnyLog es) ->
        length [ () | t <- timelineTracks (whole es), m <- trackMarks t, markOurs m ] === length (filter isMoment es)
    , testProperty "blocks in another order make the same timeline" $ \(AnyLog es) ->
        -- Of equal times the order in the file decides, so they are made different here.
        let distinct = [ e { eventTime = eventTime e * 1000 + i } | (e, i) <- zip es [0 ..] ]
            (early, late) = splitAt (length es `div` 2) distinct
        in timeline (0, 99999) (late ++ early) === timeline (0, 99999) distinct
    , testProperty "pieces are in order, apart, and cover what the spans cover" $ \(AnyLog es) ->
        conjoin [ let ps = innermost (trackSpans t)
                      outer = [ s | s <- trackSpans t, spanDepth s == 0 ]
                  in property (and [ pieceStart a < pieceEnd a | a <- ps ])
                     .&&. property (and (zipWith (\a b -> pieceEnd a <= pieceStart b) ps (drop 1 ps)))
                     .&&. sum [ pieceEnd a - pieceStart a | a <- ps ] === sum [ spanEnd s - spanStart s | s <- outer ]
                | t <- timelineTracks (whole es) ]
    , testProperty "a window has the same pieces, cut" $ \(AnyLog es) -> forAll (choose (0, 59)) $ \from ->
        forAll (choose (from + 1, 60)) $ \to ->
        let
            inside x = [ (max from (pieceStart i), min to (pieceEnd i), spanKind (pieceSpan i))
                       | i <- x, pieceStart i < to, pieceEnd i > from ]
            pieces l = [ (trackId t, inside (innermost (trackSpans t))) | t <- timelineTracks l ]
            cut = window (from, to) (whole es)
        in pieces cut === pieces (whole es)
           .&&. property (and [ spanStart s >= from && spanEnd s <= to && spanStart s <= spanEnd s
                              | t <- timelineTracks cut, s <- trackSpans t ])
           .&&. property (and [ markTime m >= from && markTime m <= to | t <- timelineTracks cut, m <- trackMarks t ])
    , testProperty "the table's lines are of one width" $ \(AnyLog es) ->
        let text = summary [] (whole es)
            rows = dropWhile (not . ("OpenMP thread" `isInfixOf`)) (lines text)
            table = takeWhile (/= "") rows
        in property (all ((== length (concat (take 1 table))) . length) table)
    , testProperty "names in the table have no effect on a terminal" $ \(AnyLog es) ->
        let text = lines (summary ["a\x19\n\x1b" ++ "b"] (whole es))
        in take 1 text === ["a\\x19\\x0a\\x1b" ++ "b"] .&&. filter isControl (concat text) === ""
    , testCase "another reader of JSON finds the same in two hundred of them" $ do
        logs <- generate (vectorOf 200 arbitrary)
        told <- forM logs $ \(AnyLog es) -> do
            let l = whole es
            pure (render (chrome [("program", "\"\x1")] l), sum (map (length . trackSpans) (timelineTracks l)))
        answer <- python checkTraces (BL.intercalate "\0" (map fst told))
        lines answer @?= [ "ok " ++ show n | (_, n) <- told ]
    ]

nests :: [Span] -> Property
nests = go 0 []
  where
    go _ _ [] = property True
    go before open (s : rest) =
        let around = dropWhile (\o -> spanEnd o <= spanStart s && spanDepth o >= spanDepth s) open
        in counterexample (show s ++ " in " ++ show (listToMaybe around)) (conjoin
            [ property (before <= spanStart s), property (spanStart s <= spanEnd s), property (spanEnd s <= 60)
            , property (and [ spanEnd s <= spanEnd o || spanEnd o <= spanStart s | o <- take 1 around ]) ])
           .&&. go (spanStart s) (s : around) rest

begins, ends, isMoment :: Event -> Bool
begins e = case eventWhat e of
    RunThread _ -> True
    GcStart -> True
    ConcurrentBegin _ -> True
    _ -> phaseOf e == Just Begin
ends e = case eventWhat e of
    StopThread _ _ -> True
    GcEnd -> True
    ConcurrentEnd _ -> True
    _ -> phaseOf e == Just End
isMoment e = phaseOf e == Just Moment && not (named' e)
  where
    named' x = case eventWhat x of
        UserMessage m | Parsed (Message _ _ "name" rest) <- parse m -> "text" `elem` map fst (fieldsOf rest)
        _ -> False

phaseOf :: Event -> Maybe Phase
phaseOf e = case eventWhat e of
    UserMessage m | Parsed x <- parse m -> Just (messagePhase x)
    _ -> Nothing

-- | Traces with NULs between: the viewer's rules hold, and how many spans there are.
checkTraces :: String
checkTraces = unlines
    [ "import json, sys"
    , "for text in open(sys.argv[1], encoding='ascii').read().split('\\0'):"
    , "    events, open_, spans, last = json.loads(text)['traceEvents'], {}, 0, -1"
    , "    for e in events:"
    , "        if e['ph'] == 'M': continue"
    , "        assert e['ts'] >= last, 'sorted'"
    , "        last = e['ts']"
    , "        if e['ph'] != 'X': assert e['ph'] == 'i' and e['s'] == 't'; continue"
    , "        spans += 1"
    , "        begin, end = round(e['ts'] * 1000), round((e['ts'] + e['dur']) * 1000)"
    , "        assert begin <= end"
    , "        stack = open_.setdefault((e['pid'], e['tid']), [])"
    , "        while stack and stack[-1] <= begin: stack.pop()"
    , "        assert not stack or end <= stack[-1], 'nested'"
    , "        stack.append(end)"
    , "    named = {(e['pid'], e['tid']) for e in events if e['name'] == 'thread_name' and e['ph'] == 'M'}"
    , "    assert named >= set(open_), 'named'"
    , "    print('ok', spans)" ]
