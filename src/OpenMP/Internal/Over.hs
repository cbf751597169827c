{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- |
-- Module:      OpenMP.Internal.Over
-- Description: A variable for transactions that wait for a region
--
-- A transaction can wait for variables alone, and whether a region has been cancelled is a word in C. So a region has a
-- variable that becomes 'True' when the region is cancelled or over; it is made when a transaction is to wait for it.
-- The interface is not stable.
--
-- The variable is written by Haskell threads only: by the one that cancels the region ('announce'), and by the caller
-- after the region's end ('announceEnd').
--
-- 'announce' comes after the region's word in C is set, and reads the variable's place by an atomic operation. The
-- thread that makes the variable writes that place by an atomic operation, and reads the region's word in C afterwards.
-- So at least one of the two sees the other.
--
-- The place has only a weak reference, because the region's caller keeps the place alive: a member that waits for ever
-- for such a variable is found by the collector, as other members are ("OpenMP.Internal.Watch").
--
-- Callers: "OpenMP.Internal.Region", "OpenMP.Internal.Future". Tests: @test\/hs\/library\/FutureTest.hs@.
module OpenMP.Internal.Over
    ( Over
    , newOver
    , overOf
    , announce
    , announceEnd
    ) where

import qualified Data.IORef as R
import GHC.Conc (TVar (..), atomically, newTVarIO, writeTVar)
import GHC.Exts (mkWeakNoFinalizer#)
import GHC.IO (IO (..))
import GHC.Weak (Weak (..), deRefWeak)

-- | The place of a region's variable: none, or a number that no variable before had, and the variable.
newtype Over = Over (R.IORef (Maybe (Int, Weak (TVar Bool))))

-- | A place without a variable.
newOver :: IO Over
newOver = Over <$> R.newIORef Nothing

-- | The variable, which this may make. The caller checks afterwards whether the region has been cancelled.
overOf :: Over -> IO (TVar Bool)
overOf place@(Over ref) = do
    before <- R.readIORef ref
    alive <- maybe (pure Nothing) (deRefWeak . snd) before
    case alive of
        Just variable -> pure variable
        Nothing -> do
            variable <- newTVarIO False
            weak <- weakly variable
            let number = maybe 0 ((+ 1) . fst) before
            made <- R.atomicModifyIORef' ref $ \now ->
                if fmap fst now == fmap fst before then (Just (number, weak), True) else (now, False)
            if made then pure variable else overOf place

-- | The region has been cancelled, as its word in C says.
announce :: Over -> IO ()
announce (Over ref) = R.atomicModifyIORef' ref (\now -> (now, now)) >>= tell

-- | The region is over, and all its members have left it.
announceEnd :: Over -> IO ()
announceEnd (Over ref) = R.readIORef ref >>= tell

tell :: Maybe (Int, Weak (TVar Bool)) -> IO ()
tell = mapM_ $ \(_, weak) -> deRefWeak weak >>= mapM_ (\variable -> atomically (writeTVar variable True))

-- | A weak reference that is dead when nothing refers to the variable itself.
weakly :: TVar a -> IO (Weak (TVar a))
weakly variable@(TVar key) = IO $ \s -> case mkWeakNoFinalizer# key variable s of
    (# s', weak #) -> (# s', Weak weak #)
