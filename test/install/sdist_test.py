#!/usr/bin/env python3
# limit: 300
"""The Cabal package as its users get it: the links of its README and CHANGELOG lead to files in the archive, and so do
those between the pages of docs/; bounds and metadata are there; where it cannot be built, its components say so.
tools/sdist.sh builds everything from the archive."""

import os
import posixpath
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Cabal's own view of the package on other machines: prints a line for each, with what the library depends on.
PLATFORMS = """
import Data.List (nub, sort)
import Distribution.Compiler
import Distribution.PackageDescription
import Distribution.PackageDescription.Configuration
import Distribution.PackageDescription.Parsec
import Distribution.Pretty
import Distribution.System
import Distribution.Types.ComponentRequestedSpec
import Distribution.Types.Dependency
import Distribution.Verbosity
import Distribution.Version

main :: IO ()
main = do
    package <- readGenericPackageDescription silent "ghc-openmp.cabal"
    mapM_ (one package) [(Linux, X86_64), (Linux, AArch64), (Windows, X86_64), (OSX, X86_64), (FreeBSD, X86_64)]
  where
    ghc = unknownCompilerInfo (CompilerId GHC (mkVersion [9, 6, 6])) NoAbiTag
    one package (os, arch) =
        case finalizePD mempty defaultComponentRequestedSpec (const True) (Platform arch os) ghc [] package of
            Left _ -> putStrLn "refused"
            Right (found, _) -> putStrLn (unwords (prettyShow os : prettyShow arch : built found : names found))
    built found = if all (buildable . libBuildInfo) (library found) then "built" else "not-built"
    names found = nub (sort (map (prettyShow . depPkgName) (concat [needs l | Just l <- [library found]])))
    needs = targetBuildDepends . libBuildInfo
"""


class Sdist(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        environment = cls.environment = dict(os.environ, CABAL_DIR=os.path.join(cls.folder, "cabal"))
        os.mkdir(environment["CABAL_DIR"])
        with open(os.path.join(environment["CABAL_DIR"], "config"), "w", encoding="utf-8") as file:
            file.write("active-repositories: :none\n")
        done = subprocess.run(
            ["cabal", "sdist", "-v1", "--output-directory=" + cls.folder, "."],
            cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False,
        )
        if done.returncode != 0:
            raise AssertionError(done.stdout)
        (archive,) = [name for name in os.listdir(cls.folder) if name.endswith(".tar.gz")]
        with tarfile.open(os.path.join(cls.folder, archive)) as tar:
            cls.files = {m.name.split("/", 1)[1]: tar.extractfile(m).read() for m in tar if m.isfile()}
        cls.folders = {posixpath.dirname(name) for name in cls.files}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def links(self, page):
        """The files of the tree that a page links to."""
        text = re.sub(r"```.*?```|`[^`]*`", "", self.files[page].decode(), flags=re.S)
        for target in re.findall(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", text):
            if not re.match(r"[a-z]+:", target):
                yield posixpath.normpath(posixpath.join(posixpath.dirname(page), target))

    def there(self, target):
        return target in self.files or target in self.folders

    def test_first_pages(self):
        for page in ("README.md", "CHANGELOG.md"):
            self.assertEqual([t for t in self.links(page) if not self.there(t)], [], page)

    def test_pages(self):
        pages = [name for name in self.files if name.startswith("docs/") and name.endswith(".md")]
        self.assertGreater(len(pages), 20)
        for page in pages:
            inside = [t for t in self.links(page) if t.startswith("docs/")]
            self.assertEqual([t for t in inside if not self.there(t)], [], page)

    def test_metadata(self):
        text = self.files["ghc-openmp.cabal"].decode()
        for field in ("synopsis", "description", "license", "license-file", "copyright", "author", "maintainer",
                      "category", "stability", "tested-with", "build-type", "homepage", "bug-reports"):
            self.assertRegex(text, r"(?m)^%s:\s*\S" % field)
        self.assertRegex(text, r"(?m)^maintainer:.*<\S+@\S+>$")
        self.assertRegex(text, r"(?m)^source-repository head\n  type: +git\n  location: +https://\S+$")

    def test_check(self):
        """`cabal check` has nothing to say, in the unpacked archive too, but that a test-suite is compiled by -O0."""
        unpacked = os.path.join(self.folder, "unpacked")
        for name, content in self.files.items():
            path = os.path.join(unpacked, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)
        for folder in (ROOT, unpacked):
            done = subprocess.run(
                ["cabal", "check", "-v1"], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            )
            words = " ".join(done.stdout.split())
            self.assertEqual(done.returncode, 0, words)
            self.assertRegex(words, r"^(No errors or warnings could be found in the package\."
                             r"|Warning: These warnings may cause trouble when distributing the package: Warning: "
                             r"'ghc-options: -O0' is not needed\. Use the --disable-optimization configure flag\.)$")

    def test_bounds(self):
        """The library and the launcher name both bounds of each package."""
        text = self.files["ghc-openmp.cabal"].decode()
        for stanza in ("library", "executable ghcomp"):
            body = re.search(r"(?m)^%s\n(.*?)(?=^\S)" % stanza, text, re.S).group(1)
            listed = re.search(r"build-depends:\n(.*?)(?=\n\s*\n)", body, re.S).group(1)
            for line in listed.splitlines():
                self.assertRegex(line, r"^    , \S+ +>=[\d.]+ +&& <[\d.]+$")

    def test_platforms(self):
        program = os.path.join(self.folder, "Platforms.hs")
        with open(program, "w", encoding="utf-8") as file:
            file.write(PLATFORMS)
        done = subprocess.run(
            ["runghc", program], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False,
        )
        lines = done.stdout.splitlines()
        self.assertEqual((done.returncode, len(lines)), (0, 5), done.stdout)
        for line in lines:
            self.assertRegex(line, r"^linux x86_64 built .*\bbase\b" if line.startswith("linux x86_64 ")
                             else r"^\S+ \S+ not-built$")


if __name__ == "__main__":
    if not shutil.which("cabal") or not shutil.which("runghc"):
        print("cabal or GHC is not installed here")
        sys.exit(77)
    unittest.main()
