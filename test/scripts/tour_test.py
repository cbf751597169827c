#!/usr/bin/env python3
"""The tour's index of files: what tools/tour.py takes from heads, and that the committed page is what it writes."""

import os
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))

import tour  # noqa: E402

HEAD = """/* The barrier: members wait for each other. More of it.
 *
 * Called by team.c. Covered by test/unit/{team,wait}.c and
 * test/tsan; measured by bench/run.py.
 */
int x;
"""


class Tour(unittest.TestCase):
    def test_head(self):
        with tempfile.NamedTemporaryFile("w", suffix=".c") as f:
            f.write(HEAD)
            f.flush()
            text = tour.head(f.name)
        self.assertEqual(tour.first_sentence(text), "The barrier: members wait for each other")
        self.assertEqual(tour.named(text), ["test/unit/{team,wait}.c", "test/tsan"])
        self.assertEqual(tour.first_sentence("One, e.g. this one: Two"), "One, e.g. this one")
        self.assertEqual(tour.named("No tests."), [])

    def test_missing(self):
        self.assertEqual(tour.missing("test/unit/{team,no_such}.c"), ["test/unit/no_such.c"])
        self.assertEqual(tour.missing("test/tsan"), [])

    def test_heads(self):
        self.assertEqual(tour.wrong(), [])

    def test_committed(self):
        with open(os.path.join(ROOT, tour.PAGE), encoding="utf-8") as f:
            text = f.read()
        self.assertEqual(tour.page(text), text, "run `make gen`")


if __name__ == "__main__":
    unittest.main()
