-- | Would a program run on this runtime, and if not, why?
--
-- The verdict comes from the files alone; nothing is started. @ghcomp doctor@ prints it, @ghcomp run@ refuses
-- what it calls a 'Blocker'. Tested in @test/hs/launcher/DoctorTest.hs@ on programs that the test compiles.
module Ghcomp.Doctor
    ( Finding (..)
    , Weight (..)
    , Verdict (..)
    , Role (..)
    , diagnose
    , blockers
    , lacksDevices
    , isOpenMP
    , runtimesIn
    , locate
    ) where

import Control.Exception (IOException, try)
import Control.Monad (filterM)
import Data.Bits ((.&.))
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as BC
import Data.Either (isLeft)
import Data.List (intercalate, isPrefixOf, nub, sort)
import qualified Data.Set as S
import Foreign.C.String (CString, withCString)
import Foreign.C.Types (CSize (..))
import Foreign.Ptr (Ptr, nullPtr)
import System.Directory (doesDirectoryExist)
import System.Environment (lookupEnv)
import System.FilePath (takeDirectory, (</>))
import System.IO (IOMode (ReadMode), withBinaryFile)
import System.IO.Error (isPermissionError)
import System.Posix.Files
import System.Posix.Types (CSsize (..))
import System.Posix.User (getRealGroupID, getRealUserID)

import Ghcomp.Elf
import Ghcomp.Home
import Ghcomp.Loader
import qualified Ghcomp.Texts as T

-- | 'NotFound' and 'Blocker' stop @ghcomp run@, with exit status 127 and 126. A 'Warning' is something that
-- the loader will judge by itself. A 'Note' explains. 'NoOpenMP': there is nothing for a runtime to serve. 'Foreign':
-- it cannot get the runtime, and @ghcomp run@ starts it as it is.
data Weight = NotFound | Blocker | Foreign | Warning | Note | NoOpenMP
    deriving (Eq, Ord, Show)

-- | What is so, and what to do about it, in one line.
data Finding = Finding { findingWeight :: Weight, findingText :: String }
    deriving (Eq, Show)

-- | The findings, and what the loader would load of the file that they are about.
data Verdict = Verdict { verdictFindings :: [Finding], verdictClosure :: Maybe Closure }

-- | A program to be started, or any object: @ghcomp doctor@ also takes shared libraries.
data Role = AsProgram | AsObject
    deriving (Eq)

blockers :: Verdict -> [Finding]
blockers = filter ((<= Blocker) . findingWeight) . verdictFindings

-- | The file that a command name stands for, found as execvp(3) finds it.
locate :: FilePath -> IO (Either Finding FilePath)
locate name
    | '/' `elem` name = do
        exists <- there name
        if exists then usable name else pure (Left (Finding NotFound T.noFile))
    | otherwise = do
        path <- maybe ["/bin", "/usr/bin"] (splitPath ":") <$> lookupEnv "PATH"
        let candidates = [ if null d then name else d </> name | d <- path ]
        found <- filterM there candidates
        good <- filterM runnable found
        case (good, found) of
            (p : _, _) -> pure (Right p)
            ([], p : _) -> usable p
            ([], []) -> pure (Left (Finding NotFound T.noCommand))
  where
    -- A folder that may not be searched has no program, and does not end the search: execvp continues, too.
    there p = either (\e -> const False (e :: IOException)) id <$> try (fileExist p)
    runnable p = do
        directory <- doesDirectoryExist p
        if directory then pure False else fileAccess p False False True
    usable p = do
        directory <- doesDirectoryExist p
        pure (if directory then Left (Finding Blocker T.isFolder) else Right p)

