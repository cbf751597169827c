{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE ConstraintKinds #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module:      OpenMP.Batch
-- Description: Many C calls for one release of the Capability
--
-- A safe foreign call releases its Capability, so that other Haskell threads and the collector can run, and takes it
-- back afterwards. For a function that runs only briefly that is most of the cost. A batch makes any number of calls
-- for one release: it writes the functions and their arguments into a buffer, and one safe call executes the buffer.
--
-- >>> import Foreign
-- >>> import Foreign.C
-- >>> foreign import ccall "&abs" c_abs :: FunPtr (CInt -> IO CInt)
-- >>> foreign import ccall "&ldexp" c_ldexp :: FunPtr (CDouble -> CInt -> IO CDouble)
-- >>> runBatch ((,) <$> call c_abs (-7) <*> call c_ldexp 1.5 3)
-- (7,12.0)
-- >>> runBatch (traverse (call c_abs) [-2 .. 2])
-- [2,1,0,1,2]
--
-- == Guarantees
--
-- * The calls are made in order, by one operating system thread, and each sees the effects of the earlier ones:
--   thread-local state, @omp_set_num_threads@ and the region after it, @errno@.
--
-- * Arguments are evaluated before the first call. If that raises an exception then nothing is called.
--
-- * An asynchronous exception ('Control.Exception.throwTo', a timeout) is raised before the first call or after the
--   last one, never in between. After the last one, the results are lost, as those of a single safe call would be;
--   under 'Control.Exception.mask' they never are.
--
-- * It is a safe call: the functions may block, call back into Haskell, and open parallel regions. Memory whose address
--   they are given must be pinned ('Foreign.Marshal.Alloc.alloca', storable vectors), as for any safe call.
--
-- * Memory is the only limit: two words for each call, and one for each of its arguments.
--
-- == Which functions
--
-- Those with at most 6 integers and pointers and at most 8 floats and doubles, in any order, and a result of these
-- kinds or none. More arguments are an error when the program is compiled, and so are types that are not C's
-- ('CArgument'). A C function that takes or returns a struct, @long double@ or a complex number cannot be called, even
-- if its Haskell type claims otherwise. One with variable arguments can: pass doubles, not floats.
--
-- >>> runBatch (call (nullFunPtr :: FunPtr (Int -> Int -> Int -> Int -> Double -> Int -> Int -> Int -> IO ())) 1)
-- ...
-- ... A batched call passes at most 6 integers and pointers, and this C function has 7:
-- ...
-- >>> runBatch (call (nullFunPtr :: FunPtr (String -> IO ())) "text")
-- ...
-- ... No instance for ...CArgument ...
-- ...
module OpenMP.Batch
    ( -- * Batches
      Batch
    , call
    , runBatch
    , unsafeRunBatch
      -- * C's error number
    , lastErrno
    , clearErrno
      -- * One function over many arguments
    , Column (..)
    , callColumns
      -- * Types
    , CFunction
    , Batched
    , CArgument
    , CResult
    , ColumnFunction
    , Columns
    ) where

import Data.Word             (Word64)
import Foreign.C.Error       (Errno (..))
import Foreign.C.Types       (CInt (..))
import Foreign.Marshal.Alloc (allocaBytesAligned)
import Foreign.Ptr           (FunPtr, Ptr, castFunPtr, nullPtr, plusPtr)

import OpenMP.Batch.Columns
import OpenMP.Batch.Internal

-- A safe call: the functions may block, run for long, and call back into Haskell.
foreign import ccall safe "ghcomp_hs_batch_run"
    c_run :: Ptr Word64 -> Ptr Word64 -> IO ()
-- The same as an unsafe call, for functions that do none of this, as the program promises.
foreign import ccall unsafe "ghcomp_hs_batch_run"
    c_unsafeRun :: Ptr Word64 -> Ptr Word64 -> IO ()
foreign import ccall "&ghcomp_hs_get_errno"
    c_getErrno :: FunPtr (IO CInt)
foreign import ccall "&ghcomp_hs_set_errno"
    c_setErrno :: FunPtr (CInt -> IO ())

-- | C function types that can be called in a batch: @a -> b -> IO r@ or, for a function without effects, @a -> b -> r@,
-- with arguments that are 'CArgument' and fit the registers, and a 'CResult'.
--
-- >>> import Foreign
-- >>> import Foreign.C
-- >>> :set -XFlexibleContexts -XTypeFamilies
-- >>> :{
-- callEach :: (CFunction f, Batched f ~ (a -> Batch r)) => FunPtr f -> [a] -> IO [r]
-- callEach function = runBatch . traverse (call function)
-- :}
--
-- >>> foreign import ccall "&abs" c_abs :: FunPtr (CInt -> IO CInt)
-- >>> callEach c_abs [-1, 2]
-- [1,2]
-- >>> foreign import ccall "&sqrt" c_sqrt :: FunPtr (CDouble -> CDouble)
-- >>> callEach c_sqrt [9, 16]
-- [3.0,4.0]
--
-- @since 0.1.0.0
type CFunction f = (Calls f, Fits f)

-- | A call of a C function in a batch. Its arguments are those of the C function.
--
-- >>> import Foreign
-- >>> import Foreign.C
-- >>> foreign import ccall "&toupper" c_toupper :: FunPtr (CInt -> IO CInt)
-- >>> toEnum . fromIntegral <$> runBatch (call c_toupper 97) :: IO Char
-- 'A'
--
-- For a null pointer 'runBatch' throws an 'Control.Exception.ErrorCall' before anything is called.
--
-- @since 0.1.0.0
call :: forall f. CFunction f => FunPtr f -> Batched f
call function = calls @f (castFunPtr function) 0 0 (\_ _ -> pure ())
{-# INLINE call #-}

-- | Makes the calls of a batch, in order, for one release of the Capability. A batch may be run any number of times.
--
-- >>> import Foreign
-- >>> import Foreign.C
-- >>> foreign import ccall "&labs" c_labs :: FunPtr (CLong -> IO CLong)
-- >>> sum <$> runBatch (traverse (call c_labs) [-10000 .. -1])
-- 50005000
--
-- @since 0.1.0.0
runBatch :: Batch a -> IO a
runBatch = runWith c_run

-- | 'runBatch' by an unsafe call: it keeps the Capability, and every collection waits for it. For a few calls of
-- functions that take nanoseconds, never block, and never call back into Haskell; a callback ends the program.
--
-- >>> import Foreign
-- >>> import Foreign.C
-- >>> foreign import ccall "&abs" c_abs :: FunPtr (CInt -> IO CInt)
-- >>> unsafeRunBatch (call c_abs (-1))
-- 1
--
-- @since 0.1.0.0
unsafeRunBatch :: Batch a -> IO a
unsafeRunBatch = runWith c_unsafeRun

-- The buffer is pinned, and kept until the results have been read.
runWith :: (Ptr Word64 -> Ptr Word64 -> IO ()) -> Batch a -> IO a
runWith run batch
    | size batch == 0 = collect batch nullPtr
    | otherwise = allocaBytesAligned (8 * (size batch + spare)) 8 $ \at -> do
        fill batch at
        run at (at `plusPtr` (8 * size batch))
        collect batch at
  where
    -- Words after the last record: its call loads all registers.
    spare = 14

-- | The value of @errno@ after the previous call of the batch. After 'runBatch', 'Foreign.C.Error.getErrno' has that of
-- the last call.
--
-- >>> import Foreign
-- >>> import Foreign.C
-- >>> foreign import ccall "&close" c_close :: FunPtr (CInt -> IO CInt)
-- >>> (result, error) <- runBatch ((,) <$> call c_close (-1) <*> lastErrno)
-- >>> (result, error == eBADF)
-- (-1,True)
--
-- @since 0.1.0.0
lastErrno :: Batch Errno
lastErrno = Errno <$> call c_getErrno

-- | Sets @errno@ to 0, for functions that report an error by @errno@ only.
--
-- >>> import Foreign.C.Error
-- >>> (== eOK) <$> runBatch (clearErrno *> lastErrno)
-- True
--
-- @since 0.1.0.0
clearErrno :: Batch ()
clearErrno = call c_setErrno 0
