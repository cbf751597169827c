#!/usr/bin/env python3
# Tests of test/suites/llvm/suite.py: options, names, judgement, the list of expected failures. Neither LLVM nor its
# tests are needed.
# limit: 60
import contextlib
import importlib.util
import io
import os
import sys
import tempfile
import types
import unittest

TEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [TEST]
import harness  # noqa: E402

# libgomp's suite has a module of the same name.
SPEC = importlib.util.spec_from_file_location("llvm_suite", os.path.join(TEST, "suites", "llvm", "suite.py"))
suite = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(suite)


def made(results, parts=("runtime",), folder="build"):
    """A suite whose sides have run: {side: {test: code}}, and its report."""
    report = harness.Report()
    compiler = types.SimpleNamespace(tag="", expected="expected-failures.txt")
    s = suite.Suite(types.SimpleNamespace(build=folder, parts=list(parts), verbose=False, compiler=compiler), report)
    for side, found in results.items():
        s.results[side] = {name: (code, 0.0, "# | the words\n") for name, code in found.items()}
    return s, report


class Judge(unittest.TestCase):
    def judge(self, results, expected=None):
        s, report = made({side: {"runtime/a/x.c": code} for side, code in results.items()})
        with contextlib.redirect_stdout(io.StringIO()) as out:
            s.judge(expected or {})
        return (report.passed, report.failed, report.skipped), out.getvalue()

    def test_a_failure_counts_where_libomp_passes(self):
        self.assertEqual(self.judge({"libomp": "PASS", "posix": "PASS", "ghc": "PASS"})[0], (2, 0, 0))
        counts, out = self.judge({"libomp": "PASS", "posix": "PASS", "ghc": "TIMEOUT"})
        self.assertEqual(counts, (1, 1, 0))
        self.assertIn("runtime/a/x.c [ghc]", out)
        self.assertIn("timeout: the words", out)
        self.assertEqual(self.judge({"libomp": "FAIL", "posix": "FAIL"})[0], (0, 0, 0))
        self.assertEqual(self.judge({"libomp": "UNSUPPORTED", "posix": "UNSUPPORTED"})[0], (0, 0, 0))

    def test_a_failure_that_the_test_announces_is_a_pass(self):
        self.assertEqual(self.judge({"libomp": "XFAIL", "posix": "XFAIL"})[0], (1, 0, 0))
        self.assertEqual(self.judge({"libomp": "XFAIL", "posix": "XPASS"})[0], (1, 0, 0))
        self.assertEqual(self.judge({"posix": "XPASS"})[0], (1, 0, 0))
        self.assertEqual(self.judge({"libomp": "XPASS"})[0], (0, 1, 0))

    def test_one_side_alone(self):
        self.assertEqual(self.judge({"libomp": "FAIL"})[0], (0, 1, 0))
        self.assertEqual(self.judge({"posix": "FAIL"})[0], (0, 1, 0))

    def test_expected_failures(self):
        both = {("runtime/a/x.c", None): "a reason"}
        one = {("runtime/a/x.c", "ghc"): "a reason"}
        bad = {"libomp": "PASS", "posix": "FAIL", "ghc": "FAIL"}
        self.assertEqual(self.judge(bad, both)[0], (0, 0, 2))
        self.assertEqual(self.judge(bad, one)[0], (0, 1, 1))
        counts, out = self.judge({"libomp": "PASS", "posix": "PASS"}, both)
        self.assertEqual(counts, (0, 1, 0))
        self.assertIn("remove the line", out)
        self.assertEqual(self.judge({"libomp": "FAIL"}, both)[0], (0, 1, 0), "no excuse for libomp itself")

    def test_a_line_about_no_test(self):
        s, report = made({"posix": {"runtime/a/x.c": "PASS"}})
        with contextlib.redirect_stdout(io.StringIO()) as out:
            s.check_list({("runtime/a/x.c", None): "r", ("runtime/gone.c", "ghc"): "r", ("ompt/y.c", None): "r"})
        self.assertEqual(report.failed, 1)
        self.assertIn("runtime/gone.c", out.getvalue())


class Summary(unittest.TestCase):
    def test_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "suites", "llvm"))
            s, _ = made({
                "libomp": {"runtime/a.c": "PASS", "runtime/b.c": "PASS", "runtime/c.c": "FAIL",
                           "runtime/d.c": "UNSUPPORTED"},
                "posix": {"runtime/a.c": "PASS", "runtime/b.c": "FAIL", "runtime/c.c": "PASS",
                          "runtime/d.c": "UNSUPPORTED"},
            }, folder=folder)
            with contextlib.redirect_stdout(io.StringIO()):
                s.summary()
        self.assertEqual(s.counts["libomp"], {"tests": 4, "run": 3, "passed": 2})
        self.assertEqual(s.counts["posix"], {"tests": 4, "run": 3, "passed": 2, "of those that libomp passes": 2,
                                             "passed of them": 1})


