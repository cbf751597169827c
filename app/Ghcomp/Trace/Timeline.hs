{-# LANGUAGE OverloadedStrings #-}
-- | From events to a timeline: for each Capability and each OpenMP thread a track of spans.
--
-- The spans of a track nest properly, whatever the events are: an end closes what was opened inside of its span and
-- not yet closed, an end without a begin is dropped, and what is open when the log ends is closed there. Times are
-- nanoseconds. Pure; tested in @test/hs/launcher/TraceTimelineTest.hs@.
module Ghcomp.Trace.Timeline
    ( Timeline (..)
    , Track (..)
    , TrackId (..)
    , Span (..)
    , Kind (..)
    , Mark (..)
    , Trouble (..)
    , timeline
    , window
    , innermost
    , Piece (..)
    , openMP
    ) where

import qualified Data.List as L
import qualified Data.Map.Strict as M
import Data.Text (Text)
import qualified Data.Text as T

import Ghcomp.Trace.Log
import Ghcomp.Trace.Message

data Timeline = Timeline
    { timelineSpan    :: !(Time, Time)
    , timelineTracks  :: [Track]        -- ^ in the order of their 'TrackId'
    , timelineTrouble :: !Trouble
    }
    deriving (Eq, Show)

-- | What did not fit; none of it stops anything.
data Trouble = Trouble
    { troubleEnds      :: !Int  -- ^ ends without a begin, dropped
    , troubleOpen      :: !Int  -- ^ spans still open at the end of the log, closed there
    , troubleInner     :: !Int  -- ^ spans without an end, closed with the span around them
    , troubleMalformed :: !Int  -- ^ messages of the runtime without a thread or a kind, left out
    }
    deriving (Eq, Show)

data Track = Track
    { trackId    :: !TrackId
    , trackName  :: !(Maybe Text)  -- ^ given by the program
    , trackSpans :: [Span]         -- ^ by start, of those that start together the outer one first
    , trackMarks :: [Mark]         -- ^ by time
    }
    deriving (Eq, Show)

-- | In the order in which they are shown.
data TrackId
    = Capability !Int
    | Collector          -- ^ the non-moving collector's own thread
    | Program            -- ^ messages of the program that belong to no Capability
    | OpenMP !Thread
    deriving (Eq, Ord, Show)

openMP :: TrackId -> Bool
openMP t = case t of { OpenMP _ -> True; _ -> False }

data Kind
    = Haskell !Integer (Maybe Text)  -- ^ a Haskell thread runs: its number, its label
    | Collection !(Maybe Int)        -- ^ of this generation
    | Concurrent !Text               -- ^ a phase of the non-moving collector
    | Omp !Text                      -- ^ the message's kind
    deriving (Eq, Show)

data Span = Span
    { spanStart :: !Time
    , spanEnd   :: !Time
    , spanDepth :: !Int     -- ^ how many spans are around it
    , spanKind  :: !Kind
    , spanNote  :: !String  -- ^ why a Haskell thread stopped
    , spanRest  :: !Text    -- ^ the message's fields
    }
    deriving (Eq, Show)

data Mark = Mark
    { markTime :: !Time
    , markKind :: !Text  -- ^ of a message of the runtime; of another: the message itself
    , markOurs :: !Bool
    , markRest :: !Text
    }
    deriving (Eq, Show)

-- | A track while the events come; lists are in reverse.
data Building = Building
    { stack :: ![Span]  -- innermost first; their ends are not known yet
    , done  :: ![Span]
    , marks :: ![Mark]
    , named :: !(Maybe Text)
    }

data State = State !(M.Map TrackId Building) !Trouble

-- | All events with the span of time that they cover, in any order. Of those with the same time the first stays first.
timeline :: (Time, Time) -> [Event] -> Timeline
timeline (first, final) events = Timeline (first, final) (map finish (M.toAscList tracks)) trouble
  where
    sorted = L.sortOn eventTime events
    labels = M.fromList [ (t, l) | Event _ _ (LabelThread t l) <- sorted ]
    State built trouble0 = L.foldl' (step labels) (State M.empty (Trouble 0 0 0 0)) sorted
    trouble = trouble0 { troubleOpen = sum (map (length . stack) (M.elems built)) }
    tracks = M.map close built
    close b = b { stack = [], done = [ s { spanEnd = max final (spanStart s) } | s <- stack b ] ++ done b }
    generationOf = generations sorted (M.map (reverse . done) tracks)
    finish (i, b) = Track
        { trackId = i
        , trackName = named b
        , trackSpans = map generationOf (L.sortOn (\s -> (spanStart s, spanDepth s)) (reverse (done b)))
        , trackMarks = reverse (marks b)
        }

step :: M.Map Integer Text -> State -> Event -> State
step labels (State tracks trouble) (Event t cap what) = case what of
    RunThread n ->
        -- One thread at a time: the end of a thread that still runs is missing.
        let (b, inner) = closeWhere runs (unclosed t) (track here)
        in put here (open (Haskell n (M.lookup n labels)) "" b) (lost (maybe 0 (+ 1) inner) trouble)
    StopThread n why -> close here (isThread n) (\s -> s { spanEnd = t, spanNote = why })
    GcStart -> begin here (Collection Nothing) ""
    GcEnd -> close here isCollection (unclosed t)
    ConcurrentBegin phase -> begin Collector (Concurrent phase) ""
    ConcurrentEnd phase -> close Collector (== Concurrent phase) (unclosed t)
    UserMarker m -> mark here (Mark t m False T.empty)
    UserMessage m -> case parse m of
        NotOurs -> mark here (Mark t m False T.empty)
        Malformed -> State tracks trouble { troubleMalformed = troubleMalformed trouble + 1 }
        Parsed (Message thread phase kind rest) ->
            let i = OpenMP thread
            in case phase of
                Begin -> begin i (Omp kind) rest
                End -> close i (== Omp kind) (\s -> s { spanEnd = t, spanRest = joined (spanRest s) rest })
                Moment | kind == "name", Just name <- lookup "text" (fieldsOf rest) ->
                    put i (track i) { named = Just name } trouble
                Moment -> mark i (Mark t kind True rest)
    LabelThread _ _ -> State tracks trouble
    GcGeneration _ -> State tracks trouble
  where
    here = maybe Program Capability cap
    track i = M.findWithDefault (Building [] [] [] Nothing) i tracks
    put i b = State (M.insert i b tracks)
    open kind rest b = b { stack = Span t t (length (stack b)) kind "" rest : stack b }
    begin i kind rest = put i (open kind rest (track i)) trouble
    mark i m = let b = track i in put i b { marks = m : marks b } trouble
    close i wanted end = case closeWhere wanted end (track i) of
        (b, Just inner) -> put i b (lost inner trouble)
        -- A thread of which the log has nothing but this has no track for it.
        (_, Nothing) -> State tracks trouble { troubleEnds = troubleEnds trouble + 1 }
    lost n old = old { troubleInner = troubleInner old + n }
    runs k = case k of { Haskell _ _ -> True; _ -> False }
    isThread n k = case k of { Haskell m _ -> m == n; _ -> False }
    isCollection k = case k of { Collection _ -> True; _ -> False }
    joined a b = if T.null b then a else T.strip (a <> " " <> b)

unclosed :: Time -> Span -> Span
unclosed t s = s { spanEnd = t }

-- | Closes the innermost span of a kind and those inside of it, whose number is the result; Nothing: there is none.
closeWhere :: (Kind -> Bool) -> (Span -> Span) -> Building -> (Building, Maybe Int)
closeWhere wanted end b = case break (wanted . spanKind) (stack b) of
    (_, []) -> (b, Nothing)
    (inner, s : outer) ->
        let s' = end s
        in (b { stack = outer, done = s' : map (unclosed (spanEnd s')) (reverse inner) ++ done b }, Just (length inner))

