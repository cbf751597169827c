#!/usr/bin/env python3
"""Measures packaged libraries, called from many threads at once, and packaged programs on ghc-openmp and its peers.

    bench/c_call.py run [--name NAME] [--rows dgemm-96,gromacs] [--threads 2,8] [--runtimes ...] [--processes N]
                        [--window MS] [--limit SECONDS]
    bench/c_call.py table RESULT.json

A row is a call of Debian's OpenBLAS or FFTW (bench/c/calls.c) with so many callers, or a whole program of Debian's
(bench/programs.py). None of them is compiled for a runtime: the loader's search path chooses it, and the runtimes take
turns. It writes bench/results/NAME.json and prints a Markdown page. How to read it: docs/results/benchmarks.md. Needs
Python's standard library and the packages of `tools/deps.sh bench-c-call`.
"""

import collections
import glob
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import counters  # noqa: E402
from common import (Failed, Watch, act, built, cell_with_unit, check_served, command_line,  # noqa: E402
                    conditions_text, die, environment, finish_run, load_result, machine, package_of, peer, rows_asked,
                    spawn, spread, take_samples)
from construct_rows import OURS, ratio_cell, titled  # noqa: E402
from programs import PROGRAMS, check_loaded  # noqa: E402
from peers import find_runtimes, runtime_options, versions_of  # noqa: E402
from rounds import MOST_WORSE  # noqa: E402
from run import teams  # noqa: E402

LIMIT_S = 430  # no round starts that would end later
# A call: the program of bench/c and its size. callers: how many threads make it at once.
Call = collections.namedtuple("Call", "program size callers what")
CALLS = {
    "dgemm-64": Call("calls-dgemm", "64", (1, 8, 64), "OpenBLAS: dgemm of 64 rows, which it does without a team"),
    "dgemm-96": Call("calls-dgemm", "96", (1, 8, 64), "OpenBLAS: dgemm of 96 rows"),
    "dgemm-256": Call("calls-dgemm", "256", (1, 8), "OpenBLAS: dgemm of 256 rows"),
    "fft-16k": Call("calls-fft", "16384", (1, 8, 64), "FFTW: a transform of 16,384 points"),
    "fft-256k": Call("calls-fft", "262144", (1, 8), "FFTW: a transform of 262,144 points"),
    "fft-128x128": Call("calls-fft", "128x128", (1, 8), "FFTW: a transform of 128 x 128 points"),
    "fft-512x512": Call("calls-fft", "512x512", (1, 8), "FFTW: a transform of 512 x 512 points"),
}
LIBRARIES = {"calls-dgemm": "openblas-openmp/libopenblas.so.0", "calls-fft": "libfftw3_omp.so.3"}
ROWS = list(CALLS) + list(PROGRAMS)
# Of 64 callers OpenBLAS lets one in at a time while the others spin: a few calls a second.
LONGER = {("dgemm-96", 64): 5}
# Value: (its unit, the title of its table, more is better).
VALUES = {
    "per_s": ("/s", "Calls of all callers, a second: more is better", True),
    "p99_us": ("us", "99th percentile of a call, as its caller sees it", False),
    "time_ms": ("ms", "Programs, from spawn to exit", False),
    "switches": ("", "Context switches of the programs' threads", False),
}
Cell = collections.namedtuple("Cell", "row callers threads")


# ---- samples ----


def call_sample(cell, runtime, build, window_ms):
    """A library's callers, for a window."""
    call = CALLS[cell.row]
    binary = os.path.join(build, "bench", call.program)
    window_ms *= LONGER.get((cell.row, cell.callers), 1)
    found = spawn([binary, call.size, str(cell.callers), str(window_ms)], environment(runtime, cell.threads))
    check_served(found, runtime[2], runtime[1])
    return {value: found[value] for value in ("per_s", "p99_us") if value in found}


class Program:
    """A packaged program, its input in a folder of its own, and its right result."""

    def __init__(self, name, folder, libgomp):
        self.spec, self.folder = PROGRAMS[name], os.path.join(folder, name)
        self.binary = binary_of(name)
        os.mkdir(self.folder)
        env = environment(libgomp, 1)
        self.spec.prepare(self.binary, self.folder, env)
        text, _ = counters.run(self.spec.command(self.binary, self.folder, 1), env, None)
        self.wanted = self.spec.outcome(self.folder, text)
        if not self.spec.same(self.wanted, self.wanted):
            raise Failed("no result with libgomp and one thread: " + text.strip()[-300:])

    def sample(self, runtime, threads, first):
        env = environment(runtime, threads)
        if first:
            check_loaded(self.binary, env, runtime[2])
        text, values = counters.run(self.spec.command(self.binary, self.folder, threads), env, None)
        if "ghc-openmp:" in text:
            raise Failed("the runtime complains: " + text[text.index("ghc-openmp:"):].splitlines()[0])
        got = self.spec.outcome(self.folder, text)
        if not self.spec.same(got, self.wanted):
            raise Failed("wrong result: %.100s, not %.100s" % (got, self.wanted))
        return values


