-- | Verdicts on programs: exit status and the one line.
module DoctorTest (tests) where

import Data.List (isInfixOf)
import System.Directory (copyFile, createDirectoryIfMissing, removeFile)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import Test.Tasty
import Test.Tasty.HUnit

import Programs

tests :: Programs -> TestTree
tests p = testGroup "doctor" $
    [ runs "an OpenMP program" (openmp p) "runs on ghc-openmp"
    , idle "a program without OpenMP" (plain p) "needs no OpenMP runtime at its start"
    , idle "a static program without OpenMP" (staticBare p) "statically linked without OpenMP"
    , idle "a needed library is not there" (noSuchLib p) "libgone.so is not found (asked for by no-such-lib)"
    , idle "a shared library without OpenMP" "/lib/x86_64-linux-gnu/libm.so.6" "needs no OpenMP runtime"
    , stops "static libgomp" (static p) "libgomp is linked into it statically"
    , stops "static libgomp, stripped" (stripped p) "libgomp is linked into it statically"
    , stops "static libgomp in a dynamic program" (carried p) "link it again with the shared libgomp"
    , stops "OpenACC" (openacc p) "uses OpenACC (GOACC_parallel_keyed"
    , stops "32-bit" (elf32 p) "built for 32-bit x86"
    , stops "another machine" (arm p) "built for AArch64"
    , stops "no such file" (dir p </> "nothing") "no such file"
    , stops "text" (openmp p ++ ".c") "not an ELF program and not a script"
    , stops "an object file" (openmp p ++ ".o") "an object file"
    , stops "a folder" (dir p) "a folder, not a program"
    , testCase "symbols that the drop-in does not have" $ do
        r <- doctor (small p) (openmp p)
        status r @?= ExitFailure 1
        assertIn "needs omp_get_num_threads@OMP_1.0, omp_get_thread_num@OMP_1.0, which this" (out r)
    , testCase "no drop-in in the folder" $ do
        r <- doctor (dir p) (openmp p)
        status r @?= ExitFailure 2
        length (lines (err r)) @?= 1
    , testCase "a library that brings libgomp under another name" $ do
        writeFile (dir p </> "renamed.map") "OMP_1.0 { global: omp_get_num_procs; local: *; };\n"
        compile (dir p </> "libgomp-0a1b2c.so.1.0.0") "int omp_get_num_procs(void) { return 1; }\n"
            [ "-shared", "-fPIC", "-Wl,-soname,libgomp-0a1b2c.so.1.0.0"
            , "-Wl,--version-script=" ++ dir p </> "renamed.map" ]
        compile (dir p </> "renamed.so") "int omp_get_num_procs(void); int n(void) { return omp_get_num_procs(); }\n"
            ["-shared", "-fPIC", dir p </> "libgomp-0a1b2c.so.1.0.0", "-Wl,-rpath,$ORIGIN"]
        r <- doctor (standIn p) (dir p </> "renamed.so")
        status r @?= ExitSuccess
        assertIn "a libgomp under another name: it stays idle" (out r)
    ]
    ++ [ testCase name $ do
            r <- doctor real f
            (status r, out r, err r) @?=
                (ExitSuccess, f ++ ": runs on ghc-openmp (" ++ real </> "libgomp.so.1" ++ ")\n", "")
       | Just real <- [dropIn p]
       , (name, Just f) <- [("libomp", llvm p), ("libomp through a library", throughLib p)] ]
    ++ [ testCase "libomp from a folder of the program's own" $ do
            createDirectoryIfMissing True (dir p </> "own")
            Result _ omp _ <- capture [] "gcc" ["-print-file-name=libomp.so.5"] ""
            copyFile (takeWhile (/= '\n') omp) (dir p </> "own" </> "libomp.so.5")
            compile (dir p </> "owns") "int omp_get_num_procs(void); int main(void) { return !omp_get_num_procs(); }\n"
                ["-l:libomp.so.5", "-Wl,--disable-new-dtags", "-Wl,-rpath,$ORIGIN/own"]
            r <- doctor real (dir p </> "owns")
            (status r, err r) @?= (ExitSuccess, "")
            assertIn "libomp.so.5 is loaded too (asked for by owns), LLVM's OpenMP runtime: it stays idle" (out r)
       | Just real <- [dropIn p], Just _ <- [llvm p] ]
    ++ [ stops "setuid" f "setuid: the loader ignores LD_PRELOAD" | Just f <- [setuid p] ]
    ++ [ testCase "a program built for offload, with and without LLVM's library" $ do
            let library = dir p </> "libomptarget.so.19.1"
            compile library "int __tgt_rtl_init(void) { return 0; }\n"
                ["-shared", "-fPIC", "-Wl,-soname,libomptarget.so.19.1"]
            compile (dir p </> "offload")
                "int __tgt_rtl_init(void); int main(void) {\n#pragma omp parallel\n;\nreturn __tgt_rtl_init(); }\n"
                ["-fopenmp", library, "-Wl,-rpath,$ORIGIN"]
            r <- doctor real (dir p </> "offload")
            (status r, err r) @?= (ExitSuccess, "")
            assertIn "built for offload: libomptarget.so.19.1 runs its target regions" (out r)
            removeFile library
            gone <- doctor real (dir p </> "offload")
            assertIn "libomptarget.so.19.1 is not found (asked for by offload), LLVM's library for devices" (out gone)
            assertIn "`clang -print-file-name=libomptarget.so` names" (out gone)
            run <- ghcomp >>= \g -> capture [] g ["run", "--lib", real, dir p </> "offload"] ""
            assertIn "ghcomp: " (err run)
            assertIn "LLVM's library for devices" (err run)
       | Just real <- [dropIn p] ]
    ++ [ testCase "the real drop-in serves a parallel region" $ do
            r <- doctor real (openmp p)
            (status r, err r) @?= (ExitSuccess, "")
       | Just real <- [dropIn p] ]
  where
    doctor lib program = ghcomp >>= \g -> capture [] g ["doctor", "--lib", lib, program] ""
    runs name program text = testCase name $ do
        r <- doctor (standIn p) program
        (status r, err r) @?= (ExitSuccess, "")
        assertIn text (out r)
        assertIn (program ++ ": runs on ghc-openmp") (out r)
    -- There is nothing to run on any OpenMP runtime, so it does not say that it runs on this one.
    idle name program text = testCase name $ do
        r <- doctor (standIn p) program
        (status r, err r) @?= (ExitSuccess, "")
        assertIn text (out r)
        assertBool (out r) (not ("runs on ghc-openmp" `isInfixOf` out r))
    stops name program text = testCase name $ do
        r <- doctor (standIn p) program
        (status r, err r) @?= (ExitFailure 1, "")
        assertIn (program ++ ": ") (out r)
        assertIn text (out r)
        length (lines (out r)) @?= 1

assertIn :: String -> String -> Assertion
assertIn part whole = assertBool (show part ++ " is not in " ++ show whole) (part `isInfixOf` whole)
