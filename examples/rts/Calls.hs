{-# LANGUAGE InterruptibleFFI #-}

-- | What a safe call lets other Haskell threads do, and an unsafe one does not: a program with one Capability.
module Main (main) where

import Control.Concurrent (forkIO, yield)
import Control.Monad (unless)
import Foreign.C.Types (CInt (..))

foreign import ccall unsafe "begin" begin :: IO ()
foreign import ccall unsafe "called" called :: IO CInt
foreign import ccall unsafe "note" note :: IO ()
foreign import ccall unsafe "wait_a_while" waitUnsafe :: CInt -> IO CInt
foreign import ccall safe "wait_a_while" waitSafe :: CInt -> IO CInt

-- An exception for the calling thread sends its operating system thread a signal, so that the call returns with EINTR.
foreign import ccall interruptible "wait_a_while" waitInterruptible :: CInt -> IO CInt

-- | Another Haskell thread notes that it has run while the call was being made.
during :: IO CInt -> IO String
during call = do
  begin
  _ <- forkIO whenCalled
  noted <- call
  pure (if noted == 1 then "yes" else "no")
  where
    whenCalled = do
      now <- called
      if now == 1 then note else yield >> whenCalled

main :: IO ()
main = do
  unsafely <- during (waitUnsafe 20)
  putStrLn ("unsafe: another Haskell thread ran during the call: " ++ unsafely)
  -- -1: until somebody has noted something.
  safely <- during (waitSafe (-1))
  putStrLn ("safe: another Haskell thread ran during the call: " ++ safely)
  interruptibly <- during (waitInterruptible (-1))
  unless (interruptibly == safely) (putStrLn "interruptible: not as safe")
