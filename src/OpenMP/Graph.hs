{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE RoleAnnotations #-}
-- |
-- Module:      OpenMP.Graph
-- Description: Dataflow graphs of actions
--
-- A dataflow graph: nodes are actions, and the results of some are the inputs of others. A node runs as soon as its
-- inputs are there, on any thread of a team, and as many nodes run at a time as the team has threads. A node that
-- throws an exception fails. Its successors, those that depend on it, then don't run; all others do.
--
-- A graph is described first, in the t'Graph' monad, and then run:
--
-- >>> :{
-- runGraph defaults { numThreads = Just 2 } $ do
--     width  <- node "width"  (pure ())  (\() -> pure 6)
--     height <- node "height" (pure ())  (\() -> pure 7)
--     area   <- node "area"   ((,) <$> input width <*> input height)  (\(w, h) -> pure (w * h))
--     pure (input area)
-- :}
-- 42
--
-- A graph that is to run more than once is built once ('buildGraph') and run as often as it is needed ('runBuilt'),
-- with another argument each time:
--
-- >>> :{
-- do  area <- buildGraph $ \size -> do
--         width  <- node "width"  (fst <$> size)  (\w -> pure (w + 1))
--         height <- node "height" (snd <$> size)  (\h -> pure (h + 1))
--         fmap input (node "area" ((,) <$> input width <*> input height) (\(w, h) -> pure (w * h)))
--     mapM (runBuilt defaults { numThreads = Just 2 } area) [(1, 2), (5, 6), (9, 9)]
-- :}
-- [6,42,100]
--
-- == How it works
--
-- A graph is built as arrays of nodes and edges ("OpenMP.Internal.Replay"). A run is a region of tasks
-- ('OpenMP.Parallel.parallelTasks') whose threads walk along the edges: each node counts its predecessors that are not
-- over, and a thread that ends a node continues with one that has become ready by it. A node can only name nodes that
-- are there already, because t'Graph' has no @MonadFix@, so no cycle can be described. 'keyedNodes' makes the nodes of
-- a graph that comes as data, in an order that it finds itself; there it reports a cycle.
--
-- A node writes its outcome into a variable that its successors read. The counters order the two.
--
-- == Nodes that block
--
-- A node may block on an 'Control.Concurrent.MVar.MVar', or in a @safe@ foreign call: while it waits for another
-- process, for example. It keeps one of the team's threads, but no Capability. So for nodes that mostly wait,
-- 'numThreads' may be larger than the number of Capabilities. A node that waits for a process can be interrupted while
-- it reads the process's output to the end. In @waitForProcess@, an @interruptible@ call, it may miss the interrupt:
-- GHC sends one signal, which is lost when it comes right before the system call.
--
-- == Exceptions
--
-- Any exception that a node's action does not catch is the node's own failure, also one that another thread has thrown
-- to the thread that runs the action. An asynchronous exception for the thread that called 'runGraph' ends all
-- of it: no further node begins, those that run are interrupted (their brackets release what they hold), and when all
-- have ended the exception comes out of 'runGraph'. A lazy value that needs the graph cannot be resumed after that: the
-- region is one of tasks, and evaluating the value again throws @RegionInterrupted@.
--
-- Tests: @test\/hs\/library\/GraphTest.hs@.
module OpenMP.Graph
    ( -- * Describing a graph
      Graph
    , Node
    , nodeName
    , node
    , keyedNodes
      -- * Inputs
    , Inputs
    , input
    , outcome
      -- * Running it
    , runGraph
      -- * Running it again
    , Built
    , buildGraph
    , runBuilt
      -- * Failures
    , PredecessorFailed (..)
    ) where

import Control.Exception
import Control.Monad (ap, foldM)
import Data.Graph (SCC (..), stronglyConnComp)
import qualified Data.IORef as R
import Data.List (intercalate)
import qualified Data.Map.Strict as Map
import qualified Data.Set as Set
import OpenMP.Internal.Region (RegionCancelled (..), Unmask, unmasked)
import OpenMP.Internal.Replay
import OpenMP.Internal.Watch (Interrupt (..))
import OpenMP.Settings

-- | The description of a graph. Its actions add nodes to it. The parameter @s@ keeps the nodes of different graphs
-- apart, like that of 'Control.Monad.ST.ST'.
--
-- >>> let constant name x = node name (pure ()) (\() -> pure x) :: Graph s (Node s Int)
-- >>> runGraph defaults (input <$> constant "one" 1)
-- 1
--
-- @since 0.1.0.0
newtype Graph s a = Graph (R.IORef Made -> IO a)

type role Graph nominal representational

instance Functor (Graph s) where
    fmap f (Graph build) = Graph (fmap f . build)

instance Applicative (Graph s) where
    pure x = Graph (\_ -> pure x)
    (<*>) = ap

instance Monad (Graph s) where
    Graph build >>= next = Graph $ \plan -> do
        x <- build plan
        let Graph rest = next x
        rest plan

-- | A node of a graph, with an action whose result is of type @a@.
--
-- >>> let successor n = node "successor" (input n) (pure . succ)
-- >>> runGraph defaults (node "letter" (pure 'a') pure >>= successor >>= pure . input)
-- 'b'
--
-- @since 0.1.0.0
data Node s a = Node !Int String !(R.IORef (Maybe (Outcome a)))

type role Node nominal representational

-- | The name that a node was given. It is for messages; several nodes may have the same one.
--
-- >>> runGraph defaults (node "n" (pure ()) pure >>= \n -> pure (pure (nodeName n)))
-- "n"
--
-- @since 0.1.0.0
nodeName :: Node s a -> String
nodeName (Node _ name _) = name

-- | How a node has ended.
data Outcome a
    = Done a
    | Failed SomeException      -- ^ its own
    | NotRun PredecessorFailed

-- | The nodes so far, and how many they are: the number of the next one. The youngest node comes first. With what
-- empties each node's variable.
data Made = Made !Int [Planned] [IO ()]

-- | What a node gets from others: values that come from the results of any number of nodes, the node's predecessors.
-- 'pure' needs none.
--
-- >>> let sumOf nodes = sum <$> traverse input nodes
-- >>> runGraph defaults (sumOf <$> mapM (\i -> node "i" (pure i) pure) [1 .. 10])
-- 55
--
-- @since 0.1.0.0
data Inputs s a = Inputs (Set.Set Int) (IO (Either PredecessorFailed a))

type role Inputs nominal representational

instance Functor (Inputs s) where
    fmap f (Inputs from look) = Inputs from (fmap (fmap f) look)

instance Applicative (Inputs s) where
    pure x = Inputs Set.empty (pure (Right x))
    Inputs from look <*> Inputs from' look' = Inputs (Set.union from from') $
        look >>= either (pure . Left) (\f -> fmap (fmap f) look')

-- | The result of a node. If that node fails, or does not run because of another one's failure, so does the node that
-- has this input.
--
-- >>> runGraph defaults (input <$> node "n" (pure 'x') pure)
-- 'x'
--
-- @since 0.1.0.0
input :: Node s a -> Inputs s a
input (Node number name cell) = Inputs (Set.singleton number) $ do
    end <- ended cell
    pure $ case end of
        Done x        -> Right x
        Failed e      -> Left (PredecessorFailed name e)
        NotRun reason -> Left reason

-- | How a node ended: its result, its exception, or a t'PredecessorFailed'. A node with this input runs in any case,
-- when the other one is over. The results of all nodes:
--
-- >>> :{
-- runGraph defaults $ do
--     good  <- node "good"  (pure 1) pure
--     bad   <- node "bad"   (input good) (\_ -> ioError (userError "broken") :: IO Int)
--     after <- node "after" (input bad) pure
--     pure (traverse (fmap (either show show) . outcome) [good, bad, after])
-- :}
-- ["1","user error (broken)","did not run, because bad failed: user error (broken)"]
--
-- @since 0.1.0.0
outcome :: Node s a -> Inputs s (Either SomeException a)
outcome (Node number _ cell) = Inputs (Set.singleton number) $ do
    end <- ended cell
    pure $ Right $ case end of
        Done x        -> Right x
        Failed e      -> Left e
        NotRun reason -> Left (toException reason)

ended :: R.IORef (Maybe (Outcome a)) -> IO (Outcome a)
ended cell = R.readIORef cell >>= maybe (throwIO (ErrorCall cancelled)) pure
  where
    cancelled = "OpenMP.Graph.runGraph: C code has cancelled the region before all nodes had run"

-- | A node did not run, because another node failed that it depends on, directly or by way of others.
--
-- >>> import Control.Exception
-- >>> show (PredecessorFailed "parse" (toException (userError "no file")))
-- "did not run, because parse failed: user error (no file)"
--
-- @since 0.1.0.0
data PredecessorFailed = PredecessorFailed
    { failedNode :: String         -- ^ the name of the node that failed
    , failure    :: SomeException  -- ^ its exception
    }

instance Show PredecessorFailed where
    -- GHC 9.10 adds where it was thrown to the text of a 'SomeException', and not to that of what is in it.
    showsPrec _ (PredecessorFailed name (SomeException e)) =
        showString "did not run, because " . showString name . showString " failed: " . showString (displayException e)

instance Exception PredecessorFailed

-- | @node name inputs action@ adds a node that runs @action@ with the values of its inputs. The result is evaluated to
-- weak head normal form in the node.
--
-- >>> runGraph defaults (input <$> node "length" (pure "abc") (pure . length))
-- 3
--
-- @since 0.1.0.0
node :: String -> Inputs s a -> (a -> IO b) -> Graph s (Node s b)
node name (Inputs from look) action = Graph $ \plan -> do
    cell <- R.newIORef Nothing
    Made number nodes empty <- R.readIORef plan
    let run restore = look
            >>= either (pure . NotRun) (\x -> attempted restore (action x >>= evaluate))
            >>= R.writeIORef cell . Just
    R.writeIORef plan $!
        Made (number + 1) (Planned (Set.toList from) run : nodes) (R.writeIORef cell Nothing : empty)
    pure (Node number name cell)

-- | What becomes of a node by an action. What ends the whole region is not the action's own failure.
attempted :: Unmask -> IO a -> IO (Outcome a)
attempted restore action = do
    end <- try (unmasked restore action)
    case end of
        Right x -> pure (Done x)
        Left e
            | Just RegionCancelled <- fromException e -> throwIO e
            | Just (Interrupt _) <- fromException e   -> throwIO e
            | otherwise                               -> pure (Failed e)

-- | A node for each key of a map, which has the keys of its predecessors: a graph that comes as data. The action gets
-- the key and the predecessors' results, in the order of their list. The first argument makes a node's name of its key.
--
-- >>> import qualified Data.Map as Map
-- >>> let imports = Map.fromList [("main", ["parse", "show"]), ("parse", ["type"]), ("show", ["type"]), ("type", [])]
-- >>> let height _ below = pure (1 + maximum (0 : below)) :: IO Int
-- >>> runGraph defaults (traverse input <$> keyedNodes id imports height)
-- fromList [("main",3),("parse",2),("show",2),("type",1)]
--
-- A cycle is an t'ErrorCall', and so is a key that is not in the map. No node has run then:
--
-- >>> let loop = Map.fromList [(1, [2]), (2, [3]), (3, [2])] :: Map.Map Int [Int]
-- >>> runGraph defaults (traverse input <$> keyedNodes show loop height)
-- *** Exception: OpenMP.Graph.keyedNodes: the dependences have a cycle: 2 needs 3 needs 2
--
-- @since 0.1.0.0
keyedNodes :: Ord k => (k -> String) -> Map.Map k [k] -> (k -> [a] -> IO a) -> Graph s (Map.Map k (Node s a))
keyedNodes name needs action = foldM add Map.empty (stronglyConnComp [ (k, k, from) | (k, from) <- Map.toList needs ])
  where
    add _ (CyclicSCC keys) =
        refuse ("the dependences have a cycle: " ++ intercalate " needs " (map name (cycleIn keys)))
    add made (AcyclicSCC k) = do
        from <- mapM (predecessor made k) (needs Map.! k)
        new <- node (name k) (traverse input from) (action k)
        pure (Map.insert k new made)
    predecessor made k from = case Map.lookup from made of
        Just known -> pure known
        Nothing    -> refuse (name k ++ " needs " ++ name from ++ ", which is not in the map")
    -- From any key of the component along predecessors inside of it, until one comes again.
    cycleIn keys = concatMap (walk []) (take 1 keys)
      where
        inside = Set.fromList keys
        walk before k
            | k `elem` before = k : reverse (k : takeWhile (/= k) before)
            | otherwise       = concatMap (walk (k : before)) (take 1 (filter (`Set.member` inside) (needs Map.! k)))
    refuse text = Graph (\_ -> throwIO (ErrorCall ("OpenMP.Graph.keyedNodes: " ++ text)))

-- | Runs a graph in a region of its own, and returns the values of the inputs that the description returns, when all
-- nodes are over: those with results, and those that failed or did not run. If one of the inputs is a node that failed
-- or depends on one that failed, the exception of the node that failed comes out. The settings are those of the region:
-- 'numThreads' is the most nodes that run at a time.
--
-- >>> runGraph defaults { numThreads = Just 2 } (input <$> node "n" (pure "oh") (ioError . userError))
-- *** Exception: user error (oh)
--
-- @since 0.1.0.0
runGraph :: Settings -> (forall s. Graph s (Inputs s a)) -> IO a
runGraph settings description = instanceOf (const description) >>= runIn "Graph.runGraph" settings ()

-- | A graph that has been built, with an argument and a result.
--
-- >>> twice <- buildGraph (\x -> input <$> node "twice" x (pure . (* 2)))
-- >>> runBuilt defaults twice 21
-- 42
--
-- @since 0.1.0.0
data Built a b = Built (IO (Instance a b)) (R.IORef [Instance a b]) -- those that do not run

-- | A graph's nodes with the variables for their outcomes. One run at a time has them.
data Instance a b = Instance
    { argument :: !(R.IORef (Maybe a))
    , nodesOf  :: !(Maybe Plan)  -- ^ 'Nothing': there are none
    , results  :: IO (Either PredecessorFailed b)
    , cleared  :: IO ()          -- ^ forgets the outcomes and the argument
    }

-- | Builds a graph, once for many runs. The inputs that the description gets are the argument of each run. Unless the
-- description has effects of its own ('Control.Monad.ST.Unsafe.unsafeIOToST' and its like), it makes no difference how
-- often it is built: runs that overlap in time build the graph once more, so several threads may run one at the same
-- time, and a node may run the graph that it is in.
--
-- >>> sumTo <- buildGraph (\n -> input <$> node "sum" n (\k -> pure (sum [1 .. k])))
-- >>> mapM (runBuilt defaults sumTo) [10, 100]
-- [55,5050]
--
-- @since 0.1.0.0
buildGraph :: (forall s. Inputs s a -> Graph s (Inputs s b)) -> IO (Built a b)
buildGraph description = do
    first <- instanceOf description
    Built (instanceOf description) <$> R.newIORef [first]

-- | Runs a graph that has been built, as 'runGraph' does. Between runs no results are kept.
--
-- >>> checked <- buildGraph (\x -> input <$> node "checked" x (\n -> if n > 9 then fail "too large" else pure n))
-- >>> runBuilt defaults checked 7
-- 7
-- >>> runBuilt defaults checked 10
-- *** Exception: user error (too large)
--
-- @since 0.1.0.0
runBuilt :: Settings -> Built a b -> a -> IO b
runBuilt settings (Built make idle) x = do
    found <- R.atomicModifyIORef' idle $ \all_ -> case all_ of
        one : rest -> (rest, Just one)
        []         -> ([], Nothing)
    one <- maybe make pure found
    -- After an exception from here the instance is not used again: it may be in any state.
    end <- runWith "Graph.runBuilt" settings x one
    cleared one
    R.atomicModifyIORef' idle (\rest -> (one : rest, ()))
    returned end

instanceOf :: (forall s. Inputs s a -> Graph s (Inputs s b)) -> IO (Instance a b)
instanceOf description = do
    given <- R.newIORef Nothing
    plan <- R.newIORef (Made 0 [] [])
    let looked = R.readIORef given >>= maybe (throwIO (ErrorCall "OpenMP.Graph: no argument")) (pure . Right)
    Inputs _ look <- described plan (description (Inputs Set.empty looked))
    Made count nodes empty <- R.readIORef plan
    planned <- if count == 0 then pure Nothing else Just <$> planOf (reverse nodes)
    pure (Instance given planned look (R.writeIORef given Nothing >> sequence_ empty))
  where
    described plan (Graph build) = build plan

runWith :: String -> Settings -> a -> Instance a b -> IO (Either PredecessorFailed b)
runWith name settings x one = do
    R.writeIORef (argument one) (Just x)
    mapM_ (replayOf name settings) (nodesOf one)
    results one

runIn :: String -> Settings -> a -> Instance a b -> IO b
runIn name settings x one = runWith name settings x one >>= returned

returned :: Either PredecessorFailed b -> IO b
returned = either (throwIO . failure) pure
