#!/usr/bin/env python3
"""bench/compile.py on made-up samples, and its smallest program compiled by ghc --make and by make."""

import os
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "test")]
import compare  # noqa: E402
import compile as bench  # noqa: E402
import made_up  # noqa: E402
import sample  # noqa: E402
import verdicts  # noqa: E402


def row(name, values, unit="s"):
    return dict(compile="happy", flags="-O0", row=name, unit=unit, values=made_up.spreads(values))


def result():
    elapsed = {"ghc-1": [3.0], "ghc-2": [2.0], "one-heap-1": [3.0], "one-heap-2": [1.5], "make-2": [4.0]}
    rows = [row("elapsed", {name: v * 4 for name, v in elapsed.items()}),
            row("user", {name: [3.25] * 4 for name in elapsed}),
            row("share", {name: [0.25] * 4 for name in elapsed if name != "make-2"}, "share"),
            row("conflicts", {"one-heap-2": [0, 4, 11]}, "")]
    return made_up.result(rows, timing={"programs": "a compilation"}, programs=["happy"], levels=["-O0"])


class Tables(unittest.TestCase):
    def setUp(self):
        self.text = bench.markdown(result())

    def test_speedups_are_to_ghc_alone(self):
        self.assertIn("| one heap, `-j2` | 3.25 ± 0.00 | 1.50 ± 0.00 | 25 % | 2.00 |", self.text)
        self.assertIn("| `make -j2` | 3.25 ± 0.00 | 4.00 ± 0.00 | ? | 0.75 |", self.text)

    def test_what_was_not_measured_has_dashes(self):
        self.assertIn("| `ghc --make -j2`, GHC's own heap | - | - | - | - |", self.text)

    def test_the_paper_stands_beside(self):
        self.assertIn("| ghc-smp `-j2` | 10.2 | 8.2 | 25 % | 1.20 |", self.text)

    def test_conflicts(self):
        self.assertIn("| Happy `-O0` | 3 | 0 | 5 | 11 |", self.text)

    def test_a_failure_is_named(self):
        failed = dict(result(), failures=[{"program": "happy -O0", "series": "make-2", "reason": "ended"}])
        self.assertIn("- happy -O0, make-2 failed: ended", bench.markdown(failed))

    def test_the_verdict_is_of_elapsed_time_beside_the_better_peer(self):
        self.assertEqual(compare.kind_of(result(), "made up"), "compile")
        cell, = verdicts.cells("compile", result())
        self.assertEqual((cell.text, cell.state), ("happy", "ahead"))
        self.assertAlmostEqual(cell.ratio, 0.75)


class Programs(unittest.TestCase):
    def test_the_collectors_share(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "statistics")
            with open(path, "w") as f:
                f.write("'ghc' '+RTS'\n [(\"GC_wall_seconds\", \"0.5\")\n ,(\"total_wall_seconds\", \"2.0\")\n ]\n")
            self.assertEqual(bench.collector_share(path), 0.25)
            self.assertIsNone(bench.collector_share(path + "-missing"))

    def test_the_ideal_modules_compile(self):
        args = types.SimpleNamespace(sources="", one_heap="", libdir="")
        # A sampled run has one of the two.
        tests = {"the ideal modules [%s]" % series: series for series in ("ghc-2", "make-2")}
        for test in sample.of_environment().of(list(tests)):
            series = tests[test]
            found = bench.sample(series, "ideal", "-O0", args)
            self.assertGreater(found["elapsed"], 0)
            self.assertEqual("share" in found, series == "ghc-2")

    def test_conflicts_are_counted_in_an_eventlog(self):
        """Two threads need one value whose evaluation ends only when the other one has come to wait for it."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "Main.hs"), "w") as f:
                f.write("""import Control.Concurrent
import Control.Exception (evaluate)
import GHC.Conc (BlockReason (BlockedOnBlackHole), ThreadStatus (ThreadBlocked), threadStatus)
import System.IO.Unsafe (unsafePerformIO)
main :: IO ()
main = do
  begun <- newEmptyMVar
  let value = unsafePerformIO (putMVar begun () >> newEmptyMVar >>= \\other -> wait other) :: Int
      wait :: MVar () -> IO Int
      wait _ = takeMVar goOn >> pure 1
  one <- forkIO (() <$ evaluate value)
  takeMVar begun
  done <- newEmptyMVar
  two <- forkIO (evaluate value >> putMVar done ())
  let watch = threadStatus two >>= \\s -> if s == ThreadBlocked BlockedOnBlackHole then pure () else yield >> watch
  watch
  putMVar goOn ()
  takeMVar done
  print (one == two)
goOn :: MVar ()
goOn = unsafePerformIO newEmptyMVar
{-# NOINLINE goOn #-}
""")
            subprocess.run(["ghc", "-v0", "-threaded", "-eventlog", "-rtsopts", "Main.hs"], cwd=folder, check=True)
            subprocess.run(["./Main", "+RTS", "-l-as", "-olevents"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            self.assertGreater(bench.conflicts_in(os.path.join(folder, "events")), 0)


if __name__ == "__main__":
    unittest.main()
