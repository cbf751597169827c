-- |
-- Module:      OpenMP.Settings
-- Description: Settings of parallel regions: team size, schedule, binding
--
-- OpenMP keeps its settings in internal control variables (ICVs) of each task, and those of a program's own threads
-- belong to the operating system thread (OpenMP 5.2, section 2.4). A Haskell thread that is not bound may be on another
-- operating system thread at each foreign call: @omp_set_num_threads@, called from it, changes the settings of an
-- operating system thread that it may never run on again, and that other Haskell threads use. So here settings are
-- values: an argument of each region with a Haskell body. For C code they apply in a scope that binds the thread,
-- 'withSettings'.
--
-- The setters are OpenMP's own. They refuse a Haskell thread that is not bound. These are bound:
--
-- * @main@ of a program linked with @-threaded@, and what runs in 'Control.Concurrent.forkOS',
--   'Control.Concurrent.runInBoundThread' and 'withSettings';
-- * Haskell code that C calls: callbacks, and the bodies of "OpenMP.Parallel". Settings made in a region's thread
--   end with the region;
-- * every thread of a program linked without @-threaded@. Its Haskell threads share one operating system thread and so
--   the settings: only one of them at a time should use them.
--
-- GHCi evaluates each line in a new thread that is not bound.
module OpenMP.Settings
    ( -- * Settings as values
      Settings (..)
    , defaults
    , Schedule (..)
    , ProcBind (..)
    , TeamImpossible (..)
      -- * A scope with settings
    , withSettings
      -- * Setters
    , setNumThreads
    , setSchedule
    , setDynamic
    , setMaxActiveLevels
    ) where

import Control.Concurrent (isCurrentThreadBound)
import Control.Exception (bracket)
import Control.Monad (unless)
import Data.Maybe (catMaybes)
import Foreign.C.String (CString, peekCString)
import Foreign.C.Types (CInt (..))
import Foreign.Marshal.Utils (with)
import Foreign.Ptr (Ptr)
import Foreign.Storable (peek)

import OpenMP.Internal.Bound
import OpenMP.Internal.Impossible
import OpenMP.Internal.Settings

-- | Runs an action in a bound thread with these settings for the regions that C opens there. At the action's end, also
-- by an exception, the previous settings are restored. Settings that are 'Nothing' stay unchanged; scopes nest. Valid
-- in every Haskell thread. If the caller is not bound, the action runs in another Haskell thread, which is bound, while
-- the caller waits and forwards asynchronous exceptions to it. Threads that the action starts do not have the settings.
--
-- Invalid values throw an t'Control.Exception.ErrorCall' with a line for each, and nothing is set. So does a 'procBind'
-- that could not take effect: places are made at the start of a program, from @OMP_PLACES@ or @OMP_PROC_BIND@; without
-- places only 'BindFalse' is possible, with them all but 'BindFalse'. Any setting throws when another runtime serves
-- the process, since settings from Haskell would not reach it ('OpenMP.Runtime.requireRuntime'). A number of
-- threads that the system cannot have is a t'TeamImpossible', unless 'dynamic' lets teams be smaller. In a program that
-- is linked without @-threaded@, where no thread is bound, this is an t'Control.Exception.ErrorCall'.
--
-- >>> let settings = defaults { numThreads = Just 3, schedule = Just (Dynamic 10) }
-- >>> withSettings settings ((,) <$> getMaxThreads <*> getSchedule)
-- (3,Dynamic 10)
--
-- >>> withSettings defaults { numThreads = Just 0 } getMaxThreads
-- *** Exception: OpenMP.withSettings: numThreads = 0: a team has at least 1 thread and at most 2147483647
--
-- @since 0.1.0.0
withSettings :: Settings -> IO a -> IO a
withSettings s action = do
    binding <- maybe (pure []) badBinding (procBind s)
    unreached <- if s == defaults then pure [] else badRuntime
    reject "withSettings" (badSettings s ++ binding ++ unreached)
    unless (dynamic s == Just True) (mapM_ checkPossible (numThreads s))
    needThreaded "withSettings"
    inBoundThread (bracket (enter s) id (const action))

-- Makes the settings and returns the action that restores the previous ones. Under bracket's mask no asynchronous
-- exception comes between two of the calls.
enter :: Settings -> IO (IO ())
enter s = sequence_ <$> sequence (catMaybes
    [ change c_get_max_threads c_set_num_threads . fromIntegral <$> numThreads s
    , change getScheduleC setScheduleC . scheduleToC <$> schedule s
    , change c_get_proc_bind c_set_proc_bind . procBindToC <$> procBind s
    , change c_get_dynamic c_set_dynamic . boolToC <$> dynamic s
    , change c_get_max_active_levels c_set_max_active_levels . fromIntegral <$> maxActiveLevels s
    ])

change :: IO a -> (a -> IO ()) -> a -> IO (IO ())
change get set new = do
    old <- get
    set new
    pure (set old)

-- The runtime relies on bind-var being false exactly when there are no places.
badBinding :: ProcBind -> IO [String]
badBinding bind = do
    places <- c_get_num_places
    pure [ "procBind = " ++ show bind ++ why
         | (bind == BindFalse) == (places > 0)
         , let why | places > 0 = ": threads are bound already; start with OMP_PROC_BIND=false"
                   | otherwise = ": there are no places to bind to; start with OMP_PLACES=cores" ]

