#!/usr/bin/env python3
"""Runs the project's tests, all groups or those named, and counts them in the last line.

    test/run.py [GROUP...] [--filter REGEX] [--jobs N] [--list] [--hosts posix,ghc,around] [--verbose]
    test/run.py --sample 3 [--seed N] ...
    test/run.py --all
    test/run.py [unit] [conformance] --emulate aarch64 ...
    test/run.py machines ...

Groups: unit, explore, conformance, clang, tsan, abi, hostile, hs, should-fail, suite (libgomp's own), and one for each
other folder of test/ that has executable scripts. docs/internals/testing.md says what each is and which directives a
test's header may have. This file only finds tests and defines what passing means for each group; harness.py
runs them, sample.py chooses a part of them, haskell.py has the groups `hs` and `should-fail`,
suites/libgomp/suite.py is the group `suite`, virtual.py the group `machines`. `packages`, `timing`, the tests that
judge by time, and `machines` run where they are named, and with --all. test/scripts/driver_test.py is the test of this
file.

The last line is `N passed, N failed, N skipped`; exit status 1 on a failure or when nothing passed or failed.
"""

import collections
import concurrent.futures
import contextlib
import functools
import glob
import os
import re
import shutil
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "suites", "libgomp")]

import arguments  # noqa: E402
import around  # noqa: E402
import harness  # noqa: E402
import haskell  # noqa: E402
import races  # noqa: E402
import suite  # noqa: E402
from harness import DEEP, FAIL, PASS, SKIP  # noqa: E402

ROOT = harness.ROOT
SERIAL = {"stress", "hs", "timing"}  # their tests load the machine, run many tests themselves, or need it quiet
# An example may be the first thing that builds the library.
LIMITS = {"unit": 60, "conformance": 60, "stress": 300, "examples": 900, "explore": 60, "packages": 600}
DEEP_LIMIT = 3600  # of an exploration with GHCOMP_DEEP=1
SCRIPT_LIMIT = 120
COMPILERS = {".c": "gcc", ".cc": "g++", ".f90": "gfortran"}
LLVM = 19  # the version whose programs are tested where --llvm names no other one (tools/multi-clang.sh)
CLANG = {}  # the compilers by a file's ending: use_llvm
# A sanitizer's report must end the test, with an exit status that is not that of a skip.
SANITIZER_ENV = {
    "asan": {
        "ASAN_OPTIONS": "exitcode=99:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1:exitcode=99",
    },
    "tsan": {"TSAN_OPTIONS": "halt_on_error=1:exitcode=99:second_deadlock_stack=1:atexit_sleep_ms=0"},
}
SKIPPED = 77
# In the order in which they run: `hs` goes first, since it builds the library, and runs one test at a time, while the
# other groups have the second CPU. driver_test.py looks that these are all.
WITH_CABAL = "hs examples docs ompt should-fail install".split()
LAST = ["container", "stress", "hostile", "deep", "timing", "machines"]
COUNTED = {"hs", "suite", "should-fail", "tsan", "explore"}  # their tests have no directives
EMULATED = {"unit", "conformance"}
LIMITING = {"container", "fault", "hostile", "input"}  # their scripts limit processes and threads themselves
PACKAGED, VIRTUAL, TIMING = "packages", "machines", "timing"  # run where they are named, and with --all


def use_llvm(version):
    flang = "flang-new-%d" if version < 20 else "flang-%d"
    CLANG.update({".c": "clang-%d" % version, ".cc": "clang++-%d" % version, ".f90": flang % version})


def script_groups():
    """Folders of test/ that hold executable scripts and are not groups of another kind."""
    found = {
        os.path.basename(os.path.dirname(path))
        for path in glob.glob(os.path.join(HERE, "*", "*"))
        if path.endswith((".sh", ".py")) and os.access(path, os.X_OK)
    }
    found -= {"unit", "conformance", "clang", "abi", "hostile", "hs", "should-fail", "suites", "explore", "tsan"}
    found -= {TIMING, PACKAGED}
    # Hours of sanitizers and valgrind (make check-deep).
    return sorted(found if DEEP else found - {"deep"})


