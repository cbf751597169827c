#!/usr/bin/env python3
"""bench/locks.py on made-up samples, and its runtime of one mutex (bench/c/locked.c): the program's rows, which check
their own results, run on it."""

import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = os.path.join(ROOT, "bench", "c")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import locks as bench  # noqa: E402
import made_up  # noqa: E402

PROGRAM = ("constructs", "tasks", "dgemm", "sine", "stencil", "sparselu", "tree", "fractal")


def result():
    rows = [dict(row="parallel", threads=m, unit="ns",
                 values=made_up.spreads({"locked": [20000] * 4, "libgomp": [1000 * m] * 4, "ours-ghc": [500] * 4}))
            for m in (1, 2)]
    return made_up.result(rows, timing={"window_ms": 50}, runtimes=list(bench.NAMES))


class Tables(unittest.TestCase):
    def test_ratios(self):
        text = bench.markdown(result())
        self.assertIn("| an empty region | 2 | 20 us ±0% | 2 us ±0% | - | 500 ns ±0% | 10 | - | 40 |", text)

    def test_charts_are_written_and_linked(self):
        with tempfile.TemporaryDirectory() as folder:
            links = bench.charts(dict(result(), rows=result()["rows"] + [dict(r, row="barrier") for r in
                                                                         result()["rows"]]), folder)
            for path in glob.glob(os.path.join(folder, "*")):
                self.assertIn("pictures/" + os.path.basename(path), links)
            self.assertEqual(len(os.listdir(folder)), len(bench.CHARTED))


class Runtime(unittest.TestCase):
    def test_the_program_runs_on_it(self):
        with tempfile.TemporaryDirectory() as folder:
            library, program = os.path.join(folder, "libgomp.so.1"), os.path.join(folder, "constructs")
            subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-pthread", os.path.join(SOURCES, "locked.c"),
                            "-Wl,--version-script=" + os.path.join(SOURCES, "locked.map"), "-Wl,-soname,libgomp.so.1",
                            "-o", library], check=True)
            subprocess.run(["gcc", "-std=gnu11", "-O1", "-fopenmp", "-o", program] +
                           [os.path.join(SOURCES, name + ".c") for name in PROGRAM] + ["-lm", "-ldl"], check=True)
            for row in bench.MEASURED + ("lock", "for-static"):
                for threads in (1, 3):
                    done = subprocess.run([program, row, str(threads), "1", "2"], stdout=subprocess.PIPE, check=True,
                                          timeout=60, env=dict(os.environ, LD_LIBRARY_PATH=folder,
                                                               OMP_NUM_THREADS=str(threads)))
                    self.assertEqual(json.loads(done.stdout)["object"], library)


if __name__ == "__main__":
    unittest.main()
