-- GHC 9.0 to 9.10 do not ask what becomes of the fields that a record pattern leaves out.
-- compiles: 9.0 9.6 9.10
-- expect: multiplicity|[Nn]on-linear
{-# LANGUAGE LinearTypes #-}
module Main (main) where

import Data.Array.Linear (Slice, Ur (..), (&))
import qualified Data.Array.Linear as L

data Held p = Held { token :: Slice p Int, unit :: () }

lose :: Held p %1 -> ()
lose Held { unit = () } = ()

main :: IO ()
main = print (L.alloc 3 0 (\s -> lose (Held { token = s, unit = () }) & \() -> Ur 'x'))
