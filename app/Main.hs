{-# LANGUAGE CPP #-}
-- | @ghcomp@: run existing OpenMP programs on ghc-openmp, and say what would run where.
module Main (main) where

import Control.Exception (catch, throwIO)
import Control.Monad (forM_, unless)
import Data.Char (isDigit)
import Data.List (isPrefixOf)
import GHC.IO.Encoding (mkTextEncoding, setFileSystemEncoding, setForeignEncoding, setLocaleEncoding)
import Options.Applicative
import System.Environment (getArgs)
import System.Exit (ExitCode (..), exitWith)
import System.IO (hFlush, hPutStrLn, hSetEncoding, stderr, stdout)

import Ghcomp.Doctor
import Ghcomp.Home
import Ghcomp.Info
import Ghcomp.Json (encode)
import Ghcomp.Line
import Ghcomp.Loader
import Ghcomp.Profile
import Ghcomp.Run
import qualified Ghcomp.Texts as T
import Ghcomp.Trace

version :: String
#ifdef CURRENT_PACKAGE_VERSION
version = CURRENT_PACKAGE_VERSION
#else
version = GHCOMP_VERSION
#endif

-- | How @info@ answers.
data Form = Text Detail | Json

data Command
    = Run RunOptions
    | Profile ProfileOptions
    | Info Form (Maybe FilePath) (Maybe FilePath)
    | Doctor (Maybe FilePath) FilePath [String]
    | Trace TraceOptions
    | Help (Maybe String)
    | DisplayEnv

commands :: Parser Command
commands = hsubparser
    ( command "run" (info (Run <$> runOptions)
        (noIntersperse <> progDesc "Run an OpenMP program on GHC's runtime system"))
    <> command "profile" (info (Profile <$> profileOptions)
        (noIntersperse <> progDesc "Run a program and say at its end where the time of its parallel regions went"))
    <> command "info" (info (Info <$> form <*> lib <*> optional (strArgument (metavar "PROGRAM")))
        (progDesc "Say what the runtime would do here, and which runtime PROGRAM gets"))
    <> command "doctor" (info
        (Doctor <$> lib <*> strArgument (metavar "PROGRAM") <*> many (strArgument (metavar "ARGS...")))
        (noIntersperse <> progDesc "Say why a program or library would not run, or what `python SCRIPT` imports"))
    <> command "trace" (info (Trace <$> traceOptions)
        (progDesc "Show a program's eventlog: as a trace for the Perfetto viewer, as a picture or as a table"))
    <> command "help" (info (Help <$> optional (strArgument (metavar "COMMAND"))) (progDesc "Show help")) )
    -- What `info` starts itself with, to hear from the runtime.
    <|> subparser (internal <> command "display-env" (info (pure DisplayEnv) mempty))
  where
    form = flag' Json (long "json" <> help "For machines: everything, as one line of JSON")
        <|> flag (Text Summary) (Text Everything) (long "all" <> help "The value of every setting as well")

lib :: Parser (Maybe FilePath)
lib = optional (strOption (long "lib" <> metavar "DIR" <> help "The folder that has ghc-openmp's libgomp.so.1"))

runOptions :: Parser RunOptions
runOptions = RunOptions
    <$> optional (option (eitherReader host) (long "host" <> metavar "auto|ghc|posix"
            <> help "Where threads come from (default: GHCOMP_HOST if set, else ghc)"))
    <*> optional (option (eitherReader threads) (long "threads" <> metavar "N"
            <> help "Threads of a parallel region, a comma between nesting levels (sets OMP_NUM_THREADS)"))
    <*> lib
    <*> flag True False (long "no-check" <> help "Start the program even if it would not run on the runtime")
    <*> strArgument (metavar "PROGRAM")
    <*> many (strArgument (metavar "ARGS..."))
  where
    host s = maybe (Left (s ++ " is not auto, ghc or posix")) Right
                   (lookup s [ (hostName h, h) | h <- [minBound ..] ])
    threads s
        | all positive (splitPath "," s) = Right s
        | otherwise = Left (s ++ " is not a positive number (or some, with commas between)")
    positive n = not (null n) && all isDigit n && any (/= '0') n && length n <= 9

profileOptions :: Parser ProfileOptions
profileOptions = ProfileOptions
    <$> optional (strOption (long "json" <> metavar "FILE"
            <> help "Write the profile for machines; %p in the name is the process's number"))
    <*> optional (strOption (long "trace" <> metavar "FILE"
            <> help "Write a timeline for the Perfetto viewer"))
    <*> optional (option (eitherReader rows) (long "top" <> metavar "N"
            <> help "The longest rows of each table alone (default: 10)"))
    <*> runOptions
  where
    rows s | not (null s), all isDigit s, any (/= '0') s, length s <= 9 = Right (read s)
           | otherwise = Left (s ++ " is not a positive number")

traceOptions :: Parser TraceOptions
traceOptions = TraceOptions
    <$> optional (strOption (short 'o' <> long "output" <> metavar "OUT.json"
            <> help "The trace (default: PROGRAM.trace.json; none with --svg or --summary; - for stdout)"))
    <*> optional (strOption (long "svg" <> metavar "FILE.svg" <> help "Write a picture"))
    <*> optional (strOption (long "note" <> metavar "WORDS"
            <> help "A line below the picture: the machine, the date, what ran"))
    <*> switch (long "summary" <> help "Print a table: where each thread's time went")
    <*> optional (option (eitherReader nanoseconds) (long "from" <> metavar "MS"
            <> help "Leave out what is before this time, in milliseconds since the program's start"))
    <*> optional (option (eitherReader nanoseconds) (long "to" <> metavar "MS"
            <> help "Leave out what is after this time"))
    <*> strArgument (metavar "PROGRAM.eventlog")

parser :: ParserInfo Command
parser = info (commands <**> versionOption <**> helper)
    (fullDesc <> header "ghcomp - OpenMP programs on GHC's runtime system")
  where
    versionOption = infoOption ("ghcomp " ++ version) (long "version" <> help "Show the version")

main :: IO ()
main = do
    -- Names, and files of the system that have names in them, are the bytes that they are, whatever the locale.
    bytes <- mkTextEncoding "UTF-8//ROUNDTRIP"
    mapM_ ($ bytes) [setFileSystemEncoding, setForeignEncoding, setLocaleEncoding]
    mapM_ (`hSetEncoding` bytes) [stdout, stderr]
    args <- getArgs
    r <- tried (flushed (parse args >>= perform)) `catch` (failWith (usageStatus args) . reason)
    either (failWith (usageStatus args) . ("internal error, please report it: " ++)) pure r

-- | With its output written, also before an exit: the runtime's own flush at the exit ignores errors.
flushed :: IO () -> IO ()
flushed body = do
    body `catch` \e -> hFlush stdout >> throwIO (e :: ExitCode)
    hFlush stdout

-- | env(1) keeps 125 for its own failures; the others use 2, because doctor's 1 is an answer.
usageStatus :: [String] -> Int
usageStatus args = if take 1 args `elem` [["run"], ["profile"]] then 125 else 2

parse :: [String] -> IO Command
parse args = case understood args of
    Success c -> pure c
    -- What was meant by an unknown word is looked for in time that grows with the square of its length.
    Failure _ | any tooLong args -> parse (map (\a -> if tooLong a then take 500 a ++ "..." else a) args)
    Failure f -> case renderFailure f "ghcomp" of
        (text, ExitSuccess) -> putStrLn text >> exitWith ExitSuccess
        (text, _) | null args -> hPutStrLn stderr text >> exitWith (ExitFailure 2)
        (text, _) -> failWith (usageStatus args) (oneLine text ++ "; see ghcomp help")
    CompletionInvoked c -> execCompletion c "ghcomp" >>= putStr >> exitWith ExitSuccess
  where
    understood = execParserPure (prefs (if null args then showHelpOnEmpty else mempty)) parser
    tooLong = not . null . drop 1000
    oneLine = unwords . words . unwords . takeWhile (not . isPrefixOf "Usage:") . lines

perform :: Command -> IO ()
perform c = case c of
    Run o -> runProgram o >>= uncurry failWith
    Profile o -> profileProgram o >>= uncurry failWith
    Info form dir program -> do
        r <- report version dir program
        putStr (case form of { Json -> encode (toJson r) ++ "\n"; Text detail -> toText detail r })
    Doctor dir program args -> findDropIn dir >>= either (failWith 2) (if null args then doctor program else imports)
      where
        imports dropIn
            | isPython program = importsOf dropIn program args >>= failWith 2
            | otherwise = failWith 2 T.doctorArguments
    Trace o -> trace o >>= either (failWith 2) pure
    Help topic -> parse (maybe [] pure topic ++ ["--help"]) >>= perform
    DisplayEnv -> displayEnv >>= either (failWith 1) pure

doctor :: FilePath -> DropIn -> IO ()
doctor program dropIn = do
    env <- loaderEnv
    located <- locate program
    verdict <- case located of
        Left f -> pure (Verdict [f] Nothing)
        Right path -> diagnose AsObject env dropIn path
    let stops = filter ((<= Foreign) . findingWeight) (verdictFindings verdict)
        say f = program ++ ": " ++ label f ++ findingText f
        label f = case findingWeight f of { Warning -> "warning: "; Note -> "note: "; _ -> "" }
        idle = any ((== NoOpenMP) . findingWeight) (verdictFindings verdict)
    forM_ (verdictFindings verdict) (putStrLn . shown . say)
    if null stops
        then unless idle $ putStrLn (T.serves (shown program) (dropInPath dropIn))
        else exitWith (ExitFailure 1)

failWith :: Int -> String -> IO a
failWith status text = do
    complain text
    exitWith (ExitFailure status)
