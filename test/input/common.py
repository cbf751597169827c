"""What the scripts of test/input share: programs run under hard limits, what they printed, what they used, and the
rules for what may be printed about bad input."""

import concurrent.futures
import os
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))

import harness  # noqa: E402
import sample  # noqa: E402

BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
DROPIN = os.path.join(BUILD, "dropin")
DEEP = os.environ.get("GHCOMP_DEEP", "") not in ("", "0")
JOBS = 2
OUTPUT = 1 << 20
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
TIMING = "TEST_TIMING" in os.environ  # the group `timing` asks for bounds of CPU time

# libgomp reads them when it is loaded, so that they are no part of the environment of Python itself.
CLEAN = {k.encode(): v.encode("utf-8", "surrogateescape") for k, v in harness.clean_env().items()}


class Done:
    """How a program ended: rc (negative: killed by that signal; None: by the limit), its output in bytes, the CPU time
    that it used in seconds and its largest resident size in MB."""

    def __init__(self, rc, out, err, cpu, memory):
        self.rc, self.out, self.err, self.cpu, self.memory = rc, out, err, cpu, memory

    def ending(self):
        if self.rc is None:
            return "it hung"
        return "it was killed by signal %d" % -self.rc if self.rc < 0 else "exit status %d" % self.rc

    def text(self):
        return "%s; stdout %r; stderr %r" % (self.ending(), self.out[-400:], self.err[:1500])


def run(argv, env=None, limit=60, address_space=None, stdin=subprocess.DEVNULL, cwd=None, user=None):
    """Runs argv with these variables beside a clean environment (env: bytes to bytes), for at most `limit` seconds."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        if address_space:
            argv = ["prlimit", "--as=%d" % address_space] + list(argv)
        child = harness.start(
            argv, env={**CLEAN, **(env or {})}, stdin=stdin, stdout=out, stderr=err, cwd=cwd, user=user,
            start_new_session=True)
        # poll, not wait: another thread starts and ends children, too.
        ended = os.pidfd_open(child.pid)
        try:
            poll = select.poll()
            poll.register(ended, select.POLLIN)
            hung = not poll.poll(limit * 1000)
        finally:
            os.close(ended)
        try:
            os.killpg(child.pid, signal.SIGKILL)  # what it may have started
        except ProcessLookupError:
            pass
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = rc = os.waitstatus_to_exitcode(status)
        read = []
        for file in (out, err):
            file.seek(0)
            read.append(file.read(OUTPUT + 1))
        return Done(None if hung else rc, read[0], read[1], usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def sampled(items, kind):
    """The items that the run has: a third of those of each kind in a sampled run, and at least one. kind: a function of
    an item."""
    kinds = {}
    for item in items:
        kinds.setdefault(kind(item), []).append(item)
    chosen = sample.of_environment()
    return [item for name, some in kinds.items() for number, item in enumerate(some)
            if chosen.has(name, number, len(some))]


def in_parallel(function, items):
    """function(item) for each item, two at a time; the results in order."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=JOBS) as pool:
        return list(pool.map(function, items))


_SPECIAL = re.compile("[\x00-\x1f\x7f-\x9f]")


def bad_line(line):
    """What is wrong with a line of a message (bytes, without its end), or None: it must be bounded text that a terminal
    shows as it is."""
    if len(line) > 1500:
        return "a line of %d bytes" % len(line)
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        return "a line that is not UTF-8"
    return "a control character in a line" if _SPECIAL.search(text) else None


def escaped(value):
    """How a message shows a value (cbits/base/check.h), without the cut."""
    out, at = "", 0
    while at < len(value):
        for length in (1, 2, 3, 4):
            try:
                char = value[at : at + length].decode("utf-8")
            except UnicodeDecodeError:
                continue
            if len(char) == 1 and not _SPECIAL.match(char):
                out, at = out + char, at + length
                break
        else:
            out, at = out + "\\x%02x" % value[at], at + 1
    return out


class Report:
    """Collects what is wrong; ends the script."""

    def __init__(self):
        self.failures, self.runs, self.begun = [], 0, time.monotonic()

    def check(self, condition, what):
        if not condition:
            self.failures.append(what)
            if DEEP:
                print("FAIL " + what, flush=True)
        return condition

    def end(self, summary):
        for failure in self.failures[:25]:
            print("FAIL " + failure)
        if len(self.failures) > 25:
            print("... and %d more" % (len(self.failures) - 25))
        print("%s; %.0f s" % (summary, time.monotonic() - self.begun))
        sys.exit(1 if self.failures else 0)


def skip(why):
    print(why)
    sys.exit(77)


def compiled(source, work, *flags):
    program = os.path.join(work, os.path.splitext(os.path.basename(source))[0])
    subprocess.run(["gcc", "-O1", "-g", source, "-o", program] + list(flags), check=True)
    return program


def need(*tools):
    for tool in tools:
        if shutil.which(tool) is None:
            skip("%s is not installed" % tool)