badRuntime :: IO [String]
badRuntime = do
    ours <- boolFromC <$> c_serves
    object <- peekCString =<< c_serving_object
    pure [ "OpenMP code of this program runs on " ++ object ++ ", which settings from Haskell do not reach"
         | not ours ]

-- | Sets the number of threads of the regions that this thread opens from now on (OpenMP 5.2, section 18.2.1); at least
-- 1. Valid in a bound thread. Throws an t'Control.Exception.ErrorCall' when the value is invalid, the thread is not
-- bound, or another runtime serves the process, and a t'TeamImpossible' when the system cannot have so many threads.
--
-- >>> import Control.Concurrent (runInBoundThread)
-- >>> runInBoundThread (setNumThreads 3 >> getMaxThreads)
-- 3
--
-- @since 0.1.0.0
setNumThreads :: Int -> IO ()
setNumThreads n = do
    reject "setNumThreads" (badThreads n)
    checkPossible n
    setter "setNumThreads" (c_set_num_threads (fromIntegral n))

-- | Sets the schedule of the loops with @schedule(runtime)@ in the regions that this thread opens from now on (OpenMP
-- 5.2, section 18.2.11). Valid in a bound thread; throws as 'setNumThreads' does.
--
-- >>> import Control.Concurrent (runInBoundThread)
-- >>> runInBoundThread (setSchedule (StaticChunks 5) >> getSchedule)
-- StaticChunks 5
--
-- @since 0.1.0.0
setSchedule :: Schedule -> IO ()
setSchedule s = do
    reject "setSchedule" (badSchedule s)
    setter "setSchedule" (setScheduleC (scheduleToC s))

-- | Sets whether the regions that this thread opens from now on may get fewer threads than they request, by dynamic
-- adjustment (OpenMP 5.2, section 18.2.6): only as many as there are CPUs that Haskell leaves idle. Valid in a bound
-- thread; throws as 'setNumThreads' does.
--
-- >>> import Control.Concurrent (runInBoundThread)
-- >>> runInBoundThread (setDynamic True >> getDynamic <* setDynamic False)
-- True
--
-- @since 0.1.0.0
setDynamic :: Bool -> IO ()
setDynamic = setter "setDynamic" . c_set_dynamic . boolToC

-- | Sets how many nested regions may be active, that is, have more than one thread (OpenMP 5.2, section 18.2.15). At
-- least 0; values above 'OpenMP.Query.getSupportedActiveLevels' count as that many. Valid in a bound thread; throws
-- as 'setNumThreads' does.
--
-- >>> import Control.Concurrent (runInBoundThread)
-- >>> runInBoundThread (setMaxActiveLevels 2 >> getMaxActiveLevels)
-- 2
--
-- @since 0.1.0.0
setMaxActiveLevels :: Int -> IO ()
setMaxActiveLevels n = do
    reject "setMaxActiveLevels" (badLevels n)
    setter "setMaxActiveLevels" (c_set_max_active_levels (fromIntegral n))

setter :: String -> IO () -> IO ()
setter function set = do
    bound <- isCurrentThreadBound
    reject function ["this Haskell thread is not bound, so the setting would be lost; use withSettings" | not bound]
    badRuntime >>= reject function
    set

getScheduleC :: IO (CInt, CInt)
getScheduleC = with 0 $ \kind -> with 0 $ \chunk -> do
    c_get_schedule kind chunk
    (,) <$> peek kind <*> peek chunk

setScheduleC :: (CInt, CInt) -> IO ()
setScheduleC = uncurry c_set_schedule

-- All of these are unsafe calls: they read or write a few words, and never wait.
foreign import ccall unsafe "omp_get_max_threads" c_get_max_threads :: IO CInt
foreign import ccall unsafe "omp_set_num_threads" c_set_num_threads :: CInt -> IO ()
foreign import ccall unsafe "omp_get_schedule" c_get_schedule :: Ptr CInt -> Ptr CInt -> IO ()
foreign import ccall unsafe "omp_set_schedule" c_set_schedule :: CInt -> CInt -> IO ()
foreign import ccall unsafe "omp_get_proc_bind" c_get_proc_bind :: IO CInt
foreign import ccall unsafe "ghcomp_hs_set_proc_bind" c_set_proc_bind :: CInt -> IO ()
foreign import ccall unsafe "omp_get_num_places" c_get_num_places :: IO CInt
foreign import ccall unsafe "omp_get_dynamic" c_get_dynamic :: IO CInt
foreign import ccall unsafe "omp_set_dynamic" c_set_dynamic :: CInt -> IO ()
foreign import ccall unsafe "omp_get_max_active_levels" c_get_max_active_levels :: IO CInt
foreign import ccall unsafe "omp_set_max_active_levels" c_set_max_active_levels :: CInt -> IO ()
foreign import ccall unsafe "ghcomp_hs_serves" c_serves :: IO CInt
foreign import ccall unsafe "ghcomp_hs_serving_object" c_serving_object :: IO CString
