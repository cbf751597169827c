-- The array is viewed as one of words by the memory that both share, where it holds whole words.
module Main (main) where

import Data.Word (Word64, Word8)
import qualified OpenMP.Array as A

main :: IO ()
main = do
    bytes <- A.new 8 1 :: IO (A.Array Word8)
    mapM_ (\ws -> A.write ws 0 0) (A.toMutableByteArray bytes >>= A.fromMutableByteArray :: Maybe (A.Array Word64))
    A.toList bytes >>= print
