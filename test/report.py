"""Many tests at a time, counted: results, and what is printed of them. Used through harness.py."""

import concurrent.futures
import json
import os
import re
import shlex
import sys
import threading

import costs
import stacks

PASS, FAIL, SKIP = "pass", "fail", "skip"
TAIL_LINES = 40


def tail(text, lines=TAIL_LINES):
    """The last lines of a test's output; of a hung one also all its stacks."""
    words, mark, stood = text.partition(stacks.MARK)
    rows = words.rstrip("\n").split("\n") if words.strip() else []
    rows = (["[... %d lines before these]" % (len(rows) - lines)] if len(rows) > lines else []) + rows[-lines:]
    if mark:
        rows += (mark + stood).strip("\n").split("\n")
    return "\n".join("    | " + r for r in rows)


class Report:
    """Counts results and prints failures with their output and skips with their reason."""

    def __init__(self, verbose=False):
        self.passed = self.failed = self.skipped = 0
        self.failures = []
        self.costs = costs.Costs()
        self.verbose = verbose
        self.lock = threading.Lock()
        self.counts = {}  # group: [passed, failed, skipped]
        self.apart = None  # the group that runs now, where its tests have the names of other groups
        self.sample = ""  # the runner's options that chose the tests, or nothing

    def group_of(self, name):
        return self.apart or name.partition("/")[0]

    def _count(self, group, *counts):
        row = self.counts.setdefault(group, [0, 0, 0])
        row[:] = [a + b for a, b in zip(row, counts)]

    def again(self, name):
        """How a test of a sampled run is run again; the same seed, since a test may sample its own configurations."""
        if not self.sample:
            return ""
        exactly = shlex.quote("^%s$" % re.escape(name))
        words = "test/run.py %s%s --filter %s" % (self.group_of(name), self.sample, exactly)
        return " (again: %s)" % words.replace("\\-", "-")

    def add(self, name, result, detail="", output=""):
        with self.lock:
            self._count(self.group_of(name), result == PASS, result == FAIL, result == SKIP)
            if result == PASS:
                self.passed += 1
                if self.verbose:
                    print("PASS %s" % name)
            elif result == SKIP:
                self.skipped += 1
                print("SKIP %s: %s" % (name, detail))
            else:
                self.failed += 1
                detail += self.again(name)
                self.failures.append((name, detail))
                print("FAIL %s: %s" % (name, detail))
                if output.strip():
                    print(tail(output))
            # The driver's output is often a pipe: a reader must see the progress.
            sys.stdout.flush()

    def add_counts(self, group, passed, failed, skipped):
        with self.lock:
            self._count(group, passed, failed, skipped)
            self.passed += passed
            self.failed += failed
            self.skipped += skipped

    def last_line(self):
        return "%d passed, %d failed, %d skipped" % (self.passed, self.failed, self.skipped)


def parallel(function, items, jobs):
    """[function(i) for i in items], `jobs` at a time; an exception of one stops the run."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
        futures = [pool.submit(function, i) for i in items]
        try:
            return [f.result() for f in futures]
        except BaseException:
            for f in futures:
                f.cancel()
            raise


def write_json(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    new = "%s.%d.new" % (path, os.getpid())  # another run may write it now
    with open(new, "w", encoding="utf-8") as f:
        json.dump(value, f, indent=1, sort_keys=True)
        f.write("\n")
    os.replace(new, path)
