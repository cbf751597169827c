{-# LANGUAGE OverloadedStrings #-}
-- | @ghcomp trace@: from events to a timeline and the files written from it, and the command on a real eventlog.
module TraceTest (tests) where

import Control.Exception (evaluate)
import Control.Monad (forM, forM_)
import Data.Bits (xor)
import Data.ByteString.Builder (Builder, byteString, lazyByteString, toLazyByteString, word16BE, word32BE, word64BE)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as BL
import Data.List (isInfixOf, isSuffixOf)
import Data.Maybe (fromMaybe, isJust, listToMaybe)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import Data.Word (Word64)
import System.Directory (createDirectoryIfMissing, doesFileExist)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

import Ghcomp.Trace (TraceOptions (..), nanoseconds, traceFile)
import Ghcomp.Trace.Chrome
import Ghcomp.Trace.Label
import Ghcomp.Trace.Log
import Ghcomp.Trace.Message
import Ghcomp.Trace.Summary
import Ghcomp.Trace.Svg
import Ghcomp.Trace.Timeline
import Programs

tests :: Programs -> TestTree
tests p = testGroup "trace" [messages, shapes, properties, pictures p, command p]

-- The runtime's messages ------------------------------------------------------------------------------------------

messages :: TestTree
messages = testGroup "messages"
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

-- Known logs ------------------------------------------------------------------------------------------------------

say :: Time -> Text -> Event
say t m = Event t Nothing (UserMessage m)

on :: Int -> Time -> What -> Event
on cap t = Event t (Just cap)

-- | Two Capabilities, a collection, a region of two threads; the runtime's block comes late in the file.
small2 :: [Event]
small2 =
    [ on 0 1000 (RunThread 3), on 1 1500 (RunThread 4), on 0 2000 (LabelThread 4 "mapper")
    , on 0 5000 (StopThread 3 "heap overflow"), on 1 5100 (StopThread 4 "thread yielding")
    , on 1 5200 GcStart, on 0 5300 GcStart, on 0 7000 GcEnd, on 0 7100 (GcGeneration 1), on 1 7200 GcEnd
    , on 1 7500 (RunThread 4), on 1 7600 (UserMarker "half"), on 1 9000 (StopThread 4 "thread finished")
    , say 1100 "ghcomp m0 region-begin region=1 size=2 wanted=2 level=1", say 4000 "ghcomp m0 barrier-begin"
    , say 4800 "ghcomp m0 barrier-end", say 4900 "ghcomp m0 region-end"
    , say 900 "ghcomp w1 park-begin", say 1200 "ghcomp w1 park-end", say 1200 "ghcomp w1 part-begin region=1 tid=1"
    , say 2000 "ghcomp w1 task-begin", say 2100 "ghcomp w1 steal", say 3000 "ghcomp w1 task-end"
    , say 3500 "ghcomp w1 yield", say 4700 "ghcomp w1 part-end", say 4950 "ghcomp w1 park-begin"
    , say 800 "ghcomp w1 name text=the first" ]

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

-- | In any order, with many equal times, unmatched ends and nonsense.
newtype AnyLog = AnyLog [Event] deriving Show

instance Arbitrary AnyLog where
    arbitrary = AnyLog <$> listOf event
      where
        event = Event <$> choose (0, 60) <*> elements [Nothing, Just 0, Just 1, Just 1] <*> frequency
            [ (6, UserMessage <$> message), (1, UserMarker <$> junk), (4, RunThread <$> choose (1, 3))
            , (4, StopThread <$> choose (1, 3) <*> elements ["", "thread finished"]), (2, pure GcStart), (2, pure GcEnd)
            , (1, GcGeneration <$> choose (0, 1)), (1, LabelThread <$> choose (1, 3) <*> junk)
            , (1, ConcurrentBegin <$> elements ["mark", "sync"]), (1, ConcurrentEnd <$> elements ["mark", "sync"]) ]
        message = frequency
            [ (10, T.concat <$> sequence [ pure "ghcomp ", elements ["w1", "w2", "m0", "odd"], pure " "
                                         , elements ["region", "part", "barrier", "task", "park", "wait", "odd"]
                                         , elements ["-begin", "-begin", "-end", "-end", ""]
                                         , elements ["", " region=1", " a=1 a=2 b", " name=\"<&>\""] ])
            , (1, T.append "ghcomp " <$> junk), (1, junk), (1, T.append "ghcomp w1 name text=" <$> junk) ]
        junk = T.pack <$> listOf (elements " ab=\"\\<&>\n\1\xe9\x1f600\xffff")
    shrink (AnyLog es) = map AnyLog (shrinkList (const []) es)

whole :: [Event] -> Timeline
whole = timeline (0, 60)

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
        let text = summary [] (whole [ e | e <- es, not (names e) ])
            rows = dropWhile (not . ("OpenMP thread" `isInfixOf`)) (lines text)
            table = takeWhile (/= "") rows
        in property (all ((== length (concat (take 1 table))) . length) table)
    , testCase "another reader of JSON finds the same in two hundred of them" $ do
        logs <- generate (vectorOf 200 arbitrary)
        told <- forM logs $ \(AnyLog es) -> do
            let l = whole es
            pure (render (chrome [("program", "\"\x1")] l), sum (map (length . trackSpans) (timelineTracks l)))
        answer <- python checkTraces (BL.intercalate "\0" (map fst told))
        lines answer @?= [ "ok " ++ show n | (_, n) <- told ]
    ]
  where
    names e = case eventWhat e of
        UserMessage m | Parsed (Message _ Moment "name" _) <- parse m -> True
        _ -> False

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

