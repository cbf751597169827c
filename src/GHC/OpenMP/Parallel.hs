-- |
-- Module:      GHC.OpenMP.Parallel
-- Description: Parallel regions with Haskell bodies
module GHC.OpenMP.Parallel () where
