#!/usr/bin/env python3
"""bench/smp_packages.py on made-up samples, and on a small program that stands for a package."""

import os
import sys
import tempfile
import types
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import made_up  # noqa: E402
import smp_packages as bench  # noqa: E402

MAIN = """module Main (main) where
import Paths_small (getDataDir)
import System.Environment (getArgs)
main :: IO ()
main = do
  [n] <- getArgs
  folder <- getDataDir
  if sum [1 .. read n] == (500500 :: Int) && not (null folder) then pure () else error "wrong"
"""


class Tables(unittest.TestCase):
    def test_variants_are_compared(self):
        values = {"ns": {"plain": 100, "threaded": 110, "eager": 121},
                  "allocated": {"plain": 1e6, "threaded": 1e6, "eager": 1e6},
                  "collector": {"plain": 0.25, "threaded": 0.5, "eager": 0.5},
                  "instructions": {"plain": 2e6, "threaded": 2.02e6, "eager": 2.02e6}}
        rows = [dict(kind="one", program="alex", value=value, unit="ns" if value == "ns" else "",
                     values=made_up.spreads({name: [v] * 4 for name, v in found.items()}))
                for value, found in values.items()]
        code = {"plain": {"alex DFA": 1000}, "threaded": {"alex DFA": 1000}, "eager": {"alex DFA": 1100}}
        text = bench.markdown(made_up.result(rows, timing={"programs": "a program"}, programs=["alex"], code=code))
        self.assertIn("| alex | a scanner of Haskell | 100 ns ±0% | 1.0 MB | 25 % | 2.0 |", text)
        self.assertIn("| alex, threaded / plain | +0.0 % | +0.0 % | +1.0 % | +10.0 % |", text)
        self.assertIn("| alex, eager / threaded | +10.0 % | +0.0 % | +0.0 % | +10.0 % |", text)


class Programs(unittest.TestCase):
    def test_a_program_is_compiled_and_run(self):
        small = bench.Program(".", "Main.hs", [], ["1000"], "a sum")
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(bench.PROGRAMS, {"small": small}):
            os.mkdir(os.path.join(folder, "small"))
            with open(os.path.join(folder, "small", "Main.hs"), "w") as f:
                f.write(MAIN)
            args = types.SimpleNamespace(sources=folder, build=folder)
            binary, code = bench.compiled("small", "eager", args)
            self.assertEqual(sorted(code), ["Main", "Paths_small"])
            found = bench.sample("small", binary, args, dict(os.environ))
            self.assertGreater(found["ns"], 0)
            with mock.patch.object(small, "words", ["1001"]), self.assertRaises(bench.Failed):
                bench.sample("small", binary, args, dict(os.environ))


if __name__ == "__main__":
    unittest.main()
