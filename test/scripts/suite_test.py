#!/usr/bin/env python3
# Tests of test/suites/libgomp/suite.py: scope, judgement, the list of expected failures. No compiler is needed.
# limit: 60
import contextlib
import io
import os
import sys
import tempfile
import types
import unittest

TEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [TEST, os.path.join(TEST, "suites", "libgomp")]
import dejagnu  # noqa: E402
import harness  # noqa: E402
import suite  # noqa: E402


def made(results, **case):
    test = suite.Test("libgomp.c/x.c", "c", "gcc", "/x.c", dejagnu.Case(), "-O2")
    test.results = results
    for name, value in case.items():
        setattr(test.case, name, value)
    return test


class Judge(unittest.TestCase):
    def judge(self, ours, libgomp=None, expected=()):
        report = harness.Report()
        s = suite.Suite(types.SimpleNamespace(build="build", cache=None), report)
        test = made({"ghcomp": {"host=posix": ours}, "libgomp": {"default": libgomp}})
        with contextlib.redirect_stdout(io.StringIO()) as out:
            s.judge(test, "ghcomp", dict.fromkeys(expected, "a reason"))
        return (report.passed, report.failed, report.skipped), out.getvalue()

    def test_verdicts(self):
        bad = ("exit status 1", "the words\nlast words\n")
        self.assertEqual(self.judge(None)[0], (1, 0, 0))
        counts, out = self.judge(bad)
        self.assertEqual(counts, (0, 1, 0))
        self.assertIn("exit status 1: last words", out)
        counts, out = self.judge(bad, libgomp=bad)
        self.assertEqual(counts, (0, 0, 1))
        self.assertIn("fails here on libgomp too", out)
        self.assertEqual(self.judge(None, libgomp=bad)[0], (1, 0, 0))

    def test_expected_failures_only_shrink(self):
        counts, out = self.judge(("exit status 1", ""), expected=["libgomp.c/x.c"])
        self.assertEqual(counts, (0, 0, 1))
        self.assertIn("a reason", out)
        counts, out = self.judge(None, expected=["libgomp.c/x.c"])
        self.assertEqual(counts, (0, 1, 0))
        self.assertIn("remove the line", out)


class RunOne(unittest.TestCase):
    def run_one(self, script, limit=10, **case):
        with tempfile.TemporaryDirectory() as tmp:
            test = made({}, **case)
            test.exe = os.path.join(tmp, "x")
            with open(test.exe, "w", encoding="ascii") as f:
                f.write("#!/bin/sh\n" + script)
            os.chmod(test.exe, 0o755)
            problem = suite.run_one(test, suite.Config("ghcomp", "posix", "3", "passive", "/dropin"), limit)
            return problem and problem[0]

    def test_environment(self):
        self.assertIsNone(
            self.run_one('[ "$OMP_NUM_THREADS $OMP_WAIT_POLICY $GHCOMP_HOST $X" = "7 passive posix y" ]',
                         env={"OMP_NUM_THREADS": "7", "X": "y"}))

    def test_endings(self):
        self.assertEqual(self.run_one("exit 2"), "exit status 2")
        self.assertEqual(self.run_one("kill -ABRT $$"), "killed by SIGABRT")
        self.assertIn("hung", self.run_one("sleep 100", limit=0.3))
        self.assertIn("must fail", self.run_one("exit 0", should_fail=True))
        self.assertIsNone(self.run_one("exit 1", should_fail=True))

    def test_output(self):
        self.assertIsNone(self.run_one("echo a; echo b >&2", output=["a\n", "b"]))
        self.assertIn("dg-output", self.run_one("echo a", output=["b"]))


class Lists(unittest.TestCase):
    def file(self, text):
        f = tempfile.NamedTemporaryFile("w", suffix=".txt")
        self.addCleanup(f.close)
        f.write(text)
        f.flush()
        return f.name

    def test_claimed_symbols(self):
        table = self.file("symbol\tnode\tstatus\nGOMP_a\tX\tdone\nGOMP_b\tX\tplanned\n")
        self.assertEqual(suite.claimed_symbols(table), {"GOMP_a"})
        with self.assertRaises(SystemExit):
            suite.claimed_symbols(self.file("symbol\tstatus\nGOMP_b\tplanned\n"))

    def test_a_listed_failure_needs_a_reason(self):
        self.assertEqual(suite.read_list(self.file("# c\n\nlibgomp.c/a.c why so\n")), {"libgomp.c/a.c": "why so"})
        with self.assertRaises(SystemExit):
            suite.read_list(self.file("libgomp.c/a.c\n"))


class Sources(unittest.TestCase):
    def test_what_a_program_is_made_of(self):
        with tempfile.TemporaryDirectory() as tmp:
            def put(name, text):
                with open(os.path.join(tmp, name), "w", encoding="ascii") as f:
                    f.write(text)
                return os.path.join(tmp, name)

            a = put("a.c", '#include <omp.h>\n#include "b.c"\n')
            b = put("b.c", '# include "c.c"\n')
            c = put("c.c", "\n")
            self.assertEqual(sorted(suite.inputs_of([a], [])), [a, b, c])


if __name__ == "__main__":
    unittest.main()
