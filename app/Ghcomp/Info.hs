-- | What the runtime would do here: @ghcomp info@. Tested in @test/hs/launcher/InfoTest.hs@.
module Ghcomp.Info
    ( Report
    , report
    , toText
    , Detail (..)
    , toJson
    , displayEnv
    , parseIcvs
    , parseThreads
    , Threads (..)
    ) where

import Control.Concurrent (threadDelay)
import Control.Exception (IOException, try)
import Control.Monad (forM_)
import qualified Data.ByteString.Char8 as BC
import Data.Char (isSpace, toLower)
import Data.List (dropWhileEnd, isPrefixOf, nubBy, stripPrefix)
import Data.Maybe (fromMaybe, listToMaybe)
import Foreign.C.String (CString, peekCString)
import Foreign.C.Types (CInt (..))
import Foreign.Ptr (FunPtr)
import System.Environment (getEnvironment, getExecutablePath)
import System.Exit (ExitCode (..))
import System.IO.Error (ioeGetErrorString)
import System.Posix.DynamicLinker (DL (Default), dlsym)
import System.Process (CreateProcess (env), proc, readCreateProcessWithExitCode)

import Ghcomp.Cpu
import Ghcomp.Doctor
import Ghcomp.Elf
import Ghcomp.Home
import qualified Ghcomp.Json as J
import Ghcomp.Line
import Ghcomp.Loader (Closure (..), Object (objectPath), closure, loaderEnv, readElf)
import Ghcomp.Run

data Report = Report
    { repVersion   :: String
    , repDropIn    :: Either String FilePath
    , repCompanion :: Either String (FilePath, Maybe String)  -- ^ with the GHC that it was built with
    , repHost      :: String
    , repCpus      :: Cpus
    , repIcvs      :: Either String [(String, String)]
    , repEnvironment :: [(String, String)]  -- ^ of this process
    , repThreads   :: Either String Threads
    , repProgram   :: Maybe Program
    }

-- | Where the threads of a program under @ghcomp run@ live, as the runtime says.
data Threads = Threads
    { thrHost   :: String        -- ^ @ghc@ or @posix@
    , thrOrigin :: String
    , thrGhc    :: Maybe String
    , thrVisibility :: String  -- ^ what @ghcomp_capability_visibility@ says (@ghcomp.h@)
    }
    deriving (Eq, Show)

data Program = Program
    { progName     :: FilePath
    , progAlone    :: String             -- ^ its OpenMP runtime when it is started as it is
    , progUnder    :: Either [String] String  -- ^ its runtime under ghcomp run, or why there is none
    , progFindings :: [Finding]
    }

report :: String -> Maybe FilePath -> Maybe FilePath -> IO Report
report version lib program = do
    dropIn <- findDropIn lib
    c <- cpus
    now <- getEnvironment
    companion <- either (pure . Left) companionOf dropIn
    said <- either (pure . Left) (saidOf now) dropIn
    prog <- traverse (programOf dropIn) program
    pure Report
        { repVersion = version
        , repDropIn = dropInPath <$> dropIn
        , repCompanion = companion
        , repHost = case lookup "GHCOMP_HOST" now of
            Just h@(_ : _) -> h
            _ -> hostName Ghc
        , repCpus = c
        , repIcvs = parseIcvs . snd <$> said
        , repEnvironment = now
        , repThreads = said >>= parseThreads . fst
        , repProgram = prog
        }

companionOf :: DropIn -> IO (Either String (FilePath, Maybe String))
companionOf dropIn = findCompanion dropIn >>= \found -> case found of
    Nothing -> pure (Left "none beside libgomp.so.1: programs run on POSIX threads")
    Just (Left e) -> pure (Left e)
    Just (Right c) -> do
        e <- loaderEnv
        needs <- closure e (companionPath c) (companionElf c)
        pure $ case closureMissing needs of
            (n, _) : _ -> Left (companionPath c ++ " cannot be loaded: " ++ BC.unpack n
                                ++ " is not found, install the GHC that it was built with")
            [] -> Right (companionPath c, ghcVersionOf (companionElf c))

-- | The runtime itself says what it made of the environment, on stderr, and where its threads live, on stdout: this
-- program starts itself with the drop-in loaded.
saidOf :: [(String, String)] -> DropIn -> IO (Either String (String, String))
saidOf now dropIn = case settings (`lookup` now) dropIn (Preloaded []) (Extra [] []) Nothing Nothing of
    Left e -> pure (Left e)
    Right vars -> do
        exe <- getExecutablePath
        r <- try (readCreateProcessWithExitCode
                    (proc exe ["display-env"]) { env = Just (vars ++ filter ((`notElem` map fst vars) . fst) now) } "")
        pure $ case r of
            Left e -> Left (ioeGetErrorString (e :: IOException))
            Right (ExitSuccess, out, err) -> Right (out, err)
            Right (_, _, err) -> Left (unwords (take 1 (lines (fromMaybe err (stripPrefix "ghcomp: " err)))))

