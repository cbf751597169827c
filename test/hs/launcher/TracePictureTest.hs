{-# LANGUAGE OverloadedStrings #-}
-- | The picture of a timeline: what is in it, and that it stays small.
module TracePictureTest (tests) where

import Control.Monad (forM_)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as BL
import Data.List (isInfixOf)
import qualified Data.Text as T
import System.FilePath ((</>))
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

import Ghcomp.Trace.Svg
import Ghcomp.Trace.Timeline
import Programs
import TraceLogs

tests :: Programs -> TestTree
tests p = testGroup "pictures"
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
