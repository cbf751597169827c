#!/usr/bin/env python3
# Tests of test/suites/libgomp/suite.py: scope, judgement, the list of expected failures. No compiler is needed.
# limit: 60
import argparse
import contextlib
import io
import os
import sys
import tempfile
import types
import unittest
from unittest import mock

TEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [TEST, os.path.join(TEST, "suites", "libgomp")]
import dejagnu  # noqa: E402
import harness  # noqa: E402
import matrix  # noqa: E402
import sample  # noqa: E402
import sources  # noqa: E402
import stacks  # noqa: E402
import suite  # noqa: E402


def made(results, **case):
    test = sources.Test("libgomp.c/x.c", "c", "gcc", "/x.c", dejagnu.Case(), "-O2")
    test.results = results
    for name, value in case.items():
        setattr(test.case, name, value)
    return test


def result(*problems):
    made = matrix.Result()
    for problem in problems:
        made.add(problem)
    return made


class Judge(unittest.TestCase):
    def judge(self, ours, libgomp=None, expected=()):
        report = harness.Report()
        s = suite.Suite(types.SimpleNamespace(build="build", cache=None), report)
        test = made({"ghcomp": {"host=posix": result(ours)}, "libgomp": {"default": result(libgomp)}})
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

    def test_libgomp_excuses_the_same_configuration_alone(self):
        report = harness.Report()
        s = suite.Suite(types.SimpleNamespace(build="build", cache=None), report)
        bad = ("exit status 1", "")
        ours = {"host=ghc,threads=1": result(bad), "host=ghc,threads=8": result(None, bad)}
        test = made({"ghcomp": ours, "libgomp": {"threads=1": result(bad), "threads=8": result(None)}})
        with contextlib.redirect_stdout(io.StringIO()) as out:
            s.judge(test, "ghcomp", {})
        self.assertEqual((report.failed, report.skipped), (1, 0))
        self.assertIn("[host=ghc,threads=8]: exit status 1 (1 of 2 runs)\n", out.getvalue())
        self.assertEqual([r.kind() for r in ours.values()], ["l", "F"])

    def test_last_words_are_the_programs(self):
        counts, out = self.judge(("hung: killed", "last words\n" + stacks.MARK + "#0 0x1 in f ()\n"))
        self.assertEqual(counts, (0, 1, 0))
        self.assertIn("hung: killed: last words\n", out)
        self.assertIn("#0 0x1 in f ()", out)

    def test_expected_failures_only_shrink(self):
        counts, out = self.judge(("exit status 1", ""), expected=["libgomp.c/x.c"])
        self.assertEqual(counts, (0, 0, 1))
        self.assertIn("a reason", out)
        counts, out = self.judge(None, expected=["libgomp.c/x.c"])
        self.assertEqual(counts, (0, 1, 0))
        self.assertIn("remove the line", out)


class Levels(unittest.TestCase):
    def levels(self, **how):
        with tempfile.TemporaryDirectory() as tests:
            for name, text in (("libgomp.c/a.c", "/* { dg-do run } */"), ("libgomp.c/loop-19.c", "/* { dg-do run } */"),
                               ("libgomp.fortran/run.f90", "! { dg-do run }"), ("libgomp.fortran/none.f90", "end")):
                os.makedirs(os.path.dirname(os.path.join(tests, name)), exist_ok=True)
                with open(os.path.join(tests, name), "w", encoding="ascii") as f:
                    f.write(text + "\n")
            return {test.name: test.level for test in sources.gather(tests, None, **how)[0]}

    def test_as_the_suite_has_them(self):
        self.assertEqual(self.levels(), {"libgomp.c/a.c": "-O2", "libgomp.c/loop-19.c": "-O2",
                                         "libgomp.fortran/run.f90": "-O2", "libgomp.fortran/none.f90": "-O"})

    def test_without_optimisation_but_where_that_is_wrong(self):
        self.assertEqual(self.levels(optimised=False),
                         {"libgomp.c/a.c": "-O0", "libgomp.c/loop-19.c": "-O2", "libgomp.fortran/run.f90": "-O0",
                          "libgomp.fortran/none.f90": "-O0"})


