"""The group tsan: programs compiled with -fsanitize=thread on the drop-in. A correct program gives no report of
ThreadSanitizer's, a program with a race gives one.

conformance   each program of test/conformance, compiled by gcc, but for those in test/tsan/excused.txt; in deep runs
              by clang, too
pairs         test/tsan/NAME.c is correct; with -DRACY it lacks an order, a lock or a wait. Both by gcc and by clang,
              but for the twins that have no race in gcc's code
archer        some of the pairs with LLVM's Archer as a tool, which says once more what orders the threads
guide         the racy program of docs/guide/tools.md
off           with GHCOMP_TSAN=off a correct program gives reports, because ThreadSanitizer learns nothing

ThreadSanitizer misses a race whose two accesses happen at the very same time, or on the same thread, and clang's loses
up to every second one of two threads that make their first accesses together, with plain POSIX threads, too. So a racy
program has TRIES runs, one of which must give the report. Used by run.py; needs libtsan (gcc) and libclang-rt-19-dev
(clang).
"""

import glob
import os
import shutil
import subprocess

import harness
from harness import DEEP, FAIL, PASS, SKIP

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "tsan")
FLAGS = ["-O1", "-g", "-fopenmp", "-fsanitize=thread", "-w"]
REPORT = "WARNING: ThreadSanitizer"
# A report ends the program. Some programs ask for more memory than there is, and get NULL. By itself ThreadSanitizer
# lets a process that ends beside other threads, as the pool's, sleep for a second.
OPTIONS = "halt_on_error=1:exitcode=99:allocator_may_return_null=1:atexit_sleep_ms=0"
LIMIT, SLOWER, TRIES = 60, 5, 25
ARCHER = "/usr/lib/llvm-19/lib/libarcher.so"
# Archer needs the setting that the runtime's code is not checked, and prints with `verbose` that it runs.
WITH_ARCHER = {
    "OMP_TOOL_LIBRARIES": ARCHER,
    "ARCHER_OPTIONS": "verbose=1",
    "TSAN_OPTIONS": OPTIONS + ":ignore_noninstrumented_modules=1",
}
ARCHER_RUNS = "Archer detected OpenMP application with TSan"
# Pairs whose racy twin has no race in gcc's code, where the teams of a league run one after the other.
TWINS_OF_CLANG = ("league", "league_reduction")
ARCHER_PAIRS = "fork_join barrier critical ordered depend_out_in taskgroup task_siblings".split()


def excuses():
    """{program below test/: why it is not run}"""
    with open(os.path.join(FOLDER, "excused.txt"), encoding="utf-8") as f:
        lines = (line.strip().partition(" ") for line in f)
        return {name: reason for name, _, reason in lines if name}


def fixed_addresses():
    """ThreadSanitizer needs fixed address ranges, which strong address randomisation may occupy."""
    setarch = ["setarch", "-R"]
    if shutil.which("setarch") and subprocess.run(setarch + ["true"], stderr=subprocess.DEVNULL).returncode == 0:
        return setarch
    return []


def build(options, compiler, source, header, more=()):
    """(the program, or None; what the compiler said)"""
    folder, include = os.path.dirname(source), os.path.join(harness.ROOT, "cbits", "include")
    clang = compiler.startswith("clang")
    argv = [compiler, source] + FLAGS + ["-I" + folder, "-I" + include] + list(more) + header.cflags + header.ldflags
    argv += ["-latomic"] if clang else []
    inputs = [source] + sorted(glob.glob(os.path.join(folder, "*.h")) + glob.glob(os.path.join(include, "*.h")))
    inputs += glob.glob(os.path.join(os.path.dirname(folder), "*.h"))
    name = "_".join(["tsan", compiler, os.path.relpath(source, HERE).replace(os.sep, "_")] + [m[2:] for m in more])
    return harness.compile_cached(argv, inputs, os.path.join(options.build, "test", "programs"), name)


def environment(options, header, **more):
    env = dict(header.env, LD_LIBRARY_PATH=os.path.join(options.build, "dropin"), TSAN_OPTIONS=OPTIONS)
    env.update(more)
    env.setdefault("GHCOMP_HOST", "posix")
    return harness.clean_env(env)


