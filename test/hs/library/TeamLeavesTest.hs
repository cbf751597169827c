{-# OPTIONS_GHC -O0 #-} -- what GHC optimises here makes no difference to what is tested
{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE RankNTypes #-}
-- | Teams and futures that have left their region, hidden in actions and existential types, and those of other members.
module TeamLeavesTest (tests) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import Data.List (isInfixOf, isPrefixOf)
import Test.Tasty
import Test.Tasty.HUnit

import OpenMP.Parallel
import OpenMP.Settings

import TeamTest (Construct (..), constructs)

tests :: TestTree
tests = testGroup "a team where it does not belong"
    [ testGroup "after its region" [ testCase name (afterwards c) | c@(Construct name _) <- all_ ]
    , testGroup "in an action that its region has returned" [ testCase name (action c) | c@(Construct name _) <- all_ ]
    , testGroup "inside of a later region" [ testCase name (later c) | c@(Construct name _) <- all_ ]
    , testGroup "inside of an inner region" [ testCase name (inner c) | c@(Construct name _) <- all_ ]
    , testGroup "in another member"
        [ testCase name (exchanged c) | c@(Construct name _) <- constructs, name `elem` whole ]
    , testGroup "a future"
        [ testCase "after its region, with its result" (future (const id))
        , testCase "inside of a later region" (future (\s act -> parallel_ s (const act)))
        ]
    , testCase "tasks may use the team of the member that made them" inTasks
    , testCase "a member's tasks may use its team after its body" afterBody
    ]
  where
    all_ = Construct "cancel" cancel : constructs
    whole = ["barrier", "for", "forChunks", "forNowait", "for2", "forOrdered", "sections", "single", "reduce"]

two :: Settings
two = defaults { numThreads = Just 2, maxActiveLevels = Just 2 }

data AnyTeam = forall s. AnyTeam (Team s)
data AnyFuture = forall s. AnyFuture (Team s) (Future s Int)

over, foreign_ :: String
over = "the region of this team is over"
foreign_ = "the calling thread is not one of this team here"

wrong :: String -> String -> Either ErrorCall () -> Assertion
wrong name text r = case r of
    Left (ErrorCall e) ->
        assertBool e (("OpenMP.Parallel." ++ name ++ ": ") `isPrefixOf` e && text `isInfixOf` e)
    Right () -> assertFailure "no error"

-- | The teams of the members of a region that is over.
old :: IO [AnyTeam]
old = parallel two (pure . AnyTeam)

afterwards, action, later, inner, exchanged :: Construct -> Assertion
afterwards (Construct name act) = old >>= mapM_ (\(AnyTeam t) -> try (act t) >>= wrong name over)
action (Construct name act) = parallel two (pure . act) >>= mapM_ (try >=> wrong name over)
later (Construct name act) = old >>= mapM_ (\(AnyTeam t) -> try (parallel_ two (\_ -> act t)) >>= wrong name over)
inner (Construct name act) = try (parallel_ two (\t -> parallel_ two (\_ -> act t))) >>= wrong name foreign_
exchanged (Construct name act) = do
    boxes <- replicateM 2 newEmptyMVar
    r <- try $ parallel_ two $ \t -> do
        me <- threadNum t
        putMVar (boxes !! me) (AnyTeam t)
        AnyTeam others <- readMVar (boxes !! (1 - me))
        act others
    wrong name foreign_ r

future :: (Settings -> IO () -> IO ()) -> Assertion
future around = do
    AnyFuture t f <- parallelTasks two (\t -> spawn t (pure 3) >>= \f -> await t f >> pure (AnyFuture t f))
    try (around two (void (await t f))) >>= wrong "await" over

inTasks :: Assertion
inTasks = do
    total <- R.newIORef (0 :: Int)
    let add n = R.atomicModifyIORef' total (\k -> (k + n, ()))
    parallel_ two $ \t -> replicateM_ 20 $ task t $ do
        f <- spawn t (pure 1)
        task t (threadNum t >>= \n -> add (if n < 2 then 1 else 1000))
        await t f >>= add
        taskwait t
    R.readIORef total >>= (@?= 80)

afterBody :: Assertion
afterBody = do
    total <- R.newIORef (0 :: Int)
    parallel_ two $ \t -> replicateM_ 20 $ task t $ do
        yield
        task t (taskgroup t (task t (R.atomicModifyIORef' total (\k -> (k + 1, ())))))
    R.readIORef total >>= (@?= 40)
