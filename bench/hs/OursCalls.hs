{-# LANGUAGE BangPatterns #-}

-- | The rows of the library's ways to call C: primitives in Cmm, and batches of safe calls.
module OursCalls (rows) where

import Control.Concurrent (getNumCapabilities)
import Control.Exception (evaluate)
import qualified Data.Vector.Storable as V
import Foreign.C.Types (CLong (..))
import Foreign.Ptr (FunPtr)

import OpenMP.Batch (call, callColumns, runBatch, unsafeRunBatch)
import qualified OpenMP.Batch as Batch
import OpenMP.Prim (cacheLine, capabilityNumber)

import Measure

foreign import ccall "&bench_next" c_next :: FunPtr (CLong -> IO CLong)

rows :: Rows
rows =
  [ ("call", [("prim", primitive), ("prim-pure", pureAsks cacheLine), ("loop", pureAsks 128)])
  , ( "batched"
    , [ ("batch", batching (fmap sum . runBatch . traverse (call c_next)))
      , ("unsafe-batch", batching (fmap sum . unsafeRunBatch . traverse (call c_next)))
      , ("columns", columns)
      ]
    )
  ]

-- | The Capability's number; the sum of the numbers is checked to be possible.
primitive :: Cell -> IO Sample
primitive _ = do
  capabilities <- getNumCapabilities
  pure . Each 1 $ \n -> do
    (ns, total) <- timed (ask n 0)
    expect "whether the numbers are those of Capabilities" (total >= 0 && total <= n * (capabilities - 1)) True
    pure ns
  where
    ask :: Int -> Int -> IO Int
    ask 0 !total = pure total
    ask k total = capabilityNumber >>= \c -> ask (k - 1) (total + c)

-- | As many uses of a primitive without State#, or of a number that stands in the program: what a use costs beside the
-- loop itself. GHC calls the primitive once.
pureAsks :: Int -> Cell -> IO Sample
pureAsks line _ = pure . Each 1 $ \n -> do
  (ns, total) <- timed (evaluate (ask n 0))
  expect "sum of the answers" total (128 * n)
  pure ns
  where
    ask :: Int -> Int -> Int
    ask 0 !total = total
    ask k total = ask (k - 1) (total + line)
{-# INLINE pureAsks #-}

-- | A number of calls by one column of arguments, which has been made before; the time of a call, including the vector
-- of the results and their sum.
columns :: Cell -> IO Sample
columns cell = do
  arguments <- evaluate (V.enumFromN 1 calls)
  pure . Each calls $ \n -> do
    (ns, ()) <- timed . rounds n $ do
      got <- V.sum <$> callColumns c_next (Batch.Each arguments)
      expect "sum of the results" (fromIntegral got) (calls * (calls + 3) `div` 2)
    pure ns
  where
    calls = size cell

-- | A number of calls in one batch, from a list of arguments to the sum of the results; the time of a call.
batching :: ([CLong] -> IO CLong) -> Cell -> IO Sample
batching batch cell = pure . Each calls $ \n -> do
  (ns, ()) <- timed . rounds n $ do
    got <- batch [1 .. fromIntegral calls]
    expect "sum of the results" (fromIntegral got) (calls * (calls + 3) `div` 2)
  pure ns
  where
    calls = size cell
{-# INLINE batching #-}
