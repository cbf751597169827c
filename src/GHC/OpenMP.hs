-- |
-- Module:      GHC.OpenMP
-- Description: The OpenMP runtime that this package links into a program
--
-- This runtime serves the OpenMP code of a package that depends on @ghc-openmp@ (C, C++ or Fortran, compiled with
-- @-fopenmp@ in @cc-options@, not at the link). No initialisation is needed. This module has functions for such a
-- program: which runtime serves it, the settings of its regions, and the queries of @omp.h@.
--
-- A C function that opens a region must be imported @safe@: it waits for other threads, and during an unsafe call the
-- collector would have to wait for it.
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
