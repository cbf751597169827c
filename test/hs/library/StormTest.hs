{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
-- | Threads that run the library's constructs (StormConstructs, StormValues) are hit by exceptions of other threads, at
-- random moments. Each exception is received once, by the thread that it was thrown to, or not at all if that thread
-- had ended; results are right; no region hangs; and no thread is left.
--
-- A target is masked and unmasks inside of a `try`, in which it runs one construct. So each exception ends one `try`,
-- if the library neither drops nor doubles it, and a second one waits for the next `try`. In the second test the
-- threads that throw are themselves interrupted while they wait: then an exception may be withdrawn, and a region that
-- cannot go on ends by RegionInterrupted.
--
-- GHCOMP_DEEP=1 throws 100,000 exceptions. SEED is another beginning of the random numbers.
--
-- GHC's RTS crashes now and then under such a storm, also when the targets run plain Haskell code and nothing of this
-- library (test/hs/storm, docs/reference/ghc-versions.md), on 9.0 most often. There these tests exist only when SEED is
-- set.
module StormTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import Data.Maybe (fromMaybe, isJust)
import Data.Primitive.ByteArray
import Foreign.C.Types (CInt (..))
import GHC.Clock (getMonotonicTime)
import GHC.Exts (RealWorld)
import System.Environment (lookupEnv)
import System.IO.Unsafe (unsafePerformIO)
import System.Mem (performMajorGC)
import Test.Tasty
import Test.Tasty.HUnit

import OpenMP.Internal.Region (RegionInterrupted (..))

import Capabilities (mayFall) -- GHC 9.4 or newer
import Gate (until_)
import Generators
import Timing (whenTiming)
import StormConstructs
import StormValues
import StormWorld

-- Unsafe calls: they read words; nothing may be collected meanwhile.
foreign import ccall unsafe "census_haskell_threads" c_haskellThreads :: IO CInt
foreign import ccall unsafe "census_most_os_threads" c_mostOsThreads :: IO CInt
foreign import ccall unsafe "census_workers" c_workers :: IO CInt

tests :: TestTree
tests = localOption NoTimeout $ testGroup "storm" -- a timeout of tasty's is a thread of its own
    [ testCaseInfo name (storm p)
    | mayFall || isJust seedAsked
    , (name, p) <-
        [ ("exceptions for every construct", Plan { many = 2500, manyDeep = 100000, withdrawn = False })
        , ("exceptions that are withdrawn", Plan { many = 1000, manyDeep = 20000, withdrawn = True })
        ]
    ]

seedAsked :: Maybe Int
seedAsked = unsafePerformIO (fmap read <$> lookupEnv "SEED")
{-# NOINLINE seedAsked #-}

data Plan = Plan
    { many      :: Int
    , manyDeep  :: Int
    , withdrawn :: Bool
    }

-- | The exceptions, with the number of their target and their own. The second kind is an asynchronous one for handlers
-- that ask, too.
data Bolt = Bolt !Int !Int
    deriving (Show)

instance Exception Bolt

newtype AsyncBolt = AsyncBolt Bolt
    deriving (Show)

instance Exception AsyncBolt where
    toException = asyncExceptionToException
    fromException = asyncExceptionFromException

boltOf :: SomeException -> Maybe Bolt
boltOf e = case fromException e of
    Just (AsyncBolt b) -> Just b
    Nothing            -> fromException e

-- | Interrupts a thread that throws.
data Withdraw = Withdraw
    deriving (Show)

instance Exception Withdraw

data Target = Target
    { targetNumber :: !Int
    , targetThread :: !ThreadId
    , targetEnded  :: !(R.IORef Bool) -- ^ it is in its last steps, and receives nothing any more
    }

-- | What became of a throw.
data Fate = Unthrown | Returned | ReturnedAfterEnd | Interrupted
    deriving (Eq, Show, Enum)

data Storm = Storm
    { plan     :: Plan
    , world    :: World
    , list     :: [Construct]
    , received :: Counters              -- ^ for each exception
    , fates    :: Counters              -- ^ for each exception, a 'Fate'
    , complete :: Counters              -- ^ for each construct
    , ended    :: Counters              -- ^ for each construct: runs that an exception ended
    , cutOff   :: Counters              -- ^ for each construct: runs that ended by RegionInterrupted
    , targets  :: [R.IORef Target]
    , doing    :: [R.IORef String]      -- ^ for each place of a target
    , next     :: R.IORef Int           -- ^ the number of the next target
    , over     :: R.IORef Bool
    , hits     :: R.IORef [(Int, String)] -- ^ what its target was running, when each exception was thrown
    }

type Counters = MutableByteArray RealWorld

-- | Places of targets, and of threads that throw. A target at an odd place lasts for some constructs, then another one
-- takes its place.
places, throwers :: Int
places = 6
throwers = 3

newStorm :: Plan -> World -> Int -> [Construct] -> IO Storm
newStorm p w n all_ = Storm p w all_ <$> counters n <*> counters n
    <*> counters (length all_) <*> counters (length all_) <*> counters (length all_)
    <*> replicateM places (R.newIORef (error "no target yet")) <*> replicateM places (R.newIORef "nothing")
    <*> R.newIORef 0 <*> R.newIORef False <*> R.newIORef []

storm :: Plan -> IO String
storm p = do
    deep <- maybe False (`notElem` ["", "0"]) <$> lookupEnv "GHCOMP_DEEP"
    let seed = fromMaybe 1 seedAsked
    before <- c_haskellThreads
    began <- getMonotonicTime
    dice <- newDice seed
    w <- newWorld (not (withdrawn p))
    shelf <- newShelf w dice
    let n = if deep then manyDeep p else many p
    s <- newStorm p w n (fromShelf shelf : constructs)
    gone <- replicateM places newEmptyMVar
    sequence_ [ newTarget s place done seed | (place, done) <- zip [0 ..] gone ]
    thrown <- forM [0 .. throwers - 1] (\t -> thrower s (seed * 1000 + t) [t, t + throwers .. n - 1])
    waitFor s n (map fst thrown)
    R.writeIORef (over s) True
    waitFor s n gone
    mapM_ snd thrown
    finishShelf w shelf
    settle s before
    judge s deep n
    ended_ <- getMonotonicTime
    summary s n (ended_ - began)

-- --------------------------------------------------------------------------------------------------------------------
-- Threads that are hit

-- | Starts the next target at a place. The last one there fills the variable.
newTarget :: Storm -> Int -> MVar () -> Int -> IO ()
newTarget s place done seed = do
    number <- R.atomicModifyIORef' (next s) (\n -> (n + 1, n))
    dice <- newDice (seed * 1000003 + number * 7919)
    life <- if odd place then roll dice 40 else pure maxBound
    bound <- roll dice 3
    end <- R.newIORef False
    let fork = if bound == 0 then forkOSWithUnmask else forkIOWithUnmask
    there <- newEmptyMVar
    -- A target that ends starts its successor, and exceptions are still thrown to it.
    uninterruptibleMask_ $ void $ fork $ \unmask -> do
        thread <- myThreadId
        R.writeIORef (targets s !! place) (Target number thread end)
        putMVar there ()
        live s place number dice unmask life
        drain s unmask
        stop <- R.readIORef (over s)
        R.writeIORef end True
        if stop then putMVar done () else newTarget s place done seed
    uninterruptibleMask_ (takeMVar there)

-- | Receives what is pending, or on its way from another Capability (withSettings throws again what it got too late).
drain :: Storm -> (IO () -> IO ()) -> IO ()
drain s unmask = try (unmask yield) >>= either (\(e :: SomeException) -> got e >> drain s unmask) pure
  where
    got e = case boltOf e of
        Just (Bolt _ i) -> count (received s) i
        Nothing         -> wrong (world s) ("a target that ends got " ++ show e)

-- | Runs constructs, each in a `try`.
live :: Storm -> Int -> Int -> Dice -> (IO () -> IO ()) -> Int -> IO ()
live s place number dice unmask = go
  where
    go life = do
        stop <- R.readIORef (over s)
        unless (stop || life == 0) (once >> go (life - 1))
    once = do
        k <- roll dice (length (list s))
        let construct = list s !! k
        R.writeIORef (doing s !! place) (constructName construct)
        r <- try (unmask (constructRun construct (world s) dice))
        R.writeIORef (doing s !! place) "nothing"
        case r of
            Right () -> count (complete s) k
            Left e
                | Just (Bolt target i) <- boltOf e -> do
                    count (ended s) k
                    count (received s) i
                    unless (target == number) $
                        complain construct ("exception " ++ show i ++ " for target " ++ show target)
                | Just RegionInterrupted <- fromException e, withdrawn (plan s), constructExact construct ->
                    count (cutOff s) k
                | otherwise -> complain construct (show e)
    complain construct what =
        wrong (world s) (constructName construct ++ ": target " ++ show number ++ " got " ++ what)

-- --------------------------------------------------------------------------------------------------------------------
-- Threads that throw

-- | Starts a thread that throws these exceptions. The variable is filled when it is done, and the action waits for the
-- thread that interrupts it, if there is one.
thrower :: Storm -> Int -> [Int] -> IO (MVar (), IO ())
thrower s seed numbers = do
    dice <- newDice seed
    done <- newEmptyMVar
    stop <- R.newIORef False
    thread <- mask_ $ forkIO $ do
        forM_ numbers $ \i -> do
            place <- roll dice places
            target <- R.readIORef (targets s !! place)
            kind <- roll dice 2
            at <- R.readIORef (doing s !! place)
            let bolt = Bolt (targetNumber target) i
                throw_ = if kind == 0 then throwTo (targetThread target) bolt
                         else throwTo (targetThread target) (AsyncBolt bolt)
            r <- try throw_
            fate <- case r of
                Left Withdraw -> pure Interrupted
                Right ()      -> (\e -> if e then ReturnedAfterEnd else Returned) <$> R.readIORef (targetEnded target)
            writeByteArray (fates s) i (fromEnum fate)
            R.atomicModifyIORef' (hits s) (\l -> ((i, at) : l, ()))
            _ <- try (pause dice 2000) :: IO (Either Withdraw ())
            pure ()
        R.writeIORef stop True
        putMVar done ()
    if withdrawn (plan s) then (,) done <$> interrupter thread stop (seed + 500) else pure (done, pure ())

-- | Starts a thread that interrupts one that throws, until that is done. Returns an action that waits for its end.
interrupter :: ThreadId -> R.IORef Bool -> Int -> IO (IO ())
interrupter thread stop seed = do
    dice <- newDice seed
    done <- newEmptyMVar
    let go = do
            pause dice 4000
            enough <- R.readIORef stop
            unless enough (throwTo thread Withdraw >> go)
    _ <- forkIO (go >> putMVar done ())
    pure (takeMVar done)

-- | None, a short one, or one of up to that many microseconds.
pause :: Dice -> Int -> IO ()
pause dice longest = do
    kind <- roll dice 4
    n <- roll dice longest
    case kind of
        0 -> pure ()
        1 -> yield
        2 -> spin (10 * n)
        _ -> threadDelay n

-- --------------------------------------------------------------------------------------------------------------------
-- What has to hold

-- | Waits until the variables are filled. A minute in which nothing happens is a failure.
waitFor :: Storm -> Int -> [MVar ()] -> IO ()
waitFor s n dones = getMonotonicTime >>= go (-1) dones
  where
    go _ [] _ = pure ()
    go seen (done : rest) since = do
        filled <- tryReadMVar done
        steps <- (+) <$> (sum <$> counts (received s) n) <*> (sum <$> counts (complete s) (length (list s)))
        now <- getMonotonicTime
        case filled of
            Just () -> go seen rest now
            Nothing
                | steps /= seen    -> threadDelay 50000 >> go steps (done : rest) now
                | now - since > 60 -> do
                    at <- mapM R.readIORef (doing s)
                    assertFailure ("nothing happens; the targets run: " ++ show at)
                | otherwise        -> threadDelay 50000 >> go seen (done : rest) since

-- | No Haskell thread is left, and no operating system thread beyond the pool's and GHC's spare ones.
settle :: Storm -> CInt -> IO ()
settle s before = do
    heldNow (world s) >>= (@?= 0)
    until_ "the end of the Haskell threads" $ do
        performMajorGC
        (<= before) <$> c_haskellThreads
    most <- c_mostOsThreads
    workers <- c_workers
    whenTiming $
        until_ ("the end of operating system threads but " ++ show most) ((<= fromIntegral most) <$> osThreads)
    -- Each target has a team of four at most, with teams of four in it; other tests' workers count, too.
    assertBool (show workers ++ " workers") (workers < 200)

-- | OS threads of this process.
osThreads :: IO Int
osThreads = do
    status <- readFile "/proc/self/status"
    evaluate (sum [ read k | l <- lines status, ["Threads:", k] <- [words l] ])

judge :: Storm -> Bool -> Int -> Assertion
judge s deep n = do
    bad <- complaints (world s)
    unless (null bad) (assertFailure (unlines bad))
    forM_ [0 .. n - 1] $ \i -> do
        fate <- toEnum <$> readByteArray (fates s) i
        times <- readByteArray (received s) i :: IO Int
        let fine = case fate of
                Unthrown         -> False
                Returned         -> times == 1
                ReturnedAfterEnd -> times <= 1
                Interrupted      -> times <= 1
        unless fine $ do
            at <- lookup i <$> R.readIORef (hits s)
            assertFailure $ "exception " ++ show i ++ " at " ++ show at ++ ": " ++ show fate ++ ", received "
                ++ show times ++ " times"
    when deep $ forM_ (zip [0 ..] (list s)) $ \(k, construct) -> do
        whole <- readByteArray (complete s) k :: IO Int
        cut <- readByteArray (ended s) k :: IO Int
        assertBool (constructName construct ++ ": complete " ++ show whole ++ ", ended by an exception " ++ show cut)
            (whole > 0 && cut > 0)

summary :: Storm -> Int -> Double -> IO String
summary s n seconds = do
    perConstruct <- forM (zip [0 ..] (list s)) $ \(k, construct) -> do
        whole <- readByteArray (complete s) k :: IO Int
        cut <- readByteArray (ended s) k :: IO Int
        off <- readByteArray (cutOff s) k :: IO Int
        pure $ constructName construct ++ " " ++ show whole ++ "/" ++ show cut
            ++ (if off > 0 then "/" ++ show off else "")
    fatesOf <- map toEnum <$> counts (fates s) n
    times <- sum <$> counts (received s) n
    targetsInAll <- R.readIORef (next s)
    let number f = length (filter (== f) fatesOf)
    pure $ unlines $
        ( show n ++ " throws in " ++ show (round seconds :: Int) ++ " s at " ++ show targetsInAll ++ " targets: "
        ++ show times ++ " received, " ++ show (number Interrupted) ++ " interrupted, "
        ++ show (number ReturnedAfterEnd) ++ " at a target that had ended" )
        : "runs complete/ended by an exception/by RegionInterrupted:" : perConstruct
