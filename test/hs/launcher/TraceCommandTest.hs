{-# LANGUAGE OverloadedStrings #-}
-- | The command @ghcomp trace@ on the eventlog of a Haskell program, whole, cut off and damaged.
module TraceCommandTest (tests) where

import Control.Exception (evaluate)
import Control.Monad (forM_)
import Data.Bits (xor)
import Data.ByteString.Builder (byteString, lazyByteString, toLazyByteString, word16BE, word32BE, word64BE)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as BL
import Data.List (isInfixOf, isSuffixOf, sort)
import Data.Maybe (fromMaybe, isJust)
import Data.Text (Text)
import qualified Data.Text.Encoding as T
import Data.Word (Word64)
import System.Directory (createDirectoryIfMissing, doesFileExist)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

import Ghcomp.Trace.Chrome
import Ghcomp.Trace.Log
import Ghcomp.Trace.Svg
import Ghcomp.Trace.Timeline
import Programs
import TraceLogs

tests :: Programs -> TestTree
tests p = testGroup "command"
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
    , testCase "a name that is no ASCII, in the locale C; a table that cannot be written" $ do
        file <- eventlog
        bytes <- B.readFile file
        let (log', dataEnd) = B.splitAt (B.length bytes - 2) bytes
            named = dir p </> "named.eventlog"
            events = [ (900, "ghcomp w7 name text=gr\246\223e"), (901, "ghcomp w7 park-begin")
                     , (2900, "ghcomp w7 park-end") ]
        B.writeFile named (B.concat [log', block events, dataEnd])
        g <- ghcomp
        r <- capture [("LC_ALL", "C")] "sh"
            ["-c", "$0 trace --summary $1 | grep -ac \"$(printf 'gr\\303\\266\\303\\237e')\"", g, named] ""
        (out r, err r) @?= ("1\n", "")
        full <- capture [] "sh" ["-c", "$0 trace --summary $1 >/dev/full", g, named] ""
        (status full, length (lines (err full))) @?= (ExitFailure 2, 1)
        assertBool (err full) ("ghcomp: the output cannot be written: " `isInfixOf` err full)
    , testCase "the picture, and a part of the time" $ do
        file <- eventlog
        let picture = dir p </> "P.svg"
        (r, _) <- traced file ["--svg", picture, "--from", "0", "--to", "1000000", "--note", "made here"]
        (status r, out r, err r) @?= (ExitSuccess, "", "")
        texts <- lines <$> (python pictureTexts . BL.fromStrict =<< B.readFile picture)
        assertBool (show texts) (all (`elem` texts)
            ["Capability 0", "initial thread 0 hand made", "a Haskell thread runs", "made here"])
        -- By the number of events, not by the time, of which most may lie between two of them.
        times <- either assertFailure (pure . map eventTime . logEvents) =<< readLog file
        let middle = fromIntegral (sort times !! (length times `div` 2)) / 1e6 :: Double
        (cut, json) <- traced file ["--to", show middle]
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
              , (["-o", "-", "--svg", "-"], "has room for one"), (["-o", "-", "--summary"], "has room for one")
              , (["--svg", "-", "--summary"], "has room for one")
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
