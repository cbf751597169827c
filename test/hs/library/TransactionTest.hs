-- | Software transactional memory in members of teams and in callbacks from C, beside Haskell threads.
module TransactionTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import Data.Bits (shiftR, xor)
import qualified Data.IORef as R
import Foreign hiding (void, xor, shiftR)
import Foreign.C.Types
import GHC.Conc
import System.Mem (performMajorGC)
import Test.QuickCheck hiding (total)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)

import OpenMP
import OpenMP.Callback
import OpenMP.Parallel

import Generators

-- Safe: it calls back. See callbacks.c.
foreign import ccall safe "callbacks_run" c_run
    :: CInt -> CInt -> CInt -> CIntPtr -> CSize -> Ptr CCallback -> Ptr Double -> IO CInt

tests :: TestTree
tests = testGroup "transactions"
    [ testGroup "a bank keeps its sum"
        [ testProperty "members of regions and Haskell threads" (bank (\t n act -> parallelFor t 0 n act))
        , testProperty "members of exact regions and Haskell threads" (bank everyMember)
        , testProperty "tasks and Haskell threads" (bank byTasks)
        , testProperty "callbacks and Haskell threads" (bank byCallbacks)
        , testProperty "when the region's caller is killed" bankKilled
        ]
    , testGroup "retry"
        [ testCase "in a member, woken by a Haskell thread" (forM_ [1, 2, 4] memberWaits)
        , testCase "in a Haskell thread, woken by a member" (forM_ [1, 2, 4] threadWaits)
        , testCase "in a member, woken by another member" membersWait
        , testCase "in a callback, woken by a Haskell thread" callbackWaits
        , testCase "a buffer of one element between members and Haskell threads" exchanged
        , testCase "for ever, in members that nobody else can wake" blockedForEver
        , testCase "ends with the region's caller" retryInterrupted
        ]
    ]

-- --------------------------------------------------------------------------------------------------------------------

type Bank = [TVar Int]

newBank :: Int -> IO Bank
newBank n = replicateM n (newTVarIO 100)

-- | Moves an amount that the number decides between two accounts; waits for nothing.
transfer :: Bank -> Word64 -> STM ()
transfer accounts r = do
    let n = length accounts
        from = accounts !! (fromIntegral (r `shiftR` 8) `mod` n)
        to = accounts !! (fromIntegral (r `shiftR` 24) `mod` n)
        amount = fromIntegral (r `mod` 64)
    a <- readTVar from
    if a < amount then pure () else do
        writeTVar from (a - amount)
        b <- readTVar to
        writeTVar to (b + amount)

total :: Bank -> STM Int
total accounts = sum <$> mapM readTVar accounts

-- | A number that looks random, from an index.
mixed :: Int -> Word64
mixed i = step (step (fromIntegral i * 0x9e3779b97f4a7c15 + 1))
  where
    step x = let y = (x `xor` (x `shiftR` 29)) * 0xbf58476d1ce4e5b9 in y `xor` (y `shiftR` 32)

-- | Runs an action for each number below the count.
type Spread = Settings -> Int -> (Int -> IO ()) -> IO ()

everyMember, byTasks, byCallbacks :: Spread
everyMember t n act = parallel_ t $ \m -> do
    me <- threadNum m
    forM_ [i | i <- [0 .. n - 1], i `mod` teamSize m == me] act
byTasks t n act = parallelTasks t (\m -> forM_ [0 .. n - 1] (task m . act))
byCallbacks t n act = withCallback act $ \callback -> with 0 $ \unused -> do
    failed <- c_run 0 1 (maybe 2 fromIntegral (numThreads t)) (fromIntegral n) 1 (callbackPtr callback) unused
    failed @?= 0

