-- |
-- Module:      Data.Array.Linear
-- Description: Arrays whose parts are owned by linear tokens
module Data.Array.Linear () where