-- Pictures --------------------------------------------------------------------------------------------------------

pictures :: Programs -> TestTree
pictures p = testGroup "pictures"
    [ testCase "well-formed, whatever the names" $ do
        logs <- generate (vectorOf 100 arbitrary)
        answer <- python checkPictures (BL.intercalate "\0"
            [ render (svg "a <b> & \"c\" \1" (Just name) (whole (say 1 ("ghcomp w1 name text=" <> T.pack name) : es)))
            | AnyLog es <- logs, let name = "<&\"\1>" ])
        lines answer @?= replicate 100 "ok"
    , testCase "lanes, legend and labels are those of the log" $ do
        let picture = render (svg "small" (Just "a note") (timeline (800, 10000) small2))
        B.writeFile (dir p </> "small.svg") (BL.toStrict picture)
        texts <- lines <$> python pictureTexts picture
        let lanes = ["Capability 0", "Capability 1", "initial thread 0", "worker 1 the first"]
        filter (`elem` lanes) texts @?= lanes
        forM_ [ "small", "a note", "a Haskell thread runs", "collection of an older generation", "OpenMP region", "task"
              , "barrier", "sleeps", "task stolen", "time given to Haskell", "message", "ms since the start", "region 1"
              , "GC gen 1", "0.002", "0.010" ] $ \t ->
            assertBool (show t ++ " is not in " ++ show texts) (t `elem` texts)
        forM_ ["waits for its turn", "collection", "other"] $ \t -> assertBool t (t `notElem` texts)
    , testCase "workers that a master takes have a sign of their own" $ do
        let es = [say 900 "ghcomp m1 lend count=3", say 950 "ghcomp m1 region-begin", say 990 "ghcomp m1 region-end"]
        texts <- lines <$> python pictureTexts (render (svg "lend" Nothing (timeline (0, 1000) es)))
        filter (`elem` ["takes another team's workers", "message"]) texts @?= ["takes another team's workers"]
    , testCase "very many spans are a small file" $ do
        let n = 60000
            -- Spans of about a sixth of a pixel; of equal length, then of lengths that make every column another one.
            busy w = concat [ [ say (i * 40) (at w "task-begin")
                              , say (i * 40 + i * i `mod` 37) (at w "task-end") ]
                            | i <- [1 .. n] ]
            at w what = T.concat ["ghcomp w", T.pack (show (w :: Int)), " ", what]
            picture = svg "many" Nothing (timeline (0, n * 40 + 40) (concatMap busy [1 .. 4]))
            size = BL.length (render picture)
        assertBool (show size ++ " bytes") (size < 4 * fromIntegral maxLaneBytes)
    , testCase "the worst lane for a picture's size stays below the bound" $ do
        -- Alternately a piece that is just wide enough to be drawn by itself, a narrow one and a mark.
        let pixel = 1000
            event i = [ say (i * 1600) "ghcomp w1 task-begin", say (i * 1600 + pixel) "ghcomp w1 task-end"
                      , say (i * 1600 + pixel + 100) "ghcomp w1 barrier-begin"
                      , say (i * 1600 + pixel + 100) "ghcomp w1 steal"
                      , say (i * 1600 + pixel + 200 + i * 7 `mod` 300) "ghcomp w1 barrier-end"
                      , say (i * 1600 + 300) "ghcomp w1 yield", say (i * 1600 + 300) "ghcomp w1 odd" ]
            size = BL.length (render (svg "" Nothing (timeline (0, 990 * pixel) (concatMap event [0 .. 617]))))
        assertBool (show size ++ " bytes") (size < fromIntegral maxLaneBytes && size > 20000)
    , testCase "too many threads: the busiest, in their order, and how many are missing" $ do
        let es = concat [ [say 0 (at w "task-begin"), say (fromIntegral w * 10) (at w "task-end")]
                        | w <- [1 .. 100 :: Int] ]
            at w what = T.concat ["ghcomp w", T.pack (show w), " ", what]
            picture = render (svg "" Nothing (timeline (0, 1000) es))
        texts <- lines <$> python pictureTexts picture
        filter ("worker " `isInfixOf`) texts @?= [ "worker " ++ show w | w <- [37 .. 100 :: Int] ]
        assertBool (show texts) ("36 more threads, with less to show, are not in this picture" `elem` texts)
        assertBool "size" (BL.length picture < fromIntegral (maxLanes * maxLaneBytes))
    ]

