{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- Each node is a safe point, also where its action does not allocate.
{-# OPTIONS_GHC -fno-omit-yields #-}
-- |
-- Module:      OpenMP.Internal.Replay
-- Description: Running graphs of actions that are known beforehand
--
-- The mechanism below "OpenMP.Graph", and the Haskell counterpart of @cbits\/core\/task\/task_graph_run.c@. The
-- interface is not stable.
--
-- A t'Plan' has the nodes with the edges in arrays of numbers, so a run of it makes no tasks and looks nothing up: each
-- node has a counter of the predecessors that are not over, and the one that makes it zero has the node.
--
-- A thread that /walks/ runs a node, then one of those that have become ready by it; it puts the others into its box,
-- from where it also takes the next node when none has become ready. While its box has nodes, there is a task in the
-- thread's deque, the walk's /offer/: a thread of the team that has nothing to do runs it, takes the older half of the
-- box, and walks from there. So every ready node is there for a thread that has nothing to do, since a node may wait
-- for what another one does. The team's region is over when all walks are, at the end of its tasks.
--
-- Tests: @test\/hs\/library\/GraphTest.hs@.
module OpenMP.Internal.Replay
    ( Plan
    , Planned (..)
    , planOf
    , replayOf
    ) where

import Control.Exception (ErrorCall (..), mask_, throwIO)
import Control.Monad (forM_, unless, when)
import qualified Data.IORef as R
import Data.Primitive.Array (Array, arrayFromListN, indexArray)
import Data.Primitive.ByteArray
import GHC.Exts (Int (..), RealWorld, fetchSubIntArray#)
import GHC.IO (IO (..))

import OpenMP.Internal.Region
import OpenMP.Internal.Settings (Settings)
import OpenMP.Internal.Task (offerOf, tasksOf)
import OpenMP.Internal.Team

-- | A node: the numbers of its predecessors, which come earlier in the list and each of which it has once, and what it
-- does. The action has exceptions masked, and gets what restores the masking state of the region's bodies.
data Planned = Planned [Int] (Unmask -> IO ())

-- | A graph of nodes, which runs of it only read.
data Plan = Plan
    { planCount  :: !Int
    , planNeeds  :: !ByteArray            -- ^ by node: the number of its predecessors
    , planBegin  :: !ByteArray            -- ^ by node, and for one more: where its successors begin in ...
    , planAfter  :: !ByteArray            -- ^ ... the successors of all nodes
    , planRoots  :: !Ready
    , planAction :: !(Array (Unmask -> IO ()))
    }

-- | Ready nodes, the youngest first, with their number.
data Ready = None | Ready !Int !Int Ready

sizeOf :: Ready -> Int
sizeOf None           = 0
sizeOf (Ready n _ _) = n

(+:) :: Int -> Ready -> Ready
i +: ready = Ready (sizeOf ready + 1) i ready
infixr 5 +:

-- | The plan of nodes with the numbers 0, 1 and so on.
planOf :: [Planned] -> IO Plan
planOf nodes = do
    needs <- numbers count
    begin <- numbers (count + 1)
    forM_ (zip [0 ..] nodes) $ \(i, Planned from _) -> do
        writeByteArray needs i (length from)
        forM_ from $ \j -> readByteArray begin (j + 1) >>= writeByteArray begin (j + 1) . (+ (1 :: Int))
    forM_ [1 .. count] $ \i -> do
        before <- readByteArray begin (i - 1)
        readByteArray begin i >>= writeByteArray begin i . (+ (before :: Int))
    next <- numbers count
    copyMutableByteArray next 0 begin 0 (count * word)
    edges <- readByteArray begin count
    after <- numbers edges
    forM_ (zip [0 ..] nodes) $ \(i, Planned from _) -> forM_ from $ \j -> do
        at <- readByteArray next j
        writeByteArray after at (i :: Int)
        writeByteArray next j (at + 1)
    let roots = foldr (+:) None [ i | (i, Planned [] _) <- zip [0 ..] nodes ]
        !actions = arrayFromListN count [ run | Planned _ run <- nodes ]
    (\n b a -> Plan count n b a roots actions)
        <$> unsafeFreezeByteArray needs <*> unsafeFreezeByteArray begin <*> unsafeFreezeByteArray after
  where
    count = length nodes

word :: Int
word = 8

-- | So many zeros.
numbers :: Int -> IO (MutableByteArray RealWorld)
numbers n = do
    made <- newByteArray (n * word)
    made <$ setByteArray made 0 n (0 :: Int)

-- | A run.
data Run s = Run
    { runTeam_ :: !(Team s)
    , runPlan  :: !Plan
    , runLeft  :: !(MutableByteArray RealWorld) -- ^ by node: predecessors that are not over (fetchSub; a full barrier)
    , runOver  :: !(R.IORef Int)                -- ^ how many nodes are over, of walks that are over
    , runName  :: String
    }

-- | A walk, as other threads see it.
data Walk = Walk
    { walkBox     :: !(R.IORef Ready) -- ^ taken from by other threads, too: only atomicModify after it is shared
    , walkOffered :: !(R.IORef Bool)  -- ^ its offer has not begun. A hint: of two offers one finds nothing
    }

-- | Runs all nodes of the plan, which has at least one, in a region of its own. For a function of any module,
-- @Module.function@, which an error names.
replayOf :: String -> Settings -> Plan -> IO ()
replayOf name settings plan = do
    left <- newByteArray (planCount plan * word)
    copyByteArray left 0 (planNeeds plan) 0 (planCount plan * word)
    over <- R.newIORef 0
    tasksOf name settings $ \team -> mask_ (walkFrom (Run team plan left over name) (planRoots plan))
    n <- R.readIORef over
    when (n /= planCount plan) $
        throwIO (ErrorCall ("OpenMP." ++ name ++ ": C code has cancelled the region before all nodes had run"))

walkFrom :: Run s -> Ready -> IO ()
walkFrom run ready = do
    walk <- Walk <$> R.newIORef ready <*> R.newIORef False
    over <- walkOn run walk
    R.atomicModifyIORef' (runOver run) (\n -> (n + over, ()))

-- | Runs nodes until none is left to the walk; returns how many.
walkOn :: Run s -> Walk -> IO Int
walkOn run (Walk box offered) = next 0
  where
    plan = runPlan run
    self = teamMember (runTeam_ run)
    next !over = do
        taken <- R.atomicModifyIORef' box $ \ready -> case ready of
            Ready _ i rest -> (rest, i)
            None           -> (None, -1)
        if taken < 0 then pure over else go over taken
    go !over !i = do
        when (teamSize (runTeam_ run) > 1) (offerIfAny run (Walk box offered))
        on <- checkpoint self
        if not on then pure over else do
            indexArray (planAction plan) i (memberUnmask self)
            (first, others) <- tell run i
            unless (sizeOf others == 0) (R.atomicModifyIORef' box (\ready -> (others `onto` ready, ())))
            if first < 0 then next (over + 1) else go (over + 1) first

onto :: Ready -> Ready -> Ready
onto None below             = below
onto (Ready _ i rest) below = i +: (rest `onto` below)

-- | Tells the successors of a node that it is over: the first one that is ready now (-1: none), and the others.
tell :: Run s -> Int -> IO (Int, Ready)
tell run i = from begin (-1) None
  where
    plan = runPlan run
    begin = indexByteArray (planBegin plan) i
    end = indexByteArray (planBegin plan) (i + 1) :: Int
    from !at !first others
        | at == end = pure (first, others)
        | otherwise = do
            let to = indexByteArray (planAfter plan) at
            before <- fetchSub (runLeft run) to
            if before /= 1 then from (at + 1) first others
                else if first < 0 then from (at + 1) to others
                else from (at + 1) first (to +: others)

fetchSub :: MutableByteArray RealWorld -> Int -> IO Int
fetchSub (MutableByteArray array) (I# at) = IO $ \s -> case fetchSubIntArray# array at 1# s of
    (# s', before #) -> (# s', I# before #)

-- | Sees to it that the nodes in the walk's box have an offer. Without room for one the thread tries again at its next
-- node: its deque has tasks for others then.
offerIfAny :: Run s -> Walk -> IO ()
offerIfAny run walk = do
    lies <- R.readIORef (walkOffered walk)
    unless lies $ do
        ready <- R.readIORef (walkBox walk)
        when (sizeOf ready > 0) $ do
            R.writeIORef (walkOffered walk) True
            made <- offerOf (runName run) (runTeam_ run) (accept run walk)
            unless made (R.writeIORef (walkOffered walk) False)

-- | The task of an offer. What it leaves in the box is for the next thread.
accept :: Run s -> Walk -> IO ()
accept run walk = do
    R.writeIORef (walkOffered walk) False
    taken <- R.atomicModifyIORef' (walkBox walk) olderHalf
    offerIfAny run walk
    unless (sizeOf taken == 0) (walkFrom run taken)

olderHalf :: Ready -> (Ready, Ready)
olderHalf ready = split (sizeOf ready `quot` 2) ready
  where
    split 0 older            = (None, older)
    split k (Ready _ i rest) = let (younger, older) = split (k - 1) rest in (i +: younger, older)
    split _ None             = (None, None)
