-- | A region of this package's own C++.
module Counts (evens) where

import Foreign.C.Types (CInt (..))

-- Safe: it waits for the threads of its team.
foreign import ccall safe "counts_evens" countsEvens :: CInt -> IO CInt

-- | How many of the numbers from 0 below this one are even.
evens :: Int -> IO Int
evens n = fromIntegral <$> countsEvens (fromIntegral n)
