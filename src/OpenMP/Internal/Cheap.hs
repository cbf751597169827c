{-# LANGUAGE BangPatterns #-}
-- Makes each element a safe point, also where evaluating it does not allocate.
{-# OPTIONS_GHC -fno-omit-yields #-}
-- |
-- Module:      OpenMP.Internal.Cheap
-- Description: A list whose elements cost less than a team would
--
-- The interface is not stable.
--
-- A team needs the elements in an array and leaves its values in another one, and the collector copies both: some 80 ns
-- an element with GHC 9.0.2. Half of a cheaper element is less than that, so its consumer evaluates it, a block of
-- elements at a time, and nothing but that block is in memory. The first elements that are dearer end this, and what
-- is left goes to the team.
--
-- == The decision
--
-- Elements have a credit ('afterElement'), in ticks: each adds 'price' and takes what it has cost. The team gets the
-- rest when the credit is used up. It begins with 'grace', so a list of dear elements has some microseconds of them
-- alone, and no less than one. Cheap elements pay for a collection among them, but 'most' bounds what they can save, so
-- dear ones behind a million of cheap ones are found within that time.
--
-- Callers: "OpenMP.Eval". Tests: @test\/hs\/library\/CheapTest.hs@.
module OpenMP.Internal.Cheap
    ( whileCheap
      -- * The decision
    , afterElement
    , price
    , grace
    , most
    ) where

import Data.Int (Int64)
import Data.List (foldl')
import Data.Word (Word64)
import System.IO.Unsafe (unsafeInterleaveIO)

import OpenMP.Internal.Force (Step (..), forceEach)

-- | Ticks, which are nominal ones, 3 in a nanosecond.
price, grace, most :: Int64
price = 450
grace = 15000
most = 1500000

-- | The credit after an element of so many ticks.
--
-- >>> afterElement 1000 100
-- 1350
-- >>> afterElement 1000 2000
-- -550
afterElement :: Int64 -> Word64 -> Int64
afterElement credit ticks = min most (credit + price - fromIntegral (min ticks (bound + bound)))
  where
    bound = fromIntegral most
{-# INLINE afterElement #-}

-- | Elements of a block, at most.
blockSize :: Int
blockSize = 32

-- | Elements that the block may still have, credit, clock; the values, the last one first; the rest of the list.
data Block a b = Block !Int !Int64 !Word64 [b] [a]

-- | @whileCheap strategy f byTeam list@ is @map f list@. The values are evaluated by the strategy: by the list's
-- consumer while they are cheap, a block when its first value is needed, and from then on by @byTeam@, which gets the
-- ticks that the last element has cost, and what is left of the list. If the first elements are dear, that is part of
-- this action.
whileCheap :: (b -> ()) -> (a -> b) -> (Word64 -> [a] -> IO [b]) -> [a] -> IO [b]
whileCheap strategy f byTeam = block grace
  where
    block credit list = do
        began <- c_ticks
        Block _ left last_ values rest <- forceEach element (Block blockSize credit began [] list)
        (`onto` values) <$> case rest of
            [] -> pure []
            _ | left < 0  -> byTeam last_ rest
              | otherwise -> unsafeInterleaveIO (block left rest)
    -- What the element before has cost is known when the next one is about to begin.
    element (Block more credit before values list) = do
        now <- c_ticks
        let !ticks = now - before
            !left = if null values then credit else afterElement credit ticks
        pure $ case list of
            x : rest | more > 0 && left >= 0 -> let value = f x in
                Step (Block (more - 1) left now (value : values) rest) (strategy value)
            _ -> Done (Block more left ticks values list)
    onto = foldl' (flip (:))

foreign import ccall unsafe "ghcomp_hs_ticks" c_ticks :: IO Word64
