#!/usr/bin/env python3
"""Measures OpenMP constructs on ghc-openmp, libgomp and libomp in one run, and compares runs.

    bench/run.py run [--quick] [--name NAME] [--threads 1,2,4] [--rows ...] [--runtimes ...] [--processes N]
    bench/run.py table RESULT.json
    bench/run.py compare BEFORE.json AFTER.json [--limit 1.10]

`run` starts one process for each sample (runtime, row, number of threads), the runtimes taking turns, all from one
binary that was compiled once. It writes bench/results/NAME.json and prints a Markdown table. It fails when a kernel
finds a wrong result, when a sample ran on another runtime than it should, and when a sample does not end in time.
How to read the table: docs/benchmarks.md. Needs only Python's standard library.
"""

import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import (Failed, Watch, act, built, cell, check_served, command_line,  # noqa: E402
                    conditions_text, die, environment, find_libomp, link_libomp, load_result, machine, number,
                    rows_asked, spawn, spread, take_samples, write_result)

QUICK_LIMIT_S = 160

# name: (what an operation is, unit, True when less is better)
ROWS = {
    "parallel": ("an empty region", "ns", True),
    "barrier": ("a barrier in one region", "ns", True),
    "nested": ("an outer region of m, each thread with an inner region of 2", "ns", True),
    "resize": ("a region, m and 2m threads in turn", "ns", True),
    "for-static": ("a static loop of m iterations and its barrier", "ns", True),
    "single": ("a single block and its barrier", "ns", True),
    "reduction": ("a parallel for of m iterations with reduction(+)", "ns", True),
    "critical": ("an entry of one critical section, of all threads' entries", "ns", True),
    "lock": ("omp_set_lock and omp_unset_lock, of all threads' entries", "ns", True),
    "ordered": ("an iteration of for ordered schedule(static, 1)", "ns", True),
    "dynamic": ("an iteration of schedule(nonmonotonic: dynamic, 1)", "ns", True),
    "dynamic-monotonic": ("an iteration of schedule(monotonic: dynamic, 1)", "ns", True),
    "tasks": ("a task, all of them created by one thread", "ns", True),
    "task-fib": ("a task of fib(20), which creates 21,890", "ns", True),
    "task-depend": ("a task with depend(inout) in one of four chains", "ns", True),
    "taskloop": ("an iteration of taskloop grainsize(16)", "ns", True),
    "queens": ("all solutions for nine queens, a task for each queen of the first five rows", "ns", True),
    "sort": ("a merge sort of 16,384 numbers, two tasks for each part of more than 64", "ns", True),
    "critical-fair": ("the worst thread's part of its fair share in 1 ms, critical", "%", False),
    "lock-fair": ("the worst thread's part of its fair share in 1 ms, lock", "%", False),
    "start": ("a process that runs one region, from spawn to exit", "us", True),
    "memory": ("peak resident memory of such a process", "kB", True),
}
# The ratio to the better peer that we want to be at or below, by number of threads; "wanted" in the table.
WANTED = {
    "parallel": {1: 0.2, 2: 0.6, 4: 0.8},
    "barrier": {2: 0.5, 4: 0.8},
    "nested": {2: 0.5},
    "resize": {2: 0.3},
    "for-static": {2: 0.5},
    "single": {2: 0.8},
    "critical": {2: 1.0, 4: 1.0},
    "lock": {2: 1.0, 4: 1.0},
    "ordered": {2: 0.8, 4: 0.8},
    "dynamic": {2: 0.5},
    "dynamic-monotonic": {2: 1.0},
    "tasks": {1: 1.0, 2: 1.0, 4: 0.5},
    "task-fib": {1: 0.6, 2: 0.3, 4: 0.2},
    "task-depend": {1: 0.8, 2: 0.5, 4: 0.5},
    "taskloop": {2: 1.0},
}
# Where threads share a CPU, its scheduler decides who gets in within 1 ms, not the runtime.
NOT_OVERSUBSCRIBED = ("critical-fair", "lock-fair")

OURS = ("ours-posix", "ours-ghc")
PEERS = ("libgomp", "libomp")
TITLES = {"ours-posix": "ours, POSIX", "ours-ghc": "ours, GHC", "libgomp": "libgomp", "libomp": "libomp"}


# ---- the runtimes ----


def find_runtimes(names, build):
    """Name to (folder for LD_LIBRARY_PATH or None, value of GHCOMP_HOST or None, the object that must serve)."""
    runtimes = {}
    for name in names:
        if name in OURS:
            folder = os.path.join(build, "dropin")
            if not os.path.exists(os.path.join(folder, "libgomp.so.1")):
                die("no %s/libgomp.so.1; run make first" % folder)
            runtimes[name] = (folder, name[len("ours-"):], os.path.join(folder, "libgomp.so.1"))
        elif name == "libgomp":
            runtimes[name] = (None, None, None)
        elif name == "libomp":
            if find_libomp() is None:
                die("no libomp.so.5; install libomp5-19 (tools/deps.sh bench), or leave libomp out of --runtimes")
            folder = link_libomp(os.path.join(build, "bench", "libomp"))
            runtimes[name] = (folder, None, os.path.join(folder, "libgomp.so.1"))
        else:
            die("no runtime named %s; there are %s" % (name, ", ".join(OURS + PEERS)))
    return runtimes


