-- Lazy values that many threads need. Included by ThunksLazy.hs and ThunksEager.hs, which choose how GHC marks a value
-- that is under evaluation. The value is an ordinary lazy value of this module: unsafeDupablePerformIO has no lock.

import System.IO.Unsafe (unsafeDupablePerformIO)

-- | A value whose evaluation runs the action and returns the number.
thunk :: IO () -> Int -> Shared
thunk act n = Shared (unsafeDupablePerformIO (n <$ act))
{-# NOINLINE thunk #-}

-- | In a box, so that it is passed on without being evaluated.
data Shared = Shared Int

-- | Evaluates it.
value :: Shared -> IO Int
value (Shared n) = n `seq` pure n
{-# NOINLINE value #-}
