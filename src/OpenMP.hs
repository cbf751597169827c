-- |
-- Module:      OpenMP
-- Description: The OpenMP runtime that this package links into a program
--
-- This runtime serves the OpenMP code of a package that depends on @ghc-openmp@ (C, C++ or Fortran, compiled with
-- @-fopenmp@ in @cc-options@, not at the link). No initialisation is needed. This module has functions for such a
-- program: which runtime serves it, the settings of its regions, and the queries of @omp.h@.
--
-- A C function that opens a region must be imported @safe@: it waits for other threads, and during an unsafe call the
-- collector would have to wait for it.
--
-- "OpenMP.Parallel" has regions with Haskell bodies, "OpenMP.Callback" Haskell functions for C's regions.
module OpenMP
    ( module OpenMP.Runtime
    , module OpenMP.Settings
    , module OpenMP.Query
    , module OpenMP.Statistics
    ) where

import OpenMP.Query
import OpenMP.Runtime
import OpenMP.Settings
import OpenMP.Statistics
