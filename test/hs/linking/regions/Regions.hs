-- | A region of this package's own C, and the runtime that ran it.
module Regions (facts) where

import Data.List (isInfixOf, nub)
import Foreign.C.Types (CInt (..), CLong (..))
import Foreign.Marshal.Alloc (alloca)
import Foreign.Ptr (Ptr)
import Foreign.Storable (peek)

import OpenMP

-- Safe: it waits for the threads of its team.
foreign import ccall safe "regions_sum" regionsSum :: CLong -> CInt -> Ptr CInt -> Ptr CInt -> IO CLong

-- | One line: which runtime serves, what a region of three threads gave, how many threads ghc-openmp has made, how many
-- a region may have by itself, and how many runtime systems of GHC the process has loaded as shared objects.
facts :: IO String
facts = alloca $ \team -> alloca $ \workers -> do
    total <- regionsSum 100 3 team workers
    size <- peek team
    made <- peek workers
    most <- getMaxThreads
    r <- runtime
    maps <- readFile "/proc/self/maps"
    let loaded = nub [ last ws | ws <- map words (lines maps), length ws == 6 ]
        systems = length [ () | file <- loaded, any (`isInfixOf` file) ["/libHSrts", "/libghcomp_rts"] ]
    pure (unwords
        [ "serves=" ++ show (runtimeServes r), "host=" ++ runtimeHost r, "origin=" ++ runtimeOrigin r
        , "sum=" ++ show total, "team=" ++ show size, "workers=" ++ show made
        , "most=" ++ show most, "rts=" ++ show systems
        , "object=" ++ reverse (takeWhile (/= '/') (reverse (runtimeObject r))) ])