def start_us(binary, threads, env):
    """Microseconds from spawn to exit of a process that runs one region: the best of five, as with batches."""
    null = os.open(os.devnull, os.O_RDWR)
    best = None
    for _ in range(5):
        began = time.perf_counter()
        pid = os.posix_spawn(binary, [binary, "start", str(threads)], env,
                             file_actions=[(os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1, 2)])
        _, status = os.waitpid(pid, 0)
        took = time.perf_counter() - began
        if status != 0:
            raise Failed("exit status %d" % os.waitstatus_to_exitcode(status))
        best = took if best is None else min(best, took)
    os.close(null)
    return best * 1e6


# ---- running ----


def run(args):
    build = os.path.abspath(args.build)
    binary = built(build, "constructs", "make bench or make bench-quick")
    names = args.runtimes.split(",")
    threads = [int(t) for t in args.threads.split(",")]
    rows = rows_asked(args, ROWS)
    processes = args.processes or (5 if args.quick else 10)
    batch_ms, batches = (10, 7) if args.quick else (15, 7)
    runtimes = find_runtimes(names, build)
    cpus = len(os.sched_getaffinity(0))

    cells = [((row, m), names) for row in rows for m in threads
             if not (row in NOT_OVERSUBSCRIBED and (m > cpus or m == 1))]

    def take(cell_, name):
        row, m = cell_
        env = environment(runtimes[name], m)
        result = spawn([binary, row, str(m), str(batch_ms), str(batches)], env)
        _, host, wanted = runtimes[name]
        check_served(result, wanted, host)
        return {"": start_us(binary, m, env) if row == "start" else result["value"]}

    watch = Watch(processes, QUICK_LIMIT_S if args.quick else None)
    samples, failed = take_samples(watch, binary, cells, take)
    failures = [{"row": row, "threads": m, "runtime": name, "reason": reason} for (row, m), name, reason in failed]

    result = {
        "machine": machine(args.cc),
        "conditions": watch.conditions(batch_ms=batch_ms, batches=batches),
        "runtimes": names,
        "rows": [dict(row=row, threads=m, unit=ROWS[row][1],
                      values={n: spread(v) for n, v in samples[(row, m), ""].items()})
                 for row in ROWS for m in threads if ((row, m), "") in samples],
        "failures": failures,
    }
    path = write_result(result, args)
    print(markdown(result))
    print("Written to %s." % os.path.relpath(path))
    if failures:
        print("%d samples FAILED:" % len(failures))
        print("\n".join("  " + line for line in failure_lines(failures)))
        return 1
    return 0


# ---- tables ----


def failure_lines(failures):
    """One line for each reason that a runtime failed for, with the cells that it concerns."""
    cells = {}
    for f in failures:
        cells.setdefault((f["runtime"], f["reason"]), []).append("%s at %d" % (f["row"], f["threads"]))
    return ["%s: %s (%d times: %s%s)" % (runtime, reason, len(where), ", ".join(list(dict.fromkeys(where))[:6]),
                                         ", ..." if len(set(where)) > 6 else "")
            for (runtime, reason), where in cells.items()]


def ratios(row, ours):
    """Ours to the better and to the worse peer, below 1 where ours is the better; None without a peer."""
    mine = row["values"].get(ours)
    peers = [row["values"][p]["median"] for p in PEERS if p in row["values"]]
    if mine is None or not peers:
        return None
    less_is_better = ROWS[row["row"]][2]
    median = mine["median"]
    all_ratios = [(median / p if less_is_better else p / median) if p and median else float("inf") for p in peers]
    return max(all_ratios), min(all_ratios)


def markdown(result):
    names = result["runtimes"]
    ours = [n for n in OURS if n in names]
    lines = conditions_text(result) + [""]
    head = ["row", "unit", "threads"] + [TITLES[n] for n in names]
    head += ["%s / better peer" % TITLES[o] for o in ours] + ["%s / worse peer" % TITLES[o] for o in ours]
    head += ["wanted / better peer"] if ours else []
    lines.append("| " + " | ".join(head) + " |")
    lines.append("|" + "|".join(["---", "---"] + ["---:"] * (len(head) - 2)) + "|")
    worse = []
    for row in result["rows"]:
        cells = [row["row"], row["unit"], str(row["threads"])] + [cell(row["values"].get(n)) for n in names]
        better_text, worse_text = [], []
        for o in ours:
            pair = ratios(row, o)
            better_text.append("%.2f" % pair[0] if pair else "-")
            worse_text.append("%.2f" % pair[1] if pair else "-")
            if pair and round(pair[1], 2) > 1:
                worse.append("%s at %d (%s, %.2f)" % (row["row"], row["threads"], TITLES[o], pair[1]))
        wanted = WANTED.get(row["row"], {}).get(row["threads"])
        wanted_text = ["%.2f" % wanted if wanted else "-"] if ours else []
        lines.append("| " + " | ".join(cells + better_text + worse_text + wanted_text) + " |")
    lines.append("")
    lines.append("Medians over processes ± half the distance between the quartiles; a ratio below 1 means that ours is "
                 "the better.")
    if ours:
        lines.append("Worse than both peers: " + ("; ".join(worse) if worse else "no row") + ".")
    return "\n".join(lines)


