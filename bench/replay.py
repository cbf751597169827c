#!/usr/bin/env python3
"""Measures tasks that are recorded once and replayed, beside tasks with dependences, in C and in Haskell.

    bench/replay.py run [--name NAME] [--threads 1,2,4] [--processes N]
    bench/replay.py table RESULT.json

The programs are bench/c/replay.c, on each runtime, and bench/hs/Graphs.hs (make bench-replay). `run` writes
bench/results/NAME.json and prints a Markdown table. How to read it: docs/results/benchmarks.md. Needs only Python's
standard library.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import (Watch, act, built, cell_with_unit, check_served, command_line, conditions_text,  # noqa: E402
                    environment, failures_of, finish_run, load_result, machine, spawn, spread, take_samples)
from construct_rows import TITLES  # noqa: E402
from run import find_runtimes, teams  # noqa: E402

OURS = ("ours-posix", "ours-ghc")
NAMES = OURS + ("libgomp", "libomp")
HASKELL = "haskell"
NAME_OF = dict(TITLES, haskell="Haskell")
# Row, what it is, who has it, and the program's name for it.
ROWS = (
    ("task-depend", "a task with depend(inout) in one of four chains", NAMES, "depend"),
    ("task-replay", "the same, recorded and replayed", OURS, "replay"),
    ("task-replay-wide", "a task of layers of 16, which depends on two, replayed", OURS, "replay-wide"),
    ("graph-depend", "a Haskell task with a dependence in one of four chains", (HASKELL,), "depend"),
    ("graph-each", "a node of `Graph` in one of four chains, built for each run", (HASKELL,), "each"),
    ("graph-built", "the same, built once", (HASKELL,), "built"),
)
BATCH_MS, BATCHES = 15, 7


def run(args):
    build = os.path.abspath(args.build)
    binary = built(build, "replay", "make bench-replay")
    graphs = built(build, "hs/graphs", "make bench-replay")
    runtimes = find_runtimes(list(NAMES), build)
    asked = [(row, m) for row in ROWS for m in teams(args.threads)]

    def take(cell, name):
        (_, _, _, word), m = cell
        more = [str(m), str(BATCH_MS), str(BATCHES)]
        if name == HASKELL:
            return {"value": spawn([graphs, word] + more + ["+RTS", "-N%d" % m], environment((None, None, None), m))
                    ["value"]}
        sample = spawn([binary, word] + more, environment(runtimes[name], m))
        check_served(sample, runtimes[name][2], runtimes[name][1])
        return {"value": sample["value"]}

    watch = Watch(args.processes, None)
    cells = [(cell, [n for n in cell[0][2] if n == HASKELL or n in runtimes]) for cell in asked]
    samples, failed = take_samples(watch, cells, take)
    result = {
        "machine": machine(args.cc),
        "conditions": watch.conditions(window_ms=BATCH_MS * BATCHES),
        "runtimes": list(NAMES + (HASKELL,)),
        "rows": [dict(row=row[0], threads=m, unit="ns",
                      values={n: spread(v) for n, v in samples[(row, m), "value"].items()})
                 for row, m in asked if ((row, m), "value") in samples],
        "failures": [dict(f, row=f["row"][0]) for f in failures_of(failed)],
    }
    return finish_run(result, args, markdown(result))


def markdown(result):
    names, what = result["runtimes"], {row[0]: row[1] for row in ROWS}
    head = ["what", "threads"] + [NAME_OF[n] for n in names]
    lines = conditions_text(result) + ["", "| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    for row in result["rows"]:
        lines.append("| " + " | ".join([what[row["row"]], str(row["threads"])] + [
            cell_with_unit(row["values"].get(n), row["unit"]) for n in names]) + " |")
    lines += ["", "Medians over processes ± half the distance between the quartiles."]
    lines += [""] * bool(result["failures"]) + [
        "- %s failed: %s, %d threads: %s" % (NAME_OF[f["runtime"]], f["row"], f["threads"], f["reason"])
        for f in result["failures"]]
    return "\n".join(lines)


def table(args):
    print(markdown(load_result(args.result)))
    return 0


def main():
    parser, _, p, _ = command_line("Measures recorded tasks beside tasks with dependences.", run, table,
                                   "replay-latest")
    p.add_argument("--threads", default="1,2,4", help="team sizes")
    p.set_defaults(processes=7)
    act(parser)


if __name__ == "__main__":
    main()
