{-# LANGUAGE LinearTypes #-}
{-# LANGUAGE RankNTypes #-}
-- | What Data.Array.Linear.Base's programs use of linear-base's module of this name, by the same types.
module Prelude.Linear
    ( (&)
    ) where

import Prelude ()

infixl 1 &

(&) :: forall a b p q. a %p -> (a %p -> b) %q -> b
x & f = f x
