-- The members' loops have a safe point in each round: compiled by GHC 9.10 they do not allocate, and a collection that
-- the other member wants would wait for ever.
{-# OPTIONS_GHC -fno-omit-yields #-}
-- | Lazy values that several members need: how often they are evaluated, and how a member waits for one.
--
-- GHC marks a lazy value as taken when its thread comes to the scheduler (lazy black-holing), or when it begins (eager,
-- -feager-blackholing). Until it is marked others that need it evaluate it, too. What bounds the duplicates is that a
-- thread that comes to the scheduler gives up a value that another one has marked there. So an evaluation may begin
-- once in each thread, and goes past its first visit to the scheduler in one. Here each evaluation counts both. With
-- eager black-holing fewer begin, but it may be more than one that goes on: a thread that has begun at the same moment
-- as another one may write its mark after that one has been to the scheduler, and then the value is its own, too.
module ThunkTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import Data.Primitive.ByteArray (MutableByteArray, readByteArray)
import GHC.Conc (BlockReason (..), ThreadStatus (..), threadStatus)
import GHC.Exts (RealWorld)
import System.IO.Unsafe (unsafePerformIO)
import System.Mem (performMajorGC)
import Test.QuickCheck hiding (within)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)

import OpenMP
import OpenMP.Eval (parEval, rseq)
import OpenMP.Parallel
import OpenMP.Prim (capabilityNumber)

import Capabilities
import Generators
import qualified ThunksEager as Eager
import qualified ThunksLazy as Lazy
import Timing (timing)

tests :: TestTree
tests = testGroup "shared lazy values"
    [ testGroup "duplicate evaluations stay within the bound"
        [ testProperty "lazy black-holing" (bounded lazy onlyOne)
        , testProperty "eager black-holing" (bounded eager oneOfThem)
        , testProperty "lazy, by a loop" (boundedInLoop lazy onlyOne)
        , testProperty "eager, by a loop" (boundedInLoop eager oneOfThem)
        ]
    , testGroup "a value that another member has begun"
        ( testCase "lazy black-holing: may begin again, in the other member" (void (stagedLazy 300))
        : testCase "eager black-holing: does not" stagedEager
        : timing [ testCase "lazy black-holing: in some round it does" begunTwice ]
        )
    , testGroup "a member that waits for a value"
        [ testCase "leaves its Capability to Haskell threads" leavesCapability
        , testCase "so do more members than there are Capabilities" manyWait
        , testCase "is interrupted, and the value is not" waiterInterrupted
        , testCase "goes on with it when its thread is killed" ownerKilled
        ]
    ]

-- | Makes a value whose evaluation runs the action, and returns how it is evaluated.
type Kind = IO () -> Int -> IO (IO Int)

lazy, eager :: Kind
lazy act n = evaluate (Lazy.thunk act n) >>= \shared -> pure (Lazy.value shared)
eager act n = evaluate (Eager.thunk act n) >>= \shared -> pure (Eager.value shared)

-- | Values that count how often they are begun, and how often an evaluation goes past the scheduler.
counting :: Kind -> Int -> IO ([IO Int], MutableByteArray RealWorld, MutableByteArray RealWorld)
counting kind n = do
    begun <- counters n
    past <- counters n
    values <- forM [0 .. n - 1] $ \i -> kind (count begun i >> spin 100 >> yield >> count past i) i
    pure (values, begun, past)

-- | How many evaluations of a value go past the scheduler, of so many that have begun.
type Passing = Int -> Int -> Bool

onlyOne, oneOfThem :: Passing
onlyOne _ past = past == 1
oneOfThem begun past = past >= 1 && past <= begun

within :: Passing -> Int -> MutableByteArray RealWorld -> MutableByteArray RealWorld -> Int -> IO Property
within passing n begun past threads = do
    begins <- counts begun n
    passes <- counts past n
    pure $ counterexample ("begun " ++ show begins) (property (all (\k -> k >= 1 && k <= threads) begins))
        .&&. counterexample ("past the scheduler " ++ show passes) (property (and (zipWith passing begins passes)))
        .&&. classify (sum begins > n) "some were begun twice" (property True)

-- | All members evaluate all values, in the same order.
bounded :: Kind -> Passing -> Property
bounded kind passing = forAll (choose (2, 6)) $ \team -> ioProperty $ do
    let n = 200
    (values, begun, past) <- counting kind n
    sums <- parallel defaults { numThreads = Just team } (\m -> barrier m >> sum <$> sequence values)
    ok <- within passing n begun past team
    pure (sums === replicate team (sum [0 .. n - 1]) .&&. ok)

-- | Each value is needed by several elements of a loop.
boundedInLoop :: Kind -> Passing -> AnySchedule -> TeamOf -> Property
boundedInLoop kind passing sched team@(TeamOf most) = ioProperty $ do
    let n = 50
    (values, begun, past) <- counting kind n
    parEval (inSettings sched team) rseq [ unsafePerformIO v | _ <- [1 .. 5 :: Int], v <- values ]
    within passing n begun past most

-- --------------------------------------------------------------------------------------------------------------------

two :: Settings
two = defaults { numThreads = Just 2 }

waitsForValue :: ThreadId -> IO Bool
waitsForValue t = (== ThreadBlocked BlockedOnBlackHole) <$> threadStatus t

