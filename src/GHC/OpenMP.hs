-- |
-- Module:      GHC.OpenMP
-- Description: The OpenMP runtime that this package links into a program
--
-- A package that depends on @ghc-openmp@ has its OpenMP code (C, C++ or Fortran, compiled with @-fopenmp@ in
-- @cc-options@, not at the link) served by this runtime. Nothing needs to be called for that. This module
-- says which runtime serves the process, and reads and sets what @omp.h@ offers for it.
--
-- OpenMP keeps its settings for each operating system thread that opens regions, and a Haskell thread may be
-- on another operating system thread at each foreign call. Settings hold for a sequence of calls inside of
-- 'Control.Concurrent.runInBoundThread' (and in @main@ of a @-threaded@ program, which is bound).
--
-- A call that opens a region must be imported @safe@: it waits for other threads, and the collector must not
-- wait for it.
module GHC.OpenMP
    ( -- * The runtime
      Runtime (..)
    , runtime
      -- * Settings
    , getMaxThreads
    , setNumThreads
    , getNumProcs
    , getThreadLimit
    , getDynamic
    , setDynamic
    , getMaxActiveLevels
    , setMaxActiveLevels
      -- * Where the caller is
    , getThreadNum
    , getNumThreads
    , getLevel
    , inParallel
    , getWtime
    ) where

import Control.Exception (ErrorCall (..), throwIO)
import Foreign.C.String (CString, peekCString)
import Foreign.C.Types (CDouble (..), CInt (..))

-- | What runs the parallel regions of this process.
data Runtime = Runtime
    { runtimeVersion :: String        -- ^ of this package's runtime, such as @0.1.0@
    , runtimeHost    :: String        -- ^ what its threads live in: @ghc@ or @posix@
    , runtimeOrigin  :: String        -- ^ how that was found: @linked@, @loaded@, @companion@ or @posix@
    , runtimeGhc     :: Maybe String  -- ^ the GHC whose runtime system is the host
    , runtimeServes  :: Bool
      -- ^ whether OpenMP code of the process reaches this runtime. 'False' when the program links another one
      -- itself
      -- (@-lgomp@, or @-fopenmp@ at the link of a @-dynamic@ program).
    , runtimeObject  :: FilePath      -- ^ the file that OpenMP code reaches
    }
    deriving (Eq, Show)

-- | Which runtime serves this process. Chooses its host, as the first region would.
--
-- >>> r <- runtime
-- >>> (runtimeHost r, runtimeServes r)
-- ("ghc",True)
runtime :: IO Runtime
runtime = do
    host <- peekCString =<< c_host_name
    origin <- peekCString =<< c_host_origin
    version <- peekCString =<< c_version
    ghc <- peekCString =<< c_ghc_version
    serves <- c_serves
    object <- peekCString =<< c_serving_object
    pure Runtime { runtimeVersion = version, runtimeHost = host, runtimeOrigin = origin
                 , runtimeGhc = if null ghc then Nothing else Just ghc
                 , runtimeServes = serves /= 0, runtimeObject = object }

-- | The number of threads that a region opened now would get, without a @num_threads@ clause.
getMaxThreads :: IO Int
getMaxThreads = fromIntegral <$> c_get_max_threads

-- | The number of threads of the regions that this thread opens from now on; at least 1, otherwise an
-- 'ErrorCall'.
--
-- >>> setNumThreads 3 >> getMaxThreads
-- 3
setNumThreads :: Int -> IO ()
setNumThreads = positive "setNumThreads" c_set_num_threads

-- | The number of CPUs that the process may use.
getNumProcs :: IO Int
getNumProcs = fromIntegral <$> c_get_num_procs

-- | The most threads that a contention group may have (@OMP_THREAD_LIMIT@).
getThreadLimit :: IO Int
getThreadLimit = fromIntegral <$> c_get_thread_limit

-- | Whether the runtime may give a region fewer threads than it asks for. It then gives only what Haskell
-- leaves idle.
getDynamic :: IO Bool
getDynamic = (/= 0) <$> c_get_dynamic

-- | See 'getDynamic'.
setDynamic :: Bool -> IO ()
setDynamic = c_set_dynamic . fromIntegral . fromEnum

-- | How many nested regions may be active, that is, have more than one thread.
getMaxActiveLevels :: IO Int
getMaxActiveLevels = fromIntegral <$> c_get_max_active_levels

-- | See 'getMaxActiveLevels'; at least 1, otherwise an 'ErrorCall'.
setMaxActiveLevels :: Int -> IO ()
setMaxActiveLevels = positive "setMaxActiveLevels" c_set_max_active_levels

-- | The caller's number in its team: 0 outside of parallel regions. In a callback from a worker, the
-- worker's.
getThreadNum :: IO Int
getThreadNum = fromIntegral <$> c_get_thread_num

-- | The size of the caller's team: 1 outside of parallel regions.
getNumThreads :: IO Int
getNumThreads = fromIntegral <$> c_get_num_threads

-- | How many regions the caller is inside of.
getLevel :: IO Int
getLevel = fromIntegral <$> c_get_level

-- | Whether one of them is active.
inParallel :: IO Bool
inParallel = (/= 0) <$> c_in_parallel

-- | Seconds since a fixed moment.
getWtime :: IO Double
getWtime = (\(CDouble d) -> d) <$> c_get_wtime

positive :: String -> (CInt -> IO ()) -> Int -> IO ()
positive name f n
    | n >= 1 && n <= fromIntegral (maxBound :: CInt) = f (fromIntegral n)
    | otherwise = throwIO (ErrorCall ("GHC.OpenMP." ++ name ++ ": " ++ show n ++ " is not a positive C int"))

-- Safe: these may choose the host, which can take milliseconds.
foreign import ccall safe "ghcomp_host_name" c_host_name :: IO CString
foreign import ccall safe "ghcomp_host_origin" c_host_origin :: IO CString
foreign import ccall safe "ghcomp_ghc_version" c_ghc_version :: IO CString

-- Unsafe, all of these: they read or write a word of the calling thread's and never wait.
foreign import ccall unsafe "ghcomp_version" c_version :: IO CString
foreign import ccall unsafe "ghcomp_hs_serves" c_serves :: IO CInt
foreign import ccall unsafe "ghcomp_hs_serving_object" c_serving_object :: IO CString
foreign import ccall unsafe "omp_get_max_threads" c_get_max_threads :: IO CInt
foreign import ccall unsafe "omp_set_num_threads" c_set_num_threads :: CInt -> IO ()
foreign import ccall unsafe "omp_get_num_procs" c_get_num_procs :: IO CInt
foreign import ccall unsafe "omp_get_thread_limit" c_get_thread_limit :: IO CInt
foreign import ccall unsafe "omp_get_dynamic" c_get_dynamic :: IO CInt
foreign import ccall unsafe "omp_set_dynamic" c_set_dynamic :: CInt -> IO ()
foreign import ccall unsafe "omp_get_max_active_levels" c_get_max_active_levels :: IO CInt
foreign import ccall unsafe "omp_set_max_active_levels" c_set_max_active_levels :: CInt -> IO ()
foreign import ccall unsafe "omp_get_thread_num" c_get_thread_num :: IO CInt
foreign import ccall unsafe "omp_get_num_threads" c_get_num_threads :: IO CInt
foreign import ccall unsafe "omp_get_level" c_get_level :: IO CInt
foreign import ccall unsafe "omp_in_parallel" c_in_parallel :: IO CInt
foreign import ccall unsafe "omp_get_wtime" c_get_wtime :: IO CDouble
