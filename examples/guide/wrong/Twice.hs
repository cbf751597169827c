{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE LinearTypes #-}
module Twice (twice) where

import Data.Array.Linear (Slice, Split (..), (&))
import qualified Data.Array.Linear as L

-- | Writes to the left part after it has been given back.
twice :: Slice p Int %1 -> (Slice p Int, ())
twice array = L.halve array & \(Split join left right) ->
  (L.combine join left right, L.discard (L.fill 7 left))
