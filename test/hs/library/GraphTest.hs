{-# OPTIONS_GHC -O0 #-} -- what GHC optimises here makes no difference to what is tested
-- | Dataflow graphs: OpenMP.Graph.
module GraphTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import Data.List (isInfixOf, sort)
import qualified Data.Map as Map
import System.IO (Handle, hGetContents, hGetLine)
import System.Mem (performMajorGC, performMinorGC)
import System.Process
import Test.QuickCheck
import Test.Tasty hiding (after)
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)

import OpenMP.Graph
import OpenMP.Settings

import Capabilities
import Gate
import Generators

tests :: TestTree
tests = testGroup "graph"
    [ testProperty "results, failures and what did not run are those of one node after the other" oracle
    , testProperty "the same by keys, in any order" keyedOracle
    , testProperty "the same while collections run and the number of Capabilities changes" disturbed
    , testProperty "a node is over before its successors begin, and at most n run at a time" limits
    , testCase "n nodes do run at a time" together
    , testCase "the result is evaluated in its node" evaluatedThere
    , testCase "a node that needs how others ended runs whatever they did" needsOutcome
    , testCase "the exception of the node that failed comes out" comesOut
    , testCase "an exception that is thrown to a node's thread fails that node alone" killedNode
    , testCase "a node that waits for ever fails alone" blockedForEver
    , testCase "nodes in foreign calls keep no Capability" foreignCalls
    , testCase "a node waits for a process" processes
    , testGroup "an exception for the caller"
        [ testProperty "ends nodes that run, and no other begins" killed
        , testCase "ends nodes that wait for processes, which their brackets reap" killedProcesses
        , testCase "leaves a masked caller's nodes alone" maskedCaller
        ]
    , testProperty "graphs in nodes of graphs" nested
    , testCase "many graphs at once, in Haskell threads" concurrently
    , testCase "a chain of ten thousand" chain
    , testCase "ten thousand inputs" wide
    , testCase "no nodes" (runGraph defaults (pure (pure 'x')) >>= (@?= 'x'))
    , testGroup "built once"
        [ testProperty "n runs are those of n graphs, each with its argument" onceMore
        , testProperty "each run runs each node once, in order" againInOrder
        , testCase "runs that overlap, in Haskell threads" overlapping
        , testCase "a node runs the graph that it is in" recursive
        , testProperty "after an exception for the caller it runs again" againAfterKill
        , testCase "no nodes" againEmpty
        ]
    , testProperty "a cycle is one line, and no node runs" cycles
    , testCase "a key that is not there is one line" unknownKey
    , testCase "settings that no team can have" badSettings
    ]

-- --------------------------------------------------------------------------------------------------------------------
-- A graph as data

-- | What a node does, and the earlier nodes that it depends on, by their results or by how they ended.
data Vertex = Vertex
    { behaviour :: Behaviour
    , needs     :: [(Edge, Int)]
    }
    deriving (Show)

data Behaviour = Adds Int | Throws
    deriving (Eq, Show)

data Edge = Result | End
    deriving (Eq, Show)

newtype Dag = Dag [Vertex]
    deriving (Show)

instance Arbitrary Dag where
    arbitrary = do
        n <- frequency [(1, pure 0), (1, pure 1), (8, choose (2, 60)), (1, choose (60, 400))]
        failing <- elements [0, 0, 1, 4]
        Dag <$> forM [0 .. n - 1] (\i -> Vertex <$> how failing <*> inputs i)
      where
        how failing = frequency [(failing, pure Throws), (20, Adds <$> choose (0, 1000))]
        inputs i = do
            k <- frequency [(1, pure 0), (4, choose (0, min 3 i)), (1, choose (0, min 20 i))]
            replicateM (if i == 0 then 0 else k) ((,) <$> kind <*> earlier i)
        earlier i = oneof [choose (0, i - 1), choose (max 0 (i - 4), i - 1)]
        kind = frequency [(6, pure Result), (1, pure End)]
    shrink (Dag vs) =
        [ Dag (take k vs) | k <- [length vs `quot` 2, length vs - 1], k >= 0, k < length vs ] ++
        [ Dag (take i vs ++ [v { needs = take j (needs v) ++ drop (j + 1) (needs v) }] ++ drop (i + 1) vs)
        | (i, v) <- zip [0 ..] vs, j <- [0 .. length (needs v) - 1] ]

