-- Lazy values that many threads need. Included by ThunksLazy.hs and ThunksEager.hs, which choose how GHC marks a value
-- that is under evaluation. The value is an ordinary lazy value of this module: unsafeDupablePerformIO has no lock.

import Control.Exception (evaluate)
import System.IO.Unsafe (unsafeDupablePerformIO)

-- | A value whose evaluation runs the action and returns the number.
thunk :: IO () -> Int -> Shared
thunk act n = Shared (unsafeDupablePerformIO (n <$ act))
{-# NOINLINE thunk #-}

-- | In a box, so that it is passed on without being evaluated.
data Shared = Shared Int

-- | Evaluates it when it runs, not before: else a lazy value that is this action would be under evaluation, too, and
-- its own module chooses how that one is marked.
value :: Shared -> IO Int
value (Shared n) = evaluate n
{-# NOINLINE value #-}
