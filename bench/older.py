#!/usr/bin/env python3
"""Counts what constructs cost in this build and in an older one: instructions, and CPU time.

    bench/older.py run --before TREE [--name NAME] [--rows a,b] [--threads 1,2,4,8,32] [--processes N]
    bench/older.py table RESULT.json

TREE is another checkout of the project in which `make` has run. Both builds run bench/c/constructs.c on POSIX threads.
In QEMU the program's instructions are counted, but not the kernel's (bench/instructions.py). Its code takes some twenty
times as long there. So what runs there are copies of both builds whose intervals of time are twenty times as long: a
run of iterations of a dynamic loop has as many of them as elsewhere, and a wait polls as often. The kernel's code takes
its usual time, which such waits see as a twentieth. So two numbers stand beside the count of all instructions: the
count without a wait's, which are those in polls and in the functions that look at the CPUs and decide how to wait; and
the CPU time of the same construct without QEMU, the kernel's included. Each is the difference of a long batch and a
short one, so that only the construct counts. The builds take turns. `run` writes bench/results/NAME.json and prints a
Markdown table. How to read it: docs/results/benchmarks.md. Needs a qemu-user that takes plug-ins, as Debian 12's does,
and addr2line, else only Python's standard library.
"""

import os
import re
import resource
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import instructions  # noqa: E402
import pairs  # noqa: E402
from common import (ROOT, Watch, act, built, check_served, command_line, conditions_text, die,  # noqa: E402
                    environment, failures_of, finish_run, load_result, machine, quantity, rows_asked, spawn, spread,
                    take_samples, version_of)
from construct_rows import ROWS  # noqa: E402
from peers import find_runtimes  # noqa: E402
from run import teams  # noqa: E402

MEASURED = tuple(name for name, row in ROWS.items() if row.group in ("constructs", "tasks") and not row.fair)
BEFORE, NOW = "before", "ours-posix"
MOST = 1.01  # the quotient that a table marks
# Operations of the short batch in a team of one, which take some milliseconds; larger teams have fewer, by their size.
SHORT = {"parallel": 20000, "barrier": 20000, "reduction": 20000, "for-static": 20000, "single": 20000,
         "nested": 4000, "resize": 4000, "task-fib": 21890, "task-data": 20000, "taskloop": 1000000}
SHORT_ELSE = 100000
TIMES = 5  # the long batch is that many short ones
SLOWER = 20  # what QEMU takes for an instruction, in times of the processor's
CLOCK, TICKS = "cbits/base/machine.h", re.compile(r"\b(GHCOMP_TICKS_PER_US = )(\d+)")
NATIVE_NS = 2e8  # of the long batch without QEMU
CALIBRATION_MS = "20"


