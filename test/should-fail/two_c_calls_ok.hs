{-# LANGUAGE GADTs, LinearTypes #-}
-- The second call is given what the first gave back.
module Main (main) where

import Data.Array.Linear (Ur (..), (&))
import qualified Data.Array.Linear as L

main :: IO ()
main = print (L.alloc 4 'x' (\s ->
    L.unsafeWithSliceC (\_ _ -> pure ()) s & \(Ur (), t) ->
    L.unsafeWithSliceC (\_ _ -> pure ()) t & \(Ur (), u) -> L.freeze u))
