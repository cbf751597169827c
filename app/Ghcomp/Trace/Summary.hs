{-# LANGUAGE OverloadedStrings #-}
-- | A timeline in numbers: @ghcomp trace --summary@. Tested in @test/hs/launcher/TraceTimelineTest.hs@.
module Ghcomp.Trace.Summary (summary) where

import qualified Data.List as L
import qualified Data.Map.Strict as M
import qualified Data.Set as S
import Data.Text (Text)

import Ghcomp.Line
import Ghcomp.Trace.Label
import Ghcomp.Trace.Log (Time)
import Ghcomp.Trace.Timeline

-- | Lines of text; the first argument is what they begin with. Names from the log have no effect on a terminal.
summary :: [String] -> Timeline -> String
summary heading line = unlines (L.intercalate [""] (filter (not . null)
    [ map shown heading ++ [ "from " ++ ms a ++ " to " ++ ms b ++ " ms: " ++ ms (b - a) ++ " ms" ]
    , capabilities, collections, threads, troubles ]))
  where
    (a, b) = timelineSpan line
    tracks = timelineTracks line

    capabilities = table
        [ ["Capability", "Haskell ms", "threads", "runs", "GC ms", "idle ms"] ]
        [ [ show n, ms running, show (S.size (S.fromList [ h | Haskell h _ <- kinds ]))
          , show (length [ () | Haskell _ _ <- kinds ])
          , ms gc, ms (b - a - min (b - a) (running + gc)) ]
        | t@Track { trackId = Capability n } <- tracks
        , let kinds = map spanKind (trackSpans t)
              times = timesBy (haskellOrGc . spanKind) t
              running = M.findWithDefault 0 True times
              gc = M.findWithDefault 0 False times ]
    haskellOrGc k = case k of { Haskell _ _ -> True; _ -> False }

    collections = table
        [ ["collections", "number", "ms", "longest ms"] ]
        [ [ maybe "of unknown generation" (("generation " ++) . show) g
          , show (length ts), ms (sum ts), ms (maximum ts) ]
        | (g, ts) <- M.toAscList (M.fromListWith (++) [ (g, [e - s]) | (g, s, e) <- united ]) ]
    -- The Capabilities' parts of a collection overlap.
    united = L.foldl' unite [] (L.sortOn (\(_, s, _) -> s)
        [ (g, spanStart s, spanEnd s)
        | t@Track { trackId = Capability _ } <- tracks, s <- trackSpans t, Collection g <- [spanKind s] ])
    unite ((g, s, e) : rest) (g', s', e') | s' < e = (max g g', s, max e e') : rest
    unite rest next = next : rest

    threads = table
        [ [ "OpenMP thread", "regions", "parts", "tasks", "stolen", "yields"
          , "work ms", "task ms", "barrier ms", "waiting ms", "asleep ms", "other ms", "outside ms" ] ]
        (rows ++ [ total | length rows > 1 ])
      where
        each = [ (shown (trackLabel t), counts t, columnsOf t) | t <- tracks, openMP (trackId t) ]
        rows = [ name : map show ns ++ map ms ts | (name, ns, ts) <- each ]
        total = "all" : map (show . sum) (L.transpose [ ns | (_, ns, _) <- each ])
                     ++ map (ms . sum) (L.transpose [ ts | (_, _, ts) <- each ])
    counts t = [ spans ["region"], spans ["part"], spans ["task"], marks "steal", marks "yield" ]
      where
        spans names = length [ () | Span { spanKind = Omp k } <- trackSpans t, k `elem` names ]
        marks name = length [ () | m <- trackMarks t, markOurs m, markKind m == name ]
    columnsOf t = map (\c -> M.findWithDefault 0 c times) [minBound ..] ++ [ b - a - min (b - a) (sum times) ]
      where times = timesBy (columnOf . spanKind) t

    troubles =
        [ many n "end" ++ " without a begin, left out" | n <- [troubleEnds trouble], n > 0 ]
        ++ [ many n "span" ++ " without an end, closed with the span around" | n <- [troubleInner trouble], n > 0 ]
        ++ [ many n "span" ++ " still open at the end of the log" | n <- [troubleOpen trouble], n > 0 ]
        ++ [ many n "message" ++ " of the runtime that can't be read" | n <- [troubleMalformed trouble], n > 0 ]
    trouble = timelineTrouble line
    many n what = show n ++ " " ++ what ++ (if n == (1 :: Int) then "" else "s")

-- | Where an OpenMP thread's time goes: each moment counts for the innermost span alone.
data Column = Work | Task | Barrier | Waiting | Asleep | Other
    deriving (Eq, Ord, Enum, Bounded)

columnOf :: Kind -> Column
columnOf k = case k of
    Omp name -> M.findWithDefault Other name known
    _ -> Other
  where
    known = M.fromList [ ("region" :: Text, Work), ("part", Work), ("task", Task), ("barrier", Barrier)
                       , ("wait", Waiting), ("park", Asleep) ]

timesBy :: Ord c => (Span -> c) -> Track -> M.Map c Time
timesBy column t = L.foldl' (\m p -> M.insertWith (+) (column (pieceSpan p)) (pieceEnd p - pieceStart p) m) M.empty
                            (innermost (trackSpans t))

ms :: Time -> String
ms = milliseconds 3

-- | Nothing without rows. The first column is aligned to the left, the others to the right.
table :: [[String]] -> [[String]] -> [String]
table heads rows
    | null rows = []
    | otherwise = map (L.intercalate "  " . zipWith3 ($) aligns widths) (heads ++ rows)
  where
    widths = map (maximum . map length) (L.transpose (heads ++ rows))
    aligns = left : repeat right
    left w s = s ++ replicate (w - length s) ' '
    right w s = replicate (w - length s) ' ' ++ s