def all_groups():
    first = ["unit", "explore", "conformance", "clang", "tsan", "abi"]
    return first + script_groups() + ["hostile", "hs", "should-fail", "suite"]


class Item:
    """One test: its name, and a function that returns (result, detail, output). header: its directives, where they say
    that it judges by time."""

    def __init__(self, name, function, header=None):
        self.name, self.function = name, function
        self.timing = header is not None and header.timing
        self.timing_part = header is not None and header.timing_part


def relative(path):
    return os.path.relpath(path, ROOT)


def verdict(done, limit, header=None, ours=True):
    """The result of an outcome under a test's header."""
    want = header.exit if header else 0
    if not done.timed_out and done.rc == SKIPPED and want != SKIPPED:
        return SKIP, done.last_words(), ""
    if done.timed_out or done.rc != want:
        expected = ", expected %d" % want if want else ""
        return FAIL, done.ending(limit) + expected, done.text()
    for regex in (header.stdout if header else []):
        if not regex.search(done.out):
            return FAIL, "stdout does not match `%s`" % regex.pattern, done.text()
    for regex in (header.stderr if header and ours else []):
        if not regex.search(done.err):
            return FAIL, "stderr does not match `%s`" % regex.pattern, done.text()
    return PASS, "", ""


def repeated(argv, header, env, ours=True, cwd=None, haskell=None, slower=1, run=harness.run):
    """Run the test `repeat:` times; the first that does not pass decides. haskell: a build folder, whose libaround.so
    is to be around it. slower: what the test's limit is multiplied by. run: harness.run or harness.until_room."""
    limit = header.limit * slower
    for turn in range(header.repeat):
        with around.Run(haskell) if haskell else contextlib.nullcontext() as process:
            command = process.command(argv) if haskell else argv
            done = run(command, limit, env=env, ulimits=header.ulimits, cwd=cwd)
            result, detail, output = verdict(done, limit, header, ours)
            problem = process.problem(done) if haskell and result == PASS else None
            if problem:
                result, detail, output = FAIL, problem, done.text()
        if result != PASS:
            return result, detail + (" (run %d of %d)" % (turn + 1, header.repeat) if turn else ""), output
    return PASS, "", ""


# ------------------------------------------------------------------------------------------------------------
# The groups


def unit(options):
    """test/unit/NAME.c as build/VARIANT/test/NAME, for each variant of its own or else of the machine: asan and tsan,
    which `make unit-tests` builds, or plain on another architecture (`make check-aarch64`)."""
    no_aslr = []
    if (
        shutil.which("setarch")
        and subprocess.run(["setarch", "-R", "true"], stderr=subprocess.DEVNULL).returncode == 0
    ):
        # ThreadSanitizer needs fixed address ranges, which strong address randomisation may occupy.
        no_aslr = ["setarch", "-R"]
    for source in sorted(glob.glob(os.path.join(ROOT, "test", "unit", "*.c"))):
        name = os.path.basename(source)[:-2]
        try:
            header = harness.Header(source, LIMITS["unit"])
        except harness.TestError as e:
            yield Item("unit/" + name, lambda e=e: (FAIL, str(e), ""))
            continue
        for variant in header.variants or options.machine.variants:
            exe = os.path.join(options.build, variant, "test", name)

            def function(header=header, exe=exe, variant=variant, name=name):
                if not os.path.exists(exe):
                    return FAIL, "%s is not built: run `make unit-tests`" % relative(exe), ""
                env = dict(SANITIZER_ENV.get(variant, {}))
                env.update(header.env)
                part, why = options.machine.without("unit/" + name)
                if part:
                    env["UNIT_WITHOUT"] = part
                    print("unit/%s [%s] is run %s" % (name, variant, why))
                command, env = options.machine.command([exe], harness.clean_env(env))
                return repeated(
                    (no_aslr if variant == "tsan" else []) + command, header, env, slower=options.machine.slower
                )

            yield Item("unit/%s [%s]" % (name, variant), function, header)


