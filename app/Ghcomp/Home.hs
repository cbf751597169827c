-- | Where the runtime's shared objects lie.
module Ghcomp.Home
    ( DropIn (..)
    , Companion (..)
    , findDropIn
    , findCompanion
    , isOurs
    , ghcVersionOf
    ) where

import Control.Exception (IOException, try)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as BC
import Data.Char (isDigit)
import Data.List (intercalate, nub)
import Data.Maybe (listToMaybe, mapMaybe)
import System.Directory (canonicalizePath, doesFileExist)
import System.Environment (getExecutablePath, lookupEnv)
import System.FilePath (takeDirectory, (</>))

import Ghcomp.Elf
import Ghcomp.Loader

-- | The drop-in @libgomp.so.1@.
data DropIn = DropIn { dropInDir :: FilePath, dropInPath :: FilePath, dropInElf :: Elf }

-- | The object that brings GHC's RTS into a process that has none.
data Companion = Companion { companionPath :: FilePath, companionElf :: Elf }

dropInFile, companionFile :: FilePath
dropInFile = "libgomp.so.1"
companionFile = "libghcomp_rts.so"

-- | The folder asked for (@--lib@, else @GHCOMP_HOME@) or, when none is, the first of the usual places that
-- has it. The error is one line.
findDropIn :: Maybe FilePath -> IO (Either String DropIn)
findDropIn asked = try getExecutablePath >>= either noProc (findBeside asked)
  where
    -- The loader needs it, too, for the entries of 'forGlibc'.
    noProc e = const (pure (Left "/proc/self/exe cannot be read: mount /proc, which the launcher and the loader need"))
        (e :: IOException)

findBeside :: Maybe FilePath -> FilePath -> IO (Either String DropIn)
findBeside asked exe = do
    home <- lookupEnv "GHCOMP_HOME"
    let prefix = takeDirectory (takeDirectory exe)
        usual = (prefix </> "dropin") : [ p </> lib </> "ghc-openmp" | p <- nub [prefix, "/usr/local", "/usr"]
                                        , lib <- ["lib", "lib64", "lib/x86_64-linux-gnu"] ]
        under d = [d, d </> "dropin", d </> "lib/ghc-openmp", d </> "lib64/ghc-openmp"]
        (dirs, advice) = case (asked, filter (not . null) (maybe [] pure home)) of
            (Just d, _) -> (under d, "give --lib the folder that has it")
            (Nothing, h : _) -> (under h, "GHCOMP_HOME names no folder that has it")
            (Nothing, []) -> (usual, "build it with make, or name its folder with --lib or GHCOMP_HOME")
    found <- filterIO (doesFileExist . (</> dropInFile)) dirs
    case found of
        [] -> pure (Left (dropInFile ++ " of ghc-openmp is not in " ++ intercalate ", " dirs ++ ": " ++ advice))
        (d : _) -> do
            dir <- canonicalizePath d
            parsed <- readElf (dir </> dropInFile)
            pure $ case parsed of
                Left e -> Left (dir </> dropInFile ++ " cannot be read: " ++ e)
                Right e -> Right (DropIn dir (dir </> dropInFile) e)
  where
    filterIO p = fmap concat . mapM (\x -> (\ok -> [ x | ok ]) <$> p x)

findCompanion :: DropIn -> IO (Maybe (Either String Companion))
findCompanion d = do
    let path = dropInDir d </> companionFile
    there <- doesFileExist path
    if not there then pure Nothing else
        Just . either (Left . ((path ++ ": ") ++)) (Right . Companion path) <$> readElf path

-- | Is the file a runtime of this project? Its own messages name the project, in a stripped file too.
isOurs :: FilePath -> IO Bool
isOurs path = either (\e -> const False (e :: IOException)) says <$> try (mapFile path)
  where says = not . B.null . snd . B.breakSubstring (BC.pack "ghc-openmp: ")

-- | The GHC that a companion was built with, from the name of the RTS that it needs.
ghcVersionOf :: Elf -> Maybe String
ghcVersionOf e = listToMaybe (mapMaybe version (filter (BC.isPrefixOf (BC.pack "libHSrts")) (elfNeeded e)))
  where
    version name = case B.breakSubstring (BC.pack "-ghc") name of
        (_, rest) | not (B.null rest) -> Just (trim (takeWhile numeric (BC.unpack (B.drop 4 rest))))
        _ -> Nothing
    numeric c = isDigit c || c == '.'
    trim = reverse . dropWhile (== '.') . reverse
