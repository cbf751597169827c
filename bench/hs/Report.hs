-- | The output of a measuring program: one JSON object with the runtime that served it and what it measured.
module Report (report) where

import Data.List (intercalate)
import Foreign.C.String (CString, peekCString)

foreign import ccall unsafe "bench_served_by" c_servedBy :: IO CString

-- Safe: it may choose the host, which may start an RTS.
foreign import ccall safe "bench_host" c_host :: IO CString

-- | The texts that name the sample, and its values.
report :: [(String, String)] -> [(String, Double)] -> IO ()
report names values = do
  served <- c_servedBy >>= peekCString
  host <- c_host >>= peekCString
  putStrLn . object $
    [(name, show text) | (name, text) <- names ++ [("object", served), ("host", host)]]
      ++ [("values", object [(name, show value) | (name, value) <- values])]
  where
    object fields = "{" ++ intercalate ", " [show name ++ ": " ++ value | (name, value) <- fields] ++ "}"
