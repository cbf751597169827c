-- | The row "callback": the cost of a callback from a team's C code, for each way to make it. The callback counts its
-- index (about 2 ns), so that a wrong run is detected.
module Callbacks (rows) where

import Control.Exception (bracket)
import Control.Monad (unless)
import Data.Bits (unsafeShiftR, (.&.), (.|.))
import Data.Word (Word8)
import Foreign.C.Types (CInt (..), CLong (..))
import Foreign.Marshal.Alloc (callocBytes, free)
import Foreign.Ptr (FunPtr, Ptr, castFunPtrToPtr, castPtr, freeHaskellFunPtr)
import Foreign.Storable (peekByteOff, pokeByteOff)

import GHC.OpenMP.Callback

import Measure

-- Safe: it calls back.
foreign import ccall safe "bench_callbacks" c_callbacks :: CInt -> CLong -> CInt -> Ptr CCallback -> IO CInt

-- | The order is that of callbacks.c.
data Way = Funptr | Call | Range | Array | Each' | EachShared | Batch
  deriving (Enum, Eq)

rows :: Rows
rows =
  [ ( "callback"
    , [ ("funptr", calling Funptr bare)
      , ("funptr-guarded", calling Funptr guarded)
      , ("call", calling Call object)
      , ("range", calling Range object)
      , ("array", calling Array object)
      , ("each", calling Each' object)
      , ("each-shared", calling EachShared object)
      , ("batch", calling Batch object)
      ]
    )
  ]
  where
    object f act = withCallback f (act . callbackPtr)
    guarded f act = withFunPtr wrapIndex f (act . address)
    bare f act = bracket (wrapIndex f) freeHaskellFunPtr (act . address)

    address :: FunPtr (Int -> IO ()) -> Ptr CCallback
    address = castPtr . castFunPtrToPtr

type With = (Int -> IO ()) -> (Ptr CCallback -> IO Double) -> IO Double

-- | The time of n callbacks of all threads together.
calling :: Way -> With -> Cell -> IO Sample
calling way with cell = pure . Each 1 $ \n -> do
  let -- Consecutive indices are in different cache lines, since different threads may take them; an odd number of
      -- lines apart, for the cache's sets.
      lines' = (n `unsafeShiftR` 12 + 1) .|. 1
      place i = (i .&. 63) * (lines' * 64) + i `unsafeShiftR` 6
  bracket (callocBytes (lines' * 64 * 64)) free $ \seen -> do
    let visit i = do
          count <- peekByteOff seen (place i) :: IO Word8
          pokeByteOff seen (place i) (count + 1)
    ns <- with visit $ \callback -> do
      (ns, failed) <- timed (c_callbacks (fromIntegral (fromEnum way)) (fromIntegral n) threads callback)
      expect "return value" failed 0
      pure ns
    let check i = unless (i >= n) $ do
          count <- peekByteOff seen (place i) :: IO Word8
          unless (count == 1) $ expect ("number of callbacks for " ++ show i) count 1
          check (i + 1)
    check 0
    pure ns
  where
    threads = fromIntegral (cellThreads cell)
