-- | The runtime's events in GHC's eventlog. Each case is a process of its own, this program with the case's name as its
-- argument, which writes a log; the test reads it with ghc-events.
module Main (main) where

import Control.Concurrent
import Control.Exception (finally)
import Control.Monad
import qualified Data.List as List
import qualified Data.Map.Strict as Map
import Data.Maybe (fromMaybe, mapMaybe)
import qualified Data.Text as Text
import Data.Word (Word64)
import Foreign.C.Types (CInt (..))
import GHC.RTS.Events (Data (..), Event (..), EventInfo (EndGC, UserMessage, msg), EventLog (..), readEventLogFromFile)
import System.Directory (getTemporaryDirectory, removeFile)
import System.Environment (getArgs, getEnvironment, getExecutablePath)
import System.Exit (ExitCode (..))
import System.IO (hClose, openTempFile)
import System.Mem (performMajorGC)
import System.Process (CreateProcess (env), proc, readCreateProcessWithExitCode)
import Test.Tasty
import Test.Tasty.HUnit
import Text.Read (readMaybe)

import OpenMP (defaults, getNumThreads, numThreads)
import OpenMP.Parallel (parallel_)

foreign import ccall safe "shape_regions" shapeRegions :: CInt -> CInt -> IO ()
foreign import ccall safe "shape_nested" shapeNested :: CInt -> CInt -> IO ()
foreign import ccall safe "shape_tasks" shapeTasks :: CInt -> CInt -> IO ()
foreign import ccall safe "shape_sleep" shapeSleep :: CInt -> CInt -> IO ()

main :: IO ()
main = getArgs >>= \args -> case args of
    ["case", name] | Just body <- lookup name cases -> body
    _ -> do
        self <- getExecutablePath
        defaultMain $ localOption (mkTimeout 180000000) $ testGroup "eventlog" (tests self)

-- --- the programs --------------------------------------------------------------------------------------------------

regionCount, threadCount, taskCount :: Num a => a
regionCount = 300
threadCount = 3
taskCount = 200

cases :: [(String, IO ())]
cases =
    [ ("regions", shapeRegions regionCount threadCount)
    , ("collections", replicateM_ 20 (performMajorGC >> shapeRegions 1 threadCount))
    , ("nested", shapeNested 2 2)
    , ("tasks", shapeTasks taskCount threadCount)
    , ("sleep", shapeSleep threadCount 500)
    , ("masters", do
        ended <- replicateM 4 newEmptyMVar
        forM_ ended $ \mvar -> forkIO (shapeRegions 20 2 `finally` putMVar mvar ())
        mapM_ takeMVar ended
        shapeRegions 1 threadCount) -- where the RTS does not report its end, this one writes
    , ("unfinished", do
        -- The others are in their regions when the program ends.
        started <- newEmptyMVar
        replicateM_ 2 $ forkIO (shapeRegions 1 2 >> putMVar started () >> forever (shapeRegions 1000 2))
        replicateM_ 2 (takeMVar started)
        shapeRegions 1 threadCount)
    , ("haskell", parallel_ defaults { numThreads = Just 2 } (\_ -> void getNumThreads))
    ]

-- --- the logs ------------------------------------------------------------------------------------------------------

data Said = Said { at :: Word64, thread :: String, kind :: String, fields :: Map.Map String String }
    deriving Show

-- | The runtime's events in the order of their times, and all events.
data Log = Log { said :: [Said], everything :: [Event] }

-- | Runs a case with these options of the RTS and variables, and reads its log.
logOf :: FilePath -> String -> [String] -> [(String, String)] -> IO Log
logOf self name options vars = do
    folder <- getTemporaryDirectory
    (file, handle) <- openTempFile folder "ghcomp.eventlog"
    hClose handle
    flip finally (removeFile file) $ do
        now <- getEnvironment
        let kept = [ v | v <- now, fst v `notElem` ["GHCOMP_HOST", "GHCOMP_TRACE", "OMP_NUM_THREADS", "OMP_DYNAMIC"] ]
            command = proc self (["case", name, "+RTS", "-ol" ++ file] ++ options)
        (status, _, err) <- readCreateProcessWithExitCode command { env = Just (vars ++ kept) } ""
        assertEqual err ExitSuccess status
        assertEqual "stderr" "" err
        EventLog _ (Data logged) <- either assertFailure pure =<< readEventLogFromFile file
        let sorted = List.sortOn evTime logged
        pure (Log (mapMaybe ours sorted) sorted)

ours :: Event -> Maybe Said
ours event = case evSpec event of
    UserMessage { msg = text } | "ghcomp" : who : what : rest <- words (Text.unpack text) ->
        Just (Said (evTime event) who what (Map.fromList [ (k, drop 1 v) | (k, v) <- map (break (== '=')) rest ]))
    _ -> Nothing

number :: String -> Said -> Int
number key s = fromMaybe (error (show s ++ " has no number " ++ key)) (Map.lookup key (fields s) >>= readMaybe)

ofKind :: String -> Log -> [Said]
ofKind name = filter ((== name) . kind) . said