newtype Boom = Boom Int
    deriving (Eq, Show)

instance Exception Boom

-- | How a node ended: its number, the node that failed, or for a node that did not run, the one because of which.
data Ended = Value Int | Broke Int | Skipped String
    deriving (Eq, Show)

-- | One node after the other.
expected :: Dag -> [Ended]
expected (Dag vs) = Map.elems done
  where
    done = Map.fromList (zipWith (\i v -> (i, end i v)) [0 ..] vs) :: Map.Map Int Ended
    end i v = case [ name | (Result, j) <- needs v, Just name <- [because j] ] of
        name : _ -> Skipped name
        []       -> case behaviour v of
            Throws -> Broke i
            Adds x -> Value ((x + sum (map share (needs v))) `mod` 1000003)
    because j = case done Map.! j of
        Value _      -> Nothing
        Broke k    -> Just (show k)
        Skipped name -> Just name
    share (Result, j) = case done Map.! j of
        Value x -> x
        _       -> 0
    share (End, j) = weight (done Map.! j)

-- | What a node makes of how another one ended.
weight :: Ended -> Int
weight e = case e of
    Value x      -> 2 * x + 1
    Broke k    -> 3 * k + 2
    Skipped name -> length name

endedBy :: Either SomeException Int -> Ended
endedBy (Right x) = Value x
endedBy (Left e) = case (fromException e, fromException e) of
    (Just (Boom k), _)                     -> Broke k
    (_, Just (PredecessorFailed name why)) | Just (Boom k) <- fromException why, show k == name -> Skipped name
    _                                      -> error ("an exception that no node has thrown: " ++ show e)

-- | The graph, with something that each node does around its own work.
describe :: (Int -> IO Int -> IO Int) -> Dag -> Graph s [Node s Int]
describe around (Dag vs) = go 0 Map.empty vs
  where
    go :: Int -> Map.Map Int (Node s Int) -> [Vertex] -> Graph s [Node s Int]
    go _ made [] = pure (Map.elems made)
    go i made (v : rest) = do
        new <- node (show i) (sum <$> traverse (edge made) (needs v)) (\got -> around i (work i v got))
        go (i + 1) (Map.insert i new made) rest
    edge made (Result, j) = input (made Map.! j)
    edge made (End, j)    = weight . endedBy <$> outcome (made Map.! j)

work :: Int -> Vertex -> Int -> IO Int
work i v got = case behaviour v of
    Throws -> throwIO (Boom i)
    Adds x -> pure ((x + got) `mod` 1000003)

runDag :: Settings -> (Int -> IO Int -> IO Int) -> Dag -> IO [Ended]
runDag settings around dag = map endedBy <$> runGraph settings (traverse outcome <$> describe around dag)

oracle :: Dag -> TeamOf -> Property
oracle dag team = ioProperty $ (=== expected dag) <$> runDag (inTeam team) (const id) dag

-- | Edges of results only, between keys of which a later one may stand first.
keyedOracle :: Dag -> TeamOf -> Property
keyedOracle (Dag vs) team = forAll (shuffle [0 .. length vs - 1]) $ \order -> ioProperty $ do
    let plain = [ v { needs = [ (Result, j) | (_, j) <- needs v ] } | v <- vs ]
        key i = order !! i
        keyed = Map.fromList [ (key i, map (key . snd) (needs v)) | (i, v) <- zip [0 ..] plain ]
        numbered = Map.fromList [ (key i, (i, v)) | (i, v) <- zip [0 ..] plain ]
        name k = show (fst (numbered Map.! k))
        act k from = let (i, v) = numbered Map.! k in work i v (sum from)
    got <- runGraph (inTeam team) (traverse outcome <$> keyedNodes name keyed act)
    pure (map (\i -> endedBy (got Map.! key i)) [0 .. length vs - 1] === expected (Dag plain))

