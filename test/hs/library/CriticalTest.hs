{-# OPTIONS_GHC -O0 #-} -- what GHC optimises here makes no difference to what is tested
{-# LANGUAGE RankNTypes #-}
-- | Critical sections: waits that end early, and waits that would never end.
module CriticalTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import Data.List (isPrefixOf)
import Foreign.Ptr (FunPtr, freeHaskellFunPtr)
import System.IO.Unsafe (unsafePerformIO)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit

import OpenMP.Internal.Critical (haskellThread)
import OpenMP.Parallel
import OpenMP.Settings

-- Safe: C that calls back within #pragma omp critical, without a name or with one.
foreign import ccall safe "function_in_critical" inCriticalOfC :: FunPtr (IO ()) -> IO ()
foreign import ccall "wrapper" function :: IO () -> IO (FunPtr (IO ()))

tests :: TestTree
tests = testGroup "critical sections"
    [ testGroup "a thread that would wait for itself gets an error" $
        [ testCase ("critical in critical: " ++ name) (inside "critical" critical act) | (name, act) <- again critical ]
        ++
        [ testCase ("criticalIn in criticalIn: " ++ name) $ do
            section <- newCritical
            inside "criticalIn" (criticalIn section) (snd (again (criticalIn section) !! i))
        | (i, (name, _)) <- zip [0 ..] (again critical) ]
        ++
        [ testCase "critical called by C in a critical construct" calledByC
        , testCase "a member of an inner region of a member" innermost
        ]
    , testGroup "a barrier inside is an error"
        [ testCase name (barriers name act) | Whole name act <- wholeTeam ]
    , testCase "an inner region may have barriers" innerBarriers
    , testGroup "waits end by an exception while another thread is inside"
        [ testCase ("killThread of a thread, " ++ name) (sections_ >>= killed . (!! i)) | (i, name) <- kinds ]
    , testGroup "timeouts while another thread is inside" $ concat
        [ [ testCase ("of a thread, " ++ name) (timedOut i id)
          , testCase ("of a region, " ++ name) (timedOut i (\act -> parallel_ two (const act)))
          , testCase ("of a loop, " ++ name) (timedOut i (\act -> parallelFor dynamic1 0 100 (const act)))
          , testCase ("of tasks, " ++ name) (timedOut i (\act -> parallelTasks two (\t -> task t act >> task t act)))
          ] | (i, name) <- kinds ]
    , testGroup "a wait that another thread goes on with, in a lazy value, is that thread's"
        [ testCase "the first one is not inside" notInside
        , testCase "the other one would wait for itself" otherInside
        ]
    , testCase "a section is whole after waits that ended early" storm
    , testCase "threads have numbers of their own" numbers
    ]

two, dynamic1 :: Settings
two = defaults { numThreads = Just 2, maxActiveLevels = Just 4 }
dynamic1 = two { schedule = Just (Dynamic 1) }

kinds :: [(Int, String)]
kinds = [(0, "unnamed"), (1, "of its own")]

-- | Evaluates the value while another thread is in the section, until an exception ends the wait; then returns, and the
-- section is free.
interruptedIn :: Critical -> a -> IO ()
interruptedIn section value = do
    held <- newEmptyMVar
    release <- newEmptyMVar
    left <- newEmptyMVar
    _ <- forkIO (criticalIn section (putMVar held () >> takeMVar release) >> putMVar left ())
    takeMVar held
    timeout 50000 (evaluate value) >>= maybe (pure ()) (const (assertFailure "the wait did not end"))
    putMVar release ()
    takeMVar left

notInside :: Assertion
notInside = do
    section <- newCritical
    inside' <- newEmptyMVar
    release <- newEmptyMVar
    done <- newEmptyMVar
    let value = unsafePerformIO (criticalIn section (putMVar inside' () >> 'x' <$ takeMVar release))
    interruptedIn section value
    _ <- forkIO (evaluate value >>= putMVar done)
    takeMVar inside'
    _ <- forkIO (threadDelay 20000 >> putMVar release ())
    criticalIn section (pure ()) -- waits
    takeMVar done >>= (@?= 'x')

otherInside :: Assertion
otherInside = do
    section <- newCritical
    done <- newEmptyMVar
    let value = unsafePerformIO (criticalIn section (criticalIn section (pure 'x')))
    interruptedIn section value
    _ <- forkIO (try (evaluate value) >>= putMVar done)
    r <- takeMVar done
    case r of
        Left (ErrorCall text) -> assertBool text ("OpenMP.Parallel.criticalIn: " `isPrefixOf` text)
        Right _               -> assertFailure "no error"

sections_ :: IO [IO () -> IO ()]
sections_ = do
    section <- newCritical
    pure [critical, criticalIn section]

-- | Where a section may be entered that the caller is in already.
again :: (IO () -> IO ()) -> [(String, IO ())]
again section =
    [ ("at once", enter)
    , ("by members of a region", parallel_ two (const enter))
    , ("by bodies of a loop", parallelFor dynamic1 0 100 (const enter))
    , ("by a task", parallelTasks two (\t -> task t enter))
    ]
  where
    enter = section (pure ())

inside :: String -> (IO () -> IO ()) -> IO () -> Assertion
inside name section act = do
    try (section act) >>= clear (name ++ ": the calling thread would wait for itself")
    free section

clear :: String -> Either ErrorCall () -> Assertion
clear begin r = case r of
    Left (ErrorCall text) -> assertBool text (("OpenMP.Parallel." ++ begin) `isPrefixOf` text)
    Right ()              -> assertFailure "no error"

-- | Another thread can enter the section.
free :: (IO () -> IO ()) -> Assertion
free section = do
    done <- newEmptyMVar
    _ <- forkIO (section (putMVar done ()))
    takeMVar done

calledByC :: Assertion
calledByC = do
    result <- newEmptyMVar
    bracket (function (try (critical (pure ())) >>= putMVar result)) freeHaskellFunPtr inCriticalOfC
    takeMVar result >>= clear "critical: the calling thread would wait for itself"
    free critical

innermost :: Assertion
innermost = do
    section <- newCritical
    r <- try $ parallel_ two $ \team -> masked team $
        criticalIn section (parallel_ two (\_ -> parallel_ two (\_ -> criticalIn section (pure ()))))
    clear "criticalIn: the calling thread would wait for itself" r
    free (criticalIn section)

data Whole = Whole String (forall s. Team s -> IO ())

wholeTeam :: [Whole]
wholeTeam =
    [ Whole "barrier" barrier
    , Whole "for" (\t -> for t Static 0 9 (const (pure ())))
    , Whole "sections" (\t -> sections t [pure ()])
    , Whole "single" (\t -> single t (pure ()))
    , Whole "reduce" (\t -> void (reduce t "a"))
    ]

barriers :: String -> (forall s. Team s -> IO ()) -> Assertion
barriers name act = do
    try (parallel_ two (critical . act)) >>= clear (name ++ ": a barrier in a critical section")
    section <- newCritical
    try (parallel_ two (criticalIn section . act)) >>= clear (name ++ ": a barrier in a critical section")
    parallel_ two barrier
    free critical

innerBarriers :: Assertion
innerBarriers = do
    sums <- R.newIORef (0 :: Int)
    parallel_ two $ \outer -> do
        critical $ parallel_ two $ \team -> do
            barrier team
            single team (R.modifyIORef' sums (+ 1))
        barrier outer
    R.readIORef sums >>= (@?= 2)

-- | Runs an action while another thread is in the section.
whileHeld :: (IO () -> IO ()) -> IO a -> IO a
whileHeld section act = do
    leave <- newEmptyMVar
    begun <- newEmptyMVar
    left <- newEmptyMVar
    _ <- forkIO (section (putMVar begun () >> takeMVar leave) >> putMVar left ())
    takeMVar begun
    r <- act
    putMVar leave ()
    takeMVar left
    r <$ free section

killed :: (IO () -> IO ()) -> Assertion
killed section = do
    ran <- R.newIORef False
    r <- whileHeld section $ do
        begun <- newEmptyMVar
        ended <- newEmptyMVar
        thread <- forkIO $ do
            r <- try (putMVar begun () >> section (R.writeIORef ran True))
            putMVar ended r
        takeMVar begun
        killThread thread
        takeMVar ended
    r @?= Left ThreadKilled
    R.readIORef ran >>= (@?= False)

timedOut :: Int -> (IO () -> IO ()) -> Assertion
timedOut kind region = do
    section <- (!! kind) <$> sections_
    ran <- R.newIORef False
    r <- whileHeld section (timeout 100000 (region (section (R.writeIORef ran True))))
    r @?= Nothing
    R.readIORef ran >>= (@?= False)

-- | Threads enter two sections, and most waits end early.
storm :: Assertion
storm = do
    both <- sections_
    totals <- mapM (const (R.newIORef (0 :: Int))) both
    finished <- forM [1 .. 6 :: Int] $ \me -> do
        done <- newEmptyMVar
        _ <- forkFinally (forM [1 .. 60] (turn (zip both totals) me)) (putMVar done)
        pure done
    entries <- forM finished (takeMVar >=> either throwIO pure)
    sum <$> mapM R.readIORef totals >>= (@?= sum (concat entries))
    mapM_ free both
  where
    turn pairs me k = do
        let (section, total) = pairs !! ((me + k) `mod` 2)
            act = R.readIORef total >>= \n -> yield >> threadDelay (k * 40) >> pure n
        entered <- R.newIORef 0
        _ <- timeout (100 * k) $ section $ act >>= \n -> mask_ (R.writeIORef total (n + 1) >> R.writeIORef entered 1)
        R.readIORef entered

numbers :: Assertion
numbers = do
    mine <- haskellThread
    others <- replicateM 20 $ do
        box <- newEmptyMVar
        _ <- forkIO ((,) <$> haskellThread <*> (yield >> haskellThread) >>= putMVar box)
        takeMVar box
    haskellThread >>= (@?= mine)
    assertBool "a thread has one number" (all (uncurry (==)) others)
    assertBool "no two threads have the same" (distinct (mine : map fst others))
  where
    distinct l = and [ x /= y | (i, x) <- zip [0 :: Int ..] l, (j, y) <- zip [0 ..] l, i < j ]
