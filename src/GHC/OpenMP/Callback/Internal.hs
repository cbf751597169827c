{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE EmptyDataDecls #-}
{-# LANGUAGE ForeignFunctionInterface #-}
-- |
-- Module:      GHC.OpenMP.Callback.Internal
-- Description: What a callback object is made of
--
-- A callback object is memory of C's (@cbits\/abi\/callback.h@) with one or more 'FunPtr's in it, the /entry points/.
-- The functions of @ghcomp.h@ call an entry point once for many callbacks; the loop over them is here.
--
-- = How a failure travels
--
-- The first exception goes into an 'MVar' that is never emptied. The loops look at that MVar before each callback, and
-- stop when it is full. Every entry point, before it returns, marks the C object when the MVar is full
-- ('guardResult'). So a call from C that skipped anything returns with the object marked, whichever thread threw: the
-- thread that skipped saw a full MVar and marked the object itself. The mark is a word that threads store the same
-- value in, and each reads it after its own store; for threads that read it before they enter it is only a hint.
--
-- An exception must not leave an entry point: GHC ends the process when one does.
module GHC.OpenMP.Callback.Internal
  ( -- * Failures
    Failure (..)
  , newFailure
  , guardResult
    -- * Objects
  , CallbackOf (..)
  , CCallback
  , CMapCallback
  , CFoldCallback
  , CFoldIntCallback
  , CRecordCallback
  , eachObject
  , mapObject
  , foldObject
  , foldIntObject
  , recordObject
  ) where

import Control.Concurrent.MVar
import Control.Exception
import Control.Monad
import Data.Coerce (coerce)
import Data.IORef
import Foreign.C.Types
import Foreign.Marshal.Alloc (alloca)
import Foreign.Ptr
import Foreign.Storable

-- ---------------------------------------------------------------------------------------------------------------------
-- Failures

-- | The first exception of some callbacks, and how C learns of it.
data Failure = Failure
    { failureFirst :: !(MVar SomeException) -- ^ full once there is one; never emptied
    , failureMark  :: IO ()                 -- ^ tells C; cheap, idempotent, does not throw
    }

-- | No exception yet.
newFailure :: IO () -> IO Failure
newFailure mark = (`Failure` mark) <$> newEmptyMVar

-- | Runs a callback unless an earlier one has failed. A load and a test.
unlessFailed :: Failure -> r -> IO r -> IO r
unlessFailed failure none act = do
    fine <- isEmptyMVar (failureFirst failure)
    if fine then act else pure none
{-# INLINE unlessFailed #-}

-- | What every function that C calls is wrapped in: keeps an exception, and gives @none@ for the result then.
--
-- There are two frames because a handler runs with asynchronous exceptions masked, and leaving it unmasks: an exception
-- that waited for that is thrown outside of the inner frame. Nothing follows the outer one that could be interrupted,
-- except after its own handler, that is, by a third exception thrown to one callback's thread.
guardResult :: Failure -> r -> IO r -> IO r
guardResult failure none act = marked `catch` kept
  where
    marked = do
        result <- unlessFailed failure none (act >>= evaluate) `catch` kept
        fine <- isEmptyMVar (failureFirst failure)
        unless fine (failureMark failure)
        pure result
    kept exception = do
        _ <- tryPutMVar (failureFirst failure) exception
        failureMark failure
        pure none

-- ---------------------------------------------------------------------------------------------------------------------
-- Objects

-- | A Haskell function that C can call, through an object of C type @c@.
data CallbackOf c = CallbackOf
    { callbackObject  :: !(Ptr c)
    , callbackFailure :: !Failure
    , callbackRelease :: !(IORef (IO ())) -- ^ frees it; does nothing from then on
    }

-- | @ghcomp_callback@ of @ghcomp.h@.
data CCallback

-- | @ghcomp_map_callback@ of @ghcomp.h@.
data CMapCallback

-- | @ghcomp_fold_callback@ of @ghcomp.h@.
data CFoldCallback

-- | @ghcomp_fold_int_callback@ of @ghcomp.h@.
data CFoldIntCallback

-- | @ghcomp_record_callback@ of @ghcomp.h@.
data CRecordCallback

-- An object with the entry points that the function makes and stores. Masked: an asynchronous exception in between
-- would leak them.
newObject :: (Ptr c -> Failure -> IO [IO ()]) -> IO (CallbackOf c)
newObject entries = mask_ $ do
    object <- newC
    failure <- newFailure (failC object)
    free <- entries object failure
    CallbackOf object failure <$> newIORef (sequence_ free >> freeC object)

-- | An object for a function of an index.
eachObject :: (Int -> IO ()) -> IO (CallbackOf CCallback)
eachObject f = newObject $ \object failure -> do
    range <- wrapRange $ \first past -> guardResult failure () $
        rangeLoop failure f (fromIntegral first) (fromIntegral past)
    each <- wrapEach $ \next state -> guardResult failure () $
        alloca (nextLoop failure f (callNext next state))
    array <- wrapArray $ \arguments count -> guardResult failure () $
        arrayLoop failure f arguments (fromIntegral count)
    eachC object range each array
    pure [freeHaskellFunPtr range, freeHaskellFunPtr each, freeHaskellFunPtr array]

-- | An object for a function of a number.
mapObject :: (Double -> IO Double) -> IO (CallbackOf CMapCallback)
mapObject f = newObject $ \object failure -> do
    array <- wrapMap $ \arguments results count -> guardResult failure () $
        mapLoop failure f arguments results (fromIntegral count)
    mapC object array
    pure [freeHaskellFunPtr array]

-- | An object for a step of a fold over indices.
foldObject :: (Int -> Double -> IO Double) -> IO (CallbackOf CFoldCallback)
foldObject f = newObject $ \object failure -> do
    range <- wrapFold $ \first past accumulator -> guardResult failure () $
        foldLoop failure (coerce f) (fromIntegral first) (fromIntegral past) (accumulator :: Ptr CDouble)
    foldC object range
    pure [freeHaskellFunPtr range]

-- | The same with an integer for the accumulator.
foldIntObject :: (Int -> Int -> IO Int) -> IO (CallbackOf CFoldIntCallback)
foldIntObject f = newObject $ \object failure -> do
    range <- wrapFoldInt $ \first past accumulator -> guardResult failure () $
        foldLoop failure (\i x -> fromIntegral <$> f i (fromIntegral x)) (fromIntegral first) (fromIntegral past)
            accumulator
    foldIntC object range
    pure [freeHaskellFunPtr range]

-- | An object for a function of two records.
recordObject :: (Ptr a -> Ptr r -> IO ()) -> IO (CallbackOf CRecordCallback)
recordObject f = newObject $ \object failure -> do
    records <- wrapRecords $ \arguments argumentSize results resultSize count -> guardResult failure () $
        recordLoop failure f (castPtr arguments) (fromIntegral argumentSize) (castPtr results)
            (fromIntegral resultSize) (fromIntegral count)
    recordsC object records
    pure [freeHaskellFunPtr records]

-- ---------------------------------------------------------------------------------------------------------------------
-- Loops. The function is unknown to each of them, so its argument is boxed: every turn allocates, and the collector and
-- the scheduler get their turn. They are not inlined, so that this stays true when the function is known.

rangeLoop :: Failure -> (Int -> IO ()) -> Int -> Int -> IO ()
rangeLoop failure f first past = go first
  where
    go !i | i < past  = unlessFailed failure () (f i >> go (i + 1))
          | otherwise = pure ()
{-# NOINLINE rangeLoop #-}

nextLoop :: Failure -> (Int -> IO ()) -> (Ptr CIntPtr -> IO CInt) -> Ptr CIntPtr -> IO ()
nextLoop failure f next slot = go
  where
    go = unlessFailed failure () $ do
        more <- next slot
        when (more /= 0) $ do
            argument <- peek slot
            f (fromIntegral argument)
            go
{-# NOINLINE nextLoop #-}

arrayLoop :: Failure -> (Int -> IO ()) -> Ptr CIntPtr -> Int -> IO ()
arrayLoop failure f arguments = rangeLoop failure turn 0
  where
    turn i = peekElemOff arguments i >>= f . fromIntegral
{-# NOINLINE arrayLoop #-}

mapLoop :: Failure -> (Double -> IO Double) -> Ptr CDouble -> Ptr CDouble -> Int -> IO ()
mapLoop failure f arguments results = rangeLoop failure turn 0
  where
    turn i = do
        argument <- peekElemOff arguments i
        result <- f (coerce argument)
        pokeElemOff results i (coerce result)
{-# NOINLINE mapLoop #-}

foldLoop :: Storable a => Failure -> (Int -> a -> IO a) -> Int -> Int -> Ptr a -> IO ()
foldLoop failure f first past accumulator = peek accumulator >>= go first
  where
    go !i !x | i < past  = unlessFailed failure () (f i x >>= go (i + 1))
             | otherwise = poke accumulator x
{-# NOINLINE foldLoop #-}

recordLoop :: Failure -> (Ptr a -> Ptr r -> IO ()) -> Ptr a -> Int -> Ptr r -> Int -> Int -> IO ()
recordLoop failure f arguments argumentSize results resultSize = rangeLoop failure turn 0
  where
    turn i = f (arguments `plusPtr` (i * argumentSize)) (results `plusPtr` (i * resultSize))
{-# NOINLINE recordLoop #-}

-- ---------------------------------------------------------------------------------------------------------------------
-- C. Unsafe calls: each only stores a few words, or takes or gives back memory.

foreign import ccall unsafe "ghcomp_hs_callback_new" newC :: IO (Ptr c)
foreign import ccall unsafe "ghcomp_hs_callback_free" freeC :: Ptr c -> IO ()
foreign import ccall unsafe "ghcomp_hs_callback_fail" failC :: Ptr c -> IO ()
foreign import ccall unsafe "ghcomp_hs_callback_each" eachC
    :: Ptr CCallback -> FunPtr Range -> FunPtr Each -> FunPtr Array -> IO ()
foreign import ccall unsafe "ghcomp_hs_callback_map" mapC :: Ptr CMapCallback -> FunPtr Map -> IO ()
foreign import ccall unsafe "ghcomp_hs_callback_fold" foldC :: Ptr CFoldCallback -> FunPtr (Fold CDouble) -> IO ()
foreign import ccall unsafe "ghcomp_hs_callback_fold_int" foldIntC
    :: Ptr CFoldIntCallback -> FunPtr (Fold CIntPtr) -> IO ()
foreign import ccall unsafe "ghcomp_hs_callback_records" recordsC :: Ptr CRecordCallback -> FunPtr Records -> IO ()

-- Unsafe: this is what makes a callback cheap. The caller's function must not block (ghcomp.h says so), since it runs
-- with the Capability held.
foreign import ccall unsafe "dynamic" callNext :: FunPtr Next -> Next

type Next = Ptr () -> Ptr CIntPtr -> IO CInt
type Range = CIntPtr -> CIntPtr -> IO ()
type Each = FunPtr Next -> Ptr () -> IO ()
type Array = Ptr CIntPtr -> CSize -> IO ()
type Map = Ptr CDouble -> Ptr CDouble -> CSize -> IO ()
type Fold a = CIntPtr -> CIntPtr -> Ptr a -> IO ()
type Records = Ptr () -> CSize -> Ptr () -> CSize -> CSize -> IO ()

foreign import ccall "wrapper" wrapRange :: Range -> IO (FunPtr Range)
foreign import ccall "wrapper" wrapEach :: Each -> IO (FunPtr Each)
foreign import ccall "wrapper" wrapArray :: Array -> IO (FunPtr Array)
foreign import ccall "wrapper" wrapMap :: Map -> IO (FunPtr Map)
foreign import ccall "wrapper" wrapFold :: Fold CDouble -> IO (FunPtr (Fold CDouble))
foreign import ccall "wrapper" wrapFoldInt :: Fold CIntPtr -> IO (FunPtr (Fold CIntPtr))
foreign import ccall "wrapper" wrapRecords :: Records -> IO (FunPtr Records)
