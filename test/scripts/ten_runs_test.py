#!/usr/bin/env python3
# Tests of test/ten_runs.py, with a command in the place of make test.
# limit: 120
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "..", "ten_runs.py")


def runs(pid):
    """A process that has ended may be there until its parent waits for it, and nobody may."""
    try:
        with open("/proc/%d/stat" % pid, encoding="latin-1") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
        return [int(word) for word in f.read().split()]


class TenRuns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def command(self, *words):
        return [sys.executable, SCRIPT, "--log", self.folder, *words]

    def test_the_table(self):
        script = 'echo "7 passed, $((TEST_SEED == 8)) failed, 0 skipped"; echo make: more; exit $((TEST_SEED == 8))'
        done = subprocess.run(self.command("--runs", "2", "--seed", "7", "--", "sh", "-c", script),
                              stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        rows = done.stdout.splitlines()
        self.assertIn("| seed | passed | failed | skipped | minutes |", rows)
        self.assertIn("| 7 | 7 | 0 | 0 | 0.0 |", rows)
        self.assertIn("| 8 | 7 | 1 | 0 | 0.0 |", rows)
        self.assertEqual(rows[-1], "seed 8: exit status 1: %s/8.log" % self.folder)

    def test_a_run_without_counts_is_bad(self):
        done = subprocess.run(self.command("--runs", "1", "--", "true"), stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("| - | - | - |", done.stdout)

    def test_it_ends_what_it_has_started(self):
        for number in signal.SIGTERM, signal.SIGKILL:
            with self.subTest(signal=number):
                mark = os.path.join(self.folder, "there")
                script = "touch %s; exec sleep 1000" % mark
                run = subprocess.Popen(self.command("--runs", "1", "--", "sh", "-c", script), stdout=subprocess.DEVNULL)
                while not os.path.exists(mark):
                    time.sleep(0.01)
                os.remove(mark)
                started = children(run.pid)
                self.assertEqual(len(started), 3)
                run.send_signal(number)
                run.wait()
                if number == signal.SIGKILL:
                    os.kill(started[-1], signal.SIGKILL)  # the command, in a session of its own; the others see the end
                while any(map(runs, started)):
                    time.sleep(0.01)


if __name__ == "__main__":
    unittest.main()
