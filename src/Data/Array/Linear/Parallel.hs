-- |
-- Module:      Data.Array.Linear.Parallel
-- Description: Parts of a linear array worked on in parallel
module Data.Array.Linear.Parallel () where
