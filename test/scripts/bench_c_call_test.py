#!/usr/bin/env python3
"""bench/c_call.py on made-up results and for a moment in earnest; bench/programs.py on right and wrong outcomes."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import c_call as bench  # noqa: E402
import compare  # noqa: E402
import made_up  # noqa: E402
from common import Failed, find_libomp, peer  # noqa: E402
from programs import PROGRAMS  # noqa: E402

LIBRARIES = {"calls-dgemm": "dgemm-96", "calls-fft": "fft-128x128"}
BINARIES = [os.path.join(BUILD, "bench", name) for name in LIBRARIES]
DROPIN = os.path.join(BUILD, "dropin", "libgomp.so.1")


def result(*rows):
    """A result with rows (call, callers, threads, value, {series: samples})."""
    return made_up.result(
        [{"call": call, "callers": callers, "threads": threads, "value": value, "unit": bench.VALUES[value][0],
          "values": made_up.spreads(values)} for call, callers, threads, value, values in rows],
        timing={"window_ms": 400}, packages=["a package 1"], runtimes=["ours-posix", "libgomp", "libomp"])


def dgemm(ours):
    return ("dgemm-96", 8, 2, "per_s", {"ours-posix": ours, "libgomp": [100, 100, 100, 100], "libomp": [90] * 4})


class Pages(unittest.TestCase):
    def test_more_calls_and_less_time_are_better(self):
        text = "\n".join(bench.page(result(dgemm([50, 50, 50, 50]),
                                           ("par2", 1, 2, "time_ms", {"ours-posix": [80], "libgomp": [100]}))))
        self.assertIn("| dgemm-96 | 8 | 2 | 50/s ±0% | 100/s ±0% | 90/s ±0% | **0.50** |", text)
        self.assertIn("| par2 | 2 | 80 ms ±0% | 100 ms ±0% | - | 0.80 |", text)
        self.assertIn("a package 1.", text)
        self.assertIn("- *par2*: " + PROGRAMS["par2"].what, text)
        self.assertNotIn("99th percentile", text)

    def test_two_results_are_compared(self):
        lines, worse = compare.compare(result(dgemm([100] * 5)), result(dgemm([60] * 5)), 1.1)
        self.assertEqual(worse, 1, lines)
        self.assertIn("| dgemm-96 | 8 | 2 | per_s | ours-posix |", "\n".join(lines))
        _, worse = compare.compare(result(dgemm([60] * 5)), result(dgemm([100] * 5)), 1.1)
        self.assertEqual(worse, 0)

    def test_cells(self):
        cells = bench.cells_of(["dgemm-256", "gromacs"], None, 2)
        self.assertEqual([tuple(cell) for cell in cells],
                         [("dgemm-256", 1, 2), ("dgemm-256", 8, 2), ("gromacs", 1, 2), ("gromacs", 1, 8)])
        self.assertEqual([tuple(cell) for cell in bench.cells_of(["par2"], [3], 2)], [("par2", 1, 3)])


class Outcomes(unittest.TestCase):
    def test_gromacs(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "run.log"), "w") as f:
                for energy in ("-7.11808e+04", "-7.03304e+04"):
                    f.write("        LJ (SR)   Coulomb (SR)   Coul. recip.      Potential    Kinetic En.\n"
                            "    1.00000e+00    2.00000e+00    3.00000e+00   %s    5.00000e+00\n" % energy)
            self.assertEqual(PROGRAMS["gromacs"].outcome(folder, ""), [-71180.8, -70330.4])
        same = PROGRAMS["gromacs"].same
        self.assertTrue(same([-71180.8, -70330.4], [-71179.1, -70000.0]))
        for wrong in ([], [-71180.8], [-71280.8, -70330.4], [-71180.8, -60000.0]):
            self.assertFalse(same(wrong, [-71179.1, -70329.5]), wrong)

    def test_pictures(self):
        gm = PROGRAMS["graphicsmagick"]
        right = "6a" * 32 + " 1338 1095"
        self.assertEqual(gm.outcome("", right + "\n"), right)
        self.assertFalse(gm.same(gm.outcome("", "gm convert: out of memory"), right))
        self.assertFalse(gm.same("6b" * 32 + " 1338 1095", right))

    def test_recovery_blocks(self):
        par2 = PROGRAMS["par2"]
        with tempfile.TemporaryDirectory() as folder:
            self.assertFalse(par2.same(par2.outcome(folder, ""), {}))
            with open(os.path.join(folder, "data.vol00+1.par2"), "wb") as f:
                f.write(b"blocks")
            self.assertEqual(par2.outcome(folder, ""), {"data.vol00+1.par2": b"blocks"})
            self.assertFalse(par2.same(par2.outcome(folder, ""), {"data.vol00+1.par2": b"others"}))


class Echo:
    """A made-up program in place of a packaged one."""

    binary = "echo"

    @staticmethod
    def prepare(binary, folder, env):
        pass

    @staticmethod
    def command(binary, folder, threads):
        return [binary, "the words"]

    @staticmethod
    def outcome(folder, text):
        return text.strip()

    @staticmethod
    def same(got, wanted):
        return got == wanted


@unittest.skipUnless(os.path.exists(DROPIN), "without the drop-in")
class Runs(unittest.TestCase):
    def series(self):
        return ",".join(["ours-posix", "ours-ghc", "libgomp"] + ["libomp"] * bool(find_libomp()))

    def measured(self, rows):
        with tempfile.TemporaryDirectory() as folder:
            path, out = os.path.join(folder, "x.json"), io.StringIO()
            words = ["c_call.py", "run", "--build", BUILD, "--out", path, "--rows", ",".join(rows), "--threads", "2",
                     "--processes", "1", "--window", "50", "--runtimes", self.series()]
            with mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(out):
                with self.assertRaises(SystemExit) as end:
                    bench.main()
            self.assertFalse(end.exception.code, out.getvalue())
            with open(path) as f:
                return json.load(f)["rows"]

    @unittest.skipUnless(all(os.path.exists(path) for path in BINARIES), "without the programs of make bench-c-call")
    def test_libraries_in_earnest(self):
        rows = [row for row in self.measured(LIBRARIES.values()) if row["value"] == "per_s"]
        self.assertEqual({(row["call"], row["callers"]) for row in rows},
                         {(name, callers) for name in LIBRARIES.values() for callers in bench.CALLS[name].callers})
        for row in rows:
            self.assertEqual(sorted(row["values"]), sorted(self.series().split(",")))
            if row["callers"] == 1:
                self.assertGreater(min(values["min"] for values in row["values"].values()), 0, row)

    @unittest.skipUnless(shutil.which("gm"), "without graphicsmagick")
    def test_a_program_in_earnest(self):
        with mock.patch.object(PROGRAMS["graphicsmagick"], "size", "200x150"):
            rows = self.measured(["graphicsmagick"])
        self.assertEqual({row["value"] for row in rows}, {"time_ms", "switches"})
        for row in rows:
            self.assertEqual(sorted(row["values"]), sorted(self.series().split(",")))

    def test_a_wrong_outcome_is_a_failure(self):
        libgomp = peer("libgomp", BUILD) + (None,)
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(PROGRAMS, {"echo": Echo}):
            program = bench.Program("echo", folder, libgomp)
            program.sample(libgomp, 2, False)
            program.wanted = "another"
            with self.assertRaisesRegex(Failed, "wrong result: the words, not another"):
                program.sample(libgomp, 2, False)

    @unittest.skipUnless(all(os.path.exists(path) for path in BINARIES), "without the programs of make bench-c-call")
    def test_sizes_that_there_are_not(self):
        for binary, size in zip(BINARIES, ("0", "16x")):
            for arguments in ([size, "1", "10"], ["64", "0", "10"], ["64", "1", "0"], []):
                done = subprocess.run([binary] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.assertEqual((done.returncode, done.stdout), (2, ""), (binary, arguments))
                self.assertIn("usage: " + os.path.basename(binary), done.stderr)


if __name__ == "__main__":
    unittest.main()
