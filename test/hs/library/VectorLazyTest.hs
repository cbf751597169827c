-- | Vectors whose elements a team computes (OpenMP.Vector): when each element is computed, by which thread, and what
-- becomes of a vector whose computation ends early. What an optimising compiler makes of it matters here.
module VectorLazyTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import qualified Data.Vector as B
import qualified Data.Vector.Storable as S
import qualified Data.Vector.Unboxed as U
import System.IO.Unsafe (unsafePerformIO)
import System.Mem (performMinorGC)
import System.Timeout (timeout)
import Test.QuickCheck
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)

import OpenMP
import OpenMP.Parallel (parallelFor)
import OpenMP.Vector

import Generators

tests :: TestTree
tests = testGroup "vectors as lazy values"
    [ testCase "boxed elements are evaluated, each by the thread that runs it" evaluated
    , testCase "boxed elements survive collections" collected
    , testCase "a value is computed once" computedOnce
    , testProperty "an exception of an element comes out" elementThrows
    , testCase "timeout while elements are computed" timeouts
    , testProperty "a vector that was interrupted is evaluated later" lazyVector
    ]

newtype Boom = Boom Int
    deriving (Eq, Show)

instance Exception Boom

-- | What an element throws comes out of the construction, not of a later use; the element's thread has evaluated it.
evaluated :: Assertion
evaluated = do
    threads <- R.newIORef []
    let note i = do
            me <- myThreadId
            pure (unsafePerformIO (i <$ (myThreadId >>= \t -> R.atomicModifyIORef' threads (\l -> ((me, t) : l, ())))))
    v <- parallelGenerateIO (defaults { numThreads = Just 3, schedule = Just (Dynamic 7) }) 100 note
    seen <- R.readIORef threads
    length seen @?= 100
    assertBool "another thread has evaluated an element" (all (uncurry (==)) seen)
    B.toList v @?= [0 .. 99 :: Int]
    r <- try (evaluate (parallelMap defaults (\i -> if i == 50 then throw (Boom i) else i) v :: B.Vector Int))
    either id (const (Boom 0)) r @?= Boom 50

collected :: Assertion
collected = do
    v <- parallelGenerateIO (defaults { numThreads = Just 4, schedule = Just (Dynamic 1) }) 400 $ \i -> do
        when (i `mod` 40 == 0) performMinorGC
        pure (show i)
    performMinorGC
    B.toList v @?= map show [0 .. 399 :: Int]

{-# NOINLINE computedOnce #-}
computedOnce :: Assertion
computedOnce = do
    a <- counters 100
    let v = shared a
    mapM_ (\i -> v U.! i @?= i) [0 .. 99]
    counts a 100 >>= (@?= replicate 100 1)
  where
    {-# NOINLINE shared #-}
    shared a = parallelGenerate defaults 100 (\i -> unsafePerformIO (i <$ count a i)) :: U.Vector Int

elementThrows :: AnySchedule -> TeamOf -> Property
elementThrows sched team = forAll (choose (0, 299)) $ \at -> ioProperty $ do
    let settings = inSettings sched team
        f i = if i == at then throw (Boom i) else i
    boxed <- try (evaluate (parallelGenerate settings 300 f :: B.Vector Int))
    unboxed <- try (evaluate (parallelMap settings f (U.enumFromN 0 300) :: S.Vector Int))
    pure (fmap B.toList boxed === Left (Boom at) .&&. fmap S.toList unboxed === Left (Boom at))

timeouts :: Assertion
timeouts = forM_ [(1, Nothing), (2, Nothing), (2, Just 1)] $ \(n, levels) -> do
    let s = defaults { numThreads = Just n, maxActiveLevels = levels }
    held <- newEmptyMVar
    r <- timeout 30000 (parallelGenerateIO s 100 (\i -> i <$ takeMVar held))
    fmap U.length (r :: Maybe (U.Vector Int)) @?= Nothing
    putMVar held ()
    a <- counters 10
    parallelFor s 0 10 (count a)
    counts a 10 >>= (@?= replicate 10 1)

lazyVector :: AnySchedule -> TeamOf -> Property
lazyVector sched team = forAll (choose (100, 4000)) $ \micros -> ioProperty $ do
    a <- counters 600
    let v = parallelGenerate (inSettings sched team) 600 (\i -> unsafePerformIO (i <$ (count a i >> spin 2000)))
    (u, _) <- evaluateInParts micros v
    ran <- counts a 600
    pure (u === U.enumFromN 0 600 .&&. ran === replicate 600 1)
