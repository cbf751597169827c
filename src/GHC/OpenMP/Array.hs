-- |
-- Module:      GHC.OpenMP.Array
-- Description: Pinned, unboxed arrays that C and Haskell share
module GHC.OpenMP.Array () where
