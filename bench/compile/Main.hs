-- | Compiles and links a Haskell program as @ghc --make@ does, in one process with one heap: a task for each module
-- compiles it by GHC's library when the tasks of those that it imports have ended.
--
-- > one-heap -jN -BFOLDER FLAG... -o PROGRAM MODULE...
--
-- Flags and modules are those of @ghc --make@; the folder is what @ghc --print-libdir@ says. Everything is compiled
-- anew. A program with .hs-boot files or Template Haskell is an error. See bench/compile.py.
module Main (main) where

import Control.Concurrent (setNumCapabilities)
import Control.Exception (SomeException, displayException, try)
import Control.Monad (forM_, unless)
import Control.Monad.IO.Class (liftIO)
import Data.IORef (IORef, atomicModifyIORef', newIORef, readIORef, writeIORef)
import Data.List (foldl', isPrefixOf, partition)
import qualified Data.Map.Strict as Map
import System.Directory (getFileSize)
import System.Environment (getArgs)
import System.Exit (exitFailure)
import System.IO (hPutStrLn, stderr)
import Text.Read (readMaybe)

import GHC hiding (failed)
import GHC.Data.Graph.Directed (SCC (..))
import GHC.Driver.Pipeline (compileOne, link)
import GHC.Driver.Session (FilesToClean (..), emptyFilesToClean)
import GHC.Driver.Types
import GHC.SysTools.FileCleanup (cleanCurrentModuleTempFiles)
import GHC.Types.Unique.DFM (plusUDFM)

import OpenMP.Parallel hiding (single)
import OpenMP.Settings

main :: IO ()
main = do
  args <- getArgs
  let (jobs, rest) = partition ("-j" `isPrefixOf`) args
      (folders, flags) = partition ("-B" `isPrefixOf`) rest
  case (map (readMaybe . drop 2) jobs, folders) of
    ([Just n], [folder]) | n >= 1 -> do
      setNumCapabilities n
      ended <- try (build n (drop 2 folder) flags)
      either (\e -> failed (displayException (e :: SomeException))) pure ended
    _ -> failed "usage: one-heap -jN -BFOLDER FLAG... -o PROGRAM MODULE..."

failed :: String -> IO a
failed text = hPutStrLn stderr ("one-heap: " ++ text) >> exitFailure

build :: Int -> FilePath -> [String] -> IO ()
build n folder flags = runGhc (Just folder) $ do
  before <- getSessionDynFlags
  (chosen, targets, _) <- parseDynamicFlags before (map noLoc flags)
  _ <- setSessionDynFlags chosen { ghcMode = CompManager }
  mapM (\target -> guessTarget (unLoc target) Nothing) targets >>= setTargets
  graph <- depanal [] False
  session <- getSession
  liftIO $ do
    summaries <- mapM single (topSortModuleGraph False graph Nothing)
    made <- everything n session summaries
    linked <- link (ghcLink chosen) (hsc_dflags session) True made
    unless (succeeded linked) (failed "the link failed")

single :: SCC ModSummary -> IO ModSummary
single component = case component of
  AcyclicSCC summary | ms_hsc_src summary == HsSrcFile -> pure summary
  _ -> failed "modules that import each other, or an .hs-boot file: not supported"

-- | The table of all modules, each compiled by a task that depends on those of its imports. What flows from task to
-- task is the table of a module and of all below it. Of the tasks that can begin the one with the longest way to the
-- end, in bytes of source, goes first, where OMP_MAX_TASK_PRIORITY allows for that.
everything :: Int -> HscEnv -> [ModSummary] -> IO HomePackageTable
everything n session summaries = do
  units <- mapM unitOf summaries
  lengths <- waysOf summaries
  let known = Map.fromList [(ms_mod_name summary, unit) | (summary, unit) <- zip summaries units]
      below summary = [unit | Just unit <- map (`Map.lookup` known) (imported summary)]
      tableOf from = foldl' plusUDFM emptyHomePackageTable <$> mapM (readIORef . table) from
  parallelTasks defaults { numThreads = Just n } $ \team ->
    forM_ (zip3 [1 ..] summaries units) $ \(number, summary, unit) -> do
      let way = Map.findWithDefault 0 (ms_mod_name summary) lengths
          clauses = taskDefaults { depends = Out (name unit) : map (In . name) (below summary), priority = way }
      taskWith team clauses $ do
        before <- tableOf (below summary)
        info <- compiled session { hsc_HPT = before } summary number (length summaries)
        writeIORef (table unit) $! addToHpt before (ms_mod_name summary) info
  tableOf units
  where
    unitOf _ = Unit <$> newDep <*> newIORef emptyHomePackageTable

data Unit = Unit { name :: Dep, table :: IORef HomePackageTable }

imported :: ModSummary -> [ModuleName]
imported summary = [found | (_, L _ found) <- ms_textual_imps summary]

-- | The bytes of source on the longest way from each module to one that none imports. The modules come in an order in
-- which they can be compiled.
waysOf :: [ModSummary] -> IO (Map.Map ModuleName Int)
waysOf summaries = foldr add Map.empty <$> mapM sized summaries
  where
    sized summary = (,) summary . fromIntegral <$> maybe (pure 0) getFileSize (ml_hs_file (ms_location summary))
    -- What is there of a module is the longest way from one that imports it.
    add (summary, size) done =
      let way = size + Map.findWithDefault 0 (ms_mod_name summary) done
       in foldr (\below -> Map.insertWith max below way) (Map.insert (ms_mod_name summary) way done) (imported summary)

-- | Compiles a module. The list of temporary files is the module's own, as the session's is no list for several
-- threads; what is needed until the link goes to that one afterwards.
compiled :: HscEnv -> ModSummary -> Int -> Int -> IO HomeModInfo
compiled session summary number count = do
  own <- newIORef emptyFilesToClean
  let flags = hsc_dflags session
      with old = old { filesToClean = own }
  info <- compileOne session { hsc_dflags = with flags } summary { ms_hspp_opts = with (ms_hspp_opts summary) }
    number count Nothing Nothing SourceModified
  cleanCurrentModuleTempFiles (with flags)
  left <- readIORef own
  atomicModifyIORef' (filesToClean flags) $ \files ->
    (files { ftcGhcSession = ftcGhcSession left <> ftcGhcSession files }, ())
  pure info
