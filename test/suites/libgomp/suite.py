#!/usr/bin/env python3
"""Runs libgomp's own test suite (Debian package gcc-NN-source, NN being gcc's version) on libgomp and on our
drop-in.

Each runnable test (sources.py) is compiled once, against the system's libgomp, and run on the system's libgomp (the
reference) and on build/dropin. A test is in scope when its program needs no symbol that cbits/abi/abi.tsv
lists as `planned` or does not list. In-scope tests must do on the drop-in what their directives ask for, in each
configuration (matrix.py); expected-failures.txt lists the exceptions and may only shrink. Called by test/run.py
(group `suite`) and by hand; docs/internals/testing.md has the options. test/scripts/suite_test.py is the test of this
file.
"""

import argparse
import collections
import contextlib
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(os.path.dirname(HERE)), HERE]

import around  # noqa: E402
import harness  # noqa: E402
import matrix  # noqa: E402
import sample  # noqa: E402
import sources  # noqa: E402
import stacks  # noqa: E402

DEFAULT_LIMIT = 60.0
COMPILE_LIMIT = 300.0
PORTION = 1000  # runs between two lines that say how far it is
# Undefined symbols of these shapes come from the runtime; others do not.
RUNTIME_SYMBOL = re.compile(r"^(GOMP_|omp_|GOACC_|acc_|__kmpc_|kmp_)")


def say(text):
    print(text)
    sys.stdout.flush()


def undefined(exe):
    """The program's undefined dynamic symbols, without their versions."""
    return {symbol.partition("@")[0] for symbol in harness.dynamic_symbols(exe, True)}


# ------------------------------------------------------------------------------------------------------------
# Scope and expectations


def claimed_symbols(path):
    """Symbols whose row in abi.tsv is not `planned`."""
    claimed = set()
    with open(path, encoding="utf-8") as f:
        header = None
        for line in f:
            if not line.strip() or line.startswith("#"):
                continue
            row = line.rstrip("\n").split("\t")
            if header is None:
                header = row
                continue
            cells = dict(zip(header, row))
            if cells["status"] != "planned":
                claimed.add(cells["symbol"])
    if not claimed:
        raise SystemExit("ghc-openmp: %s: no row has a status other than `planned`" % path)
    return claimed


def read_list(path, version):
    """{test name: reason} of a list file: a name, white space, a reason; `#` opens a comment line. A reason that opens
    with `gcc>=NN` is for the suites from that version on."""
    out = {}
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            m = re.match(r"(\S+)\s+(?:gcc>=(\d+)\s+)?(?!gcc>=)(\S.*)$", line)
            if not m:
                raise SystemExit(
                    "ghc-openmp: %s:%d: a line is a test's name, perhaps gcc>=NN, and a reason" % (path, number)
                )
            if version >= int(m.group(2) or 0):
                out[m.group(1)] = m.group(3)
    return out


# ------------------------------------------------------------------------------------------------------------
# One run


def ordinary_user():
    """The command before a program that root starts: alloc-pinned-*.c need a limit on locked memory that applies."""
    words = ["setpriv", "--bounding-set=-ipc_lock"]
    if os.geteuid() != 0 or shutil.which(words[0]) is None:
        return []
    # A container's root may not be allowed to give anything up.
    done = subprocess.run(words + ["true"], stderr=subprocess.DEVNULL, check=False)
    return words if done.returncode == 0 else []


def run_one(test, config, limit, prefix=(), build=None):
    """None when the program did what its directives ask for, else (what was wrong, its output)."""
    env = dict(config.env)
    env.update(test.case.env)
    seconds = max(limit, test.case.timeout or 0) * test.case.timeout_factor
    with contextlib.ExitStack() as stack:
        scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="ghcomp-suite-"))
        argv = [test.exe]
        if config.around:
            haskell = stack.enter_context(around.Run(build))
            argv = haskell.command(argv)
        done = harness.run(list(prefix) + argv, seconds, env=harness.clean_env(env), cwd=scratch, merge=True)
        problem = judge_run(test, done, seconds)
        if config.around and problem is None:
            without = haskell.problem(done)
            problem = (without, done.out) if without else None
    return problem


