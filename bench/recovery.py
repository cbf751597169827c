#!/usr/bin/env python3
"""Measures what noise costs OpenMP constructs while it is there, and after it, against the same process's quiet time.

    bench/recovery.py run [--name NAME] [--rows regions,tasks] [--processes N] [--seconds S] [--runtimes ...]
    bench/recovery.py table RESULT.json

The noise is bench/noise.py's, but it comes and goes within a process's time: for 200 ms, or the first whole number of
its cycles above that, and then not for 250. So each process has a quiet speed of its own: how far apart two CPUs of a
virtual machine are may change from process to process. *Beside noise* is the mean time of a step while the noise is
there, over what is allowed: the quiet time, divided by the part of the CPU time that the noise leaves. *Back* is the
mean from 20 to 70 ms after the noise's end, over the quiet time, which begins at 70. It writes bench/results/NAME.json
and prints a Markdown table. How to read it: docs/results/benchmarks.md. Needs only Python's standard library.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import (Failed, Watch, act, built, cell, check_served, command_line, conditions_text,  # noqa: E402
                    environment, finish_run, limit_option, load_result, machine, rows_asked, spawn, spread,
                    take_samples)
from construct_rows import rightly, steps_text, titled  # noqa: E402
from noise import ROWS as NOISE_ROWS, left  # noqa: E402
from peers import find_runtimes, runtime_options, versions_of  # noqa: E402

# The noise that ends, and is of known size; and rows that have some.
ROWS = {row: (what, work, {threads: [kind for kind in kinds if left(kind, 2) not in (None, 1)]
                           for threads, kinds in noises.items()})
        for row, (what, work, noises) in NOISE_ROWS.items() if row != "phases"}
VALUES = ("beside noise", "back")


def ratios(sample, share):
    """The values of a process beside noise that leaves this share of the CPU time."""
    if not min(sample[part] for part in ("noisy_ns", "back_ns", "quiet_ns")) > 0:
        raise Failed("a part of the noise's period had no step")
    return dict(zip(VALUES, (sample["noisy_ns"] * share / sample["quiet_ns"],
                             sample["back_ns"] / sample["quiet_ns"])))


def run(args):
    build = os.path.abspath(args.build)
    binary = built(build, "neighbours", "make bench-recovery")
    runtimes = find_runtimes(args.runtimes.split(","), build, args.peer)
    names = list(runtimes)
    cpus = len(os.sched_getaffinity(0))
    cells = [(row, work, threads, noise) for row in rows_asked(args, ROWS) for work in ROWS[row][1]
             for threads, noises in ROWS[row][2].items() for noise in noises]

    def take(cell_, name):
        row, work, threads, noise = cell_
        count, _, times = noise.partition("x")
        sample = spawn([binary, row, str(work), str(args.seconds), count] + times.split("/"),
                       environment(runtimes[name], threads))
        check_served(sample, runtimes[name][2], runtimes[name][1])
        return ratios(sample, left(noise, cpus))

    watch = Watch(args.processes, args.limit, hard=bool(args.limit))
    samples, failed = take_samples(watch, [(cell_, rightly(names, cell_[0])) for cell_ in cells], take)
    result = {
        "machine": dict(machine(args.cc), **versions_of(args.peer)),
        "conditions": watch.conditions(window_ms=args.seconds * 1000),
        "runtimes": names,
        "rows": [dict(row=row, work_us=work, recovery=noise, threads=threads, value=value, unit="",
                      values={n: spread(v) for n, v in samples[(row, work, threads, noise), value].items()})
                 for row, work, threads, noise in cells for value in VALUES
                 if ((row, work, threads, noise), value) in samples],
        "failures": [{"row": row, "work_us": work, "threads": threads, "noise": noise, "runtime": name,
                      "reason": reason} for (row, work, threads, noise), name, reason in failed],
    }
    return finish_run(result, args, markdown(result))


def markdown(result):
    names = result["runtimes"]
    lines = conditions_text(result) + [
        "Both values are ratios to the same process's quiet time, *beside noise* also to what CPU time is left.", ""]
    head = ["step", "threads", "noise"] + ["%s, %s" % (titled(n), value) for value in VALUES for n in names]
    lines += ["| " + " | ".join(head) + " |", "|---|---:|---|" + "---:|" * (len(head) - 3)]
    cells = {}
    for row in result["rows"]:
        cells.setdefault((row["row"], row["threads"], row["recovery"]), {})[row["value"]] = row["values"]
    for (row, threads, noise), values in cells.items():
        lines.append("| " + " | ".join(
            [row, str(threads), noise] + [cell(values[value].get(n)) for value in VALUES for n in names]) + " |")
    lines += ["", "Medians over processes ± half the distance between the quartiles. Noise: 2x5/50 is two processes, "
              "each of which computes for 5 ms and then sleeps for 50. A step:", ""]
    return "\n".join(lines + steps_text(result, ROWS))


def table(args):
    print(markdown(load_result(args.result)))
    return 0


def main():
    parser, _, p, _ = command_line("Measures what noise costs constructs while it is there, and after it.",
                                   run, table, "recovery-latest")
    p.add_argument("--rows", help="only these rows, with commas between them")
    runtime_options(p)
    limit_option(p)
    p.add_argument("--seconds", type=float, default=1.5, help="how long a process works")
    p.set_defaults(processes=20)
    act(parser)


if __name__ == "__main__":
    main()
