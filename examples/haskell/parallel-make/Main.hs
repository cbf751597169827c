-- | Compiles a Haskell program on several processors: a dataflow graph with a node for each module and the dependencies
-- that @ghc -M@ finds. "OpenMP.Graph" runs each node as soon as the modules that it imports have been compiled.
module Main (main) where

import Control.Exception
import Control.Monad (filterM, foldM, forM_, unless, when)
import Data.List (intercalate, isInfixOf)
import qualified Data.Map.Strict as Map
import qualified Data.Set as Set
import OpenMP.Graph
import OpenMP.Settings
import Options.Applicative
import System.Directory hiding (executable)
import System.Environment (getArgs)
import System.Exit (exitFailure)
import System.FilePath
import System.IO

import Batches
import Compiler
import Dependencies
import Display

data Options = Options
  { jobs :: Int
  , ghc :: FilePath
  , folder :: FilePath
  , program :: Maybe FilePath
  , hush :: Bool
  , targets :: [String]
  , ghcFlags :: [String]
  }

options :: Parser Options
options =
  Options
    <$> option positive (short 'j' <> long "jobs" <> metavar "N" <> value 2 <> showDefault <> help "modules at a time")
    <*> strOption (long "ghc" <> metavar "PROGRAM" <> value "ghc" <> showDefault <> help "the compiler")
    <*> strOption
      (long "outputdir" <> metavar "FOLDER" <> value "parallel-make.out" <> showDefault
        <> help "for objects and interfaces")
    <*> optional (strOption (short 'o' <> metavar "PROGRAM" <> help "link the modules (packages by -package)"))
    <*> switch (long "quiet" <> help "show no progress")
    <*> some (strArgument (metavar "MODULE..." <> help "modules or files; what they import is found"))
    <*> pure []
  where
    positive = auto >>= \n -> if n >= 1 then pure n else readerError "-j needs a number from 1 on"

-- | How a compilation ended well.
data Made = Compiled | Unchanged
  deriving (Eq)

main :: IO ()
main = do
  (ours, forGhc) <- break (== "--") <$> getArgs
  chosen <- handleParseResult (execParserPure (prefs showHelpOnEmpty) (info (options <**> helper) description) ours)
  build chosen { ghcFlags = drop 1 forGhc } `catch` \e -> do
    hPutStrLn stderr ("parallel-make: " ++ dropEnd (show (e :: CompileError)))
    exitFailure
  where
    description = fullDesc <> progDesc "Compiles Haskell modules, several at a time, and links them"
      <> footer "Flags for GHC stand behind --: parallel-make -j2 -o prog Main.hs -- -isrc -O1 -package containers"
    dropEnd = reverse . dropWhile (== '\n') . reverse

build :: Options -> IO ()
build given = do
  -- ghc -M shortens names of interfaces that are below the current folder, and no names of objects.
  relative <- makeRelativeToCurrentDirectory (folder given)
  let chosen = given { folder = relative }
  createDirectoryIfMissing True (folder chosen)
  let compiler = Compiler (ghc chosen) (ghcFlags chosen ++ ["-outputdir", folder chosen])
  units <- dependencies compiler (folder chosen) (targets chosen) >>= either (throwIO . CompileError) pure
  same <- sameFlags chosen compiler
  -- Not there until all modules have been looked at with these flags.
  unless same (removePathForcibly (flagsFile chosen))
  display <- newDisplay (hush chosen) (Map.size units)
  runs <- divided chosen units
  -- Whatever comes, no half of a line stays.
  (ends, linked) <- (`finally` finish display) $
    runGraph defaults { numThreads = Just (jobs chosen) } $ do
      nodes <- foldM (addRun chosen compiler display same units) Map.empty runs
      final <- node "the program" (traverse input nodes) (linkIfNeeded chosen compiler display same . Map.toList)
      pure ((,) <$> traverse outcome nodes <*> outcome final)
  report chosen ends linked
  writeFile (flagsFile chosen) (flagsText compiler)

-- | The compilations, in an order in which they can be made. Those of one run are new: GHC decides about each other
-- one.
divided :: Options -> Map.Map Object Unit -> IO [[Object]]
divided chosen units = do
  old <- or <$> mapM doesFileExist (Map.keys units)
  sized <- mapM (\unit -> (,) unit . fromIntegral <$> getFileSize (source unit)) units
  let runs = batches (jobs chosen) sized
  pure (if old then concatMap (map pure) runs else runs)

-- | A node for each module of a run, which compiles it; before them a node that compiles all of them together, if that
-- goes well. If one of them has an error each module's node looks after its own.
addRun
  :: Options -> Compiler -> Display -> Bool -> Map.Map Object Unit -> Map.Map Object (Node s Made) -> [Object]
  -> Graph s (Map.Map Object (Node s Made))
