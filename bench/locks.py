#!/usr/bin/env python3
"""Measures what waiting without locks is worth: constructs on ghc-openmp, on libgomp, and on a runtime of one mutex.

    bench/locks.py run [--name NAME] [--threads 1,2,4,8] [--processes N]
    bench/locks.py table RESULT.json [--charts FOLDER]

The runtime of one mutex and condition variables is bench/c/locked.c; the program is bench/c/constructs.c, and its rows
those of bench/run.py. `run` writes bench/results/NAME.json and prints a Markdown table. How to read it:
docs/results/benchmarks.md. Needs only Python's standard library.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chart  # noqa: E402
from common import (Watch, act, built, cell_with_unit, check_served, command_line, conditions_text,  # noqa: E402
                    environment, failures_of, finish_run, load_result, machine, note_of, spawn, spread, take_samples)
from construct_rows import DIVISOR, ROWS, TITLES  # noqa: E402
from peers import find_runtimes  # noqa: E402
from run import teams  # noqa: E402

MEASURED = ("parallel", "barrier", "critical", "sine", "stencil")
LOCKED = "locked"
NAMES = (LOCKED, "libgomp", "ours-posix", "ours-ghc")
NAME_OF = dict(TITLES, locked="one mutex")
CHARTED = ("parallel", "barrier")
BATCH_MS, BATCHES = 10, 5


def run(args):
    build = os.path.abspath(args.build)
    binary = built(build, "constructs", "make bench-locks")
    library = built(build, "locked/libgomp.so.1", "make bench-locks")
    runtimes = find_runtimes([name for name in NAMES if name != LOCKED], build)
    runtimes[LOCKED] = (os.path.dirname(library), None, library)
    cells = [(row, m) for row in MEASURED for m in teams(args.threads)]

    def take(cell, name):
        row, m = cell
        sample = spawn([binary, row, str(m), str(BATCH_MS), str(BATCHES)], environment(runtimes[name], m))
        check_served(sample, runtimes[name][2], runtimes[name][1])
        return {"value": sample["value"] / DIVISOR[ROWS[row].unit]}

    watch = Watch(args.processes, None)
    samples, failed = take_samples(watch, [(cell, list(NAMES)) for cell in cells], take, binary)
    result = {
        "machine": machine(args.cc),
        "conditions": watch.conditions(window_ms=BATCH_MS * BATCHES),
        "runtimes": list(NAMES),
        "rows": [dict(row=row, threads=m, unit=ROWS[row].unit,
                      values={n: spread(v) for n, v in samples[(row, m), "value"].items()})
                 for row, m in cells if ((row, m), "value") in samples],
        "failures": failures_of(failed),
    }
    return finish_run(result, args, markdown(result))


def times_as_fast(values, name):
    """How many times as fast as one mutex."""
    if LOCKED not in values or name not in values:
        return "-"
    return "%.3g" % (values[LOCKED]["median"] / values[name]["median"])


def markdown(result):
    names = result["runtimes"]
    others = [name for name in names if name != LOCKED]
    head = (["what", "threads"] + [NAME_OF[n] for n in names] +
            ["one mutex / " + NAME_OF[n] for n in others])
    lines = conditions_text(result) + ["", "| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    for row in result["rows"]:
        values = row["values"]
        lines.append("| " + " | ".join(
            [ROWS[row["row"]].what, str(row["threads"])] + [cell_with_unit(values.get(n), row["unit"]) for n in names] +
            [times_as_fast(values, n) for n in others]) + " |")
    lines += ["", "Medians over processes ± half the distance between the quartiles."]
    lines += [""] * bool(result["failures"]) + [
        "- %s failed: %s, %d threads: %s" % (NAME_OF[f["runtime"]], f["row"], f["threads"], f["reason"])
        for f in result["failures"]]
    return "\n".join(lines)


def charts(result, folder):
    """The pictures' files and captions, as links."""
    links = []
    for row in CHARTED:
        lines_of = [(NAME_OF[name], [(r["threads"], r["values"][name]["median"] / 1e3) for r in result["rows"]
                                    if r["row"] == row and name in r["values"]]) for name in result["runtimes"]]
        title = ROWS[row].what[0].upper() + ROWS[row].what[1:]
        path = os.path.join(folder, "results-locks-%s.svg" % row)
        with open(path, "w", encoding="utf-8") as f:
            f.write(chart.curves(title, "threads", "us", lines_of, log_y=True, note=note_of(result)))
        links += ["", "![%s](pictures/%s)" % (title, os.path.basename(path))]
    return "\n".join(links)


def table(args):
    result = load_result(args.result)
    print(markdown(result) + (charts(result, args.charts) if args.charts else ""))
    return 0


def main():
    parser, _, p, shown = command_line("Measures constructs on ghc-openmp, libgomp and a runtime of one mutex.", run,
                                       table, "locks-latest")
    p.add_argument("--threads", default="1,2,4,8", help="team sizes")
    p.set_defaults(processes=7)
    shown.add_argument("--charts", metavar="FOLDER", help="write the pictures there, and link them")
    act(parser)


if __name__ == "__main__":
    main()
