{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}

-- |
-- Module:      GHC.OpenMP.Batch.Columns.Internal
-- Description: C function types, for calls over columns
--
-- How vectors and constants are laid out for @cbits\/haskell\/batch.c@, which iterates over them.
module GHC.OpenMP.Batch.Columns.Internal
    ( Column (..)
    , Columns
    , ColumnCalls (..)
    , Source
    ) where

import           Control.Exception            (ErrorCall (..), throwIO)
import           Control.Monad                (zipWithM_)
import           Data.Int                     (Int64)
import           Data.Kind                    (Type)
import qualified Data.Vector.Storable         as V
import qualified Data.Vector.Storable.Mutable as VM
import           Data.Word                    (Word64)
import           Foreign.ForeignPtr           (touchForeignPtr)
import           Foreign.ForeignPtr.Unsafe    (unsafeForeignPtrToPtr)
import           Foreign.Marshal.Alloc        (allocaBytesAligned)
import           Foreign.Ptr                  (FunPtr, Ptr, castPtr, plusPtr)
import           Foreign.Storable             (Storable (..))

import GHC.OpenMP.Batch.Internal

-- A safe call: the function may block, the calls may take long, and they may call back into Haskell.
foreign import ccall safe "ghcomp_hs_batch_columns"
    c_columns :: FunPtr () -> Ptr Int64 -> Int64 -> Ptr () -> Format -> Int64 -> IO ()

-- | One argument, for all calls.
--
-- >>> import Foreign
-- >>> import Foreign.C
-- >>> import qualified Data.Vector.Storable as V
-- >>> let powersOf x = [Same x, Each (V.fromList [1, 2, 3])] :: [Column CDouble]
-- >>> foreign import ccall "&pow" c_pow :: FunPtr (CDouble -> CDouble -> CDouble)
-- >>> let [base, exponents] = powersOf 2
-- >>> callColumns c_pow base exponents
-- [2.0,4.0,8.0]
data Column a
    = Each !(V.Vector a) -- ^ call /i/ gets element /i/
    | Same !a            -- ^ every call gets this

-- | The type of the calls over columns: a 'Column' for each argument, and a vector of results.
--
-- >>> import Foreign.C
-- >>> :kind! Columns (CInt -> IO CLong)
-- Columns (CInt -> IO CLong) :: ...
-- = Column CInt -> IO (...Vector CLong)
type family Columns (f :: Type) :: Type where
    Columns (a -> f) = Column a -> Columns f
    Columns (IO r) = IO (V.Vector r)
    Columns r = IO (V.Vector r)

-- | An argument: the number of elements of a vector, the action that describes the argument to C (given a word of
-- memory for a constant), and the action that keeps it alive.
data Source = Source
    { elements :: !(Maybe Int)
    , describe :: Ptr Word64 -> Ptr Int64 -> IO ()
    , keep     :: IO ()
    }

source :: forall a. CArgument a => Column a -> Source
source (Each vector) = Source
    { elements = Just n
    , describe = \_ at -> write at (unsafeForeignPtrToPtr memory) bytes (formatOf bytes (signed @a) register)
    , keep = touchForeignPtr memory
    }
  where
    (memory, n) = V.unsafeToForeignPtr0 vector
    bytes = sizeOf (undefined :: a)
    register = knownRegister @(RegisterOf a)
source (Same x) = Source
    { elements = Nothing
    , describe = \cell at -> store cell x >> write at cell 0 (formatOf 8 False (knownRegister @(RegisterOf a)))
    , keep = pure ()
    }

-- Writes a struct ghcomp_hs_column.
write :: Ptr Int64 -> Ptr a -> Int -> Format -> IO ()
write at memory stride format = do
    poke (castPtr at) memory
    pokeElemOff at 1 (fromIntegral stride)
    pokeElemOff at 2 format

-- | C function types, processed from the first argument on.
class ColumnCalls f where
    -- | Takes the function, and a function that puts the arguments so far in front of the others.
    columnCalls :: FunPtr () -> ([Source] -> [Source]) -> Columns f

instance (CArgument a, ColumnCalls f) => ColumnCalls (a -> f) where
    columnCalls function before = \column -> columnCalls @f function (before . (source column :))
    {-# INLINE columnCalls #-}

instance (CResult r, Storable r) => ColumnCalls (IO r) where
    columnCalls function sources = run function (sources [])

instance {-# OVERLAPPABLE #-} (CResult r, Storable r, Columns r ~ IO (V.Vector r)) => ColumnCalls r where
    columnCalls function sources = run function (sources [])

run :: forall r. (CResult r, Storable r) => FunPtr () -> [Source] -> IO (V.Vector r)
run function sources = do
    checkFunction "callColumns" function
    n <- case [m | Source { elements = Just m } <- sources] of
        [] -> wrong "no argument is Each, so the number of calls is not known"
        m : others -> case filter (/= m) others of
            [] -> pure m
            other : _ -> wrong $
                "the vectors of the arguments have different lengths, " ++ show m ++ " and " ++ show other
    results <- VM.unsafeNew n
    allocaBytesAligned (count * (8 + 24)) 8 $ \cells -> do
        let columns = cells `plusPtr` (8 * count)
        zipWithM_ (\k s -> describe s (cells `plusPtr` (8 * k)) (columns `plusPtr` (24 * k))) [0 ..] sources
        VM.unsafeWith results $ \to ->
            c_columns function columns (fromIntegral count) (castPtr to) result (fromIntegral n)
    mapM_ keep sources
    V.unsafeFreeze results
  where
    count = length sources
    result = formatOf (sizeOf (undefined :: r)) False (knownRegister @(RegisterOf r))
    wrong what = throwIO (ErrorCall ("GHC.OpenMP.Batch.callColumns: " ++ what))
