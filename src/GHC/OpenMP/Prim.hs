-- |
-- Module:      GHC.OpenMP.Prim
-- Description: Primitive operations in Cmm
module GHC.OpenMP.Prim () where
