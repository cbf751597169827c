"""Runs a process and counts context switches and CPU migrations of all its threads.

Context switches are the kernel's own account of the process (wait4's rusage): voluntary and involuntary ones of all
threads that it had. It needs no permission.

CPU migrations are a software event of perf_event_open, opened on this thread, inherited by the child and its threads,
and enabled by its exec. That needs root, CAP_PERFMON, or kernel.perf_event_paranoid at most 1. Elsewhere a second
process of the same kind, whose time does not count, is watched instead: se.nr_migrations of /proc/PID/task/*/sched,
every 20 ms. What a thread does in its last 20 ms is missed there.

Used by bench/primecount.py; tested by test/scripts/bench_primecount_test.py. Needs only Python's standard library.
"""

import ctypes
import os
import re
import select
import signal
import struct
import time

from common import Failed, sample_seconds

# linux/perf_event.h, and the system call's number on x86-64.
PERF_EVENT_OPEN = 298
PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS = 1, 4
DISABLED, INHERIT, ENABLE_ON_EXEC = 1 << 0, 1 << 1, 1 << 12
PERF_ATTR_SIZE = 112
PERF_FLAG_FD_CLOEXEC = 8
LOOK_MS = 20


def open_migrations():
    """A descriptor of the event, for children that start while it is open; None where this is not allowed."""
    attr = struct.pack("=IIQQQQQ", PERF_TYPE_SOFTWARE, PERF_ATTR_SIZE, PERF_COUNT_SW_CPU_MIGRATIONS, 0, 0, 0,
                       DISABLED | INHERIT | ENABLE_ON_EXEC).ljust(PERF_ATTR_SIZE, b"\0")
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.syscall(PERF_EVENT_OPEN, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)
    return None if descriptor < 0 else descriptor


def migrations_by():
    """How migrations are counted here: "perf_event_open", "/proc/PID/task/*/sched", or None where neither works."""
    descriptor = open_migrations()
    if descriptor is not None:
        os.close(descriptor)
        return "perf_event_open"
    return "/proc/PID/task/*/sched" if os.path.exists("/proc/self/task/%d/sched" % os.getpid()) else None


def look(pid, seen):
    """Takes down the migrations so far of each thread."""
    folder = "/proc/%d/task" % pid
    try:
        for tid in os.listdir(folder):
            with open("%s/%s/sched" % (folder, tid)) as f:
                seen[tid] = int(re.search(r"^se\.nr_migrations\s*:\s*(\d+)", f.read(), re.M).group(1))
    except (OSError, AttributeError):
        pass  # the process, or a thread, has just ended


def wait(pid, seen=None):
    """Waits for the process, within the sample's time; with `seen` it records its threads meanwhile."""
    limit, late = sample_seconds()
    end = time.monotonic() + limit
    descriptor = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    try:
        while not poll.poll(LOOK_MS if seen is not None else max(0, (end - time.monotonic()) * 1000)):
            if seen is not None:
                look(pid, seen)
            if time.monotonic() >= end:
                os.kill(pid, signal.SIGKILL)
                os.wait4(pid, 0)
                raise late("did not end in %d s" % limit)
    finally:
        os.close(descriptor)
    _, status, usage = os.wait4(pid, 0)
    return os.waitstatus_to_exitcode(status), usage


def start(command, env, output):
    null = os.open(os.devnull, os.O_RDONLY)
    try:
        return os.posix_spawn(command[0], command, env, file_actions=[
            (os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, output, 1), (os.POSIX_SPAWN_DUP2, output, 2)])
    finally:
        os.close(null)


def run(command, env, by):
    """(the output, {"time_ms", "switches", "migrations"}); `by` is migrations_by()'s."""
    sample_seconds()
    descriptor = open_migrations() if by == "perf_event_open" else None
    output = os.memfd_create("output")
    try:
        began = time.perf_counter()
        pid = start(command, env, output)
        status, usage = wait(pid)
        values = {"time_ms": (time.perf_counter() - began) * 1e3, "switches": usage.ru_nvcsw + usage.ru_nivcsw}
        if descriptor is not None:
            values["migrations"] = struct.unpack("Q", os.read(descriptor, 8))[0]
        os.lseek(output, 0, os.SEEK_SET)
        text = os.read(output, 65536).decode("utf-8", "replace")
        if status != 0:
            raise Failed("exit status %d: %s" % (status, text.strip()[-300:] or "no message"))
        if by is not None and descriptor is None:
            seen = {}
            wait(start(command, env, output), seen)
            values["migrations"] = sum(seen.values())
        return text, values
    finally:
        os.close(output)
        if descriptor is not None:
            os.close(descriptor)
