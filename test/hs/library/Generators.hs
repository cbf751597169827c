{-# LANGUAGE MagicHash #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE UnboxedTuples #-}
-- | What properties of loops vary, and what their bodies do.
module Generators
    ( AnySchedule (..)
    , TeamOf (..)
    , Range (..)
    , inSettings
    , inTeam
    , counters
    , count
    , counts
    , spin
    , evaluateInParts
    , interruption
    , endsEarly
    , fibonacci
    ) where

import Control.Concurrent (forkIOWithUnmask, newEmptyMVar, putMVar, readMVar, takeMVar, throwTo, tryPutMVar)
import Control.Exception (SomeException, evaluate, mask_, try)
import Control.Monad (unless)
import qualified Data.IORef as R
import Data.Primitive.ByteArray
import GHC.Clock (getMonotonicTime)
import GHC.Exts (Int (..), RealWorld, fetchAddIntArray#)
import GHC.IO (IO (..))
import System.Timeout (timeout)
import Test.QuickCheck
import Test.Tasty.HUnit (Assertion, assertBool, (@?=))

import OpenMP.Parallel (Team, parallelTasks)
import OpenMP.Settings

import Timing (whenTiming)

newtype AnySchedule = AnySchedule (Maybe Schedule)
    deriving (Show)

instance Arbitrary AnySchedule where
    arbitrary = AnySchedule <$> oneof
        [ pure Nothing, pure (Just Static), pure (Just Auto)
        , Just . StaticChunks <$> chunk, Just . Dynamic <$> chunk, Just . Guided <$> chunk ]
      where
        chunk = frequency [(4, choose (1, 20)), (1, choose (1, 1000)), (1, pure maxBound)]

-- | From teams of one to more threads than any of our machines has CPUs.
newtype TeamOf = TeamOf Int
    deriving (Show)

instance Arbitrary TeamOf where
    arbitrary = TeamOf <$> frequency [(2, pure 1), (4, pure 2), (4, choose (3, 5)), (1, choose (6, 12))]
    shrink (TeamOf n) = [ TeamOf m | m <- [1 .. n - 1] ]

-- | A range of few indices, anywhere among the 'Int's.
data Range = Range Int Int
    deriving (Show)

instance Arbitrary Range where
    arbitrary = do
        size <- frequency [(1, choose (-3, 0)), (1, pure 1), (6, choose (1, 400)), (1, choose (400, 3000))]
        from <- oneof [choose (-1000, 1000), pure minBound, pure (maxBound - max 0 size)]
        pure (Range from (if from == minBound then from + max 0 size else from + size))

inSettings :: AnySchedule -> TeamOf -> Settings
inSettings (AnySchedule s) (TeamOf n) = defaults { numThreads = Just n, schedule = s }

inTeam :: TeamOf -> Settings
inTeam (TeamOf n) = defaults { numThreads = Just n }

-- | Counters that many threads may add to at once.
counters :: Int -> IO (MutableByteArray RealWorld)
counters n = do
    a <- newByteArray (8 * max 1 n)
    setByteArray a 0 (max 1 n) (0 :: Int)
    pure a

count :: MutableByteArray RealWorld -> Int -> IO ()
count (MutableByteArray a) (I# i) = IO $ \s -> case fetchAddIntArray# a i 1# s of (# s', _ #) -> (# s', () #)

counts :: MutableByteArray RealWorld -> Int -> IO [Int]
counts a n = mapM (readByteArray a) [0 .. n - 1]

-- | A body that takes some time, in proportion to the number.
spin :: Int -> IO ()
spin k = do
    v <- R.newIORef k
    let go = R.readIORef v >>= \x -> unless (x == 0) (R.writeIORef v (x - 1) >> go)
    go

-- | Evaluates the value under time limits that grow until it is there; returns how often it was not.
{-# NOINLINE evaluateInParts #-} -- so that the value is one, and not computed anew by each evaluation
evaluateInParts :: forall a. Int -> a -> IO (a, Int)
evaluateInParts micros value = go 0 micros
  where
    go :: Int -> Int -> IO (a, Int)
    go n limit = timeout limit (evaluate value) >>= maybe (go (n + 1) (limit + limit `quot` 4 + 1)) (\v -> pure (v, n))

-- | An action that waits, and a function that evaluates a value whose evaluation comes to this action: the exception
-- interrupts it there, and then the value is evaluated to its end.
interruption :: SomeException -> IO (IO (), a -> IO a)
interruption e = do
    begun <- newEmptyMVar
    gate <- newEmptyMVar
    result <- newEmptyMVar
    let evaluated value = do
            t <- mask_ $ forkIOWithUnmask $ \unmask -> try (unmask (evaluate value)) >>= putMVar result
            takeMVar begun
            throwTo t e
            r <- takeMVar result
            either (\x -> show (x :: SomeException)) (const "complete") r @?= show e
            putMVar gate ()
            evaluate value
    pure (tryPutMVar begun () >> readMVar gate, evaluated)

-- | A timeout of 50 ms ends the action, which never ends by itself: one that is not interrupted is a hang.
endsEarly :: IO a -> Assertion
endsEarly act = do
    begin <- getMonotonicTime
    r <- timeout 50000 act
    end <- getMonotonicTime
    maybe "interrupted" (const "complete") r @?= "interrupted"
    whenTiming $ assertBool (show (end - begin) ++ " s") (end - begin < 20)

-- | The function computes Fibonacci numbers by tasks.
fibonacci :: (forall s. Team s -> Int -> IO Int) -> TeamOf -> Property
fibonacci fib t = forAll (choose (0, 15)) $ \n -> ioProperty $
    (=== fibs !! n) <$> parallelTasks (inTeam t) (\m -> fib m n)
  where
    fibs = 0 : 1 : zipWith (+) fibs (drop 1 fibs) :: [Int]
