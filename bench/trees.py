#!/usr/bin/env python3
"""Measures searches of unbalanced trees, a task for each node, on ghc-openmp, libgomp and libomp.

    bench/trees.py run [--name NAME] [--shapes binomial,spine] [--variants tied] [--threads 1,2,4] [--runtimes ...]
                       [--processes N] [--seconds S] [--full]
    bench/trees.py table RESULT.json

By default every shape as tied tasks, and the binomial one in all variants; --full combines all. It writes
bench/results/NAME.json and prints a Markdown table. How to read it: docs/results/benchmarks.md. Needs only Python's
standard library.
"""

import os
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import (Failed, Watch, act, built, cell, check_served, command_line, conditions_text,  # noqa: E402
                    die, environment, limit_option, load_result, machine, spawn, spread, take_samples, write_result)
from construct_rows import OURS, ratio_cell, titled  # noqa: E402
from peers import find_runtimes, runtime_options, versions_of  # noqa: E402
from rounds import MOST_WORSE  # noqa: E402
from run import teams  # noqa: E402

SHAPES = {
    "geometric": "the number of children is geometrically distributed with mean 4, to depth 9",
    "binomial": "eight children or none, just below the critical number: subtrees tiny and huge, 1,000 levels",
    "binary": "two children or none, likewise",
    "spine": "5,000 levels; each node has three leaves beside the next level's",
    "spines": "200 such spines, of 500 levels on average",
    "flat": "4,000 children with 60 leaves each",
}
VARIANTS = {
    "tied": "a task for each child and a taskwait",
    "untied": "untied tasks",
    "if": "`if` cuts off at depth 10",
    "final": "`final` cuts off at depth 10",
    "taskyield": "a taskyield in each node",
    "taskgroup": "a taskgroup instead of the taskwait",
}
LIMIT_S = 20  # for three searches; a runtime that needs longer for a cell is not measured there again
STACK = "256M"  # of each thread: peers recurse as deep as the tree
SPEEDUP = 1.7  # of two threads, wanted


def chosen(text, known, what):
    names = text.split(",")
    for name in names:
        if name not in known:
            die("no %s named %s; there are %s" % (what, name, ", ".join(known)))
    return names


def run(args):
    build = os.path.abspath(args.build)
    binary = built(build, "trees", "make bench-trees")
    runtimes = find_runtimes(args.runtimes.split(","), build, args.peer)
    names = list(runtimes)
    shapes = chosen(args.shapes, SHAPES, "shape")
    variants = chosen(args.variants, VARIANTS, "variant")
    cells = [(shape, variant, m) for shape in shapes for variant in variants for m in teams(args.threads)
             if args.full or shape == "binomial" or variant == "tied"]
    nodes, given_up = {}, set()

    def take(cell_, name):
        shape, variant, m = cell_
        if (cell_, name) in given_up:
            return {}
        env = dict(environment(runtimes[name], m), OMP_STACKSIZE=STACK)
        try:
            sample = spawn([binary, shape, variant, str(args.seconds)], env, limit_s=LIMIT_S)
            check_served(sample, runtimes[name][2], runtimes[name][1])
        except Failed:
            given_up.add((cell_, name))
            raise
        nodes[shape] = sample["nodes"]
        return {"ns": sample["ns"]}

    watch = Watch(args.processes, args.limit, hard=bool(args.limit))
    samples, failed = take_samples(watch, [(cell_, names) for cell_ in cells], take)
    failures = [{"shape": shape, "variant": variant, "threads": m, "runtime": name, "reason": reason}
                for (shape, variant, m), name, reason in failed]
    result = {
        "machine": dict(machine(args.cc), **versions_of(args.peer)),
        "conditions": watch.conditions(window_ms=args.seconds * 1000),
        "runtimes": names,
        "nodes": nodes,
        "rows": [dict(shape=shape, variant=variant, threads=m, unit="ns",
                      values={n: spread(v) for n, v in samples[(shape, variant, m), "ns"].items()})
                 for shape, variant, m in cells if ((shape, variant, m), "ns") in samples],
        "failures": failures,
    }
    path = write_result(result, args)
    print(markdown(result))
    print("Written to %s." % os.path.relpath(path))
    return 1 if any(f["runtime"] in OURS for f in failures) else 0


