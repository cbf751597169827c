-- |
-- Module:      GHC.OpenMP.Callback
-- Description: Haskell functions that C calls from any worker
module GHC.OpenMP.Callback () where
