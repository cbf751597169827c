#!/usr/bin/env python3
"""bench/smp.py on made-up samples, and its programs: results that are known otherwise, equal in all modes."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = os.path.join(ROOT, "bench", "smp")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import instructions  # noqa: E402
import made_up  # noqa: E402
import smp as bench  # noqa: E402
from common import Failed  # noqa: E402

# Calls of Fibonacci's recursion; placements of eleven queens; 3 to the 12th.
KNOWN = {"nfib": 29860703, "queens": 2680, "naturals": 3 ** 12}


def row(kind, program, value, unit, values):
    return dict(kind=kind, program=program, value=value, unit=unit,
                values=made_up.spreads({name: [v] * 4 for name, v in values.items()}))


def result():
    one = {"ns": {"plain": 100, "threaded": 110, "eager": 121, "library": 110},
           "allocated": {"plain": 1e6, "threaded": 1e6, "eager": 2e6, "library": 1e6},
           "collector": {"plain": 0.25, "threaded": 0.5, "eager": 0.5, "library": 0.5}}
    two = {"ns": {"two-1": 200, "two-2": 250, "sparks-2": 125, "team-2": 100},
           "collector": {"two-1": 0.1, "two-2": 0.2, "sparks-2": 0.3, "team-2": 0.4},
           "collections": {"two-1": 1200, "sparks-2": 600}}
    units = {"ns": "ns", "allocated": "bytes", "collector": "share", "collections": ""}
    rows = [row("one", "queens", value, units[value], values) for value, values in one.items()]
    rows += [row("pair", "queens", value, units[value], values) for value, values in two.items()]
    rows.append(row("model", "", "ns", "ns", {"plain": 100, "claimed": 120, "filled": 150}))
    code = {"plain": {"Lists": 1000}, "threaded": {"Lists": 1000}, "eager": {"Lists": 1100}, "library": {"Lists": 1000}}
    return made_up.result(rows, timing={"programs": "a variant"}, programs=["queens"], code=code,
                          binaries={"plain": 1e6, "threaded": 1e6, "eager": 1e6, "library": 2e6})


class Tables(unittest.TestCase):
    def setUp(self):
        self.text = bench.markdown(result())

    def test_instructions_stand_beside_times(self):
        self.assertNotIn("in instructions", self.text)
        made = result()
        made["rows"] += [row("one", "queens", "instructions", "",
                             {"plain": 2e6, "threaded": 2.02e6, "eager": 2.02e6, "library": 1.01e6}),
                         row("model", "", "instructions", "", {
                             way: each * bench.MODEL_CELLS for way, each in (
                                 ("plain", 100), ("claimed", 101), ("filled", 102))})]
        text = bench.markdown(made)
        self.assertIn("A cell of the model takes 100 instructions", text)
        self.assertIn("| queens | 2.0 | +1.0 % | +0.0 % | -50.0 % |", text)
        self.assertIn("|  | instructions | +1.0 % | +1.0 % | +1.0 % |", text)
        self.assertIn("begun and done by one each, to written when it is begun and when it is done | instructions | "
                      " |  | +2.0 % |", text)

    def test_a_count_is_the_difference_of_two_processes(self):
        def made_up_count(command, env):
            self.assertEqual(command[4:], ["+RTS", "-T", "-V0"])
            return 1000 + 7 * int(command[3].lstrip("="))

        with mock.patch.object(instructions, "of_process", made_up_count):
            self.assertEqual(bench.counted("smp", ["queens", "one"], {}), 7)

    def test_a_count_that_failed_is_a_failure(self):
        def fails(command, env):
            raise Failed("ended")

        binary = dict.fromkeys(bench.VARIANTS, "smp")
        with mock.patch.object(instructions, "of_process", fails):
            rows, failures = bench.count_all(binary, ["queens"], {})
        self.assertEqual((rows, len(failures)), ([], len(bench.VARIANTS) + len(bench.MODEL)))

    def test_a_variant_is_compared_with_its_base(self):
        self.assertIn("| queens | 100 ns ±0% | 1.0 MB | 25 % | +10.0 % | +10.0 % | +0.0 % |", self.text)

    def test_means_stand_beside_the_paper(self):
        self.assertIn("| code size | +10.0 % | +10.0 % | +10.0 % |", self.text)
        self.assertIn("|  | allocation | +100.0 % | +100.0 % | +100.0 % |", self.text)
        self.assertIn("| run time |  |  | +50.0 % |", self.text)
        self.assertIn("(figure 6) | code size | +0.3 % | +1.3 % | +0.7 % |", self.text)

    def test_gains_are_to_one_capability(self):
        self.assertIn("| queens | 200 ns ±0% | 0.80 | 1.60 | 2.00 | 10 % | 30 % | 40 % | 1,200 | 600 | - |", self.text)

    def test_a_program_that_failed_is_named(self):
        failed = dict(result(), failures=[{"program": "one queens", "series": "eager", "reason": "ended"}])
        self.assertIn("- one queens, eager failed: ended", bench.markdown(failed))

    def test_the_mean_is_geometric(self):
        self.assertAlmostEqual(bench.geometric_mean([100.0, -50.0]), 0.0)


class Programs(unittest.TestCase):
    def test_results(self):
        with tempfile.TemporaryDirectory() as folder:
            binary = os.path.join(folder, "smp")
            subprocess.run(["ghc", "-v0", "-O1", "-threaded", "-rtsopts", "-i" + SOURCES, "-outputdir", folder,
                            os.path.join(SOURCES, "Main.hs"), "-o", binary], check=True)

            def sample(*words):
                done = subprocess.run([binary, *words, "0", "+RTS", "-T", "-N2"], stdout=subprocess.PIPE, check=True)
                return json.loads(done.stdout)
            for name, wanted in KNOWN.items():
                self.assertEqual(sample(name, "one")["result"], wanted)
                self.assertEqual(sample(name, "two")["result"], 2 * wanted)
                self.assertEqual(sample(name, "sparks")["result"], 2 * wanted)
            done = subprocess.run([binary, "queens", "one", "=2", "+RTS", "-T"], stdout=subprocess.PIPE, check=True)
            self.assertEqual(json.loads(done.stdout)["times"], 2)
            self.assertEqual(len({sample("model", way)["result"] for way in bench.MODEL}), 1)


if __name__ == "__main__":
    unittest.main()
