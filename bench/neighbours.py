#!/usr/bin/env python3
"""Measures OpenMP constructs beside other processes that compute on the same CPUs: ghc-openmp, libgomp and libomp.

    bench/neighbours.py run [--name NAME] [--neighbours 0,1,2] [--rows regions,doacross] [--threads M] [--nice N]
                            [--runtimes ...] [--processes N] [--seconds S]
    bench/neighbours.py table RESULT.json

A *neighbour* is a process that only computes (bench/noise.py has some that sleep meanwhile). The runtimes take turns
beside the same neighbours. It writes bench/results/NAME.json and prints a Markdown table. How to read it:
docs/results/benchmarks.md. Needs only Python's standard library.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import (Watch, act, beside, built, cell, check_served, command_line, conditions_text, die,  # noqa: E402
                    environment, finish_run, limit_option, load_result, machine, rows_asked, spawn, spread,
                    take_samples)
from construct_rows import OURS, ratio_cell, rightly, steps_text, titled  # noqa: E402
from peers import find_runtimes, runtime_options, versions_of  # noqa: E402
from rounds import MOST_WORSE  # noqa: E402

# Row to what a step is, and the work in each part of it, in microseconds.
ROWS = {
    "regions": ("a region", (0, 20, 1000)),
    "barriers": ("a round of two barriers", (0, 20, 1000)),
    "doacross": ("an iteration that waits for the one before", (0,)),
    "ordered": ("an iteration of `for ordered schedule(static, 1)`", (0,)),
    "dynamic": ("a loop of 64 iterations, `dynamic, 1`", (1,)),
    "guided": ("a loop of 64 iterations, `guided`", (1,)),
    "copyprivate": ("a `single copyprivate`", (0,)),
    "reduction": ("a region that reduces an array of 4,096", (0,)),
    "critical": ("an entry of a critical section", (0, 1)),
    "tasks": ("a region of 64 tasks and a taskwait", (1,)),
    "threads": ("a thread that comes, opens a region and ends", (0,)),
    "threads-user": ("the same, without CAP_SYS_ADMIN", (0,)),
    "masters": ("a region of any of 16 masters at once", (0,)),
}


def numbers(text, option, least):
    try:
        found = [int(n) for n in text.split(",")]
    except ValueError:
        found = [-1]
    if min(found) < least or max(found) > 512:
        die("%s takes numbers from %d to 512, for example 1,2, not %s" % (option, least, text))
    return found


def neighbours(binary, count, nice):
    """So many processes that compute, while the block runs."""
    return beside([["nice", "-n", str(nice), binary, "compute"]] * count)


def run(args):
    build = os.path.abspath(args.build)
    binary = built(build, "neighbours", "make bench-neighbours")
    runtimes = find_runtimes(args.runtimes.split(","), build, args.peer)
    names = list(runtimes)
    cpus = len(os.sched_getaffinity(0))
    counts = numbers(args.neighbours, "--neighbours", 0)
    threads = numbers(args.threads, "--threads", 1)[0] if args.threads else cpus
    cells = [(row, work, count) for row in rows_asked(args, ROWS) for work in ROWS[row][1] for count in counts]

    def take(cell_, name):
        row, work, _ = cell_
        sample = spawn([binary, row, str(work), str(args.seconds)], environment(runtimes[name], threads))
        check_served(sample, runtimes[name][2], runtimes[name][1])
        return {"per_s": sample["per_s"], "cpus": sample["cpus"]}

    watch = Watch(args.processes, args.limit, hard=bool(args.limit))
    samples, failed = take_samples(watch, [(cell_, rightly(names, cell_[0])) for cell_ in cells], take,
                                   around=lambda cell_: neighbours(binary, cell_[2], args.nice))
    failures = [{"row": row, "work_us": work, "neighbours": count, "runtime": name, "reason": reason}
                for (row, work, count), name, reason in failed]
    result = {
        "machine": dict(machine(args.cc), **versions_of(args.peer)),
        "conditions": watch.conditions(window_ms=args.seconds * 1000),
        "nice": args.nice,
        "runtimes": names,
        "rows": [dict(row=row, work_us=work, neighbours=count, threads=threads, unit="/s",
                      values={n: spread(v) for n, v in samples[(row, work, count), "per_s"].items()},
                      cpus={n: spread(v) for n, v in samples[(row, work, count), "cpus"].items()})
                 for row, work, count in cells if ((row, work, count), "per_s") in samples],
        "failures": failures,
    }
    return finish_run(result, args, markdown(result))


def cpu_cell(row, name):
    """The CPU time that a step took on all CPUs together, in microseconds; results of before have none."""
    used, done = row.get("cpus", {}).get(name), row["values"].get(name)
    return "%.3g" % (1e6 * used["median"] / done["median"]) if used and done and done["median"] else ""


def markdown(result):
    names = result["runtimes"]
    ours = [name for name in names if name in OURS]
    timed = names if any("cpus" in row for row in result["rows"]) else []
    head = (["step", "work, us", "neighbours"] + [titled(n) for n in names] +
            [titled(n) + " / better peer" for n in ours] + [titled(n) + ", CPU us a step" for n in timed])
    lines = conditions_text(result) + [
        "Teams of %d threads; neighbours at nice %d. Steps a second: more is better. **Bold**: more than %.0f %% below "
        "the better peer, and below it in three quarters of the rounds." % (
            result["rows"][0]["threads"] if result["rows"] else 0, result["nice"], (MOST_WORSE - 1) * 100), "",
        "| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    for row in result["rows"]:
        values = row["values"]
        lines.append("| " + " | ".join([row["row"], "%g" % row["work_us"], str(row["neighbours"])] +
                                       [cell(values.get(n)) for n in names] +
                                       [ratio_cell(values, n, less=False) for n in ours] +
                                       [cpu_cell(row, n) for n in timed]) + " |")
    lines += ["", "Medians over processes ± half the distance between the quartiles. A step:", ""]
    return "\n".join(lines + steps_text(result, ROWS))


def table(args):
    print(markdown(load_result(args.result)))
    return 0


def main():
    parser, _, p, _ = command_line("Measures constructs beside processes that compute, on ghc-openmp and its peers.",
                                   run, table, "neighbours-latest")
    p.add_argument("--neighbours", default="0,1,2",
                   help="how many processes compute beside, with commas between them")
    p.add_argument("--rows", help="only these rows, with commas between them")
    p.add_argument("--threads", help="the team's size; by default the number of CPUs")
    p.add_argument("--nice", type=int, default=0, help="the neighbours' nice value, 0 to 19")
    runtime_options(p)
    limit_option(p)
    p.add_argument("--seconds", type=float, default=1.0, help="how long a process works")
    p.set_defaults(processes=5)
    act(parser)


if __name__ == "__main__":
    main()