-- | The first member begins a value, and does not end it before the other member has begun it, too, or waits for it.
-- How often it was begun.
staged :: Kind -> IO Int
staged kind = do
    begun <- counters 1
    other <- newEmptyMVar
    let first = do
            t <- readMVar other
            let go = do
                    k <- readByteArray begun 0
                    waits <- waitsForValue t
                    unless (k > (1 :: Int) || waits) go
            count begun 0
            k <- readByteArray begun 0
            when (k == (1 :: Int)) go
    value <- kind first 7
    results <- parallel two $ \m -> do
        me <- threadNum m
        when (me == 1) (myThreadId >>= putMVar other)
        barrier m
        when (me == 1) $ do
            let go = readByteArray begun 0 >>= \k -> when (k == (0 :: Int)) (yield >> go)
            go
        value
    results @?= [7, 7]
    readByteArray begun 0

-- | Once or twice. Twice needs that both members run at the same time, or that the system gives one the other's CPU in
-- the middle of a time slice of GHC's: on a busy machine no round may have it. True: a round had it.
stagedLazy :: Int -> IO Bool
stagedLazy 0 = pure False
stagedLazy k = do
    n <- staged lazy
    assertBool (show n) (n `elem` [1, 2])
    if n == 2 then pure True else stagedLazy (k - 1)

begunTwice :: Assertion
begunTwice = stagedLazy 1000 >>=
    assertBool "a value was never evaluated twice: is this module compiled with -feager-blackholing?"

stagedEager :: Assertion
stagedEager = replicateM_ 100 (staged eager >>= (@?= 1))

-- | Members, and the Capability where each was when it began to wait; the value ends when the action does.
withWaiters :: Int -> ([(ThreadId, Int)] -> IO ()) -> Assertion
withWaiters team while = do
    changeCapabilities 2
    begun <- newEmptyMVar
    go <- newEmptyMVar
    waiting <- newEmptyMVar
    over <- newEmptyMVar
    value <- lazy (putMVar begun () >> takeMVar go) 7
    _ <- forkIO $ do
        them <- replicateM (team - 1) (takeMVar waiting)
        r <- try (while them)
        putMVar go ()
        putMVar over (r :: Either SomeException ())
    results <- parallel defaults { numThreads = Just team } $ \m -> do
        me <- threadNum m
        if me == 0 then value else do
            readMVar begun
            t <- myThreadId
            here <- capabilityNumber
            putMVar waiting (t, here)
            value
    takeMVar over >>= either throwIO pure
    results @?= replicate team 7

-- | The value ends only when a thread that stays on the Capability of the waiting member has run there.
leavesCapability :: Assertion
leavesCapability = withWaiters 2 (mapM_ ranBeside)

manyWait :: Assertion
manyWait = withWaiters 6 $ \them -> do
    mapM_ ranBeside them
    performMajorGC
    mapM_ ranBeside them

-- | A thread runs on this Capability while the member waits for the value.
ranBeside :: (ThreadId, Int) -> Assertion
ranBeside (member, capability) = do
    ran <- newEmptyMVar
    let look = do
            waits <- waitsForValue member
            here <- capabilityNumber
            if waits then putMVar ran here else yield >> look
    _ <- forkOn capability look
    takeMVar ran >>= (@?= capability)

-- | The exception for the region's caller reaches a member that waits; the thread that has the value goes on.
waiterInterrupted :: Assertion
waiterInterrupted = do
    begun <- newEmptyMVar
    go <- newEmptyMVar
    waiting <- newEmptyMVar
    ended <- newEmptyMVar
    value <- lazy (putMVar begun () >> takeMVar go) 7
    owner <- newEmptyMVar
    _ <- forkIO (value >>= putMVar owner)
    takeMVar begun
    caller <- forkIO $ do
        r <- try (parallel two (\_ -> myThreadId >>= putMVar waiting >> value))
        putMVar ended (either (\e -> show (e :: AsyncException)) show r)
    them <- replicateM 2 (takeMVar waiting)
    forM_ them $ \t -> let wait = waitsForValue t >>= \yes -> unless yes (yield >> wait) in wait
    killThread caller
    takeMVar ended >>= (@?= "thread killed")
    putMVar go ()
    takeMVar owner >>= (@?= 7)
    value >>= (@?= 7)

-- | The value was begun by a thread that is killed: a member that waits for it goes on from there.
ownerKilled :: Assertion
ownerKilled = do
    begun <- counters 1
    inside <- newEmptyMVar
    go <- newEmptyMVar
    waiting <- newEmptyMVar
    value <- lazy (count begun 0 >> tryPutMVar inside () >> takeMVar go) 7
    gone <- newEmptyMVar
    owner <- forkIO (void value `catch` (\e -> putMVar gone (e :: AsyncException)))
    takeMVar inside
    _ <- forkIO $ do
        them <- replicateM 2 (takeMVar waiting)
        forM_ them $ \t -> let wait = waitsForValue t >>= \yes -> unless yes (yield >> wait) in wait
        killThread owner
        takeMVar gone >>= \e -> when (e /= ThreadKilled) (throwIO e)
        putMVar go ()
    results <- parallel two (\_ -> myThreadId >>= putMVar waiting >> value)
    results @?= [7, 7]
    readByteArray begun 0 >>= (@?= (1 :: Int))
