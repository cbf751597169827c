{-# OPTIONS_GHC -O0 #-} -- optimised it takes an eighth of the compilation of all tests; VectorLazyTest is
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE ScopedTypeVariables #-}
-- | Vectors whose elements a team computes (OpenMP.Vector): what they are. When they are computed is in VectorLazyTest.
module VectorTest (tests) where

import Control.Exception
import Control.Monad
import Control.Monad.Primitive (RealWorld)
import qualified Data.IORef as R
import Data.List (sort, sortOn)
import Data.Monoid (Sum (..))
import qualified Data.Vector as B
import qualified Data.Vector.Generic as G
import qualified Data.Vector.Generic.Mutable as M
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Storable as S
import qualified Data.Vector.Unboxed as U
import Test.QuickCheck hiding (again)
import Test.Tasty hiding (after)
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)

import OpenMP
import OpenMP.Parallel (Order (..))
import OpenMP.Vector

import Generators

tests :: TestTree
tests = testGroup "vector"
    [ testGroup "the same as without threads"
        [ testProperty "generate" generates
        , testProperty "map and imap, of all kinds of vectors, and of slices" maps
        , testProperty "actions: each once" actionsOnce
        , testProperty "elements of few bits" smallElements
        , testProperty "an element that is a vector" nestedVectors
        ]
    , testGroup "slices"
        [ testProperty "are the vector, put together; each is a chunk" slicesAreTheVector
        , testProperty "of a mutable vector are written in place" mutableSlices
        , testProperty "reduced, are the vector reduced" slicesReduced
        , testCase "none of an empty vector" noSlices
        , testProperty "an exception of a body comes out" sliceThrows
        ]
    , testCase "invalid arguments are errors that say so" invalid
    ]

newtype Boom = Boom Int
    deriving (Eq, Show)

instance Exception Boom

generates :: AnySchedule -> TeamOf -> Property
generates sched team = forAll (frequency [(1, pure 0), (1, pure 1), (8, choose (0, 3000))]) $ \n ->
    let settings = inSettings sched team
        f i = i * 7 `mod` 31
    in conjoin
        [ parallelGenerate settings n f === B.generate n f
        , parallelGenerate settings n f === S.generate n f
        , parallelGenerate settings n f === U.generate n f
        , parallelGenerate settings n f === P.generate n f
        ]

-- | A slice of a vector that is larger on both sides.
slices :: G.Vector v Int => [Int] -> Gen (v Int)
slices xs = do
    (before, after) <- (,) <$> choose (0, 5) <*> choose (0, 5)
    pure (G.slice before (length xs) (G.fromList (replicate before 77 ++ xs ++ replicate after 88)))

maps :: AnySchedule -> TeamOf -> [Int] -> Property
maps sched team xs = forAll (slices xs) $ \(b :: B.Vector Int) ->
    forAll (slices xs) $ \(s :: S.Vector Int) ->
    forAll (slices xs) $ \(u :: U.Vector Int) ->
    let settings = inSettings sched team
        f x = x * x - 1
        g i x = (i, x)
    in conjoin
        [ parallelMap settings f b === (S.fromList (map f xs) :: S.Vector Int)
        , parallelMap settings show s === B.fromList (map show xs)
        , parallelMap settings f u === (P.fromList (map f xs) :: P.Vector Int)
        , parallelImap settings g b === U.fromList (zip [0 ..] xs)
        , parallelImap settings g s === B.fromList (zip [0 ..] xs)
        , parallelImap settings (+) u === S.fromList (zipWith (+) [0 ..] xs)
        ]

actionsOnce :: AnySchedule -> TeamOf -> NonNegative Int -> Property
actionsOnce sched team (NonNegative n) = ioProperty $ do
    a <- counters n
    let settings = inSettings sched team
    made <- parallelGenerateIO settings n (\i -> (2 * i) <$ count a i)
    again <- parallelMapIO settings (\x -> (x + 1) <$ count a (x `quot` 2)) (made :: U.Vector Int)
    pairs <- parallelImapIO settings (\i x -> (i, x) <$ count a i) (again :: B.Vector Int)
    ran <- counts a n
    pure $ pairs === U.fromList [ (i, 2 * i + 1) | i <- [0 .. n - 1] ] .&&. ran === replicate n 3

-- | Neighbours in one word, written by different threads.
smallElements :: TeamOf -> Property
smallElements (TeamOf t) = forAll (choose (0, 2000)) $ \n ->
    let settings = defaults { numThreads = Just t, schedule = Just (Dynamic 1) }
    in (parallelGenerate settings n odd :: U.Vector Bool) === U.generate n odd
        .&&. (parallelGenerate settings n even :: S.Vector Bool) === S.generate n even

nestedVectors :: TeamOf -> Property
nestedVectors (TeamOf t) =
    let settings = defaults { numThreads = Just t, maxActiveLevels = Just 2 }
        row i = parallelGenerate settings 20 (i *) :: U.Vector Int
    in (parallelGenerate settings 20 row :: B.Vector (U.Vector Int)) === B.generate 20 (\i -> U.generate 20 (i *))

