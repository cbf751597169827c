{-# LANGUAGE OverloadedStrings #-}
-- | A timeline as a picture (SVG 1.1, without scripts, fonts or links of its own), with a form for dark systems.
--
-- A lane for each track; at each moment it has the colour of the innermost span. A piece at least a pixel wide is
-- drawn as it is. Shorter ones are summed up in pixel columns: the column's colour is their mixture, the paler the
-- less of the pixel they fill. So a lane has at most about two shapes for each pixel, whatever the number of events,
-- and 'maxLanes' bounds the lanes. Tested in @test/hs/launcher/TracePictureTest.hs@.
module Ghcomp.Trace.Svg
    ( svg
    , maxLanes
    , maxLaneBytes
    ) where

import Data.ByteString.Builder (Builder, char7, charUtf8, intDec, string7, stringUtf8)
import Data.Char (intToDigit)
import qualified Data.IntMap.Strict as IM
import qualified Data.List as L
import qualified Data.List.NonEmpty as NE
import qualified Data.Map.Strict as M
import Data.Maybe (fromMaybe)
import qualified Data.Set as S
import qualified Data.Text as T

import Ghcomp.Trace.Label
import Ghcomp.Trace.Log (Time)
import Ghcomp.Trace.Message (fieldsOf)
import Ghcomp.Trace.Timeline

-- | More tracks than this are left out, those with the least to show, and the picture has a line about it.
maxLanes :: Int
maxLanes = 64

-- | What a lane adds to the file at most. Tested, not enforced.
maxLaneBytes :: Int
maxLaneBytes = 100000

-- Pixels. The lanes' part is 'plotWidth' wide, with one column for each of its pixels.
pictureWidth, plotLeft, plotWidth, laneHeight, lanePitch, margin :: Int
pictureWidth = 1200
plotLeft = 190
plotWidth = 990
laneHeight = 18
lanePitch = 26
margin = 14

data Colour = Running | Young | Old | InRegion | InTask | InBarrier | Waiting | Parked | Unknown
    deriving (Eq, Ord, Enum, Bounded, Show)

colourOf :: Kind -> Colour
colourOf k = case k of
    Haskell _ _ -> Running
    Collection (Just g) | g > 0 -> Old
    Collection _ -> Young
    Concurrent _ -> Old
    Omp kind -> case kind of
        "region" -> InRegion
        "part" -> InRegion
        "task" -> InTask
        "barrier" -> InBarrier
        "wait" -> Waiting
        "park" -> Parked
        _ -> Unknown

-- | From the palette of Okabe and Ito, whose colours colour-blind readers can distinguish.
rgb :: Colour -> (Int, Int, Int)
rgb c = case c of
    Running -> (0x56, 0xb4, 0xe9)
    Young -> (0xe6, 0x9f, 0x00)
    Old -> (0xd5, 0x5e, 0x00)
    InRegion -> (0x00, 0x9e, 0x73)
    InTask -> (0x00, 0x72, 0xb2)
    InBarrier -> (0xf0, 0xe4, 0x42)
    Waiting -> (0xcc, 0x79, 0xa7)
    Parked -> (0xc8, 0xc8, 0xc8)
    Unknown -> (0x80, 0x80, 0x80)

colourName :: Colour -> String
colourName c = case c of
    Running -> "a Haskell thread runs"
    Young -> "collection"
    Old -> "collection of an older generation"
    InRegion -> "OpenMP region"
    InTask -> "task"
    InBarrier -> "barrier"
    Waiting -> "waits for its turn"
    Parked -> "sleeps"
    Unknown -> "other"

-- | What a triangle above a lane means.
data Sign = Steal | Yield | Lend | Other
    deriving (Eq, Ord, Enum, Bounded)

signOf :: Mark -> Sign
signOf m = case markKind m of
    "steal" | markOurs m -> Steal
    "yield" | markOurs m -> Yield
    "lend" | markOurs m -> Lend
    _ -> Other

signName :: Sign -> String
signName s = case s of
    Steal -> "task stolen"
    Yield -> "time given to Haskell"
    Lend -> "takes another team's workers"
    Other -> "message"

-- | No colour of 'rgb': each thing in a picture has its own (@test/scripts/leftovers_test.py@ looks).
signColour :: Sign -> String
signColour s = case s of { Steal -> "#332288"; Yield -> "#882255"; Lend -> "#6b4400"; Other -> "#111111" }

-- | The picture with this title and, if there is one, this note below, of the whole timeline ('window' chooses a
-- part).
svg :: String -> Maybe String -> Timeline -> Builder
svg title note line = string7 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" <> element "svg"
    [ ("xmlns", "http://www.w3.org/2000/svg"), ("width", show pictureWidth), ("height", show height)
    , ("viewBox", "0 0 " ++ show pictureWidth ++ " " ++ show height)
    , ("font-family", "Helvetica, Arial, sans-serif"), ("font-size", "12"), ("fill", "#222") ]
    (  string7 darkForm
    <> leaf "rect" [("width", show pictureWidth), ("height", show height), ("fill", "#fff")]
    <> text (px margin) 20 [("font-size", "14"), ("font-weight", "bold")] (clip 150 title)
    <> mconcat legend
    <> axis scale (lanesTop - 6) axisTop
    <> mconcat (zipWith (drawLane scale) [lanesTop, lanesTop + lanePitch ..] lanes)
    <> mconcat (zipWith (\y (style, said) -> text (px margin) y style said) [axisTop + 36, axisTop + 54 ..] below) )
  where
    scale = uncurry Scale (timelineSpan line)
    (lanes, left) = chooseLanes (timelineTracks line)
    (legend, legendHeight) = legendOf 34 lanes
    lanesTop = 34 + legendHeight + 14
    axisTop = lanesTop + lanePitch * length lanes
    below = [ ([], show left ++ " more threads, with less to show, are not in this picture") | left > 0 ]
        ++ [ ([("font-size", "11"), ("fill", "#595959")], clip 180 n) | Just n <- [note] ]
    height = axisTop + 28 + 18 * length below

-- | On a dark system the picture is turned round, black for white, with the hues as they were: what is paler in the
-- light form is then nearer to the dark ground.
darkForm :: String
darkForm = unlines
    [ "<style>", "@media (prefers-color-scheme: dark) {", "svg { filter: invert(0.88) hue-rotate(180deg); }", "}"
    , "</style>" ]

-- | A track that is drawn, and its pieces.
data Lane = Lane Track [Piece]

-- | In the order of the tracks, and how many are left out.
chooseLanes :: [Track] -> ([Lane], Int)
chooseLanes tracks
    | left <= 0 = (lanes, 0)
    | otherwise = (map snd (L.sortOn fst busiest), left)
  where
    lanes = [ Lane t (innermost (trackSpans t)) | t <- tracks, not (null (trackSpans t) && null (trackMarks t)) ]
    left = length lanes - maxLanes
    busiest = take maxLanes (L.sortOn (negate . weight . snd) (zip [0 :: Int ..] lanes))
    -- Sleep counts little, but more than nothing.
    weight (Lane _ pieces) = sum [ toInteger (pieceEnd p - pieceStart p) * (if pieceColour p == Parked then 1 else 1000)
                                 | p <- pieces ]

-- | Times to pixels from the lanes' left end.
data Scale = Scale !Time !Time

position :: Scale -> Time -> Double
position (Scale from to) t = px plotWidth * fromIntegral (t - from) / fromIntegral (max 1 (to - from))

width :: Scale -> Piece -> Double
width scale p = position scale (pieceEnd p) - position scale (pieceStart p)

pieceColour :: Piece -> Colour
pieceColour = colourOf . spanKind . pieceSpan

drawLane :: Scale -> Int -> Lane -> Builder
drawLane scale top (Lane t pieces) = element "g"
    [("transform", "translate(" ++ show plotLeft ++ "," ++ show top ++ ")")]
    (  text (-8) 13 [("text-anchor", "end")] (clip 28 (trackLabel t))
    <> leaf "rect" [("width", show plotWidth), ("height", show laneHeight), ("fill", paper)]
    <> paths [ (colour, box (intDec a) (intDec n)) | (a, n, colour) <- equalRuns (columns scale short) ]
    <> paths [ (hex (rgb (pieceColour p)), box (tenths (position scale (pieceStart p))) (tenths (width scale p)))
             | p <- long ]
    <> mconcat [ text (position scale (pieceStart p) + 3) 13 [("font-size", "10"), ("fill", ink (pieceColour p))] label
               | p <- long, Just label <- [fitting (width scale p - 6) (pieceLabels (pieceSpan p))] ]
    <> paths [ (signColour s, triangle i)
             | (s, marks) <- M.toAscList (grouped [ (signOf m, m) | m <- trackMarks t ])
             , i <- thinned [ floor (position scale (markTime m)) | m <- marks ] ] )
  where
    (long, short) = L.partition ((>= 1) . width scale) pieces
    box a w = char7 'M' <> a <> string7 " 0h" <> w <> string7 "v" <> intDec laneHeight <> string7 "h-" <> w <> char7 'z'
    triangle i = char7 'M' <> intDec (i - 3) <> string7 " -6h6l-3 5z"
    ink c = if c `elem` [InRegion, InTask, Old] then "#fff" else "#222"
    -- A long name may be cut, a short one would not be understood then.
    fitting room = L.find ((<= room) . (6 *) . px . length) . concatMap (\l -> [l, clip 16 l])
    -- Positions in order, at most one of three neighbours.
    thinned is = map (\i -> i * 3 + 1) (map NE.head (NE.group (map (`div` 3) is)))

-- | A path for each colour.
paths :: [(String, Builder)] -> Builder
paths shapes = mconcat
    [ string7 "<path fill=\"" <> string7 colour <> string7 "\" d=\"" <> mconcat ds <> string7 "\"/>\n"
    | (colour, ds) <- M.toAscList (grouped shapes) ]

grouped :: Ord k => [(k, a)] -> M.Map k [a]
grouped = M.map reverse . L.foldl' (\m (k, a) -> M.insertWith (++) k [a] m) M.empty

-- | Pieces narrower than a pixel: how much of each pixel column each colour fills.
columns :: Scale -> [Piece] -> [(Int, String)]
columns scale pieces = IM.toAscList (IM.map mixture (IM.fromListWith (M.unionWith (+)) (concatMap shares pieces)))
  where
    shares p =
        let (a, b) = (position scale (pieceStart p), position scale (pieceEnd p))
            (i, j) = (floor a, floor b) :: (Int, Int)
            share k w = (max 0 (min (plotWidth - 1) k), M.singleton (pieceColour p) (w :: Double))
        in if i == j then [share i (b - a)] else [share i (px j - a), share j (b - px j)]

-- | With sixteen steps for red, green and blue, so that many neighbours are alike.
mixture :: M.Map Colour Double -> String
mixture weights = '#' : map step [red, green, blue]
  where
    total = max 1e-9 (sum weights)
    -- What fills least can still be seen.
    strength = 0.2 + 0.8 * min 1 total
    step channel =
        let full = sum [ w * fromIntegral (channel (rgb c)) | (c, w) <- M.toList weights ] / total
            value = (1 - strength) * 0xf5 + strength * full :: Double
        in intToDigit (max 0 (min 15 (round (value / 17))))
    red (r, _, _) = r
    green (_, g, _) = g
    blue (_, _, b) = b

-- | Neighbouring columns of one colour: the first, how many, the colour.
equalRuns :: [(Int, String)] -> [(Int, Int, String)]
equalRuns = L.foldr join []
  where
    join (i, c) ((a, n, d) : rest) | c == d, i + 1 == a = (i, n + 1, c) : rest
    join (i, c) rest = (i, 1, c) : rest

-- | The best first.
pieceLabels :: Span -> [String]
pieceLabels s = case spanKind s of
    Omp kind | kind `elem` ["region", "part"], Just n <- lookup "region" (fieldsOf (spanRest s)) ->
        ["region " ++ T.unpack n, T.unpack n]
    _ -> [spanLabel s]

-- | What the lanes use, from this height on; and how high it is.
legendOf :: Int -> [Lane] -> ([Builder], Int)
legendOf top lanes = (zipWith ($) [ item | (item, _) <- entries ] places, lastRow + 18 - top)
  where
    colours = S.toAscList (S.fromList [ pieceColour p | Lane _ pieces <- lanes, p <- pieces ])
    signs = S.toAscList (S.fromList [ signOf m | Lane t _ <- lanes, m <- trackMarks t ])
    entries = [ entry (colourName c) (swatch (hex (rgb c))) | c <- colours ]
        ++ [ entry (signName s) (pointer (signColour s)) | s <- signs ]
        ++ [ entry "paler: shorter than a pixel, by the share that it fills" (swatch (mixture (M.singleton c 0.3)))
           | c <- take 1 colours ]
    entry name symbol =
        ( \(x, y) -> symbol (x, y) <> text (px (x + 17)) (y + 10) [("font-size", "11")] name
        , 38 + 6 * length name )
    swatch c (x, y) = leaf "rect" [("x", show x), ("y", show y), ("width", "12"), ("height", "12"), ("fill", c)]
    pointer c (x, y) = paths [(c, string7 ("M" ++ show (x + 2) ++ " " ++ show (y + 3) ++ "h8l-4 7z"))]
    places = flow (margin, top) (map snd entries)
    lastRow = maximum (top : map snd places)
    flow _ [] = []
    flow (x, y) (w : ws)
        | x > margin, x + w > pictureWidth - margin = flow (margin, y + 18) (w : ws)
        | otherwise = (x, y) : flow (x + w, y) ws

axis :: Scale -> Int -> Int -> Builder
axis scale@(Scale from to) top bottom = small (px margin) [] "ms since the start" <> mconcat
    [ leaf "path" [ ("d", "M" ++ tenthsString x ++ " " ++ show top ++ "V" ++ show bottom)
                  , ("stroke", "#ddd"), ("fill", "none") ]
      <> small x [("text-anchor", "middle")] label
    | (t, label) <- ticks from to, let x = px plotLeft + position scale t ]
  where
    small x attributes = text x (bottom + 14) (("font-size", "11") : attributes)

-- | At most eleven round times, with as many digits as they need.
ticks :: Time -> Time -> [(Time, String)]
ticks from to =
    [ (fromInteger t, milliseconds (6 - power) (fromInteger t)) | t <- takeWhile (<= b) (iterate (+ step) start) ]
  where
    (a, b) = (toInteger from, toInteger to)
    candidates = [ (k, m * 10 ^ k) | k <- [0 :: Int ..], m <- [1, 2, 5 :: Integer] ]
    (power, step) = fromMaybe (0, 1) (L.find (\(_, s) -> b - a <= 10 * s) candidates)
    start = (a + step - 1) `div` step * step

-- The characters' width is about half of their height.
clip :: Int -> String -> String
clip room s = if length s <= room then s else take (room - 1) s ++ "\x2026"

px :: Int -> Double
px = fromIntegral

paper :: String
paper = "#f5f5f5"

hex :: (Int, Int, Int) -> String
hex (r, g, b) = '#' : concat [ [intToDigit (c `div` 16), intToDigit (c `mod` 16)] | c <- [r, g, b] ]

tenths :: Double -> Builder
tenths = string7 . tenthsString

tenthsString :: Double -> String
tenthsString v = (if n < 0 then "-" else "") ++ show whole ++ (if part == 0 then "" else '.' : show part)
  where
    n = round (v * 10) :: Int
    (whole, part) = abs n `quotRem` 10

text :: Double -> Int -> [(String, String)] -> String -> Builder
text x y attributes content = element "text" (("x", tenthsString x) : ("y", show y) : attributes) (escaped content)

element :: String -> [(String, String)] -> Builder -> Builder
element name attributes content =
    opened name attributes <> char7 '>' <> content <> string7 "</" <> string7 name <> string7 ">\n"

leaf :: String -> [(String, String)] -> Builder
leaf name attributes = opened name attributes <> string7 "/>\n"

opened :: String -> [(String, String)] -> Builder
opened name attributes = char7 '<' <> string7 name
    <> mconcat [ char7 ' ' <> string7 k <> string7 "=\"" <> escaped v <> char7 '"' | (k, v) <- attributes ]

escaped :: String -> Builder
escaped = foldMap char
  where
    char c = case c of
        '&' -> string7 "&amp;"
        '<' -> string7 "&lt;"
        '>' -> string7 "&gt;"
        '"' -> string7 "&quot;"
        -- XML has no form for these.
        _ | c < ' ' || c == '\xfffe' || c == '\xffff' || (c >= '\xd800' && c < '\xe000') -> stringUtf8 "\xfffd"
        _ -> charUtf8 c
