{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
-- | Each construct of the library with random settings and bodies, for StormTest: what its result has to be, and what
-- holds when an exception has ended it. Lazy values are in StormValues.
module StormConstructs
    ( constructs
    ) where

import Control.Concurrent (threadDelay)
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import Data.List (sort)
import Data.Maybe (fromMaybe, isNothing)
import Data.Monoid (Sum (..))
import qualified Data.Vector.Storable as V
import Foreign.C.Types
import Foreign.Marshal.Alloc (alloca)
import Foreign.Ptr (FunPtr, Ptr)
import System.Timeout (timeout)

import OpenMP.Batch
import OpenMP.Callback
import OpenMP.Parallel
import OpenMP.Settings

import Generators
import StormWorld

foreign import ccall "&labs" labs :: FunPtr (CLong -> IO CLong)
-- Safe: they open regions; the second calls back.
foreign import ccall safe "function_team_size" c_teamSize :: IO CInt
foreign import ccall safe "callbacks_run" c_callbacks
    :: CInt -> CInt -> CInt -> CIntPtr -> CSize -> Ptr c -> Ptr Double -> IO CInt

constructs :: [Construct]
constructs = concat [loops, reductions, teams, tasks, others]
  where
    loops = [ Construct n False f | (n, f) <-
        [ ("parallelFor", loop), ("parallelForChunks", chunks), ("parallelFor2", pairs), ("parallelForTiles", tiles)
        , ("parallelForWith", states), ("parallelSections", sectionsOf), ("a loop in a loop", nested)
        , ("a loop of a masked caller", maskedLoop), ("a loop under a timeout", timed)
        , ("a loop whose body throws", failing) ] ]
    reductions = [ Construct n False f | (n, f) <-
        [ ("parallelReduce", reductionOf), ("parallelReduceChunks", chunkReduction), ("parallelFoldWith", fold) ] ]
    teams = [ Construct n True f | (n, f) <-
        [ ("barrier, single, reduce, masked", barriers), ("for, forNowait, for2, sections", worksharing)
        , ("forOrdered", ordered), ("cancel", cancelled), ("a region in a loop", regionInLoop)
        -- A loop, but its bodies have handlers, which throw the exception again.
        , ("critical in a loop", criticals) ] ]
    tasks = [ Construct n True f | (n, f) <-
        [ ("task, taskwait, taskgroup, taskyield", plainTasks), ("taskWith", dependences), ("taskloop", loopsOfTasks)
        , ("spawn, await", futures), ("spawnWith", futuresInOrder) ] ]
    others = [ Construct n False f | (n, f) <-
        [ ("withSettings", scope), ("runBatch", batch), ("callColumns", columns), ("withCallback", callback)
        , ("a region of C", regionOfC) ] ]

-- --------------------------------------------------------------------------------------------------------------------
-- Loops

anySettings :: Dice -> IO Settings
anySettings dice = do
    team <- pick dice [Nothing, Just 1, Just 2, Just 2, Just 3, Just 4]
    sched <- pick dice
        [Nothing, Just Auto, Just Static, Just (StaticChunks 3), Just (Dynamic 1), Just (Dynamic 4), Just (Guided 2)]
    levels <- pick dice [Nothing, Nothing, Just 1, Just 2]
    pure defaults { numThreads = team, schedule = sched, maxActiveLevels = levels }

-- | Settings of a team of that many threads, so that a construct of all members has been encountered by all.
teamOf :: Dice -> IO Settings
teamOf dice = (\n -> defaults { numThreads = Just n }) <$> pick dice [1, 2, 2, 3, 4]

anySchedule :: Dice -> IO Schedule
anySchedule dice = pick dice [Static, StaticChunks 2, Dynamic 1, Dynamic 3, Guided 1, Auto]

loop, chunks, pairs, tiles, states, sectionsOf, nested, maskedLoop, timed, failing, criticals
    :: World -> Dice -> IO ()

loop world dice = do
    s <- anySettings dice
    n <- roll dice 60
    counted world dice n (parallelFor s 0 n)

chunks world dice = do
    s <- anySettings dice
    counted world dice 50 (\body -> parallelForChunks s 0 50 (\b e -> forM_ [b .. e - 1] body))

pairs world dice = do
    s <- anySettings dice
    counted world dice 40 (\body -> parallelFor2 s (0, 5) (0, 8) (\r c -> body (8 * r + c)))

tiles world dice = do
    s <- anySettings dice
    counted world dice 40 $ \body -> parallelForTiles s (2, 3) (0, 5) (0, 8) $ \(top, bottom) (left, right) ->
        sequence_ [ body (8 * r + c) | r <- [top .. bottom - 1], c <- [left .. right - 1] ]

states world dice = do
    s <- anySettings dice
    -- A state that two threads used at a time would be found busy.
    let new = R.newIORef False
        alone state act = do
            busy <- R.atomicModifyIORef' state (\b -> (True, b))
            when busy (wrong world "two threads have one state")
            () <- act
            R.writeIORef state False
    chunked <- roll dice 2
    counted world dice 50 $ \body -> if chunked == 0
        then parallelForWith s 0 50 new (\state i -> alone state (body i))
        else parallelForChunksWith s 0 50 new (\state b e -> alone state (forM_ [b .. e - 1] body))

sectionsOf world dice = do
    s <- anySettings dice
    counted world dice 20 $ \body -> do
        r <- parallelSections s [ i <$ body i | i <- [0 .. 19] ]
        expect world [0 .. 19] r

nested world dice = do
    s <- anySettings dice
    t <- anySettings dice
    counted world dice 48 $ \body ->
        parallelFor s { maxActiveLevels = Just 2 } 0 6 (\r -> parallelFor t 0 8 (\c -> body (8 * r + c)))

-- The exception comes when the loop is over: every index has run.
maskedLoop world dice = do
    s <- anySettings dice
    hard <- roll dice 2
    a <- counters 30
    let body i = count a i >> spin 200 >> when (i == 7) (threadDelay 100)
    (if hard == 0 then uninterruptibleMask_ else mask_) $ do
        parallelFor s 0 30 body
        counts a 30 >>= expect world (replicate 30 1)

timed world dice = do
    s <- anySettings dice
    micros <- roll dice 3000
    a <- counters 50
    r <- timeout micros (parallelFor s 0 50 (\i -> count a i >> spin 5000))
    cs <- counts a 50
    unless (if isNothing r then all (<= 1) cs else all (== 1) cs) (wrong world ("after a timeout: " ++ show cs))

newtype Boom = Boom Int
    deriving (Eq, Show)

instance Exception Boom

failing world dice = do
    s <- anySettings dice
    bad <- roll dice 40
    r <- try $ counted world dice 40 $ \body ->
        parallelFor s 0 40 (\i -> when (i == bad) (throwIO (Boom i)) >> body i)
    expect world (Left (Boom bad)) r

-- | Counts by one thread at a time, also when an exception comes into the section.
criticals world dice = do
    s <- anySettings dice
    named <- newCritical
    which <- roll dice 2
    total <- R.newIORef (0 :: Int)
    busy <- R.newIORef False
    let section = if which == 0 then critical else criticalIn named
        enter = do
            was <- R.atomicModifyIORef' busy (\b -> (True, b))
            when was (wrong world "two threads are in one critical section")
    counted world dice 40 $ \body -> do
        parallelFor s 0 40 $ \i -> section $ bracket_ enter (R.writeIORef busy False) $ do
            body i
            mask_ (R.readIORef total >>= R.writeIORef total . (+ 1))
        R.readIORef total >>= expect world 40

-- --------------------------------------------------------------------------------------------------------------------
-- Reductions

reductionOf, chunkReduction, fold :: World -> Dice -> IO ()

reductionOf world dice = do
    s <- anySettings dice
    inOrder <- roll dice 2
    counted world dice 50 $ \body -> if inOrder == 0
        then parallelReduce s IndexOrder 0 50 (\i -> [i] <$ body i) >>= expect world [0 .. 49]
        else parallelReduce s AnyOrder 0 50 (\i -> Sum i <$ body i) >>= expect world (Sum 1225)

chunkReduction world dice = do
    s <- anySettings dice
    order <- pick dice [IndexOrder, AnyOrder]
    counted world dice 50 $ \body -> do
        r <- parallelReduceChunks s order 0 50 (\b e -> [b .. e - 1] <$ forM_ [b .. e - 1] body)
        expect world [0 .. 49] (if order == IndexOrder then r else sort r)

fold world dice = do
    s <- anySettings dice
    order <- pick dice [IndexOrder, AnyOrder]
    counted world dice 50 $ \body -> do
        let add acc i = body i >> R.modifyIORef' acc (+ i)
            combine a b = a <$ (R.readIORef b >>= \x -> R.modifyIORef' a (+ x))
        acc <- parallelFoldWith s order 0 50 (R.newIORef 0) add combine
        R.readIORef acc >>= expect world 1225

-- --------------------------------------------------------------------------------------------------------------------
-- Regions

barriers, worksharing, ordered, cancelled, regionInLoop :: World -> Dice -> IO ()

barriers world dice = do
    s <- teamOf dice
    total <- R.newIORef (0 :: Int)
    noise <- roll dice 1000000
    r <- parallel s $ \team -> do
        me <- threadNum team
        work world (noise + me)
        R.atomicModifyIORef' total (\t -> (t + 1, ()))
        barrier team
        there <- R.readIORef total
        one <- single team (work world (noise + 10) >> pure 'x')
        members <- reduce team [me]
        masked team (work world (noise + 11))
        critical (pure ())
        pure (there, one, members)
    let n = fromMaybe 0 (numThreads s)
    expect world (replicate n (n, 'x', [0 .. n - 1])) r

worksharing world dice = do
    s <- teamOf dice
    x <- anySchedule dice
    y <- anySchedule dice
    counted world dice 80 $ \body -> parallel_ s $ \team -> do
        for team x 0 20 body
        forNowait team y 20 40 body
        for2 team x (0, 4) (0, 5) (\r c -> body (40 + 5 * r + c))
        sections team [ body i | i <- [60 .. 69] ]
        forChunks team y 70 80 (\b e -> forM_ [b .. e - 1] body)

ordered world dice = do
    s <- teamOf dice
    x <- anySchedule dice
    seen <- R.newIORef []
    counted world dice 30 $ \body -> do
        parallel_ s $ \team -> forOrdered team x 0 30 $ \inOrder i -> do
            body i
            inOrder (R.modifyIORef' seen (i :))
        R.readIORef seen >>= expect world [29, 28 .. 0]

cancelled world dice = do
    s <- teamOf dice
    noise <- roll dice 1000000
    r <- parallel s $ \team -> do
        me <- threadNum team
        forM_ [0 .. 20 :: Int] $ \i -> do
            work world (noise + 100 * me + i)
            cancellationPoint team
            when (i == 10) (cancel team)
    expect world [] r

regionInLoop world dice = do
    s <- anySettings dice
    t <- teamOf dice
    x <- anySchedule dice
    counted world dice 40 $ \body -> parallelFor s { maxActiveLevels = Just 2 } 0 4 $ \r ->
        parallel_ t (\team -> for team x 0 10 (\c -> body (10 * r + c)))

-- --------------------------------------------------------------------------------------------------------------------
-- Tasks

plainTasks, dependences, loopsOfTasks, futures, futuresInOrder :: World -> Dice -> IO ()

plainTasks world dice = do
    s <- teamOf dice
    a <- counters 20
    counted world dice 20 $ \body -> parallelTasks s $ \team -> do
        forM_ [0 .. 9] (\i -> task team (body i >> count a i))
        taskyield team
        taskwait team
        taskgroup team (forM_ [10 .. 14] (\i -> task team (task team (body (i + 5) >> count a (i + 5)) >> body i)))
        cs <- counts a 20
        -- The tasks of the group are complete, with their descendants.
        expect world (replicate 10 1 ++ replicate 5 0 ++ replicate 5 1) cs

dependences world dice = do
    s <- teamOf dice
    x <- newDep
    y <- newDep
    seen <- R.newIORef []
    counted world dice 16 $ \body -> do
        parallelTasks s $ \team -> forM_ [0 .. 15] $ \i -> do
            let on = if even i then [InOut x] else [In x, InOut y]
            taskWith team taskDefaults { depends = on, deferred = i `mod` 7 /= 3, final = i == 4 } $ do
                body i
                when (even i) (R.modifyIORef' seen (i :))
        R.readIORef seen >>= expect world [14, 12 .. 0]

loopsOfTasks world dice = do
    s <- teamOf dice
    grain <- pick dice [AutoGrain, Grainsize 3, NumTasks 5]
    counted world dice 60 $ \body -> parallel_ s $ \team -> do
        masked team (taskloop team grain 0 30 body)
        single team (task team (taskloop team grain 30 60 body))

futures world dice = do
    s <- teamOf dice
    noise <- roll dice 1000000
    r <- parallelTasks s (\team -> fib team noise 9)
    expect world 34 r
  where
    fib :: Team s -> Int -> Int -> IO Int
    fib team noise n
        | n < 2 = n <$ work world (noise + n)
        | otherwise = do
            x <- spawn team (fib team (noise + 1) (n - 1))
            y <- fib team (noise + 2) (n - 2)
            (+ y) <$> await team x

futuresInOrder world dice = do
    s <- teamOf dice
    dep <- newDep
    cell <- R.newIORef (0 :: Int)
    noise <- roll dice 1000000
    r <- parallelTasks s $ \team -> do
        let step i = do
                work world (noise + i)
                R.modifyIORef' cell (+ 1)
                R.readIORef cell
        fs <- forM [1 .. 8] (\i -> spawnWith team taskDefaults { depends = [InOut dep] } (step i))
        mapM (await team) (reverse fs)
    expect world [8, 7 .. 1] r

-- --------------------------------------------------------------------------------------------------------------------
-- Others

scope, batch, columns, callback, regionOfC :: World -> Dice -> IO ()

scope world dice = do
    s <- anySettings dice
    n <- pick dice [1, 2, 3]
    t <- withSettings s { numThreads = Just n } $ do
        counted world dice 20 (parallelFor defaults 0 20)
        c_teamSize
    expect world (fromIntegral n) t

batch world dice = do
    n <- roll dice 2000
    r <- runBatch (traverse (call labs) (map fromIntegral [-n .. -1]))
    expect world (fromIntegral (n * (n + 1) `div` 2)) (sum r)

columns world dice = do
    n <- (+ 1) <$> roll dice 2000
    r <- callColumns labs (Each (V.enumFromN (fromIntegral (-n)) n))
    expect world (fromIntegral (n * (n + 1) `div` 2)) (V.sum r)

-- | Way 1 of callbacks.c: each thread of a team of C calls back for its range. The call cannot be interrupted.
callback world dice = do
    n <- pick dice [1, 2, 3]
    a <- counters 40
    withCallback (\i -> count a i >> spin 100) $ \object -> do
        failed <- alloca (c_callbacks 1 1 n 40 8 (callbackPtr object))
        expect world 0 failed
    counts a 40 >>= expect world (replicate 40 1)

regionOfC world _ = do
    n <- c_teamSize
    unless (n >= 1) (wrong world ("a team of " ++ show n))
