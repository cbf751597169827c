#!/usr/bin/env python3
# Tests of test/sample.py and test/sample.sh: what a run has, and that seeds in a row have everything.
import os
import subprocess
import sys
import tempfile
import unittest

TEST = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TEST)
import sample  # noqa: E402


class Samples(unittest.TestCase):
    def test_each_combination_in_as_many_seeds_as_parts(self):
        for parts in (1, 2, 3, 5):
            for count in range(1, 9):
                for program in ("a.c", "b/c.f90", "ä"):
                    for first in (0, 1, 7, 20000):
                        runs = [[i for i in range(count) if sample.Sample(parts, first + s).has(program, i, count)]
                                for s in range(parts)]
                        self.assertEqual(sorted({i for run in runs for i in run}), list(range(count)))
                        self.assertTrue(all(runs), (parts, count, runs))
                        self.assertLessEqual(max(map(len, runs)), -(-count // parts))

    def test_programs_by_themselves(self):
        names = ["p%d" % i for i in range(300)]
        runs = [{n for n in names if sample.Sample(3, seed).has(n)} for seed in (4, 5, 6)]
        self.assertEqual(set.union(*runs), set(names))
        self.assertEqual(sum(map(len, runs)), len(names))
        self.assertTrue(all(len(run) > 60 for run in runs), [len(run) for run in runs])

    def test_names(self):
        names = ["a", "a [1]", "a [2]", "b [1]"] + ["c [%d]" % i for i in range(7)] + ["d"]
        runs = [sample.Sample(3, seed).of(names) for seed in (5, 6, 7)]
        self.assertEqual(set.union(*runs), set(names))
        self.assertEqual(sum("a [1]" in run or "a [2]" in run for run in runs), 3)
        self.assertTrue(all({"a", "d", "b [1]"} <= run for run in runs))
        self.assertEqual(sorted(sum("c" in name for name in run) for run in runs), [2, 2, 3])
        runs = [sample.Sample(3, seed).of(names, whole=False) for seed in (5, 6, 7)]
        self.assertEqual(sum("d" in run for run in runs), 1)
        self.assertEqual(sample.Sample().of(names), set(names))
        runs = [sample.Sample(3, seed).of(names, together=lambda name: name == "c") for seed in (5, 6, 7)]
        self.assertEqual(sorted(sum("c" in name for name in run) for run in runs), [0, 0, 7])
        names = ["%d [%s]" % (i, kind) for i in range(20) for kind in ("asan", "tsan")] + ["20 [plain]"]
        runs = [sample.Sample(3, seed).of(names, alike=True) for seed in (5, 6, 7)]
        self.assertEqual(set.union(*runs), set(names))
        self.assertEqual([len({name.partition(" ")[2] for name in run}) for run in runs], [2, 2, 2])
        self.assertEqual(sum(map(len, runs)), 40 + 3)
        self.assertTrue(all("20 [plain]" in run for run in runs))

    def test_all_without_a_sample(self):
        self.assertTrue(sample.Sample().has("a") and sample.Sample(1, 9).has("a", 5, 6))
        self.assertEqual(sample.Sample().options(), "")
        self.assertEqual(sample.Sample(3, 4).options(), " --sample 3 --seed 4")

    def test_the_seed_by_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertGreater(sample.default_seed(folder), 20000)

    def test_scripts(self):
        script = ('. "$0"; sample_group 7; for i in 1 2 3 4 5 6 7; do if sampled; then printf %s $i; fi; done; '
                  'sample_group 2; for i in a b; do if sampled; then printf %s $i; fi; done')
        said = [subprocess.run(["sh", "-c", script, os.path.join(TEST, "sample.sh")], text=True, check=True,
                               stdout=subprocess.PIPE, env=dict(os.environ, **sample.Sample(parts, seed).environment()))
                .stdout for parts, seed in ((1, 0), (3, 100), (3, 101), (3, 102))]
        self.assertEqual(said[0], "1234567ab")
        self.assertEqual(sorted("".join(said[1:]).replace("b", "")), list("1234567aa"))
        self.assertTrue(all(line[-1] in "ab" for line in said))


if __name__ == "__main__":
    unittest.main()
