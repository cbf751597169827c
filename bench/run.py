#!/usr/bin/env python3
"""Measures OpenMP constructs on ghc-openmp, libgomp and libomp, of any versions, in one run, and compares runs.

    bench/run.py run [--quick] [--name NAME] [--threads 1,2,4] [--rows ...] [--runtimes ...] [--processes N]
                     [--peer [NAME=]PATH ...]
                     [--set OMP_WAIT_POLICY=active] [--limit SECONDS]
    bench/run.py table RESULT.json [--charts FOLDER]
    bench/run.py compare BEFORE.json AFTER.json [--limit 1.10] [--relative]

`run` starts one process for each sample (runtime, row, number of threads), the runtimes alternating, all from one
binary that was compiled once. It writes bench/results/NAME.json and prints a Markdown table. It fails when a kernel
finds a wrong result, when a sample ran on the wrong runtime, and when one does not end in time. The rows:
bench/construct_rows.py; tables and pictures: bench/report.py; how to read them: docs/results/benchmarks.md. Needs only
Python's standard library.
"""

import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare  # noqa: E402
from common import (Failed, Watch, act, built, check_served, command_line, die, environment,  # noqa: E402
                    limit_option, load_result, machine, no_samples, rows_asked, spawn, spread, take_samples,
                    version_of, write_result)
from construct_rows import DIVISOR, OURS, ROWS, SWITCHES, SWITCHES_FROM, known_wrong, threads_of  # noqa: E402
from peers import find_runtimes, runs_clang, runtime_options, versions_of  # noqa: E402
from report import charts, markdown, short_markdown  # noqa: E402
from topology import MOST_THREADS  # noqa: E402

QUICK_LIMIT_S, FULL_LIMIT_S = 160, 890
# A process has one start and one first region: a sample of those is the best of several processes.
FIRST_REGIONS = 5
# With --before, ours of another build take turns with ours of this one: their names in a run.
BEFORE = "before "


# ---- the runtimes ----


def start_us(binary, threads, env):
    """Microseconds from spawn to exit of a process that runs one region: the best of several, as with batches."""
    null = os.open(os.devnull, os.O_RDWR)
    best = None
    for _ in range(FIRST_REGIONS):
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


def is_known(runtime, row, reason):
    return "wrong result" in reason and known_wrong(runtime, row) is not None


def teams(text):
    try:
        found = [int(t) for t in text.split(",")]
    except ValueError:
        found = [0]
    if min(found) < 1 or max(found) > MOST_THREADS:
        die("--threads takes numbers from 1 to %d, for example 1,2,4,8, not %s" % (MOST_THREADS, text))
    return sorted(set(found))


def settings(given):
    """--set's variables, by name. Those that choose the runtime or the team are not the caller's."""
    found = dict(text.partition("=")[::2] for text in given or [])
    for name in found:
        if not re.match(r"(OMP|GOMP|KMP|GHCOMP)_[A-Z_]+$", name) or name in ("OMP_NUM_THREADS", "GHCOMP_HOST"):
            die("--set takes a variable of an OpenMP runtime, other than OMP_NUM_THREADS and GHCOMP_HOST, for example "
                "OMP_WAIT_POLICY=active, not " + name)
    return found


class Sampler:
    """Takes samples of (row, threads) by a runtime's name; `wrong` has the known wrong results that it came across."""

    def __init__(self, binary, runtimes, chosen, batch_ms, batches):
        self.binary, self.runtimes, self.chosen = binary, runtimes, chosen
        self.batch = [str(batch_ms), str(batches)]
        self.wrong = set()

    def take(self, cell_, name):
        row, m = cell_
        env = dict(environment(self.runtimes[name], m), **self.chosen)
        kernel = "first" if row == "start" else row
        try:
            found = [spawn([self.binary, kernel, str(m)] + self.batch, env)
                     for _ in range(FIRST_REGIONS if row == "first" else 1)]
        except Failed as failure:
            if not is_known(name, row, str(failure)):
                raise
            self.wrong.add((name, row, m))
            return {}
        for result in found:
            check_served(result, self.runtimes[name][2], self.runtimes[name][1])
        if row == "start":
            return {row: start_us(self.binary, m, env)}
        values = {row: min(result["value"] for result in found) / DIVISOR.get(ROWS[row].unit, 1)}
        if row in SWITCHES and m >= SWITCHES_FROM:
            values[SWITCHES[row]] = found[0]["switches"]
        return values


def part_of(whole, names, about):
    """The result of some of a run's series: {their name in the run: their name in the result}. `whole` has the run's
    samples and failures, and what its results share."""
    by_row = {(row, m): values for ((_, m), row), values in whole["samples"].items()}
    return {
        "machine": about,
        "conditions": whole["conditions"],
        "environment": whole["environment"],
        "runtimes": list(names.values()),
        "rows": [dict(row=row, threads=m, unit=ROWS[row].unit,
                      values={names[n]: spread(v) for n, v in by_row[row, m].items() if n in names})
                 for row, m in sorted(by_row, key=lambda at: (list(ROWS).index(at[0]), at[1]))],
        "failures": [{"row": row, "threads": m, "runtime": names[name], "reason": reason}
                     for (row, m), name, reason in whole["failed"] if name in names],
        "known_wrong": sorted((names[n], row, m) for n, row, m in whole["wrong"] if n in names),
    }


