{-# OPTIONS_GHC -O0 #-} -- what GHC optimises here makes no difference to what is tested
{-# LANGUAGE RankNTypes #-}
-- | Members of a team that are not at the same construct.
module SameTest (tests) where

import Control.Concurrent (runInBoundThread)
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import Data.List (isInfixOf)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)
import Test.QuickCheck hiding (again)

import OpenMP.Parallel
import OpenMP.Settings

import Generators

tests :: TestTree
tests = testGroup "the same constructs"
    [ testGroup "members that encounter different ones get an error"
        [ testCase name (finds (const True) act) | Misuse name act <- misuses ]
    , testGroup "which names both"
        [ testCase "a barrier and a single" $
            finds (\e -> all (`isInfixOf` e) ["at the end of a barrier", "at the end of a single"]) barrierAndSingle
        , testCase "ranges of a loop" $ finds ("different ranges" `isInfixOf`) (ranges for (Dynamic 1))
        ]
    , testCase "an error that the body handles ends the region, too" handled
    , testGroup "a loop in a loop is an error"
        [ testCase (outer ++ " and " ++ inner) (loopInLoop size one other)
        | (outer, Loop one) <- loops, (inner, Loop other) <- loops, size <- [1, 3] ]
    , testCase "loops one after the other, and in an inner region, are none" loopsThatAreNone
    , testCase "without the check the program continues" unchecked
    , testCase "teams of one have nothing to compare" alone
    , testCase "the next region is not affected" nextRegion
    , testCase "nor without the check" nextRegionUnchecked
    , testProperty "the same ones are no error" noAlarm
    ]

data Misuse = Misuse String (forall s. Team s -> Int -> IO ())

misuses :: [Misuse]
misuses =
    [ Misuse "for: ranges" (ranges for (Dynamic 1))
    , Misuse "for: beginnings" (\t me -> for t Static (5 * me) 100 (const (pure ())))
    , Misuse "for: chunks" (\t me -> for t (Dynamic (1 + me)) 0 100 (const (pure ())))
    , Misuse "for: schedules" (\t me -> for t (if me == 0 then Guided 1 else Dynamic 1) 0 100 (const (pure ())))
    , Misuse "forNowait, then a barrier" (\t me -> ranges forNowait Static t me >> barrier t)
    , Misuse "forNowait, at the end" (ranges forNowait Static)
    , Misuse "forOrdered" (\t me -> forOrdered t (Dynamic 1) 0 (10 + me) (\_ _ -> pure ()))
    , Misuse "for2" (\t me -> for2 t Static (0, 3) (0, 3 + me) (\_ _ -> pure ()))
    , Misuse "sections" (\t me -> sections t (replicate (2 + me) (pure ())))
    , Misuse "barrier and single" barrierAndSingle
    , Misuse "barrier and for" (\t me -> if me == 0 then barrier t else for t Static 0 9 (const (pure ())))
    , Misuse "for and single" (\t me -> if me == 0 then single t (pure ()) else for t Static 0 9 (const (pure ())))
    , Misuse "reduce and barrier" (\t me -> if me == 0 then void (reduce t "a") else barrier t)
    , Misuse "two constructs exchanged" $ \t me ->
        if me == 0 then barrier t >> single t (pure ()) else single t (pure ()) >> barrier t
    , Misuse "after many that are the same" $ \t me ->
        replicateM_ 100 (barrier t >> for t Static 0 9 (const (pure ()))) >> barrierAndSingle t me
    ]

newtype Loop = Loop (forall s. Team s -> IO () -> IO ())

loops :: [(String, Loop)]
loops =
    [ ("for, dynamic", Loop (\t act -> for t (Dynamic 1) 0 10 (const act)))
    , ("for, static", Loop (\t act -> for t Static 0 10 (const act)))
    , ("forNowait", Loop (\t act -> forNowait t (Guided 1) 0 10 (const act)))
    , ("for2", Loop (\t act -> for2 t (Dynamic 1) (0, 4) (0, 4) (\_ _ -> act)))
    , ("forChunks", Loop (\t act -> forChunks t (Dynamic 2) 0 10 (\_ _ -> act)))
    , ("forOrdered", Loop (\t act -> forOrdered t (Dynamic 1) 0 10 (\_ _ -> act)))
    , ("sections", Loop (\t act -> sections t (replicate 5 act)))
    ]

loopInLoop :: Int -> (forall s. Team s -> IO () -> IO ()) -> (forall s. Team s -> IO () -> IO ()) -> Assertion
loopInLoop size one other =
    -- An error that the body handles ends the region, too.
    says ("inside of the body of another one" `isInfixOf`) $ parallel_ (inTeam (TeamOf size)) $ \t ->
        one t (other t (pure ()) `catch` \e -> const (pure ()) (e :: ErrorCall))

-- | The action's error has such a text.
says :: (String -> Bool) -> IO () -> Assertion
says expected act = try act >>= \r -> case r of
    Left (ErrorCall text) -> assertBool text (expected text)
    Right ()              -> assertFailure "no error"

loopsThatAreNone :: Assertion
loopsThatAreNone = do
    ran <- R.newIORef (0 :: Int)
    let note = R.atomicModifyIORef' ran (\n -> (n + 1, ()))
    parallel_ (inTeam (TeamOf 2)) $ \t -> do
        for t (Dynamic 1) 0 10 (const note)
        for t Static 0 10 (const (parallel_ (inTeam (TeamOf 2)) (\u -> for u (Dynamic 1) 0 10 (const note))))
        sections t [note, note]
    R.readIORef ran >>= (@?= 112)

barrierAndSingle :: Team s -> Int -> IO ()
barrierAndSingle t me = if me == 0 then barrier t else single t (pure ())

ranges :: (Team s -> Schedule -> Int -> Int -> (Int -> IO ()) -> IO ()) -> Schedule -> Team s -> Int -> IO ()
ranges loop schedule_ t me = loop t schedule_ 0 (10 + 90 * me) (const (pure ()))

-- | Member 0 and the others do not agree.
run :: Settings -> (forall s. Team s -> Int -> IO ()) -> IO ()
run settings act = parallel_ settings (\t -> threadNum t >>= act t . min 1)

finds :: (String -> Bool) -> (forall s. Team s -> Int -> IO ()) -> Assertion
finds expected act = forM_ [2, 4] $ \n -> says differ (run (inTeam (TeamOf n)) act)
  where
    differ text = "the members of the team are not at the same construct" `isInfixOf` text && expected text

-- | The member that gets the error goes on with the other one's construct.
handled :: Assertion
handled = forM_ [1 .. 20 :: Int] $ \_ -> do
    r <- try $ run (inTeam (TeamOf 2)) $ \t me -> do
        one <- try (barrierAndSingle t me)
        either (\(ErrorCall _) -> barrierAndSingle t (1 - me)) pure one
    case r of
        Left (ErrorCall text) -> assertBool text ("not at the same construct" `isInfixOf` text)
        Right ()              -> assertFailure "no error"

unchecked :: Assertion
unchecked = do
    ran <- R.newIORef (0 :: Int)
    run (inTeam (TeamOf 2)) { checkConstructs = Just False } $ \t me -> do
        for t Static 0 (10 + 10 * me) (\_ -> R.atomicModifyIORef' ran (\n -> (n + 1, ())))
        barrierAndSingle t me
    n <- R.readIORef ran
    assertBool (show n) (n >= 10)

alone :: Assertion
alone = run (inTeam (TeamOf 1)) (\t me -> for t Static 0 (10 + me) (const (pure ())) >> barrier t)

nextRegion :: Assertion
nextRegion = forM_ [1 .. 20 :: Int] $ \_ -> do
    finds (const True) barrierAndSingle
    parallel (inTeam (TeamOf 2)) (\t -> for t Static 0 9 (const (pure ())) >> single t (pure 'x')) >>= (@?= "xx")

-- | Both regions are of one OS thread, and so of one team in C, which has counted more singles than member 0.
nextRegionUnchecked :: Assertion
nextRegionUnchecked = runInBoundThread $ forM_ [2, 4] $ \n -> forM_ [1 .. 20 :: Int] $ \_ -> do
    run (inTeam (TeamOf n)) { checkConstructs = Just False } barrierAndSingle
    results <- parallel (inTeam (TeamOf n)) (\t -> single t (pure 'x') >> single t (pure 'y'))
    results @?= replicate n 'y'

-- | Programs of random constructs.
noAlarm :: TeamOf -> [Int] -> Property
noAlarm t picks = ioProperty $ do
    r <- try (parallel_ (inTeam t) (\team -> forM_ picks (construct team)))
    pure (either (\(ErrorCall text) -> counterexample text False) (const (property True)) r)
  where
    construct :: Team s -> Int -> IO ()
    construct team k = case k `mod` 7 of
        0 -> barrier team
        1 -> for team (Dynamic 2) k (k + 20) (const (pure ()))
        2 -> forNowait team Static k (k + 20) (const (pure ()))
        3 -> single team (pure ())
        4 -> void (reduce team [k])
        5 -> forOrdered team (Dynamic 1) 0 5 (\inOrder _ -> inOrder (pure ()))
        _ -> task team (pure ()) >> masked team (pure ())
