-- |
-- Module:      GHC.OpenMP.Parallel
-- Description: Parallel regions with Haskell bodies
module GHC.OpenMP.Parallel
    ( -- * Loops
      parallelFor
    , parallelForChunks
    , parallelReduce
    , Order (..)
    , parallelSections
    ) where

import Control.Monad (when)
import Data.Primitive.Array

import GHC.OpenMP.Internal.Loop
import GHC.OpenMP.Internal.Region (Sharing (..))
import GHC.OpenMP.Settings

parallelFor :: Settings -> Int -> Int -> (Int -> IO ()) -> IO ()
parallelFor settings from past body = parallelForChunks settings from past (\begin end -> overRange begin end body)
{-# INLINE parallelFor #-}

parallelForChunks :: Settings -> Int -> Int -> (Int -> Int -> IO ()) -> IO ()
parallelForChunks settings from past body =
    when (from < past) $ runChunks settings (sharingOf (schedule settings) (rangeCount from past)) from body

parallelReduce :: Monoid m => Settings -> Order -> Int -> Int -> (Int -> IO m) -> IO m
parallelReduce settings order from past body = runReduce settings order from past (\begin end -> foldRange begin end body)
{-# INLINE parallelReduce #-}

parallelSections :: Settings -> [IO a] -> IO [a]
parallelSections settings bodies = do
    results <- newArray n (error "GHC.OpenMP.Parallel.parallelSections: a section has no result")
    runChunks settings (Sharing 2 n 1) 0 $ \begin end -> overRange begin end $ \i ->
        indexArrayM sections i >>= id >>= writeArray results i
    mapM (readArray results) [0 .. n - 1]
  where
    sections = arrayFromList bodies
    n = sizeofArray sections
