{-# LANGUAGE OverloadedStrings #-}
-- | What the tests of @ghcomp trace@ share: logs of known and of any events, and other readers of what is written from
-- them.
module TraceLogs
    ( say
    , on
    , small2
    , AnyLog (..)
    , whole
    , render
    , python
    , traceRows
    , pictureTexts
    ) where

import Data.ByteString.Builder (Builder, toLazyByteString)
import qualified Data.ByteString.Lazy as BL
import Data.Text (Text)
import qualified Data.Text as T
import System.Exit (ExitCode (..))
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

import Ghcomp.Trace.Log
import Ghcomp.Trace.Timeline
import Programs

-- Logs ------------------------------------------------------------------------------------------------------------

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

pictureTexts :: String
pictureTexts = unlines
    [ "import sys, xml.etree.ElementTree as tree"
    , "for e in tree.parse(sys.argv[1]).iter('{http://www.w3.org/2000/svg}text'): print(e.text)" ]
