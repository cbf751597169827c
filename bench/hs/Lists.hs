{-# LANGUAGE BangPatterns #-}

-- | Lists whose elements are evaluated in parallel, and a recursion: by package parallel's strategies and by monad-par,
-- each as their users write it. An operation makes a list of n numbers, maps a function over it and adds up the values,
-- so it includes what the consumer does alone.
module Lists (rows, evenly, unevenly, Mapping, mapping, Dividing, dividing, small, fibonacci) where

import Control.Exception (evaluate)
import Control.Monad.Par (runPar)
import qualified Control.Monad.Par as Par
import Control.Parallel (par, pseq)
import Control.Parallel.Strategies (parListChunk, rseq, withStrategy)
import qualified Control.Parallel.Strategies as Strategies
import Data.Bits (countTrailingZeros, shiftL, shiftR, xor, (.|.))
import Data.IORef (newIORef, readIORef)
import Data.Word (Word64)

import Measure
import Work

-- | 'map', in parallel.
type Mapping = (Int -> Word64) -> [Int] -> [Word64]

rows :: Rows
rows =
  [ ("evaluate", [(name, mapping evenly way) | (name, way) <- ways])
  , ("evaluate-irregular", [(name, mapping unevenly way) | (name, way) <- ways])
  , ( "divide"
    , [("alone", dividing aloneDivides), ("sparks", dividing sparksDivide), ("monad-par", dividing parDivides)]
    )
  ]
  where
    ways =
      [ ("alone", const map)
      , ("strategies", const (Strategies.parMap rseq))
      , ("strategies-chunk", \n f -> withStrategy (parListChunk (chunkOf n) rseq) . map f)
      , ("strategies-buffer", const (\f -> withStrategy (Strategies.parBuffer 100 rseq) . map f))
      , ("monad-par", const (\f xs -> runPar (Par.parMap f xs)))
      , ("monad-par-chunk", \n f xs -> concat (runPar (Par.parMap (map f) (chunks (chunkOf n) xs))))
      ]

-- | The peers' chunks: some 64 of them.
chunkOf :: Int -> Int
chunkOf n = max 1 (n `div` 64)

chunks :: Int -> [a] -> [[a]]
chunks _ [] = []
chunks n xs = let (now, rest) = splitAt n xs in now : chunks n rest

-- | The units of work of an element, from its number and the row's size.
evenly, unevenly :: Int -> Int -> Int
evenly units _ = units

-- | Half of the elements have half as many, a quarter once as many, and so on: one in 512 has 128 times as many.
unevenly units i = (units `shiftL` countTrailingZeros (mixed .|. 256)) `shiftR` 1
  where
    x = fromIntegral i * 0x9e3779b97f4a7c15 + 1 :: Word64
    y = (x `xor` (x `shiftR` 30)) * 0xbf58476d1ce4e5b9
    mixed = y `xor` (y `shiftR` 31)

-- | So many elements, of so many units of work each. The time of an element.
mapping :: (Int -> Int -> Int) -> (Int -> Mapping) -> Cell -> IO Sample
mapping cost way cell = case cellSizes cell of
  [n, units] -> do
    let f i = workRange i (i + cost units i)
    want <- evaluate (sum (map f [0 .. n - 1]))
    count <- newIORef n
    pure . Each n $ \k -> do
      (ns, ()) <- timed . rounds k $ do
        past <- readIORef count -- so that each operation has a list of its own
        got <- evaluate (sum (way past f [0 .. past - 1]))
        expect "sum" got want
      pure ns
  _ -> ioError (userError "this row needs two sizes")

-- | From the number and the size of a trivial problem to Fibonacci's number, by the recursion.
type Dividing = Int -> Int -> Int

-- | Problems of unequal parts. The time of the whole recursion.
dividing :: Dividing -> Cell -> IO Sample
dividing way cell = case cellSizes cell of
  [n, least] -> do
    want <- evaluate (fibonacci n)
    number <- newIORef n
    pure . Each 1 $ \k -> do
      (ns, ()) <- timed . rounds k $ do
        m <- readIORef number
        got <- evaluate (way least m)
        expect "number" got want
      pure ns
  _ -> ioError (userError "this row needs two sizes")

small :: Int -> Int -> Bool
small least n = n <= least

fibonacci :: Int -> Int
fibonacci n = if n < 2 then n else fibonacci (n - 1) + fibonacci (n - 2)

aloneDivides, sparksDivide, parDivides :: Dividing
aloneDivides _ = fibonacci
sparksDivide least = go
  where
    go n
      | small least n = fibonacci n
      | otherwise =
          let a = go (n - 1)
              b = go (n - 2)
           in b `par` (a `pseq` a + b)
parDivides least whole = runPar (go whole)
  where
    go n
      | small least n = let !x = fibonacci n in pure x
      | otherwise = do
          b <- Par.spawn (go (n - 2))
          a <- go (n - 1)
          (+ a) <$> Par.get b
