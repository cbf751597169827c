-- | @ghcomp profile@: a program with the runtime and the profiler (@profile/@), which prints at the program's end.
--
-- The launcher becomes the program, as it does for @ghcomp run@; so the profiler, a library that is loaded with the
-- program, gets its settings by variables. Tested in @test/profile/profile_test.py@.
module Ghcomp.Profile
    ( ProfileOptions (..)
    , profileProgram
    ) where

import Control.Exception (IOException, try)
import Control.Monad (filterM)
import Data.List (isInfixOf, nub)
import System.Directory (canonicalizePath, doesDirectoryExist, doesFileExist, getCurrentDirectory, makeAbsolute)
import System.Environment (lookupEnv)
import System.FilePath (isAbsolute, takeDirectory, (</>))
import System.Posix.Files (deviceID, fileAccess, fileID, getFileStatus, isRegularFile)
import System.Posix.Process (getProcessID)

import Ghcomp.Home
import Ghcomp.Run

data ProfileOptions = ProfileOptions
    { profileJson  :: Maybe FilePath
    , profileTrace :: Maybe FilePath
    , profileTop   :: Maybe Int   -- ^ rows of each table
    , profileRun   :: RunOptions
    }

-- | As 'runProgram'.
profileProgram :: ProfileOptions -> IO (Int, String)
profileProgram o = do
    trouble <- mapM unwritable [ f | Just f <- [profileJson o, profileTrace o] ]
    same <- maybe (pure False) (uncurry sameFile) ((,) <$> profileJson o <*> profileTrace o)
    json <- traverse forProfiler (profileJson o)
    timeline <- traverse forProfiler (profileTrace o)
    case concat trouble of
        why : _ -> pure (125, why)
        [] | same -> pure (125, maybe "" id (profileJson o) ++ ": --json and --trace need different files")
           | otherwise -> runWith (extra json timeline) (profileRun o)
  where
    extra json timeline dropIn = do
        let library = dropInDir dropIn </> "libghcomp_profile.so"
        there <- doesFileExist library
        process <- getProcessID
        others <- lookupEnv "OMP_TOOL_LIBRARIES"
        pure $ if not there
            then Left (library ++ " is missing: build it with make, or name its folder with --lib")
            else Right Extra
                { extraPreload = [library]
                , extraSettings =
                    [ ("OMP_TOOL", "enabled")
                    , ("OMP_TOOL_LIBRARIES", library ++ maybe "" (':' :) (nonEmpty others))
                    , ("GHCOMP_PROFILE_PROCESS", show process)
                    , ("GHCOMP_PROFILE_JSON", maybe "" id json)
                    , ("GHCOMP_PROFILE_TRACE", maybe "" id timeline)
                    , ("GHCOMP_PROFILE_TOP", maybe "" show (profileTop o)) ] }
    nonEmpty v = case v of { Just s@(_ : _) -> Just s; _ -> Nothing }

-- | The name as an absolute one for the profiler, which replaces @%p@ and takes @%%@ for a @%@: that of the current
-- folder is no @%p@ of the user's.
forProfiler :: FilePath -> IO FilePath
forProfiler file
    | isAbsolute file = pure (typed file)
    | otherwise = (</> typed file) . concatMap plain <$> getCurrentDirectory
  where
    typed s = case s of
        '%' : 'p' : rest -> "%p" ++ typed rest
        c : rest -> plain c ++ typed rest
        [] -> []
    plain c = if c == '%' then "%%" else [c]

-- | Whether the names are those of one file, by links, too.
sameFile :: FilePath -> FilePath -> IO Bool
sameFile one other = do
    paths <- mapM canonicalizePath [one, other]
    files <- mapM existing [one, other]
    pure $ length (nub paths) == 1 || case concat files of
        [a, b] -> a == b
        _ -> False
  where
    existing file = either (\e -> const [] (e :: IOException)) number <$> try (getFileStatus file)
    number status = [ (deviceID status, fileID status) | isRegularFile status ]

-- | Why a file will not be written, one line or none: checked before the program runs, and not after hours.
unwritable :: FilePath -> IO [String]
unwritable typed = do
    file <- makeAbsolute typed
    folder <- doesDirectoryExist file
    exists <- doesFileExist file
    inside <- doesDirectoryExist (takeDirectory file)
    let asked = if exists then file else takeDirectory file
    closed <- filterM (\path -> not <$> fileAccess path False True False) [ asked | inside, not folder ]
    pure $ case () of
        _ | "%p" `isInfixOf` takeDirectory typed -> []
          | folder -> [file ++ " is a folder: name a file"]
          | not inside -> [takeDirectory file ++ " is no folder: make it, or name another file"]
          | not (null closed) -> [file ++ " cannot be written: name another file"]
          | otherwise -> []
