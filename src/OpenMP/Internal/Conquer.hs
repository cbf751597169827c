{-# LANGUAGE RankNTypes #-}
-- |
-- Module:      OpenMP.Internal.Conquer
-- Description: Problems that are divided into tasks, as lazy values
--
-- The interface is not stable.
--
-- == The protocol
--
-- A region of tasks cannot be resumed after an interruption ("OpenMP.Internal.Region"), but a pure problem can be
-- begun again. Finished work must not be lost: each problem is a cell with one of the states of @Progress@, below. Only
-- the task of the problem changes its cell, and the next region finds there what the last one has reached.
--
-- A solution is in its cell before it is evaluated. So an interrupted evaluation is resumed. When a problem is solved
-- its parts are dropped: only the problems under way, their neighbours, and solutions that have not been combined yet
-- are alive.
--
-- Exceptions of the functions belong to the value, as in the same functions without threads: a problem that cannot be
-- divided has a solution that throws.
--
-- Callers: "OpenMP.Eval". Tests: @test\/hs\/library\/EvalTest.hs@.
module OpenMP.Internal.Conquer
    ( Problem (..)
    , conquer
    ) where

import Control.Exception (allowInterrupt, catch, fromException, throw)
import Control.Monad (forM_, unless)
import qualified Data.IORef as R

import OpenMP.Internal.Force
import OpenMP.Internal.Region (RegionInterrupted (..))
import OpenMP.Internal.Task (task, tasksOf, taskwait)
import OpenMP.Internal.Team (Team)
import OpenMP.Settings

-- | How problems are divided, solved and put together.
data Problem a b = Problem
    { divided  :: a -> Maybe [a]    -- ^ its parts; 'Nothing' when it is to be solved at once
    , solved   :: a -> b
    , combined :: a -> [b] -> b
    , rated    :: b -> ()           -- ^ evaluates a solution as far as it is wanted
    }

type Cell a b = R.IORef (Progress a b)

data Progress a b
    = Whole a
    | Divided a [Cell a b]
    | Under b                -- ^ its evaluation has begun, perhaps
    | Over b

-- | The solution of a problem, by the tasks of a region.
--
-- >>> import OpenMP
-- >>> let halves n = if n < 10 then Nothing else Just [n `div` 2, n - n `div` 2]
-- >>> conquer defaults (Problem halves id (const sum) (`seq` ())) (1000 :: Int)
-- 1000
conquer :: Settings -> Problem a b -> a -> IO b
conquer settings problem whole = do
    root <- R.newIORef (Whole whole)
    again settings (\team -> solve team problem root)
    solution root

-- | Runs a region of tasks until it was complete once.
again :: Settings -> (forall s. Team s -> IO ()) -> IO ()
again settings body = do
    complete <- (True <$ tasksOf "Eval.divConq" settings body) `catch` \e -> False <$ case fromException e of
        Just RegionInterrupted -> pure ()
        -- The body throws nothing: this has come from outside.
        Nothing                -> passOn e
    unless complete (allowInterrupt >> again settings body)

solution :: Cell a b -> IO b
solution cell = do
    progress <- R.readIORef cell
    case progress of
        Under value -> pure value
        Over value  -> pure value
        _           -> error "OpenMP.Internal.Conquer: a problem without a solution"

-- | Solves the problem in the cell, by tasks for its parts but the first. In a task of its own.
solve :: Team s -> Problem a b -> Cell a b -> IO ()
solve team problem cell = do
    progress <- R.readIORef cell
    case progress of
        Over _          -> pure ()
        Under value     -> rate value
        Divided x parts -> parted x parts
        Whole x         -> do
            found <- force (partsOf problem x)
            case found of
                Left e           -> rate (throw e)
                Right Nothing    -> rate (solved problem x)
                Right (Just xs)  -> do
                    parts <- mapM (R.newIORef . Whole) xs
                    R.writeIORef cell (Divided x parts)
                    parted x parts
  where
    parted x parts = do
        forM_ (drop 1 parts) (task team . solve team problem)
        forM_ (take 1 parts) (solve team problem)
        taskwait team
        values <- mapM solution parts
        rate (combined problem x values)
    rate value = do
        R.writeIORef cell (Under value)
        _ <- force (rated problem value)
        R.writeIORef cell (Over value)

-- | Its parts, as a list whose length has been evaluated.
partsOf :: Problem a b -> a -> Maybe [a]
partsOf problem x = case divided problem x of
    Nothing -> Nothing
    Just xs -> length xs `seq` Just xs