-- | Spans of a thread nest, and each that was begun has ended, except those of threads that still worked when the
-- program ended.
nests :: Bool -> Log -> Assertion
nests mayBeOpen l = forM_ (Map.toList byThread) $ \(who, list) -> do
    let open = List.foldl' step (Right []) list
    case open of
        Left problem -> assertFailure (who ++ ": " ++ problem)
        -- Workers sleep when the program ends.
        Right left -> unless mayBeOpen $ assertBool (who ++ " has not ended " ++ show left) (all (== "park") left)
  where
    byThread = Map.map reverse (Map.fromListWith (++) [ (thread s, [s]) | s <- said l ])
    step (Left problem) _ = Left problem
    step (Right stack) s
        | Just name <- stripEnd "-begin" (kind s) = Right (name : stack)
        | Just name <- stripEnd "-end" (kind s) = case stack of
            top : below | top == name -> Right below
            _ -> Left (show s ++ " ends what is not open: " ++ show stack)
        | otherwise = Right stack
    stripEnd end text = reverse <$> List.stripPrefix (reverse end) (reverse text)

-- | Times of ours lie between the program's begin and its end as the RTS has them.
between :: Log -> Assertion
between l = do
    let theirs = [ evTime e | e <- everything l, Nothing <- [ours e] ]
        times = map at (said l)
    assertBool "the runtime has written nothing" (not (null times))
    assertBool "before the program" (minimum times >= minimum theirs)
    assertBool (show (maximum times, maximum theirs)) (maximum times <= maximum theirs)

tests :: FilePath -> [TestTree]
tests self =
    [ testCase "regions" $ do
        l <- logOf self "regions" ["-l"] []
        nests False l
        between l
        length (ofKind "region-begin" l) @?= regionCount
        length (ofKind "region-end" l) @?= regionCount
        List.nub (map (number "size") (ofKind "region-begin" l)) @?= [threadCount]
        List.nub (map (number "level") (ofKind "region-begin" l)) @?= [1]
        length (List.nub (map (number "region") (ofKind "region-begin" l))) @?= regionCount
        length (ofKind "part-begin" l) @?= regionCount * (threadCount - 1)
        length (ofKind "part-end" l) @?= regionCount * (threadCount - 1)
        length (ofKind "barrier-begin" l) @?= regionCount * threadCount * 2
        List.sort (List.nub (map thread (said l))) @?= ["m1", "w1", "w2"]
    , testCase "parts lie in their regions" $ do
        l <- logOf self "regions" ["-l"] []
        let begins = Map.fromList [ (number "region" s, at s) | s <- ofKind "region-begin" l ]
            ends = zip (Map.elems begins) (map at (ofKind "region-end" l))
        assertBool "a region ends before it begins" (all (uncurry (<=)) ends)
        forM_ (ofKind "part-begin" l) $ \s -> do
            assertBool (show s) (at s >= begins Map.! number "region" s)
            assertBool (show s) (number "tid" s `elem` [1 .. threadCount - 1])
    , testCase "regions between collections" $ do
        -- The program alternates between collections and regions: so must the log. -I0: the RTS makes none by itself
        -- when the program has been idle, in a region that a busy machine makes slow.
        l <- logOf self "collections" ["-l", "-N1", "-I0"] []
        let collections = [ (evTime e, 'c') | e <- everything l, EndGC <- [evSpec e], evCap e == Just 0 ]
            begun = [ (at s, 'b') | s <- ofKind "region-begin" l ]
            ended = [ (at s, 'e') | s <- ofKind "region-end" l ]
            order = map snd (List.sortOn fst (collections ++ begun ++ ended))
        length begun @?= 20
        assertEqual "order" (replicate 20 "cbe") (take 20 (turns order))
    , testCase "nested regions" $ do
        l <- logOf self "nested" ["-l"] []
        nests False l
        List.sort (map (number "level") (ofKind "region-begin" l)) @?= [1, 2, 2]
    , testCase "tasks" $ do
        l <- logOf self "tasks" ["-l"] []
        nests False l
        length (ofKind "task-end" l) @?= length (ofKind "task-begin" l)
        assertBool "tasks" (length (ofKind "task-begin" l) <= taskCount && not (null (ofKind "task-begin" l)))
        assertBool "steals" (not (null (ofKind "steal" l)))
    , testCase "sleepers" $ do
        l <- logOf self "sleep" ["-l"] []
        nests False l
        let naps = [ at e - at b | who <- ["w1", "w2"]
                   , (b, e) <- pairs [ s | s <- said l, thread s == who, kind s `elem` ["park-begin", "park-end"] ] ]
        assertBool (show naps) (any (> 20000000) naps && all (< 10000000000) naps)
    , testCase "several masters" $ do
        l <- logOf self "masters" ["-l"] []
        nests False l
        between l
        length (ofKind "region-end" l) @?= 81
    , testCase "the program ends before its regions" $ replicateM_ 3 $ do
        l <- logOf self "unfinished" ["-l"] []
        nests True l
        assertBool "regions" (not (null (ofKind "region-end" l)))
    , testCase "regions of Haskell" $ do
        l <- logOf self "haskell" ["-l"] []
        nests False l
        length (ofKind "region-end" l) @?= 1
    , testCase "no user messages" $ silent ["-l-u"] []
    , testCase "GHCOMP_TRACE=off" $ silent ["-l"] [("GHCOMP_TRACE", "off")]
    , testCase "POSIX threads" $ silent ["-l"] [("GHCOMP_HOST", "posix")]
    ]
  where
    silent options vars = do
        l <- logOf self "regions" options vars
        assertBool "there is no log" (not (null (everything l)))
        assertEqual "events of the runtime" 0 (length (said l))
    pairs (b : e : rest) = (b, e) : pairs rest
    pairs _ = []

-- | Cuts before each collection; several collections in a row count as one.
turns :: String -> [String]
turns [] = []
turns (c : rest) = case break (== 'c') rest of
    ("", more) -> turns more
    (own, more) -> (c : own) : turns more
