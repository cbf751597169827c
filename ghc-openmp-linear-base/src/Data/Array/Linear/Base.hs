{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE LinearTypes #-}
{-# LANGUAGE UndecidableInstances #-}
-- The classes are those of one package and the types those of another: that is what this one is for.
{-# OPTIONS_GHC -Wno-orphans #-}
-- |
-- Module:      Data.Array.Linear.Base
-- Description: Linear arrays beside linear-base
--
-- "Data.Array.Linear" and the package linear-base have a type @Ur@ each, of one form. These functions convert, in
-- linear code, too. With the instances,
--
-- * 'Data.Unrestricted.Linear.consume' discards a slice, and parts of one;
-- * 'L.Ur' is of the classes 'Consumable', 'Dupable' and 'Movable';
-- * what a borrow or a parallel computation returns may have linear-base's @Ur@ where it could have 'L.Ur'.
--
-- Import one of the two operators @&@ only: that of "Prelude.Linear" is as good for tokens as that of
-- "Data.Array.Linear".
module Data.Array.Linear.Base
    ( toBase
    , fromBase
    ) where

import Data.Unrestricted.Linear (Consumable (..), Dupable (..), Movable (..))
import qualified Data.Unrestricted.Linear as Base

import Data.Array.Linear ((&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Internal (Owned (..), Settled (..))

-- | An unrestricted value of "Data.Array.Linear" as one of linear-base.
--
-- @since 0.1.0.0
toBase :: L.Ur a %1 -> Base.Ur a
toBase (L.Ur a) = Base.Ur a

-- | An unrestricted value of linear-base as one of "Data.Array.Linear": the result that 'L.alloc' expects, for example.
--
-- @since 0.1.0.0
fromBase :: Base.Ur a %1 -> L.Ur a
fromBase (Base.Ur a) = L.Ur a

instance Consumable (L.Ur a) where
    consume (L.Ur _) = ()

instance Dupable (L.Ur a) where
    dup2 (L.Ur a) = (L.Ur a, L.Ur a)

instance Movable (L.Ur a) where
    move (L.Ur a) = Base.Ur (L.Ur a)

instance Consumable (L.Slice p a) where
    consume = L.discard

instance Consumable (L.Parts p a) where
    consume parts = L.discard (L.combineParts parts)

-- | Settled as 'L.Ur' is, and with its errors.
instance {-# OVERLAPPING #-} Owned (L.Ur a) => Owned (Base.Ur a) where
    settle (Base.Ur a) s = settle (L.Ur a) s & \(Settled s' (L.Ur a')) -> Settled s' (Base.Ur a')
