{-# LANGUAGE DataKinds #-}
{-# LANGUAGE GADTs #-}
{-# LANGUAGE LinearTypes #-}
{-# LANGUAGE RankNTypes #-}

-- | A token that was duplicated: the second end of it is an error that names the function, whatever the two ends are.
-- Here a function of the internal module duplicates it; test/should-fail has the constructs in which GHC lets a program
-- do so, and runs those programs.
module LinearTwiceTest (tests) where

import Control.Exception (ErrorCall (..), evaluate, try)
import Data.List (isPrefixOf)
import qualified Data.Vector.Storable as V
import Test.Tasty
import Test.Tasty.HUnit

import Data.Array.Linear (Parts, Slice, Split (..), Ur (..), unur, (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Internal (linearly)
import Data.Array.Linear.Parallel
import Data.Array.Linear.Record (Columns (..), SplitRecord (..))
import qualified Data.Array.Linear.Record as R
import OpenMP.Settings (Settings (..), defaults)

tests :: TestTree
tests = testGroup "Linear, a token used twice" (ends ++ uses ++ [newTokens])

-- | Two tokens of one slice, which no correct program can have.
twice :: Slice p a %1 -> (Slice p a, Slice p a)
twice = linearly (\s -> (s, s))
{-# NOINLINE twice #-}

-- | The first token ends by @freeze@, the second one by this function.
ends :: [TestTree]
ends =
    [ second "freeze" L.freeze
    , second "discard" (\t -> L.discard t & \() -> Ur V.empty)
    , second "split" (\t -> L.split 1 t & \(Split j l r) -> L.freeze (L.combine j l r))
    , second "halve" (\t -> L.halve t & \(Split j l r) -> L.freeze (L.combine j l r))
    , second "splitSizes" (\t -> L.splitSizes [1] t & L.combineParts & L.freeze)
    , second "lend" (\t -> L.lend t (\v -> Ur (L.index v 0)) & \(t', Ur _) -> L.freeze t')
    , second "Parallel.parChunks" (\t -> L.freeze (parChunks (Team two) 9 (\_ part -> part) t))
    , second "Parallel.parSteps" (\t -> L.alloc 4 'o' (\o ->
        parSteps two 2 1 (\_ _ part -> part) t o & \(t', o') -> L.discard o' & \() -> L.freeze t'))
    , second "Record.split" (\t -> R.split 1 (t :& End) & \(SplitRecord js l r) ->
        R.combine js l r & \(t' :& End) -> L.freeze t')
    , testCase "combine, with a copy of the left part" $ fails "combine" (L.alloc 4 'x' (\s ->
        s & L.halve & \(Split j l r) -> twice l & \(a, b) -> L.discard b & \() -> L.freeze (L.combine j a r)))
    , testCase "combine, with a copy of the right part" $ fails "combine" (L.alloc 4 'x' (\s ->
        s & L.halve & \(Split j l r) -> twice r & \(a, b) -> L.discard b & \() -> L.freeze (L.combine j l a)))
    , testCase "a part that was combined" $ fails "freeze" (L.alloc 4 'x' (\s -> s & L.halve & \(Split j l r) ->
        twice r & \(a, b) -> L.freeze (L.combine j l a) & \(Ur v) -> L.freeze b & \(Ur w) -> Ur (v V.++ w)))
    , testCase "a slice that was split" $ fails "freeze" (L.alloc 4 'x' (\s ->
        twice s & \(a, b) -> L.halve a & \(Split j l r) -> L.freeze b & \(Ur v) ->
            L.freeze (L.combine j l r) & \(Ur w) -> Ur (v V.++ w)))
    , testCase "a slice that is lent" $ fails "fillWith" (L.alloc 4 'x' (\s ->
        twice s & \(a, b) -> L.lend a (\v -> (Ur (L.index v 0), L.fill 'y' b)) & \(a', (Ur _, b')) ->
            L.discard b' & \() -> L.freeze a'))
    , testCase "a slice that was lent" $ fails "freeze" (L.alloc 4 'x' (\s ->
        twice s & \(a, b) -> L.lend a (\v -> Ur (L.index v 0)) & \(a', Ur _) ->
            L.freeze b & \(Ur v) -> L.discard a' & \() -> Ur v))
    , lastPart "parParts" Sparks "Parallel.parParts"
    , lastPart "parParts of a team" (Team two) "Parallel.parParts"
    , testCase "parSteps, the part that the function returns" $ fails "Parallel.parSteps" (L.alloc 4 'x' (\s ->
        L.alloc 4 'y' (\o -> parSteps two 2 3 (\_ _ -> ended) s o & \(s', o') -> L.discard o' & \() -> L.freeze s')))
    , testCase "Record.parChunks" $ fails "Record.parChunks" (L.alloc 4 'x' (\s ->
        R.parChunks Sparks 2 (\_ (t :& End) -> ended t :& End) (s :& End) & \(s' :& End) -> L.freeze s'))
    , testCase "parCombine" $ fails "combine" (L.alloc 4 'x' (\s -> s & L.halve & \(Split j l r) ->
        L.freeze (parCombine Sparks j ended (L.fill 'z') l r)))
    ]
  where
    lastPart what workers name = testCase (what ++ ", the part that the function returns") $ fails name
        (L.alloc 4 'x' (\s -> s & L.splitEvenly 2 & parEnded workers & L.combineParts & L.freeze))

    parEnded :: Workers -> Parts p Char %1 -> Parts p Char
    parEnded workers = parParts workers (\_ -> ended)

-- | The slice, of which a copy has ended.
ended :: Slice p Char %1 -> Slice p Char
ended s = twice s & \(a, b) -> L.discard b & \() -> a

-- | Operations on all elements read whether the token was used up, and do not use it up.
uses :: [TestTree]
uses =
    [ second "fillWith" (\t -> L.freeze (L.fill 'y' t))
    , second "imap" (\t -> L.freeze (L.map succ t))
    , second "foldl'" (\t -> L.foldl' (\n c -> n + fromEnum c) 0 t & \(Ur _, t') -> L.freeze t')
    , second "unsafeWithSliceC" (\t -> L.unsafeWithSliceC (\_ _ -> pure ()) t & \(Ur (), t') -> L.freeze t')
    ]

second :: String -> (forall p. Slice p Char %1 -> Ur (V.Vector Char)) -> TestTree
second name use = testCase (name ++ " after freeze") $ fails name (L.alloc 4 'x' (\s ->
    twice s & \(a, b) -> L.freeze a & \(Ur v) -> use b & \(Ur w) -> Ur (v V.++ w)))

-- | What each operation returns is a new token, which can be used: no error comes without a copy.
newTokens :: TestTree
newTokens = testCase "tokens that were returned are new" $
    unur (L.alloc 8 'x' (\s -> again (64 :: Int) s & L.freeze)) @?= V.fromList (replicate 8 'y')
  where
    again :: Int -> Slice p Char %1 -> Slice p Char
    again 0 s = s
    again k s = s & L.fill 'y' & L.halve & \(Split j l r) ->
        L.lend l (\v -> L.fill (L.index v 0) r) & \(l', r') ->
            parCombine Sparks j (L.map id) (L.map id) l' r' & L.splitEvenly 3 & parParts (Team two) (\_ part -> part)
                & L.combineParts & again (k - 1)

two :: Settings
two = defaults { numThreads = Just 2 }

fails :: Show a => String -> Ur a -> Assertion
fails name result = do
    r <- try (evaluate (length (show result)))
    case r of
        Left (ErrorCall text)
            | ("Data.Array.Linear." ++ name ++ ": this slice was used before") `isPrefixOf` text -> pure ()
            | otherwise -> assertFailure ("another error: " ++ text)
        Right _ -> assertFailure ("no error, and the result " ++ show result)