-- The command -----------------------------------------------------------------------------------------------------

command :: Programs -> TestTree
command p = testGroup "command"
    [ testCase "the eventlog of a Haskell program" $ do
        file <- eventlog
        (r, json) <- traced file []
        (status r, err r, "open it in the Perfetto viewer" `isInfixOf` out r) @?= (ExitSuccess, "", True)
        rows <- traceRows json
        let having parts = length (filter (\row -> all (`isInfixOf` row) parts) rows)
        having ["M 1/1 thread_name Capability 0"] @?= 1
        having ["M 1/2 thread_name Capability 1"] @?= 1
        having ["thread_name initial thread 0 hand made"] @?= 1
        having ["X 2/", " region ", "level=1 region=1 size=2 wanted=2"] @?= 1
        having ["X 2/", " part ", "region=1 tid=1"] @?= 1
        having ["X 2/", " odd "] @?= 1
        having ["i 2/", " yield "] @?= 1
        having ["i 1/", " hello of the program's own "] @?= 1
        assertBool "labelled threads run" (having ["X 1/", "labelled ("] >= 1)
        -- performMajorGC, eight times; performMinorGC, five times.
        assertBool "collections of the older generation" (having ["X 1/", "GC gen 1 ", "generation=1"] >= 8)
        assertBool "of the younger" (having ["X 1/", "GC gen 0 ", "generation=0"] >= 5)
    , testCase "the table counts the collections that the program's RTS has counted" $ do
        file <- eventlog
        (r, _) <- traced file ["--summary"]
        status r @?= ExitSuccess
        counted <- read <$> readFile (dir p </> "collections") :: IO Int
        let told = [ read n | l <- lines (out r), "generation" : _ : n : _ <- [words l] ] :: [Int]
        sum told @?= counted
        assertBool (out r) ("initial thread 0 hand made" `isInfixOf` out r)
    , testCase "a block without a Capability, late in the file" $ do
        file <- eventlog
        bytes <- B.readFile file
        let (log', dataEnd) = B.splitAt (B.length bytes - 2) bytes
            late = dir p </> "late.eventlog"
        dataEnd @?= "\xff\xff"
        B.writeFile late (B.concat [ log', block [ (900, "ghcomp w7 park-begin"), (2900, "ghcomp w7 park-end")
                                                 , (2950, "ghcomp w7 part-begin region=9 tid=1") ], dataEnd ])
        (r, json) <- traced late []
        (status r, err r) @?= (ExitSuccess, "")
        rows <- traceRows json
        assertBool (show (filter ("park" `isInfixOf`) rows)) (any (" park 0.900+2.000" `isSuffixOf`) rows)
        let parts = filter ("region=9 tid=1" `isInfixOf`) rows
        assertBool (show parts) (any (" part 2.950+" `isInfixOf`) parts)
        before <- traceRows . snd =<< traced file []
        length rows - length before @?= 4
    , testCase "the picture, and a part of the time" $ do
        file <- eventlog
        let picture = dir p </> "P.svg"
        (r, _) <- traced file ["--svg", picture, "--from", "0", "--to", "1000000", "--note", "made here"]
        (status r, out r, err r) @?= (ExitSuccess, "", "")
        texts <- lines <$> (python pictureTexts . BL.fromStrict =<< B.readFile picture)
        assertBool (show texts) (all (`elem` texts)
            ["Capability 0", "initial thread 0 hand made", "a Haskell thread runs", "made here"])
        (first, final) <- either assertFailure (pure . logSpan) =<< readLog file
        let early = fromIntegral (first + (final - first) `div` 8) / 1e6 :: Double
        (cut, json) <- traced file ["--to", show early]
        status cut @?= ExitSuccess
        (_, full) <- traced file []
        assertBool "less in a part" (BL.length json < BL.length full)
        (c, _) <- traced file ["--svg", "-"]
        assertBool "to standard output" ("<svg " `isInfixOf` out c)
    , testCase "cut off, wherever: what there is, and one line" $ do
        file <- eventlog
        bytes <- B.readFile file
        header <- maybe (assertFailure "the header has no end") (pure . (+ 4)) (breakAt "hdre" bytes)
        let size = B.length bytes
            cut = dir p </> "cut.eventlog"
            write n = B.writeFile cut (B.take n bytes)
            -- Where a cut looks most like an end.
            tempting = [ n | n <- [header + 2 .. size - 1], B.take 2 (B.drop (n - 2) bytes) == "\xff\xff" ]
        write (size * 2 `div` 3)
        assertBool "there are such" (not (null tempting))
        (r, json) <- traced cut []
        (status r, length (lines (err r))) @?= (ExitSuccess, 1)
        assertBool (err r) ("cut.eventlog: it ends before the program's end" `isInfixOf` err r)
        rows <- traceRows json
        assertBool "what there is" (any ("GC gen" `isInfixOf`) rows)
        forM_ ([header - 1, header - 20 .. 0] ++ [header, header + 137 .. size - 1] ++ tempting) $ \n -> do
            write n
            l <- readLog cut
            case l of
                Left e -> length (lines e) @?= 1
                Right x -> do
                    assertBool ("a cut at " ++ show n ++ " is noticed") (isJust (logTrouble x))
                    _ <- evaluate (BL.length (render (chrome [] (timeline (logSpan x) (logEvents x)))))
                    pure ()
    , testCase "damaged, wherever: no crash" $ do
        file <- eventlog
        bytes <- B.readFile file
        let hurt = dir p </> "hurt.eventlog"
        places <- generate (vectorOf 150 ((,) <$> choose (4, B.length bytes - 1) <*> choose (1, 255)))
        forM_ places $ \(at, change) -> do
            B.writeFile hurt (B.take at bytes <> B.cons (B.index bytes at `xor` change) (B.drop (at + 1) bytes))
            l <- readLog hurt
            case l of
                Left e -> (at, length (lines e)) @?= (at, 1)
                Right x -> do
                    let line = timeline (logSpan x) (logEvents x)
                    n <- evaluate (BL.length (render (chrome [] line)) + BL.length (render (svg "" Nothing line)))
                    assertBool (show at) (n > 0 && length (lines (fromMaybe "-" (logTrouble x))) == 1)
    , testCase "what is no eventlog: one line, status 2" $ do
        let at = (dir p </>)
        B.writeFile (at "empty.eventlog") ""
        B.writeFile (at "text.eventlog") "hello\n"
        B.writeFile (at "header.eventlog") "hdrbhetb"
        createDirectoryIfMissing True (at "folder.eventlog")
        forM_ [ ("none.eventlog", "does not exist"), ("empty.eventlog", "is empty")
              , ("text.eventlog", "not an eventlog")
              , ("header.eventlog", "has no events"), ("folder.eventlog", "") ] $ \(name, why) -> do
            (r, _) <- traced (at name) []
            (name, status r, out r, length (lines (err r))) @?= (name, ExitFailure 2, "", 1)
            assertBool (err r) (why `isInfixOf` err r && (name ++ ":") `isInfixOf` err r)
    , testCase "options that can't be: one line, status 2" $ do
        file <- eventlog
        content <- B.readFile file
        forM_ [ (["--from", "x"], "not a time"), (["--from", "5", "--to", "4"], "nothing between")
              , (["--from", "1000000"], "nothing between"), (["-o", file], "different files")
              , (["--svg", dir p </> "a.svg", "-o", dir p </> "." </> "a.svg"], "different files")
              , (["-o", dir p </> "no" </> "such" </> "folder"], "") ] $ \(options, why) -> do
            g <- ghcomp
            r <- capture [] g (["trace", file] ++ options) ""
            (options, status r, out r, length (lines (err r))) @?= (options, ExitFailure 2, "", 1)
            assertBool (err r) (why `isInfixOf` err r)
        now <- B.readFile file
        assertBool "the eventlog is as it was" (content == now)
    ]
  where
    -- Made when it is first asked for.
    eventlog = do
        let file = dir p </> "traced.eventlog"
        there <- doesFileExist file
        if there then pure file else makeLog (dir p) file
    traced file options = do
        g <- ghcomp
        let json = dir p </> "out.json"
            asked = any (`elem` ["--svg", "--summary", "-o"]) options
        r <- capture [] g (["trace", file] ++ options ++ concat [ ["-o", json] | not asked ]) ""
        text <- if status r == ExitSuccess && not asked then BL.fromStrict <$> B.readFile json else pure ""
        pure (r, text)
    breakAt part bytes = let (a, b) = B.breakSubstring part bytes in if B.null b then Nothing else Just (B.length a)

