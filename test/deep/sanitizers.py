#!/usr/bin/env python3
"""The conformance programs and the stress programs under sanitizers and valgrind, on POSIX threads.

    GHCOMP_DEEP=1 test/deep/sanitizers.py [--tools thread,address,undefined,valgrind] [--filter REGEX] [--jobs N]
                                      [--list]

For the first three, the drop-in itself is built with -fsanitize=..., as a shared object in build/sanitized/TOOL, and
the programs too; so the thread sanitizer sees the runtime's synchronisation, and reports a race of the program's data
that it ought to order. valgrind's memcheck runs the drop-in of build/dropin. A report of a tool fails the test, and so
does what fails it without the tool. The last lines count the reports by kind and place.

It takes an hour or so on two CPUs, so the driver runs it with GHCOMP_DEEP=1 only; build/asan and build/tsan, the unit
tests and the stress programs of test/stress have the same tools in every run.
"""
# limit: 60
# deep-limit: 7200

import argparse
import collections
import glob
import os
import re
import shutil
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "test"))

import harness  # noqa: E402
from harness import FAIL, PASS, SKIP  # noqa: E402

BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
TOOLS = ("thread", "address", "undefined", "valgrind")
COMPILERS = {".c": "gcc", ".cc": "g++"}
OPTIONS = {
    # A report must not hide those after it.
    "thread": {"TSAN_OPTIONS": "exitcode=99:halt_on_error=0:second_deadlock_stack=1:history_size=4:"
               "allocator_may_return_null=1"},
    "address": {"ASAN_OPTIONS": "exitcode=99:detect_leaks=1:detect_stack_use_after_return=1:"
                "allocator_may_return_null=1"},
    "undefined": {"UBSAN_OPTIONS": "halt_on_error=0:print_stacktrace=1"},
    # It runs one thread at a time: threads that spin keep the others waiting.
    "valgrind": {"OMP_WAIT_POLICY": "passive"},
}
SLOWER = {"thread": 15, "address": 5, "undefined": 3, "valgrind": 40}
REPORT = re.compile(
    r"WARNING: ThreadSanitizer|ERROR: (Address|Leak)Sanitizer|runtime error:|^==\d+== "
    r"(Invalid|Conditional jump|Use of uninit|Syscall param|Mismatched|Source and dest|[\d,]+ bytes in .* definitely)",
    re.MULTILINE,
)
PLACE = re.compile(r"^(?:SUMMARY: .*|\S+: runtime error: .*|==\d+== (?:Invalid|Conditional|Use|Syscall|Mismatched).*)$",
                   re.MULTILINE)
# What a program does that a tool can't follow, by words in its source, its directives or its name.
FAULTY = (r"test/conformance/alloc/freed_twice", "it frees memory twice on purpose")
PINNED = (r"pinned", "sanitizers lock no memory")
UNFIT = {
    "thread": (
        (r"\bfork ?\(|execl", "the child of a process with threads cannot make threads under the thread sanitizer"),
        FAULTY,
        PINNED,
    ),
    "address": (
        FAULTY,
        PINNED,
        (r"RLIMIT_AS|^\W*ulimit: -v", "the address sanitizer needs terabytes of address space"),
        (r"alloca|pthread_attr_setstack|OMP_STACKSIZE", "its frames are larger, so stacks are, too"),
    ),
    "undefined": (),
    "valgrind": (
        FAULTY,
        (r"RLIMIT_|^\W*ulimit:", "valgrind needs memory and descriptors of its own"),
        (r"fesetround|_MM_SET|fldcw|long double", "valgrind does not follow the floating-point environment"),
        (r"pthread_attr_setstack|sched_setaffinity|OMP_PLACES|OMP_PROC_BIND", "threads have other stacks and CPUs"),
    ),
}
# Arguments of the stress programs; a folder's other programs have none.
ARGUMENTS = {
    "stress/mixed.c": (("7", "3", "4"),),
    "stress/masters.c": (("11", "5", "4", "noforks"),),
    "stress/tasks.c": (("tree", "200000", "3", "2000"), ("inout", "30000", "3", "2000"),
                       ("handover", "20000", "2", "2000")),
    "stress/tasknest.c": (("5", "30", "3"), ("6", "30", "4")),
}


# What each tool must report, else it is a failure: otherwise a tool that sees nothing would pass everything.
CONTROL = """
#include <limits.h>
#include <stdlib.h>
int shared, large = INT_MAX;
int main(int count, char **arguments)
{
#pragma omp parallel num_threads(4)
    {
        shared++; /* a race */
        char *memory = malloc(100);
        memory[99 + count] = arguments[0][0]; /* behind the end */
        large += count; /* overflow */
    }
    return 0;
}
"""


