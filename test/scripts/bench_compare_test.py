#!/usr/bin/env python3
"""bench/compare.py on made-up results of each kind: verdicts and exit statuses are right."""

import contextlib
import copy
import io
import json
import os
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import compare  # noqa: E402
import made_up  # noqa: E402

STEADY = [98, 99, 100, 101, 102]


def result(row, values):
    """A result with one row: its keys, and samples by series."""
    return made_up.result([dict(row, values=made_up.spreads(values))])


def constructs(values, row="parallel", unit="ns"):
    return result({"row": row, "threads": 2, "unit": unit}, values)


def haskell(values, row="loop-bound", value=""):
    return result({"row": row, "value": value, "threads": 2, "size": "50x2", "unit": "ns"}, values)


def pool(values, value="regions"):
    return result({"row": "callers", "group": "-", "column": 4, "value": value, "unit": "/s"}, values)


def quota(work, p50):
    return result({"quota": 0.5, "runtime": "ours-posix", "threads": 1}, {"work_percent": work, "p50_us": p50})


def times(factor, samples=STEADY):
    return [factor * s for s in samples]


class Verdicts(unittest.TestCase):
    def worse(self, before, after, limit=1.10, **options):
        lines, count = compare.compare(before, after, limit, **options)
        return count, "\n".join(lines)

    def test_a_clear_loss_is_a_regression(self):
        count, text = self.worse(constructs({"ours-ghc": STEADY}), constructs({"ours-ghc": times(1.3)}))
        self.assertEqual(count, 1)
        self.assertIn("| parallel | 2 | ours-ghc | ns | 100 ±1% | 130 ±1% | 1.30 | **worse** |", text)
        self.assertIn("1 of 1 numbers of ours are worse", text)

    def test_a_loss_within_the_limit_is_none(self):
        before, after = constructs({"ours-ghc": STEADY}), constructs({"ours-ghc": times(1.09)})
        self.assertEqual(self.worse(before, after)[0], 0)
        self.assertEqual(self.worse(before, after, 1.05)[0], 1)

    def test_a_loss_within_the_spread_is_none(self):
        self.assertEqual(self.worse(constructs({"ours-ghc": [50, 90, 100, 200, 210]}),
                                    constructs({"ours-ghc": [60, 120, 150, 190, 200]}))[0], 0)

    def test_less_of_what_is_good_is_a_regression(self):
        for make in (lambda v: constructs({"ours-ghc": v}, "lock-fair", "%"), lambda v: pool({"ours": v}),
                     lambda v: haskell({"c-ours": v}, "callers")):
            self.assertEqual(self.worse(make(STEADY), make(times(0.5)))[0], 1)
            self.assertEqual(self.worse(make(STEADY), make(times(2)))[0], 0)

    def test_more_of_what_is_bad_is_a_regression(self):
        for make in (lambda v: pool({"ours": v}, "p99"), lambda v: pool({"posix-ours-share": v}, "threads-max"),
                     lambda v: pool({"found-dynamic": v}, "p99"),
                     lambda v: haskell({"ours": v}), lambda v: haskell({"linear": v}, "depth"),
                     lambda v: haskell({"c-ours": v}, "callers", "p99"), lambda v: quota(STEADY, v)):
            self.assertEqual(self.worse(make(STEADY), make(times(2)))[0], 1)
            self.assertEqual(self.worse(make(STEADY), make(times(0.5)))[0], 0)
        self.assertEqual(self.worse(quota(STEADY, STEADY), quota(times(0.5), STEADY))[0], 1)

    def test_a_slower_peer_is_no_regression_of_ours(self):
        for make in (lambda v: constructs({"libgomp": v}), lambda v: haskell({"forkio": v, "c-alone": v}),
                     lambda v: pool({"alone": v, "posix-libgomp": v}, "p99"),
                     lambda v: pool({"alone-linked": v, "other": v}, "p99")):
            count, text = self.worse(make(STEADY), make(times(2)))
            self.assertEqual(count, 0)
            self.assertIn("peer worse", text)

    def test_what_did_not_change_is_shown_when_asked_for(self):
        same = constructs({"ours-ghc": STEADY})
        self.assertNotIn("| parallel |", self.worse(same, same)[1])
        self.assertIn("| parallel |", self.worse(same, same, everything=True)[1])

    def test_from_nothing_to_something(self):
        none, some = ({"ours-ghc": v} for v in ([0] * 5, [2] * 5))
        self.assertEqual(self.worse(constructs(none, "barrier-switches", "switches"),
                                    constructs(some, "barrier-switches", "switches"))[0], 1)
        self.assertEqual(self.worse(constructs(none, "barrier-switches", "switches"),
                                    constructs(none, "barrier-switches", "switches"))[0], 0)

    def test_another_unit_of_time(self):
        before = constructs({"ours-ghc": times(1000)}, "queens", "ns")
        self.assertEqual(self.worse(before, constructs({"ours-ghc": STEADY}, "queens", "us"))[0], 0)
        self.assertEqual(self.worse(before, constructs({"ours-ghc": times(2)}, "queens", "us"))[0], 1)

    def test_a_new_failure_is_a_regression(self):
        before = constructs({"ours-ghc": STEADY})
        after = copy.deepcopy(before)
        after["failures"] = [{"row": "parallel", "threads": 4, "runtime": "ours-ghc", "reason": "exit status 1"}] * 3
        count, text = self.worse(before, after)
        self.assertEqual(count, 1)
        self.assertIn("FAILED in the second result: row parallel, threads 4, runtime ours-ghc: exit status 1", text)
        self.assertEqual(self.worse(after, after)[0], 0)
        after["failures"][0]["runtime"] = "libomp"
        self.assertEqual(self.worse(before, after)[0], 0)

    def test_ours_that_is_not_measured_any_more_is_named(self):
        both = constructs({"ours-ghc": STEADY, "ours-posix": STEADY})
        self.assertIn("Not measured any more: parallel 2 ours-posix.",
                      self.worse(both, constructs({"ours-ghc": STEADY}))[1])

    def test_relative(self):
        before = constructs({"ours-ghc": STEADY, "libgomp": times(2), "libomp": times(3)})
        slower = constructs({"ours-ghc": times(1.5), "libgomp": times(3), "libomp": times(9)})
        lost = constructs({"ours-ghc": STEADY, "libgomp": STEADY, "libomp": times(3)})
        self.assertEqual(self.worse(before, slower)[0], 1)
        self.assertEqual(self.worse(before, slower, as_ratios=True)[0], 0)
        self.assertEqual(self.worse(before, lost)[0], 0)
        self.assertEqual(self.worse(before, lost, as_ratios=True)[0], 1)

    def test_what_cannot_be_compared_is_said(self):
        ours = constructs({"ours-ghc": STEADY})
        for before, after, options in (
                (ours, pool({"ours": STEADY}), {}), (ours, {"rows": []}, {}), (ours, [1], {}),
                (ours, {"rows": [{"name": 1}]}, {}), (ours, constructs({"ours-ghc": STEADY}, "barrier"), {}),
                (ours, ours, {"as_ratios": True}), (ours, constructs({"ours-ghc": STEADY}, unit="kB"), {})):
            with self.assertRaises(compare.Unlike):
                compare.compare(before, after, 1.10, **options)


