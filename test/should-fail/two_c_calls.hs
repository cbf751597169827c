{-# LANGUAGE GADTs, LinearTypes #-}
-- Two C calls are given the same token.
-- expect: Couldn't match type "Many" with "One" arising from multiplicity of "s"
module Main (main) where

import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s ->
    L.unsafeWithSliceC (\_ _ -> pure ()) s & \(Ur (), t) -> L.unsafeWithSliceC (\_ _ -> pure ()) s & \(Ur (), u) ->
    L.discard t & \() -> L.freeze u))