-- | The body of the child: the runtime that is loaded with this process prints the ICVs, and the child queries the
-- rest. It is a process without threads of an RTS's (@-V0@, not @-threaded@), so the runtime does in it what it does in
-- a C program.
displayEnv :: IO (Either String ())
displayEnv = do
    found <- try (dlsym Default "omp_display_env")
    case found of
        Left e -> pure (Left ("the runtime does not say: " ++ ioeGetErrorString (e :: IOException)))
        Right f -> Right <$> (callDisplay f 1 >> displayThreads)

-- | Lines @name value@, none when the runtime is another one.
displayThreads :: IO ()
displayThreads = forM_ ["host_name", "host_origin", "ghc_version", "capability_visibility"] $ \name -> do
    found <- try (dlsym Default ("ghcomp_" ++ name))
    case found of
        Left e -> const (pure ()) (e :: IOException)
        Right f -> settled (200 :: Int) (callText f >>= peekCString) >>= \value -> putStrLn (name ++ " " ++ value)
  where
    -- The Capabilities of an RTS that has just been started are found within a millisecond or two.
    settled tries ask = ask >>= \value ->
        if value == "finding" && tries > 0 then threadDelay 5000 >> settled (tries - 1) ask else pure value

-- | What 'displayEnv' has printed.
parseThreads :: String -> Either String Threads
parseThreads out = maybe (Left "this runtime does not say") Right $ do
    host <- value "host_name"
    origin <- value "host_origin"
    visibility <- value "capability_visibility"
    pure (Threads host origin (listToMaybe [ v | Just v@(_ : _) <- [value "ghc_version"] ]) visibility)
  where
    value name = lookup name [ (n, drop 1 v) | (n, v) <- map (break (== ' ')) (lines out) ]

-- Safe: the runtime may initialise itself in it.
foreign import ccall safe "dynamic"
    callDisplay :: FunPtr (CInt -> IO ()) -> CInt -> IO ()
-- Safe: the runtime may choose its host in it.
foreign import ccall safe "dynamic"
    callText :: FunPtr (IO CString) -> IO CString

-- | The lines @  [host] NAME = 'value'@ between the runtime's begin and end lines. The host's line of a name is the
-- first; those after it are of devices, and left out.
parseIcvs :: String -> [(String, String)]
parseIcvs out = nubBy (\a b -> fst a == fst b)
                [ (name, unquote (trim (drop 1 value)))
                | l <- inside (lines out), (left, value@(_ : _)) <- [break (== '=') l]
                , let name = trim (untag (trim left)), not (null name) ]
  where
    inside ls = takeWhile (not . isPrefixOf "OPENMP DISPLAY ENVIRONMENT END")
                          (drop 1 (dropWhile (not . isPrefixOf "OPENMP DISPLAY ENVIRONMENT BEGIN") ls))
    untag s = if "[" `isPrefixOf` s then drop 1 (dropWhile (/= ']') s) else s
    trim = dropWhileEnd isSpace . dropWhile isSpace
    unquote s = case s of
        '\'' : rest@(_ : _) | last rest == '\'' -> init rest
        _ -> s

programOf :: Either String DropIn -> FilePath -> IO Program
programOf dropIn name = locate name >>= either missing found
  where
    missing f = pure (Program name "none" (Left [findingText f]) [f])
    found path = do
        e <- loaderEnv
        parsed <- readElf path
        alone <- case parsed of
            Right elf | isOurArch elf && elfDynamic elf -> closure e path elf >>= serving . runtimesIn
            _ -> pure "no dynamic program: nothing is loaded with it"
        verdict <- either (const (pure Nothing)) (\d -> Just <$> diagnose AsObject e d path) dropIn
        pure Program
            { progName = path
            , progAlone = alone
            , progUnder = case (dropIn, maybe [] blockers verdict) of
                (Left err, _) -> Left [err]
                (Right d, []) -> Right (dropInPath d)
                (Right _, bs) -> Left (map findingText bs)
            , progFindings = maybe [] verdictFindings verdict
            }
    serving [] = pure "none at its start"
    serving (o : _) = do
        ours <- isOurs (objectPath o)
        pure (objectPath o ++ if ours then " (ghc-openmp)" else maybe "" (\n -> " (" ++ n ++ ")") (isOpenMP o))

-- | Whether the runtime honours the quota. Without a runtime this is its default.
honoured :: Report -> Bool
honoured = either (const True) ((/= Just "ignore") . fmap (map toLower) . lookup "GHCOMP_CPU_QUOTA") . repIcvs

procs :: Report -> Int
procs r = processors (honoured r) (repCpus r)

booted :: Report -> Int
booted r = capabilities (procs r) (listToMaybe [ n | Right vs <- [repIcvs r], Just v <- [lookup "OMP_NUM_THREADS" vs]
                                                   , (n, _) <- reads v ])

