-- | Random numbers for the storms. With base alone: test/hs/storm/Plain.hs has them, too.
module Dice
    ( Dice
    , newDice
    , roll
    , pick
    , mixed
    ) where

import Data.Bits (shiftR, xor)
import qualified Data.IORef as R
import Data.Word (Word64)

-- | The state of a generator of random numbers, for one thread.
newtype Dice = Dice (R.IORef Word64)

newDice :: Int -> IO Dice
newDice seed = Dice <$> R.newIORef (fromIntegral seed)

-- | A number of @[0, n)@.
roll :: Dice -> Int -> IO Int
roll (Dice state) n = do
    x <- R.readIORef state
    R.writeIORef state $! x + 0x9e3779b97f4a7c15
    pure (mixed x `mod` max 1 n)

pick :: Dice -> [a] -> IO a
pick dice list = (list !!) <$> roll dice (length list)

-- | SplitMix's function: neighbouring numbers become unrelated ones, not negative.
mixed :: Word64 -> Int
mixed x0 = fromIntegral ((x2 `xor` (x2 `shiftR` 31)) `shiftR` 2)
  where
    x1 = (x0 `xor` (x0 `shiftR` 30)) * 0xbf58476d1ce4e5b9
    x2 = (x1 `xor` (x1 `shiftR` 27)) * 0x94d049bb133111eb
