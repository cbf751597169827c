{-# LANGUAGE RankNTypes #-}
-- |
-- Module:      OpenMP.Parallel
-- Description: Parallel regions with Haskell bodies
--
-- OpenMP's constructs for Haskell code. Each thread of a team enters Haskell once for a region and stays there for its
-- part of it. They are the same threads that serve the OpenMP code of C libraries.
--
-- All functions may be called from every Haskell thread, bound or not. The program must be linked with @-threaded@, and
-- more than one thread at a time runs Haskell only with more than one Capability (@+RTS -N@).
--
-- Some names are common words ('for', 'single', 'task', 'reduce', 'cancel', t'Team', and @for@ is in
-- "Data.Traversable", too): import the module qualified, or list what you use.
--
-- == Exceptions
--
-- An exception in any body cancels the region: chunks and tasks that have not started do not start any more, and
-- waiting threads leave. When all have left, the first exception is thrown in the caller, with its original context.
-- Chunks and tasks that are running are not interrupted by another body's exception.
--
-- An asynchronous exception for the caller ('System.Timeout.timeout', 'Control.Concurrent.killThread') ends the region
-- and is delivered at its end. Threads notice it when they take the next chunk or task or encounter the next construct,
-- and after 10 to 30 milliseconds bodies that run are interrupted, by an asynchronous exception of the library's own:
-- their handlers and finalizers run, also in bodies that are blocked. What is not interrupted: the bodies of a caller
-- that has masked asynchronous exceptions, what a body itself masks, C code, and loops without a safe point
-- (@-fno-omit-yields@ adds some).
--
-- A lazy value may be computed by a loop ('parallelFor' and the like in 'System.IO.Unsafe.unsafePerformIO', functions
-- on linear arrays). When an exception ends its evaluation, a thread that needs it later resumes it: no body runs
-- twice. As for all such values, a body's own handler that throws the exception again makes it the value's result.
-- 'parallel' and 'parallelTasks' cannot be resumed; later uses of such a value throw @RegionInterrupted@.
--
-- Members that are all blocked for ever get 'Control.Exception.BlockedIndefinitelyOnMVar', as other threads do, when
-- nothing else refers to what they wait for; that ends the region. A use by the caller after the region is such a
-- reference.
--
-- == Teams that cannot be made
--
-- 'numThreads' may ask for more threads than the system can have, or than it can make now: t'TeamImpossible' describes
-- when that is an exception, and when a team is smaller instead.
--
-- == Blocking
--
-- A body may block on an 'Control.Concurrent.MVar', in STM, or in a foreign call; its Capability runs other Haskell
-- threads meanwhile. Bodies of a loop must not wait for each other, because two of them need not run at the same time.
-- The members of 'parallel' may. They are bound threads, so each such wait costs a switch of OS threads, some
-- microseconds; members hand many items over at a time.
module OpenMP.Parallel
    ( -- * Loops
      parallelFor
    , parallelForChunks
    , parallelReduce
    , parallelReduceChunks
    , Order (..)
    , parallelSections
      -- ** Over rectangles
    , parallelFor2
    , parallelForTiles
      -- ** With a state for each thread
    , parallelForWith
    , parallelForChunksWith
    , parallelFoldWith
      -- * Regions
    , parallel
    , parallel_
    , Team
    , teamSize
    , threadNum
    , barrier
      -- ** Worksharing
    , for
    , forNowait
    , forChunks
    , for2
    , forOrdered
    , sections
    , single
    , masked
    , reduce
      -- ** Cancellation
    , cancel
    , cancellationPoint
      -- * Critical sections
    , critical
    , Critical
    , newCritical
    , criticalIn
      -- * Tasks
    , parallelTasks
    , task
    , taskwait
    , taskgroup
    , taskyield
    , taskloop
    , Grain (..)
    , taskWith
    , TaskSettings (..)
    , taskDefaults
    , Depend (..)
    , Dep
    , newDep
    , depOf
      -- ** With results
    , Future
    , spawn
    , spawnWith
    , await
    , futureSTM
    , FutureDropped (..)
    ) where

import Control.Monad (when)
import qualified Data.IORef as R
import Data.List (sortOn)
import Data.Primitive.Array

import OpenMP.Internal.Critical
import OpenMP.Internal.Future
import OpenMP.Internal.Loop
import OpenMP.Internal.Rectangle
import OpenMP.Internal.Reduce
import OpenMP.Internal.Settings (checkRegion)
import OpenMP.Internal.Task
import OpenMP.Internal.Team
import OpenMP.Settings

-- | @parallelFor settings from past body@ runs the body for each index of @[from, past)@, divided among the threads of
-- a team (OpenMP 5.2, sections 10.1 and 11.5). Invalid settings throw an t'Control.Exception.ErrorCall'.
--
-- The team has at most 'numThreads' threads. By default that is one for each CPU that the process may use (or
-- @OMP_NUM_THREADS@), but no more than there are Capabilities: with @-N4@ on two CPUs it has two. A thread takes part
-- if there is an idle Capability for it; no thread waits for a busy one. As long as there is none, the loop runs in the
-- calling Haskell thread, in steps of a fraction of a millisecond. A loop of many iterations begins there in any case,
-- and others take part when what is left is worth it. So it is not promised which thread runs which index.
-- 'Static' cuts the range into one piece for each thread, and a thread takes its own piece first if it can.
-- 'StaticChunks' is the same as 'Dynamic'; of chunks that take far less than a microsecond a thread may take some
-- together. Without a schedule the chunks shrink with what is left, as with 'Guided'.
--
-- >>> import Data.IORef
-- >>> total <- newIORef (0 :: Int)
-- >>> parallelFor defaults 1 101 (\i -> atomicModifyIORef' total (\t -> (t + i, ())))
-- >>> readIORef total
-- 5050
--
-- @since 0.1.0.0
parallelFor :: Settings -> Int -> Int -> (Int -> IO ()) -> IO ()
parallelFor settings from past body = overIndices settings from past (\begin end -> overRange begin end body)
{-# INLINE parallelFor #-}

-- | 'parallelFor' with a body for a chunk at a time: @body begin end@ is for the indices of @[begin, end)@, which is
-- never empty. Each index is in exactly one chunk.
--
-- >>> import Data.IORef
-- >>> chunks <- newIORef ([] :: [(Int, Int)])
-- >>> let note b e = atomicModifyIORef' chunks (\l -> ((b, e) : l, ()))
-- >>> parallelForChunks defaults { schedule = Just (Dynamic 4) } 0 10 note
-- >>> import Data.List (sort)
-- >>> sort <$> readIORef chunks
-- [(0,4),(4,8),(8,10)]
--
-- @since 0.1.0.0
parallelForChunks :: Settings -> Int -> Int -> (Int -> Int -> IO ()) -> IO ()
parallelForChunks settings from past body = do
    checkRegion "parallelForChunks" settings
    when (from < past) $ runChunks ChunkCuts settings (sharingOf (schedule settings) (rangeCount from past)) from body

-- The loop of 'parallelFor', whose body does not see where it is cut.
overIndices :: Settings -> Int -> Int -> (Int -> Int -> IO ()) -> IO ()
overIndices settings from past body = do
    checkRegion "parallelFor" settings
    when (from < past) $ runChunks AnyCut settings (sharingOf (schedule settings) (rangeCount from past)) from body

-- | A reduction: the body's values for @[from, past)@ combined by '<>'; 'mempty' for an empty range. Values are
-- evaluated to weak head normal form as they are combined. The threads are those of 'parallelFor'. Where the monoid is
-- known at the call, the loop allocates nothing of its own for an index.
--
-- For a pair that evaluates the pair alone: the sums in @(Sum Int, Sum Int)@ become as many thunks as there are
-- indices, hundreds of times slower than those of a type with strict fields. And values are combined from the left,
-- which for lists takes quadratic time: for those take 'parallelReduceChunks', or 'Data.Monoid.Endo'.
--
-- >>> import Data.Monoid
-- >>> parallelReduce defaults IndexOrder 0 5 (\i -> pure (show i))
-- "01234"
-- >>> getSum <$> parallelReduce defaults AnyOrder 0 1000 (pure . Sum)
-- 499500
--
-- @since 0.1.0.0
parallelReduce :: Monoid m => Settings -> Order -> Int -> Int -> (Int -> IO m) -> IO m
parallelReduce settings order from past body = do
    checkRegion "parallelReduce" settings
    runReduce AnyCut settings order from past (foldIndices body)
{-# INLINE parallelReduce #-}

-- | 'parallelReduce' with a body for a chunk at a time: @body begin end@ is the value of the indices of @[begin, end)@,
-- which is never empty. In 'AnyOrder' the chunks are those of 'parallelForChunks'. In 'IndexOrder' they are the parts
-- that t'Order' describes, and the result is the same for every team size.
--
-- >>> import Data.Monoid
-- >>> getSum <$> parallelReduceChunks defaults AnyOrder 0 1000 (\b e -> pure (Sum (sum [b .. e - 1])))
-- 499500
-- >>> parallelReduceChunks defaults { schedule = Just (Dynamic 4) } IndexOrder 0 10 (\b e -> pure [(b, e)])
-- [(0,4),(4,8),(8,10)]
--
-- @since 0.1.0.0
parallelReduceChunks :: Monoid m => Settings -> Order -> Int -> Int -> (Int -> Int -> IO m) -> IO m
parallelReduceChunks settings order from past body = do
    checkRegion "parallelReduceChunks" settings
    runReduce ChunkCuts settings order from past (foldChunks body)

-- | @parallelFor2 settings (top, bottom) (left, right) body@ runs @body row column@ for each row of @[top, bottom)@ and
-- each column of @[left, right)@, as one loop over all pairs (OpenMP's @collapse(2)@): few long rows are divided as
-- well as many short ones. Iterations, and the schedule's chunks, are pairs in the order of the rows. Everything else
-- is as in 'parallelFor'. More than 2^64 - 1 pairs are an t'Control.Exception.ErrorCall'.
--
-- >>> import Data.IORef
-- >>> total <- newIORef (0 :: Int)
-- >>> parallelFor2 defaults (0, 3) (10, 15) (\r c -> atomicModifyIORef' total (\t -> (t + r * c, ())))
-- >>> readIORef total
-- 180
--
-- @since 0.1.0.0
parallelFor2 :: Settings -> (Int, Int) -> (Int, Int) -> (Int -> Int -> IO ()) -> IO ()
parallelFor2 settings rows columns body = do
    checkRegion "parallelFor2" settings
    area <- rectangle "parallelFor2" rows columns
    runChunks AnyCut settings (sharingOf (schedule settings) (pairs area)) 0 $ \begin end ->
        overPairs area begin end body
{-# INLINE parallelFor2 #-}

-- | @parallelForTiles settings (height, width) rows columns body@ cuts a rectangle into tiles of so many rows and
-- columns, smaller at its far edges, and runs @body@ for each with the bounds of its rows and of its columns. Each pair
-- is in exactly one tile. This is for bodies that touch neighbouring elements, or read a matrix by rows and write it by
-- columns: a tile can fit into a cache. Iterations, and the schedule's chunks, are tiles.
--
-- >>> parallelForTiles defaults { numThreads = Just 1 } (2, 4) (0, 3) (0, 6) (curry print)
-- ((0,2),(0,4))
-- ((0,2),(4,6))
-- ((2,3),(0,4))
-- ((2,3),(4,6))
--
-- A tile has at least one row and one column:
--
-- >>> parallelForTiles defaults (0, 4) (0, 3) (0, 6) (\_ _ -> pure ())
-- *** Exception: OpenMP.Parallel.parallelForTiles: tiles of 0 by 4: a tile has at least 1 row and 1 column
--
-- @since 0.1.0.0
parallelForTiles
    :: Settings -> (Int, Int) -> (Int, Int) -> (Int, Int) -> ((Int, Int) -> (Int, Int) -> IO ()) -> IO ()
parallelForTiles settings size rows columns body = do
    checkRegion "parallelForTiles" settings
    area <- tiling "parallelForTiles" size rows columns
    runChunks AnyCut settings (sharingOf (schedule settings) (tiles area)) 0 $ \begin end ->
        overTiles area begin end body
{-# INLINE parallelForTiles #-}

-- | @parallelForWith settings from past new body@ is 'parallelFor' with a state for each thread: a generator of random
-- numbers, a buffer, a decoder. A thread runs @new@ before the first index that it runs, and @body@ gets the result,
-- evaluated to weak head normal form. Only that thread uses it, so it needs no lock. A thread that runs no index makes
-- no state, and an empty range needs none.
--
-- A loop that begins in its caller and then gets helpers ('parallelFor') continues with a new state in each thread,
-- also in the caller's. So does a lazy value's loop that is resumed after an interruption. Which indices share a state
-- is not promised.
--
-- An exception in @new@ counts as one in a body: it cancels the loop, which throws it. The loop releases nothing: what
-- a state holds is left to the collector, or the caller releases it afterwards.
--
-- >>> import Data.IORef
-- >>> total <- newIORef (0 :: Int)
-- >>> let add x = atomicModifyIORef' total (\t -> (t + x, ()))
-- >>> parallelForWith defaults 0 100 (newIORef 0) (\buffer i -> writeIORef buffer i >> readIORef buffer >>= add)
-- >>> readIORef total
-- 4950
--
-- @since 0.1.0.0
parallelForWith :: Settings -> Int -> Int -> IO s -> (s -> Int -> IO ()) -> IO ()
parallelForWith settings from past new body = do
    checkRegion "parallelForWith" settings
    forChunksWith settings from past new (\state begin end -> overRange begin end (body state))
{-# INLINE parallelForWith #-}

-- | 'parallelForWith' with a body for a chunk at a time, as in 'parallelForChunks'.
--
-- >>> import Data.IORef
-- >>> let body count b e = modifyIORef' count (+ (e - b)) >> readIORef count >>= \n -> n `seq` pure ()
-- >>> parallelForChunksWith defaults 0 100 (newIORef 0) body
--
-- @since 0.1.0.0
parallelForChunksWith :: Settings -> Int -> Int -> IO s -> (s -> Int -> Int -> IO ()) -> IO ()
parallelForChunksWith settings from past new body = do
    checkRegion "parallelForChunksWith" settings
    forChunksWith settings from past new body

forChunksWith :: Settings -> Int -> Int -> IO s -> (s -> Int -> Int -> IO ()) -> IO ()
forChunksWith settings from past new body = when (from < past) $
    runChunksWith settings (sharingOf (schedule settings) (rangeCount from past)) from new body (\_ _ -> pure ())

-- | @parallelFoldWith settings order from past new add combine@ collects the indices of @[from, past)@ in mutable
-- accumulators, without locks: @new@ makes an empty one, @add acc i@ adds an index to one that no other thread uses,
-- and @combine@ puts two together; it may change either and return it. For an empty range the result is that of @new@.
--
-- * In 'AnyOrder' there is an accumulator for each thread that takes part, as with 'parallelForWith'. This is for
--   combinations that commute, such as the sum of two histograms.
-- * In 'IndexOrder' there is one for each of the parts that t'Order' describes, at most 256 of them (or 4096, if the
--   schedule has a chunk size). The result depends on the range and the chunk size alone, and not on the threads. A
--   large chunk size makes few parts, for large accumulators.
--
-- When the last index is done the caller combines the accumulators from the left, each with the next: in 'IndexOrder'
-- in the order of the parts, in 'AnyOrder' in the order of the first index that each accumulator has got. An exception
-- in @new@ or @add@ counts as one in a body; one in @combine@ does not.
--
-- >>> import qualified Data.Vector.Unboxed.Mutable as M
-- >>> import qualified Data.Vector.Unboxed as V
-- >>> let add bins i = M.modify bins (+ 1) (i `mod` 4)
-- >>> let combine a b = mapM_ (\k -> M.read b k >>= \n -> M.modify a (+ n) k) [0 .. 3] >> pure a
-- >>> parallelFoldWith defaults AnyOrder 0 1001 (M.replicate 4 (0 :: Int)) add combine >>= V.freeze
-- [251,250,250,250]
--
-- @since 0.1.0.0
parallelFoldWith
    :: Settings -> Order -> Int -> Int -> IO acc -> (acc -> Int -> IO ()) -> (acc -> acc -> IO acc) -> IO acc
parallelFoldWith settings order from past new add combine = do
    checkRegion "parallelFoldWith" settings
    runFold settings order from past new (\acc begin end -> overRange begin end (add acc)) combine
{-# INLINE parallelFoldWith #-}

-- | Runs the actions on the threads of a team, and returns their results in the order of the list. The threads are
-- those of 'parallelFor'.
--
-- >>> parallelSections defaults [pure 'a', pure 'b', pure 'c']
-- "abc"
--
-- @since 0.1.0.0
parallelSections :: Settings -> [IO a] -> IO [a]
parallelSections = sectionsOf "Parallel.parallelSections"

-- | A parallel region: every thread of a team runs the body once (OpenMP 5.2, section 10.1). The team has exactly
-- 'numThreads' threads, if OpenMP's rules allow it; the default is that of 'parallelFor'. Returns the results in the
-- order of the threads' numbers; a thread that left a cancelled region early has none.
--
-- >>> parallel defaults { numThreads = Just 3 } (\team -> (,) (teamSize team) <$> threadNum team)
-- [(3,0),(3,1),(3,2)]
--
-- @since 0.1.0.0
parallel :: Settings -> (forall s. Team s -> IO a) -> IO [a]
parallel settings body = do
    checkRegion "parallel" settings
    results <- R.newIORef []
    runTeam settings $ \team -> do
        value <- body team
        n <- threadNum team
        R.atomicModifyIORef' results (\l -> ((n, value) : l, ()))
    map snd . sortOn fst <$> R.readIORef results

-- | 'parallel' without results.
--
-- >>> parallel_ defaults { numThreads = Just 2 } (\team -> masked team (putStrLn "one of two"))
-- one of two
--
-- @since 0.1.0.0
parallel_ :: Settings -> (forall s. Team s -> IO ()) -> IO ()
parallel_ settings body = checkRegion "parallel_" settings >> runTeam settings body

-- | A worksharing loop: divides the indices of @[from, past)@ among the members of the team, with a barrier at its end
-- (OpenMP 5.2, section 11.5). All members must encounter it. Unlike 'parallelFor' it follows the schedule exactly: with
-- 'Static' and 'StaticChunks' the thread's number decides which indices it runs.
--
-- In the body of a loop, or of 'sections', the same team cannot begin another worksharing loop: an
-- t'Control.Exception.ErrorCall' says so. Use 'for2' or 'taskloop', or a loop with a team of its own ('parallelFor').
--
-- >>> import Data.IORef
-- >>> total <- newIORef (0 :: Int)
-- >>> parallel_ defaults (\team -> for team (Dynamic 8) 0 100 (\i -> atomicModifyIORef' total (\t -> (t + i, ()))))
-- >>> readIORef total
-- 4950
--
-- @since 0.1.0.0
for :: Team s -> Schedule -> Int -> Int -> (Int -> IO ()) -> IO ()
for team sched from past body = forChunksOf "Parallel.for" team sched from past (\begin end -> overRange begin end body)
{-# INLINE for #-}

-- | 'for' without the barrier at its end.
--
-- >>> parallel defaults { numThreads = Just 2 } (\team -> forNowait team Static 0 10 (\_ -> pure ()) >> pure 'x')
-- "xx"
--
-- @since 0.1.0.0
forNowait :: Team s -> Schedule -> Int -> Int -> (Int -> IO ()) -> IO ()
forNowait team sched from past body =
    forChunksNowaitOf "Parallel.forNowait" team sched from past (\begin end -> overRange begin end body)
{-# INLINE forNowait #-}

-- | 'for' over a rectangle of indices, as in 'parallelFor2'.
--
-- >>> import Data.IORef
-- >>> total <- newIORef (0 :: Int)
-- >>> let add r c = atomicModifyIORef' total (\t -> (t + r * c, ()))
-- >>> parallel_ defaults (\team -> for2 team Static (0, 3) (10, 15) add)
-- >>> readIORef total
-- 180
--
-- @since 0.1.0.0
for2 :: Team s -> Schedule -> (Int, Int) -> (Int, Int) -> (Int -> Int -> IO ()) -> IO ()
for2 team sched rows columns body = do
    area <- rectangle "for2" rows columns
    -- From the smallest index, because there may be more pairs than the largest one.
    let number i = i - minBound
    forChunksOf "Parallel.for2" team sched minBound (minBound + pairs area) $ \begin end ->
        overPairs area (number begin) (number end) body
{-# INLINE for2 #-}

-- | 'for' with a part of its body in the order of the indices (OpenMP 5.2, section 15.10.2): @body inOrder i@ runs at
-- the same time as other iterations, but an action that it gives to @inOrder@ runs when all chunks before its own are
-- complete. Within a chunk one thread runs the indices in order, so with chunks of one index ('Dynamic' 1,
-- 'StaticChunks' 1) the rest of the bodies overlaps best. @inOrder@ returns the action's result. It may be used in an
-- iteration any number of times, also none, but not in tasks and other threads; there it is an
-- t'Control.Exception.ErrorCall'.
--
-- >>> import Control.Concurrent (threadDelay)
-- >>> let slow i = threadDelay (1000 * (5 - i)) >> pure (i * i)
-- >>> let two = defaults { numThreads = Just 2 }
-- >>> parallel_ two (\team -> forOrdered team (Dynamic 1) 1 5 (\inOrder i -> slow i >>= \x -> inOrder (print x)))
-- 1
-- 4
-- 9
-- 16
--
-- @since 0.1.0.0
forOrdered :: Team s -> Schedule -> Int -> Int -> ((forall a. IO a -> IO a) -> Int -> IO ()) -> IO ()
forOrdered team sched from past body =
    forChunksOrdered team sched from past (\inOrder begin end -> overRange begin end (body inOrder))
{-# INLINE forOrdered #-}

-- | Runs each action once, in one of the members, with a barrier at the end (OpenMP 5.2, section 11.3). All members
-- must encounter it.
--
-- >>> import Data.IORef
-- >>> r <- newIORef ""
-- >>> parallel_ defaults (\team -> sections team [modifyIORef r ('a' :)])
-- >>> readIORef r
-- "a"
--
-- @since 0.1.0.0
sections :: Team s -> [IO ()] -> IO ()
sections team bodies = forChunksOf "Parallel.sections" team (Dynamic 1) 0 (sizeofArray list) $ \begin end ->
    overRange begin end (indexArray list)
  where
    list = arrayFromList bodies

-- | Runs the action in thread 0 (OpenMP 5.2, section 10.5). No barrier.
--
-- >>> parallel_ defaults (\team -> masked team (threadNum team >>= print))
-- 0
--
-- @since 0.1.0.0
masked :: Team s -> IO () -> IO ()
masked team act = do
    n <- threadNumOf "Parallel.masked" team
    when (n == 0) (inConstruct team act)

-- | OpenMP's unnamed critical section (section 15.2): one thread of the process at a time, including threads in a
-- @#pragma omp critical@ without a name in C code. Waits and errors are those of 'criticalIn'.
--
-- >>> critical (pure 'x')
-- 'x'
--
-- @since 0.1.0.0
critical :: IO a -> IO a
critical = criticalOf "Parallel.critical" unnamedCritical

-- | A region in which thread 0 runs the body while the others run the tasks that it makes. Waits for all tasks and
-- returns the body's result. An t'Control.Exception.ErrorCall' when the region was cancelled before there was one.
--
-- >>> import Data.IORef
-- >>> done <- newIORef (0 :: Int)
-- >>> parallelTasks defaults (\team -> mapM_ (\i -> task team (atomicModifyIORef' done (\n -> (n + i, ())))) [1 .. 10])
-- >>> readIORef done
-- 55
--
-- @since 0.1.0.0
parallelTasks :: Settings -> (forall s. Team s -> IO a) -> IO a
parallelTasks = tasksOf "Parallel.parallelTasks"

-- | Runs the body for each index of @[from, past)@ in tasks, whose sizes differ by one at most, and waits for them and
-- their descendants as 'taskgroup' does (OpenMP 5.2, section 12.6). Only the task that encounters it makes the tasks.
-- Unlike 'for' it may stand in a task, and several may run at a time. Valid where 'task' is; an
-- t'Control.Exception.ErrorCall' elsewhere, or when the t'Grain' is less than 1.
--
-- >>> import Data.IORef
-- >>> total <- newIORef (0 :: Int)
-- >>> let add i = atomicModifyIORef' total (\t -> (t + i, ()))
-- >>> parallelTasks defaults (\team -> taskloop team (Grainsize 10) 0 100 add)
-- >>> readIORef total
-- 4950
--
-- @since 0.1.0.0
taskloop :: Team s -> Grain -> Int -> Int -> (Int -> IO ()) -> IO ()
taskloop team grain from past body =
    taskloopChunksOf "Parallel.taskloop" team grain from past (\begin end -> overRange begin end body)
{-# INLINE taskloop #-}
