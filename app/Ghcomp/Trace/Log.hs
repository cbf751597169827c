-- | Reading an eventlog: what of it a timeline needs, in the order of the file.
--
-- The only module that imports the library ghc-events. A log that ends too early, or that is damaged further on, gives
-- the events before that. Tested in @test/hs/launcher/TraceCommandTest.hs@.
module Ghcomp.Trace.Log
    ( Time
    , Event (..)
    , What (..)
    , Log (..)
    , readLog
    ) where

import Control.Exception (IOException, evaluate, try)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as BC
import qualified Data.ByteString.Lazy as BL
import Data.Text (Text)
import qualified Data.Text as T
import Data.Word (Word64)
import qualified GHC.RTS.Events as E
import GHC.RTS.Events.Incremental (Decoder (..), decodeEventLog)
import System.IO (IOMode (ReadMode), withBinaryFile)
import System.IO.Error (ioeGetErrorString)

import Ghcomp.Line

-- | Nanoseconds since the program's runtime system started.
type Time = Word64

data Event = Event
    { eventTime :: !Time
    , eventCap  :: !(Maybe Int)  -- ^ the Capability, where the event's block has one
    , eventWhat :: !What
    }
    deriving (Eq, Show)

data What
    = RunThread !Integer
    | StopThread !Integer !String     -- ^ and why
    | LabelThread !Integer !Text
    | GcStart
    | GcEnd
    | GcGeneration !Int               -- ^ of the collection that the Capability ends
    | ConcurrentBegin !Text           -- ^ a phase of the non-moving collector
    | ConcurrentEnd !Text
    | UserMessage !Text
    | UserMarker !Text
    deriving (Eq, Show)

data Log = Log
    { logEvents  :: [Event]
    , logSpan    :: !(Time, Time)     -- ^ of all events, also of those that are left out here
    , logProgram :: ![Text]           -- ^ the command line
    , logRts     :: !(Maybe Text)     -- ^ the version of GHC and the RTS's flavour
    , logTrouble :: !(Maybe String)   -- ^ why there is no more of it
    }

-- | An error is one line that names the file.
readLog :: FilePath -> IO (Either String Log)
readLog path = do
    r <- try (withBinaryFile path ReadMode (\h -> BL.hGetContents h >>= decode path))
    pure $ case r of
        Left e -> Left (path ++ ": " ++ ioeGetErrorString (e :: IOException) ++ hint)
        Right l -> l
  where
    hint = "; a Haskell program writes its eventlog when it runs with +RTS -l (before GHC 9.4: linked with -eventlog)"

-- What is known so far; the events are in reverse.
data Partial = Partial ![Event] !Time !Time ![Text] !(Maybe Text)

decode :: FilePath -> BL.ByteString -> IO (Either String Log)
decode path bytes
    | BL.null bytes = pure (Left (path ++ ": is empty: the program has not written its eventlog (yet)"))
    | not (BL.isPrefixOf magic (BL.take 4 bytes)) = pure (Left (path ++ ": is not an eventlog of GHC"))
    | otherwise = go (Partial [] maxBound 0 [] Nothing) B.empty decodeEventLog (BL.toChunks bytes)
  where
    magic = BL.fromStrict (BC.pack "hdrb")

    -- The last two bytes so far are held back. The library raises some of its errors only when the decoder is forced.
    go acc held decoder chunks = tried (evaluate decoder) >>= \d -> case d of
        Left e -> finish acc (Just (damaged e))
        Right (Produce e next) -> tried (add acc e) >>= \r -> case r of
            Left x -> finish acc (Just (damaged x))
            Right more -> go more held next chunks
        Right (Consume k) -> case chunks of
            c : cs ->
                let (now, held') = B.splitAt (B.length held + B.length c - 2) (held <> c)
                in go acc held' (k now) cs
            [] -> do
                whole <- betweenEvents k
                finish acc (if held == dataEnd && whole then Nothing else Just cut)
        Right (Done _) -> finish acc Nothing
        Right (Error _ message) -> finish acc (Just (damaged message))

    -- The type number that ends the events of a log, and so the file.
    dataEnd = B.pack [0xff, 0xff]
    -- Whether an event may begin here: the decoder gets one to see, the start of a collection at a strange time.
    betweenEvents k = do
        r <- tried (evaluate (k (B.pack ([0, 9] ++ replicate 8 0xa5))))
        pure $ case r of
            Right (Produce E.Event { E.evTime = 0xa5a5a5a5a5a5a5a5, E.evSpec = E.StartGC } _) -> True
            _ -> False
    cut = "it ends before the program's end (killed, or still running?)"
    damaged message = "damaged: " ++ unwords (words message)

    finish (Partial events first final args rts) trouble
        | first > final = pure (Left (path ++ ": has no events" ++ maybe "" ("; " ++) trouble))
        | otherwise = pure (Right (Log (reverse events) (first, final) args rts trouble))

add :: Partial -> E.Event -> IO Partial
add (Partial events first final args rts) e = do
    what <- evaluate (keep (E.evSpec e))
    let t = E.evTime e
        kept = maybe events (\w -> Event t (E.evCap e) w : events) what
        (args', rts') = case E.evSpec e of
            E.ProgramArgs { E.args = a } -> (a, rts)
            E.RtsIdentifier { E.rtsident = i } -> (args, Just i)
            _ -> (args, rts)
    evaluate (Partial kept (min first t) (max final t) args' rts')

keep :: E.EventInfo -> Maybe What
keep info = case info of
    E.RunThread { E.thread = t } -> Just (RunThread (toInteger t))
    E.StopThread { E.thread = t, E.status = s } -> Just (StopThread (toInteger t) (E.showThreadStopStatus s))
    E.ThreadLabel { E.thread = t, E.threadlabel = l } -> Just (LabelThread (toInteger t) l)
    E.StartGC -> Just GcStart
    E.EndGC -> Just GcEnd
    E.GCStatsGHC { E.gen = g } -> Just (GcGeneration g)
    E.ConcMarkBegin -> Just (ConcurrentBegin mark)
    E.ConcMarkEnd {} -> Just (ConcurrentEnd mark)
    E.ConcSyncBegin -> Just (ConcurrentBegin sync)
    E.ConcSyncEnd -> Just (ConcurrentEnd sync)
    E.ConcSweepBegin -> Just (ConcurrentBegin sweep)
    E.ConcSweepEnd -> Just (ConcurrentEnd sweep)
    E.UserMessage { E.msg = m } -> Just (UserMessage m)
    E.UserMarker { E.markername = m } -> Just (UserMarker m)
    _ -> Nothing
  where
    mark = T.pack "mark"
    sync = T.pack "sync"
    sweep = T.pack "sweep"