def judge_run(test, done, seconds):
    """run_one's answer for a run that has ended, without the check of the process around it."""
    if done.timed_out:
        return done.ending(seconds), done.text()
    if done.rc == 0 and test.case.should_fail:
        return "exit status 0, but the test must fail", done.out
    if done.rc != 0 and not test.case.should_fail:
        return done.ending(seconds), done.out
    pattern = test.case.pattern()
    if pattern and not pattern.search(done.out):
        return "the output does not match its dg-output", done.out
    return None


def last_line(output):
    """The program's last words, to tell failures of one kind apart at a glance."""
    lines = [line.strip() for line in output.partition(stacks.MARK)[0].splitlines() if line.strip()]
    return ": " + lines[-1][-100:] if lines else ""


class Reference:
    """Passes of libgomp that need no second run: keyed by the program, the library and the configuration."""

    def __init__(self, path, library):
        self.path = path
        self.library = harness.file_digest(library) if library else ""
        self.lock = threading.Lock()
        self.passed = dict.fromkeys(self.read(path), True)

    def key(self, test, config):
        return " ".join([os.path.basename(test.exe), self.library, config.label])

    def knows(self, test, config):
        return self.key(test, config) in self.passed

    def keep(self, test, config):
        with self.lock:
            self.passed[self.key(test, config)] = True

    def save(self):
        # Another run with this cache may have added to the file since.
        harness.write_json(self.path, sorted(set(self.passed) | set(Reference.read(self.path))))

    @staticmethod
    def read(path):
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as f:
            return json.load(f)


def system_libgomp():
    p = subprocess.run(
        ["gcc", "-print-file-name=libgomp.so.1"], stdout=subprocess.PIPE, text=True, check=True
    )
    for path in [p.stdout.strip()] + glob.glob("/usr/lib/*/libgomp.so.1"):
        if os.path.isabs(path) and os.path.exists(path):
            return os.path.realpath(path)
    raise harness.Skip("the system has no libgomp.so.1 (apt-get install libgomp1)")


# ------------------------------------------------------------------------------------------------------------
# The whole suite


