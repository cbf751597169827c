{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- |
-- Module:      OpenMP.Internal.Spark
-- Description: Sparks that an idle Capability runs at once
--
-- GHC's scheduler wakes no Capability when a spark is made, but at the next timer's tick or collection. The interface
-- is not stable.
module OpenMP.Internal.Spark
    ( offer
    ) where

import Control.Concurrent (forkOn)
import Control.Exception (mask_)
import Control.Monad (void, when)
import Foreign.C.Types (CInt (..))
import GHC.Exts (spark#)
import GHC.IO (IO (..))

-- Unsafe: they read the Capabilities and do not wait.
foreign import ccall unsafe "ghcomp_hs_spark_wanted" c_wanted :: IO CInt
foreign import ccall unsafe "ghcomp_hs_spark_helper" c_helper :: IO CInt
foreign import ccall unsafe "ghcomp_hs_spark_helper_came" c_helperCame :: CInt -> IO ()

-- | Makes a spark of the value, which is not evaluated here, and wakes an idle Capability for it, if there is one
-- (@cbits\/haskell\/spark.c@).
--
-- >>> let value = 6 * 7 :: Int
-- >>> offer value
-- >>> value
-- 42
offer :: a -> IO ()
offer value = do
    IO $ \s -> case spark# value s of (# s', _ #) -> (# s', () #)
    wanted <- c_wanted
    when (wanted /= 0) wake

-- Masked: a helper that has been asked must run. It inherits the mask, so no exception prevents that.
wake :: IO ()
wake = mask_ $ do
    helper <- c_helper
    when (helper >= 0) $ void $ forkOn (fromIntegral helper) (c_helperCame helper)
{-# NOINLINE wake #-}
