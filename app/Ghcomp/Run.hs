-- | Starting a program on the runtime.
--
-- The launcher becomes the program (exec), so that its signals, exit status, terminal and standard streams
-- are the program's own. Tested in @test/hs/launcher/RunTest.hs@.
module Ghcomp.Run
    ( Host (..)
    , RunOptions (..)
    , Extra (..)
    , Way (..)
    , hostName
    , settings
    , runProgram
    , runWith
    , isPython
    , importsOf
    ) where

import Control.Exception (IOException, try)
import Control.Monad (forM_, join)
import Data.List (intercalate, isPrefixOf, partition, stripPrefix)
import System.Directory (doesFileExist)
import System.Environment (lookupEnv)
import System.FilePath (takeDirectory, takeFileName, (</>))
import System.IO.Error (ioeGetErrorString)
import System.Posix.Env (setEnv)
import System.Posix.Process (executeFile)

import Ghcomp.Doctor
import Ghcomp.Home
import Ghcomp.Line
import Ghcomp.Loader
import qualified Ghcomp.Texts as T

data Host = Auto | Ghc | Posix
    deriving (Eq, Show, Enum, Bounded)

hostName :: Host -> String
hostName h = case h of { Auto -> "auto"; Ghc -> "ghc"; Posix -> "posix" }

data RunOptions = RunOptions
    { runHost    :: Maybe Host
    , runThreads :: Maybe String  -- ^ already checked: what OMP_NUM_THREADS takes
    , runLib     :: Maybe FilePath
    , runCheck   :: Bool
    , runCommand :: FilePath
    , runArgs    :: [String]
    }

-- | What another command adds: libraries that are loaded behind the runtime, and variables.
data Extra = Extra { extraPreload :: [FilePath], extraSettings :: [(String, String)] }

-- | How the loader gets at the runtime: 'Preloaded' behind these libraries, or from the folder that it searches first.
data Way = Preloaded [FilePath] | Searched

-- | The variables that put a program on the runtime, given what the environment has now.
settings :: (String -> Maybe String) -> DropIn -> Way -> Extra -> Maybe Host -> Maybe String
         -> Either String [(String, String)]
settings now dropIn way extra host threads
    | (path : _) <- filter (any (`elem` ": ")) (dropInPath dropIn : preload) =
        Left (T.cannotPreload path)
    | otherwise = Right $
        [ ("LD_PRELOAD", intercalate ":" (given ++ map forGlibc preload ++ others)) | not (null preload) ]
        ++ [ ("LD_LIBRARY_PATH", forGlibc (dropInDir dropIn) ++ behind ':' (now "LD_LIBRARY_PATH")) ]
        ++ [ ("GHCOMP_HOST", hostName h) | Just h <- [host] ]
        ++ [ ("GHCOMP_HOST", hostName Ghc) | Nothing <- [host], maybe True null (now "GHCOMP_HOST") ]
        ++ [ ("OMP_NUM_THREADS", n) | Just n <- [threads] ]
        ++ extraSettings extra
  where
    preload = case way of
        Preloaded first -> first ++ dropInPath dropIn : extraPreload extra
        Searched -> []
    (given, others) = partition isSanitizer (filter (not . null) (maybe [] (splitPath ": ") (now "LD_PRELOAD")))
    behind c v = case v of
        Just s@(_ : _) -> c : s
        _ -> ""

-- | AddressSanitizer's library, gcc's or clang's: it ends a process in which another one is loaded before it.
isSanitizer :: FilePath -> Bool
isSanitizer path = any (`isPrefixOf` takeFileName path) ["libasan.so", "libclang_rt.asan"]

