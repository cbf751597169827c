-- | The search for libraries: against ldd, and where its rules matter.
module LoaderTest (tests) where

import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as BC
import Data.List (isInfixOf, isPrefixOf, sort)
import qualified Data.Map.Strict as M
import System.Directory (createDirectoryIfMissing, doesFileExist)
import System.FilePath (takeFileName, (</>))
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)

import Ghcomp.Loader
import Programs

tests :: Programs -> TestTree
tests p = testGroup "loader"
    [ testCase "what ldd says" $
            mapM_ sameAsLdd (["/bin/sh", "/usr/bin/env", "/usr/bin/gdb", "/usr/bin/python3"] ++ [openmp p])
    , testCase "$ORIGIN, $LIB and ${}" $ do
        expand "/a/b" "$ORIGIN/../lib" @?= ["/a/b/../lib"]
        expand "/a" "${ORIGIN}x" @?= ["/ax"]
        expand "/a" "/p/$LIB" @?= ["/p/lib/x86_64-linux-gnu", "/p/lib64", "/p/lib"]
        expand "/a" "/plain" @?= ["/plain"]
    , testCase "DT_RUNPATH is for the object's own libraries, DT_RPATH also for theirs" $ do
        let d = dir p </> "paths"
        createDirectoryIfMissing True (d </> "lib")
        compile (d </> "lib/libinner.so") "int inner(void) { return 0; }\n" ["-shared", "-fPIC"]
        compile (d </> "lib/libouter.so") "int inner(void); int outer(void) { return inner(); }\n"
            ["-shared", "-fPIC", "-L" ++ d </> "lib", "-linner"]
        let link name flag = compile (d </> name) "int outer(void); int main(void) { return outer(); }\n"
                ["-L" ++ d </> "lib", "-louter", "-Wl,-rpath-link," ++ d </> "lib", "-Wl,-rpath,$ORIGIN/lib", flag]
        link "runpath" "-Wl,--enable-new-dtags"
        link "rpath" "-Wl,--disable-new-dtags"
        r <- closed [] (d </> "runpath")
        map fst (closureMissing r) @?= [BC.pack "libinner.so"]
        s <- closed [] (d </> "rpath")
        map fst (closureMissing s) @?= []
        t <- closed [d </> "lib"] (d </> "runpath")
        map fst (closureMissing t) @?= []
    , testCase "a file for another machine is passed over" $ do
        let d = dir p </> "wrong"
        createDirectoryIfMissing True d
        B.readFile (arm p) >>= B.writeFile (d </> "libgomp.so.1")
        c <- closed [d, standIn p] (openmp p)
        [ objectPath o | o <- closureObjects c, objectName o == BC.pack "libgomp.so.1" ]
            @?= [standIn p </> "libgomp.so.1"]
    , testCase "what is preloaded stands for a library of that name" $ do
        e <- loaderEnv
        elf <- either assertFailure pure =<< readElf (openmp p)
        c <- closure e { envPreload = [standIn p </> "libgomp.so.1"], envLibraryPath = [] } (openmp p) elf
        [ objectPath o | o <- closureObjects c, "libgomp" `isPrefixOf` takeFileName (objectPath o) ]
            @?= [standIn p </> "libgomp.so.1"]
    , testProperty "any bytes may be in the loader's cache" $ \s ->
        M.size (parseCache (BC.pack ("glibc-ld.so.cache1.1" ++ s ++ replicate 60 '\1'))) >= 0
    ]

closed :: [FilePath] -> FilePath -> IO Closure
closed path file = do
    e <- loaderEnv
    elf <- either assertFailure pure =<< readElf file
    closure e { envLibraryPath = path, envPreload = [] } file elf

sameAsLdd :: FilePath -> Assertion
sameAsLdd file = do
    there <- doesFileExist file
    if not there then pure () else do
        Result _ o _ <- capture [] "ldd" [file] ""
        c <- closed [] file
        sort (filter (not . isInfixOf "ld-linux") (map objectPath (drop 1 (closureObjects c))))
            @?= sort [ path | l <- lines o, (_ : "=>" : path@('/' : _) : _) <- [words l]
                           , not ("ld-linux" `isInfixOf` path) ]
        closureMissing c @?= []
