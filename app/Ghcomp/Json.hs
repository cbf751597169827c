-- | Writing JSON (RFC 8259). The launcher only ever writes it, and a library for that would bring thirty
-- packages to every machine that builds it.
module Ghcomp.Json
    ( Value (..)
    , encode
    ) where

import Data.Char (ord)
import Data.List (intercalate)
import Numeric (showHex)

data Value
    = Object [(String, Value)]
    | Array [Value]
    | String String
    | Number Integer
    | Bool Bool
    | Null

-- | One line, in ASCII.
encode :: Value -> String
encode v = case v of
    Object fields -> "{" ++ intercalate ", " [ quoted k ++ ": " ++ encode x | (k, x) <- fields ] ++ "}"
    Array xs -> "[" ++ intercalate ", " (map encode xs) ++ "]"
    String s -> quoted s
    Number n -> show n
    Bool b -> if b then "true" else "false"
    Null -> "null"

quoted :: String -> String
quoted s = '"' : concatMap char s ++ "\""
  where
    char c
        | c == '"' || c == '\\' = ['\\', c]
        | c >= ' ' && c < '\x7f' = [c]
        | n >= 0x10000 = unit (0xd800 + (n - 0x10000) `div` 0x400) ++ unit (0xdc00 + (n - 0x10000) `mod` 0x400)
        -- A byte of a path that is no text (the runtime keeps it as a lone surrogate) has no form in JSON.
        | n >= 0xd800 && n < 0xe000 = unit 0xfffd
        | otherwise = unit n
      where n = ord c
    unit :: Int -> String
    unit n = "\\u" ++ replicate (4 - length (showHex n "")) '0' ++ showHex n ""
