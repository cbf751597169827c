"""A Haskell process around a test: the host `around`. build/test/libaround.so (the sources are in around/) is
preloaded into the test's program alone and gives it an RTS with two Capabilities and two Haskell threads that compute;
the drop-in finds that RTS.

Used by test/run.py and test/suites/libgomp/suite.py. test/scripts/around_test.py is the test of this file.
"""

import os
import re
import tempfile

import harness

HOST = "around"
CHECK_LIMIT = 60
BOOTED = re.compile(r"booted 2\n")
ENDED = re.compile(r"exit (\S+) (\d+) (\d+)\n")


def library(build):
    return os.path.join(os.path.abspath(build), "test", "libaround.so")


def absent(build):
    """Why there is no such host here, or None. It needs what the companion needs, a GHC with shared libraries."""
    if os.path.exists(library(build)):
        return None
    return "%s is not built here: run `make around` where there is a GHC" % os.path.relpath(library(build))


class Run:
    """One run of a program with Haskell around it.

        with Run(build) as haskell:
            done = harness.run(haskell.command([exe]), limit, env=...)
            problem = haskell.problem(done)
    """

    def __init__(self, build):
        self.library = library(build)
        self.folder = self.path = None

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ghcomp-around-")
        self.path = os.path.join(self.folder.name, "report")
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def command(self, argv):
        """argv, started by env: what stands in front (setpriv, a shell for ulimit) has no Haskell in it."""
        return ["env", "LD_PRELOAD=" + self.library, "AROUND_REPORT=" + self.path] + argv

    def problem(self, done):
        """What is wrong with the Haskell around it, or None: it must have run, and the drop-in must have seen it. A
        program that did not leave by exit() does not say what the drop-in saw."""
        try:
            with open(self.path, encoding="ascii") as f:
                text = f.read()
        except OSError:
            return "around it: no Haskell" + last_line(done)
        begun = BOOTED.match(text)
        if not begun:
            return "around it: Haskell did not start as it should: %r" % text
        rest = text[begun.end() :]
        ended = ENDED.fullmatch(rest)
        if not rest:
            return None
        if not ended or ended.group(1) != "loaded" or "0" in ended.groups():
            return "around it: an RTS that the drop-in did not take: %r" % rest
        return None


def last_line(done):
    lines = [line.strip() for line in (done.out + done.err).splitlines() if line.strip()]
    return ": " + lines[-1][-200:] if lines else ""


def trouble(build):
    """What is wrong with this host, asked once before many tests: `true` with the library and the drop-in."""
    dropin = os.path.join(os.path.abspath(build), "dropin")
    with Run(build) as haskell:
        argv = haskell.command([])
        argv[1] += " " + os.path.join(dropin, "libgomp.so.1")
        env = harness.clean_env({"LD_LIBRARY_PATH": dropin, "GHCOMP_HOST": "auto"})
        done = harness.run(argv + ["true"], CHECK_LIMIT, env=env)
        if done.timed_out or done.rc != 0:
            return "`true` does not run with it: " + done.ending(CHECK_LIMIT) + last_line(done)
        if done.err:
            return "it is not silent" + last_line(done)
        problem = haskell.problem(done)
        if problem:
            return problem
        with open(haskell.path, encoding="ascii") as f:
            return None if "exit" in f.read() else "`true` did not report its end"
