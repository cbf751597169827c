#!/usr/bin/env python3
"""Measures what `ghcomp profile` costs: the programs of bench/c with and without it, in pairs.

    bench/profiler.py run [--name NAME] [--threads 1,2] [--processes N]
    bench/profiler.py table RESULT.json

The program is bench/c/constructs.c, and its rows are the programs of bench/run.py. A pair is two processes one after
the other, one of which the profiler watches; each has its own time for a run, and the pair their quotient. `run` writes
bench/results/NAME.json and prints a Markdown table. How to read it: docs/benchmarks.md. Needs only Python's standard
library.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pairs  # noqa: E402
from common import (Watch, act, built, check_served, command_line, conditions_text, die, environment,  # noqa: E402
                    failures_of, load_result, machine, spawn, take_samples, write_result)
from construct_rows import DIVISOR, ROWS  # noqa: E402
from run import find_runtimes, teams  # noqa: E402

MEASURED = [name for name, row in ROWS.items() if row.group == "programs"]
RUNTIME, PROFILED = "ours-posix", "profiled"
SERIES = (RUNTIME, PROFILED)
# What the profiler may cost; above that a row is bold.
MOST = 1.05
BATCH_MS, BATCHES = 20, 5


def run(args):
    build = os.path.abspath(args.build)
    binary = built(build, "constructs", "make bench-profiler")
    runtime = find_runtimes([RUNTIME], build)[RUNTIME]
    library = os.path.join(build, "dropin", "libghcomp_profile.so")
    if not os.path.exists(library):
        die("no %s; run make first" % library)
    cells = [(row, m) for row in MEASURED for m in teams(args.threads)]

    def take(cell_, name):
        row, m = cell_
        env = environment(runtime, m)
        if name == PROFILED:
            env["OMP_TOOL_LIBRARIES"] = library
        sample = spawn([binary, row, str(m), str(BATCH_MS), str(BATCHES)], env)
        check_served(sample, runtime[2], runtime[1])
        return {"value": sample["value"] / DIVISOR[ROWS[row].unit]}

    watch = Watch(args.processes, None)
    samples, failed = take_samples(watch, [(cell_, list(SERIES)) for cell_ in cells], take, binary)
    result = {
        "machine": machine(args.cc),
        "conditions": watch.conditions(batch_ms=BATCH_MS, batches=BATCHES),
        "runtimes": list(SERIES),
        "rows": [row_of(cell_, samples[cell_, "value"]) for cell_ in cells if (cell_, "value") in samples],
        "failures": failures_of(failed),
    }
    path = write_result(result, args)
    print(markdown(result))
    print("Written to %s." % os.path.relpath(path))
    return 1 if failed else 0


def row_of(cell_, series):
    return pairs.row_of(cell_, series, ROWS[cell_[0]].unit, SERIES)


def markdown(result):
    lines = conditions_text(result) + [
        "*Cost* is the median quotient of the pairs, with its quartiles. **Bold**: more than %g." % MOST, "",
        "| program | threads | without, us | with the profiler, us | cost |", "|---|---:|---:|---:|---:|"]
    return "\n".join(lines + [pairs.line(row, SERIES, most=MOST) for row in result["rows"]] + pairs.closing(result))


def table(args):
    print(markdown(load_result(args.result)))
    return 0


def main():
    parser, _, p, _ = command_line("Measures programs with and without ghcomp profile.", run, table, "profiler-latest")
    p.add_argument("--threads", default="1,2", help="team sizes")
    p.set_defaults(processes=9)
    act(parser)


if __name__ == "__main__":
    main()
