#!/usr/bin/env python3
"""The tour's index: what tools/tour.py takes from heads, and that the committed page is what it writes."""

import os
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))

import tour  # noqa: E402

HEAD = """/* The barrier: members wait for each other. More of it.
 *
 * Called by team.c. Covered by test/unit/{team,wait}.c and
 * test/tsan; measured by bench/run.py. Explored (test/explore/fork_join.c).
 */
int x;
"""


class Tour(unittest.TestCase):
    def test_head(self):
        with tempfile.NamedTemporaryFile("w", suffix=".c") as f:
            f.write(HEAD)
            f.flush()
            text = tour.head(f.name)
        self.assertEqual(tour.first_sentence(text), "The barrier: members wait for each other")
        self.assertEqual(tour.named(text),
                         ["test/unit/{team,wait}.c", "test/tsan", "bench/run.py", "test/explore/fork_join.c"])
        self.assertEqual(tour.first_sentence("One, e.g. this one: Two. Three"), "One, e.g. this one: Two")
        self.assertEqual(tour.first_sentence("entry_*: `one`; two:\n\n  1. Three"), "entry_*: `one`; two")
        self.assertEqual(tour.named("No tests."), [])
        self.assertEqual(tour.cell("entry_* and other_*.c, *word*"), "`entry_*` and `other_*.c`, *word*")

    def test_names_without_folder(self):
        self.assertEqual(tour.named("Tests: test/clang/loops.c, leagues.c and affinity_fortran.f90. More."),
                         ["test/clang/loops.c", "test/clang/leagues.c", "test/clang/affinity_fortran.f90"])
        self.assertEqual(tour.named("Tests: test/conformance/for, ordered, test/unit/loop.c and, rarely, lock.c."),
                         ["test/conformance/for", "test/conformance/ordered", "test/unit/loop.c"])
        self.assertEqual(tour.named("Contract in os.h; covered by test/unit/os.c, and in time. Test: test/tsan."),
                         ["test/unit/os.c", "test/tsan"])
        self.assertEqual(tour.named("Covered by test/clang/{loops,no_such}.c, no_such_either.c."),
                         ["test/clang/{loops,no_such}.c", "test/clang/no_such_either.c"])

    def test_tests(self):
        self.assertEqual(tour.together(["test/unit/team.c", "test/tsan", "test/unit/wait.c", "test/tsan/x.c",
                                        "test/unit/team.c"]), ["test/unit/{team,wait}.c", "test/tsan"])
        self.assertEqual(tour.together(["test/clang/tasks.c", "test/clang/task_classes.cc", "test/clang/task_abi.c"]),
                         ["test/clang/{tasks,task_abi}.c", "test/clang/task_classes.cc"])
        self.assertEqual(tour.tests_of("cbits/core/state/icv.c")[0], "test/unit/icv.c")
        self.assertIn("test/explore/lock.c", tour.named_by_tests()["core/sync/lock"])
        self.assertEqual(tour.module_tests("src/OpenMP/Eval.hs"), ["test/hs/library/EvalTest.hs"])
        # Another module's test has that name.
        self.assertIn("LinearTest", tour.module_tests("src/Data/Array/Linear/Parallel.hs")[0])
        self.assertNotIn("ParallelTest", tour.module_tests("src/Data/Array/Linear/Parallel.hs")[0])
        self.assertEqual(tour.module_tests("src/OpenMP/Interrupt.hs"), ["test/hs/library/InterruptibleTest.hs"])
        self.assertEqual(tour.described("src/OpenMP/Parallel.hs"), "Parallel regions with Haskell bodies")

    def test_missing(self):
        self.assertEqual(tour.missing("test/unit/{team,no_such}.c"), ["test/unit/no_such.c"])
        self.assertEqual(tour.missing("test/tsan"), [])
        self.assertEqual(tour.missing("test/clang/leagues*"), [])
        # No suffix, the wrong one, and a part of a name.
        for name in ("test/clang/tasks", "test/clang/task_classes.c", "test/unit/tea"):
            self.assertEqual(tour.missing(name), [name])
        self.assertEqual(tour.unknown(["core/team/team", "core/team", "core/team/te"]), ["core/team/te"])

    def test_files(self):
        names = [path for folder in tour.FOLDERS + tour.HASKELL for path in tour.sources(folder)]
        for path in ("app/signals.c", "app/Main.hs", "cmm/place.cmm", "cbits/include/ghcomp.h", "src/OpenMP.hs"):
            self.assertEqual(names.count(path), 1, path)
        self.assertNotIn("cbits/abi/prototypes.h", names)
        self.assertNotIn("cbits/core/team/team.h", names)

    def test_scripts(self):
        for path, tests in (("tools/cabal.sh", ["test/scripts/cabal_test.py"]),   # by its name
                            ("tools/gcc-suite.sh", ["test/scripts/gcc-suite_test.sh"]),
                            ("test/run.py", ["test/scripts/driver_test.py"]),       # that test's head says so
                            ("bench/chart.py", ["test/scripts/{bench_test,leftovers_test}.py"]),  # they import it
                            ("mk/wheel.mk", ["test/wheel"])):                       # its own head says so
            self.assertIn(path, tour.scripts(path.split("/")[0]))
            self.assertEqual(tour.tests_of_script(path), tests)
        self.assertEqual(tour.first_sentence(tour.head_of_script("mk/env.mk")),
                         "docs/reference/environment.md, from the table of settings (cbits/core/env/env_table.c)")
        self.assertTrue(tour.head_of_script("test/run.py").startswith("Runs the project's tests"))

    def test_heads(self):
        self.assertEqual(tour.wrong(), [])

    def test_committed(self):
        with open(os.path.join(ROOT, tour.PAGE), encoding="utf-8") as f:
            text = f.read()
        self.assertEqual(tour.page(text), text, "run `make gen`")


if __name__ == "__main__":
    unittest.main()
