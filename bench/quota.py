#!/usr/bin/env python3
"""Measures what programs get done under a CPU quota, on ghc-openmp, libgomp and libomp, with their default teams.

    bench/quota.py run [--name NAME] [--quotas 0.5,1,1.5] [--runtimes ...] [--processes N] [--seconds S]
    bench/quota.py table RESULT.json

Needs a control group that it may make (root, and a hierarchy that is not mounted read-only; tools/cgroups.py). It
writes bench/results/NAME.json and prints a Markdown table. How to read it: docs/results/benchmarks.md. Needs only
Python's standard library.
"""

import contextlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "tools")]
import cgroups  # noqa: E402
from common import (Watch, act, built, cell, check_served, command_line, conditions_text, die,  # noqa: E402
                    environment, finish_run, load_result, machine, spawn, spread, take_samples)
from construct_rows import titled  # noqa: E402
from peers import find_runtimes, runtime_options, versions_of  # noqa: E402

# The values of a sample: the work done, in percent of what the quota allows one thread's code to do without a runtime;
# the median and the 99th percentile of a region's time; how long the kernel throttled the group, in CPUs.
VALUES = ("work_percent", "p50_us", "p99_us", "throttled")


def values_of(sample, cpus, throttled_s):
    """`cpus` is the quota, or the number of CPUs where that is less."""
    return {"work_percent": 100 * sample["work_s"] / sample["wall_s"] / cpus, "p50_us": sample["p50_us"],
            "p99_us": sample["p99_us"], "throttled": throttled_s / sample["wall_s"]}


def run(args):
    build = os.path.abspath(args.build)
    binary = built(build, "quota", "make bench-quota")
    runtimes = find_runtimes(args.runtimes.split(","), build, args.peer)
    names = list(runtimes)
    try:
        quotas = [float(q) for q in args.quotas.split(",")]
        if min(quotas) <= 0:
            raise ValueError
    except ValueError:
        die("--quotas takes numbers of CPUs above 0, for example 0.5,1,1.5, not " + args.quotas)
    group, why = cgroups.make()
    if group is None:
        die("no control group can be made here: %s; run as root where /sys/fs/cgroup may be written" % why)
    try:
        return measure(args, binary, quotas, names, runtimes, group)
    finally:
        group.close()


def measure(args, binary, quotas, names, runtimes, group):
    # The shell joins the group and becomes the program.
    command = ["sh", "-c", 'echo 0 > "$0" && exec "$@"', os.path.join(group.folder, "cgroup.procs"), binary,
               str(args.seconds)]
    cpus = len(os.sched_getaffinity(0))
    teams = {}

    @contextlib.contextmanager
    def limited(quota):
        group.limit(quota)
        yield

    def take(quota, name):
        env = environment(runtimes[name], 1)
        del env["OMP_NUM_THREADS"]  # the default team is the question
        before = group.throttled_s()
        sample = spawn(command, env)
        check_served(sample, runtimes[name][2], runtimes[name][1])
        teams.setdefault((quota, name), set()).add(sample["threads"])
        return values_of(sample, min(quota, cpus), group.throttled_s() - before)

    watch = Watch(args.processes, None)
    samples, failed = take_samples(watch, [(quota, names) for quota in quotas], take, around=limited)
    failures = [{"quota": quota, "runtime": name, "reason": reason} for quota, name, reason in failed]
    result = {
        "machine": dict(machine(args.cc), **versions_of(args.peer)),
        "conditions": watch.conditions(window_ms=args.seconds * 1000),
        "group_version": group.version,
        "runtimes": names,
        "rows": [dict(quota=quota, runtime=name, threads=max(teams[quota, name]),
                      values={v: spread(samples[quota, v][name]) for v in VALUES})
                 for quota in quotas for name in names if (quota, name) in teams],
        "failures": failures,
    }
    return finish_run(result, args, markdown(result))


def markdown(result):
    lines = conditions_text(result) + ["Control groups of version %d." % result["group_version"], "",
        "| quota, CPUs | runtime | team | work, % of the quota | region, median us | region, 99th percentile us | "
        "throttled, CPUs |", "|---:|---|---:|---:|---:|---:|---:|"]
    for row in result["rows"]:
        v = row["values"]
        lines.append("| %g | %s | %d | %s | %s | %s | %.2f |" % (
            row["quota"], titled(row["runtime"]), row["threads"], cell(v["work_percent"]), cell(v["p50_us"]),
            cell(v["p99_us"]), v["throttled"]["median"]))
    return "\n".join(lines + ["", "Medians over processes ± half the distance between the quartiles."])


def table(args):
    print(markdown(load_result(args.result)))
    return 0


def main():
    parser, _, p, _ = command_line("Measures programs under a CPU quota on ghc-openmp and its peers.", run, table,
                                   "quota-latest")
    p.add_argument("--quotas", default="0.5,1,1.5", help="CPUs, with commas between them")
    runtime_options(p)
    p.add_argument("--seconds", type=float, default=1.0, help="how long a process works")
    p.set_defaults(processes=5)
    act(parser)


if __name__ == "__main__":
    main()
