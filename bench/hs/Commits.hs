{-# LANGUAGE BangPatterns #-}

-- | Transactions of a team's members on a bank: by STM, and under one lock, OpenMP's or an MVar. So many accounts, and
-- so many in a hundred operations that only look: at eight accounts, or all when there are fewer. The others move one
-- unit from an account to another one, or back to it when there is one alone.
module Commits (rows) where

import Control.Concurrent.MVar (newMVar, putMVar, takeMVar)
import Control.Monad (when)
import Control.Monad.Primitive (RealWorld)
import Data.Bits (shiftR, xor)
import Data.Primitive.Array (Array, arrayFromList, indexArray)
import Data.Primitive.PrimArray (MutablePrimArray, newPrimArray, readPrimArray, setPrimArray, writePrimArray)
import Data.Word (Word64)
import Foreign.C.Types (CInt (..))
import Foreign.Marshal.Alloc (mallocBytes)
import Foreign.Ptr (Ptr)
import GHC.Conc (TVar, atomically, newTVarIO, readTVar, readTVarIO, writeTVar)

import OpenMP.Parallel (parallel_, threadNum)

import Counted (team)
import Measure

-- An omp_lock_t fits into a word.
data Lock

foreign import ccall unsafe "omp_init_lock" c_initLock :: Ptr Lock -> IO ()
foreign import ccall unsafe "omp_test_lock" c_testLock :: Ptr Lock -> IO CInt
-- Safe: it waits.
foreign import ccall safe "omp_set_lock" c_setLock :: Ptr Lock -> IO ()
foreign import ccall unsafe "omp_unset_lock" c_unsetLock :: Ptr Lock -> IO ()

rows :: Rows
rows = [("commit", [("stm", committing transactions), ("omp-lock", committing ompLock), ("mvar", committing mvar)])]

-- | A bank of so many accounts: looking at so many from one on, moving a unit from one to another, and its total.
data Bank = Bank
  { look :: Int -> Int -> IO Int
  , move :: Int -> Int -> IO ()
  , total :: IO Int
  }

-- | Each member's operations; the time of one, of all members' operations.
committing :: (Int -> IO Bank) -> Cell -> IO Sample
committing make cell = case cellSizes cell of
  [n, reads_] -> do
    bank <- make n
    pure . Each (cellThreads cell) $ \k -> do
      (ns, ()) <- timed (parallel_ (team cell) (\t -> threadNum t >>= operations bank n reads_ k . seed))
      sum_ <- total bank
      expect "the bank's sum" sum_ (100 * n)
      pure ns
  _ -> ioError (userError "this row needs two sizes")
  where
    seed me = fromIntegral me * 0x9e3779b97f4a7c15 + 1

operations :: Bank -> Int -> Int -> Int -> Word64 -> IO ()
operations bank n reads_ = go
  where
    go 0 !_ = pure ()
    go k r = do
      let next = r * 6364136223846793005 + 1442695040888963407
          bits = fromIntegral ((next `xor` (next `shiftR` 29)) `shiftR` 8) :: Int
          from = bits `mod` n
          to = (bits `div` 4096) `mod` n
      if (bits `div` 16777216) `mod` 100 < reads_
        then look bank from (min n 8) >>= \s -> when (s < minBound) (fail "no sum")
        else move bank from to
      go (k - 1) next

transactions :: Int -> IO Bank
transactions n = do
  accounts <- arrayFromList <$> mapM (const (newTVarIO (100 :: Int))) [1 .. n] :: IO (Array (TVar Int))
  let account i = indexArray accounts (i `mod` n)
      summed !s _ 0 = pure s
      summed s i k = readTVar (account i) >>= \x -> summed (s + x) (i + 1) (k - 1 :: Int)
  pure
    Bank
      { look = \from count -> atomically (summed 0 from count)
      , move = \from to -> atomically $ do
          x <- readTVar (account from)
          writeTVar (account from) $! x - 1
          y <- readTVar (account to)
          writeTVar (account to) $! y + 1
      , total = sum <$> mapM (readTVarIO . account) [0 .. n - 1]
      }

ompLock :: Int -> IO Bank
ompLock n = do
  lock <- mallocBytes 64
  c_initLock lock
  locked n $ \action -> do
    free <- c_testLock lock
    when (free == 0) (c_setLock lock)
    x <- action
    c_unsetLock lock
    pure x

mvar :: Int -> IO Bank
mvar n = do
  lock <- newMVar ()
  locked n (\action -> takeMVar lock >>= \() -> action >>= \x -> x <$ putMVar lock ())

-- | Accounts in an unboxed array, under one lock.
locked :: Int -> (IO Int -> IO Int) -> IO Bank
locked n under = do
  accounts <- newPrimArray n
  setPrimArray accounts 0 n (100 :: Int)
  let add :: Int -> Int -> IO ()
      add i x = readPrimArray (accounts :: MutablePrimArray RealWorld Int) i >>= writePrimArray accounts i . (+ x)
      summed !s _ 0 = pure s
      summed s i k = readPrimArray accounts (i `mod` n) >>= \x -> summed (s + x) (i + 1) (k - 1 :: Int)
  pure
    Bank
      { look = \from count -> under (summed 0 from count)
      , move = \from to -> () <$ under (0 <$ (add from (-1) >> add to 1))
      , total = under (summed 0 0 n)
      }
{-# INLINE locked #-}