class Sides(unittest.TestCase):
    """A whole run() on programs that are scripts, with the gathering and compiling of a suite cut out."""

    def run_all(self, script, *argv, sampled=False):
        tmp = tempfile.TemporaryDirectory()
        self.addCleanup(tmp.cleanup)
        parser = argparse.ArgumentParser()
        suite.add_options(parser)
        o = suite.finish_options(parser.parse_args(["--build", tmp.name] + list(argv)))
        o.limit, o.cache = 10, os.path.join(tmp.name, "cache")
        os.mkdir(os.path.join(tmp.name, "dropin"))
        for name in ("libgomp.so.1", "libghcomp_rts.so"):
            with open(os.path.join(tmp.name, "dropin", name), "w", encoding="ascii") as f:
                f.write("")
        test = made({})
        if sampled:
            seeds = (sample.Sample(3, seed) for seed in range(3))
            o.sample = next(s for s in seeds if s.has("suite/" + test.name))
        test.exe, test.needs = os.path.join(tmp.name, "x"), {"GOMP_parallel"}
        with open(test.exe, "w", encoding="ascii") as f:
            f.write("#!/bin/sh\ncalls=%s\n%s" % (os.path.join(tmp.name, "calls"), script))
        os.chmod(test.exe, 0o755)
        report = harness.Report()
        s = suite.Suite(o, report)
        s.compile = lambda folder, tests: (tests, [])

        def gather(tests, only, optimised):
            self.optimised = optimised
            return [test], []

        cut = (
            (sources, "unpack", lambda build, major: tmp.name),
            (sources, "gather", gather),
            (suite, "system_libgomp", lambda: None),
            (suite, "claimed_symbols", lambda abi: {"GOMP_parallel"}),
            (sources, "gcc_major", lambda: 12),
            (suite, "read_list", lambda path, version: {}),
            (harness, "other_libgomp", lambda exe, dropin: None),
        )
        with contextlib.ExitStack() as stack:
            for module, name, function in cut:
                stack.enter_context(mock.patch.object(module, name, function))
            out = stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            s.run()
        with open(os.path.join(tmp.name, "calls"), encoding="ascii") as f:
            calls = f.read().splitlines()
        return (report.passed, report.failed, report.skipped), out.getvalue(), calls

    def test_the_matrix_asks_libgomp_about_failures_alone(self):
        counts, out, calls = self.run_all(
            'echo "${GHCOMP_HOST:-libgomp} ${OMP_NUM_THREADS-unset} $OMP_WAIT_POLICY" >>$calls\n'
            '[ "${OMP_NUM_THREADS-unset}" != 4 ] || [ "${GHCOMP_HOST:-ghc}" != ghc ]',
            "--matrix",
            "--repeat",
            "3",
        )
        self.assertEqual(counts, (0, 0, 1))  # libgomp fails with 4 threads too
        self.assertEqual(len([c for c in calls if not c.startswith("libgomp")]), 60)
        self.assertEqual(sorted(c for c in calls if c.startswith("libgomp")), ["libgomp 4 active", "libgomp 4 passive"])
        self.assertIn(".......... ....ll....  libgomp.c/x.c", out)

    def test_without_it_both_sides_run(self):
        counts, _, calls = self.run_all("echo ${GHCOMP_HOST:-libgomp} >>$calls", "--hosts", "ghc")
        self.assertEqual((counts, calls), ((1, 0, 0), ["libgomp", "ghc"]))
        self.assertTrue(self.optimised)

    def test_a_sampled_run_compiles_without_optimisation_and_runs_ours(self):
        counts, _, calls = self.run_all("echo ${GHCOMP_HOST:-libgomp} >>$calls", "--hosts", "ghc", sampled=True)
        self.assertEqual((counts, calls), ((1, 0, 0), ["ghc"]))
        self.assertFalse(self.optimised)

    def test_libgomp_alone(self):
        counts, out, calls = self.run_all("echo ${GHCOMP_HOST:-libgomp} >>$calls; exit 1", "--only", "libgomp")
        self.assertEqual((counts, calls), ((0, 1, 0), ["libgomp"]))
        self.assertIn("on libgomp [default]: exit status 1", out)

    def run_around(self, tell):
        """The host `around`, with what it asks of the build cut out; `tell` is what the library does."""
        with contextlib.ExitStack() as stack:
            for name, value in (("absent", None), ("trouble", None)):
                stack.enter_context(mock.patch.object(suite.around, name, lambda build, value=value: value))
            return self.run_all('echo ${GHCOMP_HOST:-libgomp} >>$calls\n' + tell, "--hosts", "posix,around")

    def test_a_haskell_process_around_it(self):
        # The library is not there: the loader prints a line and continues.
        counts, out, calls = self.run_around("")
        self.assertEqual((counts, calls[0], sorted(calls[1:])), ((0, 1, 0), "libgomp", ["auto", "posix"]))
        self.assertIn("[host=around]: around it: no Haskell", out)
        told = '[ -z "$AROUND_REPORT" ] || printf "booted 2\\nexit %s 1 1\\n" >$AROUND_REPORT'
        self.assertEqual(self.run_around(told % "loaded")[0], (1, 0, 0))
        counts, out, _ = self.run_around(told % "posix")
        self.assertEqual(counts, (0, 1, 0))
        self.assertIn("[host=around]: around it: an RTS that the drop-in did not take: 'exit posix 1 1", out)

    def test_without_its_library_the_host_is_left_out(self):
        counts, out, calls = self.run_all("echo $GHCOMP_HOST >>$calls", "--only", "ours", "--hosts", "posix,around")
        self.assertEqual((counts, calls), ((1, 0, 1), ["posix"]))
        self.assertIn("SKIP suite/host around: ", out)

    def test_a_library_that_does_not_work_ends_the_run(self):
        with mock.patch.object(suite.around, "absent", lambda build: None):
            with self.assertRaisesRegex(SystemExit, "host `around` does not work: "):
                self.run_all("true", "--hosts", "around")

    def test_options(self):
        parser = argparse.ArgumentParser()
        suite.add_options(parser)
        o = suite.finish_options(parser.parse_args([]))
        self.assertEqual((o.hosts, o.threads, o.wait_policy), (["posix"], ["unset"], ["unset"]))
        o = suite.finish_options(parser.parse_args(["--matrix", "--hosts", "ghc"]))
        self.assertEqual((o.hosts, len(o.threads), len(o.wait_policy)), (["ghc"], 5, 2))
        for bad in (["--hosts", "windows"], ["--repeat", "0"]):
            with self.assertRaises(SystemExit):
                suite.finish_options(parser.parse_args(bad))


