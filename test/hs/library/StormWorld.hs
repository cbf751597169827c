-- | What all threads of StormTest share: random numbers, what went wrong, and what bodies do.
module StormWorld
    ( Construct (..)
      -- * Random numbers
    , Dice
    , newDice
    , roll
    , pick
      -- * The world
    , World
    , newWorld
    , wrong
    , expect
    , complaints
    , heldNow
      -- * Bodies
    , work
    , gentleWork
    , counted
    ) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import qualified Data.List as List
import System.Mem (performMinorGC)
import System.Timeout (timeout)

import Dice
import Generators

-- | What the threads that are hit run.
data Construct = Construct
    { constructName  :: String
    , constructExact :: Bool  -- ^ it has regions that cannot go on when the exception was withdrawn
    , constructRun   :: World -> Dice -> IO ()
    }

data World = World
    { worldWrong :: R.IORef [String]
    , worldHeld  :: R.IORef Int          -- ^ what bodies have acquired and not released
    , worldPure  :: R.IORef (Int, Int)   -- ^ a number and a lazy value for it, which many bodies evaluate
    , worldRough :: Bool                 -- ^ bodies have handlers
    }

-- | A world whose bodies have handlers, or none.
newWorld :: Bool -> IO World
newWorld rough = do
    complaints_ <- R.newIORef []
    held <- R.newIORef 0
    lazy <- R.newIORef (7, lazySum 7)
    pure (World complaints_ held lazy rough)

wrong :: World -> String -> IO ()
wrong world text = R.atomicModifyIORef' (worldWrong world) (\list -> (take 20 (text : list), ()))

-- | Notes it if the second value, which is there, is not the first.
expect :: (Eq a, Show a) => World -> a -> a -> IO ()
expect world wanted got = unless (wanted == got) (wrong world ("wanted " ++ show wanted ++ ", got " ++ show got))

complaints :: World -> IO [String]
complaints = R.readIORef . worldWrong

heldNow :: World -> IO Int
heldNow = R.readIORef . worldHeld

lazySum :: Int -> Int
lazySum k = List.foldl' (+) 0 [k .. k + 3000]
{-# NOINLINE lazySum #-}

-- | What a body does, chosen by a number: mostly little, sometimes what an exception may interrupt in another way.
work :: World -> Int -> IO ()
work world number
    | worldRough world = roughly world (choice `mod` 80) choice
    | otherwise        = gently world (choice `mod` 80) choice
  where
    choice = mixed (fromIntegral number)

-- | The same without handlers, for lazy values and for loops that go on after an exception: a handler that throws an
-- asynchronous exception again makes it the value's result, as in all Haskell code.
gentleWork :: World -> Int -> IO ()
gentleWork world number = gently world (choice `mod` 80) choice
  where
    choice = mixed (fromIntegral number)

roughly :: World -> Int -> Int -> IO ()
roughly world kind choice = case kind of
    0 -> bracket_ (hold 1) (hold (-1)) (spin 300)
    1 -> bracket_ (hold 1) (hold (-1)) (threadDelay 50)
    2 -> void (timeout 50 (spin 3000))
    3 -> void (timeout 1000000 (spin 100))
    4 -> mask_ (spin 500)
    5 -> uninterruptibleMask_ (spin 300)
    6 -> (spin 100 >> throwIO (ErrorCall "its own")) `catch` \(ErrorCall _) -> pure ()
    7 -> newMVar () >>= \m -> modifyMVar_ m (\() -> spin 100)
    8 -> threadDelay 200
    9 | choice `mod` 7 == 0 -> threadDelay 30000
    _ -> gently world kind choice
  where
    hold n = R.atomicModifyIORef' (worldHeld world) (\h -> (h + n, ()))

gently :: World -> Int -> Int -> IO ()
gently world kind choice = case kind of
    10 -> pause 100
    11 -> pause 1000
    12 | choice `mod` 7 == 0 -> pause 30000
    13 -> yield
    14 -> newMVar () >>= takeMVar
    15 | choice `mod` 5 == 0 -> performMinorGC
    16 -> evaluatePure
    17 -> evaluatePure
    18 -> do
        -- A new value for the others.
        let k = choice `mod` 1000
        R.writeIORef (worldPure world) (k, lazySum k)
        evaluatePure
    k | k < 40    -> spin 1000
      | otherwise -> spin 20
  where
    -- threadDelay itself has a handler.
    pause micros = do
        m <- newEmptyMVar
        _ <- forkIO (threadDelay micros >> putMVar m ())
        takeMVar m
    evaluatePure = do
        (k, value) <- R.readIORef (worldPure world)
        v <- evaluate value
        unless (v == 3001 * k + 4501500) (wrong world ("the lazy sum from " ++ show k ++ " is " ++ show v))

-- | Runs a construct with a body for indices below the number. When it has returned each index has run once; when an
-- exception has ended it, none has run twice; and no body runs later.
counted :: World -> Dice -> Int -> ((Int -> IO ()) -> IO r) -> IO r
counted world dice n act = do
    a <- counters n
    over <- R.newIORef False
    noise <- roll dice 1000000000
    let body i = do
            late <- R.readIORef over
            when late (wrong world ("index " ++ show i ++ " after the end"))
            count a i
            work world (noise + i)
        look good = do
            R.writeIORef over True
            cs <- counts a n
            unless (all good cs) (wrong world (show cs))
    r <- act body `onException` look (<= 1)
    look (== 1)
    pure r
