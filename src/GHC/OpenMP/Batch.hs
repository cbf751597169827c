-- |
-- Module:      GHC.OpenMP.Batch
-- Description: Many C calls for one release of the Capability
module GHC.OpenMP.Batch () where