def explore(options):
    """test/explore/NAME.c: the harness, whose property must hold, and its mutants, whose defects must be found."""
    script = os.path.join(HERE, "explore", "run.py")
    listed = subprocess.run([script, "--list"], stdout=subprocess.PIPE, text=True, check=True)
    build = {"BUILD": relative(options.build)}

    @functools.lru_cache(maxsize=None)
    def ready():
        return harness.run([script, "--ready"], LIMITS["explore"], cwd=ROOT, env=harness.clean_env(build))

    for words in map(str.split, listed.stdout.splitlines()):

        def function(words=words):
            limit = DEEP_LIMIT if DEEP and len(words) == 1 else LIMITS["explore"]
            env = dict(build)
            if DEEP and len(words) == 1:
                env["GHCOMP_DEEP"] = "1"
            if ready().rc != 0:
                return verdict(ready(), LIMITS["explore"])
            done = harness.run([script, "--asked"] + words, limit, cwd=ROOT, env=harness.clean_env(env))
            result, detail, output = verdict(done, limit)
            if options.verbose and result == PASS:
                print(done.out, end="")
            return result, detail, output

        yield Item("explore/%s%s" % (words[0], " [%s]" % words[1] if len(words) > 1 else ""), function)


def packages(options):
    """The rows of test/packages/packages.tsv: programs of Debian's packages, on libgomp and on the drop-in."""
    script = os.path.join(HERE, PACKAGED, "run.py")
    listed = subprocess.run([script, "--list"], stdout=subprocess.PIPE, text=True, check=True)
    for name in listed.stdout.split():

        def function(name=name):
            limit = LIMITS[PACKAGED]
            env = harness.clean_env({"BUILD": relative(options.build)})
            return verdict(harness.until_room([script, name], limit, cwd=ROOT, env=env), limit)

        yield Item("packages/" + name, function)


def programs(options, folder, compilers=COMPILERS, prefix="", system="libgomp"):
    """OpenMP programs below `folder`: compiled with -fopenmp, run on the compiler's own runtime, `system`, and on the
    drop-in with each host."""
    for source in sorted(glob.glob(os.path.join(folder, "**", "*"), recursive=True)):
        extension = os.path.splitext(source)[1]
        if extension not in compilers:
            continue
        name = prefix + os.path.relpath(source, HERE)
        compiler = options.machine.compiler(compilers[extension])
        try:
            header = harness.Header(source, LIMITS["conformance"])
        except harness.TestError as e:
            yield Item(name, lambda e=e: (FAIL, str(e), ""))
            continue
        if header.ghcomp_only is None:
            yield Item(
                "%s [%s]" % (name, system),
                lambda s=source, h=header, c=compiler: run_program(options, s, h, None, c),
                header,
            )
        for host in ordered_union(header.hosts or ["posix"], options.hosts):
            yield Item(
                "%s [%s]" % (name, host),
                lambda s=source, h=header, host=host, c=compiler: run_program(options, s, h, host, c),
                header,
            )


def clang(options):
    """Programs that call libomp's entries, on libomp and on the drop-in; and the conformance programs compiled by
    clang and flang, on the drop-in alone; but for those that are none for this clang, or that its libomp fails."""
    excuses = clang_excuses(options.llvm or LLVM)
    for item in programs(options, os.path.join(HERE, "clang"), CLANG, system="libomp"):
        if item.name not in excuses and item.name.partition(" [")[0] not in excuses:
            yield item
    for item in programs(options, os.path.join(HERE, "conformance"), CLANG, "clang/", "libomp"):
        name = item.name.partition(" [")[0]
        if not item.name.endswith("[libomp]") and name.replace("clang/", "", 1) not in excuses:
            yield item


