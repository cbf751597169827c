-- | The row "callback": the cost of a callback from a team's C code, for each way to make it. The callback counts its
-- index (about 2 ns), so that a wrong run is detected. And "callback-work": callbacks that work, and C code that does
-- the same work itself.
module Callbacks (rows) where

import Control.Exception (bracket)
import Control.Monad (unless, void)
import Data.Bits (unsafeShiftR, (.&.), (.|.))
import Data.Word (Word64, Word8)
import Foreign.C.Types (CInt (..), CLong (..))
import Foreign.Marshal.Alloc (callocBytes, free)
import Foreign.Ptr (FunPtr, Ptr, castFunPtrToPtr, castPtr, freeHaskellFunPtr)
import Foreign.Storable (peekByteOff, peekElemOff, pokeByteOff, pokeElemOff)

import OpenMP.Callback

import Measure
import Work (workRange)

-- Safe: it calls back.
foreign import ccall safe "bench_callbacks" c_callbacks :: CInt -> CLong -> CInt -> Ptr CCallback -> IO CInt

foreign import ccall safe "bench_called_work" c_calledWork :: CLong -> CInt -> CLong -> Ptr Word64 -> IO ()

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
  , ( "callback-work"
    , [ ("plain", plain)
      , ("funptr", called Funptr bare)
      , ("call", called Call object)
      , ("range", called Range object)
      ]
    )
  ]
  where
    object f act = withCallback f (act . callbackPtr)
    guarded f act = withFunPtr wrapIndex f (act . address)
    bare f act = bracket (wrapIndex f) freeHaskellFunPtr (act . address)

    address :: FunPtr (Int -> IO ()) -> Ptr CCallback
    address = castPtr . castFunPtrToPtr

team :: Cell -> CInt
team = fromIntegral . cellThreads

-- | Indices each of which adds a number of units of work up, the row's size, and writes the sum.
working :: Cell -> (Int -> Ptr Word64 -> IO ()) -> IO Sample
working cell run = pure . Each 1 $ \n -> bracket (callocBytes (8 * n)) free $ \out -> do
  (ns, ()) <- timed (run n out)
  let check i = unless (i >= n) $ do
        got <- peekElemOff out i
        let want = unitsOf cell i
        unless (got == want) $ expect ("sum of " ++ show i) got want
        check (i + 1)
  check 0
  pure ns

plain :: Cell -> IO Sample
plain cell = working cell (\n -> c_calledWork (fromIntegral n) (team cell) (fromIntegral (size cell)))

unitsOf :: Cell -> Int -> Word64
unitsOf cell i = workRange (i * size cell) ((i + 1) * size cell)

-- | The same by callbacks.
called :: Way -> With -> Cell -> IO Sample
called way with cell = working cell $ \n out ->
  void . with (\i -> pokeElemOff out i (unitsOf cell i)) $ \callback -> do
    failed <- c_callbacks (fromIntegral (fromEnum way)) (fromIntegral n) (team cell) callback
    expect "return value" failed 0
    pure 0

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
      (ns, failed) <- timed (c_callbacks (fromIntegral (fromEnum way)) (fromIntegral n) (team cell) callback)
      expect "return value" failed 0
      pure ns
    let check i = unless (i >= n) $ do
          count <- peekByteOff seen (place i) :: IO Word8
          unless (count == 1) $ expect ("number of callbacks for " ++ show i) count 1
          check (i + 1)
    check 0
    pure ns
