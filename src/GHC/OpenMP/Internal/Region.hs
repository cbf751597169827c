-- |
-- Module:      GHC.OpenMP.Internal.Region
-- Description: Regions whose members enter Haskell once
module GHC.OpenMP.Internal.Region () where
