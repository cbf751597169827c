#!/usr/bin/env python3
"""Measures the cost of the observers' hooks while none is active: a build with them beside one without.

    bench/watched.py run [--name NAME] [--threads 1,2] [--processes N]
    bench/watched.py table RESULT.json

Both builds run bench/c/constructs.c; the other one is compiled with -DGHCOMP_UNWATCHED (make bench-watched), which
makes the word of the observers the constant 0. Instructions are counted by valgrind in teams of one, by gcc's and by
clang's code: the difference of a short and a long batch, so that only the construct counts; they hardly vary. Times are
those of gcc's code, in pairs of processes as in bench/profiler.py. As a build with other code in it also has all code
in other places, both builds are there twice: as they are, and with each function at a multiple of 64 bytes. `run`
writes bench/results/NAME.json and prints Markdown tables. How to read them: docs/results/benchmarks.md. Needs valgrind,
else only Python's standard library.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import instructions  # noqa: E402
import pairs  # noqa: E402
from common import (Watch, act, built, check_served, command_line, conditions_text, environment,  # noqa: E402
                    failures_of, finish_run, load_result, machine, spawn, take_samples)
from construct_rows import ROWS  # noqa: E402
from peers import find_runtimes  # noqa: E402
from run import teams  # noqa: E402

MEASURED = ("parallel", "barrier", "for-static", "single", "critical", "lock", "ordered", "dynamic", "reduction",
            "tasks", "task-fib", "task-depend", "taskloop")
WITHOUT, WITH = "unwatched", "ours-posix"
WITHOUT_ALIGNED, WITH_ALIGNED = "unwatched-aligned", "ours-posix-aligned"
SERIES = (WITHOUT, WITH, WITHOUT_ALIGNED, WITH_ALIGNED)
FOLDERS = {WITHOUT: "unwatched", WITH: "", WITHOUT_ALIGNED: "unwatched-aligned", WITH_ALIGNED: "aligned"}
CODES = ("gcc", "clang")
# Operations of the short batch; a multiple of fib(20)'s tasks for that row.
SHORT = {"task-fib": 21890}
SHORT_ELSE = 10000
BATCH_MS, BATCHES = 6, 7


def instructions_of(binary, row, operations, env):
    """All instructions of a process that carries out so many operations in a team of one."""
    return instructions.of_process([binary, row, "1", "=%d" % operations], env)


def count(binary, row, runtime):
    """Instructions an operation."""
    env, short = environment(runtime, 1), SHORT.get(row, SHORT_ELSE)
    return (instructions_of(binary, row, 3 * short, env) - instructions_of(binary, row, short, env)) / (2 * short)


def counted(binaries, runtimes):
    """[{row, code, values: {series: instructions an operation}}]"""
    rows = []
    for row in MEASURED:
        for code in CODES:
            if code in binaries:
                rows.append({"row": row, "code": code,
                             "values": {name: count(binaries[code], row, runtimes[name]) for name in (WITHOUT, WITH)}})
    return rows


def run(args):
    build = os.path.abspath(args.build)
    gcc = built(build, "constructs", "make bench-watched")
    instructions.needs("valgrind", "bench-watched")
    runtimes = {name: find_runtimes([WITH], os.path.join(build, folder))[WITH] for name, folder in FOLDERS.items()}
    binaries = {"gcc": gcc}
    if os.path.exists(gcc + "-clang"):
        binaries["clang"] = gcc + "-clang"
    cells = [(row, m) for row in MEASURED for m in teams(args.threads)]

    def take(cell_, name):
        row, m = cell_
        sample = spawn([gcc, row, str(m), str(BATCH_MS), str(BATCHES)], environment(runtimes[name], m))
        check_served(sample, runtimes[name][2], runtimes[name][1])
        return {"value": sample["value"]}

    watch = Watch(args.processes, None)
    samples, failed = take_samples(watch, [(cell_, list(SERIES)) for cell_ in cells], take, gcc)
    conditions = watch.conditions(batch_ms=BATCH_MS, batches=BATCHES)
    result = {
        "machine": machine(args.cc),
        "conditions": conditions,
        "runtimes": list(SERIES),
        "instructions": counted(binaries, runtimes),
        "rows": [row_of(cell_, samples[cell_, "value"]) for cell_ in cells if (cell_, "value") in samples],
        "failures": failures_of(failed),
    }
    return finish_run(result, args, markdown(result))


def row_of(cell_, series):
    row = pairs.row_of(cell_, series, "ns", (WITHOUT, WITH))
    row["aligned"] = pairs.quotients_of(series, (WITHOUT_ALIGNED, WITH_ALIGNED))
    row["placement"] = pairs.quotients_of(series, (WITHOUT, WITHOUT_ALIGNED))
    return row


def instructions_table(rows):
    lines = ["## Instructions", "", "An operation in a team of one, the program's own included.", "",
             "| construct | code | without hooks | with hooks | more |", "|---|---|---:|---:|---:|"]
    for row in rows:
        without, there = row["values"][WITHOUT], row["values"][WITH]
        lines.append("| %s: %s | %s | %.1f | %.1f | %+.1f |" % (
            row["row"], ROWS[row["row"]].what, row["code"], without, there, round(there - without, 1) + 0.0))
    return lines


def markdown(result):
    lines = conditions_text(result) + [""] + instructions_table(result["instructions"]) + [
        "", "## Times", "",
        "gcc's code. *Cost* is the median quotient of the pairs, with its quartiles; *aligned* the same of two builds "
        "whose functions begin at multiples of 64 bytes. *Placement* is what that alone does: the quotient of the two "
        "builds without hooks.", "",
        "| construct | threads | without hooks, ns | with hooks, ns | cost | aligned | placement |",
        "|---|---:|---:|---:|---:|---:|---:|"]
    for row in result["rows"]:
        more = [pairs.cost(row.get(key), digits=3) for key in ("aligned", "placement")]
        lines.append(pairs.line(row, (WITHOUT, WITH), digits=3, more=more))
    return "\n".join(lines + pairs.closing(result))


def table(args):
    print(markdown(load_result(args.result)))
    return 0


def main():
    parser, _, p, _ = command_line("Measures a build with observers' hooks beside one without.", run, table,
                                   "watched-latest")
    p.add_argument("--threads", default="1,2", help="team sizes of the times")
    p.set_defaults(processes=11)
    act(parser)


if __name__ == "__main__":
    main()
