#!/usr/bin/env python3
"""Measures Debian's primecount, short regions of large teams, on ghc-openmp (both barriers), libgomp and libomp.

    bench/primecount.py run [--name NAME] [--threads 2,32] [--policies default,passive] [--count 1e14] [--runtimes ...]
                            [--processes N] [--limit SECONDS] [--primecount PROGRAM]
    bench/primecount.py table RESULT.json

A sample is a process of its own, `primecount COUNT --threads=N` with OMP_NUM_THREADS=N, which primecount takes as its
maximum; the runtimes take turns. Its result, the number of primes, must be right. Time is from spawn to exit; context
switches and CPU migrations are those of all threads (bench/counters.py). It writes bench/results/NAME.json and prints a
Markdown page. How to read it: docs/results/benchmarks.md. Needs only Python's standard library and the package
primecount.
"""

import os
import shutil
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import counters  # noqa: E402
from common import (Failed, ROOT, Watch, act, command_line, conditions_text, die, environment, finish_run,  # noqa: E402
                    first_line, limit_option, load_result, machine, no_samples, package_of, spread, take_samples)
from large import SERIES  # noqa: E402
from programs import check_loaded  # noqa: E402
from peers import find_runtimes  # noqa: E402
from run import teams  # noqa: E402

# The number of primes up to 10^n (OEIS A006880).
PRIMES = {9: 50847534, 10: 455052511, 11: 4118054813, 12: 37607912018, 13: 346065536839, 14: 3204941750802,
          15: 29844570422669, 16: 279238341033925, 17: 2623557157654233, 18: 24739954287740860}
POLICIES = {"default": None, "active": "active", "passive": "passive"}
VALUES = {"time_ms": "Time, ms", "switches": "Context switches of all threads",
          "migrations": "CPU migrations of all threads"}
KIT_PROGRAM = os.path.join(ROOT, "primecount", "primecount")


# ---- running ----


def exponent(text):
    for n in PRIMES:
        if text in ("1e%d" % n, "10**%d" % n):
            return n
    die("--count takes a power of ten from 1e%d to 1e%d, whose number of primes is known, not %s" % (
        min(PRIMES), max(PRIMES), text))


def program(asked):
    found = asked or (KIT_PROGRAM if os.path.exists(KIT_PROGRAM) else shutil.which("primecount"))
    if found is None or not os.access(found, os.X_OK):
        die("no primecount%s; install the package primecount-bin (tools/deps.sh demo)" % (
            " at " + asked if asked else ""))
    return found


def sample_environment(runtime, settings, policy, threads):
    env = dict(environment(runtime, threads), **settings)
    if policy:
        env["OMP_WAIT_POLICY"] = policy
    return env


def sample(binary, n, threads, env, by):
    text, values = counters.run([binary, "1e%d" % n, "--threads=%d" % threads], env, by)
    if text.strip() != str(PRIMES[n]):
        raise Failed("wrong result: %s, not %d" % (text.strip()[:100], PRIMES[n]))
    return values


def measure(args, binary, n, names, runtimes):
    """Samples by ((policy, threads), value) and series, the failures, the Watch, and how migrations were counted."""
    constructs = os.path.join(os.path.abspath(args.build), "bench", "constructs")
    by = counters.migrations_by()
    watch = Watch(args.processes, args.limit, hard=bool(args.limit))

    def take(cell, name):
        policy, size = cell
        _, runtime, settings = SERIES[name]
        env = sample_environment(runtimes[runtime], settings, POLICIES[policy], size)
        if watch.rounds == 0:
            check_loaded(binary, env, runtimes[runtime][2])
        return sample(binary, n, size, env, by)

    cells = [((policy, size), names) for policy in args.policies.split(",") for size in teams(args.threads)]
    samples, failed = take_samples(watch, cells, take, constructs if os.path.exists(constructs) else None)
    failures = [{"policy": policy, "threads": size, "runtime": name, "reason": reason}
                for (policy, size), name, reason in failed]
    return samples, failures, watch, by


def run(args):
    names, n = args.runtimes.split(","), exponent(args.count)
    for name in names:
        if name not in SERIES:
            die("no runtime named %s; there are %s" % (name, ", ".join(SERIES)))
    for policy in args.policies.split(","):
        if policy not in POLICIES:
            die("no waiting policy named %s; there are %s" % (policy, ", ".join(POLICIES)))
    binary = program(args.primecount)
    runtimes = find_runtimes(sorted({SERIES[name][1] for name in names}), os.path.abspath(args.build))
    samples, failures, watch, by = measure(args, binary, n, names, runtimes)
    if not samples and not failures:
        no_samples(args.limit)
    result = {
        "machine": machine(args.cc),
        "conditions": watch.conditions(programs="primecount 1e%d" % n),
        "program": package_of(binary) or (first_line(binary, "--version") or "primecount").split(",")[0],
        "migrations_by": by, "series": names,
        "rows": [{"primecount": "1e%d" % n, "policy": policy, "threads": size, "value": value,
                  "values": {name: spread(got) for name, got in by_name.items()}}
                 for ((policy, size), value), by_name in samples.items()],
        "failures": failures,
    }
    return finish_run(result, args, "\n".join(page(result)))


# ---- the page ----


def mean_and_deviation(values):
    if values is None:
        return "-"
    found = values["samples"]
    deviation = statistics.stdev(found) if len(found) > 1 else 0
    mean = statistics.mean(found)
    form = "{:,.0f} ± {:,.0f}" if mean >= 100 else "{:,.1f} ± {:,.1f}"
    return form.format(mean, deviation)


def counted_by(by):
    if by == "perf_event_open":
        return "CPU migrations by perf_event_open."
    if by is None:
        return "CPU migrations could not be counted: neither perf_event_open nor /proc/PID/task/*/sched is there."
    return ("CPU migrations by %s, each 20 ms, in a further process: perf_event_open is not allowed (as root, or with "
            "kernel.perf_event_paranoid=1, it is)." % by)


def page(result):
    lines = conditions_text(result) + ["", "%s; mean ± standard deviation over processes. Context switches by wait4's "
                                       "rusage. %s" % (result["program"], counted_by(result["migrations_by"]))]
    rows = {(row["value"], row["policy"], row["threads"]): row["values"] for row in result["rows"]}
    names = result["series"]
    for value, title in VALUES.items():
        cells = [(policy, size) for got, policy, size in rows if got == value]
        if not cells:
            continue
        lines += ["", "## " + title, "", "| waiting policy | threads | %s |" % " | ".join(SERIES[n][0] for n in names),
                  "|---|---:|" + "---:|" * len(names)]
        for policy, size in cells:
            lines.append("| %s | %d | %s |" % (policy, size, " | ".join(
                mean_and_deviation(rows[value, policy, size].get(name)) for name in names)))
    return lines


def table(args):
    print("\n".join(page(load_result(args.result))))
    return 0


def main():
    parser, _, p, _ = command_line("Measures primecount on ghc-openmp and its peers.", run, table, "primecount-latest")
    p.add_argument("--threads", default="2,8,32,64,128,256", help="team sizes, with commas between them")
    p.add_argument("--policies", default=",".join(POLICIES), help="some of " + ", ".join(POLICIES))
    p.add_argument("--count", default="1e14", help="count the primes up to this power of ten")
    p.add_argument("--runtimes", default=",".join(SERIES), help="some of " + ", ".join(SERIES))
    p.add_argument("--primecount", help="the program, when it is not in the PATH")
    limit_option(p)
    p.set_defaults(processes=5)
    act(parser)


if __name__ == "__main__":
    main()