class Statuses(unittest.TestCase):
    def status(self, before, after, limit=1.10):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("a", "b")]
            for path, content in zip(paths, (before, after)):
                if content is not None:
                    with open(path, "w") as f:
                        json.dump(content, f)
            args = type("Args", (), {"before": paths[0], "after": paths[1], "limit": limit, "relative": False,
                                     "all": False})
            errors = io.StringIO()
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
                found = compare.run(args)
        return found, errors.getvalue()

    def test_statuses(self):
        ours = constructs({"ours-ghc": STEADY})
        self.assertEqual(self.status(ours, ours), (0, ""))
        self.assertEqual(self.status(ours, constructs({"ours-ghc": times(2)})), (1, ""))

    def test_unusable_results_have_another_status_and_one_line(self):
        ours = constructs({"ours-ghc": STEADY})
        for before, after, limit in ((None, ours, 1.1), (ours, pool({"ours": STEADY}), 1.1), (ours, ours, 0.5)):
            found, errors = self.status(before, after, limit)
            self.assertEqual(found, 2)
            self.assertRegex(errors, "^ghc-openmp: bench: .+\n$")

    def test_the_committed_results_are_no_worse_than_themselves(self):
        folder = os.path.join(ROOT, "bench", "results")
        # What simulations have are no times, and packaged programs of Haskell have nothing of ours in them.
        names = [name for name in sorted(os.listdir(folder))
                 if not name.endswith("latest.json") and not name.startswith(("simulate", "smp-packages"))]
        self.assertLessEqual(3, len(names))
        for name in names:
            content = compare.load(os.path.join(folder, name))
            lines, count = compare.compare(content, content, 1.0)
            self.assertEqual(count, 0)
            self.assertNotIn("of 0 numbers", lines[-1])


if __name__ == "__main__":
    unittest.main()
