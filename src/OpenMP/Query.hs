-- |
-- Module:      OpenMP.Query
-- Description: The queries of omp.h about the caller and the machine
--
-- These are valid in every Haskell thread, and none of them fails. The settings that they return are those of the
-- operating system thread that the caller is on at this moment. They stay the same inside of
-- 'OpenMP.Settings.withSettings' and in other bound threads ("OpenMP.Settings" lists them); otherwise they are those of
-- the environment, unless other code has changed them in that operating system thread.
--
-- The caller's place in a region is known in callbacks from C and in the bodies of "OpenMP.Parallel". Elsewhere the
-- caller is thread 0 of a team of one.
module OpenMP.Query
    ( -- * Settings in force
      getMaxThreads
    , getSchedule
    , getDynamic
    , getMaxActiveLevels
    , getSupportedActiveLevels
    , getThreadLimit
    , getCancellation
    , getMaxTaskPriority
    , WaitPolicy (..)
    , getWaitPolicy
      -- * Where the caller is
    , getThreadNum
    , getNumThreads
    , inParallel
    , getLevel
    , getActiveLevel
    , getAncestorThreadNum
    , getTeamSize
    , inExplicitTask
    , inFinal
      -- * The machine
    , getNumProcs
    , getProcBind
    , getNumPlaces
    , getPlaceProcs
    , getPlaceNum
    , getPartition
      -- * Time
    , getWtime
    , getWtick
    ) where

import Foreign.C.Types (CDouble (..), CInt (..))
import Foreign.Marshal.Array (allocaArray, peekArray, withArray)
import Foreign.Marshal.Utils (with)
import Foreign.Ptr (Ptr)
import Foreign.Storable (peek)

import OpenMP.Internal.Settings

-- | The number of threads that a region opened now would request, without a @num_threads@ clause (OpenMP 5.2, section
-- 18.2.3).
--
-- >>> withSettings defaults { numThreads = Just 5 } getMaxThreads
-- 5
--
-- @since 0.1.0.0
getMaxThreads :: IO Int
getMaxThreads = fromIntegral <$> c_get_max_threads

-- | The schedule of loops with @schedule(runtime)@ (OpenMP 5.2, section 18.2.12). One from the environment can have a
-- modifier, @monotonic@ or @nonmonotonic@, which is left out.
--
-- >>> withSettings defaults { schedule = Just Static } getSchedule
-- Static
--
-- @since 0.1.0.0
getSchedule :: IO Schedule
getSchedule = with 0 $ \kind -> with 0 $ \chunk -> do
    c_get_schedule kind chunk
    scheduleFromC <$> peek kind <*> peek chunk

-- | Whether a region may get fewer threads than it requests, by dynamic adjustment (OpenMP 5.2, section 18.2.7): only
-- as many as there are CPUs that Haskell leaves idle.
--
-- >>> withSettings defaults { dynamic = Just True } getDynamic
-- True
--
-- @since 0.1.0.0
getDynamic :: IO Bool
getDynamic = boolFromC <$> c_get_dynamic

-- | How many nested regions may be active, that is, have more than one thread (OpenMP 5.2, section 18.2.16).
--
-- >>> withSettings defaults { maxActiveLevels = Just 2 } getMaxActiveLevels
-- 2
--
-- @since 0.1.0.0
getMaxActiveLevels :: IO Int
getMaxActiveLevels = fromIntegral <$> c_get_max_active_levels

-- | The largest value of 'getMaxActiveLevels' (OpenMP 5.2, section 18.2.14).
--
-- >>> getSupportedActiveLevels
-- 255
--
-- @since 0.1.0.0
getSupportedActiveLevels :: IO Int
getSupportedActiveLevels = fromIntegral <$> c_get_supported_active_levels

-- | The largest number of threads in a contention group, from @OMP_THREAD_LIMIT@ (OpenMP 5.2, section 18.2.13). The
-- largest C @int@ when that is not set.
--
-- >>> (> 0) <$> getThreadLimit
-- True
--
-- @since 0.1.0.0
getThreadLimit :: IO Int
getThreadLimit = fromIntegral <$> c_get_thread_limit

-- | Whether C's regions and loops can be cancelled: @OMP_CANCELLATION@ (OpenMP 5.2, section 18.2.8). Regions of
-- "OpenMP.Parallel" always can be.
--
-- >>> getCancellation
-- False
--
-- @since 0.1.0.0
getCancellation :: IO Bool
getCancellation = boolFromC <$> c_get_cancellation

-- | The largest priority that a task can have, from @OMP_MAX_TASK_PRIORITY@ (OpenMP 5.2, section 18.5.1).
--
-- >>> getMaxTaskPriority
-- 0
--
-- @since 0.1.0.0
getMaxTaskPriority :: IO Int
getMaxTaskPriority = fromIntegral <$> c_get_max_task_priority

-- | How threads wait (OpenMP 5.2, section 21.2.3).
--
-- >>> [minBound .. maxBound :: WaitPolicy]
-- [WaitActive,WaitPassive]
--
-- @since 0.1.0.0
data WaitPolicy
    = WaitActive  -- ^ they spin
    | WaitPassive -- ^ they sleep
    deriving (Eq, Show, Enum, Bounded)

