#!/usr/bin/env python3
"""bench/watched.py on made-up samples: instructions, quotients of pairs, what failed."""

import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import made_up  # noqa: E402
import watched as bench  # noqa: E402


def result(without, there, failures=(), aligned=()):
    series = {name: values for name, values in zip(bench.SERIES, (without, there, *aligned)) if values}
    made = made_up.result([bench.row_of(("tasks", 2), series)], failures, runtimes=list(bench.SERIES))
    made["instructions"] = [{"row": "tasks", "code": "gcc", "values": {bench.WITHOUT: 125.001, bench.WITH: 127.0}},
                            {"row": "single", "code": "clang", "values": {bench.WITHOUT: 45.0, bench.WITH: 44.999}}]
    return made


class Tables(unittest.TestCase):
    def test_the_instructions_that_hooks_add(self):
        text = bench.markdown(result([10], [10]))
        self.assertIn("| tasks: a task, all of them created by one thread | gcc | 125.0 | 127.0 | +2.0 |", text)
        self.assertIn("| single: a single block and its barrier | clang | 45.0 | 45.0 | +0.0 |", text)

    def test_the_quotient_is_that_of_pairs(self):
        # The machine became twice as slow after two rounds; each pair has the same quotient.
        text = bench.markdown(result([100, 100, 200, 200], [102, 102, 204, 204]))
        self.assertIn("| 2 | 150 ±33% | 153 ±33% | 1.020 (1.02 to 1.02) | - | - |", text)

    def test_what_the_place_of_the_code_does_stands_beside_it(self):
        text = bench.markdown(result([100, 100], [110, 110], aligned=([112, 112], [112, 112])))
        self.assertIn("| 1.100 (1.10 to 1.10) | 1.000 (1.00 to 1.00) | 1.120 (1.12 to 1.12) |", text)

    def test_a_failure_leaves_no_pairs(self):
        failed = [{"row": "tasks", "threads": 2, "runtime": bench.WITH, "reason": "exit status 1"}]
        text = bench.markdown(result([100, 100], [150], failed))
        self.assertIn("| 2 | 100 ±0% | 150 ±0% | - | - | - |", text)
        self.assertIn("- tasks, 2 threads, ours-posix, failed: exit status 1", text)

    def test_a_count_is_the_difference_of_two_batches(self):
        asked = []

        def made_up_count(binary, row, operations, env):
            asked.append(operations)
            return 1000000 + 7 * operations

        known, bench.instructions_of = bench.instructions_of, made_up_count
        try:
            self.assertEqual(7, bench.count("constructs", "task-fib", ("folder", "posix", "object")))
        finally:
            bench.instructions_of = known
        self.assertEqual([3 * 21890, 21890], asked)


if __name__ == "__main__":
    unittest.main()
