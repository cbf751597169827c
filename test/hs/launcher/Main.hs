-- | Tests of the launcher: its parts, and the program that @GHCOMP@ names (otherwise the one in PATH).
--
-- What this machine cannot test is left out with a line @SKIP test: why@, which test/hs/run.sh counts.
module Main (main) where

import System.IO (BufferMode (LineBuffering), hSetBuffering, stdout)
import Test.Tasty

import qualified CpuTest
import qualified DoctorTest
import qualified ElfTest
import qualified InfoTest
import qualified LoaderTest
import qualified RunTest
import qualified TraceTest
import Programs (withPrograms)

main :: IO ()
main = do
    hSetBuffering stdout LineBuffering
    withPrograms $ \programs -> defaultMain $ localOption (mkTimeout 180000000) $ testGroup "ghcomp"
        [ ElfTest.tests programs
        , LoaderTest.tests programs
        , CpuTest.tests
        , DoctorTest.tests programs
        , RunTest.tests programs
        , InfoTest.tests programs
        , TraceTest.tests programs ]