def short_markdown(result, rows):
    """Medians alone, of some rows: the table of the README."""
    names = result["runtimes"]
    lines = ["| ns | threads | " + " | ".join(TITLES[n] for n in names) + " |",
             "|---|---:|" + "---:|" * len(names)]
    for row in result["rows"]:
        if row["row"] in rows:
            values = [row["values"].get(n) for n in names]
            lines.append("| %s | %d | %s |" % (row["row"], row["threads"], " | ".join(
                number(v["median"]) if v else "-" for v in values)))
    return "\n".join(lines)


def insert(path, text):
    """Puts the text between the two marker lines of a Markdown file."""
    begin, end = "<!-- bench: begin -->\n", "<!-- bench: end -->"
    with open(path) as f:
        whole = f.read()
    if begin not in whole or end not in whole:
        die("%s has no lines %s and %s" % (path, begin.strip(), end))
    head, rest = whole.split(begin, 1)
    with open(path, "w") as f:
        f.write(head + begin + text + "\n" + end + rest.split(end, 1)[1])


def table(args):
    result = load_result(args.result)
    text = short_markdown(result, args.short.split(",")) if args.short else markdown(result)
    if args.into:
        insert(args.into, text)
    else:
        print(text)
    return 0


def compare(args):
    """A row is a regression when its median is worse by more than the limit and the quartiles do not overlap."""
    before, after = load_result(args.before), load_result(args.after)
    old = {(r["row"], r["threads"]): r for r in before["rows"]}
    regressions = 0
    for title, result in (("before", before), ("after", after)):
        print("%s: %s" % (title, " ".join(conditions_text(result)[:2])))
    a, b = before["conditions"]["transfer_ns"], after["conditions"]["transfer_ns"]
    if before["machine"]["cpu"] != after["machine"]["cpu"] or (
            a and b and not 0.8 < b["median"] / a["median"] < 1.25):
        print("The machines differ, or a cache line's transfer does: compare the ratios to the peers instead.")
    print()
    print("| row | unit | threads | runtime | before | after | after / before | |")
    print("|---|---|---:|---|---:|---:|---:|---|")
    for row in after["rows"]:
        was = old.get((row["row"], row["threads"]))
        for name in after["runtimes"]:
            if was is None or name not in was["values"] or name not in row["values"]:
                continue
            x, y = was["values"][name], row["values"][name]
            less_is_better = ROWS[row["row"]][2]
            change = y["median"] / x["median"] if x["median"] else float("inf")
            cost = change if less_is_better else (1 / change if change else float("inf"))
            apart = y["q1"] > x["q3"] if less_is_better else y["q3"] < x["q1"]
            gained = y["q3"] < x["q1"] if less_is_better else y["q1"] > x["q3"]
            verdict = ""
            if cost > args.limit and apart:
                verdict = "**worse**" if name in OURS else "peer worse"
                regressions += name in OURS
            elif cost < 1 / args.limit and gained:
                verdict = "better"
            if verdict or args.all:
                print("| %s | %s | %d | %s | %s | %s | %.2f | %s |" % (
                    row["row"], row["unit"], row["threads"], TITLES[name], cell(x), cell(y), change, verdict))
    print()
    print("%d regressions of ours (more than %.0f %% worse, quartiles apart)." % (regressions, (args.limit - 1) * 100))
    return 1 if regressions else 0


def main():
    parser, commands, p, shown = command_line("Measures OpenMP constructs on ghc-openmp and its peers.", run, table,
                                              "latest", "five processes a cell (under three minutes)")
    p.add_argument("--threads", default="1,2,4", help="team sizes, for example 1,2,4,8")
    p.add_argument("--runtimes", default=",".join(OURS + PEERS), help="some of " + ", ".join(OURS + PEERS))
    shown.add_argument("--short", help="only the medians of these rows, with commas between them")
    shown.add_argument("--into", help="put it between the bench markers of this Markdown file")
    p = commands.add_parser("compare", help="show what got worse between two results; exits 1 when ours did")
    p.add_argument("before")
    p.add_argument("after")
    p.add_argument("--limit", type=float, default=1.10, help="how much worse counts (1.10 is 10 %%)")
    p.add_argument("--all", action="store_true", help="show the rows that did not change, too")
    p.set_defaults(action=compare)
    act(parser)


if __name__ == "__main__":
    main()
