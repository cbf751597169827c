{-# LANGUAGE LinearTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
-- | Lazy values that a team computes, for StormTest. Several threads evaluate the same value; exceptions interrupt
-- them, and whoever evaluates it next goes on.
module StormValues
    ( Shelf
    , newShelf
    , fromShelf
    , finishShelf
    ) where

import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import qualified Data.List as List
import Data.Monoid (Sum (..))
import qualified Data.Vector as B
import qualified Data.Vector.Storable as V
import System.IO.Unsafe (unsafePerformIO)

import Data.Array.Linear (Split (..), (&))
import qualified Data.Array.Linear as L
import qualified Data.Array.Linear.Parallel as LP
import OpenMP.Eval
import OpenMP.Parallel
import OpenMP.Settings
import OpenMP.Vector

import Generators
import StormWorld

-- | A lazy value, what it has to be, and how often each of its bodies has run.
data Value = Value
    { valueNumber :: Int
    , valueName   :: String
    , valueItself :: [Int]
    , valueWanted :: [Int]
    , valueRan    :: IO [Int]
    }

-- | The values of the moment. A complete one is replaced.
newtype Shelf = Shelf [R.IORef Value]

newShelf :: World -> Dice -> IO Shelf
newShelf world dice = Shelf <$> replicateM 5 (newValue world dice >>= R.newIORef)

-- | One of the shelf's values, evaluated.
fromShelf :: Shelf -> Construct
fromShelf (Shelf places) = Construct "lazy values" False $ \world dice -> do
    place <- pick dice places
    value <- R.readIORef place
    check world value
    another <- newValue world dice
    R.atomicModifyIORef' place (\v -> (if valueNumber v == valueNumber value then another else v, ()))

-- | Evaluates all that is left.
finishShelf :: World -> Shelf -> IO ()
finishShelf world (Shelf places) = forM_ places $ \place -> do
    value <- R.readIORef place
    check world value `catch` \e -> wrong world (valueName value ++ ": " ++ show (e :: SomeException))

check :: World -> Value -> IO ()
check world value = do
    _ <- evaluate (List.foldl' (\d x -> 31 * d + x) 7 (valueItself value))
    let name what = valueName value ++ ": " ++ what
    unless (valueItself value == valueWanted value) (wrong world (name (show (valueItself value))))
    ran <- valueRan value
    unless (all (== 1) ran) (wrong world (name ("its bodies ran " ++ show ran)))

newValue :: World -> Dice -> IO Value
newValue world dice = do
    number <- roll dice maxBound
    team <- pick dice [Nothing, Just 1, Just 2, Just 2, Just 3, Just 4]
    sched <- pick dice
        [Nothing, Just Static, Just (StaticChunks 3), Just (Dynamic 1), Just (Dynamic 4), Just (Guided 2)]
    levels <- pick dice [Nothing, Just 1, Just 2]
    order <- pick dice [IndexOrder, AnyOrder]
    (name, wanted, make) <- pick dice kinds
    a <- counters indices
    let s = defaults { numThreads = team, schedule = sched, maxActiveLevels = levels }
        body i = count a i >> gentleWork world (number + i)
    pure (Value number name (make s order body) wanted (counts a indices))

-- | Each value's bodies are for the indices below this number.
indices :: Int
indices = 60

-- | Name, value, and how it is made from a body that is to run once for each index.
kinds :: [(String, [Int], Settings -> Order -> (Int -> IO ()) -> [Int])]
kinds =
    [ ("parallelReduce in index order", upTo, \s _ body ->
        unsafePerformIO (parallelReduce s IndexOrder 0 indices (\i -> [i] <$ body i)))
    , ("parallelReduce in any order", [total], \s _ body ->
        [getSum (unsafePerformIO (parallelReduce s AnyOrder 0 indices (\i -> Sum i <$ body i)))])
    , ("parallelReduceChunks", [total], \s order body ->
        [getSum (unsafePerformIO (parallelReduceChunks s order 0 indices (\b e ->
            Sum (sum [b .. e - 1]) <$ forM_ [b .. e - 1] body)))])
    , ("parallelFor", upTo, \s _ body -> unsafePerformIO (upTo <$ parallelFor s 0 indices body))
    , ("parallelForWith", upTo, \s _ body ->
        unsafePerformIO (upTo <$ parallelForWith s 0 indices (R.newIORef 'x') (\r i -> R.readIORef r >> body i)))
    , ("parallelFoldWith", [total], \s order body -> unsafePerformIO $ do
        let add acc i = body i >> R.modifyIORef' acc (+ i)
            combine x y = x <$ (R.readIORef y >>= \k -> R.modifyIORef' x (+ k))
        acc <- parallelFoldWith s order 0 indices (R.newIORef 0) add combine
        pure <$> R.readIORef acc)
    , ("parallelForTiles", upTo, \s _ body -> unsafePerformIO $ do
        parallelForTiles s (2, 4) (0, 6) (0, 10) $ \(top, bottom) (left, right) ->
            sequence_ [ body (10 * r + c) | r <- [top .. bottom - 1], c <- [left .. right - 1] ]
        pure upTo)
    , ("parallelSections", upTo, \s _ body ->
        unsafePerformIO (parallelSections s [ i <$ body i | i <- upTo ]))
    , ("a reduction in a reduction", upTo, \s order body -> unsafePerformIO $
        parallelReduce s { maxActiveLevels = Just 2 } IndexOrder 0 6 $ \r -> do
            Sum k <- parallelReduce s order 0 10 (\c -> Sum (10 * r + c) <$ body (10 * r + c))
            pure (if k == sum [10 * r .. 10 * r + 9] then [10 * r .. 10 * r + 9] else [k]))
    , ("a value in a value", [total, total], \s order body ->
        let inner = getSum (unsafePerformIO (parallelReduce s order 0 indices (\i -> Sum i <$ body i)))
        in unsafePerformIO (parallelReduce s IndexOrder 0 2 (\_ -> (: []) <$> evaluate inner)))
    , ("parallelGenerate", upTo, \s _ body -> V.toList (parallelGenerate s indices (ranPure body)))
    , ("parallelMap", upTo, \s _ body -> B.toList (parallelMap s (ranPure body) (V.fromList upTo)))
    , ("a linear array and a team", upTo, \s _ body ->
        V.toList (L.unur (L.generate indices id (\t ->
            L.freeze (LP.parChunks (LP.Team s) 7 (\_ -> L.map (ranPure body)) t)))))
    , ("a linear array and sparks", upTo, \_ _ body ->
        V.toList (L.unur (L.generate indices id (\t -> L.halve t & \(Split j l r) ->
            L.freeze (LP.parCombine LP.Sparks j (L.map (ranPure body)) (L.map (ranPure body)) l r)))))
    , ("parMap", upTo, \s _ body -> parMap s rseq (ranPure body) upTo)
    , ("parTraversable", upTo, \s _ body -> B.toList (parTraversable s rseq (B.map (ranPure body) (B.fromList upTo))))
    , ("parBuffer", upTo, \s _ body -> parBuffer s 11 rseq (parList s r0 (map (ranPure body) upTo)))
    , ("parTraverse", upTo, \s _ body -> unsafePerformIO (parTraverse s rseq (\i -> i <$ body i) upTo))
    , ("divConq", upTo, \s _ body ->
        divConq s rdeepseq ((< 4) . length) (map (ranPure body)) halves (\_ parts -> concat parts) upTo)
    ]
  where
    halves l = let (a, b) = splitAt (length l `div` 2) l in [a, b]
    upTo = [0 .. indices - 1]
    total = sum upTo

-- | The number, after its body.
ranPure :: (Int -> IO ()) -> Int -> Int
ranPure body i = unsafePerformIO (i <$ body i)
{-# NOINLINE ranPure #-}
