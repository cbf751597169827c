#!/usr/bin/env python3
# limit: 120
"""stack.yaml and flake.nix, as far as that goes without their networks: the snapshot's GHC, as listed here, is one
that the package is tested with, the versions listed here are within the bounds, and the flake parses and names one GHC
that the package is tested with."""

import os
import re
import shutil
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# What a snapshot is taken to have. A row is written by hand, without the network: nothing has compared it with the
# snapshot's own list. So the test says that these versions are within the bounds, not that they are the snapshot's.
SNAPSHOTS = {
    "lts-22.43": {
        "ghc": "9.6.6", "base": "4.18.2.1", "bytestring": "0.11.5.3", "containers": "0.6.7", "deepseq": "1.4.8.1",
        "directory": "1.3.8.5", "filepath": "1.4.300.1", "ghc-events": "0.19.0.1", "ghc-prim": "0.10.0",
        "optparse-applicative": "0.18.1.0", "primitive": "0.8.0.0", "process": "1.6.19.0", "text": "2.0.2",
        "unix": "2.8.4.0", "vector": "0.13.1.0",
    },
}


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def version(text):
    return [int(part) for part in text.split(".")]


class StackNix(unittest.TestCase):
    def setUp(self):
        self.cabal = read("ghc-openmp.cabal")
        self.tested = re.findall(r"==([\d.]+)", re.search(r"(?m)^tested-with:(.*)$", self.cabal).group(1))

    def test_snapshot(self):
        (name,) = re.findall(r"(?m)^snapshot: (\S+)$", read("stack.yaml"))
        has = SNAPSHOTS[name]
        self.assertIn(has["ghc"], self.tested)
        bounds = re.findall(r"(?m)^    , (\S+) +>=([\d.]+) +&& <([\d.]+)$", self.cabal)
        self.assertGreater(len(bounds), 14)
        for package, low, high in bounds:
            if package.startswith("tasty") or package == "QuickCheck":
                continue  # of the test-suites
            self.assertIn(package, has)
            self.assertTrue(version(low) <= version(has[package]) < version(high), (package, low, has[package], high))

    def test_flake(self):
        compilers = {one.replace(".", "") for one in self.tested}
        self.assertLessEqual(set(re.findall(r"\bghc(\d+)\b", read("flake.nix"))), compilers)
        self.assertEqual(len(re.findall(r"\bghc(\d+)\b", read("flake.nix"))), 1)

    @unittest.skipUnless(shutil.which("nix-instantiate"), "nix-instantiate is not installed")
    def test_flake_parses(self):
        done = subprocess.run(
            ["nix-instantiate", "--parse", os.path.join(ROOT, "flake.nix")], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("callCabal2nix", done.stdout)


if __name__ == "__main__":
    unittest.main()