def short_of(row, threads):
    """The short batch: fib(20) has a fixed number of tasks."""
    whole = SHORT.get(row, SHORT_ELSE)
    return whole if row == "task-fib" else max(whole // threads, 100)


def count(take, short):
    """What an operation costs, by kind of cost; take(operations) is what a process of about so many does: its costs and
    its operations."""
    (more, operations), (less, fewer) = take(TIMES * short), take(short)
    return {kind: (more[kind] - less[kind]) / (operations - fewer) for kind in more}


def cpu_ns():
    """CPU time of all processes that have been waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1e9


def older_runtime(tree):
    """(folder for LD_LIBRARY_PATH, host, the object that must serve) of another tree."""
    folder = os.path.abspath(os.path.join(tree, "build", "dropin"))
    if not os.path.exists(os.path.join(folder, "libgomp.so.1")):
        die("no %s/libgomp.so.1; --before takes a checkout in which make has run" % folder)
    return folder, "posix", os.path.join(folder, "libgomp.so.1")


def slowed(tree, folder):
    """As older_runtime, of a copy of the tree's files in `folder` that counts SLOWER times as many ticks to a time."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    listed = subprocess.run(["git", "-C", tree, "ls-files", "-z", "--", "Makefile", "mk", "cbits", "tools"],
                            stdout=subprocess.PIPE, check=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
        shutil.copy2(os.path.join(tree, name), os.path.join(folder, name), follow_symlinks=False)
    path = os.path.join(folder, CLOCK)
    with open(path, encoding="utf-8") as f:
        text, found = TICKS.subn(lambda m: m.group(1) + str(SLOWER * int(m.group(2))), f.read())
    if found == 0:
        die("%s of %s has no GHCOMP_TICKS_PER_US" % (CLOCK, tree))
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    made = ["make", "-C", folder, "-j2", "dropin"]
    done = subprocess.run(made, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        die("the copy of %s in %s cannot be built: %s" % (tree, folder, done.stdout.strip()[-300:]))
    return older_runtime(folder)


def run(args):
    build = os.path.abspath(args.build)
    binary = built(build, "constructs", "make bench-older")
    plugin = built(build, "instructions.so", "make bench-older")
    instructions.needs(instructions.emulator(), "bench-older")
    refusal = instructions.refuses(plugin)
    if refusal:
        die("%s takes no plug-in: %s; Debian 12's takes one" % (instructions.emulator(), refusal))
    runtimes = {BEFORE: older_runtime(args.before), NOW: find_runtimes([NOW], build)[NOW]}
    emulated = {BEFORE: slowed(args.before, os.path.join(build, "older", BEFORE)),
                NOW: slowed(ROOT, os.path.join(build, "older", NOW))}
    cells = [(row, m) for row in rows_asked(args, MEASURED) for m in teams(args.threads)]

    native = {}  # operations of the short batch without QEMU
    waits = instructions.Waits()

    def take(cell_, name):
        row, m = cell_
        env = environment(runtimes[name], m)

        def served(sample, by=runtimes):
            check_served(sample, by[name][2], by[name][1])
            return sample

        def counted(operations):
            found, sample = instructions.of_threads(plugin, [binary, row, str(m), "=%d" % operations],
                                                    environment(emulated[name], m), emulated[name][2], waits)
            return ({"instructions": found.instructions, "working": found.instructions - found.waiting},
                    served(sample, emulated)["ops"])

        def used(operations):
            before = cpu_ns()
            sample = served(spawn([binary, row, str(m), "=%d" % operations], env))
            return {"cpu": cpu_ns() - before}, sample["ops"]

        if cell_ not in native:
            each = served(spawn([binary, row, str(m), CALIBRATION_MS, "1"], env))["value"]
            whole = SHORT["task-fib"] if row == "task-fib" else 1  # fib(20) has a fixed number of tasks
            native[cell_] = max(100, whole, int(NATIVE_NS / TIMES / each) // whole * whole)
        return dict(count(counted, short_of(row, m)), **count(used, native[cell_]))

    watch = Watch(args.processes, None)
    samples, failed = take_samples(watch, [(cell_, [BEFORE, NOW]) for cell_ in cells], take)
    result = {
        "machine": dict(machine(args.cc), before=version_of(args.before)),
        "conditions": watch.conditions(programs="a long batch, less one of a batch of a fifth of it"),
        "runtimes": [BEFORE, NOW],
        "rows": [row_of(cell_, *(samples[cell_, kind] for kind in ("instructions", "working", "cpu")))
                 for cell_ in cells if (cell_, "cpu") in samples],
        "failures": failures_of(failed),
    }
    return finish_run(result, args, markdown(result))


def row_of(cell_, counts, working, times):
    row = pairs.row_of(cell_, counts, "instructions", (BEFORE, NOW))
    row["working"] = pairs.quotients_of(working, (BEFORE, NOW))
    row["cpu_ns"] = {name: spread(values) for name, values in times.items()}
    row["cpu"] = pairs.quotients_of(times, (BEFORE, NOW))
    return row


def markdown(result):
    lines = conditions_text(result) + [
        "", "An operation of all threads together, the program's own work included: instructions in QEMU, without the "
        "kernel's; and without QEMU the CPU time now, with the kernel's. The quotients are medians of the pairs' with "
        "their quartiles: of all instructions, of those that are not a wait's, bold above %.2f, and of the CPU time. "
        "In QEMU the builds' intervals of time are %d times as long, as its instructions are; where threads wait for "
        "each other, the count of all depends on how long the emulator takes all the same." % (MOST, SLOWER), "",
        "| construct | threads | %s | %s | all instructions | without waits | CPU time now | CPU time |" % (
            result["machine"]["before"], result["machine"]["ghc_openmp"]), "|---|---:|---:|---:|---:|---:|---:|---:|"]
    lines += [pairs.line(row, (BEFORE, NOW), 3, None, [pairs.cost(row.get("working"), 3, MOST),
                                                       quantity(row["cpu_ns"][NOW]["median"], "ns"),
                                                       pairs.cost(row["cpu"], 2)]) for row in result["rows"]]
    return "\n".join(lines + pairs.closing(result))


def table(args):
    print(markdown(load_result(args.result)))
    return 0


def main():
    parser, _, p, _ = command_line("Counts instructions beside an older build.", run, table, "older-latest")
    p.add_argument("--before", required=True, metavar="TREE", help="another checkout in which make has run")
    p.add_argument("--rows", help="only these rows, with commas between them")
    p.add_argument("--threads", default="1,2,4,8,32", help="team sizes")
    p.set_defaults(processes=7)
    act(parser)


if __name__ == "__main__":
    main()
