#!/usr/bin/env python3
"""bench/virtual.py on made-up guests: whose turn it is, what a run says, what fails."""

import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import made_up  # noqa: E402
import virtual as bench  # noqa: E402

SAMPLE = '{"row": "tasks", "threads": 4, "value": 233.5, "ops": 10, "object": "%s/libgomp.so.1", "host": ""}\n'


def done(rc=0, out="", err="", timed_out=False):
    ended = bench.virtual.Ended()
    ended.rc, ended.out, ended.err, ended.timed_out = rc, out, err, timed_out
    return ended


class Guests(unittest.TestCase):
    def test_runtimes_take_turns(self):
        self.assertEqual(["libgomp", "libomp", "ours-posix"], bench.rotated("tasks", 1))
        self.assertEqual(["libgomp", "ours-posix"], bench.rotated(bench.PROGRAM, 3))

    def test_a_sample_counts_on_its_own_runtime_only(self):
        ours = done(out=SAMPLE % "/runtimes/ours-posix")
        self.assertEqual((233.5, None), bench.value_of("tasks", "ours-posix", ours))
        self.assertEqual((None, "ran on /runtimes/ours-posix/libgomp.so.1"), bench.value_of("tasks", "libgomp", ours))
        self.assertEqual((233.5, None), bench.value_of("tasks", "libgomp", done(out=SAMPLE % "/lib")))

    def test_a_program_is_timed_by_the_guest(self):
        self.assertIn("cut -d' ' -f1 /proc/uptime", bench.run_of(bench.PROGRAM, 4, "libgomp").script)
        self.assertNotIn("exec", bench.run_of(bench.PROGRAM, 4, "libgomp").script)
        value, why = bench.value_of(bench.PROGRAM, "libgomp", done(out="10.25 13.75\n"))
        self.assertEqual((3500, None), (value, why))

    def test_failures(self):
        failed = done(1, err="no such row")
        self.assertEqual((None, "exit status 1: no such row"), bench.value_of("x", "libomp", failed))
        self.assertEqual((None, "printed no JSON object: half a"), bench.value_of("x", "libomp", done(out="half a")))
        self.assertEqual((None, "did not end in 60 s"), bench.value_of("x", "libomp", done(-9, timed_out=True)))

    def test_a_machine_that_does_not_boot_is_a_failure(self):
        known, bench.virtual.boot = bench.virtual.boot, lambda *_: "the machine ended before its first program"
        samples, failures = {}, []
        try:
            bench.take_round(bench.virtual.Machine("x86_64", "4"), None, 0, samples, failures)
        finally:
            bench.virtual.boot = known
        self.assertEqual([(("boot", 4), "-", "the machine ended before its first program")], failures)


class Tables(unittest.TestCase):
    def test_rows(self):
        rows = [dict(row="tasks", threads=4, unit="ns", values=made_up.spreads(
                    {"ours-posix": [200] * 4, "libgomp": [400] * 4, "libomp": [800] * 4})),
                dict(row=bench.PROGRAM, threads=8, unit="ms", values=made_up.spreads(
                    {"ours-posix": [3000] * 4, "libgomp": [2000] * 4}))]
        text = bench.markdown(made_up.result(rows, runtimes=list(bench.NAMES)))
        self.assertIn("| 4 | 200 ns ±0% | 400 ns ±0% | 800 ns ±0% | 0.50 |", text)
        self.assertIn("| 8 | 3,000 ms ±0% | 2,000 ms ±0% | - | **1.50** |", text)


if __name__ == "__main__":
    unittest.main()