-- | The generation of a collection. The RTS logs it on one Capability, just before or after the end of the collection
-- there; the other Capabilities' parts of it overlap with that one.
generations :: [Event] -> M.Map TrackId [Span] -> Span -> Span
generations events tracks = annotate
  where
    starts = M.map (\ss -> M.fromList [ (spanStart s, spanEnd s) | s <- ss, Collection _ <- [spanKind s] ]) tracks
    told = M.fromList
        [ (start, (end, g))
        | Event t (Just cap) (GcGeneration g) <- events
        , Just spans <- [M.lookup (Capability cap) starts]
        , Just (start, end) <- [M.lookupLE t spans] ]
    annotate s = case spanKind s of
        Collection Nothing | Just (_, (end, g)) <- M.lookupLE (spanEnd s) told, end >= spanStart s ->
            s { spanKind = Collection (Just g) }
        _ -> s

-- | The part of a timeline between two times. A span that is partly outside is cut.
window :: (Time, Time) -> Timeline -> Timeline
window (a, b) l = l { timelineSpan = (a, b), timelineTracks = map cutTrack (timelineTracks l) }
  where
    cutTrack t = t
        { trackSpans = [ s { spanStart = max a (spanStart s), spanEnd = min b (spanEnd s) }
                       | s <- trackSpans t, spanStart s <= b, spanEnd s >= a ]
        , trackMarks = [ m | m <- trackMarks t, markTime m >= a, markTime m <= b ] }

-- | A stretch of time of a track, with the innermost span there.
data Piece = Piece { pieceStart :: !Time, pieceEnd :: !Time, pieceSpan :: !Span }

-- | The track without nesting: pieces in order, none empty, none overlapping.
innermost :: [Span] -> [Piece]
innermost = go [] 0
  where
    go open t spans = case (open, spans) of
        ([], []) -> []
        ([], s : rest) -> go [s] (spanStart s) rest
        (o : os, s : rest) | spanStart s < spanEnd o ->
            piece t (spanStart s) o (go (s : o : os) (max t (spanStart s)) rest)
        (o : os, _) -> piece t (spanEnd o) o (go os (max t (spanEnd o)) spans)
    piece a b s more = if a < b then Piece a b s : more else more