-- | Transfers and looks at the whole bank, which always has its sum, by a team and by Haskell threads at once.
bank :: Spread -> TeamOf -> Property
bank spread team = forAll ((,) <$> choose (1, 12) <*> choose (0, 3)) $ \(size, threads) -> ioProperty $ do
    accounts <- newBank size
    wrong <- R.newIORef []
    let look = atomically (total accounts) >>= \s ->
            when (s /= 100 * size) (R.atomicModifyIORef' wrong (\l -> (s : l, ())))
        act i = atomically (transfer accounts (mixed i)) >> when (i `mod` 16 == 0) look
    done <- forM [1 .. threads] $ \k -> do
        end <- newEmptyMVar
        _ <- forkIO (mapM_ (act . (+ 1000000 * k)) [0 .. 399] `finally` putMVar end ())
        pure end
    spread (inTeam team) 400 act
    mapM_ takeMVar done
    look
    R.readIORef wrong >>= \l -> pure (l === [])

-- | A transaction happens or does not, also when an exception ends the region at any moment.
bankKilled :: TeamOf -> Property
bankKilled team = forAll (choose (0, 2000)) $ \moment -> ioProperty $ do
    accounts <- newBank 8
    begun <- newEmptyMVar
    let act i = tryPutMVar begun () >> atomically (transfer accounts (mixed i))
    ended <- newEmptyMVar
    t <- forkIO (parallelFor (inTeam team) 0 2000 act `finally` putMVar ended ())
    takeMVar begun
    spin (moment * 20)
    killThread t
    takeMVar ended
    s <- atomically (total accounts)
    pure (s === 800)

-- --------------------------------------------------------------------------------------------------------------------

-- | Waits for the variable to have a value, and empties it.
taken :: TVar (Maybe a) -> STM a
taken var = readTVar var >>= maybe retry (\x -> x <$ writeTVar var Nothing)

-- | Waits for the variable to be empty, and fills it.
given :: TVar (Maybe a) -> a -> STM ()
given var x = readTVar var >>= maybe (writeTVar var (Just x)) (const retry)

untilBlocked :: ThreadId -> IO ()
untilBlocked t = threadStatus t >>= \s -> unless (s == ThreadBlocked BlockedOnSTM) (yield >> untilBlocked t)

-- | Each member waits; a Haskell thread writes when all of them do.
memberWaits :: Int -> Assertion
memberWaits n = do
    var <- newTVarIO Nothing
    waiting <- newEmptyMVar
    _ <- forkIO $ do
        replicateM n (takeMVar waiting) >>= mapM_ untilBlocked
        atomically (writeTVar var (Just 'x'))
    seen <- parallel defaults { numThreads = Just n } $ \_ -> do
        myThreadId >>= putMVar waiting
        atomically (readTVar var >>= maybe retry pure)
    seen @?= replicate n 'x'

-- | Haskell threads wait; a member writes when all of them do.
threadWaits :: Int -> Assertion
threadWaits n = do
    var <- newTVarIO Nothing
    threads <- replicateM 3 $ do
        end <- newEmptyMVar
        t <- forkIO (atomically (readTVar var >>= maybe retry pure) >>= putMVar end)
        pure (t, end)
    parallel_ defaults { numThreads = Just n } $ \m -> masked m $ do
        mapM_ (untilBlocked . fst) threads
        atomically (writeTVar var (Just 'y'))
    mapM (takeMVar . snd) threads >>= (@?= "yyy")

membersWait :: Assertion
membersWait = do
    turn <- newTVarIO 0
    let n = 3
        rounds_ = 50
    parallel_ defaults { numThreads = Just n } $ \m -> do
        me <- threadNum m
        forM_ [0 .. rounds_ - 1] $ \k -> atomically $ do
            t <- readTVar turn
            if t == k * n + me then writeTVar turn (t + 1) else retry
    readTVarIO turn >>= (@?= n * rounds_)

callbackWaits :: Assertion
callbackWaits = do
    var <- newTVarIO (0 :: Int)
    waiting <- newEmptyMVar
    seen <- R.newIORef (0 :: Int)
    _ <- forkIO $ forM_ [1 .. 4] $ \k -> do
        takeMVar waiting >>= untilBlocked
        atomically (writeTVar var k)
    let act i = do
            myThreadId >>= putMVar waiting
            atomically (readTVar var >>= \k -> when (k == 0) retry >> writeTVar var 0)
            R.atomicModifyIORef' seen (\s -> (s + i, ()))
    -- One at a time: each callback waits for its own write.
    byCallbacks defaults { numThreads = Just 1 } 4 act
    R.readIORef seen >>= (@?= 6)

-- | Members give and Haskell threads take, then the other way round, by one variable.
exchanged :: Assertion
exchanged = forM_ [1, 2, 3] $ \n -> do
    there <- newTVarIO Nothing
    back <- newTVarIO Nothing
    let each = 60
    _ <- forkIO $ replicateM_ (n * each) $ do
        x <- atomically (taken there)
        atomically (given back (x + 1000))
    sums <- parallel defaults { numThreads = Just n } $ \m -> do
        me <- threadNum m
        sum <$> forM [0 .. each - 1] (\k -> do
            atomically (given there (each * me + k))
            atomically (taken back))
    sum sums @?= sum [0 .. n * each - 1] + 1000 * n * each

blockedForEver :: Assertion
blockedForEver = forM_ [forkIO, forkOS] $ \fork -> do
    result <- newEmptyMVar
    _ <- fork $ do
        r <- try (newTVarIO () >>= \var -> parallel_ defaults { numThreads = Just 2 } (\_ ->
            atomically (readTVar var >> retry)))
        putMVar result (either (\BlockedIndefinitelyOnSTM -> "blocked") show r)
    takeMVar result >>= (@?= "blocked")

retryInterrupted :: Assertion
retryInterrupted = do
    var <- newTVarIO False
    waiting <- newEmptyMVar
    ended <- newEmptyMVar
    t <- forkIO $ do
        r <- try $ parallel_ defaults { numThreads = Just 2 } $ \_ -> do
            myThreadId >>= putMVar waiting
            atomically (readTVar var >>= \on -> unless on retry)
        putMVar ended (either (\e -> show (e :: AsyncException)) show r)
    replicateM 2 (takeMVar waiting) >>= mapM_ untilBlocked
    performMajorGC
    killThread t
    takeMVar ended >>= (@?= "thread killed")
    atomically (writeTVar var True)
