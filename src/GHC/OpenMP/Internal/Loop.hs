-- |
-- Module:      GHC.OpenMP.Internal.Loop
-- Description: Loops shared out to who has a Capability
module GHC.OpenMP.Internal.Loop () where