-- | The policy from @OMP_WAIT_POLICY@. 'Nothing' when it is not set: threads spin for a while before they sleep,
-- shorter when the CPUs are contended.
--
-- >>> getWaitPolicy
-- Nothing
--
-- @since 0.1.0.0
getWaitPolicy :: IO (Maybe WaitPolicy)
getWaitPolicy = do
    policy <- c_wait_policy
    pure $ case policy of
        1 -> Just WaitActive
        2 -> Just WaitPassive
        _ -> Nothing

-- | The caller's thread number in its team, from 0 (OpenMP 5.2, section 18.2.4); in a callback from a worker, the
-- worker's number.
--
-- >>> getThreadNum
-- 0
--
-- @since 0.1.0.0
getThreadNum :: IO Int
getThreadNum = fromIntegral <$> c_get_thread_num

-- | The size of the caller's team (OpenMP 5.2, section 18.2.2).
--
-- >>> getNumThreads
-- 1
--
-- @since 0.1.0.0
getNumThreads :: IO Int
getNumThreads = fromIntegral <$> c_get_num_threads

-- | Whether the caller is inside of an active region, one with more than one thread (OpenMP 5.2, section 18.2.5).
--
-- >>> inParallel
-- False
--
-- @since 0.1.0.0
inParallel :: IO Bool
inParallel = boolFromC <$> c_in_parallel

-- | The number of nested parallel regions that enclose the caller (OpenMP 5.2, section 18.2.17).
--
-- >>> getLevel
-- 0
--
-- @since 0.1.0.0
getLevel :: IO Int
getLevel = fromIntegral <$> c_get_level

-- | The number of these regions that are active (OpenMP 5.2, section 18.2.20).
--
-- >>> getActiveLevel
-- 0
--
-- @since 0.1.0.0
getActiveLevel :: IO Int
getActiveLevel = fromIntegral <$> c_get_active_level

-- | The thread number of the caller's ancestor in the team of this level (OpenMP 5.2, section 18.2.18). Level 0 is
-- outside of all regions, 'getLevel' is the caller's own level; 'Nothing' for a level that the caller is not in.
--
-- >>> mapM getAncestorThreadNum [0, 1]
-- [Just 0,Nothing]
--
-- @since 0.1.0.0
getAncestorThreadNum :: Int -> IO (Maybe Int)
getAncestorThreadNum = atLevel c_get_ancestor_thread_num

-- | The size of the team of this level that the caller or its ancestor belongs to (OpenMP 5.2, section 18.2.19), with
-- levels as in 'getAncestorThreadNum'.
--
-- >>> mapM getTeamSize [0, 1]
-- [Just 1,Nothing]
--
-- @since 0.1.0.0
getTeamSize :: Int -> IO (Maybe Int)
getTeamSize = atLevel c_get_team_size

-- The caller is not in a level that does not fit a C int, nor in level -1.
atLevel :: (CInt -> IO CInt) -> Int -> IO (Maybe Int)
atLevel ask level = natural <$> ask (if level > fromIntegral c then -1 else fromIntegral (max (-1) level))
  where
    c = maxBound :: CInt

natural :: CInt -> Maybe Int
natural n = if n < 0 then Nothing else Just (fromIntegral n)

-- | Whether the caller is in an explicit task (OpenMP 5.2, section 18.5.2).
--
-- >>> inExplicitTask
-- False
--
-- @since 0.1.0.0
inExplicitTask :: IO Bool
inExplicitTask = boolFromC <$> c_in_explicit_task

-- | Whether the caller is in a final task, whose child tasks run at once (OpenMP 5.2, section 18.5.3).
--
-- >>> inFinal
-- False
--
-- @since 0.1.0.0
inFinal :: IO Bool
inFinal = boolFromC <$> c_in_final

-- | The number of CPUs that the caller may run on, at most the CPU quota of its container (OpenMP 5.2, section 18.7.1).
--
-- >>> (> 0) <$> getNumProcs
-- True
--
-- @since 0.1.0.0
getNumProcs :: IO Int
getNumProcs = fromIntegral <$> c_get_num_procs

-- | The binding of the threads of a region opened now, without a @proc_bind@ clause (OpenMP 5.2, section 18.3.1).
--
-- >>> getProcBind
-- BindFalse
--
-- @since 0.1.0.0
getProcBind :: IO ProcBind
getProcBind = procBindFromC <$> c_get_proc_bind

-- | The number of places that threads can be bound to (OpenMP 5.2, section 18.3.2): 0 unless @OMP_PLACES@ or
-- @OMP_PROC_BIND@ was set at the program's start.
--
-- >>> getNumPlaces
-- 0
--
-- @since 0.1.0.0
getNumPlaces :: IO Int
getNumPlaces = fromIntegral <$> c_get_num_places

