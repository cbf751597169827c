#!/usr/bin/env python3
"""bench/rounds.py on made-up samples: quotients by rounds, what stands for them where rounds are missing, the better
peer, and when ours is behind or ahead."""

import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import rounds  # noqa: E402
from common import spread  # noqa: E402


class Quotients(unittest.TestCase):
    def test_a_machine_that_halves_its_speed_changes_none(self):
        found = rounds.quotient(spread([50, 50, 100, 100]), spread([100, 100, 200, 200]), less=True)
        self.assertEqual(tuple(found), (0.5, 0.5, 0.5))

    def test_two_states_that_medians_mix(self):
        ours, peer = spread([90, 90, 300, 300, 300]), spread([110, 110, 110, 400, 400])
        self.assertGreater(ours["median"] / peer["median"], 2)
        self.assertLess(rounds.quotient(ours, peer, less=True).middle, 0.82)

    def test_where_more_is_better_the_cost_is_divided(self):
        self.assertEqual(rounds.quotient(spread([200, 200]), spread([100, 100]), less=False).middle, 0.5)

    def test_without_whole_rounds_the_quartiles_furthest_apart(self):
        found = rounds.quotient(spread([100, 100, 100, 140]), spread([50, 60, 50]), less=True)
        self.assertEqual((found.middle, found.low, found.high), (2, 100 / 60, 110 / 50))
        self.assertEqual(rounds.quotient(spread([3]), spread([2]), less=True).middle, 1.5)

    def test_nothing_beside_nothing(self):
        self.assertEqual(rounds.quotient(spread([0, 0]), spread([0, 0]), less=True).middle, 1)
        self.assertEqual(rounds.quotient(spread([1, 1]), spread([0, 0]), less=True).middle, float("inf"))

    def test_the_better_peer_is_the_one_beside_which_ours_is_worst(self):
        peers = {"slow": spread([400, 400]), "fast": spread([200, 200])}
        self.assertEqual(rounds.better(spread([100, 100]), peers, less=True)[0], "fast")
        self.assertEqual(rounds.better(spread([100, 100]), peers, less=False)[0], "slow")


class States(unittest.TestCase):
    def test_behind_and_ahead(self):
        self.assertTrue(rounds.is_behind(rounds.Quotient(1.06, 1.01, 1.1)))
        self.assertFalse(rounds.is_behind(rounds.Quotient(1.06, 0.99, 1.1)))  # better in a quarter of the rounds
        self.assertFalse(rounds.is_behind(rounds.Quotient(1.04, 1.03, 1.05)))
        self.assertTrue(rounds.is_ahead(rounds.Quotient(0.9, 0.8, 0.99)))
        self.assertFalse(rounds.is_ahead(rounds.Quotient(0.9, 0.8, 1.01)))


if __name__ == "__main__":
    unittest.main()
