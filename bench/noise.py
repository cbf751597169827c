#!/usr/bin/env python3
"""Measures OpenMP constructs beside noise, and programs with serial phases: ghc-openmp and its peers.

    bench/noise.py run [--name NAME] [--rows regions,phases] [--processes N] [--seconds S] [--runtimes ...] [--peer ...]
    bench/noise.py table RESULT.json

*Noise* is other processes that want a CPU now and then: 1x5/50 is one that computes for 5 ms and then sleeps for 50,
again and again; `shell` is a shell that starts short processes all the time. A *serial phase* is a part of a program
that one thread computes between two regions. The runtimes take turns beside the same noise. Each process gives the mean
time of a step, the median and the worst of slices of 50 ms, and the CPU time of a step. It writes
bench/results/NAME.json and prints a Markdown table. How to read it: docs/results/benchmarks.md. Needs only Python's
standard library.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import (Watch, act, beside, built, cell, check_served, command_line, conditions_text,  # noqa: E402
                    environment, finish_run, limit_option, load_result, machine, rows_asked, spawn, spread,
                    take_samples)
from construct_rows import OURS, ratio_cell, rightly, steps_text, titled  # noqa: E402
from peers import find_runtimes, runtime_options, versions_of  # noqa: E402
from rounds import MOST_WORSE  # noqa: E402

QUIET = "none"
NOISE = (QUIET, "1x0.2/5", "1x1/20", "1x5/50", "2x5/50", "1x20/200", "1x100/400", "shell")
FEWER = (QUIET, "1x5/50")
# Row: what a step is, the work in each part of it in microseconds, and the noise by the number of threads.
ROWS = {
    "regions": ("a region", (0,), {2: NOISE, 4: FEWER}),
    "barriers": ("a round of two barriers", (0,), {2: NOISE, 4: FEWER}),
    "dynamic": ("a loop of 64 iterations of 1 us, `dynamic, 1`", (1,), {2: NOISE, 4: FEWER}),
    "ordered": ("an iteration of `for ordered schedule(static, 1)`", (0,), {2: NOISE, 4: FEWER}),
    "tasks": ("a region of 64 tasks of 1 us and a taskwait", (1,), {2: NOISE, 4: FEWER}),
    "critical": ("1 us of work and an entry of a critical section", (1,), {2: NOISE, 4: FEWER}),
    "phases": ("a serial phase of so many microseconds and a region of 50 us of work for each thread",
               (100, 1000, 5000, 50000), {2: (QUIET,)}),
}
VALUES = ("mean", "median slice", "worst slice", "CPU time")


def commands(binary, noise):
    """Of the processes of the noise."""
    if noise == "shell":
        return [["sh", "-c", "while :; do /bin/true; done"]]
    count, _, times = noise.partition("x")
    return [[binary, "compute"] + times.split("/")] * int(count) if times else []


def left(noise, cpus):
    """The part of the CPUs' time that the noise leaves, where that is known."""
    count, _, times = noise.partition("x")
    if not times:
        return 1 if noise == QUIET else None
    on, off = (float(part) for part in times.split("/"))
    return 1 - int(count) * on / (on + off) / cpus


def run(args):
    build = os.path.abspath(args.build)
    binary = built(build, "neighbours", "make bench-noise")
    runtimes = find_runtimes(args.runtimes.split(","), build, args.peer)
    names = list(runtimes)
    cells = [(row, work, threads, noise) for row in rows_asked(args, ROWS) for work in ROWS[row][1]
             for threads, noises in ROWS[row][2].items() for noise in noises]

    def take(cell_, name):
        row, work, threads, _ = cell_
        sample = spawn([binary, row, str(work), str(args.seconds)], environment(runtimes[name], threads))
        check_served(sample, runtimes[name][2], runtimes[name][1])
        mean = 1e9 / sample["per_s"]
        return dict(zip(VALUES, (mean, sample["median_ns"], sample["worst_ns"], sample["cpus"] * mean)))

    watch = Watch(args.processes, args.limit, hard=bool(args.limit))
    samples, failed = take_samples(watch, [(cell_, rightly(names, cell_[0])) for cell_ in cells], take,
                                   around=lambda cell_: beside(commands(binary, cell_[3])))
    result = {
        "machine": dict(machine(args.cc), **versions_of(args.peer)),
        "conditions": watch.conditions(window_ms=args.seconds * 1000),
        "runtimes": names,
        "rows": [dict(row=row, work_us=work, noise=noise, threads=threads, value=value, unit="ns",
                      values={n: spread(v) for n, v in samples[(row, work, threads, noise), value].items()})
                 for row, work, threads, noise in cells for value in VALUES
                 if ((row, work, threads, noise), value) in samples],
        "failures": [{"row": row, "work_us": work, "threads": threads, "noise": noise, "runtime": name,
                      "reason": reason} for (row, work, threads, noise), name, reason in failed],
    }
    return finish_run(result, args, markdown(result))


def of_allowed(result, row, name):
    """A mean beside noise, divided by the quiet mean over the CPU time that the noise leaves."""
    share = left(row["noise"], result["machine"]["cpus_usable"])
    if row["value"] != "mean" or row["noise"] == QUIET or share is None or name not in row["values"]:
        return ""
    for other in result["rows"]:
        if other["noise"] == QUIET and name in other["values"] and all(
                other[key] == row[key] for key in ("row", "work_us", "threads", "value")):
            return "%.2f" % (row["values"][name]["median"] * share / other["values"][name]["median"])
    return ""


def markdown(result):
    names = result["runtimes"]
    ours = [name for name in names if name in OURS]
    head = (["step", "work, us", "threads", "noise", "value"] + [titled(n) for n in names] +
            [titled(n) + " / better peer" for n in ours] + [titled(n) + " / allowed" for n in ours])
    lines = conditions_text(result) + [
        "ns a step, over the whole time and in slices of 50 ms. *Allowed* is the quiet mean, divided by the part of "
        "the CPU time that the noise leaves. **Bold**: more than %.0f %% above the better peer, and above it in three "
        "quarters of the rounds." %
        ((MOST_WORSE - 1) * 100), "",
        "| " + " | ".join(head) + " |", "|---|---:|---:|---|---|" + "---:|" * (len(head) - 5)]
    for row in result["rows"]:
        values = row["values"]
        lines.append("| " + " | ".join(
            [row["row"], "%g" % row["work_us"], str(row["threads"]), row["noise"], row["value"]] +
            [cell(values.get(n)) for n in names] + [ratio_cell(values, n, less=True) for n in ours] +
            [of_allowed(result, row, n) for n in ours]) + " |")
    lines += ["", "Medians over processes ± half the distance between the quartiles. Noise: 2x5/50 is two processes, "
              "each of which computes for 5 ms and then sleeps for 50; *shell* starts short processes all the time. A "
              "step:", ""]
    return "\n".join(lines + steps_text(result, ROWS))


def table(args):
    print(markdown(load_result(args.result)))
    return 0


def main():
    parser, _, p, _ = command_line("Measures constructs beside noise, and serial phases, on ghc-openmp and its peers.",
                                   run, table, "noise-latest")
    p.add_argument("--rows", help="only these rows, with commas between them")
    runtime_options(p)
    limit_option(p)
    p.add_argument("--seconds", type=float, default=0.5, help="how long a process works")
    p.set_defaults(processes=20)
    act(parser)


if __name__ == "__main__":
    main()
