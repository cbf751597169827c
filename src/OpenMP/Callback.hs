-- |
-- Module:      OpenMP.Callback
-- Description: Haskell functions that C calls from any worker
--
-- C code that runs on an OpenMP team, or on threads of its own, calls Haskell in one of two ways.
--
-- [Objects] 'withCallback' and the like make an object that C uses by the functions @ghcomp_callback_*@ of @ghcomp.h@.
-- They enter Haskell once for many callbacks: for a range of indices, for an array, or for as many arguments as a C
-- function supplies. An exception in a callback is kept, later callbacks are skipped, C gets a return value for it, and
-- 'withCallback' throws the exception at its end.
--
-- [Plain function pointers] A @foreign import ccall \"wrapper\"@ makes one, every C interface accepts one, and each
-- call is an entry of its own. 'withFunPtr' frees it and keeps its exceptions.
--
-- = What an entry is, and where it is allowed
--
-- An entry takes a Capability (an idle one, or it waits), makes a Haskell thread bound to the calling OS thread, under
-- a lock of GHC's runtime, runs it and releases everything. That costs some hundred nanoseconds, more when several
-- threads do it at once. The objects avoid this cost: within an entry a callback costs as much as a call of an unknown
-- function.
--
-- These rules hold for both ways:
--
-- * The foreign import of the C code must be @safe@. After an @unsafe@ one GHC's runtime ends the process or hangs.
-- * The program must be linked with @-threaded@.
-- * A callback runs in the OS thread that called it. So in an OpenMP worker it has that worker's thread number, and its
--   regions are nested ones (OpenMP 5.2, section 10.1). It may block, use STM, make safe calls and fork threads, and
--   the collector may run meanwhile.
-- * A callback that waits for one in another worker works only if the C code makes both run at the same time: teams are
--   exact by default, but a loop may give an iteration to a worker at any time.
module OpenMP.Callback
  ( -- * Callbacks
    Callback
  , CCallback
  , newCallback
  , withCallback
    -- * Callbacks with results
    -- ** Arrays of numbers
  , MapCallback
  , CMapCallback
  , newMapCallback
  , withMapCallback
    -- ** Folds and reductions
  , FoldCallback
  , CFoldCallback
  , newFoldCallback
  , withFoldCallback
  , FoldIntCallback
  , CFoldIntCallback
  , newFoldIntCallback
  , withFoldIntCallback
    -- ** Records
  , RecordCallback
  , CRecordCallback
  , newRecordCallback
  , withRecordCallback
    -- * All of them
  , CallbackOf
  , callbackPtr
  , callbackException
  , rethrowCallback
  , freeCallback
    -- * Plain function pointers
  , withFunPtr
  , wrapIndex
  , wrapDouble
  , CFunction
  , CResult
  ) where

