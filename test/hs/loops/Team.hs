{-# LANGUAGE LinearTypes #-}

-- | The loops of "Alone", by parallelReduce, linear arrays, parallelFor and an array's generate. The vectors are lazy
-- here: the library has them evaluated once for each part. A monoid of the user's own is like one of base, also one of
-- several numbers.
module Team (integers, roots, inBounds, indices, least, filled, thirds, written, moments, generated) where

import Data.Array.Linear (Slice)
import qualified Data.Array.Linear as L
import Data.Monoid (Sum (..))
import qualified Data.Vector.Storable.Mutable as M
import qualified Data.Vector.Unboxed as U

import qualified OpenMP.Array as A
import OpenMP.Parallel
import OpenMP.Settings

integers :: Order -> U.Vector Int -> Int -> IO Int
integers order v n = getSum <$> parallelReduce defaults order 0 n (\i -> pure (Sum (U.unsafeIndex v i * 10000001)))

roots :: Order -> U.Vector Double -> Int -> IO Double
roots order v n = getSum <$> parallelReduce defaults order 0 n (\i -> pure (Sum (sqrt (U.unsafeIndex v i))))

inBounds :: Order -> U.Vector Int -> Int -> IO Int
inBounds order v n = getSum <$> parallelReduce defaults order 0 n (\i -> pure (Sum (v U.! i * 10000002)))

indices :: Order -> Int -> IO Int
indices order n = getSum <$> parallelReduce defaults order 0 n (\i -> pure (Sum (i * 10000003)))

newtype Least = Least Int

instance Semigroup Least where
  Least a <> Least b = Least (min a b)

instance Monoid Least where
  mempty = Least maxBound

least :: Order -> U.Vector Int -> Int -> IO Int
least order v n = value <$> parallelReduce defaults order 0 n (\i -> pure (Least (U.unsafeIndex v i * 10000004)))
  where
    value (Least x) = x

filled :: Slice p Int %1 -> Slice p Int
filled = L.fillWith (* 10000005)

thirds :: Slice p Double %1 -> Slice p Double
thirds = L.map (/ 3)

written :: M.IOVector Int -> IO ()
written v = parallelFor defaults 0 (M.length v) (\i -> M.unsafeWrite v i (i * 10000006))

data Moments = Moments !Double !Double !Int

instance Semigroup Moments where
  Moments a b c <> Moments d e f = Moments (a + d) (b + e) (c + f)

instance Monoid Moments where
  mempty = Moments 0 0 0

moments :: Order -> U.Vector Double -> Int -> IO (Double, Double, Int)
moments order v n = values <$> parallelReduce defaults order 0 n moment
  where
    moment i = let x = U.unsafeIndex v i in pure (Moments x (x * x) (truncate x * 10000007))
    values (Moments a b c) = (a, b, c)

generated :: Int -> IO (A.Array Int)
generated n = A.generate n (* 10000008)
