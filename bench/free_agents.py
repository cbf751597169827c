#!/usr/bin/env python3
"""Measures tasks that free agents run (threadset(omp_pool)) beside the same tasks without the clause, on ghc-openmp.

    bench/free_agents.py run [--name NAME] [--processes N]
    bench/free_agents.py table RESULT.json

10,000 tasks of 10 us each, made by one thread (bench/c/free_agents.c). `run` writes bench/results/NAME.json and prints
a Markdown table. How to read it: docs/results/benchmarks.md. Needs only Python's standard library.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import (Watch, act, built, check_served, command_line, conditions_text,  # noqa: E402
                    environment, load_result, machine, spawn, take_samples, write_result)
from common import quantity, spread  # noqa: E402
from pairs import cost, quotients_of  # noqa: E402
from run import find_runtimes  # noqa: E402

ROWS = {
    "serial": "a serial program",
    "region": "a region of one thread, beside the idle workers of another team",
    "masters": "one of two masters, whose other one waits",
}
HOSTS = {"ours-posix": "posix", "ours-ghc": "ghc"}
ALONE, AGENTS = "without", "agents"
WANTED = 1.8  # times as fast, on two CPUs


def run(args):
    build = os.path.abspath(args.build)
    binary = built(build, "free_agents", "make bench-free-agents")
    runtimes = find_runtimes(list(HOSTS), build)
    cells = [(row, name) for name in HOSTS for row in ROWS]

    def take(cell, series):
        row, name = cell
        env = environment(runtimes[name], len(os.sched_getaffinity(0)))
        sample = spawn([binary, row, "1" if series == AGENTS else "0"], env)
        check_served(sample, runtimes[name][2], runtimes[name][1])
        return {"ns": sample["ns"]}

    watch = Watch(args.processes, None)
    samples, failed = take_samples(watch, [(cell, [ALONE, AGENTS]) for cell in cells], take)
    result = {
        "machine": machine(args.cc),
        "conditions": watch.conditions(programs="10,000 tasks of 10 us, the best of 5 rounds"),
        "rows": [row_of(cell, samples[cell, "ns"]) for cell in cells if (cell, "ns") in samples],
        "failures": [{"row": row, "runtime": name, "series": series, "reason": reason}
                     for (row, name), series, reason in failed],
    }
    path = write_result(result, args)
    print(markdown(result))
    print("Written to %s." % os.path.relpath(path))
    return 1 if failed else 0


def row_of(cell, series):
    found = dict(row=cell[0], runtime=cell[1], unit="ns", values={name: spread(v) for name, v in series.items()})
    quotients = quotients_of(series, (AGENTS, ALONE))
    if quotients:
        found["times_as_fast"] = quotients
    return found


def markdown(result):
    lines = conditions_text(result) + [
        "",
        "| 10,000 tasks of 10 us in | host | without the clause | with it | times as fast (wanted: %.1f) |" % WANTED,
        "|---|---|---:|---:|---:|"]
    for row in result["rows"]:
        medians = [quantity(row["values"][name]["median"], "ns") if name in row["values"] else "-"
                   for name in (ALONE, AGENTS)]
        lines.append("| %s | %s | %s | %s |" % (ROWS[row["row"]], HOSTS[row["runtime"]], " | ".join(medians),
                                                cost(row.get("times_as_fast"))))
    lines += ["", "Medians over processes, of the fastest of five rounds each; the quotients with their quartiles."]
    return "\n".join(lines + ["- %(row)s, %(runtime)s, %(series)s, failed: %(reason)s" % f for f in result["failures"]])


def table(args):
    print(markdown(load_result(args.result)))
    return 0


def main():
    parser, _, p, _ = command_line("Measures tasks on free agents.", run, table, "free-agents-latest")
    p.set_defaults(processes=7)
    act(parser)


if __name__ == "__main__":
    main()
