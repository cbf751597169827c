-- |
-- Module:      GHC.OpenMP.Internal.Task
-- Description: Explicit tasks with Haskell bodies
module GHC.OpenMP.Internal.Task () where