slicesAreTheVector :: AnySchedule -> TeamOf -> [Int] -> Property
slicesAreTheVector sched team xs =
    forAll (slices xs) $ \(s :: S.Vector Int) -> forAll (slices xs) $ \(b :: B.Vector Int) -> ioProperty $ do
        storable <- seen s
        boxed <- seen b
        pure $ concatMap snd storable === xs .&&. concatMap snd boxed === xs
            .&&. map fst storable === take (length storable) (scanl (+) 0 (map (length . snd) storable))
            .&&. property (all (not . null . snd) storable)
            .&&. case schedule settings of
                Just (Dynamic c) -> map (length . snd) storable === sizesBy c (length xs)
                _                -> property True
  where
    settings = inSettings sched team
    sizesBy c n = [ min c (n - begin) | begin <- takeWhile (< n) [0, c ..] ]
    seen :: G.Vector v Int => v Int -> IO [(Int, [Int])]
    seen v = do
        parts <- R.newIORef []
        parallelForSlices settings v (\from part -> R.atomicModifyIORef' parts (\l -> ((from, G.toList part) : l, ())))
        sortOn fst <$> R.readIORef parts

-- | A slice is sorted in place, which reads and writes all of it, and its neighbours stay as they are.
mutableSlices :: TeamOf -> Positive Int -> [Int] -> Property
mutableSlices team (Positive size) xs = ioProperty $ do
    unboxed <- U.thaw (U.fromList xs)
    boxed <- B.thaw (B.fromList xs)
    parallelForMutableSlices settings unboxed sorted
    parallelForMutableSlices settings boxed sorted
    got <- (,) <$> U.freeze unboxed <*> B.freeze boxed
    pure (got === (U.fromList want, B.fromList want))
  where
    settings = (inTeam team) { schedule = Just (Dynamic size) }
    want = concat [ map (+ begin) (sort (take size (drop begin xs))) | begin <- takeWhile (< length xs) [0, size ..] ]
    sorted :: M.MVector v Int => Int -> v RealWorld Int -> IO ()
    sorted from part = do
        let n = M.length part
        values <- mapM (M.read part) [0 .. n - 1]
        zipWithM_ (M.write part) [0 .. n - 1] (map (+ from) (sort values))

slicesReduced :: AnySchedule -> TeamOf -> [Int] -> Property
slicesReduced sched team xs = forAll (slices xs) $ \(p :: P.Vector Int) -> ioProperty $ do
    let settings = inSettings sched team
    list <- parallelReduceSlices settings IndexOrder p (\from part -> pure (zip [from ..] (P.toList part)))
    whole <- parallelReduceSlices settings AnyOrder p (\_ part -> pure (Sum (P.sum part)))
    pure (list === zip [0 ..] xs .&&. getSum whole === sum xs)

noSlices :: Assertion
noSlices = do
    parallelForSlices defaults (S.empty :: S.Vector Int) (\_ _ -> throwIO (Boom 1))
    none <- U.thaw (U.empty :: U.Vector Int)
    parallelForMutableSlices defaults none (\_ _ -> throwIO (Boom 2))
    r <- parallelReduceSlices defaults AnyOrder (B.empty :: B.Vector Int) (\_ _ -> throwIO (Boom 3))
    r @?= ""

sliceThrows :: AnySchedule -> TeamOf -> Property
sliceThrows sched team = forAll (choose (0, 299)) $ \at -> ioProperty $ do
    let body from part = when (at >= from && at < from + S.length part) (throwIO (Boom at))
        v = S.enumFromN 0 300 :: S.Vector Int
    whole <- try (parallelForSlices (inSettings sched team) v body)
    reduced <- try (parallelReduceSlices (inSettings sched team) AnyOrder v body)
    pure (whole === Left (Boom at) .&&. reduced === Left (Boom at))

invalid :: Assertion
invalid = do
    says "OpenMP.Vector.parallelGenerate: the length -1 is negative" (parallelGenerate defaults (-1) id)
    says "OpenMP.Vector.parallelMap: numThreads = 0: a team has at least 1 thread and at most 2147483647"
        (parallelMap defaults { numThreads = Just 0 } id (U.fromList [1 :: Int]))
    says "OpenMP.Vector.parallelImap: schedule = Dynamic 0: a chunk has at least 1 iteration"
        (parallelImap defaults { schedule = Just (Dynamic 0) } (+) (U.fromList [1 :: Int]))
    forM_
        [ ("parallelForSlices", parallelForSlices bad one (\_ _ -> pure ()))
        , ("parallelForMutableSlices", U.thaw one >>= \v -> parallelForMutableSlices bad v (\_ _ -> pure ()))
        , ("parallelReduceSlices", parallelReduceSlices bad AnyOrder one (\_ _ -> pure ()))
        ] $ \(name, act) -> try act >>= (@?= Left (ErrorCall ("OpenMP.Vector." ++ name
            ++ ": numThreads = 0: a team has at least 1 thread and at most 2147483647")))
  where
    bad = defaults { numThreads = Just 0 }
    one = U.fromList [1 :: Int]
    says :: String -> U.Vector Int -> Assertion
    says text v = try (evaluate v) >>= either (\(ErrorCall t) -> t @?= text) (const (assertFailure "no error"))