#!/usr/bin/env python3
"""Runs make test ten times beside two processes that compute, with ten seeds, and prints a table of the results.

    test/ten_runs.py [--runs N] [--seed FIRST] [--beside N] [--log FOLDER] [-- COMMAND...]
    make check-ten TEN='--runs 5 --seed 20'

The seeds are FIRST, FIRST + 1, ...; by default FIRST is the seed that make test has now. COMMAND (make test) gets
TEST_SEED in its environment, and its last line must be `N passed, N failed, N skipped`, as the runner's. The table, in
Markdown, is for docs/internals/testing.md; FOLDER (build/ten-runs) gets each run's output. The processes that compute
are there while a run is, and end with this program, however it ends. Exit status 1 when a run had a failure or ended
without its counts.

test/scripts/ten_runs_test.py is the test of this file.
"""

import argparse
import collections
import contextlib
import os
import re
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import sample  # noqa: E402

ROOT = os.path.dirname(HERE)
COUNTS = re.compile(r"(\d+) passed, (\d+) failed, (\d+) skipped")
# It ends when its parent does: nothing is written into the pipe, whose other end only the parent has.
COMPUTE = """
import os, select
while not select.select([0], [], [], 0)[0]:
    sum(range(1000000))
"""

Run = collections.namedtuple("Run", "seed passed failed skipped minutes status")


@contextlib.contextmanager
def computing(count):
    """So many processes that compute."""
    read, write = os.pipe()
    others = [subprocess.Popen([sys.executable, "-c", COMPUTE], stdin=read) for _ in range(count)]
    os.close(read)
    try:
        yield
    finally:
        os.close(write)
        for other in others:
            other.wait()


def counts_of(path):
    """The numbers of a log's last line that has them; make's own messages may follow it."""
    with open(path, encoding="utf-8", errors="replace") as f:
        found = [m for m in map(COUNTS.fullmatch, map(str.strip, f)) if m]
    return [int(number) for number in found[-1].groups()] if found else None


class Stop:
    """Signals that end this program: the run that is on ends first. Handlers run in the main thread, at any time; one
    that raised an exception could do so when the run's process is there and not yet known here."""

    def __init__(self):
        self.number = self.run = None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.asked)

    def asked(self, number, _frame):
        self.number = number
        self.end_run()

    def end_run(self):
        if self.number is not None and self.run is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.run.pid, signal.SIGTERM)  # the runner ends its tests

    def call(self, command, **how):
        self.run = subprocess.Popen(command, start_new_session=True, **how)
        self.end_run()
        status = self.run.wait()
        if self.number is not None:
            sys.exit(128 + self.number)
        self.run = None
        return status


def one(seed, command, log, stop):
    start = time.monotonic()
    # Not as a part of the make that may have started this.
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    with open(log, "w", encoding="utf-8") as out:
        status = stop.call(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                           env=dict(env, TEST_SEED=str(seed)))
    counts = counts_of(log) or ["-", "-", "-"]
    return Run(seed, *counts, (time.monotonic() - start) / 60, status)


def table(runs):
    rows = ["| seed | passed | failed | skipped | minutes |", "|---|---|---|---|---|"]
    rows += ["| %d | %s | %s | %s | %.1f |" % run[:5] for run in runs]
    return rows


def arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--runs", type=int, default=10)
    p.add_argument("--seed", type=int, help="of the first run")
    p.add_argument("--beside", type=int, default=2, help="processes that compute")
    p.add_argument("--log", default=os.path.join(ROOT, os.environ.get("BUILD", "build"), "ten-runs"))
    p.add_argument("command", nargs="*", default=["make", "-j%d" % os.cpu_count(), "test"])
    return p.parse_args()


def main():
    o = arguments()
    first = sample.default_seed(ROOT) if o.seed is None else o.seed
    os.makedirs(o.log, exist_ok=True)
    runs, stop = [], Stop()
    for seed in range(first, first + o.runs):
        with computing(o.beside):
            runs.append(one(seed, o.command, os.path.join(o.log, "%d.log" % seed), stop))
        print("seed %d: %s passed, %s failed, %s skipped, %.1f minutes" % runs[-1][:5], flush=True)
    print("\n".join([""] + table(runs)))
    bad = [run for run in runs if run.status or run.failed != 0]
    for run in bad:
        print("seed %d: exit status %d: %s" % (run.seed, run.status, os.path.join(o.log, "%d.log" % run.seed)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
