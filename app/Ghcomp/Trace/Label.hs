-- | What tracks and spans are called, in the trace, the picture and the table alike.
module Ghcomp.Trace.Label
    ( trackLabel
    , spanLabel
    , milliseconds
    ) where

import Data.Text (Text)
import qualified Data.Text as T

import Ghcomp.Trace.Log (Time)
import Ghcomp.Trace.Message
import Ghcomp.Trace.Timeline

trackLabel :: Track -> String
trackLabel t = case trackId t of
    Capability n -> "Capability " ++ show n
    Collector -> "concurrent collector"
    Program -> "no Capability"
    OpenMP (Master n) -> "initial thread " ++ show n ++ given
    OpenMP (Worker n) -> "worker " ++ show n ++ given
    OpenMP (OtherThread name) -> T.unpack name ++ given
  where
    given = maybe "" ((" " ++) . T.unpack) (trackName t)

spanLabel :: Span -> String
spanLabel s = case spanKind s of
    Haskell n label -> maybe ("thread " ++ show n) (labelled n) label
    Collection g -> maybe "GC" (("GC gen " ++) . show) g
    Concurrent phase -> "GC " ++ T.unpack phase
    Omp kind -> T.unpack kind
  where
    labelled :: Integer -> Text -> String
    labelled n l = T.unpack l ++ " (" ++ show n ++ ")"

-- | With this many digits behind the point (at most 6), rounded to the nearest.
milliseconds :: Int -> Time -> String
milliseconds digits t
    | digits <= 0 = show whole
    | otherwise = show whole ++ "." ++ replicate (digits - length (show rest)) '0' ++ show rest
  where
    unit = 10 ^ (6 - max 0 (min 6 digits)) :: Integer
    (whole, rest) = ((toInteger t + unit `div` 2) `div` unit) `quotRem` (10 ^ max 0 (min 6 digits))