class Suite:
    def __init__(self, options, report):
        self.o, self.report = options, report
        self.build = os.path.abspath(options.build)
        self.dropin = os.path.join(self.build, "dropin")
        self.cache = os.path.abspath(options.cache or os.path.join(self.build, "suites", "libgomp"))
        self.counts = collections.OrderedDict()
        self.lazily = False
        self.prefix = ordinary_user()

    def compile(self, tests_folder, tests):
        missing = {t.compiler for t in tests if harness.compiler_version(t.compiler) is None}
        for compiler in sorted(missing):
            n = sum(t.compiler == compiler for t in tests)
            self.report.add(
                "suite/" + compiler, harness.SKIP, "no %s here: %d tests left out" % (compiler, n)
            )
        tests = [t for t in tests if t.compiler not in missing]
        headers = sources.includable(tests_folder)
        broken = []

        def one(test):
            name = re.sub(r"[^\w.+-]+", "_", test.name)
            with self.report.costs.test("suite", "compile suite/" + test.name):
                test.exe, log = harness.compile_cached(
                    test.command(tests_folder),
                    sources.inputs_of(test.sources(), headers),
                    os.path.join(self.cache, "bin"),
                    name,
                    COMPILE_LIMIT,
                )
            if test.exe:
                test.needs = {s for s in undefined(test.exe) if RUNTIME_SYMBOL.match(s)}
            else:
                broken.append((test.name, log))

        harness.parallel(one, tests, self.o.jobs)
        return [t for t in tests if t.exe], sorted(broken)

    def run_side(self, side, pairs, reference):
        """Run each of `pairs` of a test and a configuration, --repeat times on our side, into test.results[side]."""

        def one(pair):
            test, config = pair
            cached = side == "libgomp" and not self.o.fresh and reference.knows(test, config)
            with self.report.costs.test("suite", "suite/%s [%s]" % (test.name, config.label)):
                problem = None if cached else run_one(test, config, self.o.limit, self.prefix, self.build)
            result = test.results.setdefault(side, {}).setdefault(config.label, matrix.Result())
            result.add(problem)
            if side == "libgomp" and problem is None:
                reference.keep(test, config)
            if problem and self.o.verbose:
                say("%s %s [%s]: %s" % (side, test.name, config.label, problem[0]))

        # Round after round: a run that is interrupted, or watched, has seen every test early.
        todo = pairs * (self.o.repeat if side == "ghcomp" else 1)
        total = len(todo)
        for start in range(0, total, PORTION):
            harness.parallel(one, todo[start : start + PORTION], self.o.jobs)
            if total > PORTION:
                say("%s: %d of %d runs" % (side, min(start + PORTION, total), total))

    def configs(self, side):
        o = self.o
        return matrix.configurations(side, o.hosts, o.threads, o.wait_policy, self.dropin, o.barrier, o.libraries)

    def run(self):
        o = self.o
        folder = sources.unpack(self.build, o.tests or sources.gcc_major())
        library = system_libgomp()
        only = re.compile(o.filter) if o.filter else None
        sampled = o.sample.parts > 1
        # Compiling is four fifths of the suite's time, and the runtime's part of a program is the same without -O2.
        tests, left_out = sources.gather(folder, only, optimised=not sampled)
        tests = [t for t in tests if o.sample.has("suite/" + t.name)]
        if o.list:
            for t in tests:
                print("suite/" + t.name)
            return
        compiled, broken = self.compile(folder, tests)
        # A program that needs nothing from the runtime would pass on any: it tests none.
        tests = [t for t in compiled if t.needs]
        idle = len(compiled) - len(tests)
        claimed = claimed_symbols(o.abi)
        for t in tests:
            t.out_of_scope = sorted(t.needs - claimed)
        scope = [t for t in tests if not t.out_of_scope]
        expected = read_list(os.path.join(HERE, "expected-failures.txt"), sources.gcc_major())

        sides = [
            s for s in ("libgomp", "ghcomp") if o.only in (None, {"libgomp": "libgomp", "ghcomp": "ours"}[s])
        ]
        if "ghcomp" in sides and not self.dropin_is_ready(scope):
            return
        # The matrix and a sample run on ours: libgomp only runs the tests that failed.
        self.lazily = (o.matrix or sampled) and "ghcomp" in sides
        reference = Reference(os.path.join(self.cache, "reference.json"), library)
        ours = self.configs("ghcomp") if "ghcomp" in sides else []
        if "libgomp" in sides and not self.lazily:
            self.run_side("libgomp", [(t, c) for c in self.configs("libgomp") for t in tests], reference)
        if "ghcomp" in sides:
            self.run_side("ghcomp", [(t, c) for c in ours for t in scope], reference)
        if "libgomp" in sides and self.lazily:
            asked = {c.label: c for c in self.configs("libgomp")}
            failed = [(t, c.reference) for c in ours for t in scope if t.results["ghcomp"][c.label].problem]
            self.run_side("libgomp", [(t, asked[label]) for t, label in dict.fromkeys(failed)], reference)
        if "libgomp" in sides:
            reference.save()

        judged = "ghcomp" if "ghcomp" in sides else "libgomp"
        for t in scope if judged == "ghcomp" else tests:
            self.judge(t, judged, expected)
        for name, log in broken:
            self.report.add("suite/" + name, harness.FAIL, "does not compile", log)
        if not only and not sampled:
            self.check_list(tests, expected)
        self.summary(tests, scope, idle, broken, left_out, sides)
        self.save(tests, broken, left_out)
        for line in matrix.table(scope, [c.label for c in ours]):
            say(line)

    def dropin_is_ready(self, scope):
        """Whether there is a host to run on; ends the run when there is no drop-in or the loader doesn't take it."""
        if not os.path.exists(os.path.join(self.dropin, "libgomp.so.1")):
            raise SystemExit("ghc-openmp: %s/libgomp.so.1 is not built: run `make`" % self.dropin)
        other = harness.other_libgomp(scope[0].exe, self.dropin) if scope else None
        if other:
            raise SystemExit(
                "ghc-openmp: the loader does not take the drop-in for %s: %s" % (scope[0].exe, other)
            )
        if "ghc" in self.o.hosts and not glob.glob(os.path.join(self.dropin, "libghcomp_rts*")):
            self.report.add("suite/host ghc", harness.SKIP, "the companion with GHC's RTS is not built here")
            self.o.hosts = [h for h in self.o.hosts if h != "ghc"]
        if around.HOST in self.o.hosts:
            self.around_is_ready()
        return bool(self.o.hosts)

    def around_is_ready(self):
        """Leaves the host out where it can't be built; ends the run when it does not work."""
        why = around.absent(self.build)
        if why:
            self.report.add("suite/host around", harness.SKIP, why)
            self.o.hosts = [h for h in self.o.hosts if h != around.HOST]
            return
        trouble = around.trouble(self.build)
        if trouble:
            raise SystemExit("ghc-openmp: the host `around` does not work: " + trouble)

    def judge(self, test, side, expected):
        problems = {c: r for c, r in test.results[side].items() if r.problem}
        name = "suite/" + test.name
        if not problems:
            if side == "ghcomp" and test.name in expected:
                self.report.add(
                    name, harness.FAIL, "passes, but expected-failures.txt lists it: remove the line"
                )
            else:
                self.report.add(name, harness.PASS)
            return
        if side == "ghcomp" and test.name in expected:
            self.report.add(name, harness.SKIP, "expected failure: " + expected[test.name])
            return
        # libgomp's failure excuses ours in the same configuration alone.
        theirs = test.results.get("libgomp", {}) if side == "ghcomp" else {}
        excused = {c: theirs[matrix.reference_label(c)] for c in problems if matrix.reference_label(c) in theirs}
        excused = {c: r for c, r in excused.items() if r.problem}
        for c in excused:
            test.results[side][c].excused = True
        if len(excused) == len(problems):
            self.report.add(
                name, harness.SKIP, "fails here on libgomp too: " + excused[min(excused)].problem[0]
            )
            return
        left = sorted(((c, r) for c, r in problems.items() if c not in excused), key=lambda pair: pair[0])
        config, result = left[0]
        what, output = result.problem
        what += result.how_often() + last_line(output)
        if len(left) > 1:
            what += " (and in %d more configurations)" % (len(left) - 1)
        on = "on libgomp " if side == "libgomp" else ""
        self.report.add(name, harness.FAIL, "%s[%s]: %s" % (on, config, what), output)

    def check_list(self, tests, expected):
        """A line about a test that no longer exists must be removed."""
        for name in sorted(set(expected) - {t.name for t in tests}):
            self.report.add(
                "suite/" + name, harness.FAIL, "expected-failures.txt names a test that is not run"
            )

    def summary(self, tests, scope, idle, broken, left_out, sides):
        def number(side, among):
            bad = [t for t in among if any(r.problem for r in t.results[side].values())]
            hung = [t for t in bad if any(r.kind() == "H" for r in t.results[side].values())]
            return len(among) - len(bad), len(bad), len(hung)

        c = self.counts
        c["files of the suite"] = len(tests) + idle + len(broken) + len(left_out)
        c["left out: not run, or not for this machine"] = len(left_out)
        c["left out: take nothing from a runtime"] = idle
        c["do not compile"] = len(broken)
        c["runnable"] = len(tests)
        c["  of them common C files, as C++"] = sum(t.name.startswith("libgomp.c++/../") for t in tests)
        c["in scope"] = len(scope)
        if "libgomp" in sides and not self.lazily:
            passed, failed, hung = number("libgomp", tests)
            c["passed on libgomp"] = passed
            c["failed on libgomp"] = failed
            c["  of them hung"] = hung
        if "ghcomp" in sides:
            passed, failed, hung = number("ghcomp", scope)
            c["passed on ours"] = passed
            c["failed on ours"] = failed
            c["  of them hung on ours"] = hung
        say("libgomp's suite:")
        for label, n in c.items():
            say("  %-44s %5d" % (label, n))
        by_symbol = collections.Counter(s for t in tests for s in t.out_of_scope)
        alone = collections.Counter(t.out_of_scope[0] for t in tests if len(t.out_of_scope) == 1)
        say("  %-44s %5d" % ("out of scope", len(tests) - len(scope)))
        for symbol, n in by_symbol.most_common(None if self.o.verbose else 12):
            say("    %-42s %5d   (%d need nothing else)" % (symbol, n, alone[symbol]))
        if not self.o.verbose and len(by_symbol) > 12:
            say("    and %d more symbols (--verbose lists them)" % (len(by_symbol) - 12))

    def save(self, tests, broken, left_out):
        rows = {}
        for t in tests:
            rows[t.name] = {
                "out_of_scope": t.out_of_scope,
                "takes": sorted(t.needs),
                "results": {
                    side: {c: r.text() for c, r in by.items()} for side, by in t.results.items()
                },
            }
        path = os.path.join(self.build, "suites", "libgomp", "results.json")
        harness.write_json(
            path,
            {
                "counts": self.counts,
                "tests": rows,
                "not_run": dict(left_out),
                "do_not_compile": [n for n, _ in broken],
            },
        )
        say("  results: %s" % os.path.relpath(path))


