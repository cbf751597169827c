-- | Regions from many Haskell threads at once, while the collector runs and the number of Capabilities changes.
module StressTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import Data.Monoid (Sum (..))
import GHC.Conc (BlockReason (..), ThreadStatus (..), threadStatus)
import System.Mem (performGC)
import Test.Tasty
import Test.Tasty.HUnit

import OpenMP.Parallel
import OpenMP.Settings

import Capabilities
import Sampled (sampled)
import Timing (whenTiming)

tests :: TestTree
tests = testGroup "stress" $ sampled
    [ testCase "ten thousand loops from a thousand Haskell threads" (callers defaults)
    , testCase "ten thousand loops with teams of four" (callers defaults { numThreads = Just 4 })
    -- Settings for the bodies' own regions make the loop open a region in any case.
    , testCase "ten thousand regions" (callers defaults { maxActiveLevels = Just 1 })
    , testCase "ten thousand regions of teams of four"
        (callers defaults { numThreads = Just 4, maxActiveLevels = Just 1 })
    ] ++
    [ testCase "regions that wait for each other, more than run at a time" rendezvous
    , testCase "callers killed while they wait for their turn" killedCallers
    , testCase "more Capabilities while a caller waits for its turn" grownMeanwhile
    ]

-- | OS threads of this process.
osThreads :: IO Int
osThreads = do
    status <- readFile "/proc/self/status"
    evaluate (sum [ read n | l <- lines status, ["Threads:", n] <- [words l] ])

callers :: Settings -> Assertion
callers settings = do
    before <- getNumCapabilities
    there <- osThreads
    stop <- R.newIORef False
    most <- R.newIORef 0
    watched <- newEmptyMVar
    _ <- forkIO (watch before stop most (0 :: Int) >> putMVar watched ())
    -- Also when the time is up: the collections would slow down all tests after this one.
    (`finally` (R.writeIORef stop True >> takeMVar watched)) $ do
        results <- forM [1 .. 1000] $ \k -> do
            v <- newEmptyMVar
            _ <- forkIO (try (replicateM_ 10 (oneRegion k)) >>= putMVar v)
            pure v
        forM_ results (takeMVar >=> either (throwIO :: SomeException -> IO ()) pure)
    setNumCapabilities before
    n <- R.readIORef most
    -- A few Capabilities, twice as many regions at a time with their workers, and what the RTS has itself, besides the
    -- threads that tests before this one have left.
    whenTiming $ assertBool (show n ++ " OS threads, " ++ show there ++ " of them before") (n < 200 + there)
  where
    oneRegion k = do
        list <- parallelReduce settings IndexOrder 0 200 (\i -> pure [k + i])
        unless (list == [k .. k + 199]) $ assertFailure ("caller " ++ show k ++ " got " ++ show (take 5 list))
    watch before stop most c = do
        over <- R.readIORef stop
        unless over $ do
            threadDelay 10000
            when (even c) performGC
            when (c `mod` 5 == 0) $ changeCapabilities (capabilitiesAt before (c `quot` 5))
            n <- osThreads
            R.modifyIORef' most (max n)
            watch before stop most (c + 1)

-- | How many Capabilities there are at a step, when there were @before@ at first.
capabilitiesAt :: Int -> Int -> Int
capabilitiesAt before c
    | mayFall   = 1 + c `mod` 4
    | otherwise = before + min 3 c

-- | Each region waits for the one that is opened after it. There are more regions than may run at a time, so some have
-- to be admitted although none has ended.
rendezvous :: Assertion
rendezvous = do
    boxes <- replicateM 41 newEmptyMVar
    done <- forM (zip boxes (drop 1 boxes)) $ \(mine, other) -> do
        v <- newEmptyMVar
        _ <- forkIO $ do
            r <- try $ parallel_ defaults { numThreads = Just 2 } $ \team ->
                masked team (takeMVar other >> putMVar mine ())
            putMVar v (r :: Either SomeException ())
        pure v
    putMVar (last boxes) ()
    forM_ done (takeMVar >=> either throwIO pure)

killedCallers :: Assertion
killedCallers = do
    open <- newEmptyMVar
    -- Enough to fill all places, and then some that wait.
    holders <- forM [1 .. 20 :: Int] $ \_ -> do
        v <- newEmptyMVar
        -- Masked, so that a thread that is killed before it has begun still answers.
        t <- mask_ $ forkIOWithUnmask $ \unmask -> try (unmask (region open)) >>= putMVar v
        pure (t, v)
    yield
    forM_ (drop 10 holders) (killThreadSoon . fst)
    putMVar open ()
    rs <- mapM (takeMVar . snd) holders
    forM_ (take 10 rs) (either (throwIO :: SomeException -> IO ()) pure)
    r <- parallelReduce defaults { numThreads = Just 2 } IndexOrder 0 10 (pure . show)
    r @?= "0123456789"
  where
    region open = parallel_ defaults { numThreads = Just 2 } (\team -> masked team (readMVar open))
    killThreadSoon t = () <$ forkIO (killThread t)

-- | The team's size is what it was when the region was requested, also when more Capabilities come before it begins:
-- the members exchange values through memory made for that size.
grownMeanwhile :: Assertion
grownMeanwhile = do
    before <- getNumCapabilities
    open <- newEmptyMVar
    inside <- newEmptyMVar
    holders <- forM [1 .. 2 * before] $ \_ -> do
        v <- newEmptyMVar
        _ <- forkIO $ do
            parallel_ defaults { numThreads = Just 2 } (\team -> masked team (putMVar inside () >> readMVar open))
            putMVar v ()
        pure v
    forM_ holders (const (takeMVar inside))
    size <- newEmptyMVar
    caller <- newEmptyMVar
    _ <- forkIO $ do
        r <- try $ withSettings defaults { numThreads = Just (before + 3) } $ do
            myThreadId >>= putMVar caller
            parallel defaults (\team -> (,) (teamSize team) . getSum <$> reduce team (Sum (1 :: Int)))
        putMVar size (r :: Either SomeException [(Int, Int)])
    takeMVar caller >>= untilBlocked
    changeCapabilities (before + 3)
    putMVar open ()
    forM_ holders takeMVar
    r <- takeMVar size >>= either throwIO pure
    changeCapabilities before
    -- However many members there were: as many as the team's size says, and a value of each.
    assertBool (show r) (all (== (length r, length r)) r && not (null r))
  where
    untilBlocked t = threadStatus t >>= \s -> unless (s == ThreadBlocked BlockedOnMVar) (yield >> untilBlocked t)
