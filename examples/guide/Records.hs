{-# LANGUAGE DataKinds #-}
{-# LANGUAGE GADTs #-}
{-# LANGUAGE LinearTypes #-}
{-# LANGUAGE TypeFamilies #-}
module Main (main) where

import qualified Data.Vector.Storable as V

import Data.Array.Linear (Slice, Ur (..), (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel (Workers (..))
import Data.Array.Linear.Record (Columns (..), Record (..))
import qualified Data.Array.Linear.Record as R
import OpenMP (defaults)

-- | Positions and velocities.
data Bodies names where
  Bodies :: Slice x Double %1 -> Slice v Double %1 -> Bodies '[x, v]

instance Record Bodies where
  type Fields Bodies = '[Double, Double]
  toColumns (Bodies x v) = x :& v :& End
  fromColumns (x :& v :& End) = Bodies x v

-- | A step of time for a part of the bodies: they move, and those beyond the wall turn round.
step :: Double -> Bodies names %1 -> Bodies names
step t (Bodies x v) =
  L.lend v (\speed -> L.imap (\i at -> at + t * L.index speed i) x) & \(v', x') ->
    L.lend x' (\at -> L.imap (\i speed -> if L.index at i > 5 then -speed else speed) v') & \(x'', v'') ->
      Bodies x'' v''

-- | A step for all of them, 2 at a time.
simulated :: Ur (V.Vector Double, V.Vector Double)
simulated = L.generate 6 fromIntegral (\x -> L.alloc 6 1 (\v ->
  R.parChunks (Team defaults) 2 (\_ -> step 0.5) (Bodies x v) & frozen))

frozen :: Bodies names %1 -> Ur (V.Vector Double, V.Vector Double)
frozen (Bodies x v) = L.freeze x & \(Ur xs) -> L.freeze v & \(Ur vs) -> Ur (xs, vs)

main :: IO ()
main = print simulated
