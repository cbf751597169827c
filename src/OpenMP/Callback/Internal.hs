{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE EmptyDataDecls #-}
{-# LANGUAGE ForeignFunctionInterface #-}
{-# LANGUAGE RoleAnnotations #-}
-- |
-- Module:      OpenMP.Callback.Internal
-- Description: The implementation of callback objects
--
-- A callback object is C memory (@cbits\/abi\/ghcomp\/callback.h@) that refers to an action here. The functions of
-- @ghcomp.h@ enter Haskell once, with a request, and the action makes all of its callbacks.
--
-- = How a failure is reported
--
-- The first exception goes into an 'MVar' that is never emptied. The loops check that MVar before each callback, and
-- stop when it is full. Every entry, before it returns, sets the C object's @failed@ flag when the MVar is full
-- ('guardResult'). So a call from C that skipped anything returns with the flag set, whichever thread threw: the thread
-- that skipped saw a full MVar and set the flag itself. All threads store the same value in the flag, and each reads it
-- after its own store; for threads that read it before they enter it is only a hint.
--
-- An exception must not leave an entry: it would be lost, and after a call of a plain function pointer GHC would end
-- the process. An entry that ends without its action (the RTS shuts down) sets the flag, with no exception to throw.
module OpenMP.Callback.Internal
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
import Foreign.StablePtr
import Foreign.Storable

-- ---------------------------------------------------------------------------------------------------------------------
-- Failures

-- | The first exception of an object's callbacks, and how it is reported to C.
data Failure = Failure
    { failureFirst :: !(MVar SomeException) -- ^ full once there is one; never emptied
    , failureMark  :: IO ()                 -- ^ sets the object's flag; cheap, idempotent, does not throw
    }

-- | A failure with no exception yet.
newFailure :: IO () -> IO Failure
newFailure mark = (`Failure` mark) <$> newEmptyMVar

-- | Runs a callback unless an earlier one has failed. The check is a load and a test.
unlessFailed :: Failure -> r -> IO r -> IO r
unlessFailed failure none act = do
    fine <- isEmptyMVar (failureFirst failure)
    if fine then act else pure none
{-# INLINE unlessFailed #-}

-- | The wrapper of every function that C calls: keeps an exception, and then returns @none@ as the result.
--
-- There are two frames because a handler runs with asynchronous exceptions masked, and leaving it unmasks them: a
-- pending exception is then thrown outside of the inner frame. Nothing that could be interrupted follows the outer
-- frame, except after its own handler, that is, by a third exception thrown to one callback's thread.
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
--
-- >>> import Data.Maybe (isJust)
-- >>> let failed :: CallbackOf c -> IO Bool; failed callback = isJust <$> callbackException callback
-- >>> (,) <$> withCallback print failed <*> withMapCallback pure failed
-- (False,False)
--
-- @since 0.1.0.0
data CallbackOf c = CallbackOf
    { callbackObject  :: !(Ptr c)
    , callbackFailure :: !Failure
    , callbackRelease :: !(IORef (IO ())) -- ^ frees the object; after that it does nothing
    }

-- Of one that 'Data.Coerce.coerce' made of another type's, C would take the object for what it is not.
type role CallbackOf nominal

-- | @ghcomp_callback@ of @ghcomp.h@.
--
-- @since 0.1.0.0
data CCallback

-- | @ghcomp_map_callback@ of @ghcomp.h@.
--
-- @since 0.1.0.0
data CMapCallback

-- | @ghcomp_fold_callback@ of @ghcomp.h@.
--
-- @since 0.1.0.0
data CFoldCallback

-- | @ghcomp_fold_int_callback@ of @ghcomp.h@.
--
-- @since 0.1.0.0
data CFoldIntCallback

-- | @ghcomp_record_callback@ of @ghcomp.h@.
--
-- @since 0.1.0.0
data CRecordCallback

-- | Executes the request of one entry.
type Action = Ptr Request -> Operation -> IO ()

-- | @enum ghcomp_callback_operation@: 0 is a range, 1 an array, 2 arguments from a C function.
type Operation = Int

-- | @enum ghcomp_callback_shape@, whose 0 is an object that was freed.
data Shape = EachShape | MapShape | FoldShape | FoldIntShape | RecordShape
    deriving Enum

-- Masked, because an asynchronous exception in between would leak the memory.
newObject :: Shape -> (Failure -> Action) -> IO (CallbackOf c)
newObject shape act = mask_ $ do
    object <- newC (fromIntegral (fromEnum shape + 1))
    failure <- newFailure (failC object)
    action <- newStablePtr (\request operation -> guardResult failure () (act failure request operation))
    actC object action
    CallbackOf object failure <$> newIORef (freeC object >> freeStablePtr action)

-- | An object for a function of an index.
eachObject :: (Int -> IO ()) -> IO (CallbackOf CCallback)
eachObject f = newObject EachShape $ \failure request operation -> do
    arguments <- requestArguments request
    case operation of
        0 -> onRange request $ rangeLoop failure f
        1 -> onRange request $ rangeLoop failure $ \i -> peekElemOff arguments i >>= \(CIntPtr x) -> f (fromIntegral x)
        _ -> do
            next <- requestNext request
            state <- requestState request
            alloca (nextLoop failure f (callNext next state))

-- | An object for a function of a number.
mapObject :: (Double -> IO Double) -> IO (CallbackOf CMapCallback)
mapObject f = newObject MapShape $ \failure request _ -> do
    arguments <- requestArguments request
    results <- requestResults request
    onRange request $ rangeLoop failure $ \i -> do
        CDouble argument <- peekElemOff arguments i
        result <- f argument
        pokeElemOff results i (CDouble result)

-- | An object for a step of a fold over indices.
foldObject :: (Int -> Double -> IO Double) -> IO (CallbackOf CFoldCallback)
foldObject f = newObject FoldShape $ \failure request _ -> do
    accumulator <- requestResults request
    onRange request $ foldLoop failure (coerce f) (accumulator :: Ptr CDouble)

-- | 'foldObject' with an integer as the accumulator.
foldIntObject :: (Int -> Int -> IO Int) -> IO (CallbackOf CFoldIntCallback)
foldIntObject f = newObject FoldIntShape $ \failure request _ -> do
    accumulator <- requestResults request
    -- Int is intptr_t on every platform that GHC has; CIntPtr would be converted in each step.
    onRange request $ foldLoop failure f (accumulator :: Ptr Int)

-- | An object for a function of two records.
recordObject :: (Ptr x -> Ptr y -> IO ()) -> IO (CallbackOf CRecordCallback)
recordObject f = newObject RecordShape $ \failure request _ -> do
    arguments <- requestArguments request
    results <- requestResults request
    argumentSize <- requestArgumentSize request
    resultSize <- requestResultSize request
    onRange request $ rangeLoop failure $ \i ->
        f (arguments `plusPtr` (i * argumentSize)) (results `plusPtr` (i * resultSize))

-- ---------------------------------------------------------------------------------------------------------------------
-- Requests

-- | @struct ghcomp_callback_request@: eight words, whose offsets @haskell\/callback.c@ asserts.
data Request

onRange :: Ptr Request -> (Int -> Int -> IO ()) -> IO ()
onRange request loop = do
    first <- peekByteOff request 0
    past <- peekByteOff request 8
    loop first past
{-# INLINE onRange #-}

requestArguments, requestResults :: Ptr Request -> IO (Ptr a)
requestArguments request = peekByteOff request 16
requestResults request = peekByteOff request 24

requestArgumentSize, requestResultSize :: Ptr Request -> IO Int
requestArgumentSize request = peekByteOff request 32
requestResultSize request = peekByteOff request 40

requestNext :: Ptr Request -> IO (FunPtr Next)
requestNext request = peekByteOff request 48

requestState :: Ptr Request -> IO (Ptr ())
requestState request = peekByteOff request 56

-- ---------------------------------------------------------------------------------------------------------------------
-- Loops. The function is unknown to each of them, so its argument is boxed: every iteration allocates, and so is a safe
-- point for the collector and the scheduler. They are not inlined, so that this stays true when the function is known.

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

foldLoop :: Storable a => Failure -> (Int -> a -> IO a) -> Ptr a -> Int -> Int -> IO ()
foldLoop failure f accumulator first past = peek accumulator >>= go first
  where
    go !i !x | i < past  = unlessFailed failure () (f i x >>= go (i + 1))
             | otherwise = poke accumulator x
{-# NOINLINE foldLoop #-}

-- ---------------------------------------------------------------------------------------------------------------------
-- C

-- Unsafe calls: each stores a few words, or allocates or frees memory.
foreign import ccall unsafe "ghcomp_hs_callback_new" newC :: CInt -> IO (Ptr c)
foreign import ccall unsafe "ghcomp_hs_callback_act" actC :: Ptr c -> StablePtr Action -> IO ()
foreign import ccall unsafe "ghcomp_hs_callback_fail" failC :: Ptr c -> IO ()
foreign import ccall unsafe "ghcomp_hs_callback_free" freeC :: Ptr c -> IO ()

type Next = Ptr () -> Ptr CIntPtr -> IO CInt

-- An unsafe call: this makes a callback cheap. The caller's function must not block (see ghcomp.h), since it runs with
-- the Capability held.
foreign import ccall unsafe "dynamic" callNext :: FunPtr Next -> Next
