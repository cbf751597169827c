{-# LANGUAGE GADTs #-}
{-# LANGUAGE LinearTypes #-}
-- | What Data.Array.Linear.Base uses of linear-base's module of this name, by the same types. That one's Dupable has
-- another method, dupR, which has a default.
module Data.Unrestricted.Linear
    ( Ur (..)
    , Consumable (..)
    , Dupable (..)
    , Movable (..)
    , lseq
    ) where

data Ur a where
    Ur :: a -> Ur a

class Consumable a where
    consume :: a %1 -> ()

class Consumable a => Dupable a where
    dup2 :: a %1 -> (a, a)

class Dupable a => Movable a where
    move :: a %1 -> Ur a

instance Consumable (Ur a) where
    consume (Ur _) = ()

lseq :: Consumable a => a %1 -> b %1 -> b
lseq a b = first (consume a) b
  where
    first :: () %1 -> c %1 -> c
    first () c = c
