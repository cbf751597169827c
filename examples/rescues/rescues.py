#!/usr/bin/env python3
"""Programs in the situations that users of OpenMP report, on the system's runtimes and on ours, taking turns.

    examples/rescues/rescues.py run [--rows NAME,...] [--runtimes libgomp,libomp,ours] [--runs N] [--limit SECONDS]
                                    [--out FILE]
    examples/rescues/rescues.py table RESULT.json
    examples/rescues/rescues.py list

`make rescues` builds the runtime and calls `run`: each program's run has a limit of time, after which it is killed and
counted as hung, and its result is compared with that of one thread on libgomp. It writes the result as JSON and prints
a Markdown table. What a row needs and the machine lacks leaves the row out, with the reason. Exit status 1 where ours
hung, failed or had another result; of the others that is what the table shows. docs/guide/rescues.md says what the rows
show. Needs Python's standard library and gcc. Tested by test/rescues.
"""

import argparse
import os
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(ROOT, "bench"), os.path.join(ROOT, "tools")]
import cgroups  # noqa: E402
from common import dumps_result, environment, load_result, machine, peer  # noqa: E402
from rows import ROWS, Missing  # noqa: E402
from sample import take  # noqa: E402

RUNTIMES = ("libgomp", "libomp", "ours")
REFERENCE_LIMIT_S = 120


def die(text):
    sys.exit("ghc-openmp: rescues: " + text)


def found(names, build):
    """{name: (folder for LD_LIBRARY_PATH, GHCOMP_HOST)}, without a libomp that is not installed."""
    runtimes = {}
    for name in names:
        if name == "ours":
            folder = os.path.join(build, "dropin")
            if not os.path.exists(os.path.join(folder, "libgomp.so.1")):
                die("there is no %s/libgomp.so.1: run make dropin first" % folder)
            runtimes[name] = (folder, "posix")
        elif name in RUNTIMES:
            there = peer(name, build)
            if there is None:
                print("libomp is left out: install libomp5-19", file=sys.stderr)
            else:
                runtimes[name] = (there[0], None)
        else:
            die("there is no runtime %s, only %s" % (name, ", ".join(RUNTIMES)))
    return runtimes


def variables(row, runtime, threads):
    env = environment((runtime[0], runtime[1], None), threads or 1)
    if threads is None:
        del env["OMP_NUM_THREADS"]
    if row.preload and runtime[0]:
        env["LD_PRELOAD"] = os.path.join(runtime[0], "libgomp.so.1")
    return env


def reference(row, command):
    """The result with one thread on the system's libgomp, outside of any control group."""
    one = take(command, variables(row, (None, None), 1), REFERENCE_LIMIT_S)
    if one.outcome != "ended":
        raise Missing("its program %s with one thread on libgomp: %s" % (one.outcome, one.text))
    return one.text


class Limited:
    """The row's control group, where it wants one."""

    def __init__(self, row):
        self.group, self.join = None, None
        if row.group:
            kind, limit = row.group
            self.group, why = cgroups.make(kind)
            if self.group is None:
                raise Missing("no control group can be made here: " + why)
            self.group.limit(limit)
            self.join = self.group.join

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.group:
            self.group.close()


def measured(row, runtimes, runs, folder):
    """{runtime: what became of its runs}, the runtimes taking turns; Missing where the row cannot be run."""
    command = row.make(folder)
    wanted = reference(row, command)
    samples = {name: [] for name in runtimes}
    with Limited(row) as limited:
        for number in range(runs):
            order = list(runtimes)[number % len(runtimes):] + list(runtimes)[:number % len(runtimes)]
            for name in order:
                env = variables(row, runtimes[name], row.threads)
                samples[name].append(take(command, env, row.limit_s, limited.join))
    return {name: summary(some, wanted) for name, some in samples.items()}


def summary(samples, wanted):
    ended = [s for s in samples if s.outcome == "ended"]
    counts = {"runs": len(samples), "hung": sum(s.outcome == "hung" for s in samples),
              "failed": sum(s.outcome == "failed" for s in samples),
              "wrong": sum(s.text != wanted for s in ended)}
    for name in ("wall_s", "cpu_s"):
        values = [getattr(s, name) for s in ended]
        counts[name] = round(statistics.median(values), 3) if values else None
    words = [s.text for s in samples if s.outcome == "failed"]
    counts["why"] = words[0] if words else None
    return counts


