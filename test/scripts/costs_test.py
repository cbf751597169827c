#!/usr/bin/env python3
# Tests of test/costs.py: what a run's last lines and the file of --costs say.
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import costs  # noqa: E402


class Sums(unittest.TestCase):
    def setUp(self):
        self.costs = costs.Costs()

    def test_groups_and_slowest(self):
        self.costs.took("unit", "unit/a", 3, 1.25)
        self.costs.took("unit", "unit/b", 5, 2)
        with self.costs.group("unit"):
            pass
        for number in range(costs.SLOWEST):
            self.costs.took("abi", "abi/%d" % number, 4, 0)
        lines = self.costs.lines()
        self.assertIn("  unit                0      3", lines)
        self.assertEqual(lines[lines.index("slowest tests:") + 1], "       5      2  unit/b")
        self.assertEqual(len(lines) - lines.index("slowest tests:") - 1, costs.SLOWEST)
        self.assertNotIn("unit/a", "\n".join(lines))

    def test_a_part_is_in_its_groups_sum_already(self):
        self.costs.took("hs", "hs/run.sh", 9, 8)
        self.costs.part("hs: a suite", 7, 6)
        self.assertEqual(self.costs.groups["hs"][1], 8)
        with tempfile.NamedTemporaryFile() as file:
            self.costs.save(file.name)
            self.assertEqual(file.read().decode(), "9.00\t8.00\ths/run.sh\n7.00\t6.00\ths: a suite\n")

    def test_processes_count_for_the_test_of_their_thread(self):
        with self.costs.test("unit", "unit/a"):
            costs.spend(2)
        with self.costs.test("unit", "unit/b"):
            pass
        self.assertEqual([cpu for _, cpu, _ in self.costs.tests], [2, 0])

    def test_nothing_ran(self):
        self.assertEqual(self.costs.lines(), [])


if __name__ == "__main__":
    unittest.main()
