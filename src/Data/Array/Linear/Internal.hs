-- |
-- Module:      Data.Array.Linear.Internal
-- Description: The representation below Data.Array.Linear
module Data.Array.Linear.Internal () where
