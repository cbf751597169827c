#!/usr/bin/env python3
"""bench/replay.py on made-up samples."""

import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import made_up  # noqa: E402
import replay as bench  # noqa: E402


def result():
    rows = [dict(row=row, threads=2, unit="ns", values=made_up.spreads(values)) for row, values in (
        ("task-depend", {"ours-posix": [400] * 4, "libgomp": [900] * 4, "libomp": [1000] * 4}),
        ("task-replay", {"ours-posix": [50] * 4, "ours-ghc": [60] * 4}),
        ("graph-built", {"haskell": [200] * 4}))]
    return made_up.result(rows, timing={"window_ms": 105}, runtimes=list(bench.NAMES + (bench.HASKELL,)))


class Tables(unittest.TestCase):
    def test_rows(self):
        text = bench.markdown(result())
        self.assertIn("| the same, recorded and replayed | 2 | 50 ns ±0% | 60 ns ±0% | - | - | - |", text)
        self.assertIn("| the same, built once | 2 | - | - | - | - | 200 ns ±0% |", text)

    def test_failures_name_their_row(self):
        failed = dict(result(), failures=[{"row": "task-replay", "threads": 2, "runtime": "ours-ghc", "reason": "why"}])
        self.assertIn("failed: task-replay, 2 threads: why", bench.markdown(failed))


if __name__ == "__main__":
    unittest.main()
