-- |
-- Module:      GHC.OpenMP.Internal.Team
-- Description: Constructs inside of a region
module GHC.OpenMP.Internal.Team () where
