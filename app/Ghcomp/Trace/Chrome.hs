-- | A timeline in the Chrome trace event format, which the Perfetto viewer and chrome://tracing open.
--
-- One event in each line. Times are in microseconds, as the format requires, with the nanoseconds behind the point.
-- Capabilities are threads of one process of the trace, OpenMP threads of another. Tested in
-- @test/hs/launcher/TraceTimelineTest.hs@.
module Ghcomp.Trace.Chrome (chrome) where

import Data.ByteString.Builder (Builder, char7, string7)
import Data.Char (isDigit)
import qualified Data.List as L
import Data.Text (Text)
import qualified Data.Text as T

import Ghcomp.Json
import Ghcomp.Trace.Label
import Ghcomp.Trace.Log (Time)
import Ghcomp.Trace.Message (fieldsOf)
import Ghcomp.Trace.Timeline

-- | With facts about the log for the viewer's metadata.
chrome :: [(String, String)] -> Timeline -> Builder
chrome facts line =
    string7 "{\"displayTimeUnit\": \"ns\", \"otherData\": " <> build (Object [ (k, String v) | (k, v) <- facts ])
    <> string7 ", \"traceEvents\": [\n"
    <> mconcat (L.intersperse (string7 ",\n") (map build (names ++ map snd events)))
    <> string7 "\n]}" <> char7 '\n'
  where
    tracks = zip [1 ..] (timelineTracks line)
    names = concat
        [ [ about pid 0 "process_name" ("name", String name)
          , about pid 0 "process_sort_index" ("sort_index", Number pid) ]
        | (pid, name) <- [(haskellSide, "Haskell"), (openmpSide, "OpenMP")]
        , any ((== pid) . side . snd) tracks ]
        ++ concat
        [ [ about (side t) tid "thread_name" ("name", String (trackLabel t))
          , about (side t) tid "thread_sort_index" ("sort_index", Number tid) ]
        | (tid, t) <- tracks ]
    -- Each track is sorted by time already; of equal times a span comes before what is inside of it.
    events = mergeAll [ merge (map (spanEvent tid t) (trackSpans t)) (map (markEvent tid t) (trackMarks t))
                      | (tid, t) <- tracks ]
    about pid tid what arg = Object
        [("name", String what), ("ph", String "M"), ("pid", Number pid), ("tid", Number tid), ("args", Object [arg])]

haskellSide, openmpSide :: Integer
haskellSide = 1
openmpSide = 2

side :: Track -> Integer
side t = if openMP (trackId t) then openmpSide else haskellSide

spanEvent :: Integer -> Track -> Span -> (Time, Value)
spanEvent tid t s = (spanStart s, Object (
    [ ("name", String (spanLabel s)), ("cat", String (category (spanKind s))), ("ph", String "X")
    , ("ts", time (spanStart s)), ("dur", time (spanEnd s - spanStart s))
    , ("pid", Number (side t)), ("tid", Number tid) ]
    ++ args (details ++ fieldsOf (spanRest s))))
  where
    details = case spanKind s of
        Haskell n _ -> [ (T.pack "thread", T.pack (show n)) ]
            ++ [ (T.pack "stopped", T.pack why) | why <- [spanNote s], why /= "" ]
        Collection (Just g) -> [ (T.pack "generation", T.pack (show g)) ]
        _ -> []

markEvent :: Integer -> Track -> Mark -> (Time, Value)
markEvent tid t m = (markTime m, Object (
    [ ("name", String (T.unpack (markKind m))), ("cat", String (if markOurs m then "openmp" else "user"))
    , ("ph", String "i"), ("s", String "t"), ("ts", time (markTime m)), ("pid", Number (side t)), ("tid", Number tid) ]
    ++ args (fieldsOf (markRest m))))

category :: Kind -> String
category k = case k of
    Haskell _ _ -> "haskell"
    Collection _ -> "gc"
    Concurrent _ -> "gc"
    Omp _ -> "openmp"

time :: Time -> Value
time = Thousandths . toInteger

args :: [(Text, Text)] -> [(String, Value)]
args fields = [ ("args", Object [ (T.unpack k, value v) | (k, v) <- firsts fields ]) | not (null fields) ]
  where
    firsts = L.nubBy (\a b -> fst a == fst b)
    -- Numbers that every reader of JSON holds exactly.
    value v | not (T.null v), T.length v <= 15, T.all digit v = Number (read (T.unpack v))
            | otherwise = String (T.unpack v)
    digit c = isDigit c && c < '\x80'

mergeAll :: [[(Time, a)]] -> [(Time, a)]
mergeAll lists = case lists of
    [] -> []
    [l] -> l
    _ -> mergeAll (pairs lists)
  where
    pairs (a : b : rest) = merge a b : pairs rest
    pairs rest = rest

merge :: [(Time, a)] -> [(Time, a)] -> [(Time, a)]
merge xs@(x : xs') ys@(y : ys')
    | fst y < fst x = y : merge xs ys'
    | otherwise = x : merge xs' ys
merge [] ys = ys
merge xs [] = xs
