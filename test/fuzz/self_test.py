#!/usr/bin/env python3
"""The fuzzer finds a wrong runtime and makes the case small; the generator is deterministic; and the model's
expectation matters.

The wrong runtime is the drop-in behind a preloaded library whose omp_get_thread_num is 0 in every thread.
"""
# Of a wrong runtime's cases some hang, each for its own limit.
# limit: 600
import io
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import fuzz  # noqa: E402
import generate  # noqa: E402
import run_cases  # noqa: E402
import shrink  # noqa: E402
from languages import LANGUAGES  # noqa: E402
from tree import Case, Node, expression  # noqa: E402

# C's routine and Fortran's.
LIAR = "int omp_get_thread_num(void) { return 0; }\nint omp_get_thread_num_(void) { return 0; }\n"
FILES = {"c": 0, "fortran": 7}  # files of these languages


def options(*more):
    # Some cases hang on libgomp (corpus.py), and the expected lines come from the model in any case.
    o = fuzz.arguments(["--hosts", "posix", "--configurations", "2", "--libgomp-limit", "4"] + list(more))
    fuzz.ready(o)
    return o


def small_case():
    """A parallel region that adds its threads' numbers, among what has nothing to do with that."""
    add = Node("add", k=0, e=("v", "t1"), how="atomic")
    other = Node("add", k=1, e=("n", 5), how="atomic")
    region = Node("parallel", [[other.copy(), Node("barrier"), add, other.copy()]], n=3, t="t1", how="clause",
                  e=("n", 1), sized=True, clauses=["proc_bind(close)"])
    return Case(0, 2, [other.copy(), Node("repeat", [[other.copy()]], name="q2", count=3), region])


class Fuzz(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="fuzz-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def liar(self):
        source, library = os.path.join(self.folder, "liar.c"), os.path.join(self.folder, "liar.so")
        with open(source, "w", encoding="utf-8") as f:
            f.write(LIAR)
        subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", library], check=True)
        return library

    def test_case_that_crashes_the_compiler_is_left_out(self):
        fuzzer = fuzz.Fuzzer(options(), self.folder)
        compiled = fuzzer.compiled
        crash = None, "internal compiler error: in nobody"
        fuzzer.compiled = lambda cases, *rest: (
            crash if any(c.number == 7 for c in cases) else compiled(cases, *rest))
        with redirect_stdout(io.StringIO()) as out:
            fuzzer.one_file(FILES["c"], first=6, count=3)
        self.assertIn("case 7: internal compiler error: in nobody\n", out.getvalue())
        self.assertEqual((2, [], []), (fuzzer.cases, fuzzer.refused, fuzzer.failures))
        self.assertIn((FILES["c"], 7), fuzzer.disputed)

    def test_a_case_for_which_libgomp_has_too_little_time_is_a_failure_nevertheless(self):
        o = options("--preload", self.liar(), "--libgomp-limit", "0.001", "--configurations", "1", "--no-shrink")
        fuzzer = fuzz.Fuzzer(o, self.folder)
        with redirect_stdout(io.StringIO()) as out:
            fuzzer.one_file(FILES["c"], first=2, count=1)
        self.assertEqual(([2], []), ([number for _, number, _ in fuzzer.failures], fuzzer.undecided), out.getvalue())

    def test_same_seed_same_program(self):
        for language in LANGUAGES:
            first = run_cases.program(generate.cases("7", 3, 5, language, True), language)
            self.assertEqual(first, run_cases.program(generate.cases("7", 3, 5, language, True), language))
            self.assertNotEqual(first, run_cases.program(generate.cases("8", 3, 5, language, True), language))

    def test_a_case_has_only_what_its_language_has(self):
        found = {}
        for language, has in LANGUAGES.items():
            kinds = {kind for file in range(20) for case in generate.cases("9", file, 40, language, True)
                     for node in case.nodes for kind in node.kinds()}
            found[language] = kinds
            self.assertFalse(kinds & has["lacks"], language)
            self.assertFalse(kinds - set(has["writers"]) - {"dep"}, language)
        self.assertIn("workshare", found["fortran"] - found["c"])
        self.assertIn("throw", found["c++"] - found["fortran"])

    def test_fortran_computes_as_the_model(self):
        rng = random.Random("arithmetic")
        adds = [Node("add", k=k % 8, e=expression(rng, ["q2"], 4), how="call" if k % 8 < 5 else "atomic")
                for k in range(80)]
        case, env = Case(0, 1, [Node("repeat", [adds], name="q2", count=5)]), {"OMP_NUM_THREADS": "1"}
        exe, words = run_cases.compile_text(run_cases.program([case], "fortran"), "fortran", self.folder,
                                            run_cases.flags(FILES["fortran"], "fortran"))
        self.assertIsNotNone(exe, words)
        bad = run_cases.run_file(exe, run_cases.Expectations([case], "fortran").lines(env), env, None)
        self.assertEqual([b.what for b in bad], [])

    def test_a_wrong_runtime_is_found_and_its_case_made_small(self):
        for language, file in FILES.items():
            with self.subTest(language=language):
                self.wrong_runtime(file, language)

    def wrong_runtime(self, file, language):
        out = os.path.join(self.folder, "out")
        o = options("--preload", self.liar(), "--out", out, "--steps", "40")
        fuzzer = fuzz.Fuzzer(o, self.folder)
        case, env = small_case(), {"GHCOMP_HOST": "posix", "OMP_NUM_THREADS": "2"}
        self.assertEqual(fuzz.language_of(file), language)
        bad = fuzzer.fails_alone(case, file, env, self.folder, 1)
        self.assertIsNotNone(bad)
        with redirect_stdout(io.StringIO()):
            path = fuzzer.reduce(file, case, bad, self.folder)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        between = {"c": ("static void case_0(void)", "#define CASES"),
                   "fortran": ("subroutine case_0", "end subroutine\n    function argument")}[language]
        text = text.split(between[0])[1].split(between[1])[0]
        mark = {"c": "#pragma omp ", "fortran": "!$omp "}[language]
        self.assertEqual((text.count(mark + "parallel"), text.count(mark + "atomic")), (1, 1))
        self.assertNotIn("proc_bind", text)
        self.assertNotIn("barrier", text)

    def test_the_right_runtime_passes_it(self):
        fuzzer = fuzz.Fuzzer(options(), self.folder)
        env = {"GHCOMP_HOST": "posix", "OMP_NUM_THREADS": "2"}
        for file in FILES.values():
            self.assertIsNone(fuzzer.fails_alone(small_case(), file, env, self.folder, 2))

    def test_a_wrong_expectation_is_seen(self):
        case, env = small_case(), {"GHCOMP_HOST": "posix", "OMP_NUM_THREADS": "2"}
        exe, _ = run_cases.compile_text(run_cases.program([case], "c"), "c", self.folder, ["-fopenmp"])
        lines = run_cases.Expectations([case], "c").lines(env)
        self.assertEqual(run_cases.run_file(exe, lines, env, options().dropin), [])
        wrong = {0: lines[0] + "1"}
        self.assertEqual(len(run_cases.run_file(exe, wrong, env, options().dropin)), 1)

    def test_shrink_keeps_what_is_needed(self):
        def fails(case):
            return any(kind == "barrier" for node in case.nodes for kind in node.kinds())

        self.assertEqual([n.kind for n in shrink.shrink(small_case(), fails).nodes], ["barrier"])


if __name__ == "__main__":
    unittest.main()
