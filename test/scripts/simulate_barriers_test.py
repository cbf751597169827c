#!/usr/bin/env python3
"""bench/simulate_barriers.py: what it says of made-up runs, and two sizes in earnest.

What is judged is simulated time, which depends on the runtime's code and on the costs alone.
"""

import contextlib
import io
import os
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import simulate_barriers as bench  # noqa: E402
from common import load_result  # noqa: E402


def rows(at, row="barriers", policy="default"):
    return [{"simulated": row, "threads": n, "policy": policy, "ns": {"flat": flat, "tree": tree}}
            for n, (flat, tree) in at.items()]


class Tables(unittest.TestCase):
    def test_the_size_is_the_one_from_which_all_larger_ones_gain(self):
        self.assertEqual(bench.gains_from(rows({2: (5, 4), 8: (5, 6), 16: (9, 8), 32: (20, 9)})), 16)
        self.assertIsNone(bench.gains_from(rows({2: (5, 4), 8: (5, 6)})))
        self.assertIsNone(bench.gains_from(rows({2: (5, 4), 8: (None, 6)})))

    def test_a_page(self):
        text = bench.markdown({"costs": {"far_factor": 3}, "rows": rows({8: (500, 600), 16: (900, 800)}) +
                               rows({8: (5000, 6000), 16: (9000, 9500)}, "regions", "passive")})
        self.assertIn("| 16 | 0.90 | 0.80 | 9.00 | 9.50 |", text)
        self.assertIn("- barrier, awake: the tree is the faster one from 16 threads on.", text)
        self.assertIn("- region, asleep (`OMP_WAIT_POLICY=passive`): the tree is the faster one from none", text)


class Runs(unittest.TestCase):
    @unittest.skipUnless(os.path.exists(os.path.join(BUILD, "bench", "simulate")),
                         "the simulator is not built; run `make simulate`")
    def test_in_earnest(self):
        with tempfile.TemporaryDirectory() as folder:
            results = []
            for name, threads in ("one.json", "2,16"), ("two.json", "2"):
                path = os.path.join(folder, name)
                words = ["simulate_barriers.py", "run", "--build", BUILD, "--threads", threads, "--out", path]
                with mock.patch.object(sys, "argv", words), mock.patch.object(bench, "MS", 8):
                    with contextlib.redirect_stdout(io.StringIO()), self.assertRaises(SystemExit) as end:
                        bench.main()
                self.assertEqual(end.exception.code, 0)
                results.append(load_result(path)["rows"])
        self.assertEqual([row for row in results[0] if row["threads"] == 2], results[1])
        self.assertEqual({(r["simulated"], r["threads"], r["policy"]) for r in results[0]},
                         {(row, n, policy) for row in bench.ROWS for n in (2, 16) for policy in bench.POLICIES})
        for row in results[0]:
            self.assertTrue(all(ns > 0 for ns in row["ns"].values()), row)
        # A tree of two threads is another barrier than the flat one, which the setting has chosen.
        self.assertTrue(any(r["ns"]["flat"] != r["ns"]["tree"] for r in results[0]))


if __name__ == "__main__":
    unittest.main()
