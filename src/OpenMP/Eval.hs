{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- Makes each element a safe point, also where evaluating it does not allocate.
{-# OPTIONS_GHC -fno-omit-yields #-}
-- |
-- Module:      OpenMP.Eval
-- Description: Lazy values that a team evaluates
--
-- The threads of a team evaluate the elements of a list or another structure, with OpenMP's schedules, or by tasks
-- where the work is irregular. The pure functions have the result of the same function without threads.
--
-- The names are those of @Control.Parallel.Strategies@ where there is such a function, which evaluates the same: import
-- one of the two qualified. The types differ. There a @Strategy a@ is @a -> Eval a@ and may return another value than
-- it got; here it is @a -> ()@, so it evaluates and cannot replace. A strategy @s@ of that package is
-- @\\x -> runEval (s x) \`seq\` ()@ here, if @s@ evaluates what it returns. The functions get the t'Settings' first. In
-- place of @parListChunk n@ there is the schedule @Dynamic n@: a thread evaluates @n@ elements at a time, except the
-- first ones, which the caller may evaluate alone.
--
-- == Time and threads
--
-- A pure function's result is a lazy value: the team works when a thread needs it (its first constructor), and then
-- evaluates all elements, each by the t'Strategy'. The threads are those of 'OpenMP.Parallel.parallelFor': the
-- caller, and helpers if there are idle Capabilities. A call in an element of another one runs in the thread that
-- evaluates that element, unless 'maxActiveLevels' allows more.
--
-- Without a schedule chunks have one size, so that there are some 256 of them: elements of a lazy structure are seldom
-- alike.
--
-- == Exceptions
--
-- * An element that throws does not disturb the others. In a pure function's result the exception stays in the element:
--   a consumer that uses the elements in their order gets the first exception first. 'parEval' and 'parTraverse' throw
--   the first one in the structure's order, whichever thread has met which one first.
--
-- * An asynchronous exception for the thread that needs the value (a timeout, a kill) ends the evaluation. A thread
--   that needs the value later continues it: evaluated elements stay evaluated, and elements under evaluation are
--   resumed.
--
-- == Elements that several threads need
--
-- A value that several members need, or a member and another Haskell thread, is evaluated once, except within a window:
-- GHC marks it as taken only when the evaluating thread comes to the scheduler (at the end of a time slice or of its
-- nursery, when it waits, and in safe foreign calls). Until then another thread that needs it evaluates it, too; the
-- first of them to get to the scheduler keeps it and the others stop there. The window is some instructions wide in
-- modules compiled with @-feager-blackholing@, and closed by 'justOnce'. A member that needs a value which another
-- thread has under evaluation waits without its Capability, on which other Haskell threads run meanwhile.
-- @docs\/guide\/parallel-haskell.md@ has the details.
--
-- An element must not need the structure that is being evaluated: that is a value that needs itself, and the team waits
-- for it until an asynchronous exception ends the wait. GHC reports such a loop only where nothing else refers to it.
module OpenMP.Eval
    ( -- * How far a value is evaluated
      Strategy
    , r0
    , rseq
    , rdeepseq
    , evalTraversable
      -- * Structures
    , parMap
    , parList
    , parTraversable
    , parBuffer
      -- * Irregular work, by tasks
    , divConq
    , taskTraverse
      -- * Actions
    , parTraverse
    , parEval
      -- * Effects in lazy values
    , justOnce
    ) where

import Control.DeepSeq (NFData, rnf)
import Control.Exception (ErrorCall (..), SomeException, throwIO)
import Control.Monad (void, when)
import Data.Foldable (toList)
import qualified Data.IORef as R
import Data.Maybe (isNothing)
import Data.Primitive.Array
import GHC.Exts (noDuplicate#, runRW#, seq#)
import System.IO.Unsafe (unsafePerformIO)

import OpenMP.Internal.Buffer
import OpenMP.Internal.Conquer
import OpenMP.Internal.Force
import OpenMP.Internal.Loop (Cuts (..), runChunks, sharingOf)
import OpenMP.Internal.Region (rethrow)
import OpenMP.Internal.Settings (checkRegionOf, reject)
import OpenMP.Internal.Task (Grain, taskloopChunksOf)
import OpenMP.Internal.Team (Team)
import OpenMP.Settings

-- | Evaluates a value, completely or in part, and returns the unit. Any function of this type will do, for example
-- @\\(a, b) -> rseq a \`seq\` rdeepseq b@.
--
-- >>> let spine = length :: String -> Int
-- >>> let upToSpine x = spine x `seq` () :: ()
-- >>> map length (parList defaults upToSpine ["one", "three"])
-- [3,5]
--
-- @since 0.1.0.0
type Strategy a = a -> ()

-- | Not at all.
--
-- >>> length (parMap defaults r0 (`div` 0) [1, 2, 3 :: Int])
-- 3
--
-- @since 0.1.0.0
r0 :: Strategy a
r0 _ = ()

-- | To weak head normal form: the first constructor.
--
-- >>> parMap defaults rseq (+ 1) [1, 2, 3 :: Int]
-- [2,3,4]
--
-- @since 0.1.0.0
rseq :: Strategy a
rseq x = x `seq` ()

-- | To normal form: all of it.
--
-- >>> parMap defaults rdeepseq (replicate 2) "ab"
-- ["aa","bb"]
--
-- @since 0.1.0.0
rdeepseq :: NFData a => Strategy a
rdeepseq = rnf

-- | The elements of a structure one after the other, for structures in a structure.
--
-- >>> parMap defaults (evalTraversable rseq) (\n -> [1 .. n]) [1, 2, 3 :: Int]
-- [[1],[1,2],[1,2,3]]
--
-- @since 0.1.0.0
evalTraversable :: Foldable t => Strategy a -> Strategy (t a)
evalTraversable strategy = foldr (\x rest -> strategy x `seq` rest) ()

-- | 'map', the values evaluated by a team. It needs the whole list; the result is a list that is produced as it is
-- used.
--
-- >>> parMap defaults { schedule = Just (Dynamic 1) } rseq (\n -> length (show (2 ^ n))) [100, 1000 :: Int]
-- [31,302]
--
-- An exception stays in its element:
--
-- >>> map (const 'x') (parMap defaults rseq (10 `div`) [0, 1, 2 :: Int])
-- "xxx"
--
-- @since 0.1.0.0
parMap :: Settings -> Strategy b -> (a -> b) -> [a] -> [b]
parMap settings strategy f xs = unsafePerformIO $ do
    checkRegionOf "Eval.parMap" settings
    results <- mapped settings strategy f xs
    pure (toList results)

mapped :: Settings -> Strategy b -> (a -> b) -> [a] -> IO (Array b)
mapped settings strategy f xs = do
    results <- newArray n unset
    overElements settings n $ \begin end -> do
        mine <- newArray (end - begin) unset
        let element i
                | i == end  = pure (Done i)
                | otherwise = do
                    x <- indexArrayM elements i
                    let value = f x
                    writeArray mine (i - begin) value
                    pure (Step (i + 1) (strategy value))
        _ <- forceEach element begin
        copyMutableArray results begin mine 0 (end - begin)
    unsafeFreezeArray results
  where
    !elements = arrayFromList xs
    !n = sizeofArray elements

unset :: a
unset = error "OpenMP.Eval: an element is missing"

-- | A loop over the numbers of elements, by chunks.
overElements :: Settings -> Int -> (Int -> Int -> IO ()) -> IO ()
overElements settings n body = when (n > 0) $ runChunks AnyCut settings (sharingOf divided_ n) 0 body
  where
    divided_ = if isNothing (schedule settings) then Just (Dynamic (max 1 (n `quot` 256))) else schedule settings

-- | The same list, its elements evaluated by a team; 'parTraversable' for lists.
--
-- >>> sum (parList defaults rseq (map (* 2) [1 .. 100 :: Int]))
-- 10100
--
-- @since 0.1.0.0
parList :: Settings -> Strategy a -> [a] -> [a]
parList settings strategy xs = unsafePerformIO (xs <$ forced "parList" settings strategy xs)

-- | The same structure, its elements evaluated by a team.
--
-- >>> import qualified Data.Map as M
-- >>> parTraversable defaults rdeepseq (show <$> M.fromList [(1 :: Int, 'a'), (2, 'b')])
-- fromList [(1,"'a'"),(2,"'b'")]
--
-- @since 0.1.0.0
parTraversable :: Foldable t => Settings -> Strategy a -> t a -> t a
parTraversable settings strategy xs = unsafePerformIO (xs <$ forced "parTraversable" settings strategy xs)

forced :: Foldable t => String -> Settings -> Strategy a -> t a -> IO ()
forced name settings strategy xs = do
    checkRegionOf ("Eval." ++ name) settings
    overElements settings (sizeofArray elements) $ \begin end ->
        let element i
                | i == end  = pure (Done i)
                | otherwise = Step (i + 1) . strategy <$> indexArrayM elements i
        in void (forceEach element begin)
  where
    elements = arrayFromList (toList xs)

-- | The same list, evaluated while it is used, @n@ elements at a time: when the first of them is needed these are
-- evaluated, by the thread that needs it and by idle Capabilities, as many as the team has threads; and when they are
-- there, idle Capabilities begin with the next @n@, as sparks. So a consumer that takes some time finds the elements
-- evaluated, one that comes earlier takes part, at most @2 n@ are ahead of it, and the list may be infinite. It needs
-- the list's constructors up to there. The schedule's chunk is what a thread takes at a time; with 'dynamic' or
-- 'maxActiveLevels' each @n@ elements are a region instead, for which these settings hold. An
-- t'Control.Exception.ErrorCall' when @n@ is less than 1.
--
-- >>> takeWhile (< 50) (parBuffer defaults 4 rseq (map (^ 2) [1 :: Int ..]))
-- [1,4,9,16,25,36,49]
-- >>> length (parBuffer defaults 0 rseq "abc")
-- *** Exception: OpenMP.Eval.parBuffer: a buffer of 0 elements: it has at least 1
--
-- @since 0.1.0.0
parBuffer :: Settings -> Int -> Strategy a -> [a] -> [a]
parBuffer settings n strategy list = unsafePerformIO $ do
    reject "Eval.parBuffer" [ "a buffer of " ++ show n ++ " elements: it has at least 1" | n < 1 ]
    checkRegionOf "Eval.parBuffer" settings
    ways <- waysOf settings n
    pure (buffered ways n strategy (forced "parBuffer" settings strategy) list)

-- | @divConq settings strategy trivial solve split combine@ divides a problem until its parts are trivial, solves
-- these, and puts the solutions together, each evaluated by the strategy. Each part but the first of a problem is a
-- task of the team, so idle threads take large parts wherever they are. A trivial problem should be worth some
-- microseconds. The result is that of the same recursion without threads.
--
-- >>> let small n = n < 15
-- >>> let fib n = if n < 2 then n else fib (n - 1) + fib (n - 2) :: Int
-- >>> divConq defaults rseq small fib (\n -> [n - 1, n - 2]) (\_ parts -> sum parts) 20
-- 6765
--
-- @since 0.1.0.0
divConq :: Settings -> Strategy b -> (a -> Bool) -> (a -> b) -> (a -> [a]) -> (a -> [b] -> b) -> a -> b
divConq settings strategy trivial solve split combine whole = unsafePerformIO $ do
    checkRegionOf "Eval.divConq" settings
    conquer settings (Problem parts solve combine strategy) whole
  where
    parts x = if trivial x then Nothing else Just (split x)

-- | 'traverse' by tasks of the region, and their results evaluated. It waits for these tasks and their descendants. A
-- task can use it for its own parts, so that nested structures are divided as finely as idle threads need. Valid where
-- 'OpenMP.Parallel.task' is; an exception in a task cancels the region, as there.
--
-- >>> import OpenMP.Parallel
-- >>> let row team n = sum <$> taskTraverse team AutoGrain rseq (pure . (* n)) [1 .. 10 :: Int]
-- >>> parallelTasks defaults (\team -> taskTraverse team (Grainsize 1) rseq (row team) [1, 2, 3])
-- [55,110,165]
--
-- @since 0.1.0.0
taskTraverse :: Traversable t => Team s -> Grain -> Strategy b -> (a -> IO b) -> t a -> IO (t b)
taskTraverse team grain strategy f xs = do
    results <- newArray n unset
    taskloopChunksOf "Eval.taskTraverse" team grain 0 n $ \begin end ->
        let go !i = when (i /= end) $ do
                value <- indexArrayM elements i >>= f
                case strategy value of () -> writeArray results i value
                go (i + 1)
        in go begin
    unsafeFreezeArray results >>= refilled "Eval.taskTraverse" xs
  where
    elements = arrayFromList (toList xs)
    n = sizeofArray elements

-- | The structure with other elements: one for each that 'toList' has. Instances that are not lawful may visit more.
refilled :: Traversable t => String -> t a -> Array b -> IO (t b)
refilled name xs results = do
    next <- R.newIORef 0
    let element _ = do
            i <- R.readIORef next
            when (i >= sizeofArray results) (throwIO unlawful)
            R.writeIORef next $! i + 1
            indexArrayM results i
    traverse element xs
  where
    unlawful = ErrorCall ("OpenMP." ++ name ++ ": traverse visits more elements than toList has")

-- | 'traverse' with the actions divided among a team, and their results evaluated. The actions run in any order. When
-- some throw, the exception of the first of these in the structure's order is thrown; all actions before it have
-- ended, and of those after it some have.
--
-- >>> parTraverse defaults rseq (\c -> pure (succ c)) (Just 'a')
-- Just 'b'
-- >>> parTraverse defaults rseq (\n -> if n > 2 then ioError (userError (show n)) else pure n) [1 .. 100 :: Int]
-- *** Exception: user error (3)
--
-- @since 0.1.0.0
parTraverse :: Traversable t => Settings -> Strategy b -> (a -> IO b) -> t a -> IO (t b)
parTraverse settings strategy f xs = do
    checkRegionOf "Eval.parTraverse" settings
    results <- newArray n unset
    inOrder settings n $ \i -> action $ do
        value <- indexArrayM elements i >>= f
        case strategy value of () -> writeArray results i value
    unsafeFreezeArray results >>= refilled "Eval.parTraverse" xs
  where
    elements = arrayFromList (toList xs)
    n = sizeofArray elements

-- | Evaluates the elements of a structure by a team. When some throw, the exception of the first of these in the
-- structure's order is thrown.
--
-- >>> parEval defaults rdeepseq (map show [1 .. 100 :: Int])
-- >>> parEval defaults rseq (map (100 `div`) [2, 1, 0 :: Int])
-- *** Exception: divide by zero
--
-- @since 0.1.0.0
parEval :: Foldable t => Settings -> Strategy a -> t a -> IO ()
parEval settings strategy xs = do
    checkRegionOf "Eval.parEval" settings
    inOrder settings (sizeofArray elements) (\i -> strategy (indexArray elements i))
  where
    elements = arrayFromList (toList xs)

-- | The first exception, and its element's number.
data First = None | First !Int SomeException

-- | Evaluates the units of these numbers by a team, and throws the first exception in their order. After one, those
-- behind it are left out.
inOrder :: Settings -> Int -> (Int -> ()) -> IO ()
inOrder settings n unit = do
    first <- R.newIORef None
    overElements settings n $ \begin end -> do
        let go !i = when (i /= end) $ do
                seen <- R.readIORef first
                when (i `before` seen) $ do
                    r <- force (unit i)
                    either (note first i) pure r
                    go (i + 1)
        go begin
    R.readIORef first >>= \seen -> case seen of
        None      -> pure ()
        First _ e -> rethrow e
  where
    before i seen = case seen of
        None      -> True
        First k _ -> i < k
    note first i e = R.atomicModifyIORef' first (\seen -> (if i `before` seen then First i e else seen, ()))

-- | The same value, for one whose evaluation has effects: 'System.IO.Unsafe.unsafeDupablePerformIO', or a foreign
-- import that is not as pure as its type. While GHC may let two threads evaluate a lazy value at the same time, one of
-- these is evaluated by one thread: the others wait. After an asynchronous exception the evaluation is resumed, and
-- does not begin again. 'unsafePerformIO' has the same lock.
--
-- The lock belongs to the lazy value that this call becomes. When two threads evaluate at the same time the code that
-- makes it, an unevaluated list of such values for example, there are two values with a lock each. In a module compiled
-- with @-feager-blackholing@ the lock does not always hold.
--
-- >>> import Data.IORef
-- >>> import System.IO.Unsafe
-- >>> count <- newIORef (0 :: Int)
-- >>> let value = justOnce (unsafeDupablePerformIO (atomicModifyIORef' count (\n -> (n + 1, 'x'))))
-- >>> parEval defaults rseq (replicate 100 value)
-- >>> readIORef count
-- 1
--
-- @since 0.1.0.0
justOnce :: a -> a
justOnce value = case runRW# (\s -> case noDuplicate# s of s' -> seq# value s') of (# _, x #) -> x
{-# NOINLINE justOnce #-}
