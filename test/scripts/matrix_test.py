#!/usr/bin/env python3
# Tests of test/suites/libgomp/matrix.py: configurations, repeated runs, the table of failures.
# limit: 60
import os
import sys
import types
import unittest

TEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [TEST, os.path.join(TEST, "suites", "libgomp")]
import matrix  # noqa: E402


def result(*problems):
    made = matrix.Result()
    for problem in problems:
        made.add(problem and (problem, "output"))
    return made


class Configurations(unittest.TestCase):
    def test_the_matrix_has_twenty(self):
        ours = matrix.configurations("ghcomp", matrix.HOSTS, matrix.THREADS, matrix.WAIT_POLICIES, "/dropin")
        self.assertEqual(len({c.label for c in ours}), 20)
        self.assertEqual(ours[0].label, "host=posix,threads=1,wait=active")
        self.assertEqual(
            ours[0].env,
            {
                "LD_LIBRARY_PATH": "/dropin",
                "GHCOMP_HOST": "posix",
                "OMP_NUM_THREADS": "1",
                "OMP_WAIT_POLICY": "active",
            },
        )
        self.assertNotIn("OMP_NUM_THREADS", ours[9].env)

    def test_a_haskell_process_around_it(self):
        (config,) = matrix.configurations("ghcomp", ["around"], ["unset"], ["unset"], "/dropin")
        self.assertTrue(config.around)
        self.assertEqual(config.label, "host=around")
        self.assertEqual(config.env, {"LD_LIBRARY_PATH": "/dropin", "GHCOMP_HOST": "auto"})
        self.assertEqual(config.reference, "default")

    def test_another_compiler_has_libraries_of_its_own(self):
        for side, path in ("ghcomp", "/dropin:/opt/lib"), ("libgomp", "/opt/lib"):
            (config,) = matrix.configurations(side, ["posix"], ["unset"], ["unset"], "/dropin", libraries="/opt/lib")
            self.assertEqual(config.env["LD_LIBRARY_PATH"], path)

    def test_barriers_are_ours_alone(self):
        asked = (["posix"], ["2"], ["unset"], "/dropin", ["flat", "tree"])
        ours = matrix.configurations("ghcomp", *asked)
        self.assertEqual([c.env["GHCOMP_BARRIER"] for c in ours], ["flat", "tree"])
        self.assertEqual([c.label for c in ours], ["host=posix,threads=2,barrier=%s" % b for b in ("flat", "tree")])
        self.assertEqual({c.reference for c in ours}, {"threads=2"})
        self.assertEqual([c.label for c in matrix.configurations("libgomp", *asked)], ["threads=2"])

    def test_libgomp_has_one_for_each_environment(self):
        ours = matrix.configurations("ghcomp", matrix.HOSTS, matrix.THREADS, matrix.WAIT_POLICIES, "/dropin")
        theirs = matrix.configurations("libgomp", matrix.HOSTS, matrix.THREADS, matrix.WAIT_POLICIES, "/dropin")
        self.assertEqual({c.reference for c in ours}, {c.label for c in theirs})
        self.assertTrue(all("LD_LIBRARY_PATH" not in c.env for c in theirs))
        default = matrix.configurations("ghcomp", ["ghc"], ["unset"], ["unset"], "/dropin")
        self.assertEqual([(c.label, c.reference) for c in default], [("host=ghc", "default")])


class Results(unittest.TestCase):
    def test_one_bad_run_of_many_is_a_failure(self):
        r = result(None, "exit status 1", None, "hung: killed", None)
        self.assertEqual((r.runs, r.failures, r.kind()), (5, 2, "F"))
        self.assertEqual(r.text(), "exit status 1 (2 of 5 runs)")
        self.assertEqual((result(None, None).text(), result("exit status 1").text()), ("pass", "exit status 1"))

    def test_letters(self):
        for text, letter in (
            ("exit status 134", "F"),
            ("exit status 0, but the test must fail", "X"),
            ("killed by SIGSEGV", "S"),
            ("hung: killed after 60 s (limit 60 s)", "H"),
            ("the output does not match its dg-output", "O"),
        ):
            self.assertEqual(result(text).kind(), letter)
        excused = result("exit status 1")
        excused.excused = True
        self.assertEqual((excused.kind(), result(None).kind()), ("l", "."))


class Table(unittest.TestCase):
    def table(self, **tests):
        made = [
            types.SimpleNamespace(name=name, results={"ghcomp": dict(zip(("one", "second"), results))})
            for name, results in tests.items()
        ]
        return matrix.table(made, ["one", "second"])

    def test_counts_and_letters(self):
        excused = result("killed by SIGSEGV")
        excused.excused = True
        lines = self.table(
            a=(result(None, None), result("hung: x", "hung: x")),
            b=(result(None, None), result(None, None)),
            c=(excused, result("exit status 2", None)),
        )
        self.assertEqual(
            [line.split() for line in lines[2:4]], [["1", "one", "0", "0", "0"], ["2", "second", "2", "1", "3"]]
        )
        self.assertEqual([line.split() for line in lines[-2:]], [[".H", "a"], ["lF", "c"]])

    def test_nothing_to_show(self):
        self.assertEqual(self.table(a=(result(None), result(None))), [])
        one = types.SimpleNamespace(name="a", results={"ghcomp": {"one": result("exit status 1")}})
        self.assertEqual(matrix.table([one], ["one"]), [])


if __name__ == "__main__":
    unittest.main()
