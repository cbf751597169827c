-- | Loops whose threads have a state or an accumulator of their own.
module StateTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import Data.List (sort)
import Data.Monoid (Sum (..))
import qualified Data.Vector.Unboxed as V
import qualified Data.Vector.Unboxed.Mutable as M
import System.IO.Unsafe (unsafePerformIO)
import System.Timeout (timeout)
import Test.QuickCheck hiding (total)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)

import OpenMP
import OpenMP.Parallel

import Generators

tests :: TestTree
tests = testGroup "state of a thread"
    [ testGroup "in a loop"
        [ testProperty "every index once, with the state of its own thread" ownState
        , testProperty "in chunks: the range, cut" chunksWithState
        , testProperty "as many states as threads, each of them used" fewStates
        , testCase "an empty range makes none" noState
        , testProperty "an exception in the making comes out" makingThrows
        , testProperty "an exception in a body comes out" bodyThrows
        , testCase "timeout, in the making and in a body" timeouts
        , testCase "inside of a region, and of another such loop" nested
        ]
    , testGroup "reductions of chunks"
        [ testProperty "in index order: mconcat" (chunksAreMconcat IndexOrder id)
        , testProperty "in any order: mconcat, if it commutes" (chunksAreMconcat AnyOrder sort)
        , testProperty "in any order: chunks of the size asked for" chunkSizes
        ]
    , testGroup "folds"
        [ testProperty "in index order: the same as one accumulator" (foldIsOne IndexOrder id)
        , testProperty "in any order: the same indices" (foldIsOne AnyOrder sort)
        , testProperty "in any order: accumulators in the order of their first indices" firstIndices
        , testProperty "in index order: the same bits for any team" foldReproduces
        , testProperty "a histogram" histogram
        , testCase "an empty range: one accumulator, nothing combined" emptyFold
        , testProperty "exceptions in each of the three come out" foldThrows
        , testProperty "a lazy value that was interrupted is evaluated later" lazyFold
        ]
    ]

newtype Boom = Boom Int
    deriving (Eq, Show)

instance Exception Boom

size :: Range -> Int
size (Range from past) = if from < past then past - from else 0

indices :: Range -> [Int]
indices r@(Range from _) = [ from + k | k <- [0 .. size r - 1] ]

-- | A state that knows its thread, and how often it was used.
data State = State ThreadId (R.IORef Int)

newState :: R.IORef [State] -> IO State
newState made = do
    state <- State <$> myThreadId <*> R.newIORef 0
    R.atomicModifyIORef' made (\l -> (state : l, ()))
    pure state

use :: State -> IO ()
use (State maker uses) = do
    me <- myThreadId
    when (me /= maker) (throwIO (userError ("the state of " ++ show maker ++ " is used by " ++ show me)))
    R.modifyIORef' uses (+ 1)

ownState :: AnySchedule -> TeamOf -> Range -> Property
ownState sched team r@(Range from past) = ioProperty $ do
    a <- counters (size r)
    made <- R.newIORef []
    parallelForWith (inSettings sched team) from past (newState made) (\s i -> use s >> count a (i - from))
    uses <- R.readIORef made >>= mapM (\(State _ u) -> R.readIORef u)
    ran <- counts a (size r)
    pure $ ran === replicate (size r) 1 .&&. sum uses === size r .&&. property (all (> 0) uses)

chunksWithState :: AnySchedule -> TeamOf -> Range -> Property
chunksWithState sched@(AnySchedule s) team r@(Range from past) = ioProperty $ do
    seen <- R.newIORef []
    made <- R.newIORef []
    parallelForChunksWith (inSettings sched team) from past (newState made) $ \state b e -> do
        use state
        R.atomicModifyIORef' seen (\l -> ((b - from, e - from) : l, ()))
    chunks <- sort <$> R.readIORef seen
    let sizes = [ e - b | (b, e) <- chunks ]
    pure $ conjoin
        [ map fst chunks === take (length chunks) (0 : map snd chunks)
        , sum sizes === size r
        , case s of
            Just (Dynamic c) -> property (all (== c) (drop 1 (reverse sizes)))
            _                -> property (all (> 0) sizes)
        ]

