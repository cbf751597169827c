-- | What the dynamic loader would load with a program: the search of ld.so(8) without running anything.
--
-- In scope: DT_RPATH and DT_RUNPATH with @$ORIGIN@ and @$LIB@, @LD_LIBRARY_PATH@, @LD_PRELOAD@, the loader's
-- cache and the default folders. Out of scope: libraries that the program opens itself (dlopen),
-- @glibc-hwcaps@ folders (their libraries differ from the plain ones in speed alone). Tested in
-- @test/hs/launcher/LoaderTest.hs@.
module Ghcomp.Loader
    ( Env (..)
    , Object (..)
    , Closure (..)
    , loaderEnv
    , closure
    , readElf
    , mapFile
    , pathOf
      -- * Parts, for the tests
    , expand
    , parseCache
    , splitPath
      -- * Entries that glibc's loader alone understands
    , forGlibc
    , plainEntry
    ) where

import Control.Exception (IOException, finally, onException, try)
import Data.Bits (shiftL)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as BC
import qualified Data.ByteString.Unsafe as BU
import Data.List (isInfixOf, stripPrefix)
import qualified Data.Map.Strict as M
import Data.Maybe (fromMaybe, maybeToList)
import Data.Word (Word8)
import Foreign.C.Types (CInt (..), CSize (..))
import Foreign.Ptr (Ptr, nullPtr, plusPtr)
import qualified GHC.Foreign as Foreign
import GHC.IO.Encoding (getFileSystemEncoding)
import System.Directory (canonicalizePath, doesFileExist)
import System.Environment (lookupEnv)
import System.FilePath (isAbsolute, takeDirectory, (</>))
import System.IO (IOMode (ReadMode), hClose, hFileSize, openBinaryFile)
import System.IO.Error (ioeGetErrorString)
import System.Posix.Files (getFileStatus, isRegularFile)
import System.Posix.IO (closeFd, handleToFd)
import System.Posix.Types (COff (..))

import Ghcomp.Elf

-- | What the search depends on besides the files themselves.
data Env = Env
    { envLibraryPath :: [FilePath]
    , envPreload     :: [FilePath]
    , envCache       :: M.Map B.ByteString B.ByteString  -- ^ from a library's name to its path
    }

-- | A file that the loader maps.
data Object = Object
    { objectPath   :: FilePath
    , objectName   :: B.ByteString  -- ^ the name it was asked for by
    , objectElf    :: Elf
    , objectParent :: Maybe FilePath  -- ^ which object asked; none for the program and what is preloaded
    }

data Closure = Closure
    { closureObjects :: [Object]                      -- ^ in the loader's order; the program comes first
    , closureMissing :: [(B.ByteString, FilePath)]    -- ^ a library that is not there, and the object that needs it
    }

-- | The environment as this process sees it.
loaderEnv :: IO Env
loaderEnv = do
    path <- lookupEnv "LD_LIBRARY_PATH"
    preload <- lookupEnv "LD_PRELOAD"
    cache <- try (B.readFile "/etc/ld.so.cache")
    pure Env
        { envLibraryPath = map plainEntry (maybe [] (splitPath ":;") path)
        , envPreload = map plainEntry (filter (not . null) (maybe [] (splitPath ": ") preload))
        , envCache = either (\e -> const M.empty (e :: IOException)) parseCache cache
        }

-- | An absolute path as an entry of @LD_PRELOAD@ or @LD_LIBRARY_PATH@ that only glibc's loader finds. Programs linked
-- with musl, which what is started may start in turn, could not load the runtime and would end. musl takes the name as
-- it stands, has no such file, and continues. For glibc @$ORIGIN@ is the program's folder, and the parent of @/@ is
-- @/@.
forGlibc :: FilePath -> FilePath
forGlibc path = upToRoot ++ path

upToRoot :: String
upToRoot = "$ORIGIN" ++ concat (replicate 40 "/..")

-- | The path in such an entry; others stay.
plainEntry :: FilePath -> FilePath
plainEntry entry = fromMaybe entry (stripPrefix upToRoot entry)

-- | A path list; an empty element means the current folder.
splitPath :: [Char] -> String -> [FilePath]
splitPath separators s = case break (`elem` separators) s of
    (a, []) -> [a]
    (a, _ : rest) -> a : splitPath separators rest

-- | The loader's cache in the format of glibc 2.32 and later (or the old one with the new one behind it). A
-- cache that cannot be read is taken for an empty one, as the loader does.
parseCache :: B.ByteString -> M.Map B.ByteString B.ByteString
parseCache file = case B.breakSubstring magic file of
    (_, b) | B.length b >= 48 -> M.fromListWith (\_ first -> first) (concatMap (entry b) [0 .. count b - 1])
    _ -> M.empty
  where
    magic = BC.pack "glibc-ld.so.cache1.1"
    count b = min (word b 20) (B.length b `div` 24)
    entry b i =
        let at = 48 + 24 * i
            ours = word b at == 0x0303  -- an ELF library of the C library's sixth version, for x86-64
            plain = word b (at + 16) == 0 && word b (at + 20) == 0  -- not from a glibc-hwcaps folder
        in [ (string b (word b (at + 4)), string b (word b (at + 8)))
           | at + 24 <= B.length b, ours, plain ]
    string b at = B.takeWhile (/= 0) (B.drop at b)
    word b i = sum [ byte b (i + k) `shiftL` (8 * k) | k <- [0 .. 3], i + k < B.length b ] :: Int
    byte b i = fromIntegral (B.index b i)

-- | A path in a file's bytes, for the runtime's file functions.
pathOf :: B.ByteString -> IO FilePath
pathOf b = getFileSystemEncoding >>= \e -> B.useAsCStringLen b (Foreign.peekCStringLen e)

