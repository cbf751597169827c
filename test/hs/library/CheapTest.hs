-- | Lists of cheap elements in OpenMP.Eval: the decision, and that elements which are handed over in the middle are
-- evaluated as all others are.
module CheapTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import Data.Int (Int64)
import qualified Data.Vector as V
import Data.Word (Word64)
import System.IO.Unsafe (unsafePerformIO)
import Test.QuickCheck hiding (once)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)

import OpenMP.Eval
import OpenMP.Internal.Cheap

import Generators

tests :: TestTree
tests = testGroup "cheap elements"
    [ testProperty "elements at the price never use up the credit" cheapStay
    , testProperty "dearer ones use it up after a bounded time" dearEnd
    , testCase "the first element may take a few microseconds" firstOne
    , testProperty "a dear element hands over the rest" handsOver
    , testProperty "each is evaluated once, whoever interrupts, whichever throws" once
    , testProperty "of another structure, too" inVectors
    , testCase "the consumer has the first elements while the later ones do not end" streams
    ]

-- | Any credit that an element can find.
credits :: Gen Int64
credits = choose (0, most)

cheapStay :: Property
cheapStay = forAll credits $ \credit -> forAll (choose (0, fromIntegral price)) $ \ticks ->
    let left = afterElement credit ticks in left >= credit .&&. left <= most

dearEnd :: Property
dearEnd = forAll credits $ \credit -> forAll (choose (1, 2 * fromIntegral most)) $ \more ->
    let ticks = fromIntegral price + more :: Word64
        several = fromIntegral most `div` fromIntegral (min more (fromIntegral most)) + 1 :: Int
    in iterate (`afterElement` ticks) credit !! several < 0

firstOne :: Assertion
firstOne = do
    assertBool "5 us, and its own price" (afterElement grace (fromIntegral (grace + price)) == 0)
    assertBool "one that takes for ever" (afterElement most maxBound < 0)

-- | Five milliseconds are dear whatever was saved before. A disturbed machine may make an earlier element dear.
handsOver :: Property
handsOver = withMaxSuccess 20 . forAll (choose (1, 200)) $ \n -> forAll (choose (0, n - 1)) $ \k -> ioProperty $ do
    handed <- R.newIORef []
    let f i = unsafePerformIO (i * 3 <$ when (i == k) (threadDelay 5000))
        byTeam _ rest = map f rest <$ R.modifyIORef handed (rest :)
    got <- whileCheap rseq f byTeam [0 .. n - 1] >>= \list -> list <$ evaluate (sum list)
    rests <- R.readIORef handed
    pure $ counterexample (show rests) $ got === map (* 3) [0 .. n - 1] .&&. case rests of
        []     -> k === n - 1
        [rest] -> rest === drop (n - length rest) [0 .. n - 1] .&&. property (length rest >= n - k - 1)
        _      -> property False

-- | Most elements are cheap, the others take some microseconds or throw.
once :: TeamOf -> Property
once team = forAll ((,) <$> choose (0, 3000) <*> choose (100, 4000)) $ \(n, micros) ->
    forAll (sublistOf =<< resize 4 (listOf (choose (0, n)))) $ \bad -> forAll (choose (0, n)) $ \dearFrom -> ioProperty $ do
        ran <- counters n
        let f i = unsafePerformIO $ do
                count ran i
                when (i >= dearFrom && i `mod` 16 == 0) (spin 2000)
                if i `elem` bad then throwIO (Thrown i) else pure (i + 1)
            values = parMap (inTeam team) rseq f [0 .. n - 1]
        (_, times) <- evaluateInParts micros (length values)
        got <- mapM (try . evaluate) values
        runs <- counts ran n
        pure . classify (times > 0) "interrupted" $
            got === [ if i `elem` bad then Left (Thrown i) else Right (i + 1) | i <- [0 .. n - 1] ]
                .&&. runs === replicate n 1

newtype Thrown = Thrown Int deriving (Eq, Show)
instance Exception Thrown

inVectors :: TeamOf -> Property
inVectors team = forAll (choose (0, 2000)) $ \n -> ioProperty $ do
    ran <- counters n
    let element i = unsafePerformIO (i <$ count ran i)
        values = parTraversable (inTeam team) rseq (V.generate n element)
    got <- evaluate (V.length values)
    runs <- counts ran n
    pure (got === n .&&. runs === replicate n 1 .&&. V.toList values === [0 .. n - 1])

-- | The last element waits until the consumer has used the first one. A team would be given it before.
streams :: Assertion
streams = do
    used <- newEmptyMVar
    let f i = if i == n - 1 then unsafePerformIO (i <$ readMVar used) else i
        n = 10000 :: Int
    list <- whileCheap rseq f (\_ rest -> pure (map f rest)) [0 .. n - 1]
    forM_ list $ \i -> when (i == 0) (putMVar used ())
