"""What a run's groups and tests cost: seconds of wall time, and seconds of CPUs that their processes used.

A test's CPU seconds are those of the processes that harness.run started for it, and of their children that were waited
for; a thread runs one test at a time. test/scripts/costs_test.py is the test of this file.
"""

import contextlib
import threading
import time

SLOWEST = 10

_thread = threading.local()


def spend(seconds):
    """CPU seconds of a process that has ended, for the test that this thread runs."""
    _thread.cpu = getattr(_thread, "cpu", 0.0) + seconds


class Costs:
    def __init__(self):
        self.lock = threading.Lock()
        self.groups = {}  # name: [wall, CPU]
        self.tests = []  # (wall, CPU, name)

    def _row(self, group):
        return self.groups.setdefault(group, [0.0, 0.0])

    @contextlib.contextmanager
    def group(self, name):
        start = time.monotonic()
        try:
            yield
        finally:
            with self.lock:
                self._row(name)[0] += time.monotonic() - start

    @contextlib.contextmanager
    def test(self, group, name):
        _thread.cpu, start = 0.0, time.monotonic()
        try:
            yield
        finally:
            self.took(group, name, time.monotonic() - start, _thread.cpu)

    def took(self, group, name, wall, cpu=0.0):
        with self.lock:
            self._row(group)[1] += cpu
            self.tests.append((wall, cpu, name))

    def part(self, name, wall, cpu):
        """What a part of a test cost, which is in its group's sum already."""
        with self.lock:
            self.tests.append((wall, cpu, name))

    def lines(self):
        """The groups in the order of the run, and the slowest tests."""
        if not self.tests:
            return []
        rows = ["seconds by group, and of CPUs:"]
        rows += ["  %-14s %6.0f %6.0f" % (name, wall, cpu) for name, (wall, cpu) in self.groups.items()]
        rows.append("slowest tests:")
        rows += ["  %6.0f %6.0f  %s" % (w, c, name) for w, c, name in sorted(self.tests, reverse=True)[:SLOWEST]]
        return rows

    def save(self, path):
        """All tests, a line each: wall seconds, CPU seconds, name."""
        with open(path, "w", encoding="utf-8") as f:
            f.writelines("%.2f\t%.2f\t%s\n" % test for test in sorted(self.tests, reverse=True))
