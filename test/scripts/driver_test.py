#!/usr/bin/env python3
# Tests of test/run.py, in a tree of its own: what passes, fails and skips, and the last line.
# limit: 120
import os
import py_compile
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

TEST = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Limits(unittest.TestCase):
    def test_a_minute_at_least(self):
        """A hang must differ from a slow machine: no limit is shorter."""
        short = re.compile(r"^[ *!#/]*(?:deep-)?limit: *([0-9.]+)(?: \*/)?$", re.M)
        for folder, _, files in os.walk(TEST):
            for name in files:
                if name.endswith((".c", ".cc", ".f90", ".sh", ".py")) and name != os.path.basename(__file__):
                    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as f:
                        for seconds in short.findall(f.read(4000)):
                            self.assertGreaterEqual(float(seconds), 60, os.path.join(folder, name))


class Excused(unittest.TestCase):
    def test_each_line_is_for_a_program_of_its_group(self):
        """One that fits no test would excuse the next program of that name."""
        line = re.compile(r"([^\s\[]+)(\[libomp\])? \S")
        for group, folders in ("clang", ("clang", "conformance")), ("tsan", ("conformance",)):
            with open(os.path.join(TEST, group, "excused.txt"), encoding="utf-8") as f:
                for name, libomp in (line.match(text).groups() for text in f):
                    with self.subTest(group=group, name=name):
                        self.assertIn(name.partition("/")[0], folders)
                        self.assertTrue(name.endswith((".c", ".cc", ".f90")))
                        self.assertTrue(os.path.exists(os.path.join(TEST, name)), "there is no such program")
                        if libomp:  # which runs those of test/clang, but for ours alone
                            self.assertTrue(name.startswith("clang/"))
                            with open(os.path.join(TEST, name), encoding="utf-8") as program:
                                self.assertNotIn("ghcomp-only:", program.read())