-- | A program that writes the runtime's messages itself: as events they are the same.
makeLog :: FilePath -> FilePath -> IO FilePath
makeLog folder file = do
    createDirectoryIfMissing True (folder </> "traced")
    writeFile (folder </> "traced" </> "Traced.hs") (unlines
        [ "module Main (main) where"
        , "import Control.Concurrent"
        , "import Control.Monad"
        , "import Debug.Trace (traceEventIO)"
        , "import GHC.Conc (labelThread)"
        , "import GHC.Stats (getRTSStats, gcs)"
        , "import System.Mem (performMajorGC, performMinorGC)"
        , "main :: IO ()"
        , "main = do"
        , "    traceEventIO \"ghcomp m0 name text=hand made\""
        , "    traceEventIO \"hello of the program's own\""
        , "    traceEventIO \"ghcomp m0 region-begin region=1 size=2 wanted=2 level=1\""
        , "    traceEventIO \"ghcomp w1 part-begin region=1 tid=1\""
        , "    done <- newEmptyMVar"
        , "    t <- forkOn 1 (forM_ [1 .. 200 :: Int] (\\i -> when (i `mod` 50 == 0) yield) >> putMVar done ())"
        , "    labelThread t \"labelled\""
        , "    takeMVar done"
        , "    replicateM_ 8 performMajorGC"
        , "    replicateM_ 5 performMinorGC"
        , "    traceEventIO \"ghcomp w1 yield\""
        , "    traceEventIO \"ghcomp w1 odd-begin\""
        , "    traceEventIO \"ghcomp w1 odd-end\""
        , "    traceEventIO \"ghcomp w1 part-end\""
        , "    traceEventIO \"ghcomp m0 region-end\""
        , "    getRTSStats >>= print . gcs" ])
    version <- out <$> capture [] "ghc" ["--numeric-version"] ""
    -- From 9.4 on every RTS has it, and the option is obsolete.
    let old = [ "-eventlog" | (major, rest) <- [break (== '.') version], let minor = takeWhile (/= '.') (drop 1 rest)
                            , (read major, read minor) < (9 :: Int, 4 :: Int) ]
    built <- capture [] "ghc" ([ "-v0", "-O0", "-threaded", "-rtsopts", "-outputdir", folder </> "traced"
                               , folder </> "traced" </> "Traced.hs"
                               , "-o", folder </> "traced" </> "Traced" ] ++ old) ""
    (status built, err built) @?= (ExitSuccess, "")
    -- -T for getRTSStats; -I0, so that no collection comes after it but the last.
    ran <- capture [] (folder </> "traced" </> "Traced") ["+RTS", "-N2", "-T", "-I0", "-l", "-ol" ++ file] ""
    (status ran, err ran) @?= (ExitSuccess, "")
    later <- laterCollections version file
    writeFile (folder </> "collections") (show (read (out ran) + later))
    pure file
  where
    -- The RTS collects once more when it ends.
    laterCollections :: String -> FilePath -> IO Int
    laterCollections _ log' = do
        l <- either assertFailure pure =<< readLog log'
        let end = maximum (0 : [ eventTime e | e <- logEvents l, isRegionEnd (eventWhat e) ])
        pure (length [ () | Event t _ (GcGeneration _) <- logEvents l, t > end ])
    isRegionEnd w = w == UserMessage "ghcomp m0 region-end"

