#!/usr/bin/env python3
"""bench/quota.py on made-up samples, and the control groups that it makes (tools/cgroups.py)."""

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import made_up  # noqa: E402
import quota as bench  # noqa: E402

SAMPLE = {"work_s": 0.6, "wall_s": 1.2, "p50_us": 130.0, "p99_us": 900.0}


class Tables(unittest.TestCase):
    def test_work_is_told_in_percent_of_the_quota(self):
        self.assertEqual(bench.values_of(SAMPLE, 0.5, 0.3),
                         {"work_percent": 100, "p50_us": 130, "p99_us": 900, "throttled": 0.25})
        self.assertAlmostEqual(bench.values_of(SAMPLE, 2, 0)["work_percent"], 25)

    def test_a_row_for_each_quota_and_runtime(self):
        values = bench.values_of(SAMPLE, 0.5, 0.3)
        text = bench.markdown(made_up.result(
            [{"quota": 0.5, "runtime": "ours-ghc", "threads": 1,
              "values": made_up.spreads({k: [v] * 5 for k, v in values.items()})}],
            timing={"window_ms": 1500.0}, group_version=2, runtimes=["ours-ghc"]))
        self.assertIn("| 0.5 | ours, GHC | 1 | 100 ±0% | 130 ±0% | 900 ±0% | 0.25 |", text)
        self.assertIn("5 processes a cell, each a window of 1500 ms, runtimes taking turns; 1 s in all.", text)
        self.assertIn("Control groups of version 2.", text)


class Runs(unittest.TestCase):
    """`run` with a program that prints a made-up sample and a control group that limits nothing."""

    class Group:
        version = 2

        def __init__(self, folder):
            self.folder, self.limits, self.throttled = folder, [], 0.0

        def limit(self, quota):
            self.limits.append(quota)

        def throttled_s(self):
            self.throttled += 0.6
            return self.throttled

    def test_a_result_and_its_table(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "quota")
            with open(program, "w") as f:
                f.write("#!/bin/sh\necho '%s'\n" % json.dumps(
                    dict(SAMPLE, object="/usr/lib/libgomp.so.1", host="", threads=2)))
            os.chmod(program, 0o755)
            args = argparse.Namespace(cc="gcc", name="x", out=os.path.join(folder, "x.json"), processes=2, seconds=1.2,
                                      peer=None)
            group, said = self.Group(folder), io.StringIO()
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
                status = bench.measure(args, program, [0.25, 0.5], ["libgomp"], {"libgomp": (None, None, None)}, group)
            self.assertEqual(status, 0, said.getvalue())
            self.assertEqual(group.limits, [0.25, 0.5] * 2)
            self.assertIn("| 0.5 | libgomp | 2 | 100 ±0% | 130 ±0% | 900 ±0% | 0.50 |", said.getvalue())
            self.assertIn("2 processes a cell, each a window of 1200 ms", said.getvalue())
            with open(args.out) as f:
                result = json.load(f)
            self.assertEqual([row["quota"] for row in result["rows"]], [0.25, 0.5])


class Groups(unittest.TestCase):
    def test_a_group_is_made_or_the_reason_is_told(self):
        group, why = bench.cgroups.make()
        if group is None:
            self.assertTrue(why)
            return
        try:
            group.limit(0.5)
            group.limit(None)
            self.assertEqual(group.throttled_s(), 0)
            done = subprocess.run(["cat", "/proc/self/cgroup"], preexec_fn=group.join, stdout=subprocess.PIPE,
                                  universal_newlines=True)
            self.assertIn(os.path.basename(group.folder), done.stdout)
        finally:
            group.close()
        self.assertFalse(os.path.exists(group.folder))

    def test_a_folder_that_cannot_be_removed_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            open(os.path.join(folder, "member"), "w").close()
            with mock.patch.object(bench.cgroups, "REMOVE_SECONDS", 0.1):
                with self.assertRaisesRegex(RuntimeError, "cannot remove the control group .*not empty"):
                    bench.cgroups.Group(2, folder).close()


if __name__ == "__main__":
    unittest.main()