def good(counts):
    return not (counts["hung"] or counts["failed"] or counts["wrong"])


def cell(counts):
    """`0.52 s, 0.91 s CPU`, and what went wrong."""
    wrong = ["%s %d of %d" % (what, counts[what], counts["runs"]) for what in ("hung", "failed", "wrong")
             if counts[what]]
    times = [] if counts["wall_s"] is None else ["%.2f s, %.2f s CPU" % (counts["wall_s"], counts["cpu_s"])]
    return "; ".join(wrong + times)


def markdown(result):
    names = result["runtimes"]
    lines = ["%(cpu)s, %(cpus_usable)d CPUs, %(system)s, %(date)s" % result["machine"], "",
             "| | threads | " + " | ".join(names) + " |", "|---|---:|" + "---|" * len(names)]
    for row in result["rows"]:
        lines.append("| %s | %s | %s |" % (row["title"], row["threads"] or "default",
                                           " | ".join(cell(row["of"][name]) for name in names)))
    lines += ["", "Medians of wall time and of CPU time over %d runs." % result["runs"]]
    return "\n".join(lines + ["Left out: %s: %s." % tuple(pair) for pair in result["left_out"]])


def run(args):
    build = os.path.abspath(args.build)
    chosen = [row for row in ROWS if not args.rows or row.name in args.rows.split(",")]
    unknown = set(filter(None, args.rows.split(","))) - {row.name for row in ROWS}
    if unknown:
        die("there is no row %s; `rescues.py list` names them" % ", ".join(sorted(unknown)))
    if args.runs < 1:
        die("--runs takes a positive number")
    if args.limit is not None and not args.limit > 0:
        die("--limit takes a positive number")
    runtimes = found(args.runtimes.split(","), build)
    folder = os.path.join(build, "rescues")
    os.makedirs(folder, exist_ok=True)
    result = {"machine": machine("gcc"), "runs": args.runs, "runtimes": list(runtimes), "rows": [], "left_out": []}
    for row in chosen:
        start = time.monotonic()
        try:
            of = measured(row._replace(limit_s=args.limit or row.limit_s), runtimes, args.runs, folder)
        except Missing as e:
            result["left_out"].append([row.name, str(e)])
            print("%s: left out: %s" % (row.name, e), file=sys.stderr, flush=True)
            continue
        result["rows"].append({"name": row.name, "title": row.title, "threads": row.threads, "of": of})
        print("%s: %.0f s" % (row.name, time.monotonic() - start), file=sys.stderr, flush=True)
    path = args.out or os.path.join(ROOT, "bench", "results", "rescues-latest.json")
    with open(path, "w", encoding="utf-8") as f:
        f.write(dumps_result(result))
    print(markdown(result))
    for row in result["rows"]:
        if row["of"].get("ours", {}).get("why"):
            print("%s on ours: %s" % (row["name"], row["of"]["ours"]["why"]))
    print("\nWritten to %s." % os.path.relpath(path))
    return 0 if all(good(row["of"]["ours"]) for row in result["rows"] if "ours" in row["of"]) else 1


def main():
    p = argparse.ArgumentParser(description="Programs in bad situations, on the system's runtimes and ours.")
    actions = p.add_subparsers(dest="action", required=True)
    r = actions.add_parser("run", help="run the rows")
    r.add_argument("--rows", default="", help="names with commas between them (default: all)")
    r.add_argument("--runtimes", default=",".join(RUNTIMES), help="some of " + ", ".join(RUNTIMES))
    r.add_argument("--runs", type=int, default=5, help="of each row on each runtime (default: 5)")
    r.add_argument("--limit", type=float, help="seconds after which a run counts as hung (default: the row's own)")
    r.add_argument("--build", default=os.path.join(ROOT, "build"), help="the build folder")
    r.add_argument("--out", help="the result (default: bench/results/rescues-latest.json)")
    t = actions.add_parser("table", help="a result as Markdown")
    t.add_argument("result")
    actions.add_parser("list", help="the rows")
    args = p.parse_args()
    if args.action == "run":
        return run(args)
    if args.action == "table":
        print(markdown(load_result(args.result)))
    else:
        print("\n".join("%-13s %s" % (row.name, row.title) for row in ROWS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