def correct(options, compiler, source, verdict, **more):
    """The program passes as its header says, and nothing is reported. `more`: of its environment."""
    if harness.compiler_version(compiler) is None:
        return SKIP, "no %s here" % compiler, ""
    header = harness.Header(source, LIMIT)
    exe, log = build(options, compiler, source, header)
    if exe is None:
        return FAIL, "does not compile", log
    limit = header.limit * SLOWER
    done = harness.run(
        fixed_addresses() + [exe], limit, env=environment(options, header, **more), ulimits=header.ulimits
    )
    if REPORT in done.text():
        return FAIL, "ThreadSanitizer reports a race in a correct program", done.text()
    return verdict(done, limit, header)


def racy(options, compiler, source, **more):
    """One run of TRIES gives a report. `more`: of its environment."""
    if harness.compiler_version(compiler) is None:
        return SKIP, "no %s here" % compiler, ""
    header = harness.Header(source, LIMIT)
    exe, log = build(options, compiler, source, header, ["-DRACY"])
    if exe is None:
        return FAIL, "does not compile", log
    for _ in range(TRIES):
        env = environment(options, header, **more)
        done = harness.run(fixed_addresses() + [exe], header.limit * SLOWER, env=env)
        if done.timed_out:
            return FAIL, done.ending(header.limit * SLOWER), done.text()
        if REPORT + ": data race" in done.text():
            return PASS, "", ""
    return FAIL, "ThreadSanitizer reports no race in any of %d runs" % TRIES, done.text()


def archer(options, compiler, source, verdict, twin):
    """With Archer as a tool the correct program gives no report, and its racy twin gives one."""
    if not os.path.exists(ARCHER):
        return SKIP, "no %s here (sh tools/deps.sh test installs it)" % ARCHER, ""
    heard = []

    def listen(done, limit, header):
        heard.append(ARCHER_RUNS in done.text())
        return verdict(done, limit, header)

    if twin:
        return racy(options, compiler, source, **WITH_ARCHER)
    status = correct(options, compiler, source, listen, **WITH_ARCHER)
    if status[0] == PASS and heard == [False]:
        return FAIL, "Archer does not run", ""
    return status


def off(options, compiler, source):
    header = harness.Header(source, LIMIT)
    exe, log = build(options, compiler, source, header)
    if exe is None:
        return FAIL, "does not compile", log
    env = environment(options, header, GHCOMP_TSAN="off")
    for _ in range(TRIES):
        done = harness.run(fixed_addresses() + [exe], header.limit * SLOWER, env=env)
        if REPORT in done.text():
            return PASS, "", ""
    return FAIL, "GHCOMP_TSAN=off: ThreadSanitizer knows what orders the threads nevertheless", done.text()


def tests(options, compilers, clang, verdict, clang_excused):
    """(name, function) of each test. verdict: run.py's; clang_excused: conformance programs that are none for clang."""
    excused = excuses()
    for source in sorted(glob.glob(os.path.join(HERE, "conformance", "**", "*"), recursive=True)):
        compiler = compilers.get(os.path.splitext(source)[1])
        name = os.path.relpath(source, HERE)
        if compiler and name not in excused:
            yield "tsan/" + name, lambda s=source, c=compiler: correct(options, c, s, verdict)
        other = clang[".cc" if source.endswith(".cc") else ".c"]
        if DEEP and not source.endswith(".f90") and compiler and name not in excused and name not in clang_excused:
            yield "tsan/clang/" + name, lambda s=source, c=other: correct(options, c, s, verdict)
    for source in sorted(glob.glob(os.path.join(FOLDER, "*.c"))):
        name = "tsan/" + os.path.basename(source)
        for compiler in (compilers[".c"], clang[".c"]):
            kind = compiler.partition("-")[0]
            yield "%s [%s]" % (name, kind), lambda s=source, c=compiler: correct(options, c, s, verdict)
            if kind == "clang" or os.path.basename(source)[:-2] not in TWINS_OF_CLANG:
                yield "%s [%s, racy]" % (name, kind), lambda s=source, c=compiler: racy(options, c, s)
            if not DEEP and os.path.basename(source)[:-2] not in ARCHER_PAIRS:
                continue
            for twin in (False, True):
                if twin and kind != "clang" and os.path.basename(source)[:-2] in TWINS_OF_CLANG:
                    continue
                title = "%s [%s, Archer%s]" % (name, kind, ", racy" if twin else "")
                yield title, lambda s=source, c=compiler, t=twin: archer(options, c, s, verdict, t)
    guide = os.path.join(harness.ROOT, "examples", "guides", "race.c")
    yield "tsan/guide", lambda: racy(options, compilers[".c"], guide)
    yield "tsan/off", lambda: off(options, compilers[".c"], os.path.join(FOLDER, "barrier.c"))
