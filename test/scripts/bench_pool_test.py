#!/usr/bin/env python3
"""bench/pool.py on made-up samples: Haskell's shares, the targets, and the CPUs that they would take."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import pool  # noqa: E402
from pool_rows import ALONE, ROWS, SERIES, VALUES, WISHES  # noqa: E402

SHORT, NONE = ("mixed", ("short", 2)), ("mixed", ("none", 2))


def result_of(samples, ghc="9.0.2", cpus=2):
    return {"machine": {"cpus_usable": cpus, "ghc": ghc},
            "rows": [{"row": row, "group": group, "column": column, "value": value, "unit": VALUES[value].unit,
                      "values": {name: pool.spread(numbers) for name, numbers in found.items()}}
                     for ((row, (group, column)), value), found in samples.items()]}


def mixed(ours_share, ours_regions):
    """libgomp leaves Haskell 7 % and has 100,000 regions; one thread alone has 300,000."""
    return {(SHORT, "share"): {"libgomp": [7], "ours": [ours_share]},
            (SHORT, "regions"): {"libgomp": [100000], "ours": [ours_regions]},
            (("mixed", ("short", 0)), "regions"): {"ours-one": [300000]}}


class Shares(unittest.TestCase):
    def test_of_the_same_program_alone(self):
        samples = {(NONE, "units"): {"alone": [80, 100, 120], "alone-linked": [200]},
                   (SHORT, "units"): {"libgomp": [10, 30], "ours": [100, 150], "ours-dynamic": [200]},
                   (SHORT, "regions"): {"libgomp": [5]}}
        pool.add_shares(samples)
        self.assertEqual(samples[SHORT, "share"], {"libgomp": [10, 30], "ours": [50, 75], "ours-dynamic": [100]})
        self.assertEqual(samples[NONE, "share"], {"alone": [80, 100, 120], "alone-linked": [100]})

    def test_none_where_alone_was_not_measured(self):
        samples = {(SHORT, "units"): {"libgomp": [10]}, (NONE, "units"): {"alone-linked": [200]}}
        pool.add_shares(samples)
        self.assertNotIn((SHORT, "share"), samples)
        self.assertEqual(samples[NONE, "share"], {"alone-linked": [100]})

    def test_each_program_that_runs_haskell_has_its_own(self):
        for program, name in ALONE.items():
            self.assertEqual(SERIES[name].program, program)
            for row in ROWS.values():
                used = any(SERIES[other].program == program for names in row.cells.values() for other in names
                           if other not in ALONE.values())
                self.assertEqual(row.without is not None and used, any(name in names for names in row.cells.values()))


class Other(unittest.TestCase):
    def test_is_measured_where_its_folder_is_given(self):
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, "libgomp.so.1")
            open(library, "w").close()
            self.assertIsNone(pool.find_runtimes(folder)["other"])
            self.assertEqual(pool.find_runtimes(folder, folder)["other"], (folder, library))

    def test_a_series_that_there_is_not_is_said(self):
        script = os.path.join(ROOT, "bench", "pool.py")
        done = subprocess.run([sys.executable, script, "run", "--series", "ours,nobody"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no series named nobody", done.stderr)

    def test_a_folder_without_it_is_said(self):
        out = io.StringIO()
        with contextlib.redirect_stderr(out), self.assertRaises(SystemExit) as end:
            pool.find_runtimes(ROOT, "/nowhere")
        self.assertNotEqual(end.exception.code, 0)
        self.assertIn("/nowhere/libgomp.so.1", out.getvalue() + str(end.exception.code))

    def lines(self, samples):
        return [line for line in pool.wanted(result_of(samples)) if " of another library" in line]

    def test_is_an_aim_beside_ours(self):
        """By the rounds' quotients: in the third the machine was twice as fast. A series with fewer has no line."""
        where = ("library", ("3", 1))
        samples = {(where, "regions"): {"found": [96, 95, 200], "ours": [98, 99, 198], "other": [100, 100, 200]}}
        self.assertEqual([line.split(" | ")[1:] for line in self.lines(samples)],
                         [["0.99 (0.98 to 0.99) of another library (--other)", "at least 0.97", "yes |"],
                          ["0.96 (0.95 to 1.00) of another library (--other)", "at least 0.97", "**no** |"]])
        samples[where, "regions"]["ours"].pop()
        self.assertEqual(len(self.lines(samples)), 1)

    def test_of_two_programs_the_shares_count(self):
        where, none = ("library", ("3", 1)), ("library", ("none", 1))
        samples = {(where, "units"): {"found": [50], "ours": [30], "other": [50]},
                   (none, "units"): {"alone-linked": [60], "alone-dynamic": [100]}}
        self.assertEqual([line.split(" | ")[1][:4] for line in self.lines(samples)], ["1.00", "1.00"])


class Wanted(unittest.TestCase):
    def verdicts(self, *args, **more):
        text = pool.wanted(result_of(mixed(*args), **more))
        return [line.split(" | ")[-1].strip(" |*") for line in text if line.startswith("| mixed")]

    def test_each_line_has_its_verdict(self):
        self.assertEqual(self.verdicts(71, 50000), ["yes", "yes"])
        self.assertEqual(self.verdicts(69, 50000), ["no", "yes"])
        self.assertEqual(self.verdicts(71, 49000), ["yes", "no"])

    def test_versions_of_ghc_are_asked_for_their_own(self):
        self.assertEqual(self.verdicts(10, 69500, ghc="9.10.3"), ["yes", "yes"])
        self.assertEqual(self.verdicts(9.5, 68500, ghc="9.10.3"), ["no", "no"])
        self.assertEqual(self.verdicts(100, 100000, ghc="9.6.6"), [])

    def test_set_against_the_cpus(self):
        text = pool.wanted(result_of(mixed(60, 90000)))[-1]
        # 10 x 7 % of two CPUs, half of 100,000 of 300,000; 60 % and 90,000.
        self.assertIn("70 % of Haskell and 50,000/s regions would take 1.40 + 0.17 = 1.57 of 2 CPUs; it had 1.50.",
                      text)
        # More CPUs than Capabilities are of no use to Haskell.
        self.assertEqual(text, pool.wanted(result_of(mixed(60, 90000), cpus=16))[-1])

    def test_without_the_thread_alone_nothing_is_set_against_them(self):
        samples = mixed(60, 90000)
        del samples[("mixed", ("short", 0)), "regions"]
        self.assertTrue(pool.wanted(result_of(samples))[-1].startswith("| mixed"))

    def test_names_are_those_of_rows_and_series(self):
        for w in WISHES:
            names = {name for (group, column), cell in ROWS[w.row].cells.items()
                     if column == w.column and group in (w.group, ROWS[w.row].without) for name in cell}
            self.assertLessEqual({w.name, w.other} - {None}, names, w)
            self.assertIn(w.value, VALUES)


if __name__ == "__main__":
    unittest.main()
