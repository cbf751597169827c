-- | @ghcomp run@: the environment, and that it is transparent otherwise.
module RunTest (tests) where

import Data.List (isInfixOf, isPrefixOf)
import System.Directory (copyFile, createDirectoryIfMissing)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO (hGetContents)
import System.Posix.Files (setFileMode)
import System.Posix.User (getRealUserID)
import System.Process
import Test.Tasty
import Test.Tasty.HUnit

import Programs

tests :: Programs -> TestTree
tests p = testGroup "run" $
    [ testCase "the environment" $ do
        r <- run [] []
            ["sh", "-c", "echo $LD_PRELOAD; echo $LD_LIBRARY_PATH; echo $GHCOMP_HOST; echo ${OMP_NUM_THREADS-unset}"]
        lines (out r) @?= [forGlibc (lib </> "libgomp.so.1"), forGlibc lib, "ghc", "unset"]
    , testCase "--host and --threads; what was preloaded stays behind" $ do
        r <- run [("GHCOMP_HOST", "auto"), ("LD_PRELOAD", "libm.so.6"), ("LD_LIBRARY_PATH", "/x")
                 , ("OMP_NUM_THREADS", "9")]
                 ["--host", "posix", "--threads", "3,2"]
                 ["sh", "-c", "echo $LD_PRELOAD; echo $LD_LIBRARY_PATH; echo $GHCOMP_HOST; echo $OMP_NUM_THREADS"]
        lines (out r) @?= [forGlibc (lib </> "libgomp.so.1:libm.so.6"), forGlibc lib ++ ":/x", "posix", "3,2"]
    , testCase "GHCOMP_HOST and OMP_NUM_THREADS of the user stay without the options" $ do
        r <- run [("GHCOMP_HOST", "auto"), ("OMP_NUM_THREADS", "9")] []
            ["sh", "-c", "echo $GHCOMP_HOST $OMP_NUM_THREADS"]
        out r @?= "auto 9\n"
    , testCase "a program runs on the library of that folder" $ do
        r <- run [] ["--threads", "3", "--host", "posix"] [openmp p]
        lines (out r) @?= ["team 3", lib </> "libgomp.so.1"]
    , testCase "DT_RPATH to another libgomp does not matter" $ do
        let other = dir p </> "other"
        createDirectoryIfMissing True other
        _ <- capture [] "cp" [lib </> "libgomp.so.1", other] ""
        _ <- capture [] "gcc" [ openmp p ++ ".o", "-fopenmp", "-o", dir p </> "with-rpath", "-Wl,-rpath," ++ other
                              , "-Wl,--disable-new-dtags" ] ""
        alone <- capture [] (dir p </> "with-rpath") [] ""
        assertBool "the other one serves it alone" ((other </> "libgomp.so.1") `elem` lines (out alone))
        r <- run [] ["--threads", "2", "--host", "posix"] [dir p </> "with-rpath"]
        lines (out r) @?= ["team 2", lib </> "libgomp.so.1"]
    , testCase "a folder of PATH that cannot be searched does not end the search" $ do
        -- A file, and a folder that nobody may enter (root may).
        let at name = dir p </> name
        writeFile (at "no-folder") ""
        createDirectoryIfMissing True (at "closed")
        setFileMode (at "closed") 0
        r <- run [("PATH", concatMap (\name -> at name ++ ":") ["no-folder", "closed"] ++ "/usr/bin:/bin")]
                 [] ["sh", "-c", "echo found"]
        (status r, out r, err r) @?= (ExitSuccess, "found\n", "")
    , testCase "the exit status is the program's" $ do
        r <- run [] [] ["sh", "-c", "exit 42"]
        status r @?= ExitFailure 42
    , testCase "death by a signal is the program's" $ do
        r <- run [] [] ["sh", "-c", "kill -TERM $$"]
        status r @?= ExitFailure (-15)
    , testCase "the process becomes the program" $ do
        g <- ghcomp
        (_, Just o, _, h) <- createProcess
            (proc g ["run", "--lib", lib, "--", "sh", "-c", "echo $$"]) { std_out = CreatePipe }
        Just pid <- getPid h
        text <- hGetContents o
        text @?= show pid ++ "\n"
        waitForProcess h >>= (@?= ExitSuccess)
    , testCase "signal dispositions and mask pass through" $ do
        g <- ghcomp
        let look = "grep '^Sig[BI]' /proc/self/status"
            sh command = capture [] "sh" ["-c", command] ""
        direct <- sh ("trap '' INT PIPE TERM HUP; exec " ++ look)
        through <- sh ("trap '' INT PIPE TERM HUP; exec " ++ g ++ " run --lib " ++ lib ++ " -- " ++ look)
        out through @?= out direct
        defaults <- sh ("exec " ++ g ++ " run --lib " ++ lib ++ " -- " ++ look)
        plainly <- sh ("exec " ++ look)
        out defaults @?= out plainly
    , testCase "standard input is the program's" $ do
        g <- ghcomp
        r <- capture [] g ["run", "--lib", lib, "cat"] "one\ntwo\n"
        out r @?= "one\ntwo\n"
    , testCase "every argument is the program's" $ do
        r <- run [("GHCRTS", "-N8 --nonsense")] [] ["printf", "%s|", "+RTS", "-N", "-RTS", "--help", "--", "a b", ""]
        (out r, err r) @?= ("+RTS|-N|-RTS|--help|--|a b||", "")
    , testCase "options end at the program's name without -- too" $ do
        g <- ghcomp
        r <- capture [] g ["run", "--lib", lib, "printf", "%s|", "--host", "-x"] ""
        out r @?= "--host|-x|"
    , testCase "argv[0] is what was typed" $ do
        r <- run [] [] ["sh", "-c", "echo $0"]
        out r @?= "sh\n"
    , testCase "scripts, and interpreters through env" $ do
        let script = dir p </> "script"
        writeFile script "#!/usr/bin/env sh\necho \"$LD_PRELOAD $1\"\n"
        setFileMode script 0o755
        r <- run [] [] [script, "x"]
        out r @?= forGlibc (lib </> "libgomp.so.1 x\n")
        writeFile (script ++ "2") "#!/no/such/interpreter\n"
        setFileMode (script ++ "2") 0o755
        s <- run [] [] [script ++ "2"]
        refused 127 "the interpreter of its #! line, /no/such/interpreter: no such file" s
    , testCase "scripts with options of env" $ do
        let script = dir p </> "through-env"
            through line = do
                writeFile script ("#!/usr/bin/env " ++ line ++ "\necho \"$LD_PRELOAD ${A-unset}\"\n")
                setFileMode script 0o755
                run [("A", "here")] [] [script]
            started a r = (status r, out r, err r) @?=
                (ExitSuccess, forGlibc (lib </> "libgomp.so.1 ") ++ a ++ "\n", "")
        through "-S -u A sh" >>= started "unset"
        through "-S --unset A A=x sh -e" >>= started "x"
        through "-S A=\"x y\" sh" >>= started "x y"
        through "-S -C / sh -c 'echo \"$LD_PRELOAD $PWD\"'" >>= started "/"
        through "-S -i sh -c 'echo started'" >>= \r -> (out r, err r) @?= ("started\n", "")
        through "no-such-command" >>= refused 127 "the interpreter of its #! line, no-such-command: no such command"
        -- It is env then that says so.
        r <- through "-S no-such-command -x"
        (status r, out r) @?= (ExitFailure 127, "")
        assertBool (err r) ("env: " `isInfixOf` err r)
    , testCase "a script with line ends of DOS" $ do
        let script = dir p </> "dos"
        writeFile script "#!/bin/sh\r\necho started\r\n"
        setFileMode script 0o755
        run [] [] [script] >>= refused 127 "the interpreter of its #! line, /bin/sh\\x0d: no such file"
        g <- ghcomp
        r <- capture [] g ["doctor", "--lib", lib, script] ""
        status r @?= ExitFailure 1
    , testCase "a program that may be executed, not read" $ do
        g <- ghcomp
        -- Root reads everything, so it becomes another user, who gets at what it starts.
        root <- (== 0) <$> getRealUserID
        let folder = dir p </> "shared"
            closed = folder </> "execute-only"
        createDirectoryIfMissing True folder
        setFileMode (dir p) 0o711
        mapM_ (\(from, name) -> copyFile from (folder </> name))
            [(g, "ghcomp"), (openmp p, "execute-only"), (lib </> "libgomp.so.1", "libgomp.so.1")]
        setFileMode closed (if root then 0o711 else 0o311)
        let user = if root then ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] else ["env"]
            as command = capture [] "env" (user ++ command) ""
        unreadable <- as ["cat", closed]
        status unreadable @?= ExitFailure 1
        r <- as [folder </> "ghcomp", "run", "--lib", folder, "--host", "posix", "--threads", "3", closed]
        (status r, take 1 (lines (out r)), err r) @?= (ExitSuccess, ["team 3"], "")
    , testCase "not found: 127" $ run [] [] ["no-such-command-here"] >>= refused 127 "no such command"
    , testCase "no such file: 127" $ run [] [] ["./no/such/file"] >>= refused 127 "no such file"
    , testCase "not executable: 126" $ run [] [] [openmp p ++ ".o"] >>= refused 126 "not executable"
    , testCase "static libgomp: 126" $ run [] [] [static p] >>= refused 126 "linked into it statically"
    , testCase "OpenACC: 126" $ run [] [] [openacc p] >>= refused 126 "OpenACC"
    , testCase "another machine: 126" $ run [] [] [arm p] >>= refused 126 "AArch64"
    , testCase "missing symbols: 126" $ do
        g <- ghcomp
        capture [] g ["run", "--lib", small p, openmp p] "" >>= refused 126 "omp_get_thread_num@OMP_1.0"
    , testCase "--no-check starts it all the same" $ do
        r <- run [] ["--no-check", "--threads", "2"] [static p]
        take 1 (lines (out r)) @?= ["team 2"]
    , testCase "no runtime: 125" $ do
        g <- ghcomp
        capture [] g ["run", "--lib", dir p </> "nowhere", "true"] "" >>= refused 125 "libgomp.so.1"
        capture [("GHCOMP_HOME", dir p </> "nowhere")] g ["run", "true"] "" >>= refused 125 "GHCOMP_HOME"
    , testCase "wrong options: 125" $ do
        run [] ["--threads", "0"] ["true"] >>= refused 125 "0 is not a positive number"
        run [] ["--host", "mars"] ["true"] >>= refused 125 "mars is not auto, ghc or posix"
        run [] [] [] >>= refused 125 "PROGRAM"
    , testCase "GHCOMP_HOME" $ do
        g <- ghcomp
        r <- capture [("GHCOMP_HOME", lib)] g ["run", "--", "sh", "-c", "echo $LD_PRELOAD"] ""
        out r @?= forGlibc (lib </> "libgomp.so.1\n")
    ]
    ++ [ testCase "the real drop-in serves a program" $ do
            g <- ghcomp
            r <- capture [] g ["run", "--lib", real, "--host", "posix", "--threads", "5", "--", openmp p] ""
            (status r, lines (out r)) @?= (ExitSuccess, ["team 5", real </> "libgomp.so.1"])
       | Just real <- [dropIn p] ]
    ++ [ testCase "GHC's runtime system by default, the others when asked for" $ do
            g <- ghcomp
            let with options = capture [] g (["run", "--lib", real] ++ options ++ [program]) ""
            with [] >>= (@?= Result ExitSuccess "ghc companion\n" "")
            with ["--host", "auto"] >>= (@?= Result ExitSuccess "posix posix\n" "")
            with ["--host", "posix"] >>= (@?= Result ExitSuccess "posix posix\n" "")
       | Just real <- [dropIn p], Just program <- [host p] ]
    ++ [ testCase "a program with AddressSanitizer, whose library must be the first" $ do
            let program = dir p </> "sanitized"
                other = dir p </> "sanitized-with-rpath"
                calm = ("ASAN_OPTIONS", "detect_leaks=0")
                options = ["--threads", "2", "--host", "posix"]
                mapped r = (status r, err r, lines (out r)) @?=
                    (ExitSuccess, "", ["team 2", lib </> "libgomp.so.1"])
            Result _ path _ <- capture [] "gcc" ["-print-file-name=libasan.so"] ""
            compile program teamSource ["-fopenmp", "-fsanitize=address"]
            run [calm] options [program] >>= mapped
            run [calm, ("LD_PRELOAD", takeWhile (/= '\n') path)] options [program] >>= mapped
            run [calm, ("LD_PRELOAD", takeWhile (/= '\n') path)] ("--no-check" : options) [program] >>= mapped
            -- The search would find the other one, so it is preloaded.
            createDirectoryIfMissing True (dir p </> "other")
            copyFile (lib </> "libgomp.so.1") (dir p </> "other" </> "libgomp.so.1")
            compile other teamSource [ "-fopenmp", "-fsanitize=address", "-Wl,--disable-new-dtags"
                                     , "-Wl,-rpath," ++ dir p </> "other" ]
            run [calm] options [other] >>= mapped
            -- What such a program starts has no sanitizer of its own.
            compile (dir p </> "sanitized-starts") "#include <stdlib.h>\nint main(void) {\n#pragma omp parallel\n;\n\
                \return system(\"echo \\\"<$LD_PRELOAD>\\\"\"); }\n" ["-fopenmp", "-fsanitize=address"]
            r <- run [calm] options [dir p </> "sanitized-starts"]
            (status r, out r) @?= (ExitSuccess, "<>\n")
       | hasSanitizer p ]
  where
    lib = standIn p
    run vars options command = ghcomp >>= \g -> capture vars g (["run", "--lib", lib] ++ options ++ "--" : command) ""

refused :: Int -> String -> Result -> Assertion
refused code text r = do
    status r @?= ExitFailure code
    length (lines (err r)) @?= 1
    assertBool (err r) ("ghcomp: " `isPrefixOf` err r && text `isInfixOf` err r)
    out r @?= ""

-- | An entry that musl's loader does not find (Ghcomp.Loader).
forGlibc :: FilePath -> FilePath
forGlibc path = "$ORIGIN" ++ concat (replicate 40 "/..") ++ path
