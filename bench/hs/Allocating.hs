-- | The work of Haskell threads beside regions: units that allocate.
module Allocating (unit, Live, newLive, unitOfLive) where

import Control.Exception (evaluate)
import qualified Data.List as List

-- | A unit takes about 20 us and allocates about 65 kB, all of it garbage at once. Returns the next unit's seed.
unit :: Integer -> IO Integer
unit seed = evaluate (List.foldl' (\acc k -> (acc * 31 + k) `mod` 1000000007) seed [1 .. 1000])

-- | Live data: a tree of 2^16 leaves, 4 MB.
data Live = Leaf !Int | Node !Live !Live

depthOfLive :: Int
depthOfLive = 16

newLive :: Live
newLive = grow depthOfLive 1
  where
    grow 0 i = Leaf i
    grow depth i = Node (grow (depth - 1) (2 * i)) (grow (depth - 1) (2 * i + 1))

-- | A unit of work, and 100 leaves that change. Each replaces the path to it, so that live data are copied again and
-- again and become garbage when they are old.
unitOfLive :: (Integer, Live) -> IO (Integer, Live)
unitOfLive (seed, live) = do
  next <- unit seed
  live' <- evaluate (List.foldl' change live (take 100 (iterate (\i -> (i * 25173 + 13849) `mod` 65536) (start next))))
  pure (next, live')
  where
    start = fromInteger . (`mod` 65536)
    change tree path = go depthOfLive path tree
    go depth path (Node left right)
      | even path = Node (go (depth - 1) (path `div` 2) left) right
      | otherwise = Node left (go (depth - 1) (path `div` 2) right)
    go _ path (Leaf n) = Leaf (n + path)