-- | A block of the eventlog as the runtime writes it: user messages in no Capability.
block :: [(Word64, Text)] -> B.ByteString
block events = BL.toStrict (toLazyByteString (
    word16BE 18 <> word64BE (minimum times) <> word32BE (fromIntegral (24 + BL.length body)) <> word64BE (maximum times)
    <> word16BE 0xffff <> lazyByteString body))
  where
    times = map fst events
    body = toLazyByteString (foldMap event events)
    event (t, m) = let bytes = T.encodeUtf8 m in
        word16BE 19 <> word64BE t <> word16BE (fromIntegral (B.length bytes)) <> byteString bytes

-- Other readers ---------------------------------------------------------------------------------------------------

render :: Builder -> BL.ByteString
render = toLazyByteString

python :: String -> BL.ByteString -> IO String
python program input = do
    -- The input may be large and is no text: it goes through a file.
    r <- withInput
    (status r, err r) @?= (ExitSuccess, "")
    pure (out r)
  where
    withInput = do
        Result _ o _ <- capture [] "mktemp" [] ""
        let file = takeWhile (/= '\n') o
        BL.writeFile file input
        r <- capture [("PYTHONIOENCODING", "utf-8")] "python3" ["-c", program, file] ""
        _ <- capture [] "rm" [file] ""
        pure r