addRun chosen compiler display same units made run = do
  together <- case run of
    [_] -> pure (pure False)
    _ -> input <$> node "several modules" (traverse outcome (Map.restrictKeys made outside)) allOfThem
  foldM (add together) made run
  where
    outside = Set.fromList (concatMap (needs . (units Map.!)) run)
    allOfThem ends
      | all (either (const False) (const True)) ends = compileAll (folder chosen) compiler display (sourced run)
      | otherwise = pure False
    sourced objects = [(object, units Map.! object) | object <- objects]
    add together before object = do
      let unit = units Map.! object
          inputs = (,) <$> together <*> traverse (input . (before Map.!)) (needs unit)
      new <- node (title (folder chosen) object) inputs $ \(done, _) ->
        if done then pure Compiled else compile (folder chosen) compiler display same object unit
      pure (Map.insert object new before)

-- | A module's name for the user, from its object.
title :: FilePath -> Object -> String
title out object = map dot (dropExtension (makeRelative out object)) ++ (if isBoot object then "[boot]" else "")
  where
    dot c = if c == '/' then '.' else c

-- | Runs GHC if a file is newer than the object that was made from it. GHC then decides by the contents of interfaces
-- whether to compile; if it does not, it makes the object newer, and if the new interface is the old one it leaves that
-- file as it was, so that the modules that import this one need not be looked at.
compile :: FilePath -> Compiler -> Display -> Bool -> Object -> Unit -> IO Made
compile out compiler display same object unit = do
  current <- if same then newerThan object (source unit : map interfaceOf (needs unit)) else pure False
  if current
    then pure Unchanged
    else during display (source unit) $ do
      -- Before GHC 9.4 interfaces are looked for beside the sources, and not in the folder for interfaces.
      text <- runCompiler compiler ["-c", source unit, "-i" ++ out]
      let said = filter (not . ("compilation IS NOT required" `isInfixOf`)) (lines text)
      say display (unlines said)
      pure (if length said < length (lines text) then Unchanged else Compiled)

-- | Compiles new modules in one run of GHC. False: it has failed, and left nothing.
compileAll :: FilePath -> Compiler -> Display -> [(Object, Unit)] -> IO Bool
compileAll out compiler display run = flip catch failed $ do
  text <- foldr (during display . source . snd) (runCompiler compiler arguments) run
  True <$ say display text
  where
    arguments = "-c" : map (source . snd) run ++ ["-i" ++ out]
    failed e = do
      let _ = e :: CompileError
      False <$ mapM_ (removePathForcibly . fst) run

-- | Whether the file is there, and newer than all of the others.
newerThan :: FilePath -> [FilePath] -> IO Bool
newerThan file others = do
  there <- doesFileExist file
  if not there
    then pure False
    else do
      made <- getModificationTime file
      null <$> filterM (fmap (>= made) . getModificationTime) others

linkIfNeeded :: Options -> Compiler -> Display -> Bool -> [(Object, Made)] -> IO Made
linkIfNeeded chosen compiler display same made = case program chosen of
  Nothing -> pure Unchanged
  Just file -> do
    let objects = [object | (object, _) <- made, not (isBoot object)]
    current <- if same then newerThan file objects else pure False
    if current
      then pure Unchanged
      else do
        text <- runCompiler compiler (["-o", file] ++ objects)
        Compiled <$ say display text

-- | The errors of all modules, then what did not run because of them.
report :: Options -> Map.Map Object (Either SomeException Made) -> Either SomeException Made -> IO ()
report chosen ends linked = do
  let failed = [(object, e) | (object, Left e) <- Map.toList ends]
      (skipped, broken) = splitOn (\(_, e) -> isSkipped e) failed
      names = map (title (folder chosen) . fst)
  forM_ broken $ \(_, e) -> hPutStr stderr (text e)
  unless (null skipped) $
    hPutStrLn stderr
      ("not compiled, because of " ++ intercalate ", " (names broken) ++ ": " ++ intercalate ", " (names skipped))
  either (\e -> unless (isSkipped e) (hPutStr stderr (text e))) (const (pure ())) linked
  putStrLn $ plural (length [() | Right Compiled <- Map.elems ends]) ++ " compiled, "
    ++ show (length [() | Right Unchanged <- Map.elems ends]) ++ " unchanged, "
    ++ show (length broken) ++ " failed, " ++ show (length skipped) ++ " not tried"
  when (either (const True) (const False) linked) exitFailure
  where
    -- Of what is in it: GHC 9.10 adds where it was thrown to the text of a SomeException.
    text (SomeException e) = displayException e
    isSkipped e = maybe False (\p -> const True (p :: PredecessorFailed)) (fromException e)
    splitOn p list = (filter p list, filter (not . p) list)
    plural n = show n ++ (if n == 1 then " module" else " modules")

-- | Whether the objects in the folder were made by this compiler with these flags. Otherwise GHC looks at each module.
sameFlags :: Options -> Compiler -> IO Bool
sameFlags chosen compiler = do
  there <- doesFileExist (flagsFile chosen)
  if there then (== flagsText compiler) <$> whole (flagsFile chosen) else pure False
  where
    whole file = readFile file >>= \text -> text <$ evaluate (length text)

flagsFile :: Options -> FilePath
flagsFile chosen = folder chosen </> "flags"

flagsText :: Compiler -> String
flagsText compiler = unlines (executable compiler : flags compiler)
