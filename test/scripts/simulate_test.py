#!/usr/bin/env python3
"""The simulator of waits (bench/simulate): CPU time is neither lost nor made, a run depends on its arguments alone, no
member stays behind another one while a CPU is idle, whatever state 200 runs begin in, and all programs make progress on
1 to 64 CPUs. A sampled run has a part of these runs. And what bench/simulate.py says of runs that are made up.

Nothing is judged by real time: what is bounded is simulated.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "test")]
import sample  # noqa: E402
import simulate as bench  # noqa: E402

PROGRAM = os.path.join(ROOT, os.environ.get("BUILD", "build"), "bench", "simulate")
COSTS = {"hit": 1, "change": 3, "transfer": 35, "pause": 25, "clock": 22, "yield": 400, "swap": 1500, "wake": 3000,
         "latency": 20000, "sleep": 400, "nap": 60000, "ask": 5500, "move": 12000, "spawn": 12000, "fence": 600,
         "tick": 4000000, "hot": 500000, "hot_tries": 1000, "far_factor": 3}  # the kernel moves no hot thread
STARTS = 200
STUCK_MS = 20


class Simulator(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not os.path.exists(PROGRAM):
            raise unittest.SkipTest("the simulator is not built; run `make simulate`")
        cls.file = tempfile.NamedTemporaryFile("w", suffix=".json")
        json.dump(COSTS, cls.file)
        cls.file.flush()

    @classmethod
    def tearDownClass(cls):
        cls.file.close()

    def run_one(self, *arguments):
        done = subprocess.run([PROGRAM, self.file.name] + [str(a) for a in arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, (arguments, done.stderr))
        return json.loads(done.stdout)

    def run_all(self, program, runs):
        """(arguments, result) of those of the runs that this one has."""
        runs = [run for number, run in enumerate(runs) if sample.of_environment().has(program, number)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            return list(zip(runs, pool.map(lambda arguments: self.run_one(*arguments), runs)))

    def test_cpu_time_is_conserved(self):
        """Up to 8 CPUs exactly; above, threads may run ahead of each other by some ns."""
        for arguments in (("regions", "--noise", "1000/5000/5/30"), ("lock", "--cpus", 4, "--threads", 8),
                          ("barriers", "--masters", 3), ("ordered", "--haskell", "1/5000/300"),
                          ("tasks", "--cpus", 8, "--threads", 8, "--noise", "3000/0/0/20"), ("serial", "--threads", 1)):
            result = self.run_one(*arguments, "--work", 2000, "--ms", 30)
            self.assertEqual(result["unaccounted_ns"], 0, arguments)
            self.assertGreater(result["steps"], 0, arguments)
            self.assertEqual(sum(result["step"]), result["steps"])

    def test_same_again(self):
        arguments = ("barriers", "--cpus", 4, "--threads", 4, "--scatter", "--noise", "700/3000/2/20", "--ms", 20,
                     "--work", 3000)
        first, again, other = (self.run_one(*arguments, "--seed", seed) for seed in (7, 7, 8))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)

    def test_no_trap(self):
        runs = [(("regions", "barriers", "ordered", "lock")[seed % 4], "--cpus", cpus, "--threads", cpus, "--scatter",
                 "--seed", seed, "--ms", 25, "--work", 10000) for seed in range(STARTS // 2) for cpus in (2, 4)]
        for arguments, result in self.run_all("starts", runs):
            self.assertLess(result["stuck_longest_ms"], STUCK_MS, arguments)
            self.assertGreater(result["step"][-1], 0, arguments)

    def test_every_program_goes_on(self):
        runs = [(row, "--cpus", cpus, "--threads", cpus, "--work", 2000, "--ms", 12 if cpus < 64 else 8)
                for row in bench.ROWS for cpus in ((1, 3, 16, 64) if row in ("regions", "barriers") else (1, 3))]
        for arguments, result in self.run_all("programs", runs):
            self.assertGreater(result["step"][-1] + result["step"][-2], 0, arguments)

    def test_a_member_that_has_slept_helps(self):
        """With small tasks, which their maker alone would run in less time than a nap."""
        for cpus, work in ((2, 1000), (4, 500), (2, 300)):
            there, late = (self.run_one(row, "--cpus", cpus, "--threads", cpus, "--work", work, "--ms", 20)["step"][-8:]
                           for row in ("tasks", "late"))
            self.assertGreater(sum(late), 0.8 * sum(there), (cpus, work))

    def test_noise_takes_its_part(self):
        """A process that computes beside a single thread has half of its CPU, and the program what is left."""
        result = self.run_one("serial", "--cpus", 1, "--threads", 1, "--work", 100000, "--ms", 200, "--noise",
                              "1000/0/0/200")
        self.assertAlmostEqual(result["noise_ms"], 100, delta=10)
        self.assertEqual(result["idle_ms"], 0)

    def test_bad_arguments(self):
        for arguments in (["none"], ["regions", "--cpus", "0"], ["regions", "--noise", "x"],
                          ["regions", "--what", "1"]):
            done = subprocess.run([PROGRAM, self.file.name] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)


class Answers(unittest.TestCase):
    def test_recovery(self):
        steps = [100] * 10 + [20] * 10 + [50, 50, 50] + [100] * 10
        self.assertEqual(bench.recovery(steps, 20, 100), 2)
        self.assertEqual(bench.recovery([100] * 30, 20, 100), 0)
        self.assertIsNone(bench.recovery([100] * 20 + [50] * 10, 20, 100))

    def test_of_the_best(self):
        ms, begin, end = bench.window(2)
        steps = [100] * begin + [60] * (end - begin) + [100] * (ms - end)
        result = {"step": steps, "stuck_longest_ms": 0, "cpu_ms": ms, "noise_ms": (end - begin) / 2}
        found = bench.answers(dict(cpus=2, noise="1/20"), result)
        self.assertAlmostEqual(found["of_best"], 60 / 75)
        self.assertEqual((found["recovery_ms"], found["cpu"]), (0, 0.5))

    def test_scenarios(self):
        asked = bench.scenarios([2, 192], list(bench.ROWS))
        self.assertEqual({s["row"] for s in asked if s["cpus"] == 192}, set(bench.LARGE_ROWS))
        self.assertEqual({s["row"] for s in asked if s["cpus"] == 2}, set(bench.ROWS))
        self.assertTrue(all(s["row"] in bench.ROWS for s in asked))

    def test_tables(self):
        row = dict(cpus=2, threads=2, row="regions", noise="1/20", processes=1, steps_ms=500, of_best=0.5, cpu=0.9,
                   recovery_ms=None, stuck_ms=1)
        text = bench.rows_text([row, dict(row, recovery_ms=30), dict(row, noise="none", masters=3, of_alone=0.4)])
        self.assertIn("| regions | 2 | 1 of 1/20 ms | 2,000 | 0.50 | 0.90 | never | 1.0 |", text)
        self.assertIn("| **30** |", text)
        self.assertIn("| 3 masters |", text)


class Real(unittest.TestCase):
    def test_the_programs_run_on_the_runtime(self):
        build = os.path.join(ROOT, os.environ.get("BUILD", "build"))
        if not os.path.exists(os.path.join(build, "bench", "simulate-real")):
            raise unittest.SkipTest("simulate-real is not built; run `make simulate dropin`")
        with unittest.mock.patch.object(bench, "CHECK_MS", 200):
            result = bench.really(build, "regions", "1/20")
        self.assertGreater(bench.summary([result])["mean"], 0)


if __name__ == "__main__":
    unittest.main()
