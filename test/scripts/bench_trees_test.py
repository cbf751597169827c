#!/usr/bin/env python3
"""bench/trees.py on made-up samples: what is behind, what a second thread gains, what failed; shapes and variants fit
bench/c/trees.c, whose searches count their nodes rightly."""

import json
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
import made_up  # noqa: E402
import trees as bench  # noqa: E402

SOURCE = os.path.join(ROOT, "bench", "c", "trees.c")


def result(*rows):
    return made_up.result(
        [dict(shape="binary", variant="tied", threads=m, unit="ns",
              values=made_up.spreads({name: [v, v + 1, v + 2, v + 3] for name, v in values.items()}))
         for m, values in rows],
        [{"shape": "binary", "variant": "tied", "threads": 2, "runtime": "libgomp",
          "reason": "did not end in 20 s"}] * 2,
        processes=4, timing={"window_ms": 300.0}, runtimes=["ours-posix", "libgomp"], nodes={"binary": 1234567})


class Tables(unittest.TestCase):
    def test_ratios_and_gains(self):
        text = bench.markdown(result((1, {"ours-posix": 100, "libgomp": 90}), (2, {"ours-posix": 50})))
        self.assertIn("| binary | tied | 1 | 102 ±1% | 91.5 ±1% | **1.11** | - |", text)
        self.assertIn("| binary | tied | 2 | 51.5 ±1% | - | - | 1.97 |", text)
        self.assertEqual(text.count("libgomp failed: binary, tied, 2 threads: did not end in 20 s"), 1)
        self.assertIn("*binary*, 1,234,567 nodes", text)

    def test_a_second_thread_that_gains_little_is_marked(self):
        text = bench.markdown(result((1, {"ours-posix": 100, "libgomp": 200}), (2, {"ours-posix": 80, "libgomp": 90})))
        self.assertIn("| **1.25** |", text)

    def test_a_machine_that_became_slower_is_no_gain_lost(self):
        made = result((1, {"ours-posix": 0}), (2, {"ours-posix": 0}))
        for row, samples in zip(made["rows"], ([100, 100, 100, 300, 300], [50, 50, 150, 150, 150])):
            row["values"] = made_up.spreads({"ours-posix": samples})
        self.assertEqual(bench.speedups(made), {("binary", "tied", "ours-posix"): 2})
        made["rows"][0]["values"]["ours-posix"]["samples"].pop()
        self.assertEqual(bench.speedups(made), {})

    def test_two_results_compare(self):
        _, worse = compare.compare(result((1, {"ours-posix": 100})), result((1, {"ours-posix": 150})), 1.1)
        self.assertEqual(worse, 1)


class Program(unittest.TestCase):
    def test_shapes_and_variants_fit(self):
        with open(SOURCE) as f:
            text = f.read()
        self.assertEqual(set(re.findall(r'\{"([a-z]+)", [a-z]+, (?:true|false)\}', text)), set(bench.SHAPES))
        self.assertEqual(set(re.findall(r'\{"([a-z]+)", [a-z_]+\}[,}]', text)), set(bench.VARIANTS))

    def test_a_search_counts_its_nodes(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "trees")
            subprocess.run(["gcc", "-std=gnu11", "-O2", "-fopenmp", SOURCE, "-o", program, "-ldl"], check=True)
            for variant in bench.VARIANTS:
                done = subprocess.run([program, "flat", variant, "0"], stdout=subprocess.PIPE, check=True,
                                      env=dict(os.environ, OMP_NUM_THREADS="2"))
                self.assertEqual(json.loads(done.stdout)["nodes"], 1 + 4000 * 61)
            bad = subprocess.run([program, "flat", "none", "0"], stderr=subprocess.PIPE)
            self.assertEqual(bad.returncode, 2)


if __name__ == "__main__":
    unittest.main()
