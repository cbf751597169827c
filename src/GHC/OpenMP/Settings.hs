-- |
-- Module:      GHC.OpenMP.Settings
-- Description: What a parallel region can be told: team size, schedule, binding
--
-- OpenMP keeps its settings in internal control variables (ICVs) of each task, and those of a program's own threads
-- belong to the operating system thread (OpenMP 5.2, section 2.4). A Haskell thread that is not bound may be on another
-- operating system thread at each foreign call: @omp_set_num_threads@, called from there, changes the settings of a
-- thread that this Haskell thread may never see again, and that others use. So here settings are values, the argument
-- of each region with a Haskell body, and hold for C code in a scope that binds the thread, 'withSettings'.
--
-- The setters are OpenMP's own. They refuse a Haskell thread that is not bound. Bound are
--
-- * @main@ of a program linked with @-threaded@, and what runs in 'Control.Concurrent.forkOS',
--   'Control.Concurrent.runInBoundThread' and 'withSettings';
-- * Haskell that C calls: callbacks, and the bodies of "GHC.OpenMP.Parallel". Settings of a region's thread end with
--   the region;
-- * every thread of a program linked without @-threaded@. Its Haskell threads share one operating system thread and so
--   the settings: only one of them at a time should use them.
--
-- GHCi evaluates each line in a new thread that is not bound.
module GHC.OpenMP.Settings
    ( -- * Settings as values
      Settings (..)
    , defaults
    , Schedule (..)
    , ProcBind (..)
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
import Data.Maybe (catMaybes)
import Foreign.C.String (CString, peekCString)
import Foreign.C.Types (CInt (..))
import Foreign.Marshal.Utils (with)
import Foreign.Ptr (Ptr)
import Foreign.Storable (peek)

import GHC.OpenMP.Internal.Bound
import GHC.OpenMP.Internal.Settings

-- | Runs an action in a bound thread with these settings for the regions that C opens there, and restores what was
-- before at its end, also by an exception. What the settings leave open stays as it is; scopes nest. Valid in every
-- Haskell thread. A caller that is not bound waits for the action in another Haskell thread, which is, and hands on
-- to it what is thrown to the caller; threads that the action starts do not have the settings.
--
-- Bad values are an t'Control.Exception.ErrorCall' with a line for each, and nothing is set. 'procBind' is refused so,
-- too, where it could not be kept: places are made at the start of a program, from @OMP_PLACES@ or @OMP_PROC_BIND@;
-- without them only 'BindFalse' is possible, with them all but 'BindFalse'. Any setting is refused when another
-- runtime serves the process, which it would not reach ('GHC.OpenMP.Runtime.requireRuntime').
--
-- >>> let settings = defaults { numThreads = Just 3, schedule = Just (Dynamic 10) }
-- >>> withSettings settings ((,) <$> getMaxThreads <*> getSchedule)
-- (3,Dynamic 10)
--
-- >>> withSettings defaults { numThreads = Just 0 } getMaxThreads
-- *** Exception: GHC.OpenMP.withSettings: numThreads = 0: a team has at least 1 thread and at most 2147483647
withSettings :: Settings -> IO a -> IO a
withSettings s action = do
    binding <- maybe (pure []) badBinding (procBind s)
    unreached <- if s == defaults then pure [] else badRuntime
    reject "withSettings" (badSettings s ++ binding ++ unreached)
    inBoundThread (bracket (enter s) id (const action))

-- Sets and gives back what restores it. Under bracket's mask no exception comes between two of the calls.
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

-- The runtime takes bind-var to be false exactly when there are no places.
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

-- | The number of threads of the regions that this thread opens from now on (OpenMP 5.2, section 18.2.1); at least 1.
-- For a bound thread. A bad value, a thread that is not bound and another runtime that serves the process are an
-- t'Control.Exception.ErrorCall'.
--
-- >>> import Control.Concurrent (runInBoundThread)
-- >>> runInBoundThread (setNumThreads 3 >> getMaxThreads)
-- 3
setNumThreads :: Int -> IO ()
setNumThreads n = do
    reject "setNumThreads" (badThreads n)
    setter "setNumThreads" (c_set_num_threads (fromIntegral n))

-- | How the loops with @schedule(runtime)@ of the regions that this thread opens from now on are shared out (OpenMP
-- 5.2, section 18.2.11). For a bound thread, as 'setNumThreads'.
--
-- >>> import Control.Concurrent (runInBoundThread)
-- >>> runInBoundThread (setSchedule (StaticChunks 5) >> getSchedule)
-- StaticChunks 5
setSchedule :: Schedule -> IO ()
setSchedule s = do
    reject "setSchedule" (badSchedule s)
    setter "setSchedule" (setScheduleC (scheduleToC s))

-- | Whether the runtime may give the regions that this thread opens from now on fewer threads than they ask for
-- (OpenMP 5.2, section 18.2.6). It then gives only what Haskell leaves idle. For a bound thread, as 'setNumThreads'.
--
-- >>> import Control.Concurrent (runInBoundThread)
-- >>> runInBoundThread (setDynamic True >> getDynamic)
-- True
setDynamic :: Bool -> IO ()
setDynamic = setter "setDynamic" . c_set_dynamic . boolToC

-- | How many nested regions may have more than one thread (OpenMP 5.2, section 18.2.15); at least 0, and more than
-- 'GHC.OpenMP.Query.getSupportedActiveLevels' counts as that many. For a bound thread, as 'setNumThreads'.
--
-- >>> import Control.Concurrent (runInBoundThread)
-- >>> runInBoundThread (setMaxActiveLevels 2 >> getMaxActiveLevels)
-- 2
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

-- Unsafe, all of these: they read or write a few words, and never wait.
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
