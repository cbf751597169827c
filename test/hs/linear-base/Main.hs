{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE LinearTypes #-}
-- | Linear arrays in a program that has linear-base's Ur, classes and operator. A line for each check that fails.
module Main (main) where

import Control.Monad (unless)
import qualified Data.Vector.Storable as V
import System.Exit (exitFailure)

import Data.Unrestricted.Linear (Ur (..), consume, dup2, lseq, move)
import Prelude.Linear ((&))

import qualified Data.Array.Linear as L
import Data.Array.Linear.Base
import Data.Array.Linear.Parallel (Workers (..), parallelBoth)
import OpenMP.Settings (defaults)

-- | The result of an array's life in linear-base's type.
squares :: Int -> Ur (V.Vector Int)
squares n = toBase (L.generate n (\i -> i * i) L.freeze)

-- | Linear code that has linear-base's Ur for what it reads.
swapped :: L.Slice p Int %1 -> L.Slice p Int
swapped s = L.read 0 s & \(first, s1) -> toBase first & \case
    Ur a -> L.read 1 s1 & \case
        (L.Ur b, s2) -> s2 & L.write 0 b & L.write 1 a

-- | A slice that is no longer needed, by linear-base's function.
third :: Ur Int
third = toBase (L.generate 3 (+ 40) (\s -> L.read 2 s & \(x, s') -> s' `lseq` x))

-- | Parts that are no longer needed.
dropped :: Ur Char
dropped = toBase (L.alloc 8 'x' (\s -> L.splitEvenly 3 s & \parts -> consume parts & \() -> L.Ur 'y'))

-- | What a borrow returns.
sums :: Ur (Int, Int)
sums = toBase (L.generate 10 id (\s ->
    L.lend s (\v -> (Ur (V.sum (L.viewVector v)), Ur (L.index v 9))) & \(s', (a, b)) ->
        s' `lseq` both (fromBase a) (fromBase b)))
  where
    both :: L.Ur a %1 -> L.Ur b %1 -> L.Ur (a, b)
    both (L.Ur a) (L.Ur b) = L.Ur (a, b)

-- | What a parallel computation returns.
halves :: (Ur Int, Ur Int)
halves = parallelBoth (Team defaults) (\() -> Ur (sum [1 .. 10])) (\() -> Ur (product [1 .. 5]))

main :: IO ()
main = do
    let Ur s = squares 5
        Ur t = third
        Ur d = dropped
        Ur u = sums
        (Ur h, Ur k) = halves
        L.Ur w = L.generate 3 id (\slice -> L.freeze (swapped slice))
        (L.Ur one, L.Ur two) = dup2 (L.Ur 'z')
        Ur (L.Ur moved) = move (L.Ur True)
        wrong =
            [ name
            | (name, False) <-
                [ ("toBase", s == V.fromList [0, 1, 4, 9, 16])
                , ("an element in linear code", w == V.fromList [1, 0, 2])
                , ("consume: a slice", t == 42)
                , ("consume: parts", d == 'y')
                , ("lend", u == (45, 9))
                , ("parallelBoth", (h, k) == (55, 120))
                , ("dup2", (one, two) == ('z', 'z'))
                , ("move", moved)
                , ("consume: Ur", consume (L.Ur 'x') == ())
                ]
            ]
    mapM_ (putStrLn . ("wrong: " ++)) wrong
    unless (null wrong) exitFailure
