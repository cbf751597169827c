{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- |
-- Module:      OpenMP.Internal.Over
-- Description: A variable for transactions that wait for a region
--
-- A transaction can wait only for variables, and a word in C says whether a region has been cancelled. So a region has
-- a variable that becomes 'True' when the region is cancelled or over; it is made when a transaction is to wait for it.
-- The interface is not stable.
--
-- The variable is written by Haskell threads only: by the one that cancels the region ('announcing'), and after the
-- region's end by one for its caller ('announceEnd').
--
-- 'announcing' reads the variable's place by an atomic operation after the region's word in C is set. The thread that
-- makes the variable writes that place by an atomic operation, and reads the region's word in C afterwards. So at least
-- one of the two sees the other.
--
-- The place has only a weak reference, because the region's caller keeps the place alive: a member that waits for ever
-- for such a variable is found by the collector, as other members are ("OpenMP.Internal.Watch").
--
-- Callers: "OpenMP.Internal.Region", "OpenMP.Internal.Future". Tests: @test\/hs\/library\/FutureTest.hs@.
module OpenMP.Internal.Over
    ( Over
    , newOver
    , overOf
    , announcing
    , announceEnd
    ) where

import Control.Concurrent (forkIO)
import qualified Data.IORef as R
import GHC.Conc (TVar (..), atomically, newTVarIO, writeTVar)
import GHC.Exts (mkWeakNoFinalizer#, touch#)
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
    alive <- found before
    case alive of
        Just variable -> pure variable
        Nothing -> do
            variable <- newTVarIO False
            weak <- weakly variable
            let number = maybe 0 ((+ 1) . fst) before
            made <- R.atomicModifyIORef' ref $ \now ->
                if fmap fst now == fmap fst before then (Just (number, weak), True) else (now, False)
            if made then pure variable else overOf place

-- | Cancels the region by the action, which sets its word in C. C drops tasks from then on, and with them what kept the
-- transactions alive that wait for their results: so this keeps the variable until it is written.
announcing :: Over -> IO () -> IO ()
announcing place@(Over ref) cancel = do
    before <- variableOf place
    cancel
    R.atomicModifyIORef' ref (\now -> (now, now)) >>= found >>= mapM_ tell
    IO $ \s -> (# touch# before s, () #)

-- | The region is over, and all its members have left it. The caller may be evaluating a lazy value for a transaction
-- of its own, in which there can be no other one: so another thread writes.
announceEnd :: Over -> IO ()
announceEnd place = variableOf place >>= mapM_ (forkIO . tell)

tell :: TVar Bool -> IO ()
tell variable = atomically (writeTVar variable True)

-- | The variable, if there is one and something refers to it.
variableOf :: Over -> IO (Maybe (TVar Bool))
variableOf (Over ref) = R.readIORef ref >>= found

found :: Maybe (Int, Weak (TVar Bool)) -> IO (Maybe (TVar Bool))
found = maybe (pure Nothing) (deRefWeak . snd)

-- | A weak reference that is dead when nothing refers to the variable itself.
weakly :: TVar a -> IO (Weak (TVar a))
weakly variable@(TVar key) = IO $ \s -> case mkWeakNoFinalizer# key variable s of
    (# s', weak #) -> (# s', Weak weak #)
