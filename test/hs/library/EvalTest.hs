{-# LANGUAGE ScopedTypeVariables #-}
-- | OpenMP.Eval: the pure functions are the same functions without threads, whatever the settings, whichever
-- elements throw, and whoever interrupts them. What they share with other threads is in ThunkTest.
module EvalTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.Foldable as F
import Data.List (sort)
import qualified Data.Vector as V
import GHC.Conc (BlockReason (..), ThreadStatus (..), threadStatus)
import System.IO.Unsafe (unsafeDupablePerformIO, unsafePerformIO)
import System.Mem (performMajorGC)
import Test.QuickCheck hiding (once, total)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)

import OpenMP
import OpenMP.Eval
import OpenMP.Internal.Force (raises)
import OpenMP.Parallel

import Capabilities
import Generators

tests :: TestTree
tests = testGroup "evaluation"
    [ testGroup "the same as without threads"
        [ testProperty "parMap" mapIsMap
        , testProperty "parList and parTraversable" elementsStay
        , testProperty "parBuffer" bufferIsId
        , testProperty "divConq" divConqIsRecursion
        , testProperty "parTraverse" traverseIsTraverse
        , testProperty "taskTraverse, in tasks of itself" nestedTasks
        , testProperty "one in another" nested
        , testProperty "beside collections and changes of the number of Capabilities" (withMaxSuccess 30 . disturbed)
        , testProperty "a chunk of the schedule is evaluated by one thread, as by parListChunk" chunksOfOneThread
        , testCase "as far as the strategy says" strategies
        , testCase "only when it is needed, and once" lazily
        , testProperty "parBuffer is a bounded number of elements ahead" ahead
        ]
    , testGroup "exceptions"
        [ testProperty "stay in their elements" inElements
        , testProperty "those of asynchronous types, too" asynchronousTypes
        , testProperty "parEval throws the first" firstOfAll
        , testProperty "parTraverse throws the first, after the actions before it" firstOfActions
        , testProperty "divConq throws what the recursion throws" conquerThrows
        , testCase "a list that throws" listThrows
        , testCase "invalid settings" invalid
        , testCase "a structure that traverse and toList find differently" unlawful
        ]
    , testGroup "what was interrupted goes on"
        [ testProperty "beside elements that throw" besideThrowers
        , testProperty "parMap" (resumes (\s n f -> parMap s rseq f [0 .. n - 1]))
        , testProperty "parTraversable" (resumes (\s n f -> F.toList (parTraversable s rseq (V.generate n f))))
        , testProperty "parBuffer" (resumes (\s n f -> parBuffer s 7 rseq (map f [0 .. n - 1])))
        , testProperty "parTraverse in a lazy value"
            (resumes (\s n f -> unsafePerformIO (parTraverse s rseq (evaluate . f) [0 .. n - 1])))
        , testProperty "divConq" (resumes (\s n f -> divConq s rdeepseq ((< 2) . length) (map f) halves (const concat)
            [0 .. n - 1]))
        , testCase "each of them, when its first element waits" (resumesWaiting (toException ThreadKilled))
        ]
    , testGroup "exceptions of other threads are received once"
        ( testCase "two at a time, by the thread that they are for" twoAtATime
        : [ testProperty ("by " ++ name) (received e) | (name, e) <- exceptions ]
        ++ [ testCase ("while an element waits, by " ++ name) (resumesWaiting e) | (name, e) <- exceptions ]
        )
    , testGroup "whether a value raises"
        [ testCase "before, after, and after a collection" raising
        , testCase "not one that was interrupted" interruptedRaises
        ]
    , testProperty "justOnce: once, whoever needs it and whoever is killed" once
    ]
  where
    exceptions =
        [ ("one of an asynchronous type", toException ThreadKilled)
        , ("one of a synchronous type", toException (userError "from outside"))
        ]

newtype Boom = Boom Int
    deriving (Eq, Show)

instance Exception Boom

tried :: a -> IO (Either Boom a)
tried = try . evaluate

-- | Numbers of elements: none, one, few, more than there are chunks without a schedule.
sizes :: Gen Int
sizes = frequency [(1, choose (0, 1)), (5, choose (2, 100)), (1, choose (257, 1500))]

halves :: [a] -> [[a]]
halves l = let (a, b) = splitAt (length l `div` 2) l in [a, b]

