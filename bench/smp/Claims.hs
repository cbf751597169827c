{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | A model of lazy values, to see what an atomic instruction for each of them would cost. GHC's own have none, so the
-- model has its own cells: a variable that holds what is to be done, or the value. The three ways differ only in how a
-- cell is claimed before it is evaluated, and filled after it.
module Claims
  ( Way (..)
  , chains
  ) where

import GHC.Exts
import GHC.IO (IO (..), unsafePerformIO)

data Way
  = -- | A plain write before, a plain write after: as GHC does with eager black-holing.
    Plain
  | -- | A compare-and-swap before, a plain write after.
    Claimed
  | -- | A compare-and-swap at each of the two: what the paper measured.
    ClaimedAndFilled

data Content = Delayed (() -> Int) | Busy | Value !Int

data Cell = Cell (MutVar# RealWorld Content)

delay :: (() -> Int) -> IO Cell
delay f = IO $ \s -> case newMutVar# (Delayed f) s of (# s', var #) -> (# s', Cell var #)
{-# NOINLINE delay #-}

force :: Way -> Cell -> IO Int
force way (Cell var) = IO $ \s -> case readMutVar# var s of
  (# s1, content #) -> case content of
    Value n -> (# s1, n #)
    Busy -> unIO (ioError (userError "a cell that needs itself")) s1
    Delayed f -> case before content s1 of
      s2 -> case f () of
        !n -> case after n s2 of s3 -> (# s3, n #)
  where
    unIO (IO m) = m
    before content s = case way of
      Plain -> writeMutVar# var Busy s
      _ -> case casMutVar# var content Busy s of (# s', _, _ #) -> s'
    after n s = case way of
      ClaimedAndFilled -> case casMutVar# var Busy (Value n) s of
        -- GHC may have made the constructor anew, so that the comparison fails: then it is written.
        (# s', 0#, _ #) -> s'
        (# s', _, _ #) -> writeMutVar# var (Value n) s'
      _ -> writeMutVar# var (Value n) s
{-# NOINLINE force #-}

-- | So many times a list of a hundred cells, each of which needs the one before; the sum of the last ones.
chains :: Way -> Int -> IO Int
chains way = go 0
  where
    go total 0 = pure total
    go total n = do
      first <- delay (\() -> n)
      end <- extend (100 :: Int) first
      x <- force way end
      go ((total + x) `mod` 1000003) (n - 1)
    extend 0 cell = pure cell
    extend k cell = delay (\() -> unsafePerformIO (force way cell) + 1) >>= extend (k - 1)