-- | A program that is linked with AddressSanitizer's library gets nothing preloaded, where the search gives it the
-- runtime, too. Preloaded before the runtime, that library would be in all programs that it starts, and would report
-- their leaks. One that the user preloads stays first ('settings').
wayOf :: Env -> DropIn -> Maybe Closure -> IO Way
wayOf env dropIn found = case closureObjects <$> found of
    Just (program : others)
        | (sanitizer : _) <- filter isSanitizer (map objectPath others)
        , not (any isSanitizer (envPreload env)) -> do
            c <- closure env { envLibraryPath = dropInDir dropIn : envLibraryPath env } (objectPath program)
                         (objectElf program)
            pure $ if all ((== dropInDir dropIn) . takeDirectory . objectPath) (take 1 (runtimesIn c))
                then Searched else Preloaded [sanitizer]
    _ -> pure (Preloaded [])

-- | Only returns when the program was not started: the exit status of env(1), and one line.
runProgram :: RunOptions -> IO (Int, String)
runProgram = runWith (\_ -> pure (Right (Extra [] [])))

-- | The same with what is added for that drop-in, or why it cannot be (one line).
runWith :: (DropIn -> IO (Either String Extra)) -> RunOptions -> IO (Int, String)
runWith extraFor o = findDropIn (runLib o) >>= either (failed 125) start
  where
    start dropIn = do
        located <- locate (runCommand o)
        case located of
            Left f -> stopped f
            Right path -> do
                env <- loaderEnv
                verdict <- if runCheck o then diagnose AsProgram env dropIn path else pure (Verdict [] Nothing)
                let findings = verdictFindings verdict
                    foreigners = [ f | f <- findings, findingWeight f == Foreign ]
                case (filter ((<= Blocker) . findingWeight) findings, foreigners) of
                    (f : _, _) -> stopped f
                    ([], f : _) -> do
                        tell (findingText f)
                        become
                    ([], []) -> do
                        mapM_ (tell . findingText) (filter lacksDevices findings) -- the loader says less
                        way <- wayOf env dropIn (verdictClosure verdict)
                        extraFor dropIn >>= either (failed 125) (launch dropIn way)

    tell text = complain (runCommand o ++ ": " ++ text)
    stopped f = failed (if findingWeight f == NotFound then 127 else 126) (runCommand o ++ ": " ++ findingText f)

    launch dropIn way extra = do
        names <- mapM (\n -> (,) n <$> lookupEnv n) ["LD_PRELOAD", "LD_LIBRARY_PATH", "GHCOMP_HOST"]
        case settings (\n -> join (lookup n names)) dropIn way extra (runHost o) (runThreads o) of
            Left e -> failed 125 e
            Right vars -> do
                forM_ vars (\(n, v) -> setEnv n v True)
                become

    become = do
        restoreSignals
        -- The name as it was typed, so that the program sees it as its argv[0].
        try (executeFile (runCommand o) True (runArgs o) Nothing) >>= either notStarted pure

    notStarted e = failed 126 (runCommand o ++ ": cannot be started: " ++ ioeGetErrorString (e :: IOException))
    failed status text = pure (status, text)

-- | Is the command an interpreter of Python, as far as its name says?
isPython :: FilePath -> Bool
isPython command = any named ["python", "pypy"]
  where
    named name = maybe False (all (`elem` "0123456789.")) (stripPrefix name (takeFileName command))

-- | Becomes the interpreter, on the runtime, which says what each import of the program brings (@doctor_python.py@ of
-- the Python package, which lies beside the drop-in). Only returns, with one line, when that was not started.
importsOf :: DropIn -> FilePath -> [String] -> IO String
importsOf dropIn python args = do
    there <- doesFileExist entry
    if not there then pure (T.noImports dir) else
        snd <$> runProgram RunOptions
            { runHost = Just Posix, runThreads = Nothing, runLib = Just dir, runCheck = True, runCommand = python
            , runArgs = ["-B", entry] ++ args }
  where
    dir = dropInDir dropIn
    entry = dir </> "ghc_openmp" </> "doctor_python.py"

-- Unsafe: one system call, and nothing of it comes back into Haskell.
foreign import ccall unsafe "ghcomp_launcher_restore_signals"
    restoreSignals :: IO ()
