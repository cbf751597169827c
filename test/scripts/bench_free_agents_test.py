#!/usr/bin/env python3
"""bench/free_agents.py on made-up samples."""

import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import free_agents as bench  # noqa: E402
import made_up  # noqa: E402

# Of five rounds the machine was fast in the last, and gave two threads no more than one.
ROUNDS = {"alone": [100e6, 100e6, 102e6, 100e6, 60e6], "agents": [50e6, 52e6, 51e6, 50e6, 60e6],
          "threads": [50e6, 51e6, 51e6, 49e6, 60e6]}


class Values(unittest.TestCase):
    def test_the_quotients_are_of_one_round(self):
        values = bench.values_of(ROUNDS)
        self.assertEqual((values["without"], values["agents"], values["threads"]), (100e6, 51e6, 51e6))
        self.assertAlmostEqual(values["times_as_fast"], 2.0)
        self.assertAlmostEqual(values["threads_times_as_fast"], 2.0)


class Tables(unittest.TestCase):
    def rows(self):
        samples = {("serial", value): {"ours-posix": [found] * 3} for value, found in bench.values_of(ROUNDS).items()}
        return [bench.row_of("serial", "ours-posix", samples)]

    def test_rows(self):
        text = bench.markdown(made_up.result(self.rows()))
        self.assertIn("| a serial program | posix | 100 ms | 51 ms | 2.00 (2.00 to 2.00) | 2.00 (2.00 to 2.00) |", text)

    def test_failures_name_their_row(self):
        failed = [{"row": "masters", "runtime": "ours-ghc", "reason": "why"}]
        self.assertIn("- masters, ours-ghc, failed: why", bench.markdown(made_up.result(self.rows(), failed)))


if __name__ == "__main__":
    unittest.main()