-- | The operating system's numbers of the CPUs of a place (OpenMP 5.2, sections 18.3.3 and 18.3.4). Places are numbered
-- from 0; a place that does not exist has no CPUs.
--
-- >>> getPlaceProcs 0
-- []
--
-- @since 0.1.0.0
getPlaceProcs :: Int -> IO [Int]
getPlaceProcs place
    | place < 0 || place > fromIntegral (maxBound :: CInt) = pure []
    | otherwise = do
        count <- fromIntegral <$> c_get_place_num_procs number -- never changes
        allocaArray count $ \ids -> do
            c_get_place_proc_ids number ids
            map fromIntegral <$> peekArray count ids
  where
    number = fromIntegral place

-- | The place that the caller is bound to (OpenMP 5.2, section 18.3.5).
--
-- >>> getPlaceNum
-- Nothing
--
-- @since 0.1.0.0
getPlaceNum :: IO (Maybe Int)
getPlaceNum = natural <$> c_get_place_num

-- | The places that the caller's regions can use: its place partition (OpenMP 5.2, sections 18.3.6 and 18.3.7).
--
-- >>> getPartition
-- []
--
-- @since 0.1.0.0
getPartition :: IO [Int]
getPartition = do
    places <- getNumPlaces
    -- Not by the partition's size first: a thread that is not bound could have another partition at the second call.
    withArray (replicate places (-1)) $ \numbers -> do
        c_get_partition_place_nums numbers
        map fromIntegral . takeWhile (>= 0) <$> peekArray places numbers

-- | Seconds since a fixed moment (OpenMP 5.2, section 18.10.1).
--
-- >>> start <- getWtime
-- >>> end <- getWtime
-- >>> end - start >= 0
-- True
--
-- @since 0.1.0.0
getWtime :: IO Double
getWtime = realToDouble <$> c_get_wtime

-- | The seconds between two ticks of the clock of 'getWtime' (OpenMP 5.2, section 18.10.2).
--
-- >>> (> 0) <$> getWtick
-- True
--
-- @since 0.1.0.0
getWtick :: IO Double
getWtick = realToDouble <$> c_get_wtick

realToDouble :: CDouble -> Double
realToDouble (CDouble d) = d

-- All of these are unsafe calls: they read a few words, most of them the calling thread's, or make a short system call
-- for the clock or the affinity mask; they never wait.
foreign import ccall unsafe "omp_get_max_threads" c_get_max_threads :: IO CInt
foreign import ccall unsafe "omp_get_schedule" c_get_schedule :: Ptr CInt -> Ptr CInt -> IO ()
foreign import ccall unsafe "omp_get_dynamic" c_get_dynamic :: IO CInt
foreign import ccall unsafe "omp_get_max_active_levels" c_get_max_active_levels :: IO CInt
foreign import ccall unsafe "omp_get_supported_active_levels" c_get_supported_active_levels :: IO CInt
foreign import ccall unsafe "omp_get_thread_limit" c_get_thread_limit :: IO CInt
foreign import ccall unsafe "omp_get_cancellation" c_get_cancellation :: IO CInt
foreign import ccall unsafe "omp_get_max_task_priority" c_get_max_task_priority :: IO CInt
foreign import ccall unsafe "ghcomp_hs_wait_policy" c_wait_policy :: IO CInt
foreign import ccall unsafe "omp_get_thread_num" c_get_thread_num :: IO CInt
foreign import ccall unsafe "omp_get_num_threads" c_get_num_threads :: IO CInt
foreign import ccall unsafe "omp_in_parallel" c_in_parallel :: IO CInt
foreign import ccall unsafe "omp_get_level" c_get_level :: IO CInt
foreign import ccall unsafe "omp_get_active_level" c_get_active_level :: IO CInt
foreign import ccall unsafe "omp_get_ancestor_thread_num" c_get_ancestor_thread_num :: CInt -> IO CInt
foreign import ccall unsafe "omp_get_team_size" c_get_team_size :: CInt -> IO CInt
foreign import ccall unsafe "omp_in_explicit_task" c_in_explicit_task :: IO CInt
foreign import ccall unsafe "omp_in_final" c_in_final :: IO CInt
foreign import ccall unsafe "omp_get_num_procs" c_get_num_procs :: IO CInt
foreign import ccall unsafe "omp_get_proc_bind" c_get_proc_bind :: IO CInt
foreign import ccall unsafe "omp_get_num_places" c_get_num_places :: IO CInt
foreign import ccall unsafe "omp_get_place_num_procs" c_get_place_num_procs :: CInt -> IO CInt
foreign import ccall unsafe "omp_get_place_proc_ids" c_get_place_proc_ids :: CInt -> Ptr CInt -> IO ()
foreign import ccall unsafe "omp_get_place_num" c_get_place_num :: IO CInt
foreign import ccall unsafe "omp_get_partition_place_nums" c_get_partition_place_nums :: Ptr CInt -> IO ()
foreign import ccall unsafe "omp_get_wtime" c_get_wtime :: IO CDouble
foreign import ccall unsafe "omp_get_wtick" c_get_wtick :: IO CDouble
