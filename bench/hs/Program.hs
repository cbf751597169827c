-- | The command line of the measuring programs: one sample, printed as a JSON object.
--
-- > program ROW SERIES THREADS SIZES BATCH_MS BATCHES      (SIZES: 100x8, or - for none)
-- > program list                                           (a line ROW SERIES for each series)
module Program (program) where

import Control.Monad (unless)
import System.Environment (getArgs)
import System.Exit (die)
import Text.Read (readMaybe)

import Measure
import Report (report)

-- | Measures what the arguments name, from these rows; the series of one row may be in several places.
program :: [Rows] -> IO ()
program groups = do
  args <- getArgs
  case args of
    ["list"] -> putStr (unlines [row ++ " " ++ series | (row, there) <- concat groups, (series, _) <- there])
    [row, series, threadsText, sizesText, msText, batchesText]
      | Just threads <- readMaybe threadsText
      , Just sizes <- if sizesText == "-" then Just [] else mapM readMaybe (splitAtX sizesText)
      , Just ms <- readMaybe msText
      , Just batches <- readMaybe batchesText -> do
          unless (threads >= 1 && threads <= 256 && ms > 0 && batches >= (1 :: Int)) $
            die "kernels: THREADS is 1 to 256; BATCH_MS and BATCHES are positive"
          case [make | (row', there) <- concat groups, row' == row, (name, make) <- there, name == series] of
            make : _ -> do
              sample <- make (Cell threads sizes)
              values <- runSample ms batches (if row == "loop-bound" then sample else unbound sample)
              report [("row", row), ("series", series)] values
            [] -> die ("kernels: there is no series " ++ series ++ " of a row " ++ row)
    _ -> die "usage: kernels ROW SERIES THREADS SIZES BATCH_MS BATCHES, or kernels list"
  where
    splitAtX text = case break (== 'x') text of
      (first, _ : rest) -> first : splitAtX rest
      (first, []) -> [first]
