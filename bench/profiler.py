#!/usr/bin/env python3
"""Measures what `ghcomp profile` costs: the programs of bench/c with and without it, in pairs.

    bench/profiler.py run [--name NAME] [--threads 1,2] [--processes N]
    bench/profiler.py table RESULT.json

The programs are those of bench/run.py, in bench/c/constructs.c, and the tree searches of bench/trees.py, in
bench/c/trees.c. A pair is two processes one after the other, one of which the profiler watches; each has its own time
for a run, and the pair their quotient. `run` writes bench/results/NAME.json and prints Markdown tables. How to read
them: docs/results/benchmarks.md. Needs only Python's standard library.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pairs  # noqa: E402
from common import (Watch, act, built, check_served, command_line, conditions_text, die, environment,  # noqa: E402
                    failures_of, finish_run, load_result, machine, spawn, take_samples)
from construct_rows import DIVISOR, ROWS  # noqa: E402
from peers import find_runtimes  # noqa: E402
from run import teams  # noqa: E402
from trees import SHAPES, STACK, VARIANTS  # noqa: E402

MEASURED = [name for name, row in ROWS.items() if row.group == "programs"]
RUNTIME, PROFILED = "ours-posix", "profiled"
SERIES = (RUNTIME, PROFILED)
# What the profiler may cost; above that a row is bold.
MOST = 1.05
BATCH_MS, BATCHES = 20, 5
TREES = [(shape, variant) for shape in SHAPES for variant in VARIANTS if shape == "binomial" or variant == "tied"]
SEARCH_S = "0.2"  # three searches at least


def run(args):
    build = os.path.abspath(args.build)
    binary, trees = (built(build, name, "make bench-profiler") for name in ("constructs", "trees"))
    runtime = find_runtimes([RUNTIME], build)[RUNTIME]
    library = os.path.join(build, "dropin", "libghcomp_profile.so")
    if not os.path.exists(library):
        die("no %s; run make first" % library)
    tree_of = {tree_row(*tree): tree for tree in TREES}
    cells = [(row, m) for row in [*MEASURED, *tree_of] for m in teams(args.threads)]

    def take(cell_, name):
        row, m = cell_
        env = environment(runtime, m)
        if name == PROFILED:
            env["OMP_TOOL_LIBRARIES"] = library
        if row in tree_of:
            sample = spawn([trees, *tree_of[row], SEARCH_S], dict(env, OMP_STACKSIZE=STACK))
            value = sample["ns"]
        else:
            sample = spawn([binary, row, str(m), str(BATCH_MS), str(BATCHES)], env)
            value = sample["value"] / DIVISOR[ROWS[row].unit]
        check_served(sample, runtime[2], runtime[1])
        return {"value": value}

    watch = Watch(args.processes, None)
    samples, failed = take_samples(watch, [(cell_, list(SERIES)) for cell_ in cells], take, binary)
    found = [row_of(cell_, samples[cell_, "value"]) for cell_ in cells if (cell_, "value") in samples]
    result = {
        "machine": machine(args.cc),
        "conditions": watch.conditions(batch_ms=BATCH_MS, batches=BATCHES),
        "runtimes": list(SERIES),
        "rows": [row for row in found if row["row"] not in tree_of],
        "trees": [row for row in found if row["row"] in tree_of],
        "failures": failures_of(failed),
    }
    return finish_run(result, args, markdown(result))


def tree_row(shape, variant):
    return "%s, %s" % (shape, variant)


def row_of(cell_, series):
    row = ROWS.get(cell_[0])
    return pairs.row_of(cell_, series, row.unit if row else "ns", SERIES)


def markdown(result):
    lines = conditions_text(result) + [
        "*Cost* is the median quotient of the pairs, with its quartiles. **Bold**: more than %g." % MOST, "",
        "| program | threads | without, us | with the profiler, us | cost |", "|---|---:|---:|---:|---:|"]
    lines += [pairs.line(row, SERIES, most=MOST) for row in result["rows"]]
    if result.get("trees"):
        lines += ["", "Searches of [unbalanced trees](constructs.md#unbalanced-trees-on-two-cores), a node:", "",
                  "| shape and variant | threads | without, ns | with the profiler, ns | cost |",
                  "|---|---:|---:|---:|---:|"]
        lines += [pairs.line(row, SERIES, most=MOST, what=row["row"]) for row in result["trees"]]
    return "\n".join(lines + pairs.closing(result))


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