def add_options(p):
    """The options that test/run.py passes on."""
    p.add_argument("--hosts", help="comma list of posix, ghc, auto, around (default: posix)")
    p.add_argument(
        "--threads", help="comma list of OMP_NUM_THREADS values, `unset` for none (default: unset)"
    )
    p.add_argument("--wait-policy", help="comma list of active, passive, unset (default: unset)")
    p.add_argument("--barrier", help="comma list of flat, tree, unset: the drop-in's GHCOMP_BARRIER (default: unset)")
    p.add_argument("--matrix", action="store_true",
                   help="hosts, threads and policies in all combinations, where they are not given")
    p.add_argument("--repeat", type=int, default=1, help="run the drop-in's side of the suite so often")
    p.add_argument("--filter", help="only tests whose name matches this regular expression")
    p.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--build", default=os.environ.get("BUILD", "build"), help="the build folder")
    p.add_argument(
        "--cache", default=os.environ.get("GHCOMP_SUITE_CACHE"), help="where compiled tests are kept"
    )
    p.add_argument("--list", action="store_true", help="print the tests' names and stop")
    p.add_argument("--verbose", "-v", action="store_true")
    p.add_argument(
        "--abi",
        default=os.path.join(harness.ROOT, "cbits", "abi", "abi.tsv"),
        help="the table of symbols that decides what is in scope",
    )
    p.add_argument("--only", choices=["ours", "libgomp"], help="run one side")
    p.add_argument("--tests", type=int, metavar="N", help="the tests of GCC N (default: the compiler's version)")
    p.add_argument("--libraries", metavar="FOLDER",
                   help="the compiler's libraries, where the loader does not find them")
    p.add_argument("--fresh", action="store_true", help="run libgomp's side even where its pass is known")


