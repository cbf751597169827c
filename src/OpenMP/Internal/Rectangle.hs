{-# LANGUAGE BangPatterns #-}
-- |
-- Module:      OpenMP.Internal.Rectangle
-- Description: Rectangles of index pairs as one range
--
-- What @collapse(2)@ does in C: the pairs of two ranges, row by row, are iterations of one loop. The interface is not
-- stable.
--
-- As in "OpenMP.Internal.Loop", numbers of iterations are unsigned numbers in an 'Int', and indices wrap around.
--
-- Callers: "OpenMP.Parallel". Tests: @test\/hs\/library\/RectangleTest.hs@.
module OpenMP.Internal.Rectangle
    ( Rectangle
    , rectangle
    , pairs
    , overPairs
    , Tiling
    , tiling
    , tiles
    , overTiles
    ) where

import Control.Monad (when)
import OpenMP.Internal.Loop (overRange, rangeCount)
import OpenMP.Internal.Settings (reject)

-- | The pairs of a row of @[top, bottom)@ and a column of @[left, right)@.
data Rectangle = Rectangle
    { _top   :: !Int
    , _left  :: !Int
    , _width :: !Word -- ^ 0 only if there are no pairs
    , pairs  :: !Int  -- ^ their number
    }

-- | A rectangle; an t'Control.Exception.ErrorCall' if its pairs cannot be counted. The name is that of the caller.
rectangle :: String -> (Int, Int) -> (Int, Int) -> IO Rectangle
rectangle name (top, bottom) (left, right) = do
    number <- area name (rangeCount top bottom) (rangeCount left right)
    pure (Rectangle top left (fromIntegral (rangeCount left right)) number)

-- | The product of two unsigned numbers, if it is one.
area :: String -> Int -> Int -> IO Int
area name height width = do
    reject ("Parallel." ++ name)
        [ show (wide height) ++ " times " ++ show (wide width) ++ " iterations: a loop has at most " ++ show most
        | wide height * wide width > most ]
    pure (height * width)
  where
    wide n = toInteger (fromIntegral n :: Word)
    most = toInteger (maxBound :: Word)

-- | Runs the action for the pairs with the numbers @[begin, end)@, which is not empty, row by row.
overPairs :: Rectangle -> Int -> Int -> (Int -> Int -> IO ()) -> IO ()
overPairs (Rectangle top left width _) !begin !end action =
    go (top + fromIntegral row) column (fromIntegral (end - begin))
  where
    (row, column) = fromIntegral begin `quotRem` width
    go !i !skipped !wanted = do
        let !here = min wanted (width - skipped)
            !first = left + fromIntegral skipped
        overRange first (first + fromIntegral here) (action i)
        when (here /= wanted) (go (i + 1) 0 (wanted - here))
{-# INLINE overPairs #-}

-- | A rectangle cut into tiles of one size. Those at the bottom and at the right may be smaller.
data Tiling = Tiling
    { _rows      :: !(Int, Int)
    , _columns   :: !(Int, Int)
    , _tileSize  :: !(Word, Word)
    , _across    :: !Word  -- ^ tiles in a row
    , tiles      :: !Int   -- ^ their number
    }

-- | A tiling by tiles of so many rows and columns; an t'Control.Exception.ErrorCall' if they are not at least 1.
tiling :: String -> (Int, Int) -> (Int, Int) -> (Int, Int) -> IO Tiling
tiling name (height, width) rows columns = do
    reject ("Parallel." ++ name)
        [ "tiles of " ++ show height ++ " by " ++ show width ++ ": a tile has at least 1 row and 1 column"
        | height < 1 || width < 1 ]
    number <- area name (fromIntegral (strips rows height)) (fromIntegral across)
    pure (Tiling rows columns (fromIntegral height, fromIntegral width) across number)
  where
    across = strips columns width
    strips (from, past) size
        | from < past = (fromIntegral (rangeCount from past) - 1) `quot` fromIntegral size + 1
        | otherwise   = 0 :: Word

-- | Runs the action for the tiles with the numbers @[begin, end)@, which is not empty: with the bounds of a tile's rows
-- and of its columns.
overTiles :: Tiling -> Int -> Int -> ((Int, Int) -> (Int, Int) -> IO ()) -> IO ()
overTiles (Tiling rows columns (height, width) across _) !begin !end action = overRange begin end $ \i ->
    let (row, column) = fromIntegral i `quotRem` across in action (strip rows height row) (strip columns width column)
  where
    strip (from, past) size i =
        let first = from + fromIntegral (i * size)
            left = fromIntegral (past - first) :: Word
        in (first, first + fromIntegral (min size left))
{-# INLINE overTiles #-}
