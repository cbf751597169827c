{-# LANGUAGE GADTs #-}
{-# LANGUAGE LinearTypes #-}

-- | One workload, shared between Haskell and OpenMP C in five ways: every element of an array becomes
-- @sin x * cos x + sqrt |x|@, and in a second pass the mean of itself and its neighbours.
--
-- 1. Handed over: Haskell fills the array, C transforms it, Haskell reads it.
-- 2. A Haskell half beside a C half, with a barrier between the passes.
-- 3. The same with linear tokens, without a barrier.
-- 4. What goes wrong without either: parts that overlap, and a missing barrier. And the same with tokens.
-- 5. Haskell alone, by sparks.
--
-- Counts that depend on which thread was faster, and times, go to stderr.
module Main (main) where

import Control.Exception (evaluate)
import Control.Monad (forM, forM_, replicateM, unless, when)
import Data.Array.Linear (Slice, Split (..), Ur (..), View, unur, (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel (Workers (..), parCombine, parParts)
import qualified Data.Vector.Storable as V
import qualified Data.Vector.Storable.Mutable as M
import Foreign.C.Types (CInt (..), CLong (..))
import Foreign.Marshal.Array (advancePtr)
import Foreign.Ptr (Ptr)
import GHC.Clock (getMonotonicTime)
import Numeric (showFFloat)
import OpenMP.Parallel
import OpenMP.Settings
import System.Exit (exitFailure)
import System.IO (hPutStrLn, stderr)

-- Safe, all of them: they open regions.
foreign import ccall safe "transform"
  c_transform :: Ptr Double -> Ptr Double -> CLong -> IO ()

foreign import ccall safe "transform_parts"
  c_transformParts :: Ptr Double -> CLong -> CInt -> CInt -> CInt -> IO ()

foreign import ccall safe "two_passes"
  c_twoPasses :: Ptr Double -> Ptr Double -> Ptr Double -> CLong -> CInt -> CInt -> IO ()

-- | The workload in Haskell.
f :: Double -> Double
f x = sin x * cos x + sqrt (abs x)

input :: Int -> V.Vector Double
input n = V.generate n (\i -> fromIntegral i * 0.001)

mean :: Double -> Double -> Double -> Double
mean left here right = (left + here + right) / 3

-- | Both passes by one thread. The ends have no second pass: they are 0.
expected :: V.Vector Double -> V.Vector Double
expected values = V.imap smooth transformed
  where
    transformed = V.map f values
    smooth i here
      | i == 0 || i == V.length values - 1 = 0
      | otherwise = mean (transformed V.! (i - 1)) here (transformed V.! (i + 1))

-- | How many elements differ, by more than rounding.
wrong :: V.Vector Double -> V.Vector Double -> Int
wrong right got
  | V.length right == V.length got = V.length (V.filter (> 1e-9) (V.zipWith (\a b -> abs (a - b)) right got))
  | otherwise = V.length right

-- * 1. Handed over

-- | No two are at the array at the same time, so nothing has to be synchronised.
handedOver :: Int -> IO Int
handedOver n = do
  filled <- V.thaw (input n)
  out <- M.replicate n 0
  M.unsafeWith filled $ \p -> M.unsafeWith out $ \q -> c_transform p q (fromIntegral n)
  wrong (V.map f (input n)) <$> V.freeze out

-- * 2. Halves, and a barrier

-- | One member of a team of two is a Haskell loop, the other one calls C. In the second pass each reads a point of the
-- other's half.
withBarrier :: Int -> IO Int
withBarrier n = do
  middle <- M.replicate n 0
  out <- M.replicate n 0
  parallel_ defaults {numThreads = Just 2} $ \team -> do
    me <- threadNum team
    let half = n `div` 2
        (from, past) = if me == 0 then (0, half) else (half, n)
    if me == 0
      then forM_ [from .. past - 1] $ \i -> M.write middle i (f (values V.! i))
      else V.unsafeWith values $ \p -> M.unsafeWith middle $ \q ->
        c_transform (p `advancePtr` from) (q `advancePtr` from) (fromIntegral (past - from))
    barrier team
    forM_ [max 1 from .. min (n - 1) past - 1] $ \i ->
      M.write out i =<< mean <$> M.read middle (i - 1) <*> M.read middle i <*> M.read middle (i + 1)
  wrong (expected values) <$> V.freeze out
  where
    values = input n

-- * 3. Halves, and tokens

-- | The second pass needs all of @middle@ to read. There is no token for that before both halves have been combined,
-- and so no barrier to forget.
withTokens :: Int -> V.Vector Double
withTokens n = unur (L.alloc n 0 (\middle -> L.alloc n 0 (passes (halves middle))))
  where
    values = input n
    pair = Team defaults {numThreads = Just 2}

    halves :: Slice p Double %1 -> Slice p Double
    halves middle =
      L.split (n `div` 2) middle & \(Split join left right) -> parCombine pair join inHaskell inC left right

    inHaskell, inC :: Slice q Double %1 -> Slice q Double
    inHaskell = L.fillWith (\i -> f (values V.! i))
    inC slice = L.unsafeWithSliceC callC slice & \(Ur (), slice') -> slice'
    callC q m = V.unsafeWith values $ \p -> c_transform (p `advancePtr` (n `div` 2)) q (fromIntegral m)

    passes :: Slice p Double %1 -> Slice q Double %1 -> Ur (V.Vector Double)
    passes middle out = L.lend middle (\view -> smoothed view out) & \(middle', out') ->
      L.discard middle' & \() -> L.freeze out'

    smoothed :: View Double -> Slice q Double %1 -> Slice q Double
    smoothed view out = out & L.splitEvenly 2 & parParts pair (smoothPart view) & L.combineParts

    smoothPart :: View Double -> Int -> Slice q Double %1 -> Slice q Double
    smoothPart view from = L.fillWith (\j -> smoothAt view (from + j))

    smoothAt view i
      | i == 0 || i == n - 1 = 0
      | otherwise = mean (L.index view (i - 1)) (L.index view i) (L.index view (i + 1))

-- * 4. Mistakes

-- | In place by parts, each of which has so many elements too many, in turns or not.
inParts :: Int -> Int -> Int -> Bool -> IO Int
inParts n parts extra inTurns = do
  array <- V.thaw (input n)
  M.unsafeWith array $ \p ->
    c_transformParts p (fromIntegral n) (fromIntegral parts) (fromIntegral extra) (if inTurns then 1 else 0)
  wrong (V.map f (input n)) <$> V.freeze array

-- | The same with tokens. There is one for each element, so parts cannot overlap.
inPartsWithTokens :: Int -> Int -> V.Vector Double
inPartsWithTokens n parts = unur (L.allocCopy (input n) (\whole ->
  whole & L.splitEvenly parts & parParts team (\_ part -> L.map f part) & L.combineParts & L.freeze))
  where
    team = Team defaults {numThreads = Just 4}

-- | Both passes in C.
twoPasses :: Int -> Int -> Bool -> IO Int
twoPasses n threads wait = do
  middle <- M.replicate n 0
  out <- M.replicate n 0
  V.unsafeWith values $ \p -> M.unsafeWith middle $ \q -> M.unsafeWith out $ \r ->
    c_twoPasses p q r (fromIntegral n) (fromIntegral threads) (if wait then 1 else 0)
  wrong (expected values) <$> V.freeze out
  where
    values = input n

-- * 5. Sparks

-- | Splits an array in two so many times, and makes the left side of each split a spark.
bySparks :: Int -> V.Vector Double -> V.Vector Double
bySparks depth values = unur (L.allocCopy values (\whole -> go depth whole & L.freeze))
  where
    go :: Int -> Slice p Double %1 -> Slice p Double
    go 0 slice = L.map f slice
    go k slice = L.halve slice & \(Split join left right) -> parCombine Sparks join (go (k - 1)) (go (k - 1)) left right

main :: IO ()
main = do
  over <- handedOver 100000
  putStrLn ("1. handed over: " ++ show over ++ " wrong")
  halves <- withBarrier 100000
  putStrLn ("2. halves, with a barrier: " ++ show halves ++ " wrong")
  let tokens = wrong (expected (input 100000)) (withTokens 100000)
  putStrLn ("3. halves, with tokens: " ++ show tokens ++ " wrong")
  putStrLn "4. wrong elements:"
  mistakes <- forM [(1000, 4), (10000, 16), (100000, 64)] (uncurry ofSize)
  putStrLn "5. by sparks:"
  sparks <- forM [0, 1, 3, 5] byDepth
  unless (all (== 0) ([over, halves, tokens] ++ mistakes ++ sparks)) exitFailure

-- | The line of an array of n elements in so many parts; the wrong elements of what should have none.
ofSize :: Int -> Int -> IO Int
ofSize n parts = do
  right <- inParts n parts 0 False
  inTurns <- inParts n parts 1 True
  let withToken = wrong (V.map f (input n)) (inPartsWithTokens n parts)
  passes <- twoPasses n parts True
  putStrLn ("  " ++ show n ++ " elements, " ++ show parts ++ " parts: disjoint " ++ show right ++ ", overlap in turns "
    ++ show inTurns ++ ", with tokens " ++ show withToken ++ "; two passes " ++ show passes)
  atOnce <- replicateM 10 (inParts n parts 1 False)
  early <- replicateM 10 (twoPasses n parts False)
  hPutStrLn stderr ("  " ++ show n ++ " elements, 10 runs: overlap at once " ++ between atOnce
    ++ ", two passes without the barrier " ++ between early)
  when (inTurns /= parts - 1) exitFailure
  pure (right + withToken + passes)

between :: [Int] -> String
between counts = show (minimum counts) ++ " to " ++ show (maximum counts)

byDepth :: Int -> IO Int
byDepth depth = do
  values <- evaluate (input 100000)
  start <- getMonotonicTime
  result <- evaluate (bySparks depth values)
  took <- subtract start <$> getMonotonicTime
  let count = wrong (V.map f values) result
  putStrLn ("  " ++ show ((2 :: Int) ^ depth) ++ " parts: " ++ show count ++ " wrong")
  hPutStrLn stderr ("  " ++ show ((2 :: Int) ^ depth) ++ " parts: " ++ showFFloat (Just 2) (took * 1000) " ms")
  pure count