def clang_excuses(version=LLVM):
    """{program: why it is none for that clang}: test/clang/excused.txt has a line for each, `PROGRAM [RANGE] REASON`.
    `PROGRAM[libomp]`: on libomp alone. RANGE: llvm<=N or llvm>=N."""
    excuses = {}
    with open(os.path.join(HERE, "clang", "excused.txt"), encoding="utf-8") as f:
        for line in f:
            words = re.match(r"([^\s\[]+)(\[libomp\])? (?:\[llvm([<>])=(\d+)\] )?(.*)", line)
            if not words:
                raise harness.TestError("test/clang/excused.txt has a line without a reason: " + line.strip())
            name, libomp, less, bound, reason = words.groups()
            if less is None or (version <= int(bound) if less == "<" else version >= int(bound)):
                excuses[name + (" [libomp]" if libomp else "")] = reason
    return excuses


@functools.lru_cache(maxsize=None)
def exported(dropin):
    """OpenMP symbols of clang's code that the drop-in exports."""
    return frozenset(s.partition("@")[0] for s in harness.dynamic_symbols(dropin, False) if s.endswith("@VERSION"))


def missing_symbols(exe, dropin):
    """OpenMP symbols that a program of clang's needs and the drop-in does not export."""
    need = {s.partition("@")[0] for s in harness.dynamic_symbols(exe, True) if s.endswith("@VERSION")}
    return sorted(need - exported(dropin))


def ordered_union(first, second):
    return list(dict.fromkeys(list(first) + list(second)))


def compiled(options, source, header, compiler):
    """(the program, or None; the compiler's output)"""
    folder = os.path.dirname(source)
    include = os.path.join(ROOT, "cbits", "include")
    argv = (
        [compiler, source, "-O2", "-g", "-fopenmp", "-I" + folder, "-I" + include]
        + header.cflags
        + header.ldflags
    )
    inputs = [source] + sorted(
        glob.glob(os.path.join(folder, "*.h")) + glob.glob(os.path.join(include, "*.h"))
    )
    inputs += glob.glob(os.path.join(os.path.dirname(folder), "*.h"))
    name = os.path.relpath(source, HERE).replace(os.sep, "_")
    if compiler in CLANG.values():
        argv += ["-w", "-Wl,-z,lazy", "-latomic"]
    if compiler == CLANG[".f90"]:
        # It takes no option for a single warning.
        argv = [word for word in argv if not word.startswith("-Wno-")]
    with compile_lock(source):
        return harness.compile_cached(argv, inputs, os.path.join(options.build, "test", "programs"), name)


def run_program(options, source, header, host, compiler):
    if harness.compiler_version(compiler) is None:
        return SKIP, "no %s here" % compiler, ""
    exe, log = compiled(options, source, header, compiler)
    if exe is None:
        return FAIL, "does not compile", log
    env = dict(header.env)
    if host is not None:
        dropin = os.path.join(options.build, "dropin")
        if not os.path.exists(os.path.join(dropin, "libgomp.so.1")):
            return FAIL, "%s/libgomp.so.1 is not built: run `make`" % relative(dropin), ""
        if host == around.HOST:
            why = around.absent(options.build)
            if why:
                return SKIP, why, ""
        if host == "ghc" and not glob.glob(os.path.join(dropin, "libghcomp_rts*")):
            return SKIP, "the companion with GHC's RTS is not built here", ""
        other = options.machine.loaded(exe, dropin)
        if other:
            return FAIL, "the loader does not take the drop-in", other
        missing = missing_symbols(exe, os.path.join(dropin, "libgomp.so.1")) if compiler in CLANG.values() else []
        if missing:
            return FAIL, "needs %s, which the drop-in does not have" % " ".join(missing), ""
        env["LD_LIBRARY_PATH"] = dropin
        env.setdefault("GHCOMP_HOST", "auto" if host == around.HOST else host)
    haskell = options.build if host == around.HOST else None
    command, env = options.machine.command([exe], harness.clean_env(env))
    return repeated(
        command, header, env, ours=host is not None, haskell=haskell, slower=options.machine.slower
    )