diagnose :: Role -> Env -> DropIn -> FilePath -> IO Verdict
diagnose role env dropIn = follow (4 :: Int)
  where
    follow depth path = do
        permitted <- fileAccess path False False True
        -- Before it is opened: reading from a pipe or a device may wait for ever.
        regular <- either (\e -> const True (e :: IOException)) isRegularFile <$> try (getFileStatus path)
        start <- if regular then try (withBinaryFile path ReadMode (`B.hGet` 512)) else pure (Right B.empty)
        case start of
            -- The kernel starts what it may not read, and the loader preloads into it.
            Left e | role == AsProgram, permitted, isPermissionError e ->
                one Warning "may not be read, only executed: it is started without a check"
                   | otherwise -> one Blocker ("cannot be read: " ++ show (e :: IOException))
            Right bytes
                | not regular -> one Blocker "not a regular file"
                | role == AsProgram, not permitted -> one Blocker T.notExecutable
                | BC.pack "#!" `B.isPrefixOf` bytes -> script depth (B.drop 2 (BC.takeWhile (/= '\n') bytes))
                | not (isElf bytes) -> one Blocker T.isText
                | otherwise -> either (one Blocker) (binary path) =<< readElf path

    -- The interpreter of a script is what gets the runtime; for env(1) it is the command that env starts.
    script depth line
        | depth == 0 = one Blocker "its #! lines lead from script to script"
        | otherwise = do
            -- As the kernel does: the carriage return of a line from DOS is a part of the name.
            parts <- mapM pathOf (filter (not . B.null) (BC.splitWith (`elem` " \t") line))
            case parts of
                [] -> one Blocker "its #! line names no interpreter"
                (i : rest)
                    | baseName i == "env" -> throughEnv i rest
                    | otherwise -> interpreter i =<< locate i
      where
        interpreter name found = case found of
            Left (Finding w t) -> one w ("the interpreter of its #! line, " ++ name ++ ": " ++ t)
            Right i -> do
                v <- follow (depth - 1) i
                let note = Finding Note (T.scriptRuns i)
                pure v { verdictFindings = note : verdictFindings v }
        -- Where env's options may change what the words say, it is env that must be there.
        throughEnv e rest = case envCommand rest of
            [] -> interpreter e =<< locate e
            c : _ -> do
                found <- locate c
                let changed = any ("-" `isPrefixOf`) (take 1 rest)
                    quoted = any (any (`elem` "'\"\\$")) rest
                if changed && (quoted || isLeft found) then interpreter e =<< locate e else interpreter c found

    -- env(1)'s words from its command on.
    envCommand ws = case ws of
        w : rest | w `elem` ["-u", "--unset", "-C", "--chdir", "-a", "--argv0"] -> envCommand (drop 1 rest)
                 | take 1 w == "-" || '=' `elem` w -> envCommand rest
        _ -> ws

    one w t = pure (Verdict [Finding w t] Nothing)

    binary path elf
        | not (isOurArch elf) = one Blocker (T.foreignMachine (machineName elf))
        | elfKind elf == OtherKind = one Blocker T.isObject
        | library, role == AsProgram = one Blocker T.isLibrary
        | otherwise = do
            secure <- if role == AsProgram || not library then privileges path else pure []
            if not library && elfInterp elf == Nothing
                then do
                    uses <- if carriesRuntime elf then pure True else mentionsRuntime path
                    pure (Verdict (secure ++ [staticFinding elf uses]) Nothing)
                else if foreignLoader elf
                    then one Foreign (T.foreignLoader (maybe "unknown" BC.unpack (elfInterp elf)))
                    else dynamicProgram path elf secure
      where
        library = elfKind elf == SharedObject && elfInterp elf == Nothing && not (elfPie elf)

    -- musl's, say. glibc's may lie anywhere; a program of glibc's that has another name for it asks for libc.so.6.
    foreignLoader elf = case elfInterp elf of
        Just i -> not (BC.pack "ld-linux" `B.isPrefixOf` BC.pack (baseName (BC.unpack i)))
                  && BC.pack "libc.so.6" `notElem` elfNeeded elf
        Nothing -> BC.pack "libc.so.6" `notElem` elfNeeded elf
                   && any (BC.pack "libc.musl" `B.isPrefixOf`) (elfNeeded elf)

    staticFinding elf uses
        | hasSymbol "ghcomp_link_anchor" elf =
            Finding Note T.carriedStatic
        | uses = Finding Blocker T.staticProgram
        | otherwise = Finding NoOpenMP T.staticPlain

    dynamicProgram path elf secure = do
        -- What the loader will do once the drop-in is preloaded (it goes by the name libgomp.so.1) and its folder is
        -- searched first (there it has the names libomp.so.5 and libiomp5.so, too).
        let beside = env { envPreload = dropInPath dropIn : envPreload env
                         , envLibraryPath = dropInDir dropIn : envLibraryPath env }
        c <- closure beside path elf
        pure (Verdict (secure ++ carried ++ judge (not (null carried)) c) (Just c))
      where
        carried
            | hasSymbol "ghcomp_link_anchor" elf =
                [Finding Note T.carried]
            | carriesRuntime elf =
                [Finding Blocker T.staticPart]
            | otherwise = []

    judge carries c = acc ++ plugin ++ lacking ++ absent ++ devices ++ bundled ++ nothing
      where
        objects = closureObjects c
        others = [ o | o <- objects, isOpenMP o /= Nothing, takeDirectory (objectPath o) /= dropInDir dropIn ]
        -- Only what the program's own code asks for: runtimes may ask for anything of each other.
        users = [ o | o <- objects, isOpenMP o == Nothing ]
        defined = S.fromList [ symbolName s | o <- users, s <- elfSymbols (objectElf o), symbolDefined s ]
        wanted = nub [ (symbolName s, versionName <$> symbolVersion s)
                     | o <- users, s <- elfSymbols (objectElf o), not (symbolDefined s), not (symbolWeak s)
                     , ours s ]
        ours s = case symbolVersion s >>= versionFile of
            -- libomptarget.so, of programs for offload, stays and calls the runtime.
            Just file -> any (`B.isPrefixOf` file) (map BC.pack ["libgomp", "libomp", "libiomp5"])
                         && not (BC.pack "libomptarget" `B.isPrefixOf` file)
            Nothing -> any (`BC.isPrefixOf` symbolName s) prefixes && not (S.member (symbolName s) defined)
        prefixes = map BC.pack ["GOMP_", "omp_", "GOACC_", "acc_", "__kmpc_", "kmp_"]
        starts ps (n, _) = any ((`BC.isPrefixOf` n) . BC.pack) ps

        offered = S.fromList [ (symbolName s, versionName <$> symbolVersion s)
                             | s <- elfSymbols (dropInElf dropIn), symbolDefined s ]
        offeredNames = S.map fst offered
        served (n, Nothing) = S.member n offeredNames
        served w = S.member w offered

        accNames = filter (starts ["GOACC_", "acc_"]) wanted
        pluginNames = filter (starts ["GOMP_PLUGIN_"]) wanted
        unserved = [ w | w <- wanted, not (served w), w `notElem` accNames, w `notElem` pluginNames ]

        acc = [ Finding Blocker (T.openAcc (names accNames)) | not (null accNames) ]
        plugin = [ Finding Blocker (T.plugin (names pluginNames)) | not (null pluginNames) ]
        lacking = [ Finding Blocker (T.lacking (names unserved)) | not (null unserved) ]
        absent = [ Finding Warning (T.notFound (BC.unpack n) (baseName by)
                      ++ if offload n then forDevices n else ": install it or set LD_LIBRARY_PATH")
                 | (n, by) <- closureMissing c ]
        offload = B.isPrefixOf (BC.pack "libomptarget")
        forDevices n = ", LLVM's library for devices: install the package of clang that has it, or add the folder that "
                      ++ "`clang -print-file-name=" ++ takeWhile (/= '.') (BC.unpack n)
                      ++ ".so` names to LD_LIBRARY_PATH"
        devices = [ Finding Note ("built for offload: " ++ BC.unpack (objectName o)
                      ++ " runs its target regions, and works with this runtime")
                  | o <- objects, offload (objectName o) ]
        bundled = [ Finding Note (T.idleCopy (BC.unpack (objectName o))
                      (maybe "LD_PRELOAD" baseName (objectParent o)) (what (isOpenMP o))) | o <- others ]
        what runtime = if runtime == Just "libgomp" then T.libgompRenamed else T.llvmRuntime
        nothing = [ Finding NoOpenMP T.usesNone
                  | not carries, null wanted, null others
                  , not (any (any (`elem` needed) . elfNeeded . objectElf) users) ]
        needed = map BC.pack ["libgomp.so.1", "libomp.so.5", "libiomp5.so"]

    names ws = intercalate ", " (take 5 shown) ++ rest
      where
        rest = if length shown > 5 then " and " ++ show (length shown - 5) ++ " more" else ""
        shown = sort [ BC.unpack n ++ maybe "" (('@' :) . BC.unpack) v | (n, v) <- ws ]

    hasSymbol n e = any (\s -> symbolDefined s && symbolName s == BC.pack n) (elfSymbols e ++ elfStatic e)
    carriesRuntime = hasSymbol "GOMP_parallel"

    -- A stripped static program still has libgomp's messages in it.
    mentionsRuntime path = either (\e -> const False (e :: IOException)) (says . B.take searched) <$> try (mapFile path)
      where
        searched = 64 * 1024 * 1024 -- of any size: what is behind that counts as no mention
        says b = any (mentions b) ["libgomp: ", "OMP_NUM_THREADS"]
        mentions b t = not (B.null (snd (B.breakSubstring (BC.pack t) b)))

