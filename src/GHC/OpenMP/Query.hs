-- |
-- Module:      GHC.OpenMP.Query
-- Description: What omp.h tells about the caller and the machine
module GHC.OpenMP.Query () where
