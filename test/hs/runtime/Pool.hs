-- | Tasks with @threadset(omp_pool)@ of Haskell threads: free agents run them (OpenMP 6.0, section 14.8). The C side is
-- pool.c. The main thread is bound, so all its calls are of one OpenMP thread.
--
-- Where agents are reserved, one comes for a task whatever Haskell does with the CPUs meanwhile.
module Pool (poolCases, Ending (..), poolEndings) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import qualified Data.List as List
import Foreign.C.Types (CInt (..), CIntPtr (..), CLong (..))
import Foreign.Ptr
import System.Exit (ExitCode (..), exitWith)
import System.Mem (performGC)

import Check
import OpenMP
import OpenMP.Callback

data Found

-- Safe: the task may run at once, or other tasks, and call back.
foreign import ccall safe "pool_look" poolLook :: Ptr Found -> FunPtr (CInt -> IO ()) -> IO ()
foreign import ccall safe "pool_call" poolCall
    :: CInt -> CInt -> CInt -> CInt -> FunPtr (CInt -> IO ()) -> CInt -> IO ()
foreign import ccall safe "pool_object" poolObject :: Ptr CCallback -> CIntPtr -> IO ()
foreign import ccall safe "pool_group" poolGroup :: IO ()
foreign import ccall safe "pool_group_end" poolGroupEnd :: IO ()
foreign import ccall safe "pool_taskwait" poolTaskwait :: IO ()
foreign import ccall safe "pool_taskyield" poolTaskyield :: IO ()
foreign import ccall safe "pool_cancel" poolCancel :: IO CInt
foreign import ccall safe "pool_hold" poolHold :: IO ()
foreign import ccall safe "region_size" regionSize :: CInt -> IO CInt
-- Safe: it waits.
foreign import ccall safe "pool_rest" poolRest :: IO ()

-- Unsafe: loads, stores and queries.
foreign import ccall unsafe "pool_found_new" foundNew :: IO (Ptr Found)
foreign import ccall unsafe "pool_found_free" foundFree :: Ptr Found -> IO ()
foreign import ccall unsafe "pool_found_done" foundDone :: Ptr Found -> IO CInt
foreign import ccall unsafe "pool_found_word" foundWord :: Ptr Found -> CInt -> IO CInt
foreign import ccall unsafe "pool_thread" poolThread :: IO CLong
foreign import ccall unsafe "pool_open" poolOpen :: IO ()
foreign import ccall unsafe "pool_open_at_exit" poolOpenAtExit :: IO ()
foreign import ccall unsafe "pool_begun" poolBegun :: IO CInt
foreign import ccall unsafe "pool_ended" poolEnded :: IO CInt
foreign import ccall unsafe "pool_objects" poolObjects :: IO CInt
foreign import ccall unsafe "pool_running" poolRunning :: IO CInt
foreign import ccall unsafe "pool_most_agents" poolMostAgents :: IO CInt
foreign import ccall unsafe "pool_distinct_holders" poolDistinctHolders :: IO CInt
foreign import ccall unsafe "omp_is_free_agent" isFreeAgent :: IO CInt
foreign import ccall unsafe "ghcomp_workers_created" workersCreated :: IO CInt

foreign import ccall "wrapper" wrap :: (CInt -> IO ()) -> IO (FunPtr (CInt -> IO ()))

-- | What the task that looks has found: whether an agent runs it, its thread's number, the size of its team, the level,
-- the size of the team there, whether an agent is its thread there, and whether the thread is not the maker's.
words7 :: Ptr Found -> IO [CInt]
words7 found = mapM (foundWord found) [0 .. 6]

-- | On an agent, outside of regions: 23.1.4, 23.1.5, 21.3 (@omp_unassigned_thread@ is -2), and the team is that of the
-- maker, of one thread (14.8).
onAgent :: [CInt]
onAgent = [1, -2, 1, 0, 1, 1, 1]

