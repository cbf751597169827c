-- | The small programs that the tests look at and start, compiled once into a temporary folder.
module Programs
    ( Programs (..)
    , withPrograms
    , compile
    , ghcomp
    , Result (..)
    , capture
    , teamSource
    ) where

import Control.Exception (bracket)
import Control.Monad (unless)
import Data.Bits ((.|.))
import qualified Data.ByteString as B
import System.Directory
import System.Environment (getEnvironment, lookupEnv)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.Posix.Files (ownerExecuteMode, ownerModes, setFileMode)
import System.Posix.Temp (mkdtemp)
import System.Posix.User (getRealUserID)
import System.Process

data Programs = Programs
    { dir        :: FilePath
    , standIn    :: FilePath        -- ^ a folder with a complete libgomp.so.1, GCC's own, in the drop-in's place
    , small      :: FilePath        -- ^ a folder with a libgomp.so.1 that has GOMP_parallel alone
    , dropIn     :: Maybe FilePath  -- ^ the folder with the real drop-in, where it is built
    , plain      :: FilePath        -- ^ a program without OpenMP
    , openmp     :: FilePath        -- ^ prints its team's size and which libgomp.so.1 is mapped
    , host       :: Maybe FilePath  -- ^ prints where its threads live; where drop-in and companion are built
    , static     :: FilePath        -- ^ the same with -static
    , stripped   :: FilePath        -- ^ and without symbols
    , carried    :: FilePath        -- ^ dynamic, but libgomp.a is linked into it
    , staticBare :: FilePath        -- ^ with -static, without OpenMP
    , openacc    :: FilePath
    , llvm       :: Maybe FilePath  -- ^ linked with libomp, where the machine has it
    , throughLib :: Maybe FilePath  -- ^ linked with libgomp, and with a library that is linked with libomp
    , noSuchLib  :: FilePath        -- ^ needs a library that is not there
    , setuid     :: Maybe FilePath  -- ^ owned by another user and setuid: only root can make it
    , hasSanitizer :: Bool          -- ^ gcc has AddressSanitizer's library
    , elf32      :: FilePath        -- ^ a header that says 32-bit x86
    , arm        :: FilePath        -- ^ a header that says AArch64
    }

-- | The result of a process.
data Result = Result { status :: ExitCode, out :: String, err :: String }
    deriving (Eq, Show)

-- | Run with changes to the environment and a standard input.
capture :: [(String, String)] -> FilePath -> [String] -> String -> IO Result
capture vars exe args input = do
    now <- getEnvironment
    let mine = ["LD_PRELOAD", "LD_LIBRARY_PATH", "GHCOMP_HOST", "GHCOMP_HOME", "OMP_NUM_THREADS", "GHCRTS"]
        kept = [ v | v <- now, fst v `notElem` mine, fst v `notElem` map fst vars ]
    (s, o, e) <- readCreateProcessWithExitCode (proc exe args) { env = Just (vars ++ kept) } input
    pure (Result s o e)

-- | The launcher under test.
ghcomp :: IO FilePath
ghcomp = maybe (pure "ghcomp") makeAbsolute =<< lookupEnv "GHCOMP"

-- | @gcc@ on a source text.
compile :: FilePath -> String -> [String] -> IO ()
compile target source args = do
    writeFile (target ++ ".c") source
    Result s _ e <- capture [] "gcc" (["-o", target, target ++ ".c"] ++ args) ""
    unless (s == ExitSuccess) (ioError (userError ("gcc of " ++ target ++ ": " ++ e)))

withPrograms :: (Programs -> IO a) -> IO a
withPrograms = bracket make (removeDirectoryRecursive . dir)

