-- | @ghcomp trace@: an eventlog as a trace for the Perfetto viewer, as a picture, as a table.
--
-- "Ghcomp.Trace.Log" reads it, "Ghcomp.Trace.Timeline" makes spans of its events, the other modules write those.
module Ghcomp.Trace
    ( TraceOptions (..)
    , trace
    , traceFile
    , nanoseconds
    ) where

import Control.Monad (forM_, when)
import Data.ByteString.Builder (Builder, hPutBuilder)
import Data.Char (isDigit)
import Data.List (nub)
import Data.Maybe (fromMaybe, isJust)
import qualified Data.Text as T
import System.Directory (canonicalizePath)
import System.FilePath (takeExtension, takeFileName, (-<.>), (<.>))
import System.IO

import Ghcomp.Line
import Ghcomp.Trace.Chrome
import Ghcomp.Trace.Label
import Ghcomp.Trace.Log
import Ghcomp.Trace.Summary
import Ghcomp.Trace.Svg
import Ghcomp.Trace.Timeline

data TraceOptions = TraceOptions
    { traceOut     :: Maybe FilePath  -- ^ @-@ is standard output, here and for the picture
    , traceSvg     :: Maybe FilePath
    , traceNote    :: Maybe String    -- ^ A line below the picture
    , traceSummary :: Bool
    , traceFrom    :: Maybe Time
    , traceTo      :: Maybe Time
    , traceLog     :: FilePath
    }

-- | The trace's default name.
traceFile :: TraceOptions -> Maybe FilePath
traceFile o = case traceOut o of
    Just file -> Just file
    Nothing | traceSummary o || isJust (traceSvg o) -> Nothing
            | takeExtension (traceLog o) == ".eventlog" -> Just (traceLog o -<.> "trace.json")
            | otherwise -> Just (traceLog o <.> "trace.json")

-- | The error is one line.
trace :: TraceOptions -> IO (Either String ())
trace o = do
    paths <- mapM canonicalizePath (traceLog o : [ f | Just f <- [traceFile o, traceSvg o], f /= "-" ])
    let onStdout = [ () | Just "-" <- [traceFile o, traceSvg o] ] ++ [ () | traceSummary o ]
    if length (nub paths) < length paths
        then pure (Left "the eventlog, the trace and the picture must be different files")
        else if length onStdout > 1
            then pure (Left "standard output has room for one of the trace, the picture and the table: name files")
            else readLog (traceLog o) >>= either (pure . Left) (write o)

write :: TraceOptions -> Log -> IO (Either String ())
write o l
    | from > to || from == to && first < final = pure (Left (traceLog o
        ++ ": there is nothing between --from and --to: the log has "
        ++ milliseconds 3 first ++ " to " ++ milliseconds 3 final ++ " ms"))
    | otherwise = do
        forM_ (logTrouble l) $ \why ->
            complain (traceLog o ++ ": " ++ why ++ "; this is what it has")
        forM_ (traceFile o) $ \file -> do
            output file (chrome facts line)
            when (file /= "-") (putStrLn (shown file ++ ": open it in the Perfetto viewer, https://ui.perfetto.dev"))
        forM_ (traceSvg o) $ \file -> output file (svg (name ++ " (" ++ rts ++ ")") (traceNote o) line)
        when (traceSummary o) $ putStr (summary [name ++ ", " ++ rts] line)
        pure (Right ())
  where
    (first, final) = logSpan l
    from = maybe first (max first) (traceFrom o)
    to = maybe final (min final) (traceTo o)
    whole = timeline (logSpan l) (logEvents l)
    line = if (from, to) == (first, final) then whole else window (from, to) whole
    name = case logProgram l of
        program : _ -> takeFileName (T.unpack program)
        [] -> takeFileName (traceLog o)
    rts = maybe "GHC" T.unpack (logRts l)
    facts = [("program", unwords (map T.unpack (logProgram l))), ("rts", fromMaybe "" (T.unpack <$> logRts l))]

output :: FilePath -> Builder -> IO ()
output "-" b = do
    hSetBinaryMode stdout True
    hPutBuilder stdout b
output file b = withBinaryFile file WriteMode (\h -> hSetBuffering h (BlockBuffering Nothing) >> hPutBuilder h b)

-- | Milliseconds as they are written on the command line: digits, perhaps a point and more digits.
nanoseconds :: String -> Either String Time
nanoseconds s = case break (== '.') s of
    (whole, rest)
        | number whole, length whole <= 12, null rest || number (drop 1 rest) ->
            Right (read whole * 1000000 + read (take 6 (drop 1 rest ++ replicate 6 '0')))
    _ -> Left (s ++ " is not a time in milliseconds, such as 12.5")
  where
    number d = not (null d) && all isDigit d