def speedups(result):
    """{(shape, variant, runtime of ours): how many times as fast two threads are as one}: the median of the rounds.
    In a round both are measured within seconds, so that a machine whose speed changes does not show in it."""
    samples = {(row["shape"], row["variant"], row["threads"], name): values["samples"]
               for row in result["rows"] for name, values in row["values"].items() if name in OURS}
    found = {}
    for (shape, variant, m, name), two in samples.items():
        one = samples.get((shape, variant, 1, name), [])
        if m == 2 and len(one) == len(two):  # else a round failed, which has no sample
            found[shape, variant, name] = statistics.median(a / b for a, b in zip(one, two))
    return found


def markdown(result):
    names = result["runtimes"]
    ours = [name for name in names if name in OURS]
    faster = speedups(result)
    head = (["tree", "variant", "threads"] + [titled(n) for n in names] + [titled(n) + " / better peer" for n in ours] +
            [titled(n) + ", one thread / two" for n in ours])
    lines = conditions_text(result) + [
        "Nanoseconds for a node. **Bold**: more than %.0f %% above the better peer, and in three quarters of the "
        "rounds; a second thread that makes it less than %.1f times as fast." % ((MOST_WORSE - 1) * 100, SPEEDUP), "",
        "| " + " | ".join(head) + " |", "|---|---|" + "---:|" * (len(head) - 2)]
    for row in result["rows"]:
        values, gains = row["values"], []
        ratios = [ratio_cell(values, name, less=True) for name in ours]
        for name in ours:
            gain = faster.get((row["shape"], row["variant"], name)) if row["threads"] == 2 else None
            gains.append("-" if gain is None else ("%.2f" if gain >= SPEEDUP else "**%.2f**") % gain)
        lines.append("| " + " | ".join([row["shape"], row["variant"], str(row["threads"])] +
                                       [cell(values.get(n)) for n in names] + ratios + gains) + " |")
    lines += ["", "Medians over processes ± half the distance between the quartiles; of one thread / two the median of "
              "the rounds. A dash: it failed, see below.", ""]
    lines += ["- *%s*, %s nodes: %s" % (shape, "{:,}".format(result["nodes"][shape]), SHAPES[shape])
              for shape in dict.fromkeys(row["shape"] for row in result["rows"])]
    lines += ["- *%s*: %s" % (v, VARIANTS[v]) for v in dict.fromkeys(row["variant"] for row in result["rows"])]
    failed = dict.fromkeys((f["runtime"], f["shape"], f["variant"], f["threads"], f["reason"])
                           for f in result["failures"])
    lines += [""] * bool(failed) + ["- %s failed: %s, %s, %d threads: %s" % (titled(f[0]), *f[1:]) for f in failed]
    return "\n".join(lines)


def table(args):
    print(markdown(load_result(args.result)))
    return 0


def main():
    parser, _, p, _ = command_line("Measures searches of unbalanced trees on ghc-openmp and its peers.", run, table,
                                   "trees-latest")
    p.add_argument("--shapes", default=",".join(SHAPES), help="some of " + ", ".join(SHAPES))
    p.add_argument("--variants", default=",".join(VARIANTS), help="some of " + ", ".join(VARIANTS))
    p.add_argument("--threads", default="1,2,4,8,64", help="team sizes")
    runtime_options(p)
    limit_option(p)
    p.add_argument("--seconds", type=float, default=0.3, help="how long a process searches, three times at least")
    p.add_argument("--full", action="store_true", help="all variants of all shapes")
    p.set_defaults(processes=5)
    act(parser)


if __name__ == "__main__":
    main()
