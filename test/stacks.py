"""The stacks of a hung test's threads: the output of gdb (or eu-stack) for each process of its group, read before
the test is killed.

Used by test/harness.py when a test's limit ends. Threads that are in the same functions are shown once. Without
either tool, or where the machine forbids tracing processes, the text says so: a missing dump never changes a
test's result. test/scripts/stacks_test.py is the test of this file.
"""

import os
import re
import shutil
import subprocess

# The line between a test's own output and the stacks.
MARK = "\n[where its threads stood]\n"
GROUP, SESSION = 2, 3  # fields of /proc/PID/stat, of those after the name
SECONDS = 20  # for one process; a debugger that reads the symbols of much may be slow
PROCESSES = 4  # of a group, the oldest first
LINES = 300  # of one process

_GDB_THREAD = re.compile(r"^Thread (\d+) \(.*\):?$")
_EU_THREAD = re.compile(r"^TID (\d+):$")
_NAME = re.compile(r"^#\d+ +(?:0x[0-9a-f]+ +)?(?:in +)?(\S+)")


def commands(pid):
    """The tools that can read stacks, the better one first."""
    return [
        ["gdb", "-nx", "-batch", "-p", str(pid), "-ex", "set pagination off", "-ex", "thread apply all bt 40"],
        ["eu-stack", "-p", str(pid)],
    ]


def of_group(pgid):
    """The stacks of the processes of a process group, opened by MARK."""
    pids = processes(GROUP, pgid)
    parts = [_of_process(pid) for pid in pids[:PROCESSES]]
    if len(pids) > PROCESSES:
        parts.append("[and %d more processes]" % (len(pids) - PROCESSES))
    return MARK + "\n".join(parts) + "\n"


def processes(field, number):
    """The live processes with that number, by their own: mostly the order in which they were started. field: GROUP or
    SESSION."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name, encoding="latin-1") as f:
                    fields = f.read().rsplit(")", 1)[1].split()
            except (OSError, IndexError):
                continue
            if fields[0] != "Z" and int(fields[field]) == number:
                found.append(int(name))
    return sorted(found)


def _of_process(pid):
    try:
        with open("/proc/%d/cmdline" % pid, encoding="utf-8", errors="replace") as f:
            title = f.read().replace("\0", " ").strip()
    except OSError:
        title = "?"
    title = "process %d: %s\nbefore the debugger came: %s" % (pid, title[:100], _states(pid))
    for argv in commands(pid):
        if shutil.which(argv[0]) is None:
            continue
        try:
            p = subprocess.run(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=SECONDS,
                env=dict(os.environ, LC_ALL="C", DEBUGINFOD_URLS=""),
            )
        except (OSError, subprocess.TimeoutExpired) as e:
            return "%s\n%s: %s" % (title, argv[0], e)
        rows = folded(p.stdout.decode("utf-8", "replace")).split("\n")
        if len(rows) > LINES:
            rows = rows[:LINES] + ["[... and %d lines more]" % (len(rows) - LINES)]
        return title + "\n" + "\n".join(rows)
    return title + "\nneither gdb nor eu-stack is installed"


def _states(pid):
    """What the kernel says of each thread: sleeping (S), running or waiting for a CPU (R), and how often it has slept
    or was preempted: a thread that was woken and has no CPU yet has the stack of a sleeper."""
    said = []
    try:
        for tid in sorted(os.listdir("/proc/%d/task" % pid), key=int):
            with open("/proc/%d/task/%s/status" % (pid, tid), encoding="utf-8", errors="replace") as f:
                fields = dict(line.rstrip("\n").split(":", 1) for line in f if ":" in line)
            counts = [fields.get(k, "?").strip() for k in ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")]
            said.append("LWP %s %s %s" % (tid, fields.get("State", "?").strip()[:1], "+".join(counts)))
    except OSError:
        pass
    return ", ".join(said) or "nothing is known"


def folded(text):
    """The threads' stacks, equal ones once; all of `text` where it has none."""
    threads, current = [], None
    for line in text.splitlines():
        m = _GDB_THREAD.match(line) or _EU_THREAD.match(line)
        if m:
            current = (m.group(1), [line])
            threads.append(current)
        elif current and line.startswith("#"):
            current[1].append(line)
        elif current and line.startswith(" ") and len(current[1]) > 1:
            current[1][-1] += " " + line.strip()  # gdb breaks a frame that has many arguments
    if not any(len(rows) > 1 for _, rows in threads):
        return text.strip()
    groups = {}
    for number, rows in threads:
        names = tuple(m.group(1) for m in map(_NAME.match, rows[1:]) if m)
        groups.setdefault(names, []).append((number, rows))
    out = []
    for same in groups.values():
        out += same[0][1]
        if len(same) > 1:
            out.append("    and in the same functions: " + ", ".join(number for number, _ in same[1:]))
    return "\n".join(out)
