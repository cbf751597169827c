{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE ConstraintKinds #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE RoleAnnotations #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}
-- The default of `load` requires Integral, and does not use it.
{-# OPTIONS_GHC -Wno-redundant-constraints #-}

-- |
-- Module:      OpenMP.Batch.Internal
-- Description: C's types and function types, for batched calls
--
-- How the arguments of a C function are laid out for @cbits\/haskell\/batch.c@, which explains why only two kinds of
-- registers matter.
module OpenMP.Batch.Internal
    ( -- * Values
      Register (..)
    , KnownRegister (..)
    , RegisterOf
    , Passed (..)
    , CArgument (..)
    , CResult (..)
    , Format
    , formatOf
      -- * Functions
    , Fits
    , Generals
    , Floatings
    , OneGeneral
    , OneFloating
    , Unless
    , Batched
    , Calls (..)
    , checkFunction
      -- * Batches
    , Batch (..)
    ) where

import Control.Exception  (ErrorCall (..), throwIO)
import Control.Monad      (when)
import Data.Bits          (shiftL, (.|.))
import Data.Int           (Int16, Int32, Int64, Int8)
import Data.Kind          (Constraint, Type)
import Data.Word          (Word16, Word32, Word64, Word8)
import Foreign.C.Types
import Foreign.Ptr        (FunPtr, IntPtr, Ptr, WordPtr, castPtr, nullFunPtr, plusPtr)
import Foreign.Storable   (Storable (..))
import GHC.Float          (castFloatToWord32)
import GHC.TypeLits       (ErrorMessage (..), Nat, TypeError, type (+), type (<=?))

-- | The register class in which C passes a value: integers and pointers in general registers, floats and doubles in
-- floating ones.
data Register = General | Floating
    deriving (Eq, Show)

-- | The register class as a value.
class KnownRegister (register :: Register) where
    knownRegister :: Register

instance KnownRegister 'General where
    knownRegister = General

instance KnownRegister 'Floating where
    knownRegister = Floating

-- | The register class of an argument or a result. The family is closed, and general for all other types, so that the
-- only error for a type that is not C's is a missing instance.
type family RegisterOf (a :: Type) :: Register where
    RegisterOf Double = 'Floating
    RegisterOf Float = 'Floating
    RegisterOf CDouble = 'Floating
    RegisterOf CFloat = 'Floating
    RegisterOf a = 'General

-- | The register class of a type, as a method that @deriving newtype@ coerces. The coercion is a type error for a
-- newtype of a float, which is in a floating register: 'RegisterOf' does not look into newtypes, and would say general.
data Passed (register :: Register) = Passed

type role Passed nominal

-- | Types that a C function may have as parameters: C's arithmetic types, Haskell's types of a fixed size, pointers.
-- For a newtype of an integer type, an instance needs no methods. For one of a pointer, @deriving newtype@ makes it. A
-- newtype of a float or a double can have none, which the compiler says: pass what is in it.
--
-- >>> import Foreign
-- >>> import Foreign.C
-- >>> import System.Posix.Types (CPid (..))
-- >>> instance CArgument CPid
-- >>> foreign import ccall "&getpgid" c_getpgid :: FunPtr (CPid -> IO CInt)
-- >>> runBatch (traverse (call c_getpgid) [0, -1]) >>= \[own, none] -> print (own > 0, none)
-- (True,-1)
--
-- @since 0.1.0.0
class (Storable a, KnownRegister (RegisterOf a)) => CArgument a where
    -- | Writes the argument as 64 bits: integers extended by their type's sign, a float in the low half.
    store :: Ptr Word64 -> a -> IO ()
    default store :: Integral a => Ptr Word64 -> a -> IO ()
    store at x = poke (castPtr at) (fromIntegral x :: Int64)
    {-# INLINE store #-}

    -- | Whether the type has negative integers.
    signed :: Bool
    default signed :: Integral a => Bool
    signed = (-1 :: a) < 0
    {-# INLINE signed #-}

    -- | Has no other value.
    argumentPassed :: Passed (RegisterOf a)
    argumentPassed = Passed

-- | Types that a C function may return: those of 'CArgument', and @()@ for C's @void@ or a result to be ignored. What
-- is said there about newtypes holds here, too.
--
-- >>> import Foreign
-- >>> import Foreign.C
-- >>> import System.Posix.Types (CPid (..))
-- >>> instance CResult CPid
-- >>> foreign import ccall "&getpid" c_getpid :: FunPtr (IO CPid)
-- >>> foreign import ccall "&getpid" c_ignored :: FunPtr (IO ())
-- >>> runBatch ((,) <$> call c_getpid <*> call c_ignored) >>= \(pid, unit) -> print (pid > 0, unit)
-- (True,())
--
-- @since 0.1.0.0
class KnownRegister (RegisterOf r) => CResult r where
    -- | Reads the result from 64 bits, of which C has set those of its type.
    load :: Ptr Word64 -> IO r
    -- Not for all that is Storable: a newtype of a float is in another register than 'RegisterOf' says.
    default load :: (Storable r, Integral r) => Ptr Word64 -> IO r
    load = lowBytes
    {-# INLINE load #-}

    -- | Has no other value.
    resultPassed :: Passed (RegisterOf r)
    resultPassed = Passed

-- | The value in the low bytes, which come first: the machine is little-endian.
lowBytes :: Storable r => Ptr Word64 -> IO r
lowBytes at = peek (castPtr at)
{-# INLINE lowBytes #-}

-- | How a value is stored in memory, as @batch.c@ defines it.
type Format = Int64

-- | The format of a value: its size in bytes, whether its type has negative integers, and its register class.
formatOf :: Int -> Bool -> Register -> Format
formatOf bytes negative register = fromIntegral bytes .|. (if negative then 16 else 0) .|.
    (if register == Floating then 32 else 0)

-- ---------------------------------------------------------------------------------------------------------------------
-- Instances

instance CArgument CChar
instance CArgument CSChar
instance CArgument CUChar
instance CArgument CShort
instance CArgument CUShort
instance CArgument CInt
instance CArgument CUInt
instance CArgument CLong
instance CArgument CULong
instance CArgument CLLong
instance CArgument CULLong
instance CArgument CSize
instance CArgument CPtrdiff
instance CArgument CWchar
instance CArgument CBool
instance CArgument CIntPtr
instance CArgument CUIntPtr
instance CArgument CIntMax
instance CArgument CUIntMax
instance CArgument Int
instance CArgument Int8
instance CArgument Int16
instance CArgument Int32
instance CArgument Int64
instance CArgument Word
instance CArgument Word8
instance CArgument Word16
instance CArgument Word32
instance CArgument Word64
instance CArgument IntPtr
instance CArgument WordPtr

instance CArgument (Ptr a) where
    store at x = poke (castPtr at) x
    signed = False

instance CArgument (FunPtr a) where
    store at x = poke (castPtr at) x
    signed = False

instance CArgument Double where
    store at x = poke (castPtr at) x
    signed = False

instance CArgument Float where
    store at x = poke at (fromIntegral (castFloatToWord32 x))
    signed = False

instance CArgument CDouble where
    store at (CDouble x) = store at x
    signed = False

instance CArgument CFloat where
    store at (CFloat x) = store at x
    signed = False

instance CResult CChar
instance CResult CSChar
instance CResult CUChar
instance CResult CShort
instance CResult CUShort
instance CResult CInt
instance CResult CUInt
instance CResult CLong
instance CResult CULong
instance CResult CLLong
instance CResult CULLong
instance CResult CSize
instance CResult CPtrdiff
instance CResult CWchar
instance CResult CBool
instance CResult CIntPtr
instance CResult CUIntPtr
instance CResult CIntMax
instance CResult CUIntMax
instance CResult Int
instance CResult Int8
instance CResult Int16
instance CResult Int32
instance CResult Int64
instance CResult Word
instance CResult Word8
instance CResult Word16
instance CResult Word32
instance CResult Word64
instance CResult IntPtr
instance CResult WordPtr
instance CResult (Ptr a) where load = lowBytes
instance CResult (FunPtr a) where load = lowBytes
instance CResult Double where load = lowBytes
instance CResult Float where load = lowBytes
instance CResult CDouble where load = lowBytes
instance CResult CFloat where load = lowBytes
instance CResult () where load _ = pure ()

-- ---------------------------------------------------------------------------------------------------------------------
-- Function types

-- | The number of arguments in general registers.
type family Generals (f :: Type) :: Nat where
    Generals (a -> f) = OneGeneral (RegisterOf a) + Generals f
    Generals r = 0

-- | The number of arguments in floating registers.
type family Floatings (f :: Type) :: Nat where
    Floatings (a -> f) = OneFloating (RegisterOf a) + Floatings f
    Floatings r = 0

-- | 1 for an argument in a general register, otherwise 0.
type family OneGeneral (register :: Register) :: Nat where
    OneGeneral 'General = 1
    OneGeneral 'Floating = 0

-- | 1 for an argument in a floating register, otherwise 0.
type family OneFloating (register :: Register) :: Nat where
    OneFloating 'General = 0
    OneFloating 'Floating = 1

-- | The constraint that all arguments fit the registers.
type Fits f =
    ( Unless (Generals f <=? 6) ('Text "A batched call passes at most 6 integers and pointers, and this C function has "
        ':<>: 'ShowType (Generals f) ':<>: 'Text ":" ':$$: 'Text "    " ':<>: 'ShowType f
        ':$$: 'Text "Call it by a foreign import, or through a C function that takes a pointer to its arguments.")
    , Unless (Floatings f <=? 8) ('Text "A batched call passes at most 8 floats and doubles, and this C function has "
        ':<>: 'ShowType (Floatings f) ':<>: 'Text ":" ':$$: 'Text "    " ':<>: 'ShowType f
        ':$$: 'Text "Call it by a foreign import, or through a C function that takes a pointer to its arguments.")
    )

-- | A type error with the message when the condition does not hold.
type family Unless (fits :: Bool) (message :: ErrorMessage) :: Constraint where
    Unless 'True message = ()
    Unless 'False message = TypeError message

-- | The type of the batched call: the C function's type with t'Batch' in place of t'IO'.
--
-- >>> import Foreign.C
-- >>> :kind! Batched (CInt -> CDouble -> IO CLong)
-- Batched (CInt -> CDouble -> IO CLong) :: ...
-- = CInt -> CDouble -> Batch CLong
--
-- @since 0.1.0.0
type family Batched (f :: Type) :: Type where
    Batched (a -> f) = a -> Batched f
    Batched (IO r) = Batch r
    Batched r = Batch r

-- | C function types, processed from the first argument on.
class Calls f where
    -- | Takes the function, the numbers of general and floating arguments so far, and the action that writes these
    -- arguments to the given places of the general and the floating ones.
    calls :: FunPtr () -> Int -> Int -> (Ptr Word64 -> Ptr Word64 -> IO ()) -> Batched f

instance (CArgument a, Calls f) => Calls (a -> f) where
    calls function generals floatings write = \x -> case knownRegister @(RegisterOf a) of
        General -> calls @f function (generals + 1) floatings $ \general floating ->
            write general floating >> store (general `word` generals) x
        Floating -> calls @f function generals (floatings + 1) $ \general floating ->
            write general floating >> store (floating `word` floatings) x
    {-# INLINE calls #-}

instance CResult r => Calls (IO r) where
    calls = record
    {-# INLINE calls #-}

-- A function without effects: @FunPtr (CDouble -> CDouble)@.
instance {-# OVERLAPPABLE #-} (CResult r, Batched r ~ Batch r) => Calls r where
    calls = record
    {-# INLINE calls #-}

record :: forall r. CResult r => FunPtr () -> Int -> Int -> (Ptr Word64 -> Ptr Word64 -> IO ()) -> Batch r
record function generals floatings write = Batch
    { size = 2 + generals + floatings
    , fill = \at -> do
        checkFunction "call" function
        poke (castPtr at) function
        poke (at `word` 1) shape
        write (at `word` 2) (at `word` (2 + generals))
    , collect = load
    }
  where
    shape = fromIntegral generals .|. fromIntegral floatings `shiftL` 8 .|.
        (case knownRegister @(RegisterOf r) of Floating -> 1; General -> 0) `shiftL` 16
{-# INLINE record #-}

-- | Throws an t'ErrorCall' with the caller's name if the pointer is null.
checkFunction :: String -> FunPtr a -> IO ()
checkFunction caller function = when (function == nullFunPtr) $ throwIO $ ErrorCall $
    "OpenMP.Batch." ++ caller ++ ": the pointer to the C function is null; was its symbol found?"

-- ---------------------------------------------------------------------------------------------------------------------
-- Batches

-- | C calls to be made together, and the result computed from theirs. Combine calls as with any 'Applicative':
-- 'traverse' over a list of arguments, or @(,) \<$> call f 1 \<*> call g 2.5@. A call cannot depend on the result of an
-- earlier one of the same batch, so this is not a 'Monad'.
--
-- >>> import Foreign
-- >>> import Foreign.C
-- >>> foreign import ccall "&abs" c_abs :: FunPtr (CInt -> IO CInt)
-- >>> let distance x y = call c_abs (x - y) :: Batch CInt
-- >>> runBatch ((+) <$> distance 3 7 <*> distance 1 0)
-- 5
--
-- @since 0.1.0.0
data Batch a = Batch
    { size    :: !Int                   -- ^ in 64-bit words
    , fill    :: Ptr Word64 -> IO ()    -- ^ writes the calls; evaluates their arguments
    , collect :: Ptr Word64 -> IO a     -- ^ reads the results
    }

instance Functor Batch where
    fmap f (Batch n write results) = Batch n write (fmap f . results)

instance Applicative Batch where
    pure x = Batch 0 (\_ -> pure ()) (\_ -> pure x)
    Batch n write f <*> Batch n' write' x = Batch (n + n') (behind n write write') $ \at -> f at <*> x (at `word` n)
    -- Reading a result has no effect, so a result that is not used is not read.
    Batch n write _ *> Batch n' write' y = Batch (n + n') (behind n write write') $ \at -> y (at `word` n)
    Batch n write x <* Batch n' write' _ = Batch (n + n') (behind n write write') x

instance Semigroup a => Semigroup (Batch a) where
    a <> b = (<>) <$> a <*> b

instance Monoid a => Monoid (Batch a) where
    mempty = pure mempty

behind :: Int -> (Ptr Word64 -> IO ()) -> (Ptr Word64 -> IO ()) -> Ptr Word64 -> IO ()
behind n write write' at = write at >> write' (at `word` n)

word :: Ptr Word64 -> Int -> Ptr Word64
word at n = at `plusPtr` (8 * n)
