{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE RankNTypes #-}
-- Makes each chunk and each construct a safe point, also in bodies that do not allocate. Otherwise the collector and
-- messages for this Capability (an asynchronous exception for the caller, for example) would wait.
{-# OPTIONS_GHC -fno-omit-yields #-}
-- |
-- Module:      OpenMP.Internal.Task
-- Description: Explicit tasks with Haskell bodies
--
-- The mechanism below "OpenMP.Parallel"; @cbits\/haskell\/task.c@ is its C half. The interface is not stable.
module OpenMP.Internal.Task
    ( task
    , taskWith
    , TaskSettings (..)
    , taskDefaults
    , Depend (..)
    , Dep
    , newDep
    , depOf
    , taskwait
    , taskgroup
    , taskyield
    , Grain (..)
      -- * With the name of the function that errors are to name
    , tasksOf
    , taskOf
    , taskWithOf
    , taskloopChunksOf
      -- * For "OpenMP.Internal.Future"
    , runAtOnce
    , checkPlace
      -- * For "OpenMP.Internal.Replay"
    , offerOf
    ) where

import Control.Exception
import Control.Monad (when)
import qualified Data.IORef as R
import Foreign.C.Types (CBool (..), CInt (..))
import Foreign.Marshal.Array (withArrayLen)
import Foreign.Ptr (Ptr, minusPtr, nullPtr)
import System.IO.Unsafe (unsafePerformIO)

import OpenMP.Internal.Loop (rangeCount)
import OpenMP.Internal.Region
import OpenMP.Internal.Settings (Settings, checkRegionOf, reject)
import OpenMP.Internal.Slot (Slot, hold, takeOut)
import OpenMP.Internal.Team

-- | The data that a dependence is about: a name, compared by identity.
--
-- >>> a <- newDep
-- >>> b <- newDep
-- >>> (a == a, a == b)
-- (True,False)
--
-- @since 0.1.0.0
newtype Dep = Dep Int
    deriving (Eq, Ord)

-- | The dependence types: how a task uses the data that a t'Dep' names (OpenMP 5.2, section 15.9.5).
--
-- >>> import Data.IORef
-- >>> cell <- newIORef "made"
-- >>> dep <- newDep
-- >>> :{
-- parallelTasks defaults $ \team -> do
--     taskWith team taskDefaults { depends = [Out dep] } (writeIORef cell "filled")
--     taskWith team taskDefaults { depends = [In dep] } (readIORef cell >>= putStrLn)
-- :}
-- filled
--
-- @since 0.1.0.0
data Depend
    = In !Dep            -- ^ reads it: runs after the earlier tasks that write it
    | Out !Dep           -- ^ writes it: runs after all earlier tasks that name it
    | InOut !Dep         -- ^ reads and writes it: the same as 'Out'
    | MutexInOutSet !Dep -- ^ changes it in any order, but not together with others of its kind
    | InOutSet !Dep      -- ^ runs together with others of its kind, and with nothing else that names it
    deriving (Eq, Ord)

-- | The clauses of a task (OpenMP 5.2, section 12.5).
--
-- >>> parallelTasks defaults (\team -> taskWith team taskDefaults { deferred = False } (putStrLn "now"))
-- now
--
-- @since 0.1.0.0
data TaskSettings = TaskSettings
    { depends  :: [Depend] -- ^ orders the task among the tasks of the same parent
    , priority :: !Int     -- ^ tasks of higher priority are taken first; at most @OMP_MAX_TASK_PRIORITY@ counts
    , final    :: !Bool    -- ^ the tasks that it makes are included tasks: they run at once, in it
    , deferred :: !Bool    -- ^ 'False': the caller waits until the task is complete (an @if@ clause that is false)
    }
    deriving (Eq)

-- | A deferred task without dependences: what 'task' makes.
--
-- >>> priority taskDefaults
-- 0
--
-- @since 0.1.0.0
taskDefaults :: TaskSettings
taskDefaults = TaskSettings { depends = [], priority = 0, final = False, deferred = True }

-- | The next name that 'newDep' returns. No data has an address that is so low and odd.
names :: R.IORef Int
names = unsafePerformIO (R.newIORef 1)
{-# NOINLINE names #-}

-- | A new name, different from all others, for data that has no address.
--
-- >>> (/=) <$> newDep <*> newDep
-- True
--
-- @since 0.1.0.0
newDep :: IO Dep
newDep = R.atomicModifyIORef' names (\n -> (n + 2, Dep n))

-- | The name that C code uses in its @depend@ clauses: an address.
--
-- >>> import Foreign.Ptr
-- >>> depOf nullPtr == depOf (nullPtr `plusPtr` 8)
-- False
--
-- @since 0.1.0.0
depOf :: Ptr a -> Dep
depOf p = Dep (p `minusPtr` nullPtr)

-- | The body of a task: its exceptions cancel the region. It has the masking state of the region's bodies; around it
-- asynchronous exceptions are masked.
guarded :: Team s -> IO () -> IO ()
guarded team body = do
    on <- checkpoint (teamMember team)
    when on (unmasked (memberUnmask (teamMember team)) body `catch` keepException (teamMember team))

-- | @guarded@ for C: in whichever thread runs the task.
guardedIn :: Team s -> IO () -> Runner -> IO ()
guardedIn team body runner = case runner of
    InBody -> guarded team body
    Entry  -> asEntry (teamMember team) (guarded team body)

-- | Makes an explicit task: the action runs at some time before the end of the region, or of the next barrier,
-- 'taskwait' or 'taskgroup' that waits for it; on any thread of the team, or in the caller before this returns (OpenMP
-- 5.2, section 12.5). An exception in it cancels the region. Valid in the body of a region and in its tasks; elsewhere
-- an t'ErrorCall'.
--
-- >>> parallelTasks defaults (\team -> task team (putStrLn "done by a thread"))
-- done by a thread
--
-- @since 0.1.0.0
task :: Team s -> IO () -> IO ()
task = taskOf "Parallel.task"

-- | 'task' for a function of any module, @Module.function@, which an error names.
taskOf :: String -> Team s -> IO () -> IO ()
taskOf name team body = do
    here <- regionOf name team
    place <- c_place here
    case compare place 0 of
        LT -> misuse name
        GT -> runAtOnce team body
        EQ -> mask_ $ do
            slot <- hold (guardedIn team body)
            left <- c_defer here slot
            when (left /= nullPtr) (takeOut slot >> now left)
  where
    now started = guarded team body `finally` c_finish started

-- | Makes a task that need not run: 'False' if the caller's deque has no room for it, or there is no other thread to
-- run it. Its body has exceptions masked. For a function of any module, @Module.function@, which an error names.
offerOf :: String -> Team s -> IO () -> IO Bool
offerOf name team body = do
    here <- regionOf name team
    place <- c_place here
    case compare place 0 of
        LT -> misuse name
        GT -> pure False
        EQ -> mask_ $ do
            slot <- hold inTask
            left <- c_defer here slot
            when (left /= nullPtr) (takeOut slot >> c_finish left)
            pure (left == nullPtr)
  where
    member = teamMember team
    inTask runner = case runner of
        InBody -> masked
        Entry  -> asEntry member masked
    masked = do
        on <- checkpoint member
        when on (body `catch` keepException member)

-- | An t'ErrorCall' where the caller may not make tasks.
checkPlace :: String -> Team s -> IO ()
checkPlace name team = do
    place <- regionOf name team >>= c_place
    when (place < 0) (misuse name)

-- | Runs the action as a task that no other thread can take. The caller may make tasks.
runAtOnce :: Team s -> IO () -> IO ()
runAtOnce team body = mask_ $ do
    started <- c_begin (memberRegion (teamMember team))
    guarded team body `finally` c_finish started

-- | Makes a task with clauses. Valid where 'task' is.
--
-- >>> import Data.IORef
-- >>> log <- newIORef ""
-- >>> dep <- newDep
-- >>> let inOrder = taskDefaults { depends = [InOut dep] }
-- >>> parallelTasks defaults (\team -> mapM_ (\i -> taskWith team inOrder (modifyIORef log (i :))) "abc")
-- >>> readIORef log
-- "cba"
--
-- @since 0.1.0.0
taskWith :: Team s -> TaskSettings -> IO () -> IO ()
taskWith = taskWithOf "Parallel.taskWith"

-- | 'taskWith' for a function of any module, @Module.function@, which an error names.
taskWithOf :: String -> Team s -> TaskSettings -> IO () -> IO ()
taskWithOf name team settings body = do
    cancellationPointOf name team
    first <- if ordered then regionOf name team >>= c_first else pure 0
    case () of
        -- A task that runs here needs no entry.
        _ | first > 0                 -> runAtOnce team body
          | ordered || final settings -> taskByC name team settings body
          | deferred settings         -> taskOf name team body
          | otherwise                 -> checkPlace name team >> runAtOnce team body
  where
    ordered = not (final settings) && (not (null (depends settings)) || deferred settings && priority settings > 0)

-- | A task with clauses that only core implements. It may run it by an entry of its own.
taskByC :: String -> Team s -> TaskSettings -> IO () -> IO ()
taskByC name team settings body =
    mask_ $ withArrayLen (concatMap words2 (depends settings)) $ \n list -> do
        slot <- hold (guardedIn team body)
        r <- c_clauses (memberRegion (teamMember team)) slot list (fromIntegral (n `quot` 2))
                (fromIntegral (max 0 (min (priority settings) (fromIntegral (maxBound :: CInt)))))
                (flag (final settings)) (flag (deferred settings))
        when (r < 0) (takeOut slot >> misuse name)
  where
    flag b = if b then 1 else 0
    words2 d = case d of
        In (Dep a)            -> [a, 1]
        Out (Dep a)           -> [a, 2]
        InOut (Dep a)         -> [a, 3]
        MutexInOutSet (Dep a) -> [a, 4]
        InOutSet (Dep a)      -> [a, 5]

-- | Waits for the child tasks of the current task, those that it made itself; runs tasks meanwhile (OpenMP 5.2, section
-- 15.5). Valid where 'task' is.
--
-- >>> import Data.IORef
-- >>> r <- newIORef (0 :: Int)
-- >>> parallelTasks defaults (\team -> task team (writeIORef r 1) >> taskwait team >> readIORef r)
-- 1
--
-- @since 0.1.0.0
taskwait :: Team s -> IO ()
taskwait team = mask_ $ do
    here <- regionOf name team
    takeTasks team False
    over <- c_taskwait_over here
    when (over < 0) (misuse name)
    when (over == 0) $ withWait (c_taskwait here) team False >>= outcome name
    cancellationPointOf name team
  where
    name = "Parallel.taskwait"

-- | Runs the action and waits for all tasks that it made and for their descendants (OpenMP 5.2, section 15.4). Valid
-- where 'task' is.
--
-- >>> import Data.IORef
-- >>> r <- newIORef (0 :: Int)
-- >>> parallelTasks defaults (\team -> taskgroup team (task team (task team (writeIORef r 2))) >> readIORef r)
-- 2
--
-- @since 0.1.0.0
taskgroup :: Team s -> IO a -> IO a
taskgroup = taskgroupOf "Parallel.taskgroup"

taskgroupOf :: String -> Team s -> IO a -> IO a
taskgroupOf name team act = mask $ \restore -> do
    here <- regionOf name team
    member <- c_group_start here
    when (member == 0) (misuse name)
    r <- restore (inConstruct team act) `onException` end here
    end here
    restore (cancellationPointOf name team)
    pure r
  where
    end here = do
        takeTasks team False
        withWait (c_group_end here) team False >>= outcome name

-- | Lets the thread run a task that descends from the current one (OpenMP 5.2, section 12.7). Valid where 'task' is.
--
-- >>> parallelTasks defaults taskyield
--
-- @since 0.1.0.0
taskyield :: Team s -> IO ()
taskyield team = mask_ $ regionOf name team >>= c_yield >>= outcome name
  where
    name = "Parallel.taskyield"

-- | How 'OpenMP.Parallel.taskloop' divides its range (OpenMP 5.2, section 12.6). The numbers are at least 1.
--
-- >>> parallelTasks defaults (\team -> taskloop team (NumTasks 2) 0 0 print)
--
-- @since 0.1.0.0
data Grain
    = AutoGrain       -- ^ the runtime chooses: 8 tasks for each thread
    | Grainsize !Int  -- ^ so many indices in a task or more, but fewer than twice as many; all, if there are fewer
    | NumTasks !Int   -- ^ so many tasks, but none without an index
    deriving (Eq, Show)

-- | A region in which thread 0 runs the body while the others run the tasks that it makes; waits for all tasks. For a
-- function of any module, @Module.function@, which an error names.
tasksOf :: String -> Settings -> (forall s. Team s -> IO a) -> IO a
tasksOf name settings body = do
    checkRegionOf name settings
    result <- R.newIORef Nothing
    runTeam settings $ \team -> do
        n <- threadNum team
        when (n == 0) (inConstruct team (body team >>= R.writeIORef result . Just))
        barrier team
    R.readIORef result >>= maybe (throwIO (ErrorCall cancelled)) pure
  where
    cancelled = "OpenMP." ++ name ++ ": the region was cancelled before its body had a result"

-- | 'OpenMP.Parallel.taskloop' with a body for a task's indices @[begin, end)@, of which there is at least one. For
-- a function of any module, @Module.function@, which an error names.
taskloopChunksOf :: String -> Team s -> Grain -> Int -> Int -> (Int -> Int -> IO ()) -> IO ()
taskloopChunksOf name team grain from past body = do
    reject name [ show grain ++ ": the number is at least 1" | asked < 1 ]
    taskgroupOf name team (when (count > 0) (go 0 from))
  where
    count = fromIntegral (rangeCount from past) :: Word
    asked = case grain of
        AutoGrain   -> 8 * teamSize team
        Grainsize n -> n
        NumTasks n  -> n
    number = case grain of
        Grainsize n -> max 1 (count `quot` fromIntegral n)
        _           -> min count (fromIntegral asked)
    (each, longer) = count `quotRem` number
    go !i !begin = do
        let !end = begin + fromIntegral (if i < longer then each + 1 else each)
        taskOf name team (body begin end)
        when (i + 1 /= number) (go (i + 1) end)

-- Unsafe calls: they start, defer or complete a task or read counts, and never wait.
foreign import ccall unsafe "ghcomp_hs_task_place" c_place :: Ptr CRegion -> IO CInt
foreign import ccall unsafe "ghcomp_hs_task_begin" c_begin :: Ptr CRegion -> IO (Ptr CTask)
foreign import ccall unsafe "ghcomp_hs_task_defer" c_defer
    :: Ptr CRegion -> Slot -> IO (Ptr CTask)
foreign import ccall unsafe "ghcomp_hs_task_finish" c_finish :: Ptr CTask -> IO ()
foreign import ccall unsafe "ghcomp_hs_taskwait_over" c_taskwait_over :: Ptr CRegion -> IO CInt
foreign import ccall unsafe "ghcomp_hs_task_first" c_first :: Ptr CRegion -> IO CInt
foreign import ccall unsafe "ghcomp_hs_taskgroup_start" c_group_start :: Ptr CRegion -> IO CBool

-- Safe calls: they wait for other threads, or run tasks.
foreign import ccall safe "ghcomp_hs_task_clauses" c_clauses
    :: Ptr CRegion -> Slot -> Ptr Int -> CInt -> CInt -> CBool -> CBool -> IO CInt
foreign import ccall safe "ghcomp_hs_taskwait" c_taskwait :: Ptr CRegion -> Ptr () -> IO Outcome
foreign import ccall safe "ghcomp_hs_taskgroup_end" c_group_end :: Ptr CRegion -> Ptr () -> IO Outcome
foreign import ccall safe "ghcomp_hs_taskyield" c_yield :: Ptr CRegion -> IO Outcome
