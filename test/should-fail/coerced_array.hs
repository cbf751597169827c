-- An array of bytes is coerced to be one of words, whose last index would be outside of its memory.
-- expect: Couldn't match type "?Word(8|64)"? with "?Word(8|64)"?
module Main (main) where

import Data.Coerce (coerce)
import Data.Word (Word64, Word8)
import qualified OpenMP.Array as A

main :: IO ()
main = do
    bytes <- A.new 8 1 :: IO (A.Array Word8)
    A.write (coerce bytes :: A.Array Word64) 7 0
    A.toList bytes >>= print