disturbed :: Dag -> TeamOf -> Property
disturbed dag team = forAll (vectorOf 20 (choose (1, 4))) $ \numbers -> ioProperty $ do
    before <- getNumCapabilities
    left <- R.newIORef (cycle numbers)
    let change = do
            next <- R.atomicModifyIORef' left (\l -> (drop 1 l, take 1 l))
            mapM_ changeCapabilities next
        around i body = do
            when (i `mod` 7 == 3) performMinorGC
            when (i `mod` 50 == 9) performMajorGC
            body
    got <- (runDag (inTeam team) around dag `beside` change) `finally` changeCapabilities before
    pure (got === expected dag)

-- | How many nodes run is counted when one begins. The outcomes of predecessors are there then.
limits :: Dag -> TeamOf -> Property
limits dag@(Dag vs) team@(TeamOf n) = ioProperty $ do
    running <- R.newIORef (0 :: Int)
    most <- R.newIORef 0
    log_ <- R.newIORef []
    let add event = R.atomicModifyIORef' log_ (\l -> (event : l, ()))
        around i body = do
            now <- R.atomicModifyIORef' running (\k -> (k + 1, k + 1))
            R.atomicModifyIORef' most (\k -> (max k now, ()))
            add (i, True)
            yield
            spin (i `mod` 3 * 100)
            (body <* yield) `finally` (add (i, False) >> R.atomicModifyIORef' running (\k -> (k - 1, ())))
    _ <- runDag (inTeam team) around dag
    peak <- R.readIORef most
    events <- R.readIORef log_
    let at = Map.fromList (zip (reverse events) [0 :: Int ..])
        ran = [ i | (i, e) <- zip [0 ..] (expected dag), not (skipped e) ]
        inOrder = and [ at Map.! (j, False) < at Map.! (i, True)
                      | (i, v) <- zip [0 ..] vs, i `elem` ran, (_, j) <- needs v, j `elem` ran ]
    pure $ counterexample (show peak) (peak <= n) .&&. inOrder
        .&&. sort (map fst events) === sort (ran ++ ran)
  where
    skipped (Skipped _) = True
    skipped _           = False

-- | No node goes on before all have begun.
together :: Assertion
together = forM_ [1, 2, 4] $ \n -> do
    begun <- replicateM n newEmptyMVar
    let meet i = putMVar (begun !! i) () >> mapM_ readMVar begun
    runGraph defaults { numThreads = Just n } $
        fmap (() <$) (traverse input <$> forM [0 .. n - 1] (\i -> node (show i) (pure ()) (\() -> meet i)))

evaluatedThere :: Assertion
evaluatedThere = do
    got <- runGraph defaults (node "lazy" (pure ()) (\() -> pure (throw (Boom 3) :: Int)) >>= pure . outcome)
    endedBy got @?= Broke 3

needsOutcome :: Assertion
needsOutcome = do
    got <- runGraph defaults { numThreads = Just 2 } $ do
        bad <- node "1" (pure ()) (\() -> throwIO (Boom 1) :: IO Int)
        skipped <- node "skipped" (input bad) pure
        cleanup <- node "cleanup" ((,) <$> outcome bad <*> outcome skipped) (\(a, b) -> pure (map endedBy [a, b]))
        pure (input cleanup)
    got @?= [Broke 1, Skipped "1"]

comesOut :: Assertion
comesOut = do
    ran <- R.newIORef False
    r <- try $ runGraph defaults { numThreads = Just 2 } $ do
        bad <- node "bad" (pure ()) (\() -> throwIO (Boom 7) :: IO Int)
        _ <- node "other" (pure ()) (\() -> R.writeIORef ran True)
        after <- node "after" (input bad) pure
        pure (input after)
    r @?= Left (Boom 7)
    R.readIORef ran >>= (@?= True)

killedNode :: Assertion
killedNode = forM_ [1, 2, 3] $ \n -> do
    never <- newEmptyMVar
    (bad, good) <- runGraph defaults { numThreads = Just n } $ do
        bad <- node "bad" (pure ()) $ \() -> do
            me <- myThreadId
            _ <- forkIO (killThread me)
            takeMVar never :: IO Int
        good <- node "good" (pure 5) pure
        after <- node "after" ((+) <$> input good <*> input bad) pure
        pure ((,) <$> traverse outcome [bad, after] <*> input good)
    map (either show show) bad @?= ["thread killed", "did not run, because bad failed: thread killed"]
    good @?= (5 :: Int)
    putMVar never 0 -- so that it isn't found to be blocked for ever

blockedForEver :: Assertion
blockedForEver = do
    ends <- runGraph defaults { numThreads = Just 2 } $ do
        stuck <- node "stuck" (pure ()) (\() -> newEmptyMVar >>= takeMVar :: IO Int)
        good <- node "good" (pure 5) pure
        pure (traverse outcome [stuck, good])
    map (either show show) ends @?= [show BlockedIndefinitelyOnMVar, "5"]

-- | As many nodes as there are Capabilities, and one more, are in foreign calls until a Haskell thread lets them go.
foreignCalls :: Assertion
foreignCalls = withGate $ \gate -> do
    n <- (+ 1) <$> getNumCapabilities
    opened <- newEmptyMVar
    _ <- forkIO $ do
        until_ "nodes in foreign calls" ((>= n) <$> entered gate)
        putMVar opened ()
        open gate
    _ <- runGraph defaults { numThreads = Just n } $
        traverse input <$> replicateM n (node "call" (pure ()) (\() -> pass gate))
    tryTakeMVar opened >>= (@?= Just ())

processes :: Assertion
processes = do
    out <- runGraph defaults { numThreads = Just 2 } $ do
        parts <- forM ["a", "b", "c"] (\x -> node x (pure x) (\text -> readProcess "echo" ["-n", text] ""))
        whole <- node "whole" (concat <$> traverse input parts) (readProcess "tr" ["a-c", "x-z"])
        pure (input whole)
    filter (/= '\n') out @?= "xyz"

-- --------------------------------------------------------------------------------------------------------------------
-- Exceptions for the caller

-- | The caller is killed by a node, at any of them. Nodes that depend on that one never begin, and each node that has
-- begun is over when the caller has its exception.
killed :: Dag -> TeamOf -> Property
killed dag@(Dag vs) team = not (null vs) ==> forAll (choose (0, length vs - 1)) $ \at -> ioProperty $ do
    begun <- R.newIORef (0 :: Int)
    over <- R.newIORef (0 :: Int)
    never <- newEmptyMVar
    let runs = not (isSkipped (expected dag !! at))
        around caller i body = bracket_ (bump begun) (bump over) $ if i == at
            then forkIO (throwTo caller (Boom (-1))) >> takeMVar never
            else body
    r <- try $ do
        caller <- myThreadId
        runDag (inTeam team) (around caller) dag
    (b, o) <- (,) <$> R.readIORef begun <*> R.readIORef over
    later <- R.readIORef begun
    putMVar never 0
    pure $ counterexample (show (b, o)) (b === o) .&&. later === b
        .&&. either (\e -> (runs, e) === (True, Boom (-1))) (\ends -> (runs, ends) === (False, expected dag)) r
  where
    bump r = R.atomicModifyIORef' r (\k -> (k + 1, ()))
    isSkipped (Skipped _) = True
    isSkipped _           = False

-- | Each process says that it is there, and would sleep for longer than the test may last.
killedProcesses :: Assertion
killedProcesses = forM_ [1, 2, 3] $ \n -> do
    ready <- newEmptyMVar
    handles <- R.newIORef []
    stuck <- R.newIORef []
    caller <- myThreadId
    _ <- forkIO (replicateM_ n (takeMVar ready) >> throwTo caller (Boom 5))
    -- Waiting for the end of the output, and not in waitForProcess: GHC interrupts a foreign call by one signal, which
    -- is lost when it comes right before the system call.
    let process () = bracket start reap $ \(out, child) -> do
            hGetLine out >>= putMVar ready
            rest <- hGetContents out
            length rest `seq` waitForProcess child
        start = do
            (_, Just out, _, child) <- createProcess (shell "echo here; exec sleep 600") { std_out = CreatePipe }
            R.atomicModifyIORef' handles (\l -> (child : l, ()))
            pure (out :: Handle, child)
        -- What the kernel says of a process that does not end: it shall not hide why.
        reap (_, child) = do
            number <- getPid child
            terminateProcess child
            over <- ends 6000 child
            unless over $ forM_ number $ \p -> do
                status <- readFile ("/proc/" ++ show p ++ "/status")
                R.atomicModifyIORef' stuck (\l -> (status : l, ()))
        ends :: Int -> ProcessHandle -> IO Bool
        ends tries child = getProcessExitCode child >>= \code -> case code of
            Just _  -> pure True
            Nothing -> if tries == 0 then pure False else threadDelay 10000 >> ends (tries - 1) child
    r <- try $ runGraph defaults { numThreads = Just n } $
        traverse input <$> replicateM (n + 3) (node "sleep" (pure ()) process)
    either (@?= Boom 5) (\codes -> assertFailure ("not interrupted: " ++ show codes)) r
    R.readIORef stuck >>= mapM_ (assertFailure . ("a process does not end:\n" ++))
    children <- R.readIORef handles
    length children @?= n
    codes <- mapM getProcessExitCode children
    assertBool "reaped" (all (/= Nothing) codes)

maskedCaller :: Assertion
maskedCaller = do
    begun <- newEmptyMVar
    thrown <- newEmptyMVar
    result <- R.newIORef Nothing
    caller <- myThreadId
    _ <- forkIO (takeMVar begun >> forkIO (throwTo caller (Boom 2)) >> yield >> putMVar thrown ())
    r <- try $ mask_ $ runGraph defaults { numThreads = Just 2 } (do
        a <- node "a" (pure ()) (\() -> putMVar begun () >> takeMVar thrown >> pure 'a')
        b <- node "b" (input a) (\x -> pure [x, 'b'])
        pure (input b)) >>= R.writeIORef result . Just
    -- The exception may come right after the mask, or some moments later.
    either (@?= Boom 2) (\() -> (newEmptyMVar >>= takeMVar) `catch` (@?= Boom 2)) (r :: Either Boom ())
    R.readIORef result >>= (@?= Just "ab")

-- --------------------------------------------------------------------------------------------------------------------
-- Many

nested :: Dag -> Dag -> TeamOf -> TeamOf -> Property
nested (Dag outer) inner team innerTeam = ioProperty $ do
    let few = Dag (take 12 outer)
        settings = (inTeam team) { maxActiveLevels = Just 2 }
        around _ body = do
            ends <- runDag (inTeam innerTeam) (const id) inner
            if ends == expected inner then body else pure (-1)
    got <- runDag settings around few
    pure (got === expected few)

concurrently :: Assertion
concurrently = do
    dags <- generate (vectorOf 6 arbitrary)
    dones <- forM dags $ \dag -> do
        done <- newEmptyMVar
        _ <- forkIO (try (runDag defaults { numThreads = Just 2 } (const (<* yield)) dag) >>= putMVar done)
        pure done
    forM_ (zip dags dones) $ \(dag, done) ->
        takeMVar done >>= either (\e -> throwIO (e :: SomeException)) (@?= expected dag)

-- --------------------------------------------------------------------------------------------------------------------
-- Graphs that are built once

-- | The graph as one of its argument, which is added to each node's own number.
shiftedBy :: Int -> Dag -> Dag
shiftedBy k (Dag vs) = Dag (map (shifted k) vs)

shifted :: Int -> Vertex -> Vertex
shifted k v = case behaviour v of
    Adds x -> v { behaviour = Adds (x + k) }
    Throws -> v

describeOf :: (Int -> IO Int -> IO Int) -> Dag -> Inputs s Int -> Graph s (Inputs s [Ended])
describeOf around (Dag vs) by = do
    amount <- node "argument" by pure
    traverse (fmap endedBy . outcome) <$> go amount 0 Map.empty vs
  where
    go :: Node s Int -> Int -> Map.Map Int (Node s Int) -> [Vertex] -> Graph s [Node s Int]
    go _ _ made [] = pure (Map.elems made)
    go amount i made (v : rest) = do
        new <- node (show i) ((,) <$> input amount <*> (sum <$> traverse (edge made) (needs v))) $ \(k, got) ->
            around i (work i (shifted k v) got)
        go amount (i + 1) (Map.insert i new made) rest
    edge made (Result, j) = input (made Map.! j)
    edge made (End, j)    = weight . endedBy <$> outcome (made Map.! j)

onceMore :: Dag -> [TeamOf] -> Property
onceMore dag teams = ioProperty $ do
    built <- buildGraph (describeOf (const id) dag)
    conjoin <$> forM (zip [0 ..] (take 5 teams)) (\(k, team) ->
        (=== expected (shiftedBy k dag)) <$> runBuilt (inTeam team) built k)

againInOrder :: Dag -> TeamOf -> Property
againInOrder dag@(Dag vs) team = ioProperty $ do
    log_ <- R.newIORef []
    let add event = R.atomicModifyIORef' log_ (\l -> (event : l, ()))
    built <- buildGraph (describeOf (\i body -> (add (i, True) >> body) `finally` add (i, False)) dag)
    conjoin <$> forM [1 .. 4 :: Int] (\_ -> do
        R.writeIORef log_ []
        _ <- runBuilt (inTeam team) built 0
        events <- R.readIORef log_
        let at = Map.fromList (zip (reverse events) [0 :: Int ..])
            ran = [ i | (i, e) <- zip [0 ..] (expected dag), not (skipped e) ]
            inOrder = and [ at Map.! (j, False) < at Map.! (i, True)
                          | (i, v) <- zip [0 ..] vs, i `elem` ran, (_, j) <- needs v, j `elem` ran ]
        pure (inOrder .&&. sort (map fst events) === sort (ran ++ ran)))
  where
    skipped (Skipped _) = True
    skipped _           = False

overlapping :: Assertion
overlapping = do
    dag <- generate (resize 40 arbitrary)
    built <- buildGraph (describeOf (const (<* yield)) dag)
    dones <- forM [1 .. 8] $ \k -> do
        done <- newEmptyMVar
        let runs = forM [1 .. 5] (\j -> runBuilt defaults { numThreads = Just 2 } built (k * j))
        _ <- forkIO (try runs >>= putMVar done)
        pure (k, done)
    forM_ dones $ \(k, done) -> takeMVar done >>=
        either (\e -> throwIO (e :: SomeException)) (@?= [ expected (shiftedBy (k * j) dag) | j <- [1 .. 5] ])

-- | Factorials: each level of the recursion has nodes of its own.
recursive :: Assertion
recursive = do
    self <- newEmptyMVar
    built <- buildGraph $ \n -> do
        below <- node "below" n $ \k -> if k == 0 then pure 1 else do
            me <- readMVar self
            runBuilt defaults { numThreads = Just 2 } me (k - 1)
        input <$> node "product" ((,) <$> n <*> input below) (\(k, x) -> pure (max 1 k * x))
    putMVar self built
    got <- mapM (runBuilt defaults built) [0 .. 6]
    got @?= scanl (*) 1 [1 .. 6 :: Int]

againAfterKill :: Dag -> TeamOf -> Property
againAfterKill dag@(Dag vs) team = not (null vs) ==> forAll (choose (0, length vs - 1)) $ \at -> ioProperty $ do
    kills <- R.newIORef Nothing
    never <- newEmptyMVar
    let around i body = do
            caller <- R.readIORef kills
            case caller of
                Just thread | i == at -> forkIO (throwTo thread (Boom (-1))) >> takeMVar never
                _                     -> body
    built <- buildGraph (describeOf around dag)
    conjoin <$> forM [False, True, False, True, False] (\kill -> do
        caller <- myThreadId
        R.writeIORef kills (if kill then Just caller else Nothing)
        r <- try (runBuilt (inTeam team) built 3)
        let whole = expected (shiftedBy 3 dag)
            dies = kill && case whole !! at of { Skipped _ -> False; _ -> True }
        pure (either (\e -> (dies, e) === (True, Boom (-1))) (\ends -> (dies, ends) === (False, whole)) r))
        <* putMVar never 0

againEmpty :: Assertion
againEmpty = do
    built <- buildGraph (\x -> pure ((+ 1) <$> x))
    mapM (runBuilt defaults built) [1, 2 :: Int] >>= (@?= [2, 3])

chain :: Assertion
chain = forM_ [1, 2, 4] $ \n -> do
    got <- runGraph defaults { numThreads = Just n } $ do
        first <- node "first" (pure 0) pure
        input <$> foldM (\before i -> node "next" (input before) (\x -> pure $! x + i)) first [1 .. 10000 :: Int]
    got @?= 50005000

wide :: Assertion
wide = forM_ [1, 3] $ \n -> do
    got <- runGraph defaults { numThreads = Just n } $ do
        one <- node "one" (pure 1) pure
        leaves <- forM [1 .. 10000 :: Int] (\i -> node "leaf" (input one) (\x -> pure $! x * i))
        whole <- node "whole" (sum <$> traverse input leaves) pure
        pure (input whole)
    got @?= 50005000

-- | A cycle in a graph that had none: along a path, back from its end to its beginning.
cycles :: Dag -> Property
cycles (Dag vs) = forAll (choose (1, 8)) $ \len -> ioProperty $ do
    ran <- R.newIORef False
    let n = length vs
        plain = Map.fromList [ (i, map snd (needs v)) | (i, v) <- zip [0 ..] vs ]
        ring = Map.fromList [ (n + k, [n + (k + 1) `mod` len]) | k <- [0 .. len - 1] ]
        act _ _ = R.writeIORef ran True
    r <- try (runGraph defaults
        (fmap (() <$) (traverse input <$> keyedNodes show (Map.union plain ring) act)))
    began <- R.readIORef ran
    pure $ case r of
        Right () -> counterexample "no error" False
        Left (ErrorCall text) -> counterexample text $
            "OpenMP.Graph.keyedNodes: the dependences have a cycle: " `isInfixOf` text
            && length (filter (== "needs") (words text)) == len && length (lines text) == 1 && not began

badSettings :: Assertion
badSettings = do
    r <- try (runGraph defaults { numThreads = Just 0 } (input <$> node "n" (pure 'x') pure))
    r @?= Left (ErrorCall
        "OpenMP.Graph.runGraph: numThreads = 0: a team has at least 1 thread and at most 2147483647")

unknownKey :: Assertion
unknownKey = do
    r <- try (runGraph defaults (traverse input <$> keyedNodes id (Map.fromList [("a", ["b"])]) (\_ _ -> pure ())))
    either (\(ErrorCall text) -> text @?= "OpenMP.Graph.keyedNodes: a needs b, which is not in the map")
        (const (assertFailure "no error")) r
