{-# LANGUAGE GADTs #-}
{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE LinearTypes #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# OPTIONS_GHC -O0 #-} -- with optimization GHC takes ten times as long; LinearOrder has it

-- | "Data.Array.Linear" against lists: its laws, slices written by C and by several threads, and the errors. That
-- effects happen once and in order is tested by LinearOrder, what must not compile by test/should-fail.
module LinearTest (tests) where

import Control.Concurrent (getNumCapabilities)
import Control.DeepSeq (rnf)
import Control.Exception (ErrorCall (..), evaluate, mask_, throw, try)
import Control.Monad (forM_, when)
import Data.List (isInfixOf)
import qualified Data.Vector.Storable as V
import Foreign.C.Types (CInt (..))
import Foreign.ForeignPtr (withForeignPtr)
import Foreign.Marshal.Alloc (alloca)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (Ptr, minusPtr, nullPtr)
import Foreign.Storable (poke)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

import Data.Array.Linear (Join, Parts, Slice, Split (..), Ur (..), View, unur, (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel
import OpenMP.Settings (Settings (..), defaults)
import Capabilities (changeCapabilities)
import Timing (timing)
import qualified LinearOrder1
import qualified LinearOrder2

-- Unsafe: a few additions, and it calls nothing back.
foreign import ccall unsafe "function_add" c_add :: Ptr CInt -> CInt -> CInt -> IO ()
-- Safe: it opens a region.
foreign import ccall safe "function_add_team" c_add_team :: Ptr CInt -> CInt -> CInt -> IO ()

-- Unsafe, so that the Capability that it waits with cannot run a spark.
foreign import ccall unsafe "function_meet" c_meet :: Ptr CInt -> CInt -> IO CInt

tests :: TestTree
tests = testGroup "Linear"
    [ testGroup "laws" laws
    , testGroup "unrestricted values" unrestricted
    , testGroup "parts" parts
    , testGroup "borrows" borrows
    , testGroup "parallel" parallel
    , testCase "many parts: as many steps" manyParts
    , testGroup "sparks run at the same time" (timing meetings)
    , testGroup "C" calls
    , testGroup "errors" errors
    , LinearOrder1.tests
    , LinearOrder2.tests
    ]

-- | 'Ur' is as good as its value for every class; a result of 'L.alloc' needs no pattern.
unrestricted :: [TestTree]
unrestricted =
    [ testProperty "compare and print as their values" $ \(x :: Int) y ->
        (Ur x == Ur y, compare (Ur x) (Ur y)) === (x == y, compare x y) .&&. show (Just (Ur x)) === "Just (Ur " ++
            showsPrec 11 x ")"
    , testProperty "functor, applicative, monad, traversable" $ \(x :: Int) (f :: Fun Int Int) (g :: Fun Int Int) ->
        (applyFun f <$> Ur x) === Ur (applyFun f x)
            .&&. (Ur (applyFun f) <*> pure x) === Ur (applyFun f x)
            .&&. (Ur x >>= Ur . applyFun f >>= Ur . applyFun g) === Ur (applyFun g (applyFun f x))
            .&&. traverse (\a -> [a, applyFun f a]) (Ur x) === [Ur x, Ur (applyFun f x)]
            .&&. sum (Ur x) === x
    , testCase "rnf evaluates the value" $ do
        rnf (Ur 'x') @?= ()
        r <- try (evaluate (rnf (Ur [1, throw (ErrorCall "inside") :: Int])))
        r @?= Left (ErrorCall "inside")
    , testProperty "of arrays" $ \xs ->
        (V.sum <$> L.allocCopy (V.fromList xs) L.freeze) === Ur (sum xs :: Int)
    ]

-- | The list that an in-place computation makes from a list.
on :: [Int] -> (forall p. Slice p Int %1 -> Slice p Int) -> [Int]
on xs f = V.toList (unur (L.allocCopy (V.fromList xs) (\s -> L.freeze (f s))))

-- | An index of a list that is not empty.
at :: Int -> [a] -> Int
at i xs = i `mod` length xs

-- | A split point.
cut :: Int -> [a] -> Int
cut i xs = i `mod` (length xs + 1)

readAt :: Int -> Slice p Int %1 -> Ur Int
readAt i s = L.read i s & \(x, s') -> L.discard s' & \() -> x

laws :: [TestTree]
laws =
    [ testProperty "freeze . allocCopy = id" $ \xs -> on xs (\s -> s) === xs
    , testProperty "reading an unwritten element" $ \(NonEmpty xs) i ->
        unur (L.allocCopy (V.fromList xs) (readAt (at i xs))) === xs !! at i xs
    , testProperty "reading after writing" $ \(NonEmpty xs) i x ->
        unur (L.allocCopy (V.fromList xs) (\s -> readAt (at i xs) (L.write (at i xs) x s))) === x
    , testProperty "reading another element than was written" $ \(NonEmpty xs) i j x -> at i xs /= at j xs ==>
        unur (L.allocCopy (V.fromList xs) (\s -> readAt (at i xs) (L.write (at j xs) x s))) === xs !! at i xs
    , testProperty "writing after writing" $ \(NonEmpty xs) i x y ->
        on xs (\s -> s & L.write (at i xs) x & L.write (at i xs) y) === on xs (L.write (at i xs) y)
    , testProperty "writing what was read" $ \(NonEmpty xs) i ->
        on xs (\s -> L.read (at i xs) s & \(Ur x, s') -> L.write (at i xs) x s') === xs
    , testProperty "modify is read and write" $ \(NonEmpty xs) i f -> on xs (L.modify (at i xs) (applyFun f))
        === on xs (\s -> L.read (at i xs) s & \(Ur x, s') -> L.write (at i xs) (applyFun f x) s')
    , testProperty "swap . swap = id" $ \(NonEmpty xs) i j ->
        on xs (\s -> s & L.swap (at i xs) (at j xs) & L.swap (at i xs) (at j xs)) === xs
    , testProperty "swap exchanges" $ \(NonEmpty xs) i j -> let ys = on xs (L.swap (at i xs) (at j xs)) in
        (ys !! at i xs, ys !! at j xs) === (xs !! at j xs, xs !! at i xs)
    , testProperty "unsafeWrite, unsafeRead = write, read" $ \(NonEmpty xs) i x ->
        on xs (\s -> s & L.unsafeWrite (at i xs) x & L.unsafeRead (at i xs) & \(Ur y, s') -> L.write 0 (y + 1) s')
            === on xs (\s -> s & L.write (at i xs) x & L.write 0 (x + 1))
    , testProperty "map" $ \xs f -> on xs (L.map (applyFun f)) === map (applyFun f) xs
    , testProperty "imap" $ \xs f -> on xs (L.imap (applyFun2 f)) === zipWith (applyFun2 f) [0 ..] xs
    , testProperty "fillWith" $ \xs f ->
        on xs (L.fillWith (applyFun f)) === map (applyFun f) [0 .. length xs - 1]
    , testProperty "allocCopy's array begins on a 64-byte boundary" $ \(NonNegative from) xs ->
        let v = V.drop from (V.fromList (xs :: [Int]))
            fp = fst (V.unsafeToForeignPtr0 (unur (L.allocCopy v L.freeze)))
        in ioProperty (withForeignPtr fp (\p -> pure ((p `minusPtr` nullPtr) `mod` 64 === 0)))
    , testProperty "foldl'" $ \xs -> unur (L.allocCopy (V.fromList xs) (\s ->
        L.foldl' (flip (:)) [] s & \(ys, s') -> L.discard s' & \() -> ys)) === reverse (xs :: [Int])
    , testProperty "length" $ \xs -> unur (L.allocCopy (V.fromList xs) (\s ->
        L.length s & \(n, s') -> L.discard s' & \() -> n)) === length (xs :: [Int])
    , testProperty "generate" $ \(NonNegative n) f ->
        unur (L.generate n (applyFun f) L.freeze) === V.generate n (applyFun f :: Int -> Int)
    , testProperty "combine . split = id" $ \xs i ->
        on xs (\s -> s & L.split (cut i xs) & \(Split j l r) -> L.combine j l r) === xs
    , testProperty "split = splitAt" $ \xs i ->
        on xs (\s -> s & L.split (cut i xs) & \(Split j l r) -> L.combine j (L.map (+ 1) l) (L.map negate r))
            === (let (l, r) = splitAt (cut i xs) xs in map (+ 1) l ++ map negate r)
    , testProperty "halve = split in the middle" $ \xs ->
        on xs (\s -> s & L.halve & \(Split j l r) -> L.combine j (L.fill 0 l) r)
            === on xs (\s -> s & L.split (length xs `div` 2) & \(Split j l r) -> L.combine j (L.fill 0 l) r)
    , testProperty "which part is written first does not matter" $ \xs i x y ->
        on xs (\s -> s & L.split (cut i xs) & \(Split j l r) ->
                L.fill x l & \l' -> L.fill y r & \r' -> L.combine j l' r')
            === on xs (\s -> s & L.split (cut i xs) & \(Split j l r) ->
                L.fill y r & \r' -> L.fill x l & \l' -> L.combine j l' r')
    , testProperty "a combined slice can be split elsewhere" $ \xs i k ->
        on xs (\s -> s & L.split (cut i xs) & \(Split j l r) -> L.combine j l (L.map (+ 1) r)
            & L.split (cut k xs) & \(Split j' l' r') -> L.combine j' (L.map (* 2) l') r')
            === [ (if n < cut k xs then (* 2) else id) (if n >= cut i xs then x + 1 else x) | (n, x) <- zip [0 ..] xs]
    , testProperty "a frozen part keeps its elements while the other is written" $ \(xs :: [Int]) i ->
        unur (L.allocCopy (V.fromList xs) (\s -> s & L.split (cut i xs) & \(Split _ l r) ->
            L.freeze l & \(Ur v) -> L.freeze (L.map (+ 1) r) & \(Ur w) -> Ur (V.toList v ++ V.toList w)))
            === take (cut i xs) xs ++ map (+ 1) (drop (cut i xs) xs)
    ]

parts :: [TestTree]
parts =
    [ testProperty "combineParts . splitEvenly n = id" $ \xs (Positive n) ->
        on xs (\s -> s & L.splitEvenly n & L.combineParts) === xs
    , testProperty "combineParts . splitSizes = id" $ \xs sizes ->
        on xs (\s -> s & L.splitSizes (fitting sizes (length xs)) & L.combineParts) === xs
    , testProperty "mapParts has every part once, with its place" $ \xs sizes ->
        on xs (\s -> s & L.splitSizes (fitting sizes (length xs))
            & L.mapParts (\first -> L.imap (\i x -> x + first + i)) & L.combineParts) === zipWith (+) [0 ..] xs
    , testProperty "parts of an even split differ by one at most, the longer ones first" $
        \(NonNegative len) (Positive n) ->
        let firsts = unur (L.alloc len 0 (\s -> s & L.splitEvenly n & L.mapParts L.fill & L.combineParts & L.freeze))
            sizes = runs (V.toList firsts)
        in counterexample (show sizes) $ length sizes === min len n .&&. sizes === reverse (ordered sizes)
            .&&. property (null sizes || maximum sizes - minimum sizes <= 1)
    ]
  where
    fitting :: [NonNegative Int] -> Int -> [Int]
    fitting [] _ = []
    fitting (NonNegative size : rest) left = let n = min size left in n : fitting rest (left - n)
    runs :: [Int] -> [Int]
    runs [] = []
    runs (x : xs) = let (same, rest) = span (== x) xs in 1 + length same : runs rest
    ordered :: [Int] -> [Int]
    ordered = foldr (\x ys -> takeWhile (< x) ys ++ x : dropWhile (< x) ys) []

-- | The mean of an element and its neighbours, in whole numbers; the ends are their own neighbours.
stencilOf :: (Int -> Int) -> Int -> Int -> Int
stencilOf element n i = (element (max 0 (i - 1)) + element i + element (min (n - 1) (i + 1))) `div` 3

stencilFrom :: View Int -> Int -> Slice p Int %1 -> Slice p Int
stencilFrom v first = L.fillWith (\i -> stencilOf (L.index v) (L.viewLength v) (first + i))

stencilList :: [Int] -> [Int]
stencilList xs = [stencilOf (xs !!) (length xs) i | i <- [0 .. length xs - 1]]

-- | One step of the stencil from an array into a new one, by a function that fills parts from the lent array.
stencilWith :: (forall p. View Int -> Slice p Int %1 -> Slice p Int) -> [Int] -> [Int]
stencilWith f xs = V.toList (unur (L.allocCopy (V.fromList xs) (\src -> L.alloc (length xs) 0 (\dst ->
    L.lend src (\v -> f v dst) & \(src', dst') -> L.discard src' & \() -> L.freeze dst'))))

borrows :: [TestTree]
borrows =
    [ testProperty "a view reads what was written" $ \(NonEmpty xs) i x ->
        unur (L.allocCopy (V.fromList xs) (\s -> L.lend (L.write (at i xs) x s) (\v -> Ur (L.index v (at i xs)))
            & \(s', y) -> L.discard s' & \() -> y)) === (x :: Int)
    , testProperty "what is lent comes back as it was, and can be written" $ \(NonEmpty xs) i x ->
        on xs (\s -> L.lend s (\v -> Ur (V.sum (L.viewVector v))) & \(s', Ur y) -> L.write (at i xs) (y + x) s')
            === [if n == at i xs then sum xs + x else y | (n, y) <- zip [0 ..] xs]
    , testProperty "pairs and triples come back as they were before the next write" $ \(NonEmpty xs) ->
        unur (L.allocCopy (V.fromList xs) (\s ->
            L.lend s (\v -> Ur ((L.index v 0, V.sum (L.viewVector v)), 'x', L.viewLength v))
            & \(s', Ur three) -> L.discard (L.fill 77 s') & \() -> Ur three))
            === ((xs !! 0, sum xs :: Int), 'x', length xs)
    , testProperty "stencil into another array" $ \xs -> stencilWith (\v -> stencilFrom v 0) xs === stencilList xs
    , testProperty "stencil into the parts of another array, over their borders" $ \xs (Positive n) ->
        stencilWith (\v s -> s & L.splitEvenly n & L.mapParts (stencilFrom v) & L.combineParts) xs === stencilList xs
    , testProperty "halos: one half reads the other, which is lent" $ \xs ->
        on xs (\s -> s & L.halve & \(Split j l r) ->
            L.lend l (\v -> L.map (+ V.sum (L.viewVector v)) r) & \(l', r') -> L.combine j l' r')
            === (let (l, r) = splitAt (length xs `div` 2) xs in l ++ map (+ sum l) r)
    , testProperty "a lent slice can be lent again by its reader" $ \xs ->
        on xs (\s -> s & L.halve & \(Split j l r) ->
            L.lend l (\v -> L.lend r (\w -> Ur (V.sum (L.viewVector v) - V.sum (L.viewVector w))))
                & \(l', (r', Ur d)) -> L.map (+ d) (L.combine j l' r'))
            === (let (l, r) = splitAt (length xs `div` 2) xs in map (+ (sum l - sum r)) xs)
    ]

workers :: [(String, Workers)]
workers = ("sparks", Sparks) : [("a team of " ++ show n, Team defaults { numThreads = Just n }) | n <- [1, 2, 5]]

parallel :: [TestTree]
parallel = concat
    [ [ testProperty ("parCombine = combine: " ++ name) $ \xs i f g ->
          on xs (\s -> s & L.split (cut i xs) & \(Split j l r) ->
                  parCombine w j (L.map (applyFun f)) (L.map (applyFun g)) l r)
              === on xs (\s -> s & L.split (cut i xs) & \(Split j l r) ->
                  L.combine j (L.map (applyFun f) l) (L.map (applyFun g) r))
      , testProperty ("parParts = mapParts: " ++ name) $ \xs (Positive n) ->
          on xs (inParts n (parParts w (\first -> L.imap (\i x -> x * (first + i)))))
              === zipWith (*) [0 ..] xs
      , testProperty ("parParts after mapParts: " ++ name) $ \xs (Positive n) ->
          on xs (inParts n (\ps -> L.mapParts (\_ -> L.map (* 2)) (parParts w (\_ -> L.map (+ 1))
              (L.mapParts (\_ -> L.map negate) ps)))) === map (\x -> 2 * (1 - x)) xs
      , testProperty ("parChunks fills: " ++ name) $ \xs (Positive n) f ->
          on xs (parChunks w n (\first -> L.fillWith (\i -> applyFun f (first + i))))
              === map (applyFun f) [0 .. length xs - 1]
      , testProperty ("stencil: " ++ name) $ \xs (Positive n) ->
          stencilWith (\v -> parChunks w n (stencilFrom v)) xs === stencilList xs
      , testProperty ("parallelBoth on two arrays: " ++ name) $ \(xs :: [Int]) (NonNegative m) ->
          unur (L.allocCopy (V.fromList xs) (\s -> L.generate m id (\t ->
              parallelBoth w (\() -> L.map (+ 1) s) (\() -> L.map (+ 2) t) & \(s', t') ->
              L.freeze s' & \(Ur v) -> L.freeze t' & \(Ur u) -> Ur (V.toList v, V.toList u))))
              === (map (+ 1) xs, map (+ 2) [0 .. m - 1])
      , testProperty ("parallelBoth gives values: " ++ name) $ \xs ->
          on xs (\s -> L.lend s (\v -> parallelBoth w (\() -> Ur (V.sum (L.viewVector v)))
                                                     (\() -> Ur (V.product (L.viewVector v))))
              & \(s', (Ur a, Ur b)) -> L.fill (a - b) s') === map (const (sum xs - product xs)) xs
      , testCase ("an exception of a part ends the computation: " ++ name) $ do
          result <- try (evaluate (on [1 .. 10] (inParts 3 (parParts w (\_ -> L.write 5 0)))))
          case result of
              Left (ErrorCall text) -> assertBool text ("write: index 5 is outside" `isInfixOf` text)
              Right _ -> assertFailure "no exception"
      ]
    | (name, w) <- workers ] ++
    [ testGroup "steps" steps
    , testProperty "divide and conquer by sparks: sorting" $ \xs -> on xs quicksort === foldr insert [] xs ]
  where
    inParts :: Int -> (forall q. Parts q Int %1 -> Parts q Int) -> (forall p. Slice p Int %1 -> Slice p Int)
    inParts n f s = s & L.splitEvenly n & f & L.combineParts
    insert x ys = takeWhile (< x) ys ++ x : dropWhile (< x) ys

-- | 'parSteps' against the same steps one after the other; the result is in one array or in the other.
stepped :: Settings -> Int -> Int -> [Int] -> [Int]
stepped settings k count xs = V.toList (unur (L.allocCopy (V.fromList xs) (\one -> L.alloc (length xs) 0 (\other ->
    result (parSteps settings k count stencilFrom one other)))))
  where
    result :: (Slice p Int, Slice q Int) %1 -> Ur (V.Vector Int)
    result (one, other)
        | even count = L.discard other & \() -> L.freeze one
        | otherwise = L.discard one & \() -> L.freeze other

-- | Passes that differ: one adds its number to the neighbours' sum, the other doubles.
passed :: Settings -> Int -> Int -> [Int] -> [Int]
passed settings k count xs = V.toList (unur (L.allocCopy (V.fromList xs) (\one -> L.alloc (length xs) 0 (\other ->
    result (parPasses settings k count pass one other)))))
  where
    pass :: Int -> View Int -> Int -> Slice r Int %1 -> Slice r Int
    pass step v first
        | even step = L.imap (\i _ -> step + sum [ L.index v j | j <- [max 0 (first + i - 1) .. first + i] ])
        | otherwise = L.imap (\i _ -> 2 * L.index v (first + i))
    result :: (Slice p Int, Slice q Int) %1 -> Ur (V.Vector Int)
    result (one, other)
        | even count = L.discard other & \() -> L.freeze one
        | otherwise = L.discard one & \() -> L.freeze other

passOf :: Int -> [Int] -> [Int]
passOf step xs
    | even step = [ step + a + b | (a, b) <- zip (0 : xs) xs ]
    | otherwise = map (2 *) xs

steps :: [TestTree]
steps =
    [ testProperty ("parSteps = so many steps: a team of " ++ show n) $ \xs (Positive k) ->
        forAll (choose (0, 9)) $ \count ->
            stepped defaults { numThreads = Just n } k count xs === iterate stencilList xs !! count
    | n <- [1, 2, 5] ] ++
    [ testProperty "parPasses: each step with its own function" $ \xs (Positive k) ->
        forAll (choose (0, 9)) $ \count ->
            passed defaults { numThreads = Just 3 } k count xs === foldl (flip passOf) xs [0 .. count - 1] ] ++
    [ testCase "an exception of a part ends the computation" $ do
        result <- try (evaluate (unur (L.alloc 9 (0 :: Int) (\one -> L.alloc 9 0 (\other ->
            parSteps defaults { numThreads = Just 3 } 3 100000 (\_ from -> L.write (from `div` 6 * 5) 1) one other
                & ended)))))
        case result of
            Left (ErrorCall text) -> assertBool text ("write: index 5 is outside" `isInfixOf` text)
            Right () -> assertFailure "no exception"
    , testCase "interrupted between two steps, it goes on with the next one" (interruptedSteps 2000)
    , testCase "under a mask it is not interrupted" $
        mask_ (evaluate (stepped defaults { numThreads = Just 2 } 2 5 [3, 1, 4, 1, 5])) >>=
            (@?= iterate stencilList [3, 1, 4, 1, 5] !! 5)
    ]
  where
    ended :: (Slice p Int, Slice q Int) %1 -> Ur ()
    ended (one, other) = L.discard one & \() -> L.discard other & \() -> Ur ()

-- | Where the timeouts come so late that the value is there before one of them, there are more steps.
interruptedSteps :: Int -> Assertion
interruptedSteps count = do
    let n = 4000
        -- Each step adds to what the array that it writes has already: one left out or repeated shows.
        v = unur (L.alloc n (0 :: Int) (\one -> L.alloc n 0 (\other ->
            parSteps defaults 2 count (\w from -> L.imap (\i x -> x + 1 + 0 * L.index w (from + i))) one other
                & \(one', other') -> L.discard other' & \() -> L.freeze one')))
        -- The time grows, so that there is an end however little of it the evaluation gets.
        go :: Int -> Int -> IO Int
        go k micros = timeout micros (evaluate v) >>= maybe (go (k + 1) (micros + micros `quot` 8)) (const (pure k))
    interruptions <- go 0 1000
    v @?= V.replicate n (count `quot` 2)
    when (interruptions == 0) $ do
        assertBool (show count ++ " steps have never been interrupted") (count < 200000)
        interruptedSteps (4 * count)

-- | Quicksort in place: the parts around the pivot are sorted by sparks.
quicksort :: Slice p Int %1 -> Slice p Int
quicksort s = L.length s & \(Ur n, s') -> sort n s'
  where
    sort :: Int -> Slice q Int %1 -> Slice q Int
    sort n t
        | n < 2 = t
        | otherwise = L.read 0 t & \(Ur pivot, t') -> partition pivot 1 1 n t' & \(Ur k, t'') ->
            L.swap 0 (k - 1) t'' & L.split (k - 1) & \(Split j l r) -> pivotApart j l r

    pivotApart :: Join q l r -> Slice l Int %1 -> Slice r Int %1 -> Slice q Int
    pivotApart j l r = L.split 1 r & \(Split j' pivot r') ->
        parallelBoth Sparks (\() -> quicksort l) (\() -> quicksort r') & \(l', r'') ->
        L.combine j l' (L.combine j' pivot r'')

    -- Elements 1 .. k - 1 are smaller than the pivot, k .. i - 1 are not.
    partition :: Int -> Int -> Int -> Int -> Slice q Int %1 -> (Ur Int, Slice q Int)
    partition pivot k i n t
        | i == n = (Ur k, t)
        | otherwise = L.read i t & \case
            (Ur x, t') | x < pivot -> partition pivot (k + 1) (i + 1) n (L.swap i k t')
                       | otherwise -> partition pivot k (i + 1) n t'

calls :: [TestTree]
calls =
    [ testProperty "C works on the region of its token alone" $ \(xs :: [Int]) i x -> onC xs (cut i xs) (add c_add x)
        === expected xs (cut i xs) x
    , testProperty "so does C with a team of its own" $ \(xs :: [Int]) i x -> onC xs (cut i xs) (add c_add_team x)
        === expected xs (cut i xs) x
    , testProperty "C calls on two parts at the same time" $ \(xs :: [Int]) i x ->
        let ys = map fromIntegral xs in
        V.toList (unur (L.allocCopy (V.fromList ys) (\s -> s & L.split (cut i xs) & \(Split j l r) ->
            L.freeze (parCombine Sparks j (add c_add_team x) (add c_add (-x)) l r))))
            === map (+ x) (take (cut i xs) ys) ++ map (subtract x) (drop (cut i xs) ys)
    , testProperty "C reads what is lent and writes what it owns" $ \(xs :: [Int]) ->
        unur (L.allocCopy (V.fromList xs) (\src -> L.alloc (length xs) 0 (\dst ->
            L.lend src (\v -> copyC v dst) & \(src', dst') -> L.discard src' & \() -> L.freeze dst'))) === V.fromList xs
    , testCase "the result of a call comes back with the token" $
        unur (L.alloc 3 'x' (\s ->
            L.unsafeWithSliceC (\_ n -> pure (n + 1)) s & \(n, s') -> L.discard s' & \() -> n)) @?= 4
    ]
  where
    add :: (Ptr CInt -> CInt -> CInt -> IO ()) -> CInt -> Slice p CInt %1 -> Slice p CInt
    add c x s = L.unsafeWithSliceC (\p n -> c p (fromIntegral n) x) s & \(Ur (), s') -> s'

    onC :: [Int] -> Int -> (forall p. Slice p CInt %1 -> Slice p CInt) -> [CInt]
    onC xs i f = V.toList (unur (L.allocCopy (V.fromList (map fromIntegral xs)) (\s ->
        s & L.split i & \(Split j l r) -> L.freeze (L.combine j l (f r)))))

    expected :: [Int] -> Int -> CInt -> [CInt]
    expected xs i x = let ys = map fromIntegral xs in take i ys ++ map (+ x) (drop i ys)

    copyC :: View Int -> Slice p Int %1 -> Slice p Int
    copyC v s = L.unsafeWithSliceC (\to n -> L.withViewC v (\from _ -> copyBytes to from (8 * n))) s &
        \(Ur (), s') -> s'

-- | Two parts that wait for each other, on Capabilities that do nothing else meanwhile: one that was idle must have
-- been woken when the spark was made: by itself the RTS would not run the spark before the wait is over. A collection
-- that another thread begins meanwhile cannot run before the wait has ended, and keeps the spark from running, too; and
-- a loaded machine may be late. So not all of the meetings must succeed.
meetings :: [TestTree]
meetings =
    [ testCase "parChunks" $ meeting (parChunks Sparks 1)
    , testCase "parCombine" $ meeting (\f s -> s & L.halve & \(Split j l r) -> parCombine Sparks j (f 0) (f 1) l r)
    ]

meeting
    :: (forall p. (forall q. Int -> Slice q CInt %1 -> Slice q CInt) -> Slice p CInt %1 -> Slice p CInt) -> Assertion
meeting both = do
    capabilities <- getNumCapabilities
    when (capabilities < 2) (changeCapabilities 2)
    go 0 [1 .. 40]
  where
    go :: Int -> [CInt] -> Assertion
    go met left = case left of
        _ | met == 4 -> pure ()
        []           -> assertFailure ("of 40 pairs only " ++ show met ++ " have met")
        x : others   -> meets x >>= \yes -> go (if yes then met + 1 else met) others
    meets :: CInt -> IO Bool
    meets x = alloca $ \came -> do
        poke came 0
        let part :: Int -> Slice q CInt %1 -> Slice q CInt
            part _ s = L.unsafeWithSliceC (\p _ -> c_meet came 2 >>= poke p . (* x)) s & \(Ur (), s') -> s'
        result <- evaluate (unur (L.alloc 2 0 (\s -> L.freeze (both part s))))
        pure (V.toList result == [x, x])

-- | With a number of steps that grows as the square of the parts this would take minutes.
manyParts :: Assertion
manyParts = forM_ [Sparks, Team defaults] $ \w -> do
    let n = 50000
        v = unur (L.alloc n (0 :: Int) (\s -> s & parChunks w 1 L.fill & L.freeze))
    done <- timeout 100000000 (evaluate (V.sum v))
    done @?= Just (sum [0 .. n - 1])

noThread :: Settings
noThread = defaults { numThreads = Just 0 }

errors :: [TestTree]
errors =
    [ fails "read: index 3 is outside of a slice of 3 elements" (L.alloc 3 'x' (\s ->
        L.read 3 s & \(c, s') -> L.discard s' & \() -> c))
    , fails "write: index -1 is outside of a slice of 3 elements" (L.alloc 3 'x' (\s -> L.freeze (L.write (-1) 'y' s)))
    , fails "modify: index 4 is outside of a slice of 3 elements" (L.alloc 3 'x' (\s -> L.freeze (L.modify 4 succ s)))
    , fails "swap: index 3 is outside of a slice of 3 elements" (L.alloc 3 'x' (\s -> L.freeze (L.swap 0 3 s)))
    , fails "write: index 2 is outside of a slice of 2 elements" (L.alloc 4 'x' (\s ->
        s & L.halve & \(Split j l r) -> L.freeze (L.combine j (L.write 2 'y' l) r)))
    , fails "index: index 3 is outside of a slice of 3 elements" (L.alloc 3 'x' (\s ->
        L.lend s (\v -> Ur (L.index v 3)) & \(s', c) -> L.discard s' & \() -> c))
    , fails "Linear.split: point 4 is outside of a slice of 3 elements" (L.alloc 3 'x' (\s ->
        s & L.split 4 & \(Split j l r) -> L.freeze (L.combine j l r)))
    , fails "Linear.splitSizes: point 3 is outside of a slice of 2 elements" (L.alloc 3 'x' (\s ->
        s & L.splitSizes [1, 3] & L.combineParts & L.freeze))
    , fails "splitEvenly: the number of parts must be at least 1, and is 0" (L.alloc 3 'x' (\s ->
        s & L.splitEvenly 0 & L.combineParts & L.freeze))
    , fails "parChunks: the chunk size must be at least 1, and is 0" (L.alloc 3 'x' (\s ->
        s & parChunks Sparks 0 (\_ t -> t) & L.freeze))
    , fails "parSteps: the number of parts must be at least 1, and is 0" (stepsOf 0 1 3 3)
    , fails "parSteps: the number of steps is -1" (stepsOf 2 (-1) 3 3)
    , fails "parSteps: one slice has 3 elements and the other one 4" (stepsOf 2 1 3 4)
    , fails "parPasses: the number of steps is -1" (L.alloc 1 'x' (\one -> L.alloc 1 'x' (\other ->
        parPasses defaults 1 (-1) (\_ _ _ t -> t) one other & \(one', other') ->
            L.discard one' & \() -> L.freeze other')))
    , fails "Linear.alloc: the length -1 is negative" (L.alloc (-1) 'x' L.freeze)
    , fails "Linear.generate: the length -1 is negative" (L.generate (-1) id L.freeze)
    , fails "Linear.Parallel.parallelBoth: numThreads = 0: " (L.alloc 2 'x' (\s -> L.alloc 2 'y' (\t ->
        parallelBoth (Team noThread) (\() -> s) (\() -> t) & \(s', t') -> L.discard t' & \() -> L.freeze s')))
    , fails "Linear.Parallel.parCombine: numThreads = 0: " (L.alloc 3 'x' (\s ->
        s & L.halve & \(Split j l r) -> L.freeze (parCombine (Team noThread) j (L.fill 'a') (L.fill 'b') l r)))
    , fails "Linear.Parallel.parParts: numThreads = 0: " (L.alloc 3 'x' (\s ->
        s & L.splitEvenly 2 & parParts (Team noThread) (\_ t -> t) & L.combineParts & L.freeze))
    , fails "Linear.Parallel.parChunks: numThreads = 0: " (L.alloc 3 'x' (\s ->
        s & parChunks (Team noThread) 1 (\_ t -> t) & L.freeze))
    , fails "Linear.Parallel.parSteps: numThreads = 0: " (L.alloc 1 'x' (\one -> L.alloc 1 'x' (\other ->
        parSteps noThread 1 1 (\_ _ t -> t) one other & \(one', other') ->
            L.discard one' & \() -> L.freeze other')))
    ]
  where
    stepsOf :: Int -> Int -> Int -> Int -> Ur (V.Vector Char)
    stepsOf k count n m = L.alloc n 'x' (\one -> L.alloc m 'x' (\other ->
        parSteps defaults k count (\_ _ t -> t) one other & \(one', other') -> L.discard one' & \() -> L.freeze other'))

fails :: String -> Ur a -> TestTree
fails message computation = testCase message $ do
    result <- try (evaluate (computation & \(Ur x) -> Ur x))
    case result of
        Left (ErrorCall text) -> assertBool text (message `isInfixOf` text)
        Right (Ur _) -> assertFailure "no exception"
