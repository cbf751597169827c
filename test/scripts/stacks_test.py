#!/usr/bin/env python3
# Tests of test/stacks.py: what is read of gdb's and eu-stack's output, and the stacks of a real group of processes,
# from a fake gdb.
# limit: 60
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness  # noqa: E402
import stacks  # noqa: E402

GDB = """[New LWP 12]
0x00007f21 in futex_wait () from /lib/libc.so.6

Thread 3 (Thread 0x7f3 (LWP 13) "a.out"):
#0  0x00007f21 in futex_wait (word=0x3) at os.c:1
#1  0x00007f22 in park (t=0x30,
    why=2) at wait.c:7

Thread 2 (Thread 0x7f2 (LWP 12) "a.out"):
#0  0x00007f21 in futex_wait (word=0x2) at os.c:1
#1  0x00007f22 in park (t=0x20, why=2) at wait.c:7

Thread 1 (Thread 0x7f1 (LWP 11) "a.out"):
#0  spin () at wait.c:3
#1  0x00007f23 in main () at a.c:5
[Inferior 1 (process 11) detached]
"""
EU = """PID 11 - process
TID 11:
#0  0x00007f21 futex_wait
#1  0x00007f22 park
TID 12:
#0  0x00007f21 futex_wait
#1  0x00007f22 park
"""


class Folded(unittest.TestCase):
    def test_threads_in_the_same_functions_are_shown_once(self):
        self.assertEqual(
            stacks.folded(GDB).split("\n"),
            [
                'Thread 3 (Thread 0x7f3 (LWP 13) "a.out"):',
                "#0  0x00007f21 in futex_wait (word=0x3) at os.c:1",
                "#1  0x00007f22 in park (t=0x30, why=2) at wait.c:7",
                "    and in the same functions: 2",
                'Thread 1 (Thread 0x7f1 (LWP 11) "a.out"):',
                "#0  spin () at wait.c:3",
                "#1  0x00007f23 in main () at a.c:5",
            ],
        )
        lines = stacks.folded(EU).split("\n")
        self.assertEqual((lines[0], lines[-1], len(lines)), ("TID 11:", "    and in the same functions: 12", 4))

    def test_what_has_no_stacks_is_kept(self):
        self.assertEqual(stacks.folded("ptrace: Operation not permitted.\n"), "ptrace: Operation not permitted.")


class Groups(unittest.TestCase):
    def setUp(self):
        self.bin = tempfile.TemporaryDirectory()
        self.addCleanup(self.bin.cleanup)
        self.path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", self.path)

    def tool(self, name, script):
        """A fake tool, first in PATH."""
        path = os.path.join(self.bin.name, name)
        with open(path, "w", encoding="ascii") as f:
            f.write("#!/bin/sh\n" + script)
        os.chmod(path, 0o755)
        os.environ["PATH"] = self.bin.name + os.pathsep + self.path

    def test_every_process_of_a_hung_group(self):
        self.tool("gdb", 'echo "Thread 1 (LWP $4):"; echo "#0  0x1 in sleeping (pid=$4) at x.c:1"\n')
        ready = os.path.join(self.bin.name, "ready")
        script = """sleep 1000 & echo words
            until tr '\\0' ' ' </proc/$!/cmdline | grep -q '^sleep 1000'; do :; done
            : >%s; wait""" % ready
        # The limit is over when both processes are there.
        with mock.patch.object(harness.Clock, "expired", lambda clock, limit: os.path.exists(ready)):
            done = harness.run(["sh", "-c", script], 60)
        self.assertTrue(done.timed_out)
        self.assertEqual(done.out, "words\n")
        self.assertTrue(done.stood.startswith(stacks.MARK))
        self.assertEqual(done.stood.count("#0  0x1 in sleeping"), 2)
        self.assertIn(": sh -c sleep 1000 &", done.stood)
        self.assertIn(": sleep 1000", done.stood)
        self.assertRegex(done.stood, r"before the debugger came: LWP \d+ [SR] \d+\+\d+\n")
        shown = harness.tail("first\n" * 100 + done.text(), 3)
        self.assertEqual(shown.count("first\n"), 2)
        self.assertEqual(shown.count("in sleeping"), 2)

    def test_a_debugger_that_hangs_is_bounded(self):
        self.tool("gdb", "exec sleep 1000\n")
        seconds = stacks.SECONDS
        stacks.SECONDS = 0.2
        try:
            done = harness.run(["sleep", "1000"], 0.2)
        finally:
            stacks.SECONDS = seconds
        self.assertIn("timed out", done.stood)
        self.assertIn("limit 0.2 s", done.ending(0.2))

    def test_no_tool(self):
        os.environ["PATH"] = self.bin.name
        sleeper = subprocess.Popen(["/bin/sleep", "1000"], start_new_session=True)
        try:
            self.assertIn("neither gdb nor eu-stack", stacks.of_group(sleeper.pid))
        finally:
            sleeper.kill()
            sleeper.wait()

    def test_a_test_that_ends_is_not_looked_at(self):
        self.assertEqual(harness.run(["true"], 60).stood, "")


if __name__ == "__main__":
    unittest.main()
