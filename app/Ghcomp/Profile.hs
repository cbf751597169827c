-- | @ghcomp profile@: a program with the runtime and the profiler (@profile/@), which prints at the program's end.
--
-- The launcher becomes the program, as it does for @ghcomp run@; so the profiler, a library that is loaded with the
-- program, gets its settings by variables. Tested in @test/profile/profile_test.py@.
module Ghcomp.Profile
    ( ProfileOptions (..)
    , profileProgram
    ) where

import Control.Monad (filterM)
import Data.List (isInfixOf)
import System.Directory (doesDirectoryExist, doesFileExist, makeAbsolute)
import System.Environment (lookupEnv)
import System.FilePath (takeDirectory, (</>))
import System.Posix.Files (fileAccess)
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
    json <- traverse makeAbsolute (profileJson o)
    timeline <- traverse makeAbsolute (profileTrace o)
    trouble <- mapM unwritable [ f | Just f <- [json, timeline] ]
    case concat trouble of
        why : _ -> pure (125, why)
        [] | Just f <- json, json == timeline -> pure (125, f ++ ": --json and --trace need different files")
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

-- | Why a file will not be written, one line or none: checked before the program runs, and not after hours.
unwritable :: FilePath -> IO [String]
unwritable file = do
    folder <- doesDirectoryExist file
    exists <- doesFileExist file
    inside <- doesDirectoryExist (takeDirectory file)
    let asked = if exists then file else takeDirectory file
    closed <- filterM (\path -> not <$> fileAccess path False True False) [ asked | inside, not folder ]
    pure $ case () of
        _ | folder -> [file ++ " is a folder: name a file"]
          | "%p" `isInfixOf` takeDirectory file -> []
          | not inside -> [takeDirectory file ++ " is no folder: make it, or name another file"]
          | not (null closed) -> [file ++ " cannot be written: name another file"]
          | otherwise -> []
