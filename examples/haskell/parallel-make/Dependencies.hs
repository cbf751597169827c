-- | The modules of a program and what each needs, from @ghc -M@.
module Dependencies
  ( Unit (..)
  , Object
  , dependencies
  , parseMakefile
  , interfaceOf
  , isBoot
  ) where

import Data.List (isPrefixOf, isSuffixOf)
import qualified Data.Map.Strict as Map
import System.FilePath

import Compiler

-- | The file that a compilation makes: @.o@, or @.o-boot@ for a module's @.hs-boot@.
type Object = FilePath

-- | A compilation.
data Unit = Unit
  { source :: FilePath
  , needs :: [Object] -- ^ the compilations whose interfaces it reads
  }
  deriving (Eq, Show)

-- | GHC writes a makefile to a file in the folder for objects; it parses the head of every module for that.
dependencies :: Compiler -> FilePath -> [String] -> IO (Either String (Map.Map Object Unit))
dependencies compiler folder targets = do
  _ <- runCompiler compiler (["-M", "-dep-suffix", "", "-dep-makefile", makefile] ++ targets)
  parseMakefile <$> readFile makefile
  where
    makefile = folder </> "dependencies.make"

-- | The rules are lines of one object and one file that it is made from.
parseMakefile :: String -> Either String (Map.Map Object Unit)
parseMakefile text = do
  rules <- mapM rule [line | line <- lines text, not ("#" `isPrefixOf` line), not (null (words line))]
  traverse unit (ownBoot (Map.fromListWith (flip (++)) rules))
  where
    rule line = case words' line of
      [object, ":", file] -> Right (object, [file])
      _ -> Left ("ghc -M has written a rule of another shape: " ++ line)
    unit files = case filter (not . isInterface) files of
      [file] -> Right (Unit file (map objectOf (filter isInterface files)))
      _ -> Left ("ghc -M names not one source but " ++ show files)
    isInterface file = any (`isSuffixOf` file) [".hi", ".hi-boot"]

-- | A module is compiled after its own @.hs-boot@, also if nothing that it imports leads there.
ownBoot :: Map.Map Object [FilePath] -> Map.Map Object [FilePath]
ownBoot rules = Map.mapWithKey add rules
  where
    add object files
      | Map.member (object ++ "-boot") rules && boot `notElem` files = files ++ [boot]
      | otherwise = files
      where
        boot = interfaceOf (object ++ "-boot")

-- | The words of a line, with make's backslash before a space that belongs to a word.
words' :: String -> [String]
words' = go ""
  where
    go word text = case text of
      '\\' : ' ' : rest -> go (' ' : word) rest
      c : rest
        | c `elem` " \t\r" -> [reverse word | not (null word)] ++ go "" rest
        | otherwise -> go (c : word) rest
      [] -> [reverse word | not (null word)]

objectOf :: FilePath -> Object
objectOf = exchange ".hi" ".o"

-- | The interface that a compilation writes beside its object.
interfaceOf :: Object -> FilePath
interfaceOf = exchange ".o" ".hi"

isBoot :: Object -> Bool
isBoot object = takeExtension object == ".o-boot"

-- | Another suffix, with or without @-boot@ behind it.
exchange :: String -> String -> FilePath -> FilePath
exchange old new file
  | (old ++ "-boot") `isSuffixOf` file = cut (length old + 5) ++ new ++ "-boot"
  | otherwise = cut (length old) ++ new
  where
    cut n = take (length file - n) file