class Driver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The runner with its modules, compiled once for all trees."""
        cls.runner = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.runner)
        suite = ["suites/libgomp/%s.py" % name for name in ("suite", "sources", "matrix", "dejagnu")]
        modules = "run arguments around costs emulate harness haskell races report sample stacks".split()
        for name in [name + ".py" for name in modules] + suite:
            copy = os.path.join(cls.runner, name)
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy(os.path.join(TEST, name), copy)
            py_compile.compile(copy, doraise=True)

    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        shutil.copytree(self.runner, os.path.join(self.root, "test"))

    def put(self, name, text, mode=0o755):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        os.chmod(path, mode)

    def drive(self, *args):
        p = subprocess.run(
            [sys.executable, os.path.join(self.root, "test", "run.py")] + list(args),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(os.environ, BUILD="build"),
            cwd="/",
        )
        return p.returncode, p.stdout, p.stdout.rstrip("\n").split("\n")[-1]

    def test_nothing_is_a_failure(self):
        code, out, last = self.drive("conformance")
        self.assertEqual((code, last), (1, "0 passed, 0 failed, 0 skipped"), out)

    def test_scripts(self):
        self.put("test/fault/good.sh", "#!/bin/sh\nexit 0\n")
        self.put("test/fault/bad.sh", "#!/bin/sh\necho the output of bad\nexit 3\n")
        self.put("test/fault/slow.sh", "#!/bin/sh\n# limit: 0.3\nsleep 100\n")
        self.put("test/fault/away.sh", "#!/bin/sh\necho no such thing here\nexit 77\n")
        self.put("test/fault/wrong.sh", "#!/bin/sh\n# limitt: 3\nexit 0\n")
        self.put(
            "test/fault/wants_three.sh",
            "#!/bin/sh\n# expect-exit: 3\n# expect-stderr: x+\necho xx >&2; exit 3\n",
        )
        self.put("test/fault/helper.sh", "exit 1\n", 0o644)
        self.put("test/fault/forgotten.sh", "#!/bin/sh\nexit 0\n", 0o644)
        code, out, last = self.drive("fault")
        self.assertEqual((code, last), (1, "2 passed, 4 failed, 1 skipped"), out)
        self.assertIn("FAIL fault/forgotten.sh: is not executable", out)
        self.assertIn("SKIP fault/away.sh: no such thing here", out)
        self.assertIn("the output of bad", out)
        self.assertRegex(out, "FAIL fault/slow.sh: hung")
        self.assertIn("`limit:` was meant", out)
        code, out, last = self.drive("fault", "--filter", "good|away")
        self.assertEqual((code, last), (0, "1 passed, 0 failed, 1 skipped"), out)
        code, out, last = self.drive("fault", "--filter", "away")
        self.assertEqual((code, last), (1, "0 passed, 0 failed, 1 skipped"), out)
        self.assertEqual(self.drive("fault", "--list", "--filter", "good")[1], "fault/good.sh\n")

    def test_timing(self):
        """Tests that judge by time, and such parts of others, run in a group of their own."""
        self.put("test/clang/excused.txt", "", 0o644)
        self.put("test/fault/whole.sh", "#!/bin/sh\n# timing: a rate\nexit 1\n")
        self.put("test/fault/part.sh", "#!/bin/sh\n# timing-part: a rate\n[ -z \"$TEST_TIMING\" ]\n")
        self.put("test/timing/script.sh", "#!/bin/sh\n[ \"$TEST_TIMING\" = 1 ]\n")
        self.assertEqual(self.drive("fault")[::2], (0, "1 passed, 0 failed, 0 skipped"))
        code, out, last = self.drive("timing")
        self.assertEqual((code, last), (1, "1 passed, 2 failed, 0 skipped"), out)
        self.assertIn("FAIL fault/whole.sh", out)
        self.assertEqual(self.drive("fault", "timing")[2], "2 passed, 2 failed, 0 skipped")

    def test_who_builds_with_cabal(self):
        """A script that does so directly, by the examples' common.sh or by an installation, is in such a group. The
        test of cabal.sh has commands of its own in place of cabal, and that of the tour names it."""
        with open(os.path.join(TEST, "run.py"), encoding="utf-8") as f:
            text = f.read()
        groups = re.search(r'^WITH_CABAL = "(.*)"', text, re.M).group(1).split() + ["timing"]
        calls = re.compile(r"tools/cabal\.sh|examples/common\.sh|guides/install\.sh|\bmake\b.* (install|launcher)\b")
        found = set()
        for folder, _, names in os.walk(TEST):
            group = os.path.relpath(folder, TEST).split(os.sep)[0]
            for name in names:
                path = os.path.join(folder, name)
                script = name.endswith((".sh", ".py")) and name not in ("cabal_test.py", "tour_test.py")
                if script and group != "." and os.access(path, os.X_OK):
                    with open(path, encoding="utf-8") as f:
                        found |= {group} if calls.search(f.read()) else set()
        self.assertEqual(found - set(groups), set())
        self.assertLessEqual({"hs", "examples", "ompt", "docs"}, found)

    def test_lanes(self):
        """A group that builds with cabal and another one run at the same time; those that fill the machine are last."""
        meet = "#!/bin/sh\ntouch %s\nuntil [ -e %s ]; do sleep 0.05; done\n"
        self.put("test/docs/one.sh", meet % ("one", "other"))
        self.put("test/fault/other.sh", meet % ("other", "one") + "sleep 0.5; touch end\n")
        self.put("test/stress/last.sh", "#!/bin/sh\n[ -e end ]\n")
        code, out, last = self.drive("docs", "stress", "fault")
        self.assertEqual((code, last), (0, "3 passed, 0 failed, 0 skipped"), out)

    def test_a_lane_without_more_of_its_own_takes_others(self):
        meet = "#!/bin/sh\ntouch %s\nuntil [ -e %s ]; do sleep 0.05; done\n"
        self.put("test/docs/one.sh", "#!/bin/sh\ntrue\n")
        self.put("test/fault/some.sh", meet % ("some", "other"))
        self.put("test/host/other.sh", meet % ("other", "some"))
        code, out, last = self.drive("docs", "fault", "host")
        self.assertEqual((code, last), (0, "3 passed, 0 failed, 0 skipped"), out)

    def test_the_first_that_builds_has_the_folder_alone(self):
        meet = "#!/bin/sh\n[ -e ended ]\ntouch %s\nuntil [ -e %s ]; do sleep 0.05; done\n"
        self.put("test/examples/first.sh", "#!/bin/sh\nsleep 0.5\ntouch ended\n")
        self.put("test/docs/one.sh", meet % ("one", "other"))
        self.put("test/install/other.sh", meet % ("other", "one"))
        self.put("test/fault/some.sh", "#!/bin/sh\ntrue\n")
        code, out, last = self.drive("fault", "examples", "docs", "install")
        self.assertEqual((code, last), (0, "4 passed, 0 failed, 0 skipped"), out)

    def test_sample(self):
        self.put("test/unit/a.c", "/* x */\n", 0o644)
        for variant in ("asan", "tsan"):
            self.put("build/%s/test/a" % variant, "#!/bin/sh\necho seed $TEST_SEED of $TEST_SAMPLE; exit 1\n")
        runs = [self.drive("unit", "--sample", "3", "--seed", str(seed)) for seed in (7, 8, 9)]
        failed = ["0 passed, 1 failed, 0 skipped"] * 2  # one of the two runs with the address sanitizer has other tests
        self.assertEqual(sorted(last for _, _, last in runs), ["0 passed, 0 failed, 0 skipped"] + failed)
        for seed, (_, out, last) in zip((7, 8, 9), runs):
            self.assertIn("seed %d: one in 3 combinations" % seed, out)
            self.assertEqual("seed %d of 3" % seed in out, last == failed[0])
        said = "".join(out for _, out, _ in runs)
        for variant in ("asan", "tsan"):
            self.assertIn("unit/a [%s]" % variant, said)
        again = re.search(r"again: test/run.py (.*)\)", runs[0][1]).group(1)
        code, out, last = self.drive(*shlex.split(again))
        self.assertEqual((code, last), (1, "0 passed, 1 failed, 0 skipped"), out)
        self.assertEqual(self.drive("unit")[2], "0 passed, 2 failed, 0 skipped")

    def test_unit(self):
        self.put("test/unit/a.c", "/* env: X=1 */\n", 0o644)
        self.put("build/asan/test/a", '#!/bin/sh\n[ "$X" = 1 ]\n')
        code, out, last = self.drive("unit")
        self.assertEqual((code, last), (1, "1 passed, 1 failed, 0 skipped"), out)
        self.assertIn("build/tsan/test/a is not built", out)

    def test_haskell_counts_are_added(self):
        self.put("test/hs/run.sh", "#!/bin/sh\necho SKIP one: why; echo cost: 7 6.5 a suite\n"
                 "echo 3 passed, 0 failed, 1 skipped\n")
        code, out, last = self.drive("hs")
        self.assertEqual((code, last), (0, "3 passed, 0 failed, 1 skipped"), out)
        self.assertIn("\n       7      6  hs: a suite\n", out)
        self.put("test/hs/run.sh", "#!/bin/sh\necho 3 passed, 1 failed, 0 skipped\nexit 1\n")
        self.assertEqual(self.drive("hs")[::2], (1, "3 passed, 1 failed, 0 skipped"))
        for lie in (
            "echo fine",
            "echo 3 passed, 1 failed, 0 skipped",
            "echo 3 passed, 0 failed, 0 skipped; exit 1",
        ):
            self.put("test/hs/run.sh", "#!/bin/sh\n%s\n" % lie)
            self.assertEqual(self.drive("hs")[::2], (1, "0 passed, 1 failed, 0 skipped"), lie)

    def test_program_on_both_sides(self):
        self.put(
            "test/conformance/x/a.c",
            "/* expect-stdout: ^one$ */\n#include <stdio.h>\n"
            "int main(void) {\n#pragma omp parallel num_threads(2)\n"
            '#pragma omp master\nputs("one");\nreturn 0; }\n',
            0o644,
        )
        self.put(
            "test/conformance/x/b.c", "/* ghcomp-only: a reason */\nint main(void) { return 0; }\n", 0o644
        )
        self.put("test/conformance/x/c.c", "int main(void) { syntax error }\n", 0o644)
        code, out, last = self.drive("conformance", "-v")
        # No drop-in is built in this tree: our side must fail, not fall back to libgomp.
        self.assertEqual((code, last), (1, "1 passed, 4 failed, 0 skipped"), out)
        self.assertIn("PASS conformance/x/a.c [libgomp]", out)
        self.assertIn("libgomp.so.1 is not built", out)
        self.assertEqual(out.count("FAIL conformance/x/c.c"), 2)
        # A drop-in that the loader would not take is noticed.
        self.put("build/dropin/libgomp.so.1", "not an object\n")
        code, out, last = self.drive("conformance", "--filter", r"x/a\.c")
        self.assertEqual((code, last), (1, "1 passed, 1 failed, 0 skipped"), out)


if __name__ == "__main__":
    unittest.main()