class RunOne(unittest.TestCase):
    def run_one(self, script, limit=60, prefix=(), **case):
        with tempfile.TemporaryDirectory() as tmp:
            test = made({}, **case)
            test.exe = os.path.join(tmp, "x")
            with open(test.exe, "w", encoding="ascii") as f:
                f.write("#!/bin/sh\n" + script)
            os.chmod(test.exe, 0o755)
            problem = suite.run_one(test, matrix.Config("ghcomp", "posix", "3", "passive", "/dropin"), limit, prefix)
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

    def test_roots_privileges(self):
        """CAP_IPC_LOCK, bit 14, is not among those that a test may have."""
        script = "read -r _ set <<X\n$(grep CapEff /proc/self/status)\nX\nexit $((0x$set >> 14 & 1))\n"
        prefix = suite.ordinary_user()
        if prefix or os.geteuid() != 0:
            self.assertIsNone(self.run_one(script, prefix=prefix))
        with mock.patch.object(os, "geteuid", lambda: 1000):
            self.assertEqual(suite.ordinary_user(), [])
        with mock.patch.object(suite.shutil, "which", lambda name: None):
            self.assertEqual(suite.ordinary_user(), [])

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
        path = self.file("# c\n\nlibgomp.c/a.c why so\nlibgomp.c/b.c gcc>=16  the words are its own\n")
        a, b = {"libgomp.c/a.c": "why so"}, {"libgomp.c/b.c": "the words are its own"}
        self.assertEqual(suite.read_list(path, 12), a)
        self.assertEqual(suite.read_list(path, 16), {**a, **b})
        for bad in ("libgomp.c/a.c\n", "libgomp.c/a.c gcc>=16\n", "libgomp.c/a.c gcc>= why\n"):
            with self.assertRaises(SystemExit):
                suite.read_list(self.file(bad), 12)


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
            self.assertEqual(sorted(sources.inputs_of([a], [])), [a, b, c])


if __name__ == "__main__":
    unittest.main()
