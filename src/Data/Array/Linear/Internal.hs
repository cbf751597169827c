{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveTraversable #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE GADTs #-}
{-# LANGUAGE KindSignatures #-}
{-# LANGUAGE LinearTypes #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE RoleAnnotations #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UndecidableInstances #-}
-- vector's conversions require Storable before 0.13, and not from 0.13 on.
{-# OPTIONS_GHC -Wno-redundant-constraints #-}

-- |
-- Module:      Data.Array.Linear.Internal
-- Description: The representation below Data.Array.Linear
--
-- The basis of the proofs of "Data.Array.Linear". Code that uses the constructors of this module must make these proofs
-- itself.
--
-- = One token, one region
--
-- A type @p@ of a t'Slice' names one region of memory: 'alloc' and 'split' introduce their names by a @forall@ and by
-- existentials, so code cannot choose a name that exists. Every function that takes a slice takes it linearly and
-- returns one slice of the same name, or splits the name ('split') or joins two ('combine', by the t'Join' that only
-- that split made). So there is at most one token for each name, and the regions of all tokens that exist at one moment
-- are disjoint. The names are nominal: 'Data.Coerce.coerce' does not change them.
--
-- Where GHC does not count the uses of a variable, a flag in each token does, when the program runs:
-- "Data.Array.Linear.Internal.Owner". Every operation that ends a token calls 'retire' in the token's state.
--
-- = Effects behind pure functions
--
-- A slice holds the state token of the memory that it owns, like the one that an t'IO' action takes and returns. An
-- operation passes the slice's state token to its primitive operations and puts the one that they return into the slice
-- that it returns. So GHC sees the order: each effect needs the state that the previous effect made. Linearity makes
-- this sound outside of a monad, since each state token is used once.
--
-- * 'split' makes a separate state for each part, by the flag that it makes for it. If both had the same, GHC could
--   merge equal expressions on two empty parts.
-- * 'combine' makes its state by a @touch#@ of the right part, evaluated, after the left part's state. It depends on
--   all effects of both.
-- * 'alloc' starts a state by @runRW#@, as 'Control.Monad.ST.runST' does: GHC does not inline that before its last
--   pass. 'alloc' itself is not inlined, so that the continuation's slice is a lambda's variable and nothing that
--   depends on it can leave the lambda. Two calls with equal arguments may be shared. This shares a result, never a
--   buffer that still has an owner: a slice cannot be in a result of type t'Ur'. @noDuplicate#@ keeps two threads that
--   need the same result from both computing it, since the computation may call C and open parallel regions.
-- * An unevaluated slice is a thunk with effects. Its one consumer is within the evaluation of one 'alloc', so one
--   thread enters it. Where a second thread may enter it (a spark), "Data.Array.Linear.Parallel" begins the thunk by
--   @noDuplicate#@.
-- * 'lend' and 'freeze' return memory that is read without a state, so a read must not move before the last write or
--   after the next one. Neither is inlined, so that GHC gets the address of this memory only from their call, which
--   needs the state after the last write. After the next write no read is left: see 'Owned'.
module Data.Array.Linear.Internal
    ( -- * Unrestricted values
      Ur (..)
    , unur
    , (&)
      -- * Tokens
    , Slice (..)
    , Join (..)
    , Split (..)
    , split
    , splitOf
    , combine
      -- * Beginning and end
    , Whole
    , alloc
    , allocWith
    , freeze
    , discard
      -- * Effects
    , perform
    , perform_
    , performAll
    , performAll_
    , foreignPtr
    , unsafeWithSliceC
      -- * Borrows
    , View (..)
    , lend
    , Owned (..)
    , Settled (..)
    , OnlyTokens
    , ViewEscapes
      -- * Records
    , Columns (..)
    , Record (..)
    , Storables (..)
    , Joins (..)
    , SplitColumns (..)
      -- * Trust
    , linearly
    , outOfBounds
    , belowOne
    , ofLength
    ) where

import Control.DeepSeq (NFData (..))
import Control.Exception (ErrorCall (..), throw)
import Data.Kind (Type)
import qualified Data.Vector.Storable as V
import Foreign.ForeignPtr (withForeignPtr)
import Foreign.Marshal.Alloc (alloca)
import Foreign.Ptr (Ptr, plusPtr)
import Foreign.Storable (Storable (..))
import GHC.Exts (RealWorld, State#, noDuplicate#, runRW#, touch#)
import GHC.ForeignPtr (ForeignPtr (..))
import GHC.IO (unIO)
import GHC.Ptr (Ptr (..))
import GHC.TypeLits (ErrorMessage (..), TypeError)
import OpenMP.Array (Array)
import qualified OpenMP.Array as A
import Unsafe.Coerce (unsafeCoerce)

import Data.Array.Linear.Internal.Owner (Owner, alive, contents, joined, parted, renewed, retire)

-- $setup
-- >>> :set -XLinearTypes -XLambdaCase -XGADTs -XDataKinds -XTypeFamilies
-- >>> import qualified Data.Array.Linear as L
-- >>> import Data.Array.Linear (Slice, Split (..), Ur (..), unur, (&))
-- >>> import Data.Array.Linear.Record (Columns (..), Record (..))

-- | An unrestricted value, not a token: it may be used any number of times, also in a linear function. What is done to
-- the value by the instances ('fmap', @do@) is not linear; 'unur' and patterns are.
--
-- >>> Ur 3
-- Ur 3
-- >>> (+ 1) <$> Ur 3
-- Ur 4
--
-- The package linear-base has a type of the same name and form. The package ghc-openmp-linear-base has functions of two
-- lines that convert, in a linear context too, and instances of linear-base's classes. With a type that stands for
-- linear-base's:
--
-- >>> :{
-- data BaseUr a where { BaseUr :: a -> BaseUr a }
-- toBase :: Ur a %1 -> BaseUr a
-- toBase (Ur a) = BaseUr a
-- fromBase :: BaseUr a %1 -> Ur a
-- fromBase (BaseUr a) = Ur a
-- :}
--
-- >>> fromBase (toBase (L.alloc 2 'x' L.freeze))
-- Ur "xx"
--
-- @since 0.1.0.0
data Ur a where
    Ur :: a -> Ur a

deriving instance Eq a => Eq (Ur a)
deriving instance Ord a => Ord (Ur a)
deriving instance Show a => Show (Ur a)
deriving instance Functor Ur
deriving instance Foldable Ur
deriving instance Traversable Ur

instance Applicative Ur where
    pure = Ur
    Ur f <*> Ur a = Ur (f a)

instance Monad Ur where
    Ur a >>= f = f a

instance NFData a => NFData (Ur a) where
    rnf (Ur a) = rnf a

-- | The value in an t'Ur'.
--
-- >>> unur (Ur 3)
-- 3
--
-- @since 0.1.0.0
unur :: Ur a %1 -> a
unur (Ur a) = a
{-# INLINE unur #-}

infixl 1 &

-- | Application with the argument first. With a lambda it replaces @let@ and @case@, which GHC 9.0 does not check as
-- linear: @token & \\case (Ur x, token') -> ...@.
--
-- >>> 'x' & \c -> [c]
-- "x"
--
-- @since 0.1.0.0
(&) :: a %1 -> (a %1 -> b) %1 -> b
x & f = f x
{-# INLINE (&) #-}

-- | The right to read and write one region of an array, and the obligation to pass it on. @p@ names the region; a token
-- is used exactly once, and each operation on it returns the next one.
--
-- The fields are the region's first element, the token's flag with what keeps the memory alive, the number of elements
-- and the state of the memory.
--
-- >>> let bump :: L.Slice p Int %1 -> L.Slice p Int; bump s = s & L.map (+ 1) & L.write 0 9
-- >>> L.generate 3 id (\s -> s & bump & L.freeze)
-- Ur [9,2,3]
--
-- @since 0.1.0.0
data Slice p a where
    Slice :: {-# UNPACK #-} !(Ptr a) -> {-# NOUNPACK #-} !Owner -> {-# UNPACK #-} !Int -> State# RealWorld -> Slice p a

type role Slice nominal nominal

-- | The proof that the regions @left@ and @right@ are the two parts of @p@, in this order.
--
-- >>> :{
-- paint :: L.Join p l r -> L.Slice l Char %1 -> L.Slice r Char %1 -> L.Slice p Char
-- paint j l r = L.combine j (L.fill 'l' l) (L.fill 'r' r)
-- :}
--
-- >>> L.alloc 4 '-' (\s -> s & L.split 1 & \(Split j l r) -> paint j l r & L.freeze)
-- Ur "lrrr"
--
-- @since 0.1.0.0
data Join p left right = Join

type role Join nominal nominal nominal

-- | A slice in two parts, and the proof by which they can be combined again.
--
-- @since 0.1.0.0
data Split p a where
    Split :: Join p left right -> Slice left a %1 -> Slice right a %1 -> Split p a

-- | @split i slice@: the first @i@ elements and the rest; @i@ is from 0 to the slice's length, otherwise an
-- t'ErrorCall'. Copies no element: it makes the two tokens, each with a flag.
--
-- >>> L.alloc 4 'a' (\s -> s & L.split 3 & \(Split j l r) -> L.combine j l (L.fill 'b' r) & L.freeze)
-- Ur "aaab"
--
-- @since 0.1.0.0
split :: Storable a => Int -> Slice p a %1 -> Split p a
split = splitOf "split"
{-# INLINE split #-}

-- | 'split' for a function below @Data.Array.Linear@, which an error names.
splitOf :: forall p a. Storable a => String -> Int -> Slice p a %1 -> Split p a
splitOf name i (Slice p owner n s)
    | i < 0 || i > n = outOfBounds name i "point" n
    | otherwise = case parted name owner s of
        (# s1, left, s2, right #) -> Split Join
            (Slice p left i s1) (Slice (p `plusPtr` (i * sizeOf (undefined :: a))) right (n - i) s2)
{-# INLINE splitOf #-}

-- | Combines two parts into the slice that was split. Only the two parts of one split fit its t'Join'. Nothing is
-- copied.
--
-- >>> L.alloc 2 'a' (\s -> s & L.split 1 & \(Split j l r) -> L.combine j l r & L.freeze)
-- Ur "aa"
--
-- @since 0.1.0.0
combine :: Join p left right -> Slice left a %1 -> Slice right a %1 -> Slice p a
combine Join (Slice p left n s) other = settle other s & \(Settled s' (Slice _ right m _)) ->
    case joined left right s' of (# s'', owner #) -> Slice p owner (n + m) s''
{-# INLINE combine #-}

-- | The name of a whole array within 'alloc', whose type has a variable for it.
data Whole

-- | @alloc n x body@: a new array of @n@ times @x@, for as long as the body runs. The body has the only token, and its
-- result cannot hold one: only what 'freeze' returns of the array can be kept. An t'ErrorCall' when @n@ is negative or
-- the array would not fit the address space. The array is pinned and starts on a 64-byte boundary.
--
-- >>> L.alloc 3 0 (\s -> s & L.write 1 (7 :: Int) & L.freeze)
-- Ur [0,7,0]
--
-- @since 0.1.0.0
alloc :: Storable a => Int -> a -> (forall p. Slice p a %1 -> Ur b) %1 -> Ur b
alloc n x body = linearly (start (ofLength "alloc" n (A.new n x))) body

-- | 'alloc' with an array that the action makes. No other code may use that array. The action runs once for each
-- evaluation of the result.
allocWith :: IO (Array a) -> (forall p. Slice p a %1 -> Ur b) %1 -> Ur b
allocWith make body = linearly (start make) body

start :: IO (Array a) -> (Slice Whole a %1 -> Ur b) -> Ur b
start make body = runRW# $ \s0 -> case noDuplicate# s0 of
    s1 -> case unIO make s1 of
        (# s2, array #) -> case A.toForeignPtr array of
            (ForeignPtr address memory, n) -> case renewed memory s2 of
                (# s3, owner #) -> body (Slice (Ptr address) owner n s3)
{-# NOINLINE start #-}

-- | The region as an immutable vector, without copying: the token is consumed, so the region cannot be written any
-- more. A part of an array may be frozen while other parts are still written.
--
-- >>> L.alloc 2 'x' L.freeze
-- Ur "xx"
--
-- @since 0.1.0.0
freeze :: Storable a => Slice p a %1 -> Ur (V.Vector a)
freeze (Slice p owner n s) = case retire "freeze" owner s of _ -> Ur (V.unsafeFromForeignPtr0 (foreignPtr p owner) n)
{-# NOINLINE freeze #-}

-- | Gives up a region. The unit must be matched; by then the last effects on the region have happened.
--
-- >>> L.alloc 2 'x' (\s -> L.discard s & \() -> Ur "done")
-- Ur "done"
--
-- @since 0.1.0.0
discard :: Slice p a %1 -> ()
discard (Slice _ owner _ s) = case retire "discard" owner s of _ -> ()
{-# NOINLINE discard #-}

-- | The memory from this address on, which the owner keeps alive.
foreignPtr :: Ptr a -> Owner -> ForeignPtr a
foreignPtr (Ptr address) owner = ForeignPtr address (contents owner)
{-# INLINE foreignPtr #-}

-- | Runs an action on the region's memory, after all earlier effects on it and before all later ones. The action must
-- not access other memory that has a token, keep an address, return anything lazy that reads the region, or be one that
-- never ends. For operations on single elements: the token's flag is not read.
perform :: (Ptr a -> Int -> IO r) -> Slice p a %1 -> (Ur r, Slice p a)
perform act (Slice p owner n s) = case unIO (act p n) s of
    (# s', r #) -> case touch# owner s' of s'' -> (Ur r, Slice p owner n s'')
{-# INLINE perform #-}

-- | 'perform' for an action without a result.
perform_ :: (Ptr a -> Int -> IO ()) -> Slice p a %1 -> Slice p a
perform_ act (Slice p owner n s) = case unIO (act p n) s of
    (# s', () #) -> case touch# owner s' of s'' -> Slice p owner n s''
{-# INLINE perform_ #-}

-- | 'perform' for an action on all elements, which reads the token's flag first. An error names the function.
performAll :: String -> (Ptr a -> Int -> IO r) -> Slice p a %1 -> (Ur r, Slice p a)
performAll name act (Slice p owner n s) = perform act (Slice p owner n (alive name owner s))
{-# INLINE performAll #-}

-- | 'performAll' for an action without a result.
performAll_ :: String -> (Ptr a -> Int -> IO ()) -> Slice p a %1 -> Slice p a
performAll_ name act (Slice p owner n s) = perform_ act (Slice p owner n (alive name owner s))
{-# INLINE performAll_ #-}

-- | A C call on the region of a token, with the first element's address and the number of elements. The call has
-- exclusive access to the region until it returns. It is unsafe because the action is any @IO@ and runs within a pure
-- value, as with 'System.IO.Unsafe.unsafePerformIO', and because GHC cannot check C code. The caller must ensure that
-- the call stays within these elements and keeps no address; that the action passes on neither the address nor anything
-- lazy that reads a view, in its result or by an @IORef@; and that it does nothing else that other code can see. An
-- exception ends the whole computation, as in pure code.
--
-- Import C that may take long, calls back or opens OpenMP regions as @safe@.
--
-- >>> import Foreign.Storable (pokeElemOff)
-- >>> L.alloc 3 'a' (\s -> L.unsafeWithSliceC (\p n -> pokeElemOff p (n - 1) 'z') s & \(Ur (), s') -> L.freeze s')
-- Ur "aaz"
--
-- @since 0.1.0.0
unsafeWithSliceC :: (Ptr a -> Int -> IO r) -> Slice p a %1 -> (Ur r, Slice p a)
-- withForeignPtr, not its unsafe variant: the action may be a loop that GHC finds to be endless.
unsafeWithSliceC act (Slice p owner n s) =
    case unIO (withForeignPtr (foreignPtr p owner) (`act` n)) (alive "unsafeWithSliceC" owner s) of
        (# s', r #) -> (Ur r, Slice p owner n s')
{-# INLINE unsafeWithSliceC #-}

-- | A lent region: any number of readers can read it, and no code can write it.
--
-- >>> let total :: L.View Int -> Int; total v = sum [L.index v i | i <- [0 .. L.viewLength v - 1]]
-- >>> L.generate 5 id (\s -> L.lend s (\v -> Ur (total v)) & \(s', n) -> L.discard s' & \() -> n)
-- Ur 10
--
-- @since 0.1.0.0
newtype View a = View (V.Vector a)

type role View nominal

-- | @lend slice body@: lends the region read-only while the body runs, and returns the token with the body's result.
-- The view is an ordinary value, so several consumers may use it at once. The body can use other tokens, and return
-- them in its result. The result consists of tokens and plain values ('Owned'), so that neither the view nor anything
-- lazy that would read it leaves the borrow.
--
-- >>> let twice v = L.fillWith (\i -> 2 * L.index v i)
-- >>> :{
-- L.alloc 3 (5 :: Int) (\src -> L.alloc 3 0 (\dst ->
--     L.lend src (\v -> twice v dst) & \(src', dst') -> L.discard src' & \() -> L.freeze dst'))
-- :}
-- Ur [10,10,10]
--
-- @since 0.1.0.0
lend :: (Storable a, Owned u) => Slice p a %1 -> (View a -> u) %1 -> (Slice p a, u)
lend (Slice p owner n s) body = case renewed (contents owner) (retire "lend" owner s) of
    (# s1, owner' #) -> settle (body (View (V.unsafeFromForeignPtr0 (foreignPtr p owner) n))) s1 & \(Settled s2 u) ->
        (Slice p owner' n s2, u)
{-# NOINLINE lend #-}

-- | Types that a borrow and a parallel computation may return: tokens, and plain values that are copied through memory.
-- After such a value has been settled, all effects that make it have happened, and nothing lazy is left in it.
--
-- >>> let ends v = (Ur (L.index v 0), Ur (L.index v 2))
-- >>> L.generate 3 id (\s -> L.lend s ends & \(s', (Ur a, Ur b)) -> L.discard s' & \() -> Ur (a, b))
-- Ur (0,2)
-- >>> let both v = Ur (L.index v 0, L.index v 2)
-- >>> L.generate 3 id (\s -> L.lend s both & \(s', ends') -> L.discard s' & \() -> ends')
-- Ur (0,2)
-- >>> L.alloc 3 'x' (\s -> L.lend s Ur & \(s', Ur v) -> L.discard s' & \() -> Ur (L.index v 0))
-- ...
-- ...The view of a lent slice can't leave the borrow: the slice may be written afterwards.
-- ...
--
-- @since 0.1.0.0
class Owned t where
    -- | @settle t s@ evaluates @t@; the state that it returns is after @s@ and after all effects in @t@.
    settle :: t %1 -> State# RealWorld -> Settled t

-- | A settled value and the state after it.
data Settled t where
    Settled :: State# RealWorld -> t %1 -> Settled t

instance Owned (Slice p a) where
    -- The slice that is touched holds its own state token, and the touch returns the new state.
    settle (Slice p owner n own) s = case touch# slice s of s' -> Settled s' slice
      where
        slice = Slice p owner n own
    {-# INLINE settle #-}

instance Owned (Split p a) where
    settle (Split j l r) s = settle l s & \(Settled s1 l') ->
        settle r s1 & \(Settled s2 r') -> Settled s2 (Split j l' r')

instance Owned () where
    settle () s = Settled s ()

instance (Owned t, Owned u) => Owned (t, u) where
    settle (t, u) s = settle t s & \(Settled s1 t') -> settle u s1 & \(Settled s2 u') -> Settled s2 (t', u')

instance (Owned t, Owned u, Owned v) => Owned (t, u, v) where
    settle (t, u, v) s = settle (t, (u, v)) s & \(Settled s' (t', (u', v'))) -> Settled s' (t', u', v')

-- | The value is copied through memory: the copy is made of its bytes and cannot refer to a view.
instance Storable r => Owned (Ur r) where
    settle (Ur r) s = case unIO (alloca $ \p -> poke p r >> peek p) s of (# s', !r' #) -> Settled s' (Ur r')

-- | The parts of a pair, each as a value of its own.
instance {-# OVERLAPPING #-} (Owned (Ur a), Owned (Ur b)) => Owned (Ur (a, b)) where
    settle (Ur (a, b)) s = settle (Ur a, Ur b) s & \(Settled s' (Ur a', Ur b')) -> Settled s' (Ur (a', b'))

instance {-# OVERLAPPING #-} (Owned (Ur a), Owned (Ur b), Owned (Ur c)) => Owned (Ur (a, b, c)) where
    settle (Ur (a, b, c)) s = settle (Ur a, Ur b, Ur c) s & \(Settled s' (Ur a', Ur b', Ur c')) ->
        Settled s' (Ur (a', b', c'))

-- | The part of the error messages about what may be returned.
type OnlyTokens =
    'Text "A borrow or a parallel computation returns slices, Ur with a Storable value, (), or tuples of these:"
    ':$$: 'Text "what it returns must not be able to read a slice that is owned by another thread by then."

instance {-# OVERLAPPABLE #-} TypeError ('Text "This can't be returned here: " ':<>: 'ShowType t ':$$: OnlyTokens)
    => Owned t where
    settle = unreachable

instance {-# OVERLAPPING #-} TypeError ('Text "A function can't be returned here." ':$$: OnlyTokens)
    => Owned (Ur (a -> b)) where
    settle = unreachable

instance {-# OVERLAPPING #-} TypeError ('Text "A list can't be returned here, not in Ur either." ':$$: OnlyTokens)
    => Owned (Ur [a]) where
    settle = unreachable

instance {-# OVERLAPPING #-} TypeError (ViewEscapes ':$$: OnlyTokens) => Owned (Ur (View a)) where
    settle = unreachable

instance {-# OVERLAPPING #-} TypeError (ViewEscapes ':$$: OnlyTokens) => Owned (Ur (V.Vector a)) where
    settle = unreachable

-- | The error message for a view in a result.
type ViewEscapes = 'Text "The view of a lent slice can't leave the borrow: the slice may be written afterwards."

-- With -fdefer-type-errors, a program with such a type error stops here when it runs.
unreachable :: t %1 -> State# RealWorld -> Settled t
unreachable = throw (ErrorCall "Data.Array.Linear: a type that can't be returned from a borrow was")

infixr 5 :&

-- | Slices of elements of the types @as@; the regions' names are @ps@, in the same order. The slices are evaluated.
--
-- >>> :{
-- L.alloc 2 'a' (\xs -> L.alloc 2 True (\ys -> xs :& ys :& End & \(xs' :& ys' :& End) ->
--     L.discard ys' & \() -> L.freeze xs'))
-- :}
-- Ur "aa"
--
-- @since 0.1.0.0
data Columns (as :: [Type]) (ps :: [Type]) where
    End  :: Columns '[] '[]
    (:&) :: !(Slice p a) %1 -> !(Columns as ps) %1 -> Columns (a ': as) (p ': ps)

-- | Types that consist of slices, one of each name in a list. An instance defines how such a record is taken apart and
-- how it is built, and nothing else; both are linear, so an instance cannot duplicate, drop or exchange a token.
--
-- >>> :{
-- data Marked names where
--     Marked :: Slice x Char %1 -> Slice m Bool %1 -> Marked '[x, m]
-- instance Record Marked where
--     type Fields Marked = '[Char, Bool]
--     toColumns (Marked x m) = x :& m :& End
--     fromColumns (x :& m :& End) = Marked x m
-- :}
--
-- @since 0.1.0.0
class Storables (Fields t) => Record (t :: [Type] -> Type) where
    -- | The types of the slices' elements.
    type Fields t :: [Type]
    -- | Takes a record apart.
    toColumns :: t ps %1 -> Columns (Fields t) ps
    -- | Builds a record.
    fromColumns :: Columns (Fields t) ps %1 -> t ps

-- | Slices without a record around them.
instance Storables as => Record (Columns as) where
    type Fields (Columns as) = as
    toColumns columns = columns
    fromColumns columns = columns

-- | The proof that the regions named @lefts@ and @rights@ are the two parts of those named @ps@, one by one.
--
-- >>> import qualified Data.Array.Linear.Record as R
-- >>> :{
-- paint :: R.Joins ps ls rs -> Columns '[Char] ls %1 -> Columns '[Char] rs %1 -> Columns '[Char] ps
-- paint js (l :& End) (r :& End) = R.combine js (L.fill 'l' l :& End) (L.fill 'r' r :& End)
-- :}
--
-- @since 0.1.0.0
data Joins (ps :: [Type]) (lefts :: [Type]) (rights :: [Type]) where
    NoJoins :: Joins '[] '[] '[]
    Joins   :: Join p l r -> Joins ps ls rs -> Joins (p ': ps) (l ': ls) (r ': rs)

-- | Columns in two parts.
data SplitColumns as ps where
    SplitColumns :: Joins ps ls rs -> Columns as ls %1 -> Columns as rs %1 -> SplitColumns as ps

-- | Lists of 'Storable' types. All its instances are here.
class Storables (as :: [Type]) where
    -- | 'splitOf' for each column.
    splitColumns :: String -> Int -> Columns as ps %1 -> SplitColumns as ps
    -- | The lengths of the columns.
    columnLengths :: Columns as ps %1 -> (Ur [Int], Columns as ps)
    -- | 'settle' for each column.
    settleColumns :: Columns as ps %1 -> State# RealWorld -> Settled (Columns as ps)

instance Storables '[] where
    splitColumns _ _ End = SplitColumns NoJoins End End
    columnLengths End = (Ur [], End)
    settleColumns End s = Settled s End

instance (Storable a, Storables as) => Storables (a ': as) where
    splitColumns name i (x :& xs) = splitOf name i x & \(Split j l r) ->
        splitColumns name i xs & \(SplitColumns js ls rs) -> SplitColumns (Joins j js) (l :& ls) (r :& rs)
    columnLengths (Slice p owner n s :& xs) = columnLengths xs & \(Ur ns, xs') ->
        (Ur (n : ns), Slice p owner n s :& xs')
    settleColumns (x :& xs) s = settle x s & \(Settled s1 x') ->
        settleColumns xs s1 & \(Settled s2 xs') -> Settled s2 (x' :& xs')

-- | The settled record is built anew from its slices, so that nothing else is left in it.
instance Record t => Owned (t (ps :: [Type])) where
    settle t s = settleColumns (toColumns t) s & \(Settled s' columns) -> Settled s' (fromColumns columns)

-- | Makes a function linear that uses its argument exactly once, which GHC cannot see. Unchecked.
linearly :: (a -> b) -> a %1 -> b
linearly f = unsafeCoerce f
{-# INLINE linearly #-}

-- | The error for an index, a split point or the like: the function, the number, its meaning, and the slice's length.
outOfBounds :: String -> Int -> String -> Int -> a
outOfBounds name i what n = throw $ ErrorCall $
    "Data.Array.Linear." ++ name ++ ": " ++ what ++ " " ++ show i
        ++ " is outside of a slice of " ++ show n ++ " elements"
{-# NOINLINE outOfBounds #-}

-- | The error for a size or a number that must be at least 1: the function, the meaning of the number, and the number.
belowOne :: String -> String -> Int -> a
belowOne name what i = throw $ ErrorCall $
    "Data.Array.Linear." ++ name ++ ": the " ++ what ++ " must be at least 1, and is " ++ show i
{-# NOINLINE belowOne #-}

-- | The array of this length that the action makes; an error names the function, and not one of "OpenMP.Array".
ofLength :: forall a. Storable a => String -> Int -> IO (Array a) -> IO (Array a)
ofLength name n make
    | n < 0 = wrong ("the length " ++ show n ++ " is negative")
    | n > (maxBound - 64) `quot` max 1 size =
        wrong (show n ++ " elements of " ++ show size ++ " bytes do not fit the address space")
    | otherwise = make
  where
    size = sizeOf (undefined :: a)
    wrong what = throw (ErrorCall ("Data.Array.Linear." ++ name ++ ": " ++ what))
