{-# OPTIONS_GHC -O0 #-} -- optimised it takes a quarter of the compilation of all tests; the example batching is
{-# LANGUAGE RankNTypes #-}

-- | Many C calls for one release of the Capability: OpenMP.Batch.
module BatchTest (tests) where

import           Control.Concurrent
import           Control.Exception
import           Control.Monad
import qualified Data.Vector.Storable  as V
import           Foreign               hiding (void)
import           Foreign.C
import           GHC.Float             (castDoubleToWord64, castFloatToWord32)
import           System.Mem            (performGC, performMinorGC)
import           Test.QuickCheck
import           Test.Tasty
import           Test.Tasty.HUnit
import           Test.Tasty.QuickCheck (testProperty)

import OpenMP.Batch
import OpenMP.Internal.Pending (pendingException)

import Gate

-- Each function three times: its address, for the batch, and a plain import (unsafe: they are short), its model.
foreign import ccall "&batch_note" noteF :: FunPtr (Ptr Int64 -> Int64 -> IO Int64)
foreign import ccall unsafe "batch_note" note :: Ptr Int64 -> Int64 -> IO Int64

type All = Int8 -> Float -> Word8 -> Double -> Int16 -> CDouble -> CFloat -> Word16 -> Double -> Int32 -> Double ->
    CDouble -> Double -> Word32 -> IO Double
foreign import ccall "&batch_all" allF :: FunPtr All
foreign import ccall unsafe "batch_all" all_ :: All

foreign import ccall "&batch_widen" widenF :: FunPtr (Int8 -> Int16 -> Int32 -> IO Int64)
foreign import ccall unsafe "batch_widen" widen :: Int8 -> Int16 -> Int32 -> IO Int64
foreign import ccall "&batch_widen_unsigned" widenUnsignedF :: FunPtr (CUChar -> CUShort -> CUInt -> IO CULong)
foreign import ccall unsafe "batch_widen_unsigned" widenUnsigned :: CUChar -> CUShort -> CUInt -> IO CULong
foreign import ccall "&batch_registers" registersF
    :: FunPtr (Int8 -> CShort -> Int32 -> Word8 -> CUShort -> Word32 -> IO Int64)
foreign import ccall "&batch_narrow" narrowF :: FunPtr (CLLong -> IO CSChar)
foreign import ccall unsafe "batch_narrow" narrow :: CLLong -> IO CSChar
foreign import ccall "&batch_narrow_unsigned" narrowUnsignedF :: FunPtr (CLong -> IO Word16)
foreign import ccall unsafe "batch_narrow_unsigned" narrowUnsigned :: CLong -> IO Word16
-- Pure in the batch, IO in the model: both types are right for it.
foreign import ccall "&batch_float" floatF :: FunPtr (Float -> Double -> CInt -> Float)
foreign import ccall unsafe "batch_float" float :: Float -> Double -> CInt -> IO Float
foreign import ccall "&batch_address" addressF :: FunPtr (Ptr CChar -> CSize -> IO (Ptr CChar))
foreign import ccall unsafe "batch_address" address :: Ptr CChar -> CSize -> IO (Ptr CChar)
foreign import ccall "&batch_less" lessF :: FunPtr (CFloat -> CFloat -> IO CBool)
foreign import ccall unsafe "batch_less" less :: CFloat -> CFloat -> IO CBool

foreign import ccall "&batch_back" backF :: FunPtr (FunPtr (CInt -> IO CInt) -> CInt -> IO CInt)
foreign import ccall "&batch_function" functionF :: FunPtr (IO (FunPtr (CInt -> IO CInt)))
foreign import ccall "wrapper" wrap :: (CInt -> IO CInt) -> IO (FunPtr (CInt -> IO CInt))
foreign import ccall "&gate_region" regionF :: FunPtr (CInt -> FunPtr (CInt -> IO ()) -> IO CInt)
foreign import ccall "wrapper" wrapUnit :: (CInt -> IO ()) -> IO (FunPtr (CInt -> IO ()))
foreign import ccall "&snprintf" printF
    :: FunPtr (Ptr CChar -> CSize -> Ptr CChar -> CInt -> CDouble -> CLong -> CDouble -> IO CInt)
foreign import ccall "&close" closeF :: FunPtr (CInt -> IO CInt)

tests :: TestTree
tests = testGroup "Batch"
    [ testProperty "any list of calls gives what single calls give" anyCalls
    , testProperty "any list of calls, by an unsafe call" anyCallsUnsafe
    , testProperty "columns give what single calls give" anyColumns
    , testProperty "columns of narrow and unsigned types" narrowColumns
    , testProperty "integers fill their registers, extended by their sign" extended
    , testCase "extreme integers keep their sign" extremes
    , testCase "1, 10, 10,000 and 300,000 calls, in order" many
    , testCase "no calls" none
    , testCase "a function with variable arguments" variable
    , testCase "function pointers and constants as columns" pointers
    , testCase "callbacks that collect garbage" callbacks
    , testCase "parallel regions" regions
    , testCase "errno is that of the call before" errnos
    , testCase "an exception in an argument: nothing is called" argumentFails
    , testCase "an asynchronous exception comes after the last call" killedDuring
    , testCase "an asynchronous exception comes before the first call" killedBefore
    , testCase "masked, the results are not lost" killedMasked
    , testCase "another Haskell thread runs on the only Capability" proceeds
    , testCase "bad input is one clear line, and nothing is called" refused
    ]

-- ---------------------------------------------------------------------------------------------------------------------
-- Against single calls

-- | A call with its arguments. Results are compared as lists of bits, so that NaN equals itself.
data Op
    = Note Int64
    | All Int8 Float Word8 Double Int16 Double Float Word16 Double Int32 (Double, Double, Double) Word32
    | Widen Int8 Int16 Int32
    | WidenUnsigned Word8 Word16 Word32
    | Narrow Int64
    | NarrowUnsigned Int64
    | Half Float Double Int32
    | Address Word16
    | Less Float Float
    deriving Show

instance Arbitrary Op where
    arbitrary = oneof
        [ Note <$> whole
        , All <$> whole <*> arbitrary <*> whole <*> arbitrary <*> whole <*> arbitrary <*> arbitrary <*> whole
            <*> arbitrary <*> whole <*> arbitrary <*> whole
        , Widen <$> whole <*> whole <*> whole
        , WidenUnsigned <$> whole <*> whole <*> whole
        , Narrow <$> whole
        , NarrowUnsigned <$> whole
        , Half <$> arbitrary <*> arbitrary <*> whole
        , Address <$> whole
        , Less <$> arbitrary <*> arbitrary
        ]

-- | Small numbers of both signs, and the ends of the type's range.
whole :: (Arbitrary a, Bounded a, Num a) => Gen a
whole = frequency [(3, arbitrary), (1, elements [minBound, maxBound, -1, 0])]

batched :: Ptr Int64 -> Op -> Batch Integer
batched state op = case op of
    Note x -> toInteger <$> call noteF state x
    All a b c d e f g h i j (k, l, m) n -> bits <$>
        call allF a b c d e (CDouble f) (CFloat g) h i j k (CDouble l) m n
    Widen a b c -> toInteger <$> call widenF a b c
    WidenUnsigned a b c -> toInteger <$> call widenUnsignedF (CUChar a) (CUShort b) (CUInt c)
    Narrow x -> toInteger <$> call narrowF (CLLong x)
    NarrowUnsigned x -> toInteger <$> call narrowUnsignedF (CLong x)
    Half a b c -> floatBits <$> call floatF a b (CInt c)
    Address x -> offset state <$> call addressF (castPtr state) (fromIntegral x)
    Less a b -> toInteger <$> call lessF (CFloat a) (CFloat b)

single :: Ptr Int64 -> Op -> IO Integer
single state op = case op of
    Note x -> toInteger <$> note state x
    All a b c d e f g h i j (k, l, m) n -> bits <$> all_ a b c d e (CDouble f) (CFloat g) h i j k (CDouble l) m n
    Widen a b c -> toInteger <$> widen a b c
    WidenUnsigned a b c -> toInteger <$> widenUnsigned (CUChar a) (CUShort b) (CUInt c)
    Narrow x -> toInteger <$> narrow (CLLong x)
    NarrowUnsigned x -> toInteger <$> narrowUnsigned (CLong x)
    Half a b c -> floatBits <$> float a b (CInt c)
    Address x -> offset state <$> address (castPtr state) (fromIntegral x)
    Less a b -> toInteger <$> less (CFloat a) (CFloat b)

bits :: Double -> Integer
bits = toInteger . castDoubleToWord64

floatBits :: Float -> Integer
floatBits = toInteger . castFloatToWord32

offset :: Ptr a -> Ptr b -> Integer
offset from to = toInteger (to `minusPtr` from)

agrees :: (forall a. Batch a -> IO a) -> [Op] -> Property
agrees run ops = ioProperty $ do
    one <- with 7 $ \state -> (,) <$> mapM (single state) ops <*> peek state
    two <- with 7 $ \state -> (,) <$> run (traverse (batched state) ops) <*> peek state
    pure (two === one)

anyCalls, anyCallsUnsafe :: [Op] -> Property
anyCalls = agrees runBatch
anyCallsUnsafe = agrees unsafeRunBatch

anyColumns :: [(Float, Double, Int32)] -> Double -> Property
anyColumns rows same = ioProperty $ do
    one <- forM rows $ \(a, b, c) -> float a b (CInt c)
    let (as, bs, cs) = unzip3 rows
    two <- callColumns floatF (Each (V.fromList as)) (Each (V.fromList bs)) (Each (V.fromList (map CInt cs)))
    three <- forM rows $ \(a, _, c) -> float a same (CInt c)
    four <- callColumns floatF (Each (V.fromList as)) (Same same) (Each (V.fromList (map CInt cs)))
    pure ((map floatBits (V.toList two), map floatBits (V.toList four)) === (map floatBits one, map floatBits three))

narrowColumns :: Property
narrowColumns = forAll (listOf ((,,) <$> whole <*> whole <*> whole)) $ \rows ->
    forAll (listOf ((,,) <$> whole <*> whole <*> whole)) $ \unsignedRows ->
    forAll (listOf whole) $ \xs -> ioProperty $ do
    let column select = Each . V.fromList . map select
    let first (a, _, _) = a
        second (_, b, _) = b
        third (_, _, c) = c
    signed <- forM rows $ \(a, b, c) -> widen a b c
    signed' <- callColumns widenF (column first rows) (column second rows) (column third rows)
    plain <- forM unsignedRows $ \(a, b, c) -> widenUnsigned (CUChar a) (CUShort b) (CUInt c)
    plain' <- callColumns widenUnsignedF (column (CUChar . first) unsignedRows)
        (column (CUShort . second) unsignedRows) (column (CUInt . third) unsignedRows)
    small <- mapM (narrow . CLLong) xs
    small' <- callColumns narrowF (Each (V.fromList (map CLLong xs)))
    smaller <- mapM (narrowUnsigned . CLong) xs
    smaller' <- callColumns narrowUnsignedF (Each (V.fromList (map CLong xs)))
    pure $ conjoin
        [ V.toList signed' === signed
        , V.toList plain' === plain
        , V.toList small' === small
        , V.toList smaller' === smaller
        ]

-- GCC's functions extend narrow parameters themselves; other compilers' leave that to the caller.
extended :: Property
extended = forAll whole $ \a -> forAll whole $ \b -> forAll whole $ \c ->
    forAll whole $ \d -> forAll whole $ \e -> forAll whole $ \f -> ioProperty $ do
    let sum' = fromIntegral a + 3 * fromIntegral b + 5 * fromIntegral c + 7 * fromIntegral d + 11 * fromIntegral e
            + 13 * fromIntegral f
    one <- runBatch (call registersF a b c d e f)
    two <- callColumns registersF (Each (V.singleton a)) (Each (V.singleton b)) (Each (V.singleton c))
        (Each (V.singleton d)) (Each (V.singleton e)) (Each (V.singleton f))
    three <- callColumns registersF (Each (V.singleton a)) (Same b) (Same c) (Same d) (Same e) (Same f)
    pure ((one, V.toList two, V.toList three) === (sum', [sum'], [sum']))

extremes :: Assertion
extremes = do
    runBatch (call widenF minBound (-1) minBound) >>= (@?= (-128000001000000 - 2147483648))
    runBatch (call widenUnsignedF maxBound maxBound maxBound) >>= (@?= (255000000000000 + 6553500000 + 4294967295))
    runBatch (call narrowF 128) >>= (@?= (-128))
    runBatch (call narrowUnsignedF (-1)) >>= (@?= 65535)

many :: Assertion
many = forM_ [1, 10, 10000, 300000 :: Int] $ \n -> do
    let xs = map fromIntegral [1 .. n]
    one <- with 0 $ \state -> mapM (note state) xs
    two <- with 0 $ \state -> runBatch (traverse (call noteF state) xs)
    assertBool (show n ++ " calls") (one == two)
    three <- with 0 $ \state -> callColumns noteF (Same state) (Each (V.fromList xs))
    assertBool (show n ++ " calls by columns") (one == V.toList three)
    -- Nested to the left, and results that are never read.
    four <- with 0 $ \state -> do
        runBatch (foldl (\before x -> before *> void (call noteF state x)) (pure ()) xs)
        peek state
    four @?= last one

none :: Assertion
none = do
    runBatch (pure 'x') >>= (@?= 'x')
    runBatch (traverse (call narrowF) []) >>= (@?= [])
    callColumns narrowF (Each V.empty) >>= (@?= V.empty)

variable :: Assertion
variable = allocaBytes 100 $ \buffer -> withCString "%d %.3f %ld %g" $ \format -> do
    length' <- runBatch (call printF buffer 100 format (-3) 2.5 4000000000 1e100)
    text <- peekCString buffer
    (text, fromIntegral length') @?= ("-3 2.500 4000000000 1e+100", length text)

pointers :: Assertion
pointers = do
    back <- runBatch (call functionF)
    runBatch (call backF back 41) >>= (@?= 42)
    callColumns backF (Same back) (Each (V.fromList [1, 2, 3])) >>= (@?= V.fromList [2, 3, 4])
    with (5 :: Int64) $ \state -> do
        results <- callColumns addressF (Each (V.fromList [castPtr state, nullPtr])) (Same 8)
        V.toList results @?= [castPtr state `plusPtr` 8, nullPtr `plusPtr` 8]

-- ---------------------------------------------------------------------------------------------------------------------
-- What the calls may do

callbacks :: Assertion
callbacks = do
    callback <- wrap $ \x -> do
        when (x `mod` 50 == 0) performGC
        performMinorGC
        -- Garbage, so that the nursery is used repeatedly.
        evaluate (fromIntegral (length (show [1 .. fromIntegral x + 100 :: Integer])) `mod` 1000 + x)
    let expected x = fromIntegral (length (show [1 .. fromIntegral x + 100 :: Integer])) `mod` 1000 + x + 1
    results <- runBatch (traverse (call backF callback) [1 .. 200])
    results @?= map expected [1 .. 200]
    columns <- callColumns backF (Same callback) (Each (V.fromList [1 .. 200]))
    V.toList columns @?= map expected [1 .. 200]
    freeHaskellFunPtr callback

-- All the calls are on one operating system thread, so a bound thread is not needed.
regions :: Assertion
regions = do
    calls <- newMVar (0 :: Int)
    callback <- wrapUnit $ \_ -> modifyMVar_ calls (pure . (+ 1))
    sizes <- runBatch (traverse (\n -> call regionF n callback) [1, 3, 2, 4])
    freeHaskellFunPtr callback
    sizes @?= [1, 3, 2, 4]
    readMVar calls >>= (@?= 10)

errnos :: Assertion
errnos = do
    (a, Errno b, Errno c) <- runBatch ((,,) <$> call closeF (-1) <*> lastErrno <*> (clearErrno *> lastErrno))
    let Errno bad = eBADF
    (a, b, c) @?= (-1, bad, 0)
    void (runBatch (clearErrno *> call closeF (-1)))
    Errno last' <- getErrno
    last' @?= bad

proceeds :: Assertion
proceeds = do
    before <- getNumCapabilities
    setNumCapabilities 1
    (`finally` setNumCapabilities before) $ withGate $ \gate -> do
        -- Only this thread opens the gate, and it needs the Capability for that.
        void $ forkIO $ do
            until_ "the batch to block" ((== 1) <$> entered gate)
            performGC
            open gate
        result <- runBatch ((,) <$> call narrowF 5 <*> call passFunction (gatePointer gate))
        result @?= (5, 1)
    getNumCapabilities >>= (@?= before)

-- ---------------------------------------------------------------------------------------------------------------------
-- Exceptions

-- | Calls that count up, around one that blocks at the gate.
counting :: Ptr Int64 -> Gate -> Batch [Int64]
counting state gate = (\a _ b -> a ++ b) <$> some <*> call passFunction (gatePointer gate) <*> some
  where some = traverse (call noteF state) (replicate 20 1)

-- | What the state is after so many calls of 'counting'.
counted :: Int -> Int64
counted n = iterate (\s -> s * 31 + 1) 0 !! n

argumentFails :: Assertion
argumentFails = with 0 $ \state -> do
    result <- try (runBatch (traverse (call noteF state) [1, 2, throw Overflow, 4]))
    result @?= Left Overflow
    peek state >>= (@?= 0)
    columns <- try (callColumns noteF (Same (throw Underflow)) (Each (V.fromList [1, 2])))
    columns @?= Left Underflow

killedDuring :: Assertion
killedDuring = with 0 $ \state -> withGate $ \gate -> do
    caught <- newEmptyMVar
    target <- mask_ $ forkIOWithUnmask $ \unmask -> try (unmask (runBatch (counting state gate))) >>= putMVar caught
    until_ "the batch to block" ((== 1) <$> entered gate)
    peek state >>= (@?= counted 20)
    thrower <- newEmptyMVar
    void $ forkIO (killThread target >> putMVar thrower ())
    until_ "the exception" (pendingException target)
    open gate
    takeMVar caught >>= (@?= Left ThreadKilled)
    peek state >>= (@?= counted 40)
    takeMVar thrower

killedBefore :: Assertion
killedBefore = with 0 $ \state -> withGate $ \gate -> do
    open gate
    go <- newEmptyMVar
    caught <- newEmptyMVar
    target <- mask_ $ forkIOWithUnmask $ \unmask -> do
        uninterruptibleMask_ (readMVar go)
        try (unmask (runBatch (counting state gate))) >>= putMVar caught
    void $ forkIO (killThread target)
    until_ "the exception" (pendingException target)
    putMVar go ()
    takeMVar caught >>= (@?= Left ThreadKilled)
    peek state >>= (@?= 0)
    entered gate >>= (@?= 0)

killedMasked :: Assertion
killedMasked = with 0 $ \state -> withGate $ \gate -> do
    caught <- newEmptyMVar
    target <- mask_ $ forkIO $ uninterruptibleMask_ (runBatch (counting state gate) >>= putMVar caught)
    until_ "the batch to block" ((== 1) <$> entered gate)
    done <- newEmptyMVar
    void $ forkIO (killThread target >> putMVar done ())
    until_ "the exception" (pendingException target)
    open gate
    results <- takeMVar caught
    results @?= map counted [1 .. 40]
    takeMVar done

refused :: Assertion
refused = with 0 $ \state -> do
    complains "OpenMP.Batch.call: the pointer to the C function is null; was its symbol found?" $
        runBatch (call noteF state 1 *> call (nullFunPtr `asTypeOf` noteF) state 1)
    complains "OpenMP.Batch.callColumns: the pointer to the C function is null; was its symbol found?" $
        callColumns (nullFunPtr `asTypeOf` noteF) (Same state) (Each (V.fromList [1]))
    complains "OpenMP.Batch.callColumns: the vectors of the arguments have different lengths, 2 and 3" $
        callColumns noteF (Each (V.fromList [state, state])) (Each (V.fromList [1, 2, 3]))
    complains "OpenMP.Batch.callColumns: no argument is Each, so the number of calls is not known" $
        callColumns noteF (Same state) (Same 1)
    peek state >>= (@?= 0)
  where
    complains :: String -> IO a -> Assertion
    complains line action = do
        result <- try (void action)
        case result of
            Left (ErrorCall said) -> said @?= line
            Right ()              -> assertFailure ("not refused; wanted: " ++ line)
