#!/usr/bin/env python3
"""bench/recovery.py on made-up samples: what is allowed, and the table; that bench/c/neighbours.c has noise that comes
and goes, and ends with the program."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import compare  # noqa: E402
import made_up  # noqa: E402
import recovery as bench  # noqa: E402


def result(factor=1):
    return made_up.result(
        [dict(row="tasks", work_us=1, recovery="1x5/50", threads=2, value=value, unit="",
              values=made_up.spreads({"ours-posix": [ratio * factor, ratio * factor + 0.01]}))
         for value, ratio in (("beside noise", 1.3), ("back", 1.02))],
        timing={"window_ms": 1500.0}, runtimes=["ours-posix"])


class Tables(unittest.TestCase):
    def test_what_is_allowed(self):
        found = bench.ratios({"noisy_ns": 300.0, "back_ns": 110.0, "quiet_ns": 100.0}, 0.8)
        self.assertAlmostEqual(found["beside noise"], 2.4)  # 300 where 125 would be as fast as can be
        self.assertAlmostEqual(found["back"], 1.1)

    def test_a_part_without_a_step(self):
        self.assertRaises(bench.Failed, bench.ratios, {"noisy_ns": 300.0, "back_ns": 0, "quiet_ns": 100.0}, 0.8)

    def test_rows_have_noise_of_known_size(self):
        kinds = {kind for _, _, noises in bench.ROWS.values() for kinds in noises.values() for kind in kinds}
        self.assertIn("1x5/50", kinds)
        self.assertFalse({"none", "shell"} & kinds)

    def test_table(self):
        self.assertIn("| tasks | 2 | 1x5/50 | 1.31 ±0% | 1.02 ±0% |", bench.markdown(result()))

    def test_two_results_compare(self):
        lines, worse = compare.compare(result(), result(1.5), 1.1)
        self.assertEqual(worse, 2, lines)


@unittest.skipUnless(shutil.which("gcc"), "needs gcc")
class Program(unittest.TestCase):
    def test_noise_that_comes_and_goes(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "neighbours")
            subprocess.run(["gcc", "-std=gnu11", "-O2", "-fopenmp", os.path.join(ROOT, "bench", "c", "neighbours.c"),
                            "-o", program, "-ldl", "-lm"], check=True)
            done = subprocess.run([program, "regions", "0", "1", "2", "5", "50"], stdout=subprocess.PIPE, check=True,
                                  env=dict(os.environ, OMP_NUM_THREADS="2"), timeout=60)
            sample = json.loads(done.stdout)
            for part in ("noisy_ns", "back_ns", "quiet_ns"):
                self.assertGreater(sample[part], 0, part)
            # Its processes have the pipe, too: communicate() has read to the end, so they are gone.
            without = json.loads(subprocess.run([program, "regions", "0", "0.1"], stdout=subprocess.PIPE,
                                                check=True).stdout)
            self.assertEqual([without[part] for part in ("noisy_ns", "back_ns", "quiet_ns")], [0, 0, 0])


if __name__ == "__main__":
    unittest.main()
