{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE ConstraintKinds #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}

-- |
-- Module:      GHC.OpenMP.Batch.Columns
-- Description: One C function over vectors of arguments, for one safe call
--
-- What "GHC.OpenMP.Batch" does for calls of all kinds, for a single function: C takes the arguments straight from
-- storable vectors and writes the results to one, so that Haskell does nothing for an element.
module GHC.OpenMP.Batch.Columns
    ( Column (..)
    , callColumns
    , ColumnFunction
    , Columns
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
import           Foreign.Ptr                  (FunPtr, Ptr, castFunPtr, castPtr, plusPtr)
import           Foreign.Storable             (Storable (..))

import GHC.OpenMP.Batch.Internal

-- Safe: the function may block, the calls may take long, and they may call back into Haskell.
foreign import ccall safe "ghcomp_hs_batch_columns"
    c_columns :: FunPtr () -> Ptr Int64 -> Int64 -> Ptr () -> Format -> Int64 -> IO ()

-- | An argument of all the calls.
data Column a
    = Each !(V.Vector a) -- ^ call /i/ gets element /i/
    | Same !a            -- ^ every call gets this

-- | C function types that 'callColumns' calls: those of 'GHC.OpenMP.Batch.CFunction' whose result can be an element of
-- a storable vector.
type ColumnFunction f = (ColumnCalls f, Fits f)

-- | The type of the calls over columns: a 'Column' for each argument, and a vector of results.
type family Columns (f :: Type) :: Type where
    Columns (a -> f) = Column a -> Columns f
    Columns (IO r) = IO (V.Vector r)
    Columns r = IO (V.Vector r)

-- | Calls a C function once for each element of its 'Each' arguments, in order, for one release of the Capability, and
-- gives the results. All that holds for 'GHC.OpenMP.Batch.runBatch' holds here too.
--
-- >>> import Foreign
-- >>> import Foreign.C
-- >>> import qualified Data.Vector.Storable as V
-- >>> foreign import ccall "&ldexp" c_ldexp :: FunPtr (CDouble -> CInt -> IO CDouble)
-- >>> callColumns c_ldexp (Each (V.fromList [1, 1.5, -2])) (Same 4)
-- [16.0,24.0,-32.0]
--
-- Vectors of different lengths, no 'Each' argument at all, and a null pointer are an 'ErrorCall'; then nothing is
-- called.
--
-- >>> callColumns c_ldexp (Each (V.fromList [1, 2])) (Each (V.fromList [0]))
-- *** Exception: GHC.OpenMP.Batch.callColumns: the vectors of the arguments have different lengths, 2 and 1
callColumns :: forall f. ColumnFunction f => FunPtr f -> Columns f
callColumns function = columnCalls @f (castFunPtr function) id
{-# INLINE callColumns #-}

-- An argument: how many elements a vector has, what describes it to C (given a word of memory for a constant), and what
-- keeps it alive.
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

-- A struct ghcomp_hs_column.
write :: Ptr Int64 -> Ptr a -> Int -> Format -> IO ()
write at memory stride format = do
    poke (castPtr at) memory
    pokeElemOff at 1 (fromIntegral stride)
    pokeElemOff at 2 format

class ColumnCalls f where
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