class Reading(unittest.TestCase):
    def read(self, text, version=19):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
            f.write(text)
            f.flush()
            return suite.read_list(f.name, version)

    def test_list(self):
        self.assertEqual(
            self.read("# a comment\n\nruntime/a/x.c  wants [y] of z\nompt/y.c [ghc] a reason\n"),
            {("runtime/a/x.c", None): "wants [y] of z", ("ompt/y.c", "ghc"): "a reason"})
        for wrong in ("runtime/x.c\n", "runtime/x.c [ghc]\n"):
            with self.assertRaisesRegex(SystemExit, ":1: a line is"):
                self.read(wrong)

    def test_a_line_for_some_versions(self):
        text = "ompt/x.c [llvm>=22] new\nompt/y.c [llvm<=21] [ghc] old\n"
        self.assertEqual(self.read(text, 21), {("ompt/y.c", "ghc"): "old"})
        self.assertEqual(self.read(text, 22), {("ompt/x.c", None): "new"})

    def test_the_lists_that_are_there(self):
        for tag in ("", "-gcc"):
            path = os.path.join(TEST, "suites", "llvm", "expected-failures%s.txt" % tag)
            for (name, side), _ in suite.read_list(path, 23).items():
                self.assertIn(name.split("/")[0], suite.PARTS)
                self.assertIn(side, (None, "posix", "ghc"))

    def test_names(self):
        found = suite.outcomes("ompt", {"tests": [
            {"name": "libomp :: ompt/tasks/x.c", "code": "PASS", "elapsed": 0.5, "output": "o"}]})
        self.assertEqual(found, {"ompt/tasks/x.c": ("PASS", 0.5, "o")})
        found = suite.outcomes("runtime", {"tests": [
            {"name": "libomp :: env/y.c", "code": "UNSUPPORTED", "elapsed": None, "output": ""}]})
        self.assertEqual(found, {"runtime/env/y.c": ("UNSUPPORTED", 0.0, "")})

    def test_features(self):
        self.assertEqual(suite.features("clang", "19.1.7"), ["clang", "clang-19", "clang-19.1", "clang-19.1.7"])
        self.assertEqual(suite.features("gcc", "12.2"), ["gcc", "gcc-12", "gcc-12.2"])

    def test_versions(self):
        for said, version in (("gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright", "12.2.0"),
                              ("Debian clang version 19.1.7 (3~deb12u1)\nTarget: x86_64-pc", "19.1.7")):
            self.assertEqual(suite.version_of(said), version)

    def test_what_a_failing_command_says(self):
        output = "# executed command: x\n# | one line\n# | x.c:3: error: wrong\n# error: command failed\n"
        self.assertEqual(suite.first_words(output), "x.c:3: error: wrong")
        self.assertEqual(suite.first_words("# | one line\n# error: command failed\n"), "one line")
        self.assertEqual(suite.first_words("# executed command: x\n# error: command failed\n"), "error: command failed")
        self.assertEqual(suite.first_words("--\n"), "no output")


class Options(unittest.TestCase):
    def refused(self, *argv):
        with contextlib.redirect_stderr(io.StringIO()) as err, self.assertRaises(SystemExit):
            suite.parse(list(argv))
        return err.getvalue()

    def test_options(self):
        o = suite.parse(["--source", "s"])
        self.assertEqual((o.hosts, o.parts, o.filter), (["posix", "ghc"], ["runtime"], None))
        self.assertIn("`gcc` is none of", self.refused("--source", "s", "--hosts", "gcc"))
        self.assertIn("`all` is none of", self.refused("--source", "s", "--parts", "ompt,all"))
        self.assertIn("--source", self.refused())

    def test_sides(self):
        def names(*argv):
            o = suite.parse(["--source", "s", *argv])
            o.llvm = "/llvm"
            return [s.name for s in suite.sides(o)]

        self.assertEqual(names(), ["libomp", "posix", "ghc"])
        self.assertEqual(names("--only", "libomp"), ["libomp"])
        self.assertEqual(names("--only", "ours", "--hosts", "ghc"), ["ghc"])

    def test_a_source_that_is_none(self):
        with tempfile.TemporaryDirectory() as folder:
            s, _ = made({}, folder=folder)
            s.o.source = folder
            with self.assertRaisesRegex(SystemExit, "names a source tree of LLVM"):
                s.configure("runtime", suite.Side("posix", "/d", {}))


if __name__ == "__main__":
    sys.exit(unittest.main())
