{-# LANGUAGE OverloadedStrings #-}
-- | What the runtime writes into the eventlog: user messages of the form
--
-- > ghcomp THREAD KIND [key=value ...]
--
-- THREAD is @wN@ (worker N) or @mN@ (a thread of the program's own). A KIND that ends in @-begin@ opens a span of
-- the thread, @-end@ closes it, any other is a moment. The field @text=@ takes the rest of the line. A kind or a
-- thread that this version does not know is kept as it is. Tested in @test/hs/launcher/TraceMessageTest.hs@.
module Ghcomp.Trace.Message
    ( Message (..)
    , Thread (..)
    , Phase (..)
    , Parsed (..)
    , parse
    , fieldsOf
    ) where

import Data.Char (isDigit, isSpace)
import Data.Text (Text)
import qualified Data.Text as T

-- | In the order in which they are shown.
data Thread
    = Master !Int         -- ^ a thread of the program's own
    | Worker !Int
    | OtherThread !Text
    deriving (Eq, Ord, Show)

data Phase = Begin | End | Moment
    deriving (Eq, Show)

data Message = Message
    { messageThread :: !Thread
    , messagePhase  :: !Phase
    , messageKind   :: !Text  -- ^ without @-begin@ and @-end@
    , messageRest   :: !Text  -- ^ for 'fieldsOf'
    }
    deriving (Eq, Show)

data Parsed
    = NotOurs
    | Malformed
    | Parsed !Message
    deriving (Eq, Show)

parse :: Text -> Parsed
parse line = case T.stripPrefix "ghcomp" line of
    Nothing -> NotOurs
    Just rest
        | not (T.null rest), T.head rest /= ' ' -> NotOurs
        | T.null name || T.null kind -> Malformed
        | otherwise -> Parsed (Message (thread name) phase kind (T.strip fields))
      where
        (name, afterName) = word rest
        (kindWord, fields) = word afterName
        (phase, kind) = case (T.stripSuffix "-begin" kindWord, T.stripSuffix "-end" kindWord) of
            (Just k, _) -> (Begin, k)
            (_, Just k) -> (End, k)
            _ -> (Moment, kindWord)

-- | The first word, and what follows it.
word :: Text -> (Text, Text)
word = T.break isSpace . T.dropWhile isSpace

thread :: Text -> Thread
thread name = case T.uncons name of
    Just ('m', digits) | number digits -> Master (read (T.unpack digits))
    Just ('w', digits) | number digits -> Worker (read (T.unpack digits))
    _ -> OtherThread name
  where
    -- Nine digits fit an Int wherever this is compiled.
    number d = not (T.null d) && T.length d <= 9 && T.all isDigit' d
    isDigit' c = isDigit c && c < '\x80'

-- | A field without @=@ is a key with an empty value.
fieldsOf :: Text -> [(Text, Text)]
fieldsOf rest
    | T.null (T.strip rest) = []
    | Just text <- T.stripPrefix "text=" (T.stripStart rest) = [("text", T.strip text)]
    | otherwise =
        let (field, after) = word rest
            (key, value) = T.breakOn "=" field
        in (key, T.drop 1 value) : fieldsOf after
