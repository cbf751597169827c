-- | @ghcomp info@, for people and for machines.
module InfoTest (tests) where

import Data.List (isInfixOf)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import Test.Tasty
import Test.Tasty.HUnit

import Ghcomp.Info (Threads (..), parseIcvs, parseThreads)
import Ghcomp.Json
import Programs

tests :: Programs -> TestTree
tests p = testGroup "info" $
    [ testCase "the runtime itself says its ICVs" $ do
        r <- info [("OMP_NUM_THREADS", "3"), ("OMP_SCHEDULE", "guided,7")] ["--all", "--lib", standIn p]
        (status r, err r) @?= (ExitSuccess, "")
        assertIn "  OMP_NUM_THREADS = 3\n" (out r)
        assertIn "  OMP_SCHEDULE = GUIDED,7\n" (out r)
    , testCase "ten lines without --all, with what the environment sets" $ do
        r <- info [("OMP_NUM_THREADS", "3")] ["--lib", standIn p]
        (status r, length (lines (out r))) @?= (ExitSuccess, 10)
        assertIn "\nsettings      OMP_NUM_THREADS=3; ghcomp info --all shows the values of all " (out r)
    , testCase "another runtime does not say whether it sees Capabilities" $ do
        r <- info [] ["--lib", standIn p]
        assertIn "\nvisibility    this runtime does not say\n" (out r)
    , testCase "where threads live" $ do
        parseThreads "host_name ghc\nhost_origin companion\nghc_version 9.0.2\ncapability_visibility unaware\n"
            @?= Right (Threads "ghc" "companion" (Just "9.0.2") "unaware")
        parseThreads "host_name posix\nhost_origin posix\nghc_version \ncapability_visibility none\n"
            @?= Right (Threads "posix" "posix" Nothing "none")
        parseThreads "" @?= Left "this runtime does not say"
    , testCase "which runtime a program gets" $ do
        r <- info [] ["--lib", standIn p, openmp p]
        assertIn "libgomp.so.1 (libgomp)\n" (out r)
        assertIn ("  ghcomp run  " ++ standIn p </> "libgomp.so.1\n") (out r)
        s <- info [("LD_LIBRARY_PATH", small p)] ["--lib", standIn p, openmp p]
        assertIn ("  as it is    " ++ small p </> "libgomp.so.1") (out s)
        t <- info [] ["--lib", standIn p, static p]
        assertIn "refused: libgomp is linked into it statically" (out t)
        n <- info [] ["--lib", standIn p, dir p </> "no-such-program"]
        assertIn "  as it is    none\n" (out n)
    , testCase "without a runtime it says so, and the rest" $ do
        r <- info [] ["--lib", dir p </> "nowhere"]
        status r @?= ExitSuccess
        assertIn "libgomp.so.1 of ghc-openmp is not in" (out r)
        assertIn "\nCPUs " (out r)
    , testCase "--json is JSON" $ do
        g <- ghcomp
        r <- capture [("OMP_NUM_THREADS", "3")] g ["info", "--json", "--lib", standIn p, openmp p] ""
        length (lines (out r)) @?= 1
        s <- capture [] "python3" ["-c", unlines
            [ "import json, sys", "d = json.load(sys.stdin)"
            , "print(d['icvs']['OMP_NUM_THREADS'], d['cpus']['usable'] > 0, d['program']['ghcomp_run'])" ]] (out r)
        (out s, err s) @?= ("3 True " ++ standIn p </> "libgomp.so.1\n", "")
    , testCase "JSON strings" $ do
        encode (String "a\"\\\n\x1\xe9\x1f600") @?= "\"a\\\"\\\\\\u000a\\u0001\\u00e9\\ud83d\\ude00\""
        encode (String "\xdc80") @?= "\"\\ufffd\""
        encode (Object [("a", Array [Number (-1), Bool True, Bool False, Null]), ("b", Object [])])
            @?= "{\"a\": [-1, true, false, null], \"b\": {}}"
    , testCase "ICVs, with and without a device's name, the host's of several" $
        parseIcvs "x = 'y'\nOPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '201511'\n  [host] OMP_PLACES = '{0},{1}'\n\
                  \  [device] OMP_PLACES = 'cores'\n  [24] OMP_PLACES = 'threads'\n\
                  \OPENMP DISPLAY ENVIRONMENT END\nz = 'z'\n" @?= [("_OPENMP", "201511"), ("OMP_PLACES", "{0},{1}")]
    , testCase "--version, help, and a wrong command in one line" $ do
        g <- ghcomp
        v <- capture [] g ["--version"] ""
        (status v, take 7 (out v), err v) @?= (ExitSuccess, "ghcomp ", "")
        h <- capture [] g ["help"] ""
        (status h, err h) @?= (ExitSuccess, "")
        assertIn "doctor" (out h)
        w <- capture [] g ["wrong"] ""
        (status w, out w, length (lines (err w))) @?= (ExitFailure 2, "", 1)
        m <- capture [] g ["run"] ""
        (status m, out m) @?= (ExitFailure 125, "")
        assertIn "Missing: PROGRAM" (err m)
    ]
    ++ [ testCase "names that are no ASCII, in the locale C" $ do
            g <- ghcomp
            let with command = capture [("LC_ALL", "C")] "sh"
                    ["-c", "name=$(printf 'gr\\303\\266\\303\\237e \\374'); " ++ command, g, standIn p, openmp p] ""
            r <- with "OMP_AFFINITY_FORMAT=$name $0 info --all --lib $1 | grep -ac \"OMP_AFFINITY_FORMAT = $name\\$\""
            (out r, err r) @?= ("1\n", "")
            j <- with "OMP_AFFINITY_FORMAT=$name $0 info --json --lib $1 \"no/$name\""
            assertIn "\"OMP_AFFINITY_FORMAT\": \"gr\\u00f6\\u00dfe \\ufffd\"" (out j)
            assertIn "\"path\": \"no/gr\\u00f6\\u00dfe \\ufffd\"" (out j)
            d <- with "cd ${2%/*} && cp $2 \"$name\" && $0 doctor --lib $1 \"./$name\" | grep -ac \"^./$name: runs on\""
            (out d, err d) @?= ("1\n", "")
       ]
    ++ [ testCase ("output that cannot be written: " ++ where') $ do
            g <- ghcomp
            let to command = capture [] "sh" ["-c", "$0 " ++ command ++ where', g, standIn p, openmp p, static p] ""
                failed command = do
                    r <- to command
                    (status r, out r, length (lines (err r))) @?= (ExitFailure 2, "", 1)
                    assertIn "ghcomp: the output cannot be written: " (err r)
            mapM_ failed [ "info --lib $1", "info --json --lib $1", "doctor --lib $1 $2", "doctor --lib $1 $3", "help"
                         , "help run", "--version", "--bash-completion-script x" ]
            -- What is started writes itself.
            r <- to "run --lib $1 -- sh -c 'exit 3'"
            (status r, err r) @?= (ExitFailure 3, "")
       | where' <- [" >/dev/full", " >&-"] ]
    ++ [ testCase "stderr that cannot be written leaves the status" $ do
            g <- ghcomp
            let to command = status <$> capture [] "sh" ["-c", "$0 " ++ command ++ " 2>/dev/full", g, standIn p] ""
            to "run --lib $1 no-such-command-here" >>= (@?= ExitFailure 127)
            to "wrong" >>= (@?= ExitFailure 2)
       ]
    ++ [ testCase "ghc-openmp knows itself" $ do
            r <- info [("LD_LIBRARY_PATH", real)] ["--lib", real, openmp p]
            assertIn ("  as it is    " ++ real </> "libgomp.so.1 (ghc-openmp)\n") (out r)
       | Just real <- [dropIn p] ]
    ++ [ testCase "on POSIX threads there are no Capabilities to be seen" $ do
            r <- info [("GHCOMP_HOST", "posix")] ["--lib", real]
            assertIn "\nvisibility    none: POSIX threads have no Capabilities\n" (out r)
            j <- info [("GHCOMP_HOST", "posix")] ["--json", "--lib", real]
            assertIn
                "\"threads\": {\"host\": \"posix\", \"origin\": \"posix\", \"ghc\": null, \"visibility\": \"none\"}"
                (out j)
       | Just real <- [dropIn p] ]
    ++ [ testCase "the RTS that the runtime starts is seen" $ do
            r <- info [] ["--lib", real]
            assertIn "\nvisibility    aware: the runtime sees which Capabilities Haskell uses (GHC " (out r)
            j <- info [] ["--json", "--lib", real]
            assertIn "\"host\": \"ghc\", \"origin\": \"companion\"" (out j)
            assertIn "\"visibility\": \"aware\"" (out j)
       | Just real <- [dropIn p], Just _ <- [host p] ]
  where
    info vars args = ghcomp >>= \g -> capture vars g ("info" : args) ""

assertIn :: String -> String -> Assertion
assertIn part whole = assertBool (show part ++ " is not in " ++ show whole) (part `isInfixOf` whole)