-- --------------------------------------------------------------------------------------------------------------------

-- | Not lawful: 'F.foldMap' visits one element, 'traverse' both.
data Odd a = Odd a a

instance Functor Odd where
    fmap f (Odd a b) = Odd (f a) (f b)

instance Foldable Odd where
    foldMap f (Odd a _) = f a

instance Traversable Odd where
    traverse f (Odd a b) = Odd <$> f a <*> f b

unlawful :: Assertion
unlawful = forM_ [byPar, byTasks] $ \act -> try act >>= \r -> case r of
    Left (ErrorCall _) -> pure ()
    Right (Odd _ _)    -> assertFailure "no error"
  where
    byPar = parTraverse defaults rseq pure (Odd 1 (2 :: Int))
    byTasks = parallelTasks defaults (\team -> taskTraverse team AutoGrain rseq pure (Odd 1 2))

mapIsMap :: AnySchedule -> TeamOf -> Fun Int Int -> Property
mapIsMap sched team f = forAll sizes $ \n ->
    parMap (inSettings sched team) rseq (applyFun f) [1 .. n] === map (applyFun f) [1 .. n]

elementsStay :: AnySchedule -> TeamOf -> [Int] -> Property
elementsStay sched team xs =
    parList s rseq (map (+ 1) xs) === map (+ 1) xs
        .&&. F.toList (parTraversable s rdeepseq (V.fromList (map show xs))) === map show xs
        .&&. parTraversable s rseq (listToMaybe' xs) === listToMaybe' xs
  where
    s = inSettings sched team
    listToMaybe' l = case l of { x : _ -> Just (x * 2); [] -> Nothing }

bufferIsId :: AnySchedule -> TeamOf -> Property
bufferIsId sched team = forAll ((,) <$> sizes <*> choose (1, 40)) $ \(n, size) ->
    parBuffer (inSettings sched team) size rseq (map (* 3) [1 .. n]) === map (* 3) [1 .. n]
        .&&. take n (parBuffer (inSettings sched team) size rseq (iterate (+ 3) n)) === take n (iterate (+ 3) n)

divConqIsRecursion :: TeamOf -> [Int] -> Property
divConqIsRecursion team xs =
    divConq (inTeam team) rdeepseq ((< 3) . length) sort halves (\_ parts -> foldr merge [] parts) xs === sort xs
  where
    merge l [] = l
    merge [] l = l
    merge (a : as) (b : bs) = if a <= b then a : merge as (b : bs) else b : merge (a : as) bs

traverseIsTraverse :: AnySchedule -> TeamOf -> Property
traverseIsTraverse sched team = forAll sizes $ \n -> ioProperty $ do
    ran <- counters n
    got <- parTraverse (inSettings sched team) rseq (\i -> count ran i >> pure (i * i)) (V.enumFromN 0 n)
    times <- counts ran n
    pure (got === V.map (\i -> i * i) (V.enumFromN 0 n) .&&. times === replicate n 1)

-- | What the module's head promises to those who look for parListChunk.
chunksOfOneThread :: TeamOf -> Property
chunksOfOneThread team = forAll ((,) <$> choose (0, 400) <*> choose (1, 50)) $ \(n, size) -> ioProperty $ do
    me <- myThreadId
    let element i = unsafePerformIO ((,) i <$> (yield >> myThreadId)) :: (Int, ThreadId)
        s = (inTeam team) { schedule = Just (Dynamic size) }
        -- The caller may begin alone, with some elements; the chunks are those of the others.
        alike list = and [ snd a == snd b | (a, b) <- zip rest (drop 1 rest), chunk a == chunk b ]
          where
            (begun, rest) = span ((== me) . snd) list
            chunk (i, _) = (i - length begun) `div` size
    got <- evaluate (parList s rseq (map element [0 .. n - 1]))
    mapped <- evaluate (parMap s rseq element [0 .. n - 1])
    pure (counterexample (show got) (alike got) .&&. counterexample (show mapped) (alike mapped))

nestedTasks :: TeamOf -> Property
nestedTasks team = forAll (listOf (choose (0, 8))) $ \rows -> ioProperty $ do
    let row m n = taskTraverse m (Grainsize 1) rseq (\i -> yield >> pure (i * n)) [1 .. n :: Int]
    got <- parallelTasks (inTeam team) (\m -> taskTraverse m AutoGrain rdeepseq (row m) rows)
    pure (got === [ [ i * n | i <- [1 .. n] ] | n <- rows ])

nested :: TeamOf -> TeamOf -> AnySchedule -> Property
nested (TeamOf a) inner sched = forAll (choose (0, 20)) $ \n ->
    parMap outer (evalTraversable rseq) row [1 .. n] === map (\k -> map (k *) [1 .. k]) [1 .. n]
  where
    outer = defaults { numThreads = Just a, maxActiveLevels = Just 2 }
    row :: Int -> [Int]
    row k = parList (inSettings sched inner) rseq (map (k *) (parBuffer (inSettings sched inner) 3 rseq [1 .. k]))

disturbed :: AnySchedule -> TeamOf -> Property
disturbed sched team = forAll sizes $ \n -> ioProperty $ (`beside` disturb) $ do
    let s = inSettings sched team
        f x = sum [x .. x + 300] :: Int
        tree = divConq s rseq ((< 3) . length) (sum . map f) halves (\_ -> sum) [1 .. n]
    a <- evaluate (sum (parMap s rseq f [1 .. n]))
    b <- evaluate (sum (parBuffer s 16 rseq (map f [1 .. n])))
    c <- evaluate tree
    pure ([a, b, c] === replicate 3 (sum (map f [1 .. n])))
  where
    -- With pauses: collections one upon another leave the members no time, the less the more Capabilities there are.
    disturb = do
        threadDelay 100
        performMajorGC
        k <- getNumCapabilities
        changeCapabilities (if k > 2 then 2 else k + 1)

-- | Each value depends on its index: GHC makes one of equal ones.
strategies :: Assertion
strategies = do
    ran <- counters 3
    let note k x = unsafeDupablePerformIO (x <$ count ran k)
        pairs = [ note 0 (note 1 (show i), [note 2 i]) | i <- [1 .. 100 :: Int] ]
        seen = counts ran 3
    parEval defaults r0 pairs >> seen >>= (@?= [0, 0, 0])
    parEval defaults rseq pairs >> seen >>= (@?= [100, 0, 0])
    parEval defaults (evalTraversable rseq . snd) pairs >> seen >>= (@?= [100, 0, 100])
    parEval defaults rdeepseq pairs >> seen >>= (@?= [100, 100, 100])

lazily :: Assertion
lazily = do
    ran <- counters 1
    let f x = unsafeDupablePerformIO ((x + 1 :: Int) <$ count ran 0)
        unused = parMap defaults rseq f [1 .. 50]
        used = parMap defaults rseq f [1 .. 50]
    length (replicate 3 unused) @?= 3
    counts ran 1 >>= (@?= [0])
    evaluate (length (take 1 used)) >>= (@?= 1)
    counts ran 1 >>= (@?= [50])
    evaluate (sum used) >>= (@?= sum [2 .. 51])
    counts ran 1 >>= (@?= [50])

ahead :: TeamOf -> Property
ahead team = forAll ((,) <$> choose (1, 20) <*> choose (1, 200)) $ \(size, used) -> ioProperty $ do
    ran <- counters 1
    let list = parBuffer (inTeam team) size rseq [ unsafeDupablePerformIO (i <$ count ran 0) | i <- [1 :: Int ..] ]
    got <- evaluate (sum (take used list))
    n <- sum <$> counts ran 1
    pure (got === sum [1 .. used] .&&. counterexample (show n) (n >= used && n < used + 2 * size))

-- --------------------------------------------------------------------------------------------------------------------

-- | Which of n elements throw.
throwers :: Int -> Gen [Int]
throwers n = if n == 0 then pure [] else
    frequency [(1, pure []), (4, sublistOf =<< resize 5 (listOf (choose (0, n - 1))))]

inElements :: AnySchedule -> TeamOf -> Property
inElements sched team = forAll sizes $ \n -> forAll (throwers n) $ \bad -> ioProperty $ do
    let f i = if i `elem` bad then throw (Boom i) else i
        s = inSettings sched team
        want = [ if i `elem` bad then Left (Boom i) else Right i | i <- [0 .. n - 1] ]
    mapped <- mapM tried (parMap s rseq f [0 .. n - 1])
    listed <- mapM tried (parList s rseq (map f [0 .. n - 1]))
    streamed <- mapM tried (parBuffer s 9 rseq (map f [0 .. n - 1]))
    pure (mapped === want .&&. listed === want .&&. streamed === want)

-- | An element's own exception of these types is not taken for one from outside.
asynchronousTypes :: TeamOf -> Property
asynchronousTypes team = forAll (elements [ThreadKilled, UserInterrupt, StackOverflow]) $ \e -> ioProperty $ do
    let f i = if i == 7 then throw e else i :: Int
        results = parMap (inTeam team) rseq f [0 .. 20]
    evaluate (length results) >>= (@?= 21)
    got <- mapM (try . evaluate) results
    pure (got === [ if i == 7 then Left e else Right i | i <- [0 .. 20] ])

firstOfAll :: AnySchedule -> TeamOf -> Property
firstOfAll sched team = forAll sizes $ \n -> forAll (throwers n) $ \bad -> ioProperty $ do
    let f i = if i `elem` bad then throw (Boom i) else i
    got <- try (parEval (inSettings sched team) rseq (map f [0 .. n - 1]))
    pure (got === if null bad then Right () else Left (Boom (minimum bad)))

firstOfActions :: AnySchedule -> TeamOf -> Property
firstOfActions sched team = forAll sizes $ \n -> forAll (throwers n) $ \bad -> ioProperty $ do
    ran <- counters n
    let act i = count ran i >> when (i `elem` bad) (throwIO (Boom i)) >> pure i
    got <- try (parTraverse (inSettings sched team) rseq act [0 .. n - 1])
    times <- counts ran n
    let first = if null bad then n else minimum bad
    pure $ got === (if null bad then Right [0 .. n - 1] else Left (Boom first))
        .&&. take first times === replicate first 1 .&&. property (all (<= 1) times)

conquerThrows :: TeamOf -> Property
conquerThrows team = forAll (choose (0, 63)) $ \at -> forAll (choose (0, 3 :: Int)) $ \place -> ioProperty $ do
    let here p l = p == place && at `elem` l
        boom = throw (Boom at)
        trivial l = if here 0 l && length l == 4 then boom else length l < 2
        solve l = if here 1 l then boom else sum l
        split l = if here 2 l && length l == 8 then boom else halves l
        combine l parts = if here 3 l && length l == 16 then boom else sum parts
    got <- tried (divConq (inTeam team) rseq trivial solve split combine [0 .. 63])
    pure (got === Left (Boom at))

listThrows :: Assertion
listThrows = do
    let list = [1, 2, 3] ++ throw (Boom 1) :: [Int]
    tried (take 1 (parMap defaults rseq id list)) >>= (@?= Left (Boom 1))
    tried (take 1 (parList defaults rseq list)) >>= (@?= Left (Boom 1))
    tried (take 2 (parBuffer defaults 2 rseq list)) >>= (@?= Right [1, 2])
    r <- tried (length (parBuffer defaults 2 rseq list))
    r @?= Left (Boom 1)

invalid :: Assertion
invalid = do
    let bad = defaults { numThreads = Just 0 }
        list = [1, 2, 3 :: Int]
    forM_
        [ ("parMap", evaluate (length (parMap bad rseq (+ 1) list)))
        , ("parList", evaluate (length (parList bad rseq list)))
        , ("parTraversable", evaluate (length (parTraversable bad rseq (Just 'x'))))
        , ("parBuffer", evaluate (length (parBuffer bad 2 rseq list)))
        , ("divConq", evaluate (divConq bad rseq (const True) length (const []) (\_ -> sum) list))
        , ("parTraverse", length <$> parTraverse bad rseq pure list)
        , ("parEval", 0 <$ parEval bad rseq list)
        ] $ \(name, act) -> do
            r <- try act
            r @?= Left (ErrorCall ("OpenMP.Eval." ++ name
                ++ ": numThreads = 0: a team has at least 1 thread and at most 2147483647"))
    grain <- try (parallelTasks defaults (\m -> taskTraverse m (NumTasks 0) rseq pure list))
    grain @?= Left (ErrorCall "OpenMP.Eval.taskTraverse: NumTasks 0: the number is at least 1")

-- --------------------------------------------------------------------------------------------------------------------

-- | The values are there in the end, and each was evaluated once, however often it was interrupted.
resumes :: (Settings -> Int -> (Int -> Int) -> [Int]) -> AnySchedule -> TeamOf -> Property
resumes evaluated sched team = forAll (choose (100, 4000)) $ \micros -> ioProperty $ do
    let n = 300
    ran <- counters n
    let f i = unsafePerformIO (count ran i >> spin 3000 >> pure (i * 2))
        values = evaluated (inSettings sched team) n f
    (total, times) <- evaluateInParts micros (sum values)
    runs <- counts ran n
    pure $ classify (times > 0) "interrupted" $
        total === sum (map (* 2) [0 .. n - 1]) .&&. values === map (* 2) [0 .. n - 1] .&&. runs === replicate n 1

-- | These values are interrupted in any case, and those above at any moment.
resumesWaiting :: SomeException -> Assertion
resumesWaiting e = forM_ [1, 2, 5] $ \t -> do
    let s = inSettings (AnySchedule (Just (Dynamic 1))) (TeamOf t)
        n = 40
        numbers = [0 .. n - 1]
    forM_
        [ \f -> parMap s rseq f numbers
        , \f -> F.toList (parTraversable s rseq (V.generate n f))
        , \f -> parBuffer s 7 rseq (map f numbers)
        , \f -> unsafePerformIO (parTraverse s rseq (evaluate . f) numbers)
        , \f -> divConq s rdeepseq ((< 2) . length) (map f) halves (const concat) numbers
        ] $ \elements -> do
            (wait, evaluated) <- interruption e
            ran <- counters n
            let values = elements (\i -> unsafePerformIO (i * 2 <$ count ran i <* when (i == 0) wait))
            evaluated (sum values) >>= (@?= n * (n - 1))
            values @?= map (* 2) numbers
            counts ran n >>= (@?= replicate n 1)
    (wait, evaluated) <- interruption e
    ran <- counters n
    let values = parMap s rseq f numbers
        f i = unsafePerformIO $ do
            count ran i
            when (i == 0) wait
            if odd i then throwIO (Boom i) else pure i
    evaluated (length values) >>= (@?= n)
    mapM tried values >>= (@?= [ if odd i then Left (Boom i) else Right i | i <- numbers ])
    counts ran n >>= (@?= replicate n 1)

-- | Interrupted often, with elements that throw among them: an element is not begun again for either reason.
besideThrowers :: AnySchedule -> TeamOf -> Property
besideThrowers sched team = forAll ((,) <$> choose (1, 2000) <*> choose (100, 4000)) $ \(n, micros) ->
    forAll (throwers (n - 1)) $ \bad -> ioProperty $ do
        ran <- counters n
        let f i = unsafePerformIO $ do
                count ran i
                when (i `mod` 16 == 0) (spin 2000)
                if i `elem` bad then throwIO (Boom i) else pure (i + 1)
            values = parMap (inSettings sched team) rseq f [0 .. n - 1]
        (_, times) <- evaluateInParts micros (length values)
        got <- mapM tried values
        runs <- counts ran n
        pure . classify (times > 0) "interrupted" $
            got === [ if i `elem` bad then Left (Boom i) else Right (i + 1) | i <- [0 .. n - 1] ]
                .&&. runs === replicate n 1

-- | A thread that evaluates is hit once, at any moment: the exception comes out, or the value does and the exception
-- comes after it. Then the value is evaluated by another thread.
received :: SomeException -> AnySchedule -> TeamOf -> Property
received e sched team = forAll (choose (0, 3000)) $ \moment -> ioProperty $ do
    let n = 200
    ran <- counters n
    begun <- newEmptyMVar
    result <- newEmptyMVar
    over <- newEmptyMVar :: IO (MVar ())
    let f i = unsafePerformIO (tryPutMVar begun () >> count ran i >> spin 2000 >> pure i)
        values = parMap (inSettings sched team) rseq f [0 .. n - 1]
    t <- mask_ $ forkIOWithUnmask $ \unmask -> do
        first <- try (unmask (evaluate (sum values)))
        second <- either (pure . Left) (\_ -> try (unmask (takeMVar over))) first
        putMVar result (either show show first, either (\x -> show (x :: SomeException)) show second)
    takeMVar begun
    spin (moment * 20)
    throwTo t e
    (first, second) <- takeMVar result
    total <- evaluate (sum values)
    runs <- counts ran n
    pure $ classify (first == show e) "interrupted" $
        counterexample first (second === show e)
        .&&. property (first `elem` [show e, show (sum [0 .. n - 1])])
        .&&. total === sum [0 .. n - 1] .&&. runs === replicate n 1

-- | Both are thrown before the thread looks for the second one, and often before the evaluation ends. Neither is left
-- to the thread that goes on with the value.
twoAtATime :: Assertion
twoAtATime = forM_ [parMap two rseq id, parList two rseq, parBuffer two 4 rseq, conquered] $ \evaluated -> do
    begun <- newEmptyMVar
    go <- newEmptyMVar
    both <- newEmptyMVar
    result <- newEmptyMVar
    let element i = unsafePerformIO (i <$ (tryPutMVar begun () >> readMVar go))
        total = sum (evaluated (map element [0 .. 7])) :: Int
    t <- mask_ $ forkIOWithUnmask $ \unmask -> do
        first <- try (unmask (evaluate total))
        uninterruptibleMask_ (readMVar both)
        second <- try (unmask (yield >> pure 0))
        putMVar result (map (either (\e -> show (e :: IOException)) show) [first, second])
    takeMVar begun
    sources <- forM ["one", "another"] (forkIO . throwTo t . userError)
    let wait = mapM threadStatus sources >>= \states -> unless (all over states) (yield >> wait)
        over s = s `elem` [ThreadFinished, ThreadDied, ThreadBlocked BlockedOnException]
    wait
    putMVar both ()
    got <- takeMVar result
    sort got @?= ["user error (another)", "user error (one)"]
    putMVar go ()
    evaluate total >>= (@?= 28)
  where
    two = defaults { numThreads = Just 2 }
    conquered :: [Int] -> [Int]
    conquered = divConq two rdeepseq ((< 2) . length) id halves (const concat)

raising :: Assertion
raising = do
    let bad = throw (Boom 3) :: Int
        good = length (show (Boom 3))
    (,) <$> raises bad <*> raises good >>= (@?= (False, False))
    tried bad >>= (@?= Left (Boom 3))
    tried good >>= (@?= Right 6)
    (,) <$> raises bad <*> raises good >>= (@?= (True, False))
    performMajorGC
    (,) <$> raises bad <*> raises good >>= (@?= (True, False))
    raises atTop >>= (@?= False)
    tried atTop >>= (@?= Left (Boom 4))
    raises atTop >>= (@?= True)

atTop :: Int
atTop = throw (Boom 4)
{-# NOINLINE atTop #-}

-- | Also while it is under evaluation, and while another thread waits for it.
interruptedRaises :: Assertion
interruptedRaises = do
    go <- newEmptyMVar
    begun <- newEmptyMVar
    let value = unsafePerformIO (putMVar begun () >> takeMVar go) :: Int
    threads <- replicateM 2 (forkIO (void (try (evaluate value) :: IO (Either AsyncException Int))))
    takeMVar begun
    raises value >>= (@?= False)
    mapM_ killThread threads
    raises value >>= (@?= False)
    performMajorGC
    raises value >>= (@?= False)
    putMVar go 5
    evaluate value >>= (@?= 5)

once :: TeamOf -> Property
once team = forAll (choose (0, 2000)) $ \moment -> ioProperty $ do
    let n = 50
    ran <- counters n
    done <- newEmptyMVar
    gone <- newEmptyMVar
    let values = [ justOnce (unsafeDupablePerformIO (i <$ count ran i <* spin 500)) | i <- [0 .. n - 1] ]
    -- The list is there before threads share it: two threads that make it at the same time have two of each element.
    _ <- evaluate (length values)
    let use = evaluate (sum (concat (parMap (inTeam team) rdeepseq (const values) [1 .. 4 :: Int])))
    killed <- forkFinally (void use) (const (putMVar gone ()))
    _ <- forkFinally (void (evaluate (sum (reverse values)))) (const (putMVar done ()))
    spin (moment * 20)
    killThread killed
    takeMVar gone >> takeMVar done
    total <- evaluate (sum values)
    runs <- counts ran n
    pure (total === sum [0 .. n - 1] .&&. runs === replicate n 1)
