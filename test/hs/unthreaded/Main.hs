-- | The library in a program that is linked without -threaded: all Haskell threads are on one OS thread.
module Main (main) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import Data.List (isInfixOf)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit

import OpenMP.Interrupt
import OpenMP.Parallel
import OpenMP.Settings

main :: IO ()
main = defaultMain $ localOption (mkTimeout 120000000) $ testGroup "without -threaded"
    [ testCase "the program is what it should be" (rtsSupportsBoundThreads @?= False)
    , testCase "critical sections: a thread waits for another one" contended
    , testCase "a thread that waits for a section can be interrupted" interrupted
    , testCase "a thread that would wait for itself gets an error" itself
    , testCase "a region of one thread; a larger one is an error" regions
    , testCase "a masked caller's loop" maskedLoop
    , testCase "calls that end early, and settings for C, are an error" early
    ]

sections_ :: IO [IO () -> IO ()]
sections_ = do
    section <- newCritical
    pure [critical, criticalIn section]

-- | Runs the action while another thread is in the section, until the other action ends.
occupied :: (IO () -> IO ()) -> IO () -> IO a -> IO a
occupied section until_ act = do
    inside <- newEmptyMVar
    left <- newEmptyMVar
    _ <- forkIO (section (putMVar inside () >> until_) >> putMVar left ())
    takeMVar inside
    act <* takeMVar left

contended :: Assertion
contended = sections_ >>= mapM_ (\section -> do
    go <- newEmptyMVar
    done <- newEmptyMVar
    occupied section (takeMVar go) $ do
        _ <- forkIO (section (pure ()) >> putMVar done ())
        replicateM_ 3 yield -- so that it waits
        tryTakeMVar done >>= (@?= Nothing)
        putMVar go ()
    takeMVar done)

interrupted :: Assertion
interrupted = sections_ >>= mapM_ (\section -> do
    go <- newEmptyMVar
    occupied section (takeMVar go) $ do
        timeout 20000 (section (pure ())) >>= (@?= Nothing)
        putMVar go ())

itself :: Assertion
itself = sections_ >>= mapM_ (\section -> says "would wait for itself" (section (section (pure ()))))

regions :: Assertion
regions = do
    parallel defaults { numThreads = Just 1 } threadNum >>= (@?= [0])
    says "link with -threaded" (parallel_ defaults { numThreads = Just 2 } (const (pure ())))

maskedLoop :: Assertion
maskedLoop = do
    states <- newEmptyMVar
    mask_ (parallelFor defaults { numThreads = Just 1 } 0 1 (const (getMaskingState >>= putMVar states)))
    takeMVar states >>= (@?= MaskedInterruptible)

early :: Assertion
early = do
    says "link with -threaded" (interruptibly (pure ()))
    says "link with -threaded" (mask_ (interruptibly (pure ())))
    says "link with -threaded" (withSettings defaults { numThreads = Just 1 } (pure ()))

says :: String -> IO () -> Assertion
says text act = try act >>= \r -> case r of
    Left (ErrorCall e) -> assertBool e (text `isInfixOf` e)
    Right ()           -> assertFailure "no error"