def binary_of(name):
    found = shutil.which(PROGRAMS[name].binary)
    if found is None:
        die("no %s; install the package %s (tools/deps.sh bench-c-call)" % (
            PROGRAMS[name].binary, PROGRAMS[name].package))
    return found


# ---- running ----


def cells_of(rows, asked, cpus):
    """Libraries have teams of one thread for each CPU, programs of four times as many, too."""
    cells = []
    for row in rows:
        callers = CALLS[row].callers if row in CALLS else (1,)
        sizes = asked or ([cpus] if row in CALLS else [cpus, 4 * cpus])
        cells += [Cell(row, count, size) for count in callers for size in sizes]
    return cells


def measure(args, rows, runtimes, folder):
    """Samples by (cell, value) and series, the failures, and the Watch."""
    build, names = os.path.abspath(args.build), list(runtimes)
    constructs = os.path.join(build, "bench", "constructs")
    try:
        programs = {row: Program(row, folder, peer("libgomp", build) + (None,)) for row in rows if row in PROGRAMS}
    except Failed as failure:
        die(str(failure))
    watch = Watch(args.processes, args.limit)

    def take(cell, name):
        if cell.row in CALLS:
            return call_sample(cell, runtimes[name], build, args.window)
        return programs[cell.row].sample(runtimes[name], cell.threads, watch.rounds == 0)

    cells = cells_of(rows, teams(args.threads) if args.threads else None, len(os.sched_getaffinity(0)))
    samples, failed = take_samples(watch, [(cell, names) for cell in cells], take,
                                   constructs if os.path.exists(constructs) else None)
    return samples, [dict(cell._asdict(), runtime=name, reason=reason) for cell, name, reason in failed], watch


def run(args):
    rows, build = rows_asked(args, ROWS), os.path.abspath(args.build)
    for program in {CALLS[row].program for row in rows if row in CALLS}:
        built(build, program, "make bench-c-call")
    runtimes = find_runtimes(args.runtimes.split(","), build, args.peer)
    with tempfile.TemporaryDirectory() as folder:
        samples, failures, watch = measure(args, rows, runtimes, folder)
    result = {
        "machine": dict(machine(args.cc), **versions_of(args.peer)),
        "conditions": watch.conditions(window_ms=args.window),
        "packages": packages(rows),
        "runtimes": list(runtimes),
        "rows": [dict(call=cell.row, callers=cell.callers, threads=cell.threads, value=value, unit=VALUES[value][0],
                      values={name: spread(found) for name, found in by_name.items()})
                 for (cell, value), by_name in samples.items() if value in VALUES],
        "failures": failures,
    }
    return finish_run(result, args, "\n".join(page(result)))


def packages(rows):
    """The packages that are measured, with their versions."""
    paths = [library_of(CALLS[row].program) if row in CALLS else binary_of(row) for row in rows]
    return sorted({package_of(path) or os.path.basename(path) for path in paths})


def library_of(program):
    """The file of the library that a program of bench/c calls."""
    found = sorted(glob.glob("/usr/lib/*/" + LIBRARIES[program]))
    return found[0] if found else LIBRARIES[program]


# ---- the page ----


def page(result):
    names = result["runtimes"]
    ours = [name for name in names if name in OURS]
    lines = conditions_text(result) + [
        "", "%s. **Bold**: ours is worse than the better peer by more than %.0f %%, and worse in three quarters of the "
        "rounds." % (", ".join(result["packages"]), (MOST_WORSE - 1) * 100)]
    for value, (unit, title, more) in VALUES.items():
        rows = [row for row in result["rows"] if row["value"] == value]
        if not rows:
            continue
        whole = rows[0]["call"] in PROGRAMS
        head = ["program"] if whole else ["call", "callers"]
        head += ["threads"] + [titled(n) for n in names] + [titled(n) + " / better peer" for n in ours]
        lines += ["", "## " + title, "", "| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
        for row in rows:
            cells = ([row["call"]] + [str(row["callers"])] * (not whole) + [str(row["threads"])] +
                     [cell_with_unit(row["values"].get(n), unit) for n in names] +
                     [ratio_cell(row["values"], n, less=not more) for n in ours])
            lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "Medians over processes ± half the distance between the quartiles.", ""]
    shown = dict.fromkeys(row["call"] for row in result["rows"])
    return lines + ["- *%s*: %s" % (name, (CALLS.get(name) or PROGRAMS[name]).what) for name in shown]


def table(args):
    print("\n".join(page(load_result(args.result))))
    return 0


def main():
    parser, _, p, _ = command_line("Measures packaged libraries and programs on ghc-openmp and its peers.", run, table,
                                   "c-call-latest")
    p.add_argument("--rows", help="only these, with commas between them: " + ", ".join(ROWS))
    p.add_argument("--threads", help="team sizes of all rows; by default a thread for each CPU, for programs four, too")
    runtime_options(p)
    p.add_argument("--window", type=int, default=400, metavar="MS", help="how long calls are counted")
    p.add_argument("--limit", type=float, default=LIMIT_S, metavar="SECONDS", help="start no round that ends later")
    p.set_defaults(processes=5)
    act(parser)


if __name__ == "__main__":
    main()
