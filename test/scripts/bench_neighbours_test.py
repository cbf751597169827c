#!/usr/bin/env python3
"""bench/neighbours.py on made-up samples: what is behind, and that the neighbours run and end."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import compare  # noqa: E402
import construct_rows  # noqa: E402
import made_up  # noqa: E402
import neighbours as bench  # noqa: E402


def result(*rows):
    return made_up.result(
        [dict(row=row, work_us=work, neighbours=count, threads=2, unit="/s", values=made_up.spreads(values))
         for row, work, count, values in rows],
        timing={"window_ms": 1000.0}, nice=0, runtimes=["ours-posix", "libgomp", "libomp"])


SLOW = ("regions", 0, 2, {"ours-posix": [60, 61, 62, 63], "libgomp": [100, 101, 102, 103], "libomp": [90, 91, 92, 93]})
FAST = ("regions", 0, 2, {"ours-posix": [120, 121, 122, 123], "libgomp": [100, 101, 102, 103]})
WIDE = ("regions", 20, 2, {"ours-posix": [60, 80, 100, 130], "libgomp": [140, 110, 95, 70]})


class Tables(unittest.TestCase):
    def test_a_row_is_judged_by_the_better_peer(self):
        text = bench.markdown(result(SLOW, WIDE))
        self.assertIn("| regions | 0 | 2 | 61.5 ±1% | 102 ±1% | 91.5 ±1% | **0.61** |", text)
        self.assertRegex(text, r"\| regions \| 20 \| 2 .* \| 0\.86 \|")  # ahead in half of the rounds
        self.assertRegex(bench.markdown(result(FAST)), r"\| 1\.20 \|")

    def test_cpu_time_of_a_step(self):
        timed = result(SLOW)
        timed["rows"][0]["cpus"] = made_up.spreads({"ours-posix": [1.5] * 4})
        self.assertRegex(bench.markdown(timed), r"\| regions \| 0 \| 2 .* \| \*\*0.61\*\* \| 2.44e\+04 \|  \|  \|")

    def test_a_wrong_peer_is_left_out(self):
        self.assertEqual(construct_rows.rightly(["ours-posix", "libgomp", "libomp-23.1"], "ordered"),
                         ["ours-posix", "libgomp"])
        self.assertNotIn("leaves out", bench.markdown(result(SLOW)))
        text = bench.markdown(result(("ordered", 0, 2, FAST[3])))
        self.assertRegex(text, r"\n\n\*ordered\* leaves out libomp, which ")

    def test_two_results_compare(self):
        lines, worse = compare.compare(result(FAST), result(SLOW), 1.1)
        self.assertEqual(worse, 1)
        self.assertTrue(any("| regions | 0 us | 2 | ours-posix |" in line for line in lines), lines)

    def test_rows_and_kernels_fit(self):
        with open(os.path.join(ROOT, "bench", "c", "neighbours.c")) as f:
            kernels = set(re.findall(r'\{"([a-z-]+)", [a-z]+\}', f.read()))
        self.assertEqual(kernels, set(bench.ROWS) | {"phases"})  # which bench/noise.py measures


class Neighbours(unittest.TestCase):
    def test_they_run_and_end(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "busy")
            with open(program, "w") as f:
                f.write("#!/bin/sh\necho $$ >> %s/there\nexec sleep 100\n" % folder)
            os.chmod(program, 0o755)
            with bench.neighbours(program, 2, 5):
                while True:
                    out = subprocess.run(["cat", folder + "/there"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                    if len(out.stdout.split()) == 2:
                        break
                pids = [int(pid) for pid in out.stdout.split()]
                for pid in pids:
                    os.kill(pid, 0)
                    self.assertEqual(os.getpriority(os.PRIO_PROCESS, pid), os.nice(0) + 5)
            for pid in pids:
                self.assertRaises(ProcessLookupError, os.kill, pid, 0)


if __name__ == "__main__":
    unittest.main()
