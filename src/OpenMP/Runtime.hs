-- |
-- Module:      OpenMP.Runtime
-- Description: Which runtime serves the process
--
-- OpenMP code of a process runs on the runtime whose symbols the loader finds first. In a program that depends on this
-- package that is this package's runtime, unless the program is @-dynamic@ and links another one itself (@-lgomp@, or
-- @-fopenmp@ at the link), or gets one by @LD_PRELOAD@. The program then prints one line about it on stderr when it
-- starts.
--
-- Regions with Haskell bodies ("OpenMP.Parallel") and the queries of "OpenMP.Query" use this package's runtime
-- in any case; "OpenMP.Settings" refuses settings that would not reach the other one.
--
-- All functions here are valid in every Haskell thread.
module OpenMP.Runtime
    ( Runtime (..)
    , runtime
    , requireRuntime
    , Visibility (..)
    , capabilityVisibility
    ) where

import Control.Monad (unless)
import Foreign.C.String (CString, peekCString)
import Foreign.C.Types (CInt (..))

import OpenMP.Internal.Settings (boolFromC, reject)

-- | What runs the parallel regions of this process.
--
-- >>> take 4 . runtimeVersion <$> runtime
-- "0.1."
--
-- @since 0.1.0.0
data Runtime = Runtime
    { runtimeVersion :: String        -- ^ of this package's runtime, such as @0.1.0@
    , runtimeHost    :: String        -- ^ the host of its threads: @ghc@ or @posix@
    , runtimeOrigin  :: String        -- ^ how that was found: @linked@, @loaded@, @companion@ or @posix@
    , runtimeGhc     :: Maybe String  -- ^ the GHC whose runtime system is the host
    , runtimeServes  :: Bool          -- ^ whether OpenMP code of the process runs on this package's runtime
    , runtimeObject  :: FilePath      -- ^ the file whose symbols it uses: the program, or a shared library
    }
    deriving (Eq, Show)

-- | Which runtime serves this process. Chooses the host, as the first region would.
--
-- >>> r <- runtime
-- >>> (runtimeHost r, runtimeServes r)
-- ("ghc",True)
--
-- @since 0.1.0.0
runtime :: IO Runtime
runtime = do
    host <- peekCString =<< c_host_name
    origin <- peekCString =<< c_host_origin
    version <- peekCString =<< c_version
    ghc <- peekCString =<< c_ghc_version
    serves <- boolFromC <$> c_serves
    object <- peekCString =<< c_serving_object
    pure Runtime { runtimeVersion = version, runtimeHost = host, runtimeOrigin = origin
                 , runtimeGhc = if null ghc then Nothing else Just ghc
                 , runtimeServes = serves, runtimeObject = object }

-- | Whether the runtime sees which Capabilities are busy, and so how many CPUs Haskell needs. Regions with dynamic
-- adjustment and Haskell loops depend on it.
--
-- >>> [minBound .. maxBound :: Visibility]
-- [VisibilityNone,VisibilityFinding,VisibilityUnaware,VisibilityAware]
--
-- @since 0.1.0.0
data Visibility
    = VisibilityNone
      -- ^ There are none: the host is not chosen yet, or has no Capabilities.
    | VisibilityFinding
      -- ^ Some Capabilities have not been found yet; they count as busy. Finding them takes about a millisecond, or as
      -- long as Haskell threads keep them busy.
    | VisibilityUnaware
      -- ^ Capabilities are not where the runtime expects them. It acts as on POSIX threads.
    | VisibilityAware
    deriving (Eq, Show, Enum, Bounded)

-- | The visibility of Capabilities now. Does not choose the host, and does not wait.
--
-- >>> _ <- runtime
-- >>> visibility <- capabilityVisibility
-- >>> visibility `elem` [VisibilityFinding, VisibilityAware]
-- True
--
-- @since 0.1.0.0
capabilityVisibility :: IO Visibility
capabilityVisibility = do
    name <- peekCString =<< c_visibility
    pure $ case name of
        "aware"   -> VisibilityAware
        "finding" -> VisibilityFinding
        "unaware" -> VisibilityUnaware
        _         -> VisibilityNone

-- | Returns if this package's runtime serves the process; otherwise throws an t'Control.Exception.ErrorCall' that names
-- the object that does, and what to do. Call it at the start of a program whose speed or settings depend on the
-- runtime.
--
-- >>> requireRuntime
--
-- @since 0.1.0.0
requireRuntime :: IO ()
requireRuntime = do
    serves <- boolFromC <$> c_serves
    unless serves $ do
        object <- peekCString =<< c_serving_object
        reject "requireRuntime"
            [ "OpenMP code of this program runs on " ++ object ++ ", not on ghc-openmp; link without -lgomp, and "
                ++ "give -fopenmp to the C compiler alone (cc-options), not to the link" ]

-- Safe calls: these may choose the host, which can take milliseconds.
foreign import ccall safe "ghcomp_host_name" c_host_name :: IO CString
foreign import ccall safe "ghcomp_host_origin" c_host_origin :: IO CString
foreign import ccall safe "ghcomp_ghc_version" c_ghc_version :: IO CString

-- Unsafe calls: these read a few words.
foreign import ccall unsafe "ghcomp_version" c_version :: IO CString
foreign import ccall unsafe "ghcomp_capability_visibility" c_visibility :: IO CString
foreign import ccall unsafe "ghcomp_hs_serves" c_serves :: IO CInt
foreign import ccall unsafe "ghcomp_hs_serving_object" c_serving_object :: IO CString