def finish_options(o):
    if o.repeat < 1:
        raise SystemExit("ghc-openmp: --repeat needs a positive number")
    for name, default, full in (
        ("hosts", ["posix"], matrix.HOSTS),
        ("threads", ["unset"], matrix.THREADS),
        ("wait_policy", ["unset"], matrix.WAIT_POLICIES),
    ):
        value = getattr(o, name)
        setattr(o, name, value.split(",") if value else list(full if o.matrix else default))
    o.barrier = o.barrier.split(",") if o.barrier else ["unset"]
    for barrier in o.barrier:
        if barrier not in matrix.BARRIERS + ["unset"]:
            raise SystemExit("ghc-openmp: --barrier: `%s` is none of flat, tree, unset" % barrier)
    if not hasattr(o, "sample"):
        o.sample = sample.Sample()
    for host in o.hosts:
        if host not in harness.HOSTS:
            raise SystemExit("ghc-openmp: --hosts: `%s` is none of %s" % (host, ", ".join(harness.HOSTS)))
    return o


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    add_options(p)
    p.add_argument("--limit", type=float, default=DEFAULT_LIMIT, help="seconds for a test (default 60)")
    o = finish_options(p.parse_args())
    harness.kill_tests_on_signals()
    report = harness.Report(o.verbose)
    try:
        Suite(o, report).run()
    except harness.Skip as e:
        report.add("suite", harness.SKIP, str(e))
    if o.list:
        return 0
    print(report.last_line())
    return 1 if report.failed or not report.passed else 0


if __name__ == "__main__":
    sys.exit(main())
