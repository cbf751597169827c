"""Differential fuzzing of the runtime: random OpenMP programs with a determined result.

    python3 test/fuzz/fuzz.py --cases 20000 --seed 1       # deep: about 20 minutes on two CPUs
    python3 test/fuzz/fuzz.py --seed 1 --file 17 --case 5  # one case of that run again, in many configurations
    python3 test/fuzz/fuzz.py --seed 1 --file 17 --keep    # write that file's program and its expected lines
    python3 test/fuzz/fuzz.py --language fortran           # only the files in one language

Each file has 40 cases. It is compiled once, runs once on the system's libgomp and, with each of some configurations
(configurations.py), on the drop-in of $BUILD (build). Each case prints one line; the model (tree.py) says which.
A different line, a crash or a hang is a failure. It is repeated alone, made smaller (shrink.py) and written to
--out as a program whose head says what it should have printed, and where it failed.

libgomp is the judge of the generator: where libgomp fails too, the case is `disputed`, and is reported apart. A case
that ours fails is judged alone, so that libgomp has the time that ours has.
Differences that OpenMP allows are not visible by construction: when a task runs, and the order of mutexinoutset
tasks, change no result.

The last line counts; the exit status is 1 after a failure. test/fuzz/corpus.py is the bounded part for CI,
test/fuzz/self_test.py shows that wrong runtimes are found. docs/internals/testing.md describes the options.
"""

import argparse
import itertools
import os
import shutil
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import configurations  # noqa: E402
import generate  # noqa: E402
import run_cases  # noqa: E402
import shrink  # noqa: E402
from configurations import ROOT, harness  # noqa: E402
from languages import LANGUAGES as LANGUAGE_TABLE  # noqa: E402

CASES = 40
SHRINK_LIMIT = 10
COMPILER_BUG = "internal compiler error"  # GCC, GFortran
CONFIRMATIONS = 12  # runs of a case alone, before it counts as one that fails now and then
# Of the files, one after the other. Only the end may change: a seed's file keeps its language and so its cases.
LANGUAGES = ("c", "c++", "c", "c", "c", "c++", "c", "fortran", "fortran", "c++", "fortran", "c")


def language_of(file):
    return LANGUAGES[file % len(LANGUAGES)]


def sized(file):
    """Two of three files have results that depend on the size of teams."""
    return file % 3 != 2


def cases_of(seed, file, count=CASES):
    language = language_of(file)
    return generate.cases(seed, file, count, language, sized(file))


def learn_compiler(folder):
    """The kinds of dependences that this compiler has beyond GCC 9."""
    text = "int main(void) { int x = 0;\n#pragma omp task depend(inoutset: x)\nx++;\nreturn 0; }\n"
    exe, _ = run_cases.compile_text(text, "c", folder, ["-fopenmp"])
    generate.Generator.NEW_DEPENDENCES = ["inoutset", "inoutset"] if exe else []


