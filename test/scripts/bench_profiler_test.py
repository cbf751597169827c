#!/usr/bin/env python3
"""bench/profiler.py on made-up samples: quotients of pairs, what costs too much, what failed."""

import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import made_up  # noqa: E402
import profiler as bench  # noqa: E402


def result(row, without, profiled, failures=()):
    series = {name: values for name, values in ((bench.RUNTIME, without), (bench.PROFILED, profiled)) if values}
    return made_up.result([bench.row_of((row, 2), series)], failures, runtimes=list(bench.SERIES))


class Tables(unittest.TestCase):
    def test_the_quotient_is_that_of_pairs(self):
        # The machine became twice as slow after two rounds; each pair has the same quotient.
        text = bench.markdown(result("sort", [100, 100, 200, 200], [104, 104, 208, 208]))
        self.assertIn("| 2 | 150 ±33% | 156 ±33% | 1.04 (1.04 to 1.04) |", text)

    def test_what_costs_too_much_is_bold(self):
        text = bench.markdown(result("tree", [100] * 4, [106, 108, 106, 108]))
        self.assertIn("| **1.07** (1.06 to 1.08) |", text)

    def test_trees_have_a_table_of_their_own(self):
        made = result("sort", [100] * 2, [104] * 2)
        made["trees"] = [bench.row_of(("binomial, taskgroup", 2), {bench.RUNTIME: [50] * 2, bench.PROFILED: [75] * 2})]
        text = bench.markdown(made)
        self.assertIn("| binomial, taskgroup | 2 | 50.0 ±0% | 75.0 ±0% | **1.50** (1.50 to 1.50) |", text)

    def test_a_failure_leaves_no_pairs(self):
        failed = [{"row": "queens", "threads": 2, "runtime": bench.PROFILED, "reason": "exit status 1"}]
        text = bench.markdown(result("queens", [100, 100], [150], failed))
        self.assertIn("| 2 | 100 ±0% | 150 ±0% | - |", text)
        self.assertIn("- queens, 2 threads, profiled, failed: exit status 1", text)
        self.assertIn("| - | - |", bench.markdown(result("queens", [100, 100], [], failed)))

    def test_the_programs_are_measured(self):
        for row in ("stencil", "sparse-lu", "queens", "sort", "tree", "fractal", "dgemm-256", "sine"):
            self.assertIn(row, bench.MEASURED)


if __name__ == "__main__":
    unittest.main()
