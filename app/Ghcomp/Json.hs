-- | Writing JSON (RFC 8259). The launcher only ever writes it, and a library for that would bring thirty
-- packages to every machine that builds it.
module Ghcomp.Json
    ( Value (..)
    , encode
    , build
    ) where

import Data.ByteString.Builder (Builder)
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Lazy.Char8 as BLC
import Data.Char (ord)
import Data.List (intersperse)
import Numeric (showHex)

data Value
    = Object [(String, Value)]
    | Array [Value]
    | String String
    | Number Integer
    | Bool Bool
    | Thousandths Integer  -- ^ a number given in thousandths: 1500 is written as 1.500
    | Null

-- | One line, in ASCII.
encode :: Value -> String
encode = BLC.unpack . B.toLazyByteString . build

-- | The same, for large outputs.
build :: Value -> Builder
build v = case v of
    Object fields -> list '{' '}' [ quoted k <> B.string7 ": " <> build x | (k, x) <- fields ]
    Array xs -> list '[' ']' (map build xs)
    String s -> quoted s
    Number n -> B.integerDec n
    Thousandths n ->
        let (whole, rest) = abs n `quotRem` 1000
            digits = show rest
        in (if n < 0 then B.char7 '-' else mempty) <> B.integerDec whole <> B.char7 '.'
           <> B.string7 (replicate (3 - length digits) '0' ++ digits)
    Bool b -> B.string7 (if b then "true" else "false")
    Null -> B.string7 "null"
  where
    list open close parts = B.char7 open <> mconcat (intersperse (B.string7 ", ") parts) <> B.char7 close

quoted :: String -> Builder
quoted s
    -- Nearly all are, and a string at a time is much faster than its characters.
    | all plain s = B.char7 '"' <> B.string7 s <> B.char7 '"'
    | otherwise = B.char7 '"' <> foldMap char s <> B.char7 '"'
  where
    plain c = c >= ' ' && c < '\x7f' && c /= '"' && c /= '\\'
    char c
        | plain c = B.char7 c
        | c == '"' || c == '\\' = B.char7 '\\' <> B.char7 c
        | n >= 0x10000 = unit (0xd800 + (n - 0x10000) `div` 0x400) <> unit (0xdc00 + (n - 0x10000) `mod` 0x400)
        -- A byte of a path that is no text (the runtime keeps it as a lone surrogate) has no form in JSON.
        | n >= 0xd800 && n < 0xe000 = unit 0xfffd
        | otherwise = unit n
      where n = ord c
    unit :: Int -> Builder
    unit n = B.string7 ("\\u" ++ replicate (4 - length (showHex n "")) '0' ++ showHex n "")