_locks = {}
_locks_guard = threading.Lock()


def compile_lock(source):
    """libgomp's and our run of a program share its compilation."""
    with _locks_guard:
        return _locks.setdefault(source, threading.Lock())


def abi(options):
    """The committed table against the built objects, the scripts and the programs of test/abi."""
    tool = os.path.join(ROOT, "tools", "abi.py")
    if os.path.exists(tool):

        def function():
            done = harness.run([sys.executable, tool, "check"], SCRIPT_LIMIT, cwd=ROOT)
            return verdict(done, SCRIPT_LIMIT)

        yield Item("abi/tools/abi.py check", function)
    yield from scripts("abi", options)
    yield from programs(options, os.path.join(HERE, "abi"))


def scripts(group, options):
    """Executables test/GROUP/*.sh and *.py, run in the repository's root."""
    for path in sorted(
        glob.glob(os.path.join(HERE, group, "*.sh")) + glob.glob(os.path.join(HERE, group, "*.py"))
    ):
        name = "%s/%s" % (group, os.path.basename(path))
        if not os.access(path, os.X_OK):
            with open(path, "rb") as f:
                if f.read(2) == b"#!":
                    yield Item(name, lambda: (FAIL, "is not executable, so that it would never run", ""))
            continue

        try:
            header = harness.Header(path, LIMITS.get(group, SCRIPT_LIMIT))
        except harness.TestError as e:
            yield Item(name, lambda e=e: (FAIL, str(e), ""))
            continue

        def function(path=path, header=header):
            env = {"BUILD": relative(options.build)}
            env.update(header.env)
            run = harness.run if group in LIMITING else harness.until_room
            return repeated([path], header, harness.clean_env(env), cwd=ROOT, run=run)

        yield Item(name, function, header)


def items(group, options, report):
    if group == "unit":
        return list(unit(options))
    if group == "explore":
        return list(explore(options))
    if group == "conformance":
        return list(programs(options, os.path.join(HERE, "conformance")))
    if group == "clang":
        return list(clang(options))
    if group == "tsan":
        return [Item(*test) for test in races.tests(options, COMPILERS, CLANG, verdict,
                                                   clang_excuses(options.llvm or LLVM))]
    if group == "abi":
        return list(abi(options))
    if group == "hostile":
        return list(programs(options, os.path.join(HERE, "hostile"))) + list(scripts("hostile", options))
    if group == "hs":
        return [Item(*test) for test in haskell.hs(options, report)]
    if group == "should-fail":
        return [Item(*test) for test in haskell.should_fail(options, verdict)]
    if group == TIMING:
        found = [i for g in all_groups() if g not in COUNTED for i in items(g, options, report)]
        return list(scripts(TIMING, options)) + [i for i in found if i.timing or i.timing_part]
    if group == PACKAGED:
        return list(packages(options))
    if group == "input":
        return list(scripts(group, options)) + list(programs(options, os.path.join(HERE, "input", "api")))
    return list(scripts(group, options))


def run_group(group, options, report):
    if group == VIRTUAL:
        import virtual  # it needs tools/, which a tree of tests alone has not

        virtual.run(options, report, functools.partial(compiled, options), verdict)
        return
    if group == "suite":
        options.limit = suite.DEFAULT_LIMIT
        try:
            suite.Suite(options, report).run()
        except harness.Skip as e:
            report.add("suite", SKIP, str(e))
        except SystemExit as e:
            report.add("suite", FAIL, str(e))
        return
    every = items(group, options, report)
    kept = options.sample.of(
        # Conformance programs have their test in each run by gcc; clang compiles a third of them. The unit tests of a
        # run share one build of the runtime.
        [i.name for i in every],
        whole=group != "tsan",
        together=lambda name: name.startswith("clang/conformance/"),
        alike=group == "unit",
    )
    chosen = [i for i in every if i.name in kept and (group == TIMING or not i.timing)]
    chosen = [i for i in chosen if not options.filter or re.search(options.filter, i.name)]
    if options.list:
        for item in chosen:
            print(item.name)
        return

    def one(item):
        cannot = options.machine.cannot_run(item.name)
        try:
            with report.costs.test(group, item.name):
                result = (SKIP, cannot, "") if cannot else item.function()
        except harness.Skip as e:
            result = SKIP, str(e), ""
        except harness.TestError as e:
            result = FAIL, str(e), ""
        if result is not None:
            report.add(item.name, *result)

    with timing_asked(group == TIMING):
        harness.parallel(one, chosen, 1 if group in SERIAL else options.jobs)
    options.seen.update(i.name for i in every)


