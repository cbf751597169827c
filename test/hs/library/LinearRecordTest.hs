{-# LANGUAGE DataKinds #-}
{-# LANGUAGE GADTs #-}
{-# LANGUAGE KindSignatures #-}
{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE LinearTypes #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeFamilies #-}
{-# OPTIONS_GHC -O0 #-} -- with optimization GHC takes ten times as long; LinearOrder has it

-- | "Data.Array.Linear.Record" against lists: records of two and of four slices, without a record around them, and what
-- an instance can and cannot do. What must not compile is tested by test/should-fail.
module LinearRecordTest (tests) where

import Control.Exception (ErrorCall (..), evaluate, try)
import Data.Kind (Type)
import Data.List (isInfixOf)
import qualified Data.Vector.Storable as V
import Data.Word (Word8)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

import Data.Array.Linear (Slice, Ur (..), unur, (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel (Workers (..))
import Data.Array.Linear.Record (Columns (..), Record (..), SplitRecord (..))
import qualified Data.Array.Linear.Record as R
import OpenMP.Settings (Settings (..), defaults)

tests :: TestTree
tests = testGroup "Linear records"
    [ testProperty "combine undoes split" splitCombined
    , testProperty "the two parts of a split are the first elements and the rest" splitPlaces
    , testProperty "parts get the index of their first element" (partsOf R.mapParts)
    , testProperty "parts in parallel are those one after the other" (\(Those w) -> partsOf (R.parParts w))
    , testProperty "so are chunks" chunks
    , testProperty "halves, recursively" halves
    , testProperty "four slices of four types, and none around them" four
    , testCase "columns without a record" bare
    , testCase "slices of different lengths are an error" different
    , testCase "a size below 1 is an error" below
    , testCase "a split point outside is an error" outside
    , testCase "errors of a team name the function that was called" threads
    , testCase "what is not a slice does not leave a borrow" held
    ]

data Bodies (names :: [Type]) where
    Bodies :: Slice x Int %1 -> Slice v Int %1 -> Bodies '[x, v]

instance Record Bodies where
    type Fields Bodies = '[Int, Int]
    toColumns (Bodies x v) = x :& v :& End
    fromColumns (x :& v :& End) = Bodies x v

newtype Those = Those Workers

instance Show Those where
    show (Those w) = show w

instance Arbitrary Those where
    arbitrary = Those <$> elements [Sparks, Team defaults, Team defaults { numThreads = Just 1 }, Team three]
      where
        three = defaults { numThreads = Just 3 }

-- | The lists that a computation makes of two lists of one length.
on :: [(Int, Int)] -> (forall names. Bodies names %1 -> Bodies names) -> [(Int, Int)]
on list f = unur (L.allocCopy (V.fromList (map fst list)) (\x -> L.allocCopy (V.fromList (map snd list)) (\v ->
    frozen (f (Bodies x v)))))

frozen :: Bodies names %1 -> Ur [(Int, Int)]
frozen (Bodies x v) = L.freeze x & \(Ur xs) -> L.freeze v & \(Ur vs) -> Ur (zip (V.toList xs) (V.toList vs))

-- | Moves each body by its speed and a number, and turns it round.
move :: Int -> Bodies names %1 -> Bodies names
move k (Bodies x v) = L.lend v (\view -> L.imap (\i at -> at + k + L.index view i) x) & \(v', x') ->
    Bodies x' (L.map negate v')

moved :: Int -> (Int, Int) -> (Int, Int)
moved k (x, v) = (x + k + v, negate v)

point :: Int -> [a] -> Int
point i list = i `mod` (length list + 1)

splitCombined :: [(Int, Int)] -> Int -> Property
splitCombined list i =
    on list (\b -> R.split (point i list) b & \(SplitRecord js l r) -> R.combine js l r) === list

splitPlaces :: [(Int, Int)] -> Int -> Property
splitPlaces list i =
    on list (\b -> R.split n b & \(SplitRecord js l r) -> R.combine js (move 1 l) (move 2 r))
        === map (moved 1) (take n list) ++ map (moved 2) (drop n list)
  where
    n = point i list

type OfParts = forall names.
    (forall q. Int -> Bodies q %1 -> Bodies q) -> R.RecordParts Bodies names %1 -> R.RecordParts Bodies names

partsOf :: OfParts -> [(Int, Int)] -> Positive Int -> [NonNegative Int] -> Property
partsOf over list (Positive n) sizes =
    on list (\b -> R.splitEvenly n b & over move & R.combineParts) === inSizes evenly list
    .&&. on list (\b -> R.splitSizes fitting b & over move & R.combineParts) === inSizes fitting list
  where
    (size, longer) = length list `quotRem` n
    evenly = replicate longer (size + 1) ++ replicate (n - longer) size
    fitting = map fst (takeWhile ((<= length list) . snd) (zip wanted (scanl1 (+) wanted)))
    wanted = [ k | NonNegative k <- sizes ]

-- | Parts of these sizes, and what is left, each moved by the index of its first element.
inSizes :: [Int] -> [(Int, Int)] -> [(Int, Int)]
inSizes sizes list = concat (go 0 sizes list)
  where
    go first [] rest = [map (moved first) rest]
    go first (n : ns) rest = map (moved first) (take n rest) : go (first + n) ns (drop n rest)

chunks :: Those -> [(Int, Int)] -> Positive Int -> Property
chunks (Those w) list (Positive n) =
    on list (R.parChunks w n move) === inSizes (replicate ((length list - 1) `div` n) n) list

halves :: Those -> [(Int, Int)] -> Property
halves (Those w) list = on list (go 3) === map (moved 0) list
  where
    go :: Int -> Bodies names %1 -> Bodies names
    go 0 b = move 0 b
    go depth b = R.halve b & \(SplitRecord js l r) -> R.parCombine w js (go (depth - 1)) (go (depth - 1)) l r

data Four (names :: [Type]) where
    Four :: Slice a Int %1 -> Slice b Char %1 -> Slice c Double %1 -> Slice d Word8 %1 -> Four '[a, b, c, d]

instance Record Four where
    type Fields Four = '[Int, Char, Double, Word8]
    toColumns (Four a b c d) = a :& b :& c :& d :& End
    fromColumns (a :& b :& c :& d :& End) = Four a b c d

four :: Those -> Small Int -> Positive Int -> Property
four (Those w) (Small some) (Positive size) =
    unur (L.alloc n 0 (\a -> L.alloc n 'a' (\b -> L.alloc n 0.5 (\c -> L.alloc n 7 (\d ->
        R.parChunks w size mark (Four a b c d) & made)))))
        === ([0 .. n - 1], replicate n 'b', map fromIntegral [0 .. n - 1], replicate n (8 :: Word8))
  where
    n = abs some
    mark :: Int -> Four names %1 -> Four names
    mark first (Four a b c d) =
        Four (L.fillWith (first +) a) (L.map succ b) (L.fillWith (fromIntegral . (first +)) c) (L.map (+ 1) d)
    made :: Four names %1 -> Ur ([Int], [Char], [Double], [Word8])
    made (Four a b c d) = L.freeze a & \(Ur as) -> L.freeze b & \(Ur bs) -> L.freeze c & \(Ur cs) ->
        L.freeze d & \(Ur ds) -> Ur (V.toList as, V.toList bs, V.toList cs, V.toList ds)

bare :: Assertion
bare = unur (L.alloc 5 'a' (\a -> L.alloc 5 0 (\b ->
    R.parChunks (Team defaults) 2 mark (a :& b :& End) & \(a' :& b' :& End) ->
    L.freeze a' & \(Ur as) -> L.freeze b' & \(Ur bs) -> Ur (V.toList as, V.toList bs)))) @?= ("bbbbb", [0, 0, 2, 2, 4])
  where
    mark :: Int -> Columns '[Char, Int] names %1 -> Columns '[Char, Int] names
    mark first (a :& b :& End) = L.map succ a :& L.fill first b :& End

different, below, threads, outside, held :: Assertion
different = mapM_ (fails "have different lengths, [3,2]; they must have the same")
    [ unequal (\b -> R.length b & \(Ur n, b') -> move n b')
    , unequal (\b -> R.halve b & \(SplitRecord js l r) -> R.combine js l r)
    , unequal (\b -> R.split 1 b & \(SplitRecord js l r) -> R.combine js l r)
    , unequal (\b -> R.splitEvenly 2 b & R.combineParts)
    , unequal (\b -> R.splitSizes [1] b & R.combineParts)
    , unequal (R.parChunks Sparks 1 move)
    ]
  where
    unequal :: (forall names. Bodies names %1 -> Bodies names) -> [(Int, Int)]
    unequal f = unur (L.alloc 3 0 (\x -> L.alloc 2 0 (\v -> frozen (f (Bodies x v)))))
below = mapM_ (fails "must be at least 1, and is 0")
    [ on [(1, 2)] (\b -> R.splitEvenly 0 b & R.combineParts)
    , on [(1, 2)] (R.parChunks Sparks 0 move)
    ]
threads = sequence_
    [ fails "Linear.Record.parParts: numThreads = 0: " $
        on [(1, 2)] (\b -> R.splitEvenly 1 b & R.parParts none (\_ -> move 1) & R.combineParts)
    , fails "Linear.Record.parChunks: numThreads = 0: " (on [(1, 2)] (R.parChunks none 1 move))
    , fails "Linear.Record.parCombine: numThreads = 0: " $
        on [(1, 2)] (\b -> R.halve b & \(SplitRecord js l r) -> R.parCombine none js (move 1) (move 1) l r)
    ]
  where
    none = Team defaults { numThreads = Just 0 }
outside = sequence_
    [ fails "Record.split: point 2 is outside of a slice of 1 elements" $
        on [(1, 2)] (\b -> R.split 2 b & \(SplitRecord js l r) -> R.combine js l r)
    , fails "Record.splitSizes: point 1 is outside of a slice of 0 elements" $
        on [(1, 2)] (\b -> R.splitSizes [1, 1] b & R.combineParts)
    ]

fails :: String -> [(Int, Int)] -> Assertion
fails text value = do
    r <- try (evaluate (length (show value)))
    case r of
        Left (ErrorCall e) -> assertBool e (text `isInfixOf` e)
        Right _            -> assertFailure "no error"

-- | A record with a list beside its slice.
data Held (names :: [Type]) where
    Held :: Slice x Int %1 -> [Int] -> Held '[x]

instance Record Held where
    type Fields Held = '[Int]
    toColumns (Held x _) = x :& End
    fromColumns (x :& End) = Held x []

-- | The borrow ends with a list that would read the view later: it is not there any more.
held = unur (L.alloc 2 5 (\x -> L.alloc 2 0 (\y ->
    L.lend x (\view -> Held y [L.index view 0]) & \case
        (x', Held y' list) -> L.discard x' & \() -> L.discard y' & \() -> Ur list))) @?= []