class Fuzzer:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.lock = threading.Lock()
        self.files = self.cases = self.runs = self.hangs = 0
        self.failures, self.disputed, self.refused = [], [], []
        self.undecided = []  # of the disputed ones those that ours fails, too

    def say(self, text):
        with self.lock:
            print(text)
            sys.stdout.flush()

    def one_file(self, file, first=0, count=CASES, seed=None):
        """Generate, compile and run one file."""
        o, language = self.options, language_of(file)
        cases = [c for c in cases_of(seed or o.seed, file) if first <= c.number < first + count]
        expectations = run_cases.Expectations(cases, language)
        folder = tempfile.mkdtemp(dir=self.folder)
        try:
            exe, words = self.compiled(cases, file, folder)
            if exe is None and COMPILER_BUG in words:
                cases = self.without_compiler_bugs(cases, file, folder)
                expectations = run_cases.Expectations(cases, language)
                exe, words = self.compiled(cases, file, folder)
            if exe is None:
                with self.lock:
                    self.refused.append((file, words))
                self.say("file %d (%s) does not compile:\n%s" % (file, language, harness.tail(words, 12)))
                return
            env = configurations.of_libgomp(file)
            doubtful = {}
            for bad in run_cases.run_file(exe, expectations.lines(env), env, None, limit=o.libgomp_limit):
                doubtful[bad.number] = bad
                self.say("disputed: seed %s file %d case %d on libgomp: %s" % (o.seed, file, bad.number, bad.what))
            environments = configurations.of_file(file, o.configurations, sized(file),
                                                  o.hosts)
            failed, undecided = {}, set()
            for env in environments:
                for bad in run_cases.run_file(exe, expectations.lines(env), env, o.dropin, o.preload):
                    if bad.number in undecided:
                        continue
                    if bad.number not in failed and not self.judge_alone(file, bad.number, exe, expectations, doubtful):
                        undecided.add(bad.number)
                        continue
                    self.say("FAIL seed %s file %d case %d (%s), %s: %s\n%s" % (
                        o.seed, file, bad.number, language, configurations.words(env), bad.what,
                        harness.tail(bad.output, 60)))
                    failed.setdefault(bad.number, bad)
            with self.lock:
                self.files += 1
                self.cases += len(cases)
                self.runs += (len(environments) + 1) * len(cases)
                self.disputed += [(file, n) for n in doubtful]
                self.undecided += [(file, n) for n in sorted(undecided)]
                self.failures += [(file, n, failed[n].what) for n in failed]
            for bad in failed.values():
                case = next(c for c in cases if c.number == bad.number)
                self.reduce(file, case, bad, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @staticmethod
    def compiled(cases, file, folder):
        language = language_of(file)
        return run_cases.compile_text(run_cases.program(cases, language), language, folder,
                                      run_cases.flags(file, language))

    def without_compiler_bugs(self, cases, file, folder):
        """The cases on which the compiler does not fail itself."""
        fit = []
        for case in cases:
            exe, words = self.compiled([case], file, folder)
            if exe is None and COMPILER_BUG in words:
                self.disputed.append((file, case.number))
                self.say("disputed: seed %s file %d case %d: %s" % (
                    self.options.seed, file, case.number, words[words.index(COMPILER_BUG):].split("\n")[0]))
            else:
                fit.append(case)
        return fit

    def judge_alone(self, file, number, exe, expectations, doubtful):
        """Whether libgomp passes a case that ours fails. It may not have come to it, after others that hung there, or
        not within --libgomp-limit."""
        env = configurations.of_libgomp(file)
        lines = {number: expectations.lines(env)[number]}
        doubtful.pop(number, None)
        for bad in run_cases.run_file(exe, lines, env, None):
            doubtful[number] = bad
            self.say("disputed: seed %s file %d case %d, which ours fails, on libgomp: %s" % (
                self.options.seed, file, number, bad.what))
        return number not in doubtful

    def fails_alone(self, case, file, env, folder, runs):
        """How the case fails in env, alone in a program, or None; it is none of ours if libgomp's differs."""
        language = language_of(file)
        try:
            expectations = run_cases.Expectations([case], language)
            lines = expectations.lines(env)
        except (NameError, SyntaxError, ValueError, KeyError, IndexError, TypeError):
            return None  # a part is missing that the rest needs
        exe, _ = self.compiled([case], file, folder)
        if exe is None:
            return None
        plain = {k: v for k, v in env.items() if not k.startswith("GHCOMP_")}
        plain["OMP_WAIT_POLICY"] = "passive"
        for _ in range(2):
            if run_cases.run_file(exe, lines, plain, None, limit=SHRINK_LIMIT):
                return None
        for _ in range(runs):
            bad = run_cases.run_file(exe, lines, env, self.options.dropin, self.options.preload, SHRINK_LIMIT)
            if bad:
                return bad[0]
        return None

    def reduce(self, file, case, bad, folder):
        """Shrink a failure and write it down."""
        o, env = self.options, bad.env
        if o.no_shrink:
            return None
        runs = 1
        again = self.fails_alone(case, file, env, folder, 2)
        if again is None:
            runs = CONFIRMATIONS
            again = self.fails_alone(case, file, env, folder, runs)
        if again is None:
            self.say("seed %s file %d case %d does not fail alone in %d runs" % (o.seed, file, case.number, runs))
            small = case
        else:
            bad = again
            small = shrink.shrink(
                case, lambda c: self.fails_alone(c, file, env, folder, runs) is not None, o.steps)
            bad = self.fails_alone(small, file, env, folder, 2 * runs) or bad
        path = self.write(file, small, bad)
        self.say("seed %s file %d case %d: %d nodes became %d: %s" % (
            o.seed, file, case.number, case.size(), small.size(), path))
        return path

    def write(self, file, case, bad):
        """The case as a program of its own, in the form of the saved programs of corpus.py."""
        language = language_of(file)
        lines = run_cases.Expectations([case], language).lines(bad.env)
        comment = LANGUAGE_TABLE[language]["comment"]
        head = ["seed %s, file %d, case %d; %s" % (self.options.seed, file, case.number, bad.what.split("\n")[0]),
                "flags: " + " ".join(run_cases.flags(file, language)),
                "env: " + configurations.words(bad.env), "expect: " + lines[case.number]]
        os.makedirs(self.options.out, exist_ok=True)
        path = os.path.join(self.options.out, "seed%s-%d-%d%s" % (
            self.options.seed, file, case.number, LANGUAGE_TABLE[language]["suffix"]))
        with open(path, "w", encoding="utf-8") as f:
            f.write("".join("%s %s\n" % (comment, h) for h in head) + run_cases.program([case], language))
        return path

    def last_line(self):
        return ("%d cases in %d files, %d runs of a case: %d failed, %d disputed by libgomp or the compiler, of which "
                "ours fails %d, %d files do not compile") % (
            self.cases, self.files, self.runs, len(self.failures), len(self.disputed), len(self.undecided),
            len(self.refused))


def arguments(argv=None):
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--seed", default="1", help="any word; the same seed makes the same programs")
    p.add_argument("--cases", type=int, default=400, help="how many (400)")
    p.add_argument("--from-file", type=int, default=0, help="the first file's number (0)")
    p.add_argument("--language", choices=sorted(LANGUAGE_TABLE), help="only the files of this language")
    p.add_argument("--file", type=int, help="only this file")
    p.add_argument("--case", type=int, help="only this case of --file, in 30 configurations")
    p.add_argument("--keep", action="store_true", help="write the program of --file and its expected lines to --out")
    p.add_argument("--configurations", type=int, default=5, help="runs of each file on the drop-in (5)")
    p.add_argument("--hosts", default="posix,ghc", type=lambda s: s.split(","), help="posix,ghc")
    p.add_argument("--jobs", type=int, default=2, help="files at a time (2)")
    p.add_argument("--libgomp-limit", type=float, default=run_cases.LIMIT, metavar="SECONDS",
                   help="for a file on libgomp (%(default)s); some cases hang there for ever")
    p.add_argument("--minutes", type=float, help="stop after this time")
    p.add_argument("--no-shrink", action="store_true")
    p.add_argument("--steps", type=int, default=300, help="cases that the shrinker tries at most (300)")
    p.add_argument("--out", default=os.path.join(ROOT, "build", "fuzz"), help="for reproducers (build/fuzz)")
    p.add_argument("--preload", help="a library to load before the runtime: for the self-test")
    o = p.parse_args(argv)
    build = os.environ.get("BUILD", "build")
    o.dropin = os.path.join(os.path.join(ROOT, build), "dropin")
    return o


def ready(o):
    """Whether there is a drop-in, which hosts it has, and whether the compilers are there."""
    if not os.path.exists(os.path.join(o.dropin, "libgomp.so.1")):
        sys.exit("%s/libgomp.so.1 is not built: run `make`" % o.dropin)
    if not os.path.exists(os.path.join(o.dropin, "libghcomp_rts.so")):
        o.hosts = [h for h in o.hosts if h != "ghc"] or ["posix"]
    for language in sorted({o.language} if o.language else set(LANGUAGES)):
        if not shutil.which(LANGUAGE_TABLE[language]["compiler"]):
            sys.exit("%s, which compiles random programs, is not installed: run `sh tools/deps.sh fortran test`" %
                     LANGUAGE_TABLE[language]["compiler"])
    harness.kill_tests_on_signals()


def main(argv=None):
    o = arguments(argv)
    ready(o)
    folder = tempfile.mkdtemp(prefix="fuzz-")
    fuzzer = Fuzzer(o, folder)
    try:
        learn_compiler(folder)
        if o.file is not None and o.keep:
            keep(o)
            return 0
        if o.file is not None and o.case is not None:
            o.configurations = len(configurations.PAIRS)
            fuzzer.one_file(o.file, o.case, 1)
        elif o.file is not None:
            fuzzer.one_file(o.file)
        else:
            start = time.monotonic()
            stop = start + o.minutes * 60 if o.minutes else float("inf")

            def one(file):
                if time.monotonic() < stop:
                    fuzzer.one_file(file)
                    if (file + 1) % 50 == 0:
                        fuzzer.say("[%d s] %s" % (time.monotonic() - start, fuzzer.last_line()))

            numbers = (f for f in itertools.count(o.from_file) if o.language in (None, language_of(f)))
            harness.parallel(one, list(itertools.islice(numbers, (o.cases + CASES - 1) // CASES)), o.jobs)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for file, number, what in fuzzer.failures:
        print("failed: seed %s file %d case %d: %s" % (o.seed, file, number, what.split("\n")[0]))
    print(fuzzer.last_line())
    return 1 if fuzzer.failures or fuzzer.refused else 0


def keep(o):
    """Write a file's program and what it has to print on two threads."""
    language = language_of(o.file)
    cases = [c for c in cases_of(o.seed, o.file) if o.case is None or c.number == o.case]
    os.makedirs(o.out, exist_ok=True)
    path = os.path.join(o.out, "seed%s-file%d%s" % (o.seed, o.file, LANGUAGE_TABLE[language]["suffix"]))
    with open(path, "w", encoding="utf-8") as f:
        f.write(run_cases.program(cases, language))
    env = {"OMP_NUM_THREADS": "2"}
    with open(path + ".expected", "w", encoding="utf-8") as f:
        f.write("\n".join(run_cases.Expectations(cases, language).lines(env).values()) + "\n")
    print(path)


if __name__ == "__main__":
    sys.exit(main())