import Control.Concurrent.MVar (tryReadMVar)
import Control.Exception
import Data.IORef (atomicModifyIORef')
import Foreign.Ptr

import OpenMP.Callback.Function
import OpenMP.Callback.Internal

-- $setup
-- >>> import Control.Exception
-- >>> import Data.IORef
-- >>> import Foreign
-- >>> import Foreign.C.Types
-- >>> type MapC = Ptr CMapCallback -> Ptr Double -> Ptr Double -> CSize -> IO CInt
-- >>> foreign import ccall safe "ghcomp_callback_call" call :: Ptr CCallback -> CIntPtr -> IO CInt
-- >>> foreign import ccall safe "ghcomp_callback_range" range :: Ptr CCallback -> CIntPtr -> CIntPtr -> IO CInt
-- >>> foreign import ccall safe "ghcomp_callback_map" mapC :: MapC
-- >>> type Fold f a = Ptr f -> CIntPtr -> CIntPtr -> Ptr a -> IO CInt
-- >>> foreign import ccall safe "ghcomp_callback_fold" fold :: Fold CFoldCallback Double
-- >>> foreign import ccall safe "ghcomp_callback_fold_int" foldInt :: Fold CFoldIntCallback Int
-- >>> type RecordsC = Ptr CRecordCallback -> Ptr CInt -> CSize -> Ptr CLong -> CSize -> CSize -> IO CInt
-- >>> foreign import ccall safe "ghcomp_callback_records" records :: RecordsC

-- | A function of an index or another integer, for C's @ghcomp_callback *@.
--
-- >>> let firstTwo :: Callback -> IO CInt; firstTwo callback = range (callbackPtr callback) 0 2
-- >>> withCallback print firstTwo
-- 0
-- 1
-- 0
--
-- @since 0.1.0.0
type Callback = CallbackOf CCallback

-- | A function from a number to a number, for C's @ghcomp_map_callback *@.
--
-- >>> :{
-- applied :: MapCallback -> Double -> IO Double
-- applied callback x = with x (\at -> mapC (callbackPtr callback) at at 1 >> peek at)
-- :}
--
-- >>> withMapCallback (pure . exp) (\callback -> mapM (applied callback) [0, 1])
-- [1.0,2.718281828459045]
--
-- @since 0.1.0.0
type MapCallback = CallbackOf CMapCallback

-- | A step of a fold, for C's @ghcomp_fold_callback *@.
--
-- >>> :{
-- threeSteps :: FoldCallback -> IO Double
-- threeSteps callback = with 1 (\at -> fold (callbackPtr callback) 0 3 at >> peek at)
-- :}
--
-- >>> withFoldCallback (\_ x -> pure (x / 2)) threeSteps
-- 0.125
--
-- @since 0.1.0.0
type FoldCallback = CallbackOf CFoldCallback

-- | A step of a fold of integers, for C's @ghcomp_fold_int_callback *@.
--
-- >>> :{
-- folded :: FoldIntCallback -> [Int] -> IO [Int]
-- folded callback = mapM (\x -> with x (\at -> foldInt (callbackPtr callback) 1 4 at >> peek at))
-- :}
--
-- >>> withFoldIntCallback (\i x -> pure (10 * x + i)) (\callback -> folded callback [0, 7])
-- [123,7123]
--
-- @since 0.1.0.0
type FoldIntCallback = CallbackOf CFoldIntCallback

-- | A function that reads one record and writes another, for C's @ghcomp_record_callback *@.
--
-- >>> :{
-- resultFor :: RecordCallback -> CInt -> IO CLong
-- resultFor callback x = with x (\from -> alloca (\to -> records (callbackPtr callback) from 4 to 8 1 >> peek to))
-- :}
--
-- >>> let widen from to = peek (from :: Ptr CInt) >>= \x -> poke to (fromIntegral x * 1000000000000 :: CLong)
-- >>> withRecordCallback widen (`resultFor` 5)
-- 5000000000000
--
-- @since 0.1.0.0
type RecordCallback = CallbackOf CRecordCallback

-- | Makes a callback that C calls by @ghcomp_callback_call@, @_range@, @_array@, @_each@ and @ghcomp_callback_batch_*@.
-- Several threads may run the function at once. The function, and all that it refers to, is kept until 'freeCallback'.
-- Usually 'withCallback' is the better choice.
--
-- >>> callback <- newCallback print
-- >>> call (callbackPtr callback) 7
-- 7
-- 0
-- >>> freeCallback callback
--
-- @since 0.1.0.0
newCallback :: (Int -> IO ()) -> IO Callback
newCallback = eachObject

-- | Makes a callback for the duration of an action, which passes it to C.
--
-- When the action ends, the callback must not be running and must not be called any more. Then the first exception of a
-- callback, if there is one, is thrown. If the action itself throws, its exception is thrown, unless that is
-- synchronous and a callback has failed: then the callback's, which was first.
--
-- >>> total <- newIORef (0 :: Int)
-- >>> withCallback (\i -> modifyIORef' total (+ i)) $ \callback -> range (callbackPtr callback) 1 101
-- 0
-- >>> readIORef total
-- 5050
--
-- C sees that a callback has failed (the 1 below), and may clean up before it returns:
--
-- >>> let odd' i = if odd i then throwIO (userError (show i)) else print i
-- >>> withCallback odd' (\callback -> range (callbackPtr callback) 0 10 >>= print)
-- 0
-- 1
-- *** Exception: user error (1)
--
-- @since 0.1.0.0
withCallback :: (Int -> IO ()) -> (Callback -> IO a) -> IO a
withCallback = withObject . newCallback

-- | Makes a callback for @ghcomp_callback_map@, which applies the function to an array.
--
-- >>> callback <- newMapCallback (pure . sqrt)
-- >>> withArrayLen [1, 4, 9] $ \n xs -> mapC (callbackPtr callback) xs xs (fromIntegral n) >> peekArray n xs
-- [1.0,2.0,3.0]
-- >>> freeCallback callback
--
-- @since 0.1.0.0
newMapCallback :: (Double -> IO Double) -> IO MapCallback
newMapCallback = mapObject

-- | 'newMapCallback' for the duration of an action, as in 'withCallback'.
--
-- >>> withMapCallback (pure . negate) (\f -> with 2 (\x -> mapC (callbackPtr f) x x 1 >> peek x))
-- -2.0
--
-- @since 0.1.0.0
withMapCallback :: (Double -> IO Double) -> (MapCallback -> IO a) -> IO a
withMapCallback = withObject . newMapCallback

-- | Makes a callback for @ghcomp_callback_fold@: it computes the next accumulator from an index and the accumulator. In
-- a parallel loop each thread folds its own part, and C combines the parts, usually by a @reduction@ clause (OpenMP
-- 5.2, section 5.5).
--
-- >>> callback <- newFoldCallback (\i total -> pure (total + 1 / fromIntegral i))
-- >>> with 0 $ \total -> fold (callbackPtr callback) 1 4 total >> peek total
-- 1.8333333333333333
-- >>> freeCallback callback
--
-- @since 0.1.0.0
newFoldCallback :: (Int -> Double -> IO Double) -> IO FoldCallback
newFoldCallback = foldObject

-- | 'newFoldCallback' for the duration of an action, as in 'withCallback'.
--
-- >>> let largest i x = pure (max x (sin (fromIntegral i)))
-- >>> withFoldCallback largest (\f -> with 0 (\x -> fold (callbackPtr f) 0 2 x >> peek x))
-- 0.8414709848078965
--
-- @since 0.1.0.0
withFoldCallback :: (Int -> Double -> IO Double) -> (FoldCallback -> IO a) -> IO a
withFoldCallback = withObject . newFoldCallback

-- | Makes a callback for @ghcomp_callback_fold_int@: 'newFoldCallback' over C's @intptr_t@. With ranges of one index it
-- is also a function from an integer to an integer.
--
-- >>> callback <- newFoldIntCallback (\i total -> pure (total * i))
-- >>> with 1 $ \total -> foldInt (callbackPtr callback) 1 6 total >> peek total
-- 120
-- >>> freeCallback callback
--
-- @since 0.1.0.0
newFoldIntCallback :: (Int -> Int -> IO Int) -> IO FoldIntCallback
newFoldIntCallback = foldIntObject

-- | 'newFoldIntCallback' for the duration of an action, as in 'withCallback'.
--
-- >>> withFoldIntCallback (\i _ -> pure (i * i)) (\f -> with 0 (\x -> foldInt (callbackPtr f) 12 13 x >> peek x))
-- 144
--
-- @since 0.1.0.0
withFoldIntCallback :: (Int -> Int -> IO Int) -> (FoldIntCallback -> IO a) -> IO a
withFoldIntCallback = withObject . newFoldIntCallback

-- | Makes a callback for @ghcomp_callback_records@: any argument and any result, in C's memory. The function gets the
-- addresses of one argument and of its result, 'nullPtr' when C has no memory for results. C passes the distance
-- between records; nothing checks that both sides use the same type.
--
-- >>> let square a r = peek a >>= \x -> poke r (fromIntegral (x * x :: CInt) :: CLong)
-- >>> callback <- newRecordCallback square
-- >>> withArray [1, 2, 3] $ \xs -> allocaArray 3 $ \ys -> records (callbackPtr callback) xs 4 ys 8 3 >> peekArray 3 ys
-- [1,4,9]
-- >>> freeCallback callback
--
-- @since 0.1.0.0
newRecordCallback :: (Ptr x -> Ptr y -> IO ()) -> IO RecordCallback
newRecordCallback = recordObject

-- | 'newRecordCallback' for the duration of an action, as in 'withCallback'.
--
-- >>> let showInt a _ = peek (a :: Ptr CInt) >>= print
-- >>> withRecordCallback showInt (\f -> withArray [5, 6] (\xs -> records (callbackPtr f) xs 4 nullPtr 0 2))
-- 5
-- 6
-- 0
--
-- @since 0.1.0.0
withRecordCallback :: (Ptr x -> Ptr y -> IO ()) -> (RecordCallback -> IO a) -> IO a
withRecordCallback = withObject . newRecordCallback

withObject :: IO (CallbackOf c) -> (CallbackOf c -> IO a) -> IO a
withObject new act = bracket new freeCallback $ \callback -> do
    result <- act callback `catch` \exception -> case fromException exception of
        Just (SomeAsyncException _) -> throwIO exception
        Nothing -> rethrowCallback callback >> throwIO (exception :: SomeException)
    rethrowCallback callback
    pure result

-- | The object's address for C. The collector does not move it, and it is valid until 'freeCallback'; use by C after
-- that is undefined.
--
-- >>> withCallback print (\callback -> pure (callbackPtr callback /= nullPtr))
-- True
--
-- @since 0.1.0.0
callbackPtr :: CallbackOf c -> Ptr c
callbackPtr = callbackObject

-- | The first exception that a callback has thrown so far, if any. Valid at any time, in any thread.
--
-- >>> callback <- newCallback (\i -> evaluate (1 `div` i) >> pure ())
-- >>> call (callbackPtr callback) 0
-- 1
-- >>> callbackException callback
-- Just divide by zero
-- >>> freeCallback callback
--
-- @since 0.1.0.0
callbackException :: CallbackOf c -> IO (Maybe SomeException)
callbackException = tryReadMVar . failureFirst . callbackFailure

-- | Throws the first exception that a callback has thrown, if any. For callbacks made by 'newCallback' and the like:
-- call it when C has returned with an error. The callback stays failed: its function is not called any more. Valid at
-- any time, in any thread.
--
-- >>> callback <- newCallback (\i -> evaluate (1 `div` i) >> pure ())
-- >>> call (callbackPtr callback) 0
-- 1
-- >>> rethrowCallback callback
-- *** Exception: divide by zero
-- >>> freeCallback callback
--
-- @since 0.1.0.0
rethrowCallback :: CallbackOf c -> IO ()
rethrowCallback callback = callbackException callback >>= mapM_ throwIO

-- | Frees a callback. C must not use it any more, and none of its callbacks may be running (so a callback must not free
-- itself). Freeing it again has no effect. 'callbackException' and 'rethrowCallback' keep working.
--
-- >>> callback <- newCallback print
-- >>> freeCallback callback >> freeCallback callback
--
-- @since 0.1.0.0
freeCallback :: CallbackOf c -> IO ()
freeCallback callback = mask_ $ do
    release <- atomicModifyIORef' (callbackRelease callback) (\release -> (pure (), release))
    release

-- | Makes a plain function pointer for the duration of an action. The first argument is 'wrapIndex', 'wrapDouble' or
-- your own @foreign import ccall \"wrapper\"@, which fixes the type in C:
--
-- > foreign import ccall "wrapper" wrapCompare :: (CInt -> CInt -> IO CInt) -> IO (FunPtr (CInt -> CInt -> IO CInt))
--
-- Every thread may call it; each call enters Haskell. When a call throws, the exception is kept, and that call returns
-- 0 (or NULL, or nothing), as do all later ones, without running the function. The exception is thrown at the end of
-- the action, as in 'withCallback'. C does not see it: C code that must handle it needs a 'Callback', or a function
-- that returns a status.
--
-- >>> foreign import ccall safe "dynamic" unwrap :: FunPtr (Double -> IO Double) -> Double -> IO Double
-- >>> withFunPtr wrapDouble (pure . sqrt) (\f -> unwrap f 16)
-- 4.0
-- >>> withFunPtr wrapDouble (\_ -> throwIO Overflow) (\f -> unwrap f 16 >>= print)
-- 0.0
-- *** Exception: arithmetic overflow
--
-- @since 0.1.0.0
withFunPtr :: CFunction f => (f -> IO (FunPtr f)) -> f -> (FunPtr f -> IO a) -> IO a
withFunPtr wrap f act = withObject new (act . castPtrToFunPtr . callbackPtr)
  where
    new = functionObject wrap f
