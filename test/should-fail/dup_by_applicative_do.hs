-- Under ApplicativeDo, GHC 9.0 to 9.10 do not count the uses of a variable that a statement of `do` binds.
-- compiles: 9.0 9.6 9.10
-- expect: multiplicity|[Nn]on-linear
-- ends: Data.Array.Linear.(freeze|discard): this slice was used before
{-# LANGUAGE ApplicativeDo #-}
{-# LANGUAGE LinearTypes #-}
module Main (main) where

import Data.Array.Linear (Slice, Ur (..), (&))
import qualified Data.Array.Linear as L

data One a = One a

instance Functor One where
    fmap f (One a) = One (f a)

instance Applicative One where
    pure = One
    One f <*> One a = One (f a)

twice :: Slice p Int %1 -> One (Slice p Int, Slice p Int)
twice s = do { token <- One s; pure (token, token) }

main :: IO ()
main = print (L.alloc 2 0 (\s -> twice s & \(One (a, b)) -> L.discard b & \() -> L.freeze a & \(Ur v) -> Ur v))
