{-# LANGUAGE LinearTypes #-}
-- | This must not compile: the view of a lent slice leaves the borrow in linear-base's Ur.
module View (view) where

import Data.Unrestricted.Linear (Ur (..), lseq)
import Prelude.Linear ((&))

import qualified Data.Array.Linear as L
import Data.Array.Linear.Base

view :: Char
view = L.unur (L.alloc 3 'x' (\s -> L.lend s Ur & \(s', v) -> s' `lseq` (fromBase v & \(L.Ur w) -> L.Ur (L.index w 0))))
