-- | The row "enter": the minimal cost of an entry of C into Haskell.
module Enter (rows) where

import Foreign.C.Types (CInt (..), CLong (..))

import Measure

-- Safe: it takes Capabilities.
foreign import ccall safe "bench_enter" c_enter :: CLong -> CInt -> IO CLong

rows :: Rows
rows = [("enter", [("lock", entering)])]

entering :: Cell -> IO Sample
entering cell = pure . Each 1 $ \n -> do
  (ns, entered) <- timed (c_enter (fromIntegral n) (fromIntegral (cellThreads cell)))
  expect "number of entries" (fromIntegral entered) n
  pure ns
