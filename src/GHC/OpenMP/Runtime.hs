-- |
-- Module:      GHC.OpenMP.Runtime
-- Description: Which runtime serves the process
module GHC.OpenMP.Runtime () where
