#!/usr/bin/env python3
"""The tables of verdicts (bench/verdicts.py): which series are held against which, and what a cell is."""

import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench"))
import common  # noqa: E402
import pages  # noqa: E402
import verdicts  # noqa: E402


def around(median, part=0.01):
    return common.spread([median * (1 + part * k) for k in (-2, -1, 0, 1, 2)])


def constructs(row="parallel", threads=2, **medians):
    return {"row": row, "threads": threads, "unit": "ns",
            "values": {name.replace("_", "-"): around(median) for name, median in medians.items()}}


class Cells(unittest.TestCase):
    def one(self, name="constructs", **medians):
        (found,) = verdicts.cells(name, {"rows": [constructs(**medians)]})
        return round(found.ratio, 2), found.state

    def test_the_worse_host_against_the_better_peer(self):
        self.assertEqual(self.one(ours_posix=50, ours_ghc=80, libgomp=100, libomp=200), (0.8, "ahead"))
        self.assertEqual(self.one(ours_posix=50, ours_ghc=120, libgomp=100, libomp=200), (1.2, "behind"))
        self.assertEqual(self.one(ours_posix=50, ours_ghc=104, libgomp=100), (1.04, "equal"))

    def test_rounds_that_differ_are_equal(self):
        row = constructs(ours_posix=120, libgomp=100)
        row["values"]["libgomp"] = common.spread([150, 140, 100, 90, 80])
        self.assertEqual([c.state for c in verdicts.cells("constructs", {"rows": [row]})], ["equal"])

    def test_one_process_shows_no_spread(self):
        row = constructs(ours_posix=50, libgomp=100)
        row["values"]["libgomp"] = common.spread([100])
        self.assertEqual([c.state for c in verdicts.cells("constructs", {"rows": [row]})], ["equal"])

    def test_where_more_is_better(self):
        rows = [{"row": "regions", "work_us": 1, "neighbours": 0, "threads": 2, "unit": "/s",
                 "values": {"ours-posix": around(200), "ours-ghc": around(100), "libgomp": around(50)}}]
        (found,) = verdicts.cells("neighbours", {"rows": rows})
        self.assertEqual((round(found.ratio, 2), found.state, found.where), (0.5, "ahead", "1 us, 0 neighbours"))

    def test_roles(self):
        self.assertEqual(self.one("profiler", profiled=120, ours_posix=100), (1.2, "behind"))
        self.assertEqual(self.one("watched", ours_posix=101, unwatched=100), (1.01, "equal"))

    def test_rows_with_another_aim_and_without_peer_are_left_out(self):
        rows = [constructs("start", ours_posix=3, libgomp=1), constructs(ours_posix=3)]
        self.assertEqual(list(verdicts.cells("constructs", {"rows": rows})), [])


class Tables(unittest.TestCase):
    def test_table(self):
        rows = [constructs(threads=m, ours_posix=50 * m, libgomp=100) for m in (1, 4)]
        self.assertEqual(verdicts.table("constructs", {"rows": rows})[2:],
                         ["| parallel: an empty region | 1.00 | 2.00: 4 threads | **behind** in 1 of 2 |"])
        self.assertEqual(verdicts.summary("constructs", {"rows": rows}), ["2", "1.00", "1", "0", "1"])

    def test_each_page_has_verdicts(self):
        for name in pages.measured(pages.PARTS):
            part = pages.PARTS[name]
            if name in pages.ALONE:
                self.assertNotIn("<details>", "\n".join(pages.section(name)), name)
            else:
                self.assertGreater(len(verdicts.table(name, pages.result_of(part))), 2, name)


if __name__ == "__main__":
    unittest.main()
