{-# LANGUAGE DataKinds #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE GADTs #-}
{-# LANGUAGE KindSignatures #-}
{-# LANGUAGE LinearTypes #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module:      Data.Array.Linear.Record
-- Description: Several linear arrays as one
--
-- A record of slices of one length ("Data.Array.Linear"), such as the positions and the velocities of bodies, is split,
-- combined and divided among threads as one. Its type has the list of its slices' names as its last parameter:
--
-- @
-- data Bodies names where
--     Bodies :: Slice x Double %1 -> Slice v Double %1 -> Bodies \'[x, v]
--
-- instance Record Bodies where
--     type Fields Bodies = \'[Double, Double]
--     toColumns (Bodies x v) = x :& v :& End
--     fromColumns (x :& v :& End) = Bodies x v
-- @
--
-- A function on a part of any names must return that part's slices in their places, as for a single slice. All of this
-- is made of 'L.split' and 'L.combine' for each slice, so it has their guarantees, for any instance. An instance that
-- does more than taking apart and building (one that writes elements, say) may change results, but two threads never
-- have tokens for one element.
--
-- The importing module needs @DataKinds@, @GADTs@, @LinearTypes@ and @TypeFamilies@. Import this module qualified,
-- except for types and ':&'. Functions on a single slice ('L.map', 'L.lend', 'L.freeze') are for the fields. A record
-- may be returned where 'L.Owned' requires tokens. Slices of different lengths are an @ErrorCall@.
module Data.Array.Linear.Record
    ( -- * Records
      Record (..)
    , Columns (..)
    , Storables
    , length
      -- * Two parts
    , SplitRecord (..)
    , Joins
    , split
    , halve
    , combine
    , parCombine
      -- * Any number of parts
    , RecordParts
    , splitEvenly
    , splitSizes
    , combineParts
    , mapParts
    , parParts
    , parChunks
    ) where

import Prelude
    ( Eq (..), IO, Int, Num (..), Ord (..), Show (..), String
    , all, otherwise, quot, quotRem, replicate, seq, ($), (++)
    )

import Control.Exception (ErrorCall (..), throw)
import Data.Kind (Type)
import GHC.Exts (RealWorld, State#, runRW#)
import GHC.IO (IO (..), unIO)

import qualified Data.Array.Linear as L
import Data.Array.Linear (Ur (..), (&))
import Data.Array.Linear.Internal
    ( Columns (..), Joins (..), Record (..), Settled (..), Slice (..), SplitColumns (..), Storables (..), belowOne
    , linearly
    )
import Data.Array.Linear.Internal.Owner (contents, renewed, retire)
import Data.Array.Linear.Internal.Workers (Workers, both, runAll)

-- $setup
-- >>> import Prelude
-- >>> :set -XLinearTypes -XLambdaCase -XGADTs -XDataKinds -XTypeFamilies
-- >>> import qualified Data.Array.Linear as L
-- >>> import Data.Array.Linear (Slice, Ur (..), (&))
-- >>> import Data.Array.Linear.Parallel (Workers (..))
-- >>> import Data.Array.Linear.Record (Columns (..), Record (..), SplitRecord (..))
-- >>> import qualified Data.Array.Linear.Record as R
-- >>> import OpenMP.Settings (defaults)
-- >>> :{
-- data Bodies names where
--     Bodies :: Slice x Double %1 -> Slice v Double %1 -> Bodies '[x, v]
-- instance Record Bodies where
--     type Fields Bodies = '[Double, Double]
--     toColumns (Bodies x v) = x :& v :& End
--     fromColumns (x :& v :& End) = Bodies x v
-- frozen :: Bodies names %1 -> Ur ([Double], [Double])
-- frozen (Bodies x v) = L.freeze x & \(Ur xs) -> L.freeze v & \(Ur vs) -> Ur (read (show xs), read (show vs))
-- moved :: Double -> Bodies names %1 -> Bodies names
-- moved t (Bodies x v) = L.lend v (\speed -> L.imap (\i at -> at + t * L.index speed i) x) & \(v', x') -> Bodies x' v'
-- :}

-- | The number of elements of each slice; an @ErrorCall@ if they differ.
--
-- >>> :{
-- L.alloc 3 0 (\x -> L.alloc 3 1 (\v ->
--     R.length (Bodies x v) & \(Ur n, bodies) -> frozen bodies & \(Ur _) -> Ur n))
-- :}
-- Ur 3
--
-- @since 0.1.0.0
length :: Record t => t ps %1 -> (Ur Int, t ps)
length t = measured "length" (toColumns t) & \(n, columns) -> (n, fromColumns columns)

-- The columns' common length, an error if it is evaluated and there is none.
measured :: Storables as => String -> Columns as ps %1 -> (Ur Int, Columns as ps)
measured name columns = columnLengths columns & \(Ur lengths, columns') -> (Ur (common name lengths), columns')

common :: String -> [Int] -> Int
common _ [] = 0
common name (n : others)
    | all (== n) others = n
    | otherwise = throw $ ErrorCall $
        "Data.Array.Linear.Record." ++ name ++ ": the slices of a record have different lengths, "
            ++ show (n : others) ++ "; they must have the same"

-- | A record in two parts, and the proof by which they can be combined again.
--
-- @since 0.1.0.0
data SplitRecord t ps where
    SplitRecord :: Joins ps lefts rights -> t lefts %1 -> t rights %1 -> SplitRecord t ps

-- | The first elements of each slice, of that number, and the rest: 'L.split' for a record.
--
-- >>> :{
-- L.alloc 3 0 (\x -> L.alloc 3 1 (\v ->
--     R.split 1 (Bodies x v) & \(SplitRecord js l r) -> frozen (R.combine js l (moved 5 r))))
-- :}
-- Ur ([0.0,5.0,5.0],[1.0,1.0,1.0])
--
-- @since 0.1.0.0
split :: Record t => Int -> t ps %1 -> SplitRecord t ps
split i t = measured "split" (toColumns t) & \(Ur n, columns) ->
    splitColumns "Record.split" (n `seq` i) columns & \(SplitColumns js ls rs) ->
        SplitRecord js (fromColumns ls) (fromColumns rs)

-- | 'split' in the middle; of an odd number of elements, the right half has one more.
--
-- >>> :{
-- L.alloc 3 0 (\x -> L.alloc 3 1 (\v ->
--     R.halve (Bodies x v) & \(SplitRecord js l r) -> frozen (R.combine js (moved 5 l) r)))
-- :}
-- Ur ([5.0,0.0,0.0],[1.0,1.0,1.0])
--
-- @since 0.1.0.0
halve :: Record t => t ps %1 -> SplitRecord t ps
halve t = measured "halve" (toColumns t) & \(Ur n, columns) ->
    splitColumns "Record.halve" (n `quot` 2) columns & \(SplitColumns js ls rs) ->
        SplitRecord js (fromColumns ls) (fromColumns rs)

-- | Combines two parts into the record that was split.
--
-- >>> :{
-- L.alloc 2 0 (\x -> L.alloc 2 1 (\v ->
--     R.halve (Bodies x v) & \(SplitRecord js l r) -> frozen (R.combine js l r)))
-- :}
-- Ur ([0.0,0.0],[1.0,1.0])
--
-- @since 0.1.0.0
combine :: Record t => Joins ps lefts rights -> t lefts %1 -> t rights %1 -> t ps
combine js left right = fromColumns (combineColumns js (toColumns left) (toColumns right))

combineColumns :: Joins ps ls rs -> Columns as ls %1 -> Columns as rs %1 -> Columns as ps
combineColumns NoJoins End End = End
combineColumns (Joins j js) (l :& ls) (r :& rs) = L.combine j l r :& combineColumns js ls rs

-- | 'combine' of the two parts after a function has worked on each, possibly in parallel: as
-- 'Data.Array.Linear.Parallel.parCombine'.
--
-- >>> :{
-- L.alloc 2 0 (\x -> L.alloc 2 1 (\v ->
--     R.halve (Bodies x v) & \(SplitRecord js l r) -> frozen (R.parCombine Sparks js (moved 1) (moved 2) l r)))
-- :}
-- Ur ([1.0,2.0],[1.0,1.0])
--
-- @since 0.1.0.0
parCombine
    :: Record t
    => Workers -> Joins ps lefts rights -> (t lefts %1 -> t lefts) %1 -> (t rights %1 -> t rights) %1
    -> t lefts %1 -> t rights %1 -> t ps
parCombine workers js f g left right =
    linearly (\first -> linearly (both "Data.Array.Linear.Record.parCombine" workers first))
        (\() -> f left) (\() -> g right) & \(left', right') -> combine js left' right'

-- | A record in one or more parts, in order.
--
-- >>> let all' :: R.RecordParts Bodies names %1 -> R.RecordParts Bodies names; all' = R.mapParts (\_ -> moved 1)
--
-- @since 0.1.0.0
data RecordParts (t :: [Type] -> Type) ps where
    Last :: !(Columns (Fields t) ps) %1 -> RecordParts t ps
    More :: Joins ps ls rs -> !(Columns (Fields t) ls) %1 -> RecordParts t rs %1 -> RecordParts t ps

-- | This number of parts, of about the same length, the longer ones first; they may be empty. A number below 1 is an
-- @ErrorCall@.
--
-- >>> :{
-- L.alloc 3 0 (\x -> L.alloc 3 1 (\v ->
--     R.splitEvenly 2 (Bodies x v) & R.mapParts (\_ -> moved 1) & R.combineParts & frozen))
-- :}
-- Ur ([1.0,1.0,1.0],[1.0,1.0,1.0])
--
-- @since 0.1.0.0
splitEvenly :: Record t => Int -> t ps %1 -> RecordParts t ps
splitEvenly count t = measured "splitEvenly" (toColumns t) & \(Ur n, columns) ->
    divide "Record.splitEvenly" (sizes n) columns
  where
    sizes n
        | count < 1 = belowOne "Record.splitEvenly" "number of parts" count
        | otherwise = replicate longer (size + 1) ++ replicate (count - 1 - longer) size
      where
        (size, longer) = n `quotRem` count

-- | Parts of these lengths, and a last one with the remaining elements.
--
-- >>> :{
-- L.alloc 3 0 (\x -> L.alloc 3 1 (\v ->
--     R.splitSizes [1] (Bodies x v) & R.mapParts (\first -> moved (fromIntegral first)) & R.combineParts & frozen))
-- :}
-- Ur ([0.0,1.0,1.0],[1.0,1.0,1.0])
--
-- @since 0.1.0.0
splitSizes :: Record t => [Int] -> t ps %1 -> RecordParts t ps
splitSizes sizes t = measured "splitSizes" (toColumns t) & \(Ur n, columns) ->
    divide "Record.splitSizes" (n `seq` sizes) columns

divide :: Record t => String -> [Int] -> Columns (Fields t) ps %1 -> RecordParts t ps
divide _ [] columns = Last columns
divide name (size : sizes) columns =
    splitColumns name size columns & \(SplitColumns js ls rs) -> More js ls (divide name sizes rs)

-- | Combines all parts into the record that was split.
--
-- >>> :{
-- L.alloc 3 0 (\x -> L.alloc 3 1 (\v ->
--     R.splitEvenly 3 (Bodies x v) & R.combineParts & frozen))
-- :}
-- Ur ([0.0,0.0,0.0],[1.0,1.0,1.0])
--
-- @since 0.1.0.0
combineParts :: Record t => RecordParts t ps %1 -> t ps
combineParts parts = fromColumns (joined parts)

joined :: RecordParts t ps %1 -> Columns (Fields t) ps
joined (Last columns) = columns
joined (More js columns rest) = combineColumns js columns (joined rest)

-- | Applies a function to each part, one after the other. The function gets the index of the part's first element, and
-- must return the part.
--
-- >>> :{
-- L.alloc 3 0 (\x -> L.alloc 3 1 (\v ->
--     R.splitEvenly 3 (Bodies x v) & R.mapParts (\first -> moved (fromIntegral first)) & R.combineParts & frozen))
-- :}
-- Ur ([0.0,1.0,2.0],[1.0,1.0,1.0])
--
-- @since 0.1.0.0
mapParts :: forall t ps. Record t => (forall qs. Int -> t qs %1 -> t qs) -> RecordParts t ps %1 -> RecordParts t ps
mapParts f = go 0
  where
    go :: Int -> RecordParts t qs %1 -> RecordParts t qs
    go first (Last columns) = Last (toColumns (f first (fromColumns columns)))
    go first (More js columns rest) = measured "mapParts" columns & \(Ur n, columns') ->
        More js (toColumns (f first (fromColumns columns'))) (go (first + n) rest)

-- | 'mapParts' with the parts in parallel.
--
-- >>> :{
-- L.alloc 3 0 (\x -> L.alloc 3 1 (\v ->
--     R.splitEvenly 3 (Bodies x v) & R.parParts (Team defaults) (\_ -> moved 2) & R.combineParts & frozen))
-- :}
-- Ur ([2.0,2.0,2.0],[1.0,1.0,1.0])
--
-- @since 0.1.0.0
parParts :: Record t => Workers -> (forall qs. Int -> t qs %1 -> t qs) -> RecordParts t ps %1 -> RecordParts t ps
parParts workers f = linearly (eachPart "Record.parParts" workers f)

-- As eachPart of Data.Array.Linear.Parallel: one action for each part, and the original slices with the state after all
-- actions. The slices are evaluated, in the calling thread, before any action runs: what makes them happens once.
eachPart
    :: forall t ps. Record t
    => String -> Workers -> (forall qs. Int -> t qs %1 -> t qs) -> RecordParts t ps -> RecordParts t ps
eachPart name workers f parts = runRW# $ \s0 ->
    case unIO (runAll ("Data.Array.Linear." ++ name) workers (bodies 0 parts)) s0 of (# s, _ #) -> after s parts
  where
    bodies :: Int -> RecordParts t qs -> [IO ()]
    bodies first (Last columns) = [body first columns]
    bodies first (More _ columns rest) = body first columns : bodies (first + lengthOf columns) rest

    body :: Int -> Columns (Fields t) qs -> IO ()
    body first columns = IO $ \s -> case settleColumns (toColumns (f first (fromColumns columns))) s of
        Settled s' columns' -> (# ended name columns' s', () #)

    lengthOf :: Columns (Fields t) qs -> Int
    lengthOf columns = case columnLengths columns of (Ur lengths, _) -> common "parParts" lengths

    after :: State# RealWorld -> RecordParts t qs -> RecordParts t qs
    after s (Last columns) = case since s columns of Settled _ columns' -> Last columns'
    after s (More js columns rest) = case since s columns of
        Settled s' columns' -> More js columns' (after s' rest)
{-# NOINLINE eachPart #-}

-- The end of each slice's token.
ended :: String -> Columns as ps -> State# RealWorld -> State# RealWorld
ended _ End s = s
ended name (Slice _ owner _ _ :& columns) s = ended name columns (retire name owner s)

-- The slices with new tokens, and the state after these.
since :: State# RealWorld -> Columns as ps -> Settled (Columns as ps)
since s End = Settled s End
since s (Slice p owner n _ :& columns) = case renewed (contents owner) s of
    (# s1, owner' #) -> case since s1 columns of
        Settled s2 columns' -> Settled s2 (Slice p owner' n s1 :& columns')

-- | A function works on each chunk of a number of elements (the last may be shorter), possibly in parallel. It gets the
-- index of the chunk's first element. A size below 1 is an @ErrorCall@.
--
-- >>> :{
-- L.alloc 5 0 (\x -> L.alloc 5 1 (\v ->
--     R.parChunks (Team defaults) 2 (\first -> moved (fromIntegral first)) (Bodies x v) & frozen))
-- :}
-- Ur ([0.0,0.0,2.0,2.0,4.0],[1.0,1.0,1.0,1.0,1.0])
--
-- @since 0.1.0.0
parChunks :: Record t => Workers -> Int -> (forall qs. Int -> t qs %1 -> t qs) -> t ps %1 -> t ps
parChunks workers size f t = measured "parChunks" (toColumns t) & \(Ur n, columns) ->
    divide name (sizes n) columns & linearly (eachPart name workers f) & combineParts
  where
    name = "Record.parChunks"
    sizes n
        | size < 1 = belowOne name "chunk size" size
        | otherwise = replicate ((n - 1) `quot` size) size