-- | The loader drops LD_PRELOAD for a program that gains privileges at its start.
privileges :: FilePath -> IO [Finding]
privileges path = do
    status <- getFileStatus path
    user <- getRealUserID
    group <- getRealGroupID
    caps <- hasCapabilities path
    let mode = fileMode status
        says what fix = [ Finding Blocker (T.gains what fix) ]
        setuid = mode .&. setUserIDMode /= 0 && fileOwner status /= user
        setgid = mode .&. setGroupIDMode /= 0 && fileGroup status /= group
    pure $ if setuid then says "setuid" "the bit"
           else if setgid then says "setgid" "the bit"
           else if caps && user /= 0 then says "has file capabilities" "them"
           else []

-- Safe: the file may be on a file system that takes its time.
foreign import ccall safe "sys/xattr.h getxattr"
    c_getxattr :: CString -> CString -> Ptr () -> CSize -> IO CSsize

hasCapabilities :: FilePath -> IO Bool
hasCapabilities path = withCString path $ \p -> withCString "security.capability" $ \name ->
    (> 0) <$> c_getxattr p name nullPtr 0

-- | Whether LLVM's library for devices is not found.
lacksDevices :: Finding -> Bool
lacksDevices f = findingWeight f == Warning && "libomptarget" `isPrefixOf` findingText f

