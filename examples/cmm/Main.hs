{-# LANGUAGE GHCForeignImportPrim #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE QuasiQuotes #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}
module Main (main) where

import Cmm (cmm)
import Control.Concurrent (myThreadId)
import GHC.Exts (Int (I#), Int#, RealWorld, State#)
import GHC.IO (IO (..))

[cmm|
// State# s -> (# State# s, Int# #)
thread_number () { return (TO_W_(StgTSO_id(CurrentTSO))); }
|]

foreign import prim "thread_number" threadNumber# :: State# RealWorld -> (# State# RealWorld, Int# #)

-- | The calling Haskell thread's number, as its 'Control.Concurrent.ThreadId' shows it.
threadNumber :: IO Int
threadNumber = IO $ \s -> case threadNumber# s of (# s', n #) -> (# s', I# n #)

main :: IO ()
main = do
    number <- threadNumber
    thread <- myThreadId
    print (("ThreadId " ++ show number) == show thread)
