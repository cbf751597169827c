-- Lazy values that several threads need: included by SharedLazy.hs and SharedEager.hs, which differ in when GHC marks a
-- value as taken.

import Data.Word (Word64)

-- | The function's values for the numbers below this one, not yet evaluated.
values :: (Int -> Word64) -> Int -> [Word64]
values f n = go 0
  where
    go i
      | i >= n = []
      | otherwise = let x = f i in x : go (i + 1)
{-# NOINLINE values #-}
