{-# LANGUAGE BangPatterns #-}
-- |
-- Module:      OpenMP.Vector
-- Description: Vectors whose elements a team computes
--
-- 'Data.Vector.Generic.generate', 'Data.Vector.Generic.map' and 'Data.Vector.Generic.imap' on the threads of a team,
-- for vectors of every kind: "Data.Vector", "Data.Vector.Storable", "Data.Vector.Unboxed", "Data.Vector.Primitive". The
-- result is a new vector. Each element is computed and written once by the thread that runs its index. That thread also
-- evaluates it to weak head normal form, in boxed vectors too. The threads and the schedule are those of
-- 'OpenMP.Parallel.parallelFor', and so are exceptions and interruption: a vector that was not completed is never
-- visible.
--
-- The pure functions return lazy values: the team works when the vector is needed. The vector is the same whatever the
-- settings. Invalid settings, and a negative length, are an t'Control.Exception.ErrorCall'. When several elements
-- throw, it is not determined which of these exceptions comes out, as in all pure code.
--
-- == Slices
--
-- The other functions loop over a vector a slice at a time: a chunk of the loop is a slice of the vector, so that the
-- body can use what the package @vector@ has for vectors (sums, searches, sorting in place), with its fusion.
--
-- == Neighbours
--
-- Two threads may write neighbouring elements at the same time. So these functions are not for a kind of vector whose
-- elements share bytes, such as one that packs 'Bool's into bits. Those of the package @vector@ do not.
module OpenMP.Vector
    ( -- * Pure elements
      parallelGenerate
    , parallelMap
    , parallelImap
      -- * Elements by actions
    , parallelGenerateIO
    , parallelMapIO
    , parallelImapIO
      -- * Slices
    , parallelForSlices
    , parallelForMutableSlices
    , parallelReduceSlices
    ) where

import Control.Monad (when)
import Control.Monad.Primitive (RealWorld)
import Data.Vector.Generic (Vector)
import qualified Data.Vector.Generic as G
import qualified Data.Vector.Generic.Mutable as M
import System.IO.Unsafe (unsafePerformIO)

import OpenMP.Internal.Loop (Cuts (..), overRange, rangeCount, runChunks, sharingOf)
import OpenMP.Internal.Reduce (Order, foldChunks, runReduce)
import OpenMP.Internal.Settings (checkRegionOf, reject)
import OpenMP.Settings

-- $setup
-- >>> import qualified Data.Vector as B
-- >>> import qualified Data.Vector.Storable as S
-- >>> import qualified Data.Vector.Unboxed as U
-- >>> import qualified Data.Vector.Unboxed.Mutable as UM
-- >>> import Data.IORef

-- | @parallelGenerate settings n f@ is the vector of the function's values for @0@ to @n - 1@.
--
-- >>> parallelGenerate defaults 5 (\i -> i * i) :: U.Vector Int
-- [0,1,4,9,16]
-- >>> parallelGenerate defaults (-1) id :: U.Vector Int
-- *** Exception: OpenMP.Vector.parallelGenerate: the length -1 is negative
--
-- @since 0.1.0.0
parallelGenerate :: Vector v a => Settings -> Int -> (Int -> a) -> v a
parallelGenerate settings n f = unsafePerformIO (filled "parallelGenerate" settings n (pure . f))
{-# INLINE parallelGenerate #-}

-- | The function's values for the vector's elements. The result may be another kind of vector.
--
-- >>> parallelMap defaults even (S.fromList [1 .. 4 :: Int]) :: B.Vector Bool
-- [False,True,False,True]
--
-- @since 0.1.0.0
parallelMap :: (Vector v a, Vector w b) => Settings -> (a -> b) -> v a -> w b
parallelMap settings f v = unsafePerformIO (mapped "parallelMap" settings (\_ x -> pure (f x)) v)
{-# INLINE parallelMap #-}

-- | 'parallelMap' with the index of each element.
--
-- >>> parallelImap defaults (,) (U.fromList "abc") :: U.Vector (Int, Char)
-- [(0,'a'),(1,'b'),(2,'c')]
--
-- @since 0.1.0.0
parallelImap :: (Vector v a, Vector w b) => Settings -> (Int -> a -> b) -> v a -> w b
parallelImap settings f v = unsafePerformIO (mapped "parallelImap" settings (\i x -> pure (f i x)) v)
{-# INLINE parallelImap #-}

-- | The vector of the action's results for @0@ to @n - 1@. The actions run in any order and at the same time.
--
-- >>> count <- newIORef (0 :: Int)
-- >>> let next = atomicModifyIORef' count (\k -> (k + 1, k))
-- >>> v <- parallelGenerateIO defaults 100 (const next) :: IO (U.Vector Int)
-- >>> U.sum v
-- 4950
--
-- @since 0.1.0.0
parallelGenerateIO :: Vector v a => Settings -> Int -> (Int -> IO a) -> IO (v a)
parallelGenerateIO = filled "parallelGenerateIO"
{-# INLINE parallelGenerateIO #-}

-- | The action's results for the vector's elements.
--
-- >>> refs <- mapM newIORef (B.fromList "abc")
-- >>> parallelMapIO defaults readIORef refs :: IO (S.Vector Char)
-- "abc"
--
-- @since 0.1.0.0
parallelMapIO :: (Vector v a, Vector w b) => Settings -> (a -> IO b) -> v a -> IO (w b)
parallelMapIO settings f = mapped "parallelMapIO" settings (\_ x -> f x)
{-# INLINE parallelMapIO #-}

-- | 'parallelMapIO' with the index of each element.
--
-- >>> parallelImapIO defaults (\i x -> pure (i + x)) (U.fromList [10, 20, 30]) :: IO (U.Vector Int)
-- [10,21,32]
--
-- @since 0.1.0.0
parallelImapIO :: (Vector v a, Vector w b) => Settings -> (Int -> a -> IO b) -> v a -> IO (w b)
parallelImapIO = mapped "parallelImapIO"
{-# INLINE parallelImapIO #-}

mapped :: (Vector v a, Vector w b) => String -> Settings -> (Int -> a -> IO b) -> v a -> IO (w b)
mapped name settings f v = filled name settings (G.length v) (\i -> G.unsafeIndexM v i >>= f i)
{-# INLINE mapped #-}

-- | A vector whose elements are the action's results. It becomes immutable when the loop is over, and only then.
filled :: Vector v a => String -> Settings -> Int -> (Int -> IO a) -> IO (v a)
filled name settings n element = do
    checkRegionOf ("Vector." ++ name) settings
    reject ("Vector." ++ name) ["the length " ++ show n ++ " is negative" | n < 0]
    elements <- M.unsafeNew n
    runChunks AnyCut settings (sharingOf (schedule settings) (rangeCount 0 n)) 0 $ \begin end ->
        overRange begin end $ \i -> do
            !x <- element i
            M.unsafeWrite elements i x
    G.unsafeFreeze elements
{-# INLINE filled #-}

-- | @parallelForSlices settings v body@ runs @body from slice@ for slices of the vector, which are the vector when they
-- are put together; @from@ is the index of a slice's first element. None is empty, and for an empty vector there are
-- none. The slices are the chunks of 'OpenMP.Parallel.parallelForChunks': 'Dynamic' gives those of one size.
-- Nothing is copied.
--
-- >>> found <- newIORef ([] :: [(Int, Int)])
-- >>> let note from part = atomicModifyIORef' found (\l -> ((from, U.maximum part) : l, ()))
-- >>> parallelForSlices defaults { schedule = Just (Dynamic 3) } (U.fromList [2, 7, 1, 8, 2, 8, 1 :: Int]) note
-- >>> import Data.List (sort)
-- >>> sort <$> readIORef found
-- [(0,7),(3,8),(6,1)]
--
-- @since 0.1.0.0
parallelForSlices :: Vector v a => Settings -> v a -> (Int -> v a -> IO ()) -> IO ()
parallelForSlices settings v body = inSlices "parallelForSlices" settings (G.length v) $ \begin end ->
    body begin (G.unsafeSlice begin (end - begin) v)
{-# INLINE parallelForSlices #-}

-- | 'parallelForSlices' for a mutable vector. Each element is in one slice, so a body that keeps to its own slice may
-- write all of it.
--
-- >>> v <- UM.replicate 7 'a'
-- >>> let fillPart from part = UM.set part (['x' ..] !! (from `div` 3))
-- >>> parallelForMutableSlices defaults { schedule = Just (Dynamic 3) } v fillPart
-- >>> U.freeze v
-- "xxxyyyz"
--
-- @since 0.1.0.0
parallelForMutableSlices
    :: M.MVector v a => Settings -> v RealWorld a -> (Int -> v RealWorld a -> IO ()) -> IO ()
parallelForMutableSlices settings v body = inSlices "parallelForMutableSlices" settings (M.length v) $ \begin end ->
    body begin (M.unsafeSlice begin (end - begin) v)
{-# INLINE parallelForMutableSlices #-}

-- | A reduction over a vector's slices, with the index of each slice's first element: the values of the slices combined
-- by '<>', 'mempty' for an empty vector. Order, slices and threads are those of
-- 'OpenMP.Parallel.parallelReduceChunks'.
--
-- >>> import Data.Monoid
-- >>> import OpenMP.Parallel (Order (..))
-- >>> let v = U.enumFromN 1 1000 :: U.Vector Int
-- >>> getSum <$> parallelReduceSlices defaults AnyOrder v (\_ part -> pure (Sum (U.sum part)))
-- 500500
-- >>> parallelReduceSlices defaults IndexOrder v (\from part -> pure (First ((from +) <$> U.findIndex (> 700) part)))
-- First {getFirst = Just 700}
--
-- @since 0.1.0.0
parallelReduceSlices
    :: (Vector v a, Monoid m) => Settings -> Order -> v a -> (Int -> v a -> IO m) -> IO m
parallelReduceSlices settings order v value = do
    checkRegionOf "Vector.parallelReduceSlices" settings
    runReduce ChunkCuts settings order 0 (G.length v) $ foldChunks $ \begin end ->
        value begin (G.unsafeSlice begin (end - begin) v)
{-# INLINE parallelReduceSlices #-}

inSlices :: String -> Settings -> Int -> (Int -> Int -> IO ()) -> IO ()
inSlices name settings n body = do
    checkRegionOf ("Vector." ++ name) settings
    when (n > 0) $ runChunks ChunkCuts settings (sharingOf (schedule settings) n) 0 body
{-# INLINE inSlices #-}