make :: IO Programs
make = do
    temporary <- getTemporaryDirectory
    d <- canonicalizePath =<< mkdtemp (temporary </> "ghcomp-test-")
    let at = (d </>)
    mapM_ (createDirectory . at) ["stand-in", "small"]
    Result _ gomp _ <- capture [] "gcc" ["-print-file-name=libgomp.so.1"] ""
    copyFile (takeWhile (/= '\n') gomp) (at "stand-in/libgomp.so.1")
    writeFile (at "small.map") "GOMP_4.0 { global: GOMP_parallel; local: *; };\n"
    compile (at "small/libgomp.so.1") "void GOMP_parallel(void) {}\n"
        ["-shared", "-fPIC", "-Wl,-soname,libgomp.so.1", "-Wl,--version-script=" ++ at "small.map"]

    compile (at "plain") "int main(void) { return 0; }\n" []
    compile (at "openmp") teamSource ["-fopenmp"]
    compile (at "host") hostSource ["-fopenmp", "-ldl"]
    compile (at "static") teamSource ["-fopenmp", "-static"]
    compile (at "stripped") teamSource ["-fopenmp", "-static", "-s"]
    compile (at "openmp.o") teamSource ["-fopenmp", "-c"]
    gcc [at "openmp.o", "-o", at "carried", "-Wl,-Bstatic", "-lgomp", "-Wl,-Bdynamic", "-ldl"]
    compile (at "static-bare") "int main(void) { return 0; }\n" ["-static"]
    compile (at "openacc") (unlines
        [ "int main(void) { int s = 0;", "#pragma acc parallel loop reduction(+:s)"
        , "for (int i = 0; i < 10; i++) s += i;", "return s != 45; }" ]) ["-fopenacc"]

    Result _ omp _ <- capture [] "gcc" ["-print-file-name=libomp.so.5"] ""
    hasLlvm <- doesFileExist (takeWhile (/= '\n') omp)
    withLlvm <- if not hasLlvm then Nothing <$ skip "doctor/libomp" "libomp.so.5 is not installed" else do
        gcc [at "openmp.o", "-o", at "llvm", "-l:libomp.so.5"]
        compile (at "libwithomp.so") "int omp_get_num_procs(void); int procs(void) { return omp_get_num_procs(); }\n"
            ["-shared", "-fPIC", "-l:libomp.so.5"]
        compile (at "through-lib")
            "int procs(void);\nint main(void) {\n#pragma omp parallel\n{ procs(); }\nreturn 0; }\n"
            ["-fopenmp", at "libwithomp.so", "-Wl,-rpath,$ORIGIN"]
        pure (Just ())

    compile (at "libgone.so") "int gone(void) { return 0; }\n" ["-shared", "-fPIC"]
    compile (at "no-such-lib") "int gone(void); int main(void) { return gone(); }\n" [at "libgone.so"]
    removeFile (at "libgone.so")

    root <- (== 0) <$> getRealUserID
    if not root then skip "doctor/setuid" "only root can make such a file" else do
        copyFile (at "openmp") (at "setuid")
        callProcess "chown" ["1", at "setuid"]
        setFileMode (at "setuid") (ownerModes .|. 0o4055)

    Result _ asan _ <- capture [] "gcc" ["-print-file-name=libasan.so"] ""
    sanitizer <- doesFileExist (takeWhile (/= '\n') asan)
    unless sanitizer (skip "run/AddressSanitizer" "gcc has no libasan.so")

    bytes <- B.readFile (at "openmp")
    patched (at "elf32") [(4, 1), (18, 3)] bytes
    patched (at "arm") [(18, 183)] bytes

    build <- maybe "build" id <$> lookupEnv "BUILD"
    real <- makeAbsolute (build </> "dropin")
    built <- doesFileExist (real </> "libgomp.so.1")
    companion <- doesFileExist (real </> "libghcomp_rts.so")
    unless built (skip "drop-in" (real ++ "/libgomp.so.1 is not built"))
    unless companion (skip "run/companion" (real ++ "/libghcomp_rts.so is not built"))
    pure Programs
        { dir = d, standIn = at "stand-in", small = at "small", dropIn = if built then Just real else Nothing
        , plain = at "plain", openmp = at "openmp"
        , host = if built && companion then Just (at "host") else Nothing
        , static = at "static", stripped = at "stripped"
        , carried = at "carried", staticBare = at "static-bare", openacc = at "openacc"
        , llvm = at "llvm" <$ withLlvm, throughLib = at "through-lib" <$ withLlvm, noSuchLib = at "no-such-lib"
        , setuid = if root then Just (at "setuid") else Nothing, hasSanitizer = sanitizer
        , elf32 = at "elf32", arm = at "arm" }
  where
    gcc args = do
        Result s _ e <- capture [] "gcc" args ""
        unless (s == ExitSuccess) (ioError (userError ("gcc: " ++ e)))
    patched path changes bytes = do
        B.writeFile path (foldr (\(i, w) b -> B.take i b <> B.cons w (B.drop (i + 1) b)) bytes changes)
        setFileMode path (ownerModes .|. ownerExecuteMode)
    skip test why = putStrLn ("SKIP hs/" ++ test ++ ": " ++ why)

teamSource :: String
teamSource = unlines
    [ "#include <omp.h>", "#include <stdio.h>", "#include <string.h>"
    , "int main(void) {"
    , "    int size = 0;"
    , "    #pragma omp parallel"
    , "    if (omp_get_thread_num() == 0) size = omp_get_num_threads();"
    , "    printf(\"team %d\\n\", size);"
    , "    char line[4096], *at;"
    , "    FILE *maps = fopen(\"/proc/self/maps\", \"r\");"
    , "    while (maps && fgets(line, sizeof line, maps))"
    , "        if ((at = strchr(line, '/')) && strstr(at, \"libgomp.so.1\")) { fputs(at, stdout); break; }"
    , "    return 0;"
    , "}" ]

hostSource :: String
hostSource = unlines
    [ "#include <dlfcn.h>", "#include <stdio.h>"
    , "int main(void) {"
    , "    #pragma omp parallel num_threads(2)"
    , "    { }"
    , "    const char *(*name)(void) = dlsym(RTLD_DEFAULT, \"ghcomp_host_name\");"
    , "    const char *(*origin)(void) = dlsym(RTLD_DEFAULT, \"ghcomp_host_origin\");"
    , "    if (!name || !origin) return 1;"
    , "    printf(\"%s %s\\n\", name(), origin());"
    , "    return 0;"
    , "}" ]
