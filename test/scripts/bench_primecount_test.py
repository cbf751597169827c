#!/usr/bin/env python3
# timing-part: a bound of migrations, of which the kernel may make more
"""bench/primecount.py on made-up results and for a moment in earnest; bench/counters.py on processes whose switches and
migrations are known."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import compare  # noqa: E402
import counters  # noqa: E402
import made_up  # noqa: E402
import primecount as bench  # noqa: E402
from common import Failed, OutOfTime, find_libomp, link_libomp, set_deadline  # noqa: E402

SCHED = "/proc/PID/task/*/sched"


def result(rows):
    """A result with rows (policy, threads, value, {series: samples})."""
    return made_up.result(
        [{"primecount": "1e14", "policy": policy, "threads": threads, "value": value,
          "values": made_up.spreads(values)} for policy, threads, value, values in rows],
        processes=3, timing={"programs": "primecount 1e14"}, program="primecount-bin 7",
        migrations_by="perf_event_open", series=["flat", "libgomp"])


class Pages(unittest.TestCase):
    def test_means_and_deviations(self):
        text = "\n".join(bench.page(result([
            ("passive", 64, "time_ms", {"flat": [10, 20, 30], "libgomp": [100, 100, 103]}),
            ("passive", 64, "switches", {"flat": [7, 7, 7]})])))
        self.assertIn("| passive | 64 | 20.0 ± 10.0 | 101 ± 2 |", text)
        self.assertIn("| passive | 64 | 7.0 ± 0.0 | - |", text)
        self.assertIn("3 processes a cell, each one run of primecount 1e14, runtimes taking turns", text)
        self.assertIn("CPU migrations by perf_event_open.", text)
        self.assertNotIn("## CPU migrations", text)

    def test_two_results_are_compared(self):
        before = result([("default", 32, "time_ms", {"flat": [10] * 5, "libgomp": [10] * 5})])
        after = result([("default", 32, "time_ms", {"flat": [20] * 5, "libgomp": [20] * 5})])
        lines, worse = compare.compare(before, after, 1.1)
        self.assertEqual(worse, 1, lines)
        self.assertIn("| 1e14 | default | 32 | time_ms | flat | ms |", "\n".join(lines))

    def test_counts_whose_result_is_known(self):
        self.assertEqual((bench.exponent("1e9"), bench.exponent("10**17")), (9, 17))
        for text in ("1e8", "5e9", "1e30", "many"):
            with self.assertRaises(SystemExit):
                bench.exponent(text)


class Counters(unittest.TestCase):
    def python(self, code, by=None, *arguments):
        return counters.run([sys.executable, "-c", code, *arguments], dict(os.environ), by)

    def test_switches(self):
        text, values = self.python("import time\nfor _ in range(40): time.sleep(0.001)\nprint('done')")
        self.assertEqual(text, "done\n")
        self.assertGreaterEqual(values["switches"], 40)
        self.assertGreaterEqual(values["time_ms"], 40)

    def test_migrations(self):
        cpus = sorted(os.sched_getaffinity(0))
        if len(cpus) < 2:
            self.skipTest("one CPU: nothing migrates")
        # In a thread, since a process's first thread is the easy case. Where the second process is watched it ends
        # after a look at its last migration.
        code = ("import os, sys, threading, time\n"
                "os.chdir(sys.argv[1])\n"
                "first = not os.path.exists('first')\n"
                "open('first', 'w').close()\n"
                "def hop():\n"
                "    for i in range(30): os.sched_setaffinity(0, {(%d, %d)[i %% 2]})\n"
                "    if first: return\n"
                "    open('hopped', 'w').close()\n"
                "    while not os.path.exists('seen'): time.sleep(0.001)\n"
                "t = threading.Thread(target=hop); t.start(); t.join()\n" % tuple(cpus[:2]))
        look = counters.look

        def look_until(folder):
            def looked(pid, seen):
                hopped = os.path.exists(os.path.join(folder, "hopped"))
                look(pid, seen)
                if hopped:
                    open(os.path.join(folder, "seen"), "w").close()

            return mock.patch.object(counters, "look", looked)

        ways = {SCHED} | {counters.migrations_by()} - {None}
        for by in ways if os.path.exists("/proc/self/task/%d/sched" % os.getpid()) else ways - {SCHED}:
            with tempfile.TemporaryDirectory() as folder, look_until(folder):
                _, values = self.python(code, by, folder)
            self.assertGreaterEqual(values["migrations"], 29, by)
            if "TEST_TIMING" in os.environ:
                self.assertLess(values["migrations"], 60, by)

    def test_failures(self):
        with self.assertRaisesRegex(Failed, "exit status 3: so it ends"):
            self.python("import sys; print('so it ends'); sys.exit(3)")

    def test_the_end_of_the_time_is_no_failure(self):
        set_deadline(0.3)
        try:
            with self.assertRaises(OutOfTime):
                self.python("import time; time.sleep(30)")
            with self.assertRaises(OutOfTime):
                self.python("")
        finally:
            set_deadline(None)


class Runs(unittest.TestCase):
    def test_a_wrong_number_is_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "primecount")
            with open(program, "w") as f:
                f.write("#!/bin/sh\necho 50847535\n")
            os.chmod(program, 0o755)
            with self.assertRaisesRegex(Failed, "wrong result: 50847535, not 50847534"):
                bench.sample(program, 9, 2, dict(os.environ), None)

    @unittest.skipUnless(shutil.which("primecount") and os.path.exists(os.path.join(BUILD, "dropin", "libgomp.so.1")),
                         "without primecount or the drop-in")
    def test_in_earnest(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.json")
            names = ",".join(["flat", "tree", "libgomp"] + ["libomp"] * bool(find_libomp()))
            done = subprocess.run(
                [sys.executable, os.path.join(ROOT, "bench", "primecount.py"), "run", "--build", BUILD, "--out", path,
                 "--threads", "2,33", "--policies", "default,passive", "--count", "1e10", "--processes", "2",
                 "--runtimes", names], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            with open(path) as f:
                got = json.load(f)
            times = [row for row in got["rows"] if row["value"] == "time_ms"]
            self.assertEqual({(row["policy"], row["threads"]) for row in times},
                             {(policy, threads) for policy in ("default", "passive") for threads in (2, 33)})
            for row in times:
                self.assertEqual(sorted(row["values"]), sorted(names.split(",")))
                for values in row["values"].values():
                    self.assertEqual(len(values["samples"]), 2)
                    self.assertGreater(values["min"], 0)
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                compare.run(type("Args", (), dict(before=path, after=path, limit=1.1, relative=False, all=False)))
            self.assertIn("0 of 24 numbers of ours are worse" if got["migrations_by"] else "0 of 16 numbers",
                          said.getvalue())

    @unittest.skipUnless(shutil.which("primecount") and find_libomp(), "without primecount or libomp")
    def test_libomp_takes_the_settings_of_its_barriers(self):
        with tempfile.TemporaryDirectory() as folder:
            runtime = (link_libomp(folder), None, None)
            for name, pattern in (("libomp-dist", "dist,dist"), ("libomp-hyper", "hyper,hyper")):
                env = bench.sample_environment(runtime, bench.SERIES[name][2], None, 2)
                done = subprocess.run(["primecount", "1e9", "--threads=2"], env=dict(env, KMP_SETTINGS="1"), text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                taken = done.stdout.partition("Effective settings")[2]
                for purpose in ("FORKJOIN", "PLAIN", "REDUCTION"):
                    self.assertIn("KMP_%s_BARRIER_PATTERN='%s'" % (purpose, pattern), taken, done.stdout)

    def test_another_runtime_than_asked_for_is_a_failure(self):
        program = shutil.which("primecount")
        if program is None:
            self.skipTest("without primecount")
        with self.assertRaisesRegex(Failed, "loads .*, not /nowhere/libgomp.so.1"):
            bench.check_loaded(program, dict(os.environ), "/nowhere/libgomp.so.1")


if __name__ == "__main__":
    unittest.main()
