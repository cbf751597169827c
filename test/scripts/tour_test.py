#!/usr/bin/env python3
"""The tour's index: what tools/tour.py takes from heads, and that the committed page is what it writes."""

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
 * test/tsan; measured by bench/run.py. Explored (test/explore/fork_join.c).
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
        self.assertEqual(tour.named(text),
                         ["test/unit/{team,wait}.c", "test/tsan", "bench/run.py", "test/explore/fork_join.c"])
        self.assertEqual(tour.first_sentence("One, e.g. this one: Two"), "One, e.g. this one")
        self.assertEqual(tour.named("No tests."), [])

    def test_tests(self):
        self.assertEqual(tour.together(["test/unit/team.c", "test/tsan", "test/unit/wait.c", "test/tsan/x.c",
                                        "test/unit/team.c"]), ["test/unit/{team,wait}.c", "test/tsan"])
        self.assertIn("test/explore/lock.c", tour.named_by_tests()["core/sync/lock"])
        self.assertEqual(tour.module_tests("src/OpenMP/Eval.hs"), ["test/hs/library/EvalTest.hs"])
        # Another module's test has that name.
        self.assertIn("LinearTest", tour.module_tests("src/Data/Array/Linear/Parallel.hs")[0])
        self.assertNotIn("ParallelTest", tour.module_tests("src/Data/Array/Linear/Parallel.hs")[0])
        self.assertEqual(tour.module_tests("src/OpenMP/Interrupt.hs"), ["test/hs/library/InterruptibleTest.hs"])
        self.assertEqual(tour.described("src/OpenMP/Parallel.hs"), "Parallel regions with Haskell bodies")

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
