#!/usr/bin/env python3
"""Measures tasks that free agents run (threadset(omp_pool)) beside the same tasks without the clause, on ghc-openmp.

    bench/free_agents.py run [--name NAME] [--processes N]
    bench/free_agents.py table RESULT.json

10,000 tasks of 10 us each, made by one thread (bench/c/free_agents.c). In each round of a process they take turns with
the same work by two threads of the C library: a machine whose CPUs share a core, or have other users, gives those two
less than twice the speed of one, and free agents no more. `run` writes bench/results/NAME.json and prints a Markdown
table. How to read it: docs/results/benchmarks.md. Needs only Python's standard library.
"""

import os
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import (Watch, act, built, check_served, command_line, conditions_text, environment,  # noqa: E402
                    finish_run, load_result, machine, spawn, take_samples)
from common import quantity, spread  # noqa: E402
from pairs import cost  # noqa: E402
from run import find_runtimes  # noqa: E402

ROWS = {
    "serial": "a serial program",
    "region": "a region of one thread, beside the idle workers of another team",
    "masters": "one of two masters, whose other one waits",
}
HOSTS = {"ours-posix": "posix", "ours-ghc": "ghc"}
SERIES = {"alone": "without", "agents": "agents", "threads": "threads"}  # in the program's output, and in results
AGENTS, THREADS = "agents", "threads"
WANTED = 1.8  # times as fast, on two CPUs


def run(args):
    build = os.path.abspath(args.build)
    binary = built(build, "free_agents", "make bench-free-agents")
    runtimes = find_runtimes(list(HOSTS), build)

    def take(row, name):
        sample = spawn([binary, row], environment(runtimes[name], len(os.sched_getaffinity(0))))
        check_served(sample, runtimes[name][2], runtimes[name][1])
        return values_of(sample)

    watch = Watch(args.processes, None)
    samples, failed = take_samples(watch, [(row, list(HOSTS)) for row in ROWS], take)
    result = {
        "machine": machine(args.cc),
        "conditions": watch.conditions(programs="10,000 tasks of 10 us, the median of 5 rounds"),
        "rows": [row_of(row, host, samples) for host in HOSTS for row in ROWS
                 if host in samples.get((row, THREADS), ())],
        "failures": [{"row": row, "runtime": name, "reason": reason} for row, name, reason in failed],
    }
    return finish_run(result, args, markdown(result))


def values_of(sample):
    """A process's medians over its rounds, in ns, and of the quotients within each round."""

    def times_as_fast(series):
        return statistics.median(alone / other for alone, other in zip(sample["alone"], sample[series]))

    values = {name: statistics.median(sample[key]) for key, name in SERIES.items()}
    return dict(values, times_as_fast=times_as_fast("agents"), threads_times_as_fast=times_as_fast("threads"))


def row_of(row, host, samples):
    def found(value):
        return spread(samples[row, value][host])

    return {"row": row, "runtime": host, "unit": "ns", "values": {name: found(name) for name in SERIES.values()},
            "times_as_fast": found("times_as_fast"), "threads_times_as_fast": found("threads_times_as_fast")}


def markdown(result):
    lines = conditions_text(result) + [
        "",
        "| 10,000 tasks of 10 us in | host | without the clause | with it | times as fast (wanted: %.1f) "
        "| two threads of the C library |" % WANTED,
        "|---|---|---:|---:|---:|---:|"]
    for row in result["rows"]:
        medians = [quantity(row["values"][name]["median"], "ns") for name in (SERIES["alone"], AGENTS)]
        lines.append("| %s | %s | %s | %s | %s |" % (ROWS[row["row"]], HOSTS[row["runtime"]], " | ".join(medians),
                                                     cost(row["times_as_fast"]), cost(row["threads_times_as_fast"])))
    lines += ["", "Medians over processes, of the medians over five rounds each; the quotients, taken within each "
              "round, with their quartiles. The last column is what the two CPUs gave the same work, half by each "
              "thread, in the same rounds."]
    return "\n".join(lines + ["- %(row)s, %(runtime)s, failed: %(reason)s" % f for f in result["failures"]])


def table(args):
    print(markdown(load_result(args.result)))
    return 0


def main():
    parser, _, p, _ = command_line("Measures tasks on free agents.", run, table, "free-agents-latest")
    p.set_defaults(processes=7)
    act(parser)


if __name__ == "__main__":
    main()