class Program:
    def __init__(self, source, tool, arguments=()):
        self.source, self.tool, self.arguments = source, tool, list(arguments)
        self.name = "%s [%s]%s" % (os.path.relpath(source, os.path.join(ROOT, "test")), tool,
                                   "".join(" " + a for a in arguments))

    def unfit(self, header):
        with open(self.source, encoding="utf-8") as f:
            text = f.read()
        if header.hosts and "posix" not in header.hosts:
            return "not for POSIX threads"
        for pattern, reason in UNFIT[self.tool]:
            if re.search(pattern, self.source + "\n" + text, re.MULTILINE):
                return reason
        return None

    def compile(self, header):
        folder = os.path.dirname(self.source)
        include = os.path.join(ROOT, "cbits", "include")
        flags = ["-fsanitize=" + self.tool] if self.tool != "valgrind" else []
        argv = [COMPILERS[os.path.splitext(self.source)[1]], self.source, "-O1", "-g", "-fopenmp",
                "-fno-omit-frame-pointer", "-I" + folder, "-I" + include] + flags + header.cflags + header.ldflags
        inputs = [self.source] + sorted(glob.glob(folder + "/*.h") + glob.glob(folder + "/../*.h"))
        name = os.path.relpath(self.source, ROOT).replace(os.sep, "_")
        return harness.compile_cached(argv, inputs, os.path.join(BUILD, "sanitized", "programs"), name)

    def run(self, reports):
        header = harness.Header(self.source, 20)
        why = self.unfit(header)
        if why:
            return SKIP, why, ""
        exe, log = self.compile(header)
        if exe is None:
            return FAIL, "does not compile", log
        dropin = os.path.join(BUILD, "dropin") if self.tool == "valgrind" else sanitized(self.tool)
        env = dict(header.env)
        env.update(OPTIONS[self.tool], LD_LIBRARY_PATH=dropin, GHCOMP_HOST="posix")
        if self.source.startswith(os.path.join(ROOT, "test", "stress")):
            env.setdefault("OMP_CANCELLATION", "true")
        before = []
        if self.tool == "thread" and shutil.which("setarch"):
            before = ["setarch", "-R"]  # it needs fixed address ranges
        if self.tool == "valgrind":
            before = ["valgrind", "-q", "--fair-sched=try", "--error-exitcode=99", "--leak-check=full",
                      "--errors-for-leak-kinds=definite", "--num-callers=20"]
        limit = header.limit * SLOWER[self.tool]
        done = harness.run(before + [exe] + self.arguments, limit, env=harness.clean_env(env), ulimits=header.ulimits)
        found = REPORT.findall(done.text())
        if found:
            reports.update(set(self.place(line) for line in PLACE.findall(done.text())) or {"a report without a place"})
            return FAIL, "%d reports" % len(found), done.text()
        if done.timed_out or done.rc != header.exit:
            return (SKIP, "a skip of its own", "") if done.rc == 77 else (FAIL, done.ending(limit), done.text())
        for regex in header.stdout:
            if not regex.search(done.out):
                return FAIL, "stdout does not match `%s`" % regex.pattern, done.text()
        return PASS, "", ""

    def place(self, line):
        return "%s: %s" % (self.tool, re.sub(r"==\d+== |\(/?\S+\+0x\w+\) |" + re.escape(ROOT) + "/|SUMMARY: ", "",
                                             line))


def sanitized(tool):
    """The folder of the drop-in that is built with this sanitizer."""
    return os.path.join(BUILD, "sanitized", tool, "dropin")


def build(tool):
    """Builds that drop-in, when something of it has changed."""
    command = ["make", "-C", ROOT, "-j2", "BUILD=" + os.path.join(BUILD, "sanitized", tool),
               "CC=gcc -fsanitize=%s -fno-omit-frame-pointer" % tool, "CFLAGS=-O1 -Wno-tsan -DGHCOMP_TLS_INITIAL",
               "dropin"]
    if tool == "valgrind":
        command = ["make", "-C", ROOT, "-j2", "BUILD=" + BUILD, "dropin"]
    done = harness.run(command, 900, env=harness.clean_env(), merge=True)
    return None if done.rc == 0 else harness.tail(done.out)


class Control(Program):
    """The program above, which must be reported."""

    def __init__(self, tool):
        folder = os.path.join(BUILD, "sanitized")
        os.makedirs(folder, exist_ok=True)
        super().__init__(os.path.join(folder, "control.c"), tool)
        self.name = "a program with faults [%s]" % tool
        with open(self.source, "w", encoding="utf-8") as f:
            f.write(CONTROL)

    def unfit(self, header):
        return None

    def run(self, reports):
        result, detail, output = super().run(collections.Counter())
        if result == FAIL and detail.endswith(" reports"):
            return PASS, "", ""
        return FAIL, "the tool does not report its faults", output


def programs(tool):
    yield Control(tool)
    sources = [s for e in COMPILERS for s in glob.glob(os.path.join(ROOT, "test", "conformance", "*", "*" + e))]
    for source in sorted(sources):
        yield Program(source, tool)
    for name, arguments in ARGUMENTS.items():
        for words in arguments:
            yield Program(os.path.join(ROOT, "test", name), tool, words)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if not harness.DEEP and len(sys.argv) == 1:
        print("the deep part alone, with GHCOMP_DEEP=1: the unit and stress tests have the same tools")
        return 77
    report, reports = harness.Report(options.verbose), collections.Counter()
    harness.kill_tests_on_signals()
    for tool in options.tools.split(","):
        if tool not in TOOLS:
            parser.error("no tool `%s`" % tool)
        if tool == "valgrind" and shutil.which("valgrind") is None:
            print("no valgrind here")
            continue
        chosen = [p for p in programs(tool) if isinstance(p, Control) or re.search(options.filter, p.name)]
        if options.list:
            print("\n".join(p.name for p in chosen))
            continue
        wrong = build(tool)
        if wrong:
            report.add("the drop-in for " + tool, FAIL, "does not build", wrong)
            continue
        before = report.passed, report.failed, report.skipped

        def one(program):
            try:
                result = program.run(reports)
            except harness.TestError as e:
                result = FAIL, str(e), ""
            report.add(program.name, *result)

        harness.parallel(one, chosen, options.jobs)
        counts = report.passed - before[0], report.failed - before[1], report.skipped - before[2]
        print("%s: %d passed, %d failed, %d skipped" % ((tool,) + counts), flush=True)
    for place, count in reports.most_common():
        print("%4d programs: %s" % (count, place))
    print(report.last_line())
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