-- | How much 'toText' says.
data Detail
    = Summary     -- ^ ten lines, and those of a program
    | Everything  -- ^ all settings as well
    deriving (Eq)

toText :: Detail -> Report -> String
toText detail r = unlines $
    [ row "ghcomp" (repVersion r)
    , row "runtime" (either id id (repDropIn r))
    , row "companion" (either id (\(p, g) -> p ++ maybe "" (\v -> " (GHC " ++ v ++ ")") g) (repCompanion r))
    , row "host" (repHost r ++ " under ghcomp run")
    , row "CPUs" (show (cpusUsable c) ++ maybe "" (\l -> " (" ++ l ++ ")") (cpusList c))
    , row "quota" (maybe "none" quota (cpusQuota c) ++ if honoured r then "" else "; ignored by GHCOMP_CPU_QUOTA")
    , row "processors" (show (procs r) ++ ", for omp_get_num_procs and the default team")
    , row "Capabilities" (show (booted r) ++ " in an RTS that the runtime starts")
    , row "visibility" (either id visibility (repThreads r))
    ] ++ either (\e -> [row "settings" e]) (if detail == Everything then icvRows else summary) (repIcvs r)
      ++ maybe [] programRows (repProgram r)
  where
    c = repCpus r
    icvRows vs = row "settings" "" : [ "  " ++ n ++ " = " ++ v | (n, v) <- vs ]
    summary vs = [row "settings" (set [ n ++ "=" ++ v | (n, v) <- repEnvironment r, n `elem` map fst vs ]
                                  ++ "; ghcomp info --all shows the values of all " ++ show (length vs))]
    set given = if null given then "none in the environment" else unwords given
    visibility t = thrVisibility t ++ ": " ++ case thrVisibility t of
        "aware"   -> "the runtime sees which Capabilities Haskell uses (" ++ rts t ++ ")"
        "unaware" -> "the Capabilities of " ++ rts t ++ " are not where they should be, so the runtime does what it "
                     ++ "would do on POSIX threads"
        "finding" -> "the runtime has not found all Capabilities of " ++ rts t ++ " within a second"
        _ | thrHost t == "posix" -> "POSIX threads have no Capabilities"
          | otherwise -> "the Capabilities of " ++ rts t ++ " cannot be looked at"
    rts t = maybe "" (\v -> "GHC " ++ v ++ ", ") (thrGhc t) ++ thrOrigin t
    row k v = dropWhileEnd isSpace (take 14 (k ++ repeat ' ') ++ shown v)
    quota q = show (quotaCpus q) ++ (if quotaCpus q == 1 then " CPU" else " CPUs") ++ ", rounded up ("
              ++ show (quotaTime q) ++ " us in every "
              ++ show (quotaPeriod q) ++ " us, " ++ quotaFrom q ++ ")"
    programRows p =
        [ row "program" (progName p)
        , row "  as it is" (progAlone p)
        , row "  ghcomp run" (either (("refused: " ++) . concat . take 1) id (progUnder p)) ]
        ++ [ row "" (findingText f) | f <- progFindings p, findingWeight f > Blocker ]

toJson :: Report -> J.Value
toJson r = J.Object
    [ ("version", J.String (repVersion r))
    , ("runtime", orError (\p -> [("path", J.String p)]) (repDropIn r))
    , ("companion", orError companion (repCompanion r))
    , ("host", J.String (repHost r))
    , ("cpus", J.Object
        [ ("usable", int (cpusUsable c)), ("list", maybe J.Null J.String (cpusList c))
        , ("quota", maybe J.Null quota (cpusQuota c)), ("quota_honoured", J.Bool (honoured r))
        , ("processors", int (procs r)) ])
    , ("capabilities", int (booted r))
    , ("icvs", orError (map (fmap J.String)) (repIcvs r))
    , ("threads", orError threads (repThreads r))
    , ("program", maybe J.Null program (repProgram r))
    ]
  where
    c = repCpus r
    int = J.Number . toInteger
    orError f = either (\e -> J.Object [("error", J.String e)]) (J.Object . f)
    quota q = J.Object [ ("cpus", int (quotaCpus q)), ("time_us", J.Number (quotaTime q))
                     , ("period_us", J.Number (quotaPeriod q)), ("from", J.String (quotaFrom q)) ]
    program p = J.Object
        [ ("path", J.String (progName p))
        , ("as_it_is", J.String (progAlone p))
        , ("ghcomp_run", either (const J.Null) J.String (progUnder p))
        , ("findings", J.Array (map finding (progFindings p))) ]
    threads t =
        [ ("host", J.String (thrHost t)), ("origin", J.String (thrOrigin t))
        , ("ghc", maybe J.Null J.String (thrGhc t)), ("visibility", J.String (thrVisibility t)) ]
    companion (p, g) = [("path", J.String p), ("ghc", maybe J.Null J.String g)]
    finding f = J.Object [("weight", J.String (show (findingWeight f))), ("text", J.String (findingText f))]
