#!/usr/bin/env python3
"""From how many threads on the tree is the faster barrier: the runtime itself on simulated CPUs, one for each thread.

    bench/simulate_barriers.py run [--name NAME] [--threads 8,16,32] [--costs FILE]
    bench/simulate_barriers.py table RESULT.json

A sample is a run of bench/simulate (which `make simulate` builds) with GHCOMP_BARRIER=flat or tree. It depends on its
arguments alone, so each is one run. The costs are those of bench/results/simulate.json unless --costs names a file of
them; docs/results/neighbours.md says what they are. `run` writes bench/results/NAME.json and prints Markdown. Needs
only Python's standard library.
"""

import argparse
import concurrent.futures
import json
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import ROOT, built, die, load_result, machine, write_result  # noqa: E402
from simulate import LIMIT_S, table as markdown_table, with_costs  # noqa: E402

KINDS = ("flat", "tree")
ROWS = {"barriers": "barrier", "regions": "region"}
POLICIES = {"default": "awake", "passive": "asleep (`OMP_WAIT_POLICY=passive`)"}
THREADS = (2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192)
WORK_NS = 100  # of a member between two waits
MS = 20
COSTS = os.path.join(ROOT, "bench", "results", "simulate.json")


def step_ns(program, costs, row, threads, policy, kind):
    """What a step takes besides its work, in simulated nanoseconds: without the first quarter, in which the team is
    made."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "KMP_", "GHCOMP_"))}
    env["GHCOMP_BARRIER"] = kind
    if policy != "default":
        env["OMP_WAIT_POLICY"] = policy
    command = [program, costs, row, "--cpus", str(threads), "--threads", str(threads), "--work", str(WORK_NS), "--ms",
               str(MS)]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LIMIT_S)
    if done.returncode != 0:
        die("%s: exit status %d: %s" % (" ".join(command), done.returncode, done.stderr.strip()))
    steps = statistics.mean(json.loads(done.stdout)["step"][MS // 4:])
    return 1e6 / steps - WORK_NS if steps else None


def run(args):
    program = built(os.path.abspath(args.build), "simulate", "make simulate")
    costs = load_result(args.costs)
    costs = costs.get("costs", costs)
    cells = [(row, threads, policy) for policy in POLICIES for row in ROWS for threads in args.threads]

    def values(path):
        def take(cell):
            return {kind: step_ns(program, path, *cell, kind) for kind in KINDS}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            return list(pool.map(take, cells))

    result = {"machine": machine(args.cc), "costs": costs,
              "rows": [{"simulated": row, "threads": threads, "policy": policy, "ns": found}
                       for (row, threads, policy), found in zip(cells, with_costs(costs, values))]}
    path = write_result(result, args)
    print(markdown(result), end="")
    print("Written to %s." % os.path.relpath(path))
    return 0


def gains_from(rows):
    """The smallest size from which on the tree is the faster one; None: at none."""
    found = None
    for row in sorted(rows, key=lambda r: r["threads"]):
        if row["ns"]["tree"] is None or row["ns"]["flat"] is None or row["ns"]["tree"] >= row["ns"]["flat"]:
            found = None
        elif found is None:
            found = row["threads"]
    return found


def us(value):
    return "-" if value is None else "%.2f" % (value / 1e3)


def markdown(result):
    lines = ["**Nothing in this table was measured on CPUs.** The runtime's own code runs on [simulated "
             "ones](neighbours.md#waits-on-simulated-cpus), one for each thread, with the costs of two real ones; a "
             "line from another group of eight CPUs takes %d times as long. us, without the work of %d ns." % (
                 result["costs"]["far_factor"], WORK_NS), ""]
    sizes = sorted({row["threads"] for row in result["rows"]})
    by = {(row["simulated"], row["policy"], row["threads"]): row["ns"] for row in result["rows"]}
    series = [(row, policy) for policy in POLICIES for row in ROWS if (row, policy, sizes[0]) in by]
    head = ["threads"] + ["%s, %s, %s" % (ROWS[row], POLICIES[policy], kind) for row, policy in series
                          for kind in KINDS]
    lines.append(markdown_table(head, [[str(n)] + [us(by[row, policy, n][kind]) for row, policy in series
                                                   for kind in KINDS] for n in sizes]))
    for row, policy in series:
        size = gains_from([r for r in result["rows"] if (r["simulated"], r["policy"]) == (row, policy)])
        lines.append("- %s, %s: the tree is the faster one %s" % (
            ROWS[row], POLICIES[policy], "from %s on." % ("%d threads" % size if size else "none of these sizes")))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("run")
    p.add_argument("--build", default="build")
    p.add_argument("--name", default="simulate-barriers-latest")
    p.add_argument("--out", help="write the JSON here instead")
    p.add_argument("--cc", default="gcc")
    p.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=list(THREADS))
    p.add_argument("--costs", default=COSTS, help="a file of costs, or a result with them")
    p.set_defaults(function=run)
    p = commands.add_parser("table")
    p.add_argument("result")
    p.set_defaults(function=lambda a: print(markdown(load_result(a.result)), end=""))
    args = parser.parse_args()
    sys.exit(args.function(args))


if __name__ == "__main__":
    main()