def write_results(whole, names, args):
    """Writes and prints the run's result and, with --before, the other build's."""
    about = dict(machine(args.cc), **versions_of(args.peer))
    if args.before:
        old = {name: name.removeprefix(BEFORE) for name in names if name not in OURS}
        about_old = dict(about, ghc_openmp=version_of(os.path.dirname(os.path.abspath(args.before))))
        before = write_result(part_of(whole, old, about_old), args, "-before")
        print("The other build's result is in %s." % os.path.relpath(before))
    result = part_of(whole, {name: name for name in names if not name.startswith(BEFORE)}, about)
    path = write_result(result, args)
    print(markdown(result))
    print("Written to %s." % os.path.relpath(path))


def run(args):
    build = os.path.abspath(args.build)
    binary = built(build, "constructs-clang", "make bench-clang") if args.clang else built(
        build, "constructs", "make bench or make bench-quick")
    names = args.runtimes.split(",")
    if args.clang and "libgomp" in names:
        die("libgomp does not run clang's code; take others with --runtimes, for example ours-posix,ours-ghc,libomp")
    asked = teams(args.threads) if args.threads else None
    rows = rows_asked(args, [row for row in ROWS if row not in SWITCHES.values()])
    batch_ms, batches = (10, 7) if args.quick else (12, 7)
    runtimes = find_runtimes(names, build, args.peer)
    unable = [name for name, found in runtimes.items() if args.clang and name not in OURS and not runs_clang(found[2])]
    if unable:
        die("%s does not run clang's code: leave it out" % unable[0])
    if args.before:
        olds = find_runtimes([name for name in names if name in OURS], os.path.abspath(args.before))
        runtimes.update((BEFORE + name, old) for name, old in olds.items())
    names = list(runtimes)
    cpus = len(os.sched_getaffinity(0))
    cells = [((row, m), names) for row in rows for m in threads_of(row, asked, args.quick, cpus)]

    chosen = settings(args.set)
    sampler = Sampler(binary, runtimes, chosen, batch_ms, batches)
    watch = Watch(args.processes or (5 if args.quick else 10),
                  args.limit or (QUICK_LIMIT_S if args.quick else FULL_LIMIT_S), hard=bool(args.limit))
    samples, failed = take_samples(watch, cells, sampler.take, binary)
    if not samples and not failed:
        no_samples(args.limit)
    conditions = watch.conditions(batch_ms=batch_ms, batches=batches)
    write_results({"samples": samples, "failed": failed, "wrong": sampler.wrong, "conditions": conditions,
                   "environment": chosen}, names, args)
    if failed:
        print("%d samples FAILED:" % len(failed))
        print("\n".join("  " + line for line in failure_lines([
            {"row": row, "threads": m, "runtime": name, "reason": reason} for (row, m), name, reason in failed])))
        return 1
    return 0


# ---- tables ----


def failure_lines(failures):
    """One line for each reason for which a runtime failed, with the cells concerned."""
    cells = {}
    for f in failures:
        cells.setdefault((f["runtime"], f["reason"]), []).append("%s at %d" % (f["row"], f["threads"]))
    return ["%s: %s (%d times: %s%s)" % (runtime, reason, len(where), ", ".join(list(dict.fromkeys(where))[:6]),
                                         ", ..." if len(set(where)) > 6 else "")
            for (runtime, reason), where in cells.items()]


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
    if args.short:
        text = short_markdown(result, args.short.split(","))
    else:
        text = markdown(result, charts(result, args.charts, args.prefix) if args.charts else None)
    if args.into:
        insert(args.into, text)
    else:
        print(text)
    return 0


def main():
    parser, commands, p, shown = command_line("Measures OpenMP constructs on ghc-openmp and its peers.", run, table,
                                              "latest", "five processes a cell (under three minutes)")
    p.add_argument("--threads", help="team sizes of all rows, for example 1,2,4; by default 1,2,4,8,64, for parallel "
                                     "and barrier also 32,128,256")
    runtime_options(p)
    p.add_argument("--clang", action="store_true",
                   help="measure clang's code, on libomp and on ours (make bench-clang)")
    p.add_argument("--set", action="append", metavar="NAME=VALUE", help="a variable for every process, for example "
                   "OMP_WAIT_POLICY=active; may be repeated")
    limit_option(p)
    p.add_argument("--before", metavar="BUILD", help="another build folder, for example of the last release: its "
                   "samples alternate with those of --build, and are NAME-before.json: two results of one run")
    shown.add_argument("--short", help="only the medians of these, ROW:THREADS with commas between them")
    shown.add_argument("--into", help="put it between the bench markers of this Markdown file")
    shown.add_argument("--charts", help="also write pictures there, and show them")
    shown.add_argument("--prefix", default="results", help="the pictures are PREFIX-*.svg")
    compare.add_options(commands.add_parser("compare", help="show what got worse between two results of any kind"))
    act(parser)


if __name__ == "__main__":
    main()
