{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE ConstraintKinds #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module:      OpenMP.Batch.Columns
-- Description: One C function over vectors of arguments, for one safe call
--
-- "OpenMP.Batch" for calls of a single function: C reads the arguments from storable vectors and writes the results
-- to one, so that Haskell does no work for each element.
module OpenMP.Batch.Columns
    ( Column (..)
    , callColumns
    , ColumnFunction
    , Columns
    ) where

import Foreign.Ptr (FunPtr, castFunPtr)

import OpenMP.Batch.Columns.Internal
import OpenMP.Batch.Internal

-- | C function types that 'callColumns' can call: those of 'OpenMP.Batch.CFunction' whose result can be an element
-- of a storable vector.
--
-- >>> import Foreign
-- >>> import Foreign.C
-- >>> import qualified Data.Vector.Storable as V
-- >>> :set -XFlexibleContexts -XTypeFamilies
-- >>> :{
-- table :: (ColumnFunction f, Columns f ~ (Column CDouble -> IO (V.Vector r))) => FunPtr f -> IO (V.Vector r)
-- table function = callColumns function (Each (V.enumFromN 0 3))
-- :}
--
-- >>> foreign import ccall "&sqrt" c_sqrt :: FunPtr (CDouble -> CDouble)
-- >>> table c_sqrt
-- [0.0,1.0,1.4142135623730951]
--
-- @since 0.1.0.0
type ColumnFunction f = (ColumnCalls f, Fits f)

-- | Calls a C function once for each element of its 'Each' arguments, in order, for one release of the Capability, and
-- returns the results. The guarantees of 'OpenMP.Batch.runBatch' hold here too.
--
-- >>> import Foreign
-- >>> import Foreign.C
-- >>> import qualified Data.Vector.Storable as V
-- >>> foreign import ccall "&ldexp" c_ldexp :: FunPtr (CDouble -> CInt -> IO CDouble)
-- >>> callColumns c_ldexp (Each (V.fromList [1, 1.5, -2])) (Same 4)
-- [16.0,24.0,-32.0]
--
-- Vectors of different lengths, no 'Each' argument at all, and a null pointer throw an 'Control.Exception.ErrorCall'
-- before anything is called.
--
-- >>> callColumns c_ldexp (Each (V.fromList [1, 2])) (Each (V.fromList [0]))
-- *** Exception: OpenMP.Batch.callColumns: the vectors of the arguments have different lengths, 2 and 1
--
-- @since 0.1.0.0
callColumns :: forall f. ColumnFunction f => FunPtr f -> Columns f
callColumns function = columnCalls @f (castFunPtr function) noSources
{-# INLINE callColumns #-}
