-- |
-- Module:      GHC.OpenMP
-- Description: The OpenMP runtime that this package links into a program
--
-- A package that depends on @ghc-openmp@ has its OpenMP code (C, C++ or Fortran, compiled with @-fopenmp@ in
-- @cc-options@, not at the link) served by this runtime. Nothing needs to be called for that. This module has what
-- such a program may want: which runtime serves it, the settings of its regions, and what @omp.h@ tells.
--
-- A call to C that opens a region must be imported @safe@: it waits for other threads, and the collector must not wait
-- for it.
--
-- "GHC.OpenMP.Parallel" has regions with Haskell bodies, "GHC.OpenMP.Callback" Haskell functions for C's regions.
module GHC.OpenMP
    ( module GHC.OpenMP.Runtime
    , module GHC.OpenMP.Settings
    , module GHC.OpenMP.Query
    , module GHC.OpenMP.Statistics
    ) where

import GHC.OpenMP.Query
import GHC.OpenMP.Runtime
import GHC.OpenMP.Settings
import GHC.OpenMP.Statistics