-- | A task with the clause whose code is the function, with no other clause.
poolTask :: FunPtr (CInt -> IO ()) -> CInt -> IO ()
poolTask = poolCall 1 0 0 0

-- | Waits for C's flag, and lets other Haskell threads run.
reaches :: IO CInt -> CInt -> IO ()
reaches look least = until_ ((>= least) <$> look)

agents2, most3 :: (String, String)
agents2 = ("OMP_THREADS_RESERVE", "free_agent(2)")
-- | No more than two agents, on a larger machine, too.
most3 = ("OMP_THREAD_LIMIT", "3")

-- | As many Haskell threads as Capabilities compute until the action has ended.
besideHaskell :: IO a -> IO a
besideHaskell act = do
    n <- getNumCapabilities
    stop <- R.newIORef False
    let go :: Integer -> IO ()
        go k = do
            _ <- evaluate (List.foldl' (+) k [1 .. 1000])
            over <- R.readIORef stop
            unless over (yield >> go (k + 1))
    ends <- forM [0 .. n - 1] $ \on -> do
        end <- newEmptyMVar
        end <$ forkOn on (go 0 >> putMVar end ())
    (act `finally` R.writeIORef stop True) <* mapM_ takeMVar ends

-- | Each ends when its tasks have: GHC says so when main's end interrupts a callback that is about to return.
poolCases :: [(String, [(String, String)], IO ())]
poolCases = map (\(name, vars, act) -> (name, vars, act >> until_ ((== 0) <$> poolRunning)))
    [ ("pool tasks run while their Haskell threads wait for C's flag", [agents2], makersWait 25 flag)
    , ("pool tasks run while their Haskell threads wait for an MVar", [agents2], makersWait 25 mvar)
    , ("the same on POSIX threads", [agents2, ("GHCOMP_HOST", "posix")], makersWait 25 mvar)
    , ("pool tasks run beside Haskell threads that use all CPUs", [agents2], besideHaskell (makersWait 5 flag))
    , ("pool tasks run beside them without a reservation", [], besideHaskell (makersWait 2 mvar))

    , ("pool tasks call back while the collector runs", [agents2], callbacksAndCollections)

    , ("dependences of pool tasks whose code is Haskell", [agents2], do -- 17.9
        order <- R.newIORef []
        over <- newEmptyMVar
        f <- wrap $ \i -> do
            agent <- isFreeAgent
            R.modifyIORef' order ((i, agent) :)
            when (i == 49) (putMVar over ())
        mapM_ (poolCall 1 0 0 1 f) [0 .. 49]
        takeMVar over
        R.readIORef order >>= equal "the chain, backwards" [ (i, 1) | i <- [49, 48 .. 0] ]
        poolTaskwait)

    , ("a taskgroup waits for pool tasks that agents make", [agents2], do -- 17.4
        child <- newEmptyMVar
        made <- newEmptyMVar
        ran <- R.newIORef (0 :: Int)
        g <- wrap $ \_ -> takeMVar child >> R.modifyIORef' ran (+ 1)
        f <- wrap $ \_ -> do
            agent <- isFreeAgent
            poolTask g 0
            putMVar made agent
        poolGroup
        poolTask f 0
        takeMVar made >>= equal "the maker of the inner task is an agent" 1
        R.readIORef ran >>= equal "inner tasks before the end of the group" 0
        _ <- forkIO (putMVar child ())
        poolGroupEnd
        R.readIORef ran >>= equal "inner tasks at the end of the group" 1
        poolTaskwait)

    , ("priorities of pool tasks", [agents2, most3, ("OMP_MAX_TASK_PRIORITY", "10")], do -- 14.9
        order <- R.newIORef []
        held 2
        f <- wrap (\i -> R.modifyIORef' order (i :))
        forM_ [(0, 1), (1, 4), (2, 9), (3, 2)] $ \(i, priority) -> poolCall 1 0 priority 0 f i
        R.readIORef order >>= equal "tasks while the agents are held" []
        replicateM_ 4 poolTaskyield
        R.readIORef order >>= equal "the order, backwards" [0, 3, 1, 2]
        poolOpen
        poolTaskwait)

    , ("a final pool task, and one in it", [agents2], do -- 14.7, 14.8: the inner clause is ignored
        found <- newEmptyMVar
        foundInside <- newEmptyMVar
        g <- wrap $ \_ -> (,,) <$> poolThread <*> inFinal <*> isFreeAgent >>= putMVar foundInside
        f <- wrap $ \_ -> do
            own <- poolThread
            final <- inFinal
            agent <- isFreeAgent
            poolTask g 0
            inner <- tryTakeMVar foundInside
            putMVar found ((own, final, agent), inner)
        poolCall 1 1 0 0 f 0
        (outer@(own, _, _), inner) <- takeMVar found
        equal "the final task: its thread, in_final, on an agent" (own, True, 1) outer
        equal "the inner task" (Just outer) inner
        poolTaskwait)

    , ("an agent cancels a taskgroup", [agents2, most3, ("OMP_CANCELLATION", "true")], do -- 18.2
        begun <- newEmptyMVar
        go <- newEmptyMVar
        cancelled <- newEmptyMVar
        ran <- R.newIORef (0 :: Int)
        poolGroup
        f <- wrap $ \_ -> do
            isFreeAgent >>= putMVar begun
            takeMVar go
            poolCancel >>= putMVar cancelled
        g <- wrap (\_ -> R.modifyIORef' ran (+ 1))
        poolTask f 0
        takeMVar begun >>= equal "the one that cancels is on an agent" 1
        poolHold
        reaches poolBegun 1
        mapM_ (poolTask g) [1 .. 20]
        putMVar go ()
        takeMVar cancelled >>= equal "cancel" 1
        poolOpen
        poolGroupEnd
        R.readIORef ran >>= equal "tasks that began in the cancelled group" 0
        poolTask g 21
        poolTaskwait
        R.readIORef ran >>= equal "tasks after it" 1)

    , ("free agents are reserved beside busy Capabilities", [agents2, ("OMP_THREAD_LIMIT", "4")], -- 4.3.10
        besideHaskell $ do
            agents <- (\n -> min 3 (max 2 (fromIntegral n - 1))) <$> getNumProcs
            replicateM_ 12 poolHold
            reaches poolBegun agents
            poolDistinctHolders >>= equal "threads" agents
            regionSize 8 >>= equal "the size of a region beside them" (4 - agents)
            ends 12
            poolMostAgents >>= equal "agents at the same time" agents)

    , ("OMP_THREAD_LIMIT counts agents", [agents2, ("OMP_THREAD_LIMIT", "2")], do
        replicateM_ 12 poolHold
        reaches poolBegun 1
        regionSize 8 >>= equal "the size of a region beside the agent" 1
        regionSize 8 >>= equal "the size of a second one" 1
        poolDistinctHolders >>= equal "threads" 1
        ends 12
        poolMostAgents >>= equal "agents at the same time" 1)

    , ("with a limit of one thread there is no agent", [agents2, ("OMP_THREAD_LIMIT", "1")], do
        found <- foundNew
        poolLook found nullFunPtr
        foundDone found >>= equal "it has run at once" 1
        words7 found >>= equal "what it finds" [0, 0, 1, 0, 1, 0, 0]
        foundFree found
        workersCreated >>= equal "workers" 0)

    , ("structured threads are reserved from agents",
        [("OMP_THREADS_RESERVE", "structured(3),free_agent(3)"), ("OMP_THREAD_LIMIT", "4")], do -- 4.3.10
        replicateM_ 12 poolHold
        reaches poolBegun 1
        regionSize 8 >>= equal "the size of a region, in which no thread is reserved for it" 1
        poolDistinctHolders >>= equal "threads" 1
        ends 12
        poolMostAgents >>= equal "agents at the same time" 1)

    , ("an exception in a callback of a pool task", [agents2], do
        counted <- R.newIORef (0 :: Int)
        r <- try $ withCallback (\i -> if i == 7 then throwIO (userError "seven") else count counted) $ \object -> do
            mapM_ (poolObject (callbackPtr object)) [0 .. 19]
            reaches poolObjects 20
        equal "what withCallback throws" (Just "user error (seven)")
            (either (Just . show) (const Nothing) (r :: Either IOError ()))
        n <- R.readIORef counted
        check ("callbacks that have counted: " ++ show n) (n < 20)
        makersWait 25 flag)

    , ("the maker of a pool task is killed", [agents2], do
        result <- newEmptyMVar
        go <- newEmptyMVar
        begun <- newEmptyMVar
        f <- wrap (\i -> putMVar begun () >> takeMVar go >> isFreeAgent >>= \agent -> putMVar result (i, agent))
        end <- newEmptyMVar
        maker <- mask_ $ forkIOWithUnmask $ \unmask -> do
            r <- try (unmask (poolTask f 5 >> newEmptyMVar >>= takeMVar))
            putMVar end (r :: Either AsyncException ())
        takeMVar begun
        killThread maker
        takeMVar end >>= equal "its end" (Left ThreadKilled)
        performGC
        putMVar go ()
        takeMVar result >>= equal "the task's result, and whether an agent ran it" (5, 1)
        makersWait 25 mvar)

    , ("a maker is killed in its taskwait", [agents2], do
        ended <- newEmptyMVar
        asked <- newEmptyMVar
        maker <- mask_ $ forkOSWithUnmask $ \unmask -> do
            r <- try $ unmask $ do
                poolHold
                reaches poolBegun 1
                putMVar asked ()
                poolTaskwait
            (,) (r :: Either AsyncException ()) <$> poolEnded >>= putMVar ended
        takeMVar asked
        killed <- newEmptyMVar
        _ <- forkIO (killThread maker >> putMVar killed ())
        poolOpen
        takeMVar killed
        (how, tasks) <- takeMVar ended
        check ("its end: " ++ show how) (how `elem` [Left ThreadKilled, Right ()])
        -- A call into C is not left before the task that it waits for has ended.
        when (how == Right ()) (equal "tasks that have ended" 1 tasks)
        reaches poolEnded 1
        makersWait 25 flag)
    ]
  where
    count counted = R.atomicModifyIORef' counted (\n -> (n + 1, ()))
    ends n = do
        poolOpen
        poolTaskwait
        poolEnded >>= equal "tasks that have ended" n

-- | So many agents are busy until 'poolOpen'.
held :: CInt -> IO ()
held n = forM_ [1 .. n] $ \k -> poolHold >> reaches poolBegun k

-- | Waits for the tasks, one or all: until C's flag is set, or for what the task calls.
type Wait = [Ptr Found] -> (FunPtr (CInt -> IO ()) -> IO ()) -> IO ()

flag, mvar :: Wait
flag founds makeAll = makeAll nullFunPtr >> forM_ founds (\found -> reaches (foundDone found) 1)
mvar founds makeAll = do
    dones <- newChan
    f <- wrap (writeChan dones)
    makeAll f
    agents <- replicateM (length founds) (readChan dones)
    equal "on agents, as the tasks say" (map (const 1) founds) agents

-- | Four Haskell threads make tasks and wait for them without a task scheduling point.
makersWait :: Int -> Wait -> IO ()
makersWait rounds wait = together $ replicate 4 $ replicateM_ rounds $ do
    founds <- replicateM 3 foundNew
    wait founds (\then' -> mapM_ (`poolLook` then') founds)
    forM_ founds $ \found -> do
        words7 found >>= equal "agent, number, threads, level, size, ancestor, other thread" onAgent
        foundFree found

-- | Tasks that call Haskell, which allocates, and a Haskell thread that collects without a pause.
callbacksAndCollections :: IO ()
callbacksAndCollections = do
    stop <- R.newIORef False
    collected <- R.newIORef (0 :: Int)
    let collect = do
            performGC
            R.modifyIORef' collected (+ 1)
            over <- R.readIORef stop
            unless over collect
    collector <- newEmptyMVar
    _ <- forkIO (collect >> putMVar collector ())
    together $ replicate 3 $ forM_ [1 .. 20] $ \round' -> do
        results <- newChan
        f <- wrap $ \i -> do
            agent <- isFreeAgent
            let squares = [ fromIntegral k * fromIntegral k | k <- [1 .. i] ] :: [Integer]
            value <- evaluate (sum squares * fromIntegral (length squares))
            writeChan results (i, agent, value)
        mapM_ (poolTask f) [100 .. 109]
        got <- replicateM 10 (readChan results)
        equal ("results of round " ++ show (round' :: Int)) [ (i, 1, expected i) | i <- [100 .. 109] ] (List.sort got)
    before <- R.readIORef collected
    until_ ((> before) <$> R.readIORef collected)
    R.writeIORef stop True
    takeMVar collector
  where
    expected i = let n = fromIntegral i :: Integer in n * (n + 1) * (2 * n + 1) `div` 6 * n

-- | A case that ends the process: what the program does, its exit status, and whether stderr is as it is to be.
data Ending = Ending
    { endingName :: String
    , endingVars :: [(String, String)]
    , endingExit :: ExitCode
    , endingSays :: String -> Bool
    , endingRun  :: IO ()
    }

-- | The main thread ends while tasks run and wait. Its end is the program's, which waits for no such task, as it waits
-- for no Haskell thread.
poolEndings :: [Ending]
poolEndings =
    [ quiet "main returns while pool tasks run and wait" ExitSuccess (held 2 >> replicateM_ 10 poolHold)
    , quiet "main exits while pool tasks run and wait" (ExitFailure 9) $
        held 2 >> replicateM_ 10 poolHold >> exitWith (ExitFailure 9)
    , (quiet "main throws while pool tasks run" (ExitFailure 1) (held 1 >> throwIO (userError "over")))
        { endingSays = List.isInfixOf "user error (over)" }
    , quiet "main returns while pool tasks of other Haskell threads run and wait" ExitSuccess $ do
        replicateM_ 3 (forkIO (replicateM_ 4 poolHold >> newEmptyMVar >>= takeMVar))
        reaches poolBegun 2
    , quiet "main returns while tasks that call Haskell wait" ExitSuccess $ do
        held 2
        f <- wrap (\_ -> pure ())
        mapM_ (poolTask f) [1 .. 10]
    , quiet "agents become free after main's return, beside tasks that call Haskell" ExitSuccess $ do
        poolOpenAtExit
        held 2
        f <- wrap (\_ -> pure ())
        mapM_ (poolTask f) [1 .. 10]
    , interrupted "main returns while a task is in Haskell" $ do
        begun <- newEmptyMVar
        f <- wrap (\_ -> putMVar begun () >> newEmptyMVar >>= takeMVar)
        poolTask f 0
        takeMVar begun
    , interrupted "main returns while a task is in a callback's call of C" $ do
        begun <- newEmptyMVar
        f <- wrap (\_ -> putMVar begun () >> poolRest)
        poolTask f 0
        takeMVar begun
    , quiet "main returns while a task is in a callback object" ExitSuccess $ do
        begun <- newEmptyMVar
        object <- newCallback (\_ -> putMVar begun () >> newEmptyMVar >>= takeMVar)
        poolObject (callbackPtr object) 0
        takeMVar begun
    -- A plain function pointer whose function throws ends the process, as GHC has it.
    , (quiet "a callback throws on an agent" (ExitFailure 1) $ do
        f <- wrap (\_ -> throwIO (userError "in the callback"))
        poolTask f 0
        poolRest)
        { endingSays = List.isInfixOf "in the callback" }
    ]
  where
    quiet name code run = Ending name [agents2, most3] code null run
    -- GHC says that it has interrupted a callback.
    interrupted name run = (quiet name ExitSuccess run) { endingSays = all ("interrupted" `List.isSuffixOf`) . lines }