-- | Read a file; the error is one line, without the file's name.
readElf :: FilePath -> IO (Either String Elf)
readElf path = either (\e -> Left (ioeGetErrorString (e :: IOException))) parseElf <$> try (mapFile path)

-- | The bytes of a file, mapped rather than read: of a large library only the tables are looked at, and a
-- program may have a hundred megabytes of them. Packages replace their files and do not rewrite them in
-- place, which a mapping would not survive.
mapFile :: FilePath -> IO B.ByteString
mapFile path = do
    regular <- isRegularFile <$> getFileStatus path
    if not regular then ioError (userError "not a regular file") else do
        handle <- openBinaryFile path ReadMode
        size <- fromInteger <$> hFileSize handle `onException` hClose handle
        fd <- handleToFd handle
        if size == 0 then B.empty <$ closeFd fd else do
            at <- c_mmap nullPtr (fromIntegral size) protRead mapPrivate (fromIntegral fd) 0 `finally` closeFd fd
            if at == nullPtr `plusPtr` (-1) then B.readFile path else
                BU.unsafePackCStringFinalizer at size (() <$ c_munmap at (fromIntegral size))
  where
    (protRead, mapPrivate) = (1, 2)

-- Unsafe, both: they change the address space and wait for nothing.
foreign import ccall unsafe "mmap"
    c_mmap :: Ptr Word8 -> CSize -> CInt -> CInt -> CInt -> COff -> IO (Ptr Word8)
foreign import ccall unsafe "munmap"
    c_munmap :: Ptr Word8 -> CSize -> IO CInt

-- | @$ORIGIN@, @$LIB@ and @$PLATFORM@ in a search path; the origin is the folder of the object that has the
-- path.
expand :: FilePath -> String -> [FilePath]
expand origin path = [ go lib path | lib <- if usesLib then libs else [""] ]
  where
    usesLib = "$LIB" `isInfixOf` path || "${LIB}" `isInfixOf` path
    libs = ["lib/x86_64-linux-gnu", "lib64", "lib"]
    go _ [] = []
    go lib s@(c : cs) = case [ v ++ go lib rest | (name, v) <- tokens lib, Just rest <- [after name s] ] of
        (r : _) -> r
        [] -> c : go lib cs
    tokens lib = [ (form n, v) | (n, v) <- [("ORIGIN", origin), ("LIB", lib), ("PLATFORM", "x86_64")]
                               , form <- [\x -> "${" ++ x ++ "}", ('$' :)] ]
    after name s = if take (length name) s == name then Just (drop (length name) s) else Nothing

-- | The program with everything that is loaded at its start, breadth first as the loader does it.
closure :: Env -> FilePath -> Elf -> IO Closure
closure env program elf = do
    real <- canonicalizePath program
    preloaded <- mapM preload (envPreload env)
    let start = Object real (BC.pack program) elf Nothing : concat preloaded
    go start (concatMap wants start)
  where
    wants o = [ (name, o) | name <- elfNeeded (objectElf o) ]

    -- A preloaded file that is not there is ignored by the loader too, with a warning of its own.
    preload path = do
        found <- if '/' `elem` path then candidate path else firstOf (searchDirs [] Nothing) path (BC.pack path)
        pure [ Object p (BC.pack path) e Nothing | (p, e) <- maybeToList found ]

    go objects [] = pure (Closure objects [])
    go objects ((name, by) : queue)
        | any (isCalled name) objects = go objects queue
        | otherwise = find objects name by >>= \found -> case found of
            Nothing -> do
                rest <- go objects [ q | q <- queue, fst q /= name ]
                pure rest { closureMissing = (name, objectPath by) : closureMissing rest }
            Just (path, e)
                | any ((== path) . objectPath) objects -> go objects queue
                | otherwise -> do
                    let o = Object path name e (Just (objectPath by))
                    go (objects ++ [o]) (queue ++ wants o)

    isCalled name o = objectName o == name || elfSoname (objectElf o) == Just name

    find objects name by = do
        file <- pathOf name
        if '/' `elem` file then candidate file else do
            own <- searchOf (elfRunpath (objectElf by)) by
            inherited <- case elfRunpath (objectElf by) of
                Just _ -> pure []
                Nothing -> concat <$> mapM (\o -> searchOf (elfRpath (objectElf o)) o) (ancestors objects by)
            firstOf (searchDirs own (Just inherited)) file name

    -- DT_RPATH of the object, of the object that asked for it, and so on up to the program.
    ancestors objects o = o : case objectParent o of
        Nothing -> [ p | p <- take 1 objects, objectPath p /= objectPath o ]
        Just parent -> concat [ ancestors objects p | p <- take 1 (filter ((== parent) . objectPath) objects) ]

    searchOf Nothing _ = pure []
    searchOf (Just b) o = do
        list <- pathOf b
        pure (concatMap (expand (takeDirectory (objectPath o))) (splitPath ":" list))

    searchDirs own inherited = (fromMaybe [] inherited ++ envLibraryPath env ++ own, defaults)
    defaults = ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"]

    firstOf (before, after) file name = do
        cached <- traverse pathOf (M.lookup name (envCache env))
        firstM candidate (map (</> file) before ++ maybeToList cached ++ map (</> file) after)

    -- A file for another machine is passed over.
    candidate path = do
        there <- doesFileExist path
        if not there then pure Nothing else do
            parsed <- readElf path
            case parsed of
                Right e | isOurArch e -> do
                    p <- if isAbsolute path then pure path else canonicalizePath path
                    pure (Just (p, e))
                _ -> pure Nothing

firstM :: (a -> IO (Maybe b)) -> [a] -> IO (Maybe b)
firstM _ [] = pure Nothing
firstM f (x : xs) = f x >>= maybe (firstM f xs) (pure . Just)
