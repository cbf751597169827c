{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE RoleAnnotations #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}

-- |
-- Module:      OpenMP.Batch.Columns.Internal
-- Description: C function types, for calls over columns
--
-- How vectors and constants are laid out for @cbits\/haskell\/batch.c@, which iterates over them.
module OpenMP.Batch.Columns.Internal
    ( Column (..)
    , Columns
    , ColumnCalls (..)
    , Sources
    , noSources
    ) where

import           Control.Exception            (ErrorCall (..), throwIO)
import           Data.Int                     (Int64)
import           Data.Kind                    (Type)
import qualified Data.Vector.Storable         as V
import           Data.Word                    (Word64)
import           Foreign.ForeignPtr           (touchForeignPtr)
import           Foreign.ForeignPtr.Unsafe    (unsafeForeignPtrToPtr)
import           Foreign.Ptr                  (FunPtr, Ptr, castPtr, plusPtr)
import           Foreign.Storable             (Storable (..))
import           GHC.ForeignPtr               (mallocPlainForeignPtrBytes)

import OpenMP.Batch.Internal

-- A safe call: the function may block, the calls may take long, and they may call back into Haskell.
foreign import ccall safe "ghcomp_hs_batch_columns"
    c_columns :: FunPtr () -> Ptr Int64 -> Int64 -> Ptr () -> Format -> Int64 -> IO ()

-- | One argument, for all calls. C gets a vector's elements as they are in memory, where they have C's type.
--
-- >>> import Foreign
-- >>> import Foreign.C
-- >>> import qualified Data.Vector.Storable as V
-- >>> let powersOf x = [Same x, Each (V.fromList [1, 2, 3])] :: [Column CDouble]
-- >>> foreign import ccall "&pow" c_pow :: FunPtr (CDouble -> CDouble -> CDouble)
-- >>> let [base, exponents] = powersOf 2
-- >>> callColumns c_pow base exponents
-- [2.0,4.0,8.0]
--
-- @since 0.1.0.0
data Column a
    = Each !(V.Vector a) -- ^ call /i/ gets element /i/
    | Same !a            -- ^ every call gets this

-- The elements of a newtype have another size in memory where its instance of 'Storable' says so.
type role Column nominal

-- | The type of the calls over columns: a 'Column' for each argument, and a vector of results.
--
-- >>> import Foreign.C
-- >>> :kind! Columns (CInt -> IO CLong)
-- Columns (CInt -> IO CLong) :: ...
-- = Column CInt -> IO (...Vector CLong)
--
-- @since 0.1.0.0
type family Columns (f :: Type) :: Type where
    Columns (a -> f) = Column a -> Columns f
    Columns (IO r) = IO (V.Vector r)
    Columns r = IO (V.Vector r)

-- | The arguments so far: their number, the lengths of those that are vectors, the action that describes them to C
-- (given a word of memory for each, and the place of each description), and the action that keeps them alive.
--
-- All of it is inlined where a function's type is known, so that a call builds no list of arguments.
data Sources = Sources
    { count    :: !Int
    , lengths  :: !Lengths
    , describe :: Ptr Word64 -> Ptr Int64 -> IO ()
    , keep     :: IO ()
    }

data Lengths = NoVector | All !Int | Differ !Int !Int

-- | No argument so far.
noSources :: Sources
noSources = Sources 0 NoVector (\_ _ -> pure ()) (pure ())
{-# INLINE noSources #-}

-- | One more argument, behind the others.
andSource :: forall a. CArgument a => Sources -> Column a -> Sources
andSource (Sources k l described kept) (Each vector) = Sources
    { count = k + 1
    , lengths = case l of
        NoVector       -> All n
        All m | m /= n -> Differ m n
        _              -> l
    , describe = \cells columns -> do
        described cells columns
        write (columns `plusPtr` (columnBytes * k)) (unsafeForeignPtrToPtr memory) bytes
            (formatOf bytes (signed @a) (knownRegister @(RegisterOf a)))
    , keep = kept >> touchForeignPtr memory
    }
  where
    (memory, n) = V.unsafeToForeignPtr0 vector
    bytes = sizeOf (undefined :: a)
andSource (Sources k l described kept) (Same x) = Sources
    { count = k + 1
    , lengths = l
    , describe = \cells columns -> do
        described cells columns
        store (cells `plusPtr` (8 * k)) x
        write (columns `plusPtr` (columnBytes * k)) (cells `plusPtr` (8 * k)) 0
            (formatOf 8 False (knownRegister @(RegisterOf a)))
    , keep = kept
    }
{-# INLINE andSource #-}

-- The size of a struct ghcomp_hs_column.
columnBytes :: Int
columnBytes = 24

-- Writes a struct ghcomp_hs_column.
write :: Ptr Int64 -> Ptr a -> Int -> Format -> IO ()
write at memory stride format = do
    poke (castPtr at) memory
    pokeElemOff at 1 (fromIntegral stride)
    pokeElemOff at 2 format

-- | C function types, processed from the first argument on.
class ColumnCalls f where
    -- | Takes the function, and the arguments that stand in front of the others.
    columnCalls :: FunPtr () -> Sources -> Columns f

instance (CArgument a, ColumnCalls f) => ColumnCalls (a -> f) where
    columnCalls function before = \column -> columnCalls @f function (andSource before column)
    {-# INLINE columnCalls #-}

instance (CResult r, Storable r) => ColumnCalls (IO r) where
    columnCalls = run
    {-# INLINE columnCalls #-}

instance {-# OVERLAPPABLE #-} (CResult r, Storable r, Columns r ~ IO (V.Vector r)) => ColumnCalls r where
    columnCalls = run
    {-# INLINE columnCalls #-}

-- The descriptions lie behind the results, so that a call allocates once.
run :: forall r. (CResult r, Storable r) => FunPtr () -> Sources -> IO (V.Vector r)
run function sources = do
    checkFunction "callColumns" function
    n <- case lengths sources of
        All m      -> pure m
        NoVector   -> wrong "no argument is Each, so the number of calls is not known"
        Differ m k -> wrong ("the vectors of the arguments have different lengths, " ++ show m ++ " and " ++ show k)
    let wordsOfResults = (n * bytes + 7) `quot` 8
    memory <- mallocPlainForeignPtrBytes (8 * wordsOfResults + (8 + columnBytes) * count sources)
    let results = unsafeForeignPtrToPtr memory
        cells = results `plusPtr` (8 * wordsOfResults)
        columns = cells `plusPtr` (8 * count sources)
    describe sources cells columns
    c_columns function columns (fromIntegral (count sources)) (castPtr results) format (fromIntegral n)
    keep sources
    touchForeignPtr memory
    pure (V.unsafeFromForeignPtr0 memory n)
  where
    bytes = sizeOf (undefined :: r)
    format = formatOf bytes False (knownRegister @(RegisterOf r))
{-# INLINE run #-}

wrong :: String -> IO a
wrong what = throwIO (ErrorCall ("OpenMP.Batch.callColumns: " ++ what))
{-# NOINLINE wrong #-}