@contextlib.contextmanager
def timing_asked(asked):
    """TEST_TIMING=1 runs a test's parts that judge by time."""
    os.environ.pop("TEST_TIMING", None)
    if asked:
        os.environ["TEST_TIMING"] = "1"
    try:
        yield
    finally:
        os.environ.pop("TEST_TIMING", None)


def run_whole_group(group, options, report):
    report.apart = group if group in (TIMING, VIRTUAL) else None
    with report.costs.group(group):
        run_group(group, options, report)
    if group in report.counts:
        print("%s: %d passed, %d failed, %d skipped" % ((group,) + tuple(report.counts[group])))
        sys.stdout.flush()


def run_groups(options, report):
    """Two lanes at a time: one begins with the first of the groups that may build with cabal, alone with cabal's build
    folder, the other with those that do not. Then each takes what is left of both. After them those that fill the
    machine."""
    report.sample = options.sample.options()
    builders = [g for g in WITH_CABAL if g in options.groups and not options.list]
    last = [g for g in options.groups if g in LAST]
    others = collections.deque(g for g in options.groups if g not in builders + last)
    first, then = collections.deque(builders[:1]), collections.deque(builders[1:])
    built = threading.Event()

    def build():
        try:
            run_in_turn(options, report, first)
        finally:
            built.set()
        run_in_turn(options, report, then, others)

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        lane = pool.submit(build)
        run_in_turn(options, report, others)
        built.wait()
        run_in_turn(options, report, then)
        lane.result()
    run_in_turn(options, report, collections.deque(last))


def run_in_turn(options, report, *queues):
    """The groups of these queues, of which the other lane may take some at the same time."""
    for queue in queues:
        while queue:
            try:
                group = queue.popleft()
            except IndexError:  # the other lane has taken the last one
                break
            run_whole_group(group, options, report)


def main():
    options = arguments.parse(__doc__.split("\n\n")[0], all_groups(), [PACKAGED, TIMING, VIRTUAL], EMULATED)
    use_llvm(options.llvm or LLVM)
    harness.kill_tests_on_signals()
    harness.unwrap_python()
    report = harness.Report(options.verbose)
    if options.sample.parts > 1 and not options.list:
        print("seed %d: one in %d combinations" % (options.sample.seed, options.sample.parts))
    try:
        run_groups(options, report)
    except harness.NoProcess as e:
        report.add("the run", FAIL, "%s; what comes after this is not run" % e)
    if options.list:
        return 0
    if set(options.groups) == EMULATED:
        for name in options.machine.check(options.seen):
            report.add(name, FAIL, "is listed in test/emulated, but there is no such test")
    if report.failures:
        print("failed:")
        for name, detail in report.failures[: harness.TAIL_LINES]:
            print("  %s: %s" % (name, detail))
        if len(report.failures) > harness.TAIL_LINES:
            print("  and %d more" % (len(report.failures) - harness.TAIL_LINES))
    if report.passed + report.failed == 0:
        print("nothing ran")
    if options.costs:
        report.costs.save(options.costs)
    for line in report.costs.lines():
        print(line)
    print(report.last_line())
    return 1 if report.failed or report.passed + report.failed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