-- | A thread of the team each, and perhaps the caller before it got help.
fewStates :: AnySchedule -> TeamOf -> Property
fewStates sched team@(TeamOf n) = ioProperty $ do
    made <- R.newIORef []
    parallelForWith (inSettings sched team) 0 2000 (newState made) (\s _ -> use s >> yield)
    uses <- R.readIORef made >>= mapM (\(State _ u) -> R.readIORef u)
    pure $ counterexample (show uses) (length uses <= n + 1 && all (> 0) uses && sum uses == 2000)

noState :: Assertion
noState = forM_ [(0, 0), (3, -3), (maxBound, minBound)] $ \(from, past) ->
    parallelForWith defaults from past (throwIO (Boom 0)) (\() _ -> throwIO (Boom 1))

makingThrows :: AnySchedule -> TeamOf -> Property
makingThrows sched team = ioProperty $ do
    ran <- R.newIORef (0 :: Int)
    r <- try $ parallelForWith (inSettings sched team) 0 100 (throwIO (Boom 7)) $ \() _ ->
        R.atomicModifyIORef' ran (\k -> (k + 1, ()))
    lazily <- try $ parallelForWith (inSettings sched team) 0 100 (pure (throw (Boom 8))) $ \() _ ->
        R.atomicModifyIORef' ran (\k -> (k + 1, ()))
    n <- R.readIORef ran
    pure $ (r, lazily, n) === (Left (Boom 7), Left (Boom 8), 0)

bodyThrows :: AnySchedule -> TeamOf -> Property
bodyThrows sched team = forAll (choose (0, 299)) $ \at -> ioProperty $ do
    a <- counters 300
    r <- try $ parallelForWith (inSettings sched team) 0 300 (pure 'x') $ \_ i ->
        if i == at then throwIO (Boom i) else count a i
    ran <- counts a 300
    pure $ r === Left (Boom at) .&&. all (<= 1) ran .&&. ran !! at === 0

timeouts :: Assertion
timeouts = forM_ [defaults { numThreads = Just 1 }, two, two { maxActiveLevels = Just 1 }] $ \s -> do
    held <- newEmptyMVar
    timeout 30000 (parallelForWith s 0 100 (takeMVar held) (\() _ -> pure ())) >>= (@?= Nothing)
    timeout 30000 (parallelForWith s 0 100 (pure ()) (\() _ -> takeMVar held)) >>= (@?= Nothing)
    timeout 30000 (parallelFoldWith s AnyOrder 0 100 (pure ()) (\_ _ -> takeMVar held) (\_ _ -> pure ()))
        >>= (@?= Nothing)
    timeout 30000 (parallelFoldWith s IndexOrder 0 100 (takeMVar held) (\_ _ -> pure ()) (\_ _ -> pure ()))
        >>= (@?= Nothing)
    putMVar held ()

two :: Settings
two = defaults { numThreads = Just 2 }

nested :: Assertion
nested = do
    a <- counters 400
    let deep = two { maxActiveLevels = Just 3 }
    made <- R.newIORef []
    parallel_ deep $ \team -> for team (Dynamic 1) 0 20 $ \i ->
        parallelForWith deep 0 20 (newState made) (\s j -> use s >> count a (20 * i + j))
    counts a 400 >>= (@?= replicate 400 1)
    parallelForWith deep 0 20 (newState made) $ \outer i -> do
        use outer
        parallelForWith deep 0 20 (newState made) (\s j -> use s >> count a (20 * i + j))
        use outer
    counts a 400 >>= (@?= replicate 400 2)

chunksAreMconcat :: Order -> ([Int] -> [Int]) -> AnySchedule -> TeamOf -> Range -> Property
chunksAreMconcat order arrange sched team r@(Range from past) = ioProperty $ do
    let body b e = pure (indices (Range b e))
    (=== indices r) . arrange <$> parallelReduceChunks (inSettings sched team) order from past body

chunkSizes :: TeamOf -> Range -> Property
chunkSizes team r@(Range from past) = forAll (choose (1, 50)) $ \c -> ioProperty $ do
    let settings = inSettings (AnySchedule (Just (Dynamic c))) team
    sizes <- parallelReduceChunks settings AnyOrder from past (\b e -> pure [e - b])
    pure $ sort sizes === sort (replicate (size r `quot` c) c ++ [ size r `rem` c | size r `rem` c /= 0 ])

