{-# LANGUAGE ForeignFunctionInterface #-}
-- |
-- Module:      OpenMP.Callback.Function
-- Description: Plain function pointers that keep their exceptions
module OpenMP.Callback.Function
  ( CFunction (..)
  , CResult (..)
  , functionObject
  , wrapIndex
  , wrapDouble
  ) where

import Control.Exception (mask_)
import Data.Int
import Data.IORef (newIORef)
import Data.Word
import Foreign.C.Types
import Foreign.Ptr
import Foreign.StablePtr (StablePtr, castPtrToStablePtr)

import OpenMP.Callback.Internal

-- | Functions that a @wrapper@ import can make a pointer to: any number of arguments, a result in t'IO'.
--
-- >>> import Foreign
-- >>> import OpenMP.Callback (withFunPtr)
-- >>> foreign import ccall safe "dynamic" unwrap :: FunPtr (Double -> IO Double) -> Double -> IO Double
-- >>> :{
-- throughC :: CFunction f => (f -> IO (FunPtr f)) -> (FunPtr f -> f) -> f -> (f -> IO a) -> IO a
-- throughC wrap unwrap f act = withFunPtr wrap f (act . unwrap)
-- :}
--
-- >>> throughC wrapDouble unwrap (pure . sqrt) (\f -> f 16)
-- 4.0
--
-- @since 0.1.0.0
class CFunction f where
  -- | The same function, except that its exceptions are kept, and that it does nothing after one.
  guardFunction :: Failure -> f -> f

instance CResult r => CFunction (IO r) where
  guardFunction failure = guardResult failure noResult

instance CFunction f => CFunction (a -> f) where
  -- f x may itself throw, if it matches patterns before it takes its next argument: it is evaluated inside the guard.
  guardFunction failure f x = guardFunction failure (f x)

-- | Results that such a function may return. An instance defines what C gets from a function that has thrown, here for
-- a newtype of a C library's status:
--
-- >>> import Foreign.C.Types
-- >>> newtype Status = Status CInt deriving Show
-- >>> instance CResult Status where noResult = Status (-1)
-- >>> noResult :: Status
-- Status (-1)
-- >>> noResult :: CInt
-- 0
--
-- @since 0.1.0.0
class CResult r where
  -- | The result when the function has thrown.
  noResult :: r

instance CResult () where noResult = ()
instance CResult Bool where noResult = False
instance CResult Char where noResult = '\0'
instance CResult (Ptr a) where noResult = nullPtr
instance CResult (FunPtr a) where noResult = nullFunPtr
instance CResult (StablePtr a) where noResult = castPtrToStablePtr nullPtr
instance CResult Double where noResult = 0
instance CResult Float where noResult = 0
instance CResult Int where noResult = 0
instance CResult Int8 where noResult = 0
instance CResult Int16 where noResult = 0
instance CResult Int32 where noResult = 0
instance CResult Int64 where noResult = 0
instance CResult Word where noResult = 0
instance CResult Word8 where noResult = 0
instance CResult Word16 where noResult = 0
instance CResult Word32 where noResult = 0
instance CResult Word64 where noResult = 0
instance CResult CBool where noResult = 0
instance CResult CChar where noResult = 0
instance CResult CSChar where noResult = 0
instance CResult CUChar where noResult = 0
instance CResult CShort where noResult = 0
instance CResult CUShort where noResult = 0
instance CResult CInt where noResult = 0
instance CResult CUInt where noResult = 0
instance CResult CLong where noResult = 0
instance CResult CULong where noResult = 0
instance CResult CLLong where noResult = 0
instance CResult CULLong where noResult = 0
instance CResult CSize where noResult = 0
instance CResult CPtrdiff where noResult = 0
instance CResult CIntPtr where noResult = 0
instance CResult CUIntPtr where noResult = 0
instance CResult CDouble where noResult = 0
instance CResult CFloat where noResult = 0

-- | A function pointer as an object: there is nothing in C but the code itself. 'OpenMP.Callback.withFunPtr' uses
-- it; by itself it is for pointers that C keeps for longer than one action.
--
-- >>> import Foreign
-- >>> import OpenMP.Callback (callbackPtr, freeCallback)
-- >>> foreign import ccall safe "dynamic" unwrap :: FunPtr (Double -> IO Double) -> Double -> IO Double
-- >>> object <- functionObject wrapDouble (pure . (+ 1))
-- >>> unwrap (castPtrToFunPtr (callbackPtr object)) 3
-- 4.0
-- >>> freeCallback object
--
-- @since 0.1.0.0
functionObject :: CFunction f => (f -> IO (FunPtr f)) -> f -> IO (CallbackOf ())
functionObject wrap f = mask_ $ do
    failure <- newFailure (pure ())
    pointer <- wrap (guardFunction failure f)
    CallbackOf (castFunPtrToPtr pointer) failure <$> newIORef (freeHaskellFunPtr pointer)

-- | Makes a pointer for C's @void (*)(intptr_t)@, to be freed by 'Foreign.Ptr.freeHaskellFunPtr'. Without
-- 'OpenMP.Callback.withFunPtr', an exception in the function ends the process.
--
-- >>> import Foreign.Ptr
-- >>> foreign import ccall safe "dynamic" unwrap :: FunPtr (Int -> IO ()) -> Int -> IO ()
-- >>> pointer <- wrapIndex print
-- >>> unwrap pointer 3
-- 3
-- >>> freeHaskellFunPtr pointer
--
-- @since 0.1.0.0
foreign import ccall "wrapper" wrapIndex :: (Int -> IO ()) -> IO (FunPtr (Int -> IO ()))

-- | Makes a pointer for C's @double (*)(double)@; see 'wrapIndex'.
--
-- >>> import Foreign.Ptr
-- >>> foreign import ccall safe "dynamic" unwrap :: FunPtr (Double -> IO Double) -> Double -> IO Double
-- >>> pointer <- wrapDouble (pure . (/ 2))
-- >>> unwrap pointer 3
-- 1.5
-- >>> freeHaskellFunPtr pointer
--
-- @since 0.1.0.0
foreign import ccall "wrapper" wrapDouble :: (Double -> IO Double) -> IO (FunPtr (Double -> IO Double))