-- | A line for each event of a trace.
traceRows :: BL.ByteString -> IO [String]
traceRows json = lines <$> python (unlines
    [ "import json, sys"
    , "for e in json.load(open(sys.argv[1], encoding='ascii'))['traceEvents']:"
    , "    row = '%s %d/%d %s' % (e['ph'], e['pid'], e['tid'], e['name'])"
    , "    args = e.get('args', {})"
    , "    if e['ph'] == 'M': row += ' %s' % list(args.values())[0]"
    , "    else:"
    , "        row += ' %.3f' % e['ts'] + ('+%.3f' % e['dur'] if e['ph'] == 'X' else ' ' if args else '')"
    , "        row += ''.join(' %s=%s' % kv for kv in sorted(args.items()))"
    , "    print(row)" ]) json

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

checkPictures :: String
checkPictures = unlines
    [ "import sys, xml.etree.ElementTree as tree"
    , "for text in open(sys.argv[1], 'rb').read().split(b'\\0'):"
    , "    root = tree.fromstring(text)"
    , "    width, height = float(root.get('width')), float(root.get('height'))"
    , "    assert root.tag == '{http://www.w3.org/2000/svg}svg'"
    , "    assert root.get('viewBox') == '0 0 %d %d' % (width, height)"
    , "    for e in root.iter('{http://www.w3.org/2000/svg}text'):"
    , "        assert float(e.get('y')) <= height and float(e.get('x')) <= width, e.text"
    , "    print('ok')" ]

pictureTexts :: String
pictureTexts = unlines
    [ "import sys, xml.etree.ElementTree as tree"
    , "for e in tree.parse(sys.argv[1]).iter('{http://www.w3.org/2000/svg}text'): print(e.text)" ]