-- | A fold whose accumulators are the indices that they got.
collected :: Settings -> Order -> Range -> IO [Int]
collected settings order (Range from past) =
    parallelFoldWith settings order from past (R.newIORef []) (\acc i -> R.modifyIORef' acc (i :)) both
        >>= fmap reverse . R.readIORef
  where
    both a b = a <$ (R.readIORef b >>= \l -> R.modifyIORef' a (l ++))

foldIsOne :: Order -> ([Int] -> [Int]) -> AnySchedule -> TeamOf -> Range -> Property
foldIsOne order arrange sched team r = ioProperty $
    (=== indices r) . arrange <$> collected (inSettings sched team) order r

firstIndices :: AnySchedule -> TeamOf -> Range -> Property
firstIndices sched team (Range from past) = ioProperty $ do
    firsts <- parallelFoldWith (inSettings sched team) AnyOrder from past (R.newIORef []) note both >>= R.readIORef
    pure (firsts === sort firsts)
  where
    note acc i = R.modifyIORef' acc (\l -> if null l then [i] else l)
    both a b = a <$ (R.readIORef b >>= \l -> R.modifyIORef' a (++ l))

foldReproduces :: AnySchedule -> TeamOf -> Property
foldReproduces sched team = ioProperty $ do
    one <- total (TeamOf 1)
    many <- total team
    pure (many === one)
  where
    total t = parallelFoldWith (inSettings sched t) IndexOrder 1 2000 (M.replicate 1 0) add both >>= (`M.read` 0)
    add acc i = M.modify acc (+ 1 / fromIntegral i) (0 :: Int)
    both :: M.IOVector Double -> M.IOVector Double -> IO (M.IOVector Double)
    both a b = a <$ (M.read b 0 >>= \x -> M.modify a (+ x) 0)

histogram :: AnySchedule -> TeamOf -> Range -> Property
histogram sched team r@(Range from past) = forAll (elements [AnyOrder, IndexOrder]) $ \order -> ioProperty $ do
    bins <- parallelFoldWith (inSettings sched team) order from past (M.replicate 8 (0 :: Int)) add both >>= V.freeze
    pure (bins === V.accum (+) (V.replicate 8 0) [ (bin i, 1) | i <- indices r ])
  where
    bin i = i * i `mod` 8
    add bins i = M.modify bins (+ 1) (bin i)
    both a b = a <$ forM_ [0 .. 7] (\k -> M.read b k >>= \n -> M.modify a (+ n) k)

emptyFold :: Assertion
emptyFold = forM_ [AnyOrder, IndexOrder] $ \order -> do
    made <- R.newIORef (0 :: Int)
    r <- parallelFoldWith defaults order 5 5 (R.modifyIORef made (+ 1) >> pure 'x') (\_ _ -> throwIO (Boom 0)) $ \_ _ ->
        throwIO (Boom 1)
    r @?= 'x'
    R.readIORef made >>= (@?= 1)

-- | There may be one accumulator only in 'AnyOrder', and then nothing is combined.
foldThrows :: AnySchedule -> TeamOf -> Property
foldThrows sched team = ioProperty $ do
    let fold order new add both = try (parallelFoldWith (inSettings sched team) order 0 300 new add both)
        keep a _ = pure a
    made <- fold AnyOrder (throwIO (Boom 1)) (\() _ -> pure ()) keep
    added <- forM [AnyOrder, IndexOrder] $ \order ->
        fold order (pure ()) (\_ i -> when (i == 200) (throwIO (Boom 2))) keep
    combined <- fold AnyOrder (R.newIORef False) (\_ _ -> pure ()) (\_ _ -> throwIO (Boom 3))
    pure $ made === Left (Boom 1) .&&. added === [Left (Boom 2), Left (Boom 2)]
        .&&. either (=== Boom 3) (const (property True)) combined

lazyFold :: AnySchedule -> TeamOf -> Property
lazyFold sched team = forAll ((,) <$> choose (100, 4000) <*> elements [AnyOrder, IndexOrder]) $ \(micros, order) ->
    ioProperty $ do
        a <- counters 600
        let fold = parallelFoldWith (inSettings sched team) order 0 600 new add both
            value = getSum (unsafePerformIO (fold >>= R.readIORef))
            new = R.newIORef (Sum 0)
            add acc i = count a i >> spin 2000 >> R.modifyIORef' acc (<> Sum i)
            both x y = x <$ (R.readIORef y >>= \v -> R.modifyIORef' x (<> v))
        (v, _) <- evaluateInParts micros value
        ran <- counts a 600
        pure (v === sum [0 .. 599] .&&. ran === replicate 600 1)
