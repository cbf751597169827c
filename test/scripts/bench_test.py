#!/usr/bin/env python3
"""bench/run.py on made-up samples: ratios and verdicts are right, and samples that must not count are refused."""

import importlib.util
import io
import json
import os
import sys
import tempfile
import unittest
from contextlib import redirect_stdout

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
spec = importlib.util.spec_from_file_location("bench_run", os.path.join(ROOT, "bench", "run.py"))
bench = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(bench)


def result(rows):
    """A result with the given rows: (row, threads, {runtime: samples})."""
    names = sorted({name for _, _, values in rows for name in values}, key=list(bench.TITLES).index)
    return {
        "machine": {"cpu": "a CPU", "cpus_usable": 2, "cpus_online": 2, "memory": "1 GiB", "system": "a system",
                    "kernel": "1", "cc": "gcc", "ghc": "9", "libgomp": "1", "libomp": "2", "ghc_openmp": "abc"},
        "conditions": {"load_average": {"before": 0, "highest": 0, "after": 0}, "cpu_taken_by_others_percent": 0.0,
                       "cpu_stolen_percent": 0.0, "transfer_ns": None, "processes": 5, "batch_ms": 15, "batches": 7,
                       "seconds": 1},
        "runtimes": names,
        "rows": [dict(row=row, threads=m, unit=bench.ROWS[row][1],
                      values={n: bench.spread(v) for n, v in values.items()}) for row, m, values in rows],
        "failures": [],
    }


class Tables(unittest.TestCase):
    def test_ratios_where_less_is_better(self):
        row = result([("parallel", 2, {"ours-ghc": [50], "libgomp": [100], "libomp": [200]})])["rows"][0]
        self.assertEqual(bench.ratios(row, "ours-ghc"), (0.5, 0.25))

    def test_ratios_where_more_is_better(self):
        row = result([("lock-fair", 2, {"ours-ghc": [80], "libgomp": [40], "libomp": [100]})])["rows"][0]
        self.assertEqual(bench.ratios(row, "ours-ghc"), (1.25, 0.5))

    def test_a_row_worse_than_both_is_named(self):
        text = bench.markdown(result([("parallel", 2, {"ours-ghc": [300], "libgomp": [100], "libomp": [200]}),
                                      ("barrier", 4, {"ours-ghc": [150], "libgomp": [100], "libomp": [200]})]))
        self.assertIn("Worse than both peers: parallel at 2 (ours, GHC, 1.50).", text)

    def test_what_is_wanted_stands_beside_the_ratios(self):
        text = bench.markdown(result([("task-fib", 2, {"ours-ghc": [30], "libgomp": [100], "libomp": [60]}),
                                      ("task-fib", 8, {"ours-ghc": [30], "libgomp": [100]})]))
        self.assertIn("| 0.50 | 0.30 | 0.30 |", text)
        self.assertIn("| 0.30 | 0.30 | - |", text)
        self.assertLessEqual(set(bench.WANTED), set(bench.ROWS))

    def test_a_busy_machine_is_said(self):
        busy = result([("parallel", 2, {"libgomp": [100]})])
        self.assertNotIn("busy", bench.markdown(busy))
        busy["conditions"]["cpu_taken_by_others_percent"] = 6.0
        self.assertIn("busy", bench.markdown(busy))

    def test_failures_are_grouped_by_reason(self):
        failures = [dict(row="parallel", threads=m, runtime="libomp", reason="exit status 1") for m in (1, 2, 2)]
        self.assertEqual(bench.failure_lines(failures),
                         ["libomp: exit status 1 (3 times: parallel at 1, parallel at 2)"])

    def test_spread(self):
        values = bench.spread([5, 1, 4, 2, 3])
        self.assertEqual((values["median"], values["q1"], values["q3"], values["min"], values["max"]), (3, 2, 4, 1, 5))


class Compare(unittest.TestCase):
    def compare(self, before, after, row="parallel"):
        paths = []
        with tempfile.TemporaryDirectory() as folder:
            for name, samples in (("a", before), ("b", after)):
                paths.append(os.path.join(folder, name))
                with open(paths[-1], "w") as f:
                    json.dump(result([(row, 2, samples)]), f)
            args = type("Args", (), {"before": paths[0], "after": paths[1], "limit": 1.10, "all": False})
            out = io.StringIO()
            with redirect_stdout(out):
                status = bench.compare(args)
        return status, out.getvalue()

    def test_a_clear_loss_is_a_regression(self):
        status, out = self.compare({"ours-ghc": [100, 101, 102, 103, 104]}, {"ours-ghc": [130, 131, 132, 133, 134]})
        self.assertEqual(status, 1)
        self.assertIn("**worse**", out)

    def test_a_loss_within_the_limit_is_none(self):
        self.assertEqual(self.compare({"ours-ghc": [100] * 5}, {"ours-ghc": [109] * 5})[0], 0)

    def test_a_loss_within_the_spread_is_none(self):
        self.assertEqual(self.compare({"ours-ghc": [50, 90, 100, 200, 210]}, {"ours-ghc": [60, 120, 150, 190, 200]})[0],
                         0)

    def test_less_fairness_is_a_regression(self):
        self.assertEqual(self.compare({"ours-ghc": [90] * 5}, {"ours-ghc": [50] * 5}, "lock-fair")[0], 1)
        self.assertEqual(self.compare({"ours-ghc": [50] * 5}, {"ours-ghc": [90] * 5}, "lock-fair")[0], 0)

    def test_a_slower_peer_is_no_regression_of_ours(self):
        status, out = self.compare({"libgomp": [100] * 5}, {"libgomp": [200] * 5})
        self.assertEqual(status, 0)
        self.assertIn("peer worse", out)


class Samples(unittest.TestCase):
    def test_another_runtime_than_asked_for_is_refused(self):
        ours = ("/there/dropin", "ghc", "/there/dropin/libgomp.so.1")
        bench.check_served({"object": ours[2], "host": "ghc"}, ours[2], "ghc")
        for served in ({"object": "/lib/libgomp.so.1", "host": ""}, {"object": ours[2], "host": "posix"},
                       {"object": ours[2], "host": ""}):
            with self.assertRaises(bench.Failed):
                bench.check_served(served, ours[2], "ghc")
        with self.assertRaises(bench.Failed):
            bench.check_served({"object": "/x/libgomp.so.1", "host": "posix"}, None, None)

    def test_a_failing_or_silent_sample_is_refused(self):
        for command in (["false"], ["echo", "no JSON"]):
            with self.assertRaises(bench.Failed):
                bench.spawn(command, dict(os.environ))

    def test_the_callers_settings_do_not_reach_a_sample(self):
        os.environ.update(OMP_WAIT_POLICY="active", GHCRTS="-N7", KMP_BLOCKTIME="0")
        env = bench.environment(("/there", "posix", None), 3)
        self.assertEqual({k for k in env if k.startswith(("OMP_", "KMP_", "GHCRTS"))}, {"OMP_NUM_THREADS"})
        self.assertEqual((env["LD_LIBRARY_PATH"], env["GHCOMP_HOST"], env["OMP_NUM_THREADS"]), ("/there", "posix", "3"))


if __name__ == "__main__":
    unittest.main()