-- | Which OpenMP runtime an object is, by its name.
isOpenMP :: Object -> Maybe String
isOpenMP o = case [ n | n <- ["libgomp", "libiomp5", "libomp5", "libomp"], any (named n) labels ] of
    (n : _) -> Just n
    [] -> Nothing
  where
    labels = objectName o : BC.pack (baseName (objectPath o)) : maybe [] pure (elfSoname (objectElf o))
    -- libomp.so.5, libomp-19.so.5, libgomp-a34b3233.so.1.0.0 (how Python wheels rename what they bundle); not
    -- libgomp-plugin-*.so, and not libompd.so or libomptarget.so
    named n l = let base = BC.pack (baseName (BC.unpack l)); rest = B.drop (length n) base in
        BC.pack n `B.isPrefixOf` base
        && (BC.pack ".so" `B.isPrefixOf` rest
            || (BC.pack "-" `B.isPrefixOf` rest && not (BC.pack "-plugin" `B.isPrefixOf` rest)
                && not (B.null (snd (B.breakSubstring (BC.pack ".so") rest)))))

-- | The OpenMP runtimes that are loaded, first the one that serves.
runtimesIn :: Closure -> [Object]
runtimesIn c = [ o | o <- closureObjects c, isOpenMP o /= Nothing ]

baseName :: FilePath -> FilePath
baseName = reverse . takeWhile (/= '/') . reverse
