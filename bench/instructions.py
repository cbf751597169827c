"""Instructions of whole processes, which hardly vary where times vary by more than the difference in question.

Valgrind counts for bench/watched.py and bench/smp.py; its threads run one at a time, and take some fifty times as long
as without it. For waits, whose instructions depend on how long a yield takes and on who runs meanwhile, bench/older.py
has QEMU count (bench/c/instructions.c), in which all threads run at once and the kernel's calls take their usual time.
"""

import bisect

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import Failed, die, spawn  # noqa: E402

COUNT_S = 300


def needs(program, group):
    """Ends the run where the program is missing; `group` of tools/deps.sh installs it."""
    if shutil.which(program) is None:
        die("there is no %s here; run: sh tools/deps.sh %s" % (program, group))


def of_process(command, env):
    """All instructions that the process carries out, in all of its threads, one thread at a time."""
    whole = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"] + command
    try:
        done = subprocess.run(whole, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=COUNT_S)
    except subprocess.TimeoutExpired:
        raise Failed("%s did not end in %d s" % (" ".join(whole), COUNT_S))
    found = re.search(r"I +refs: +([\d,]+)", done.stdout)
    if done.returncode != 0 or not found:
        raise Failed("%s ended with status %d: %s" % (" ".join(whole), done.returncode, done.stdout.strip()[-300:]))
    return int(found.group(1).replace(",", ""))


def emulator():
    """QEMU for programs of this machine."""
    return "qemu-" + platform.machine()


def refuses(plugin):
    """Why this QEMU does not take the plug-in, in its own words; None where it does. Debian 13's takes none."""
    command = [emulator(), "-plugin", plugin + ",out=/dev/null", shutil.which("true")]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    return None if done.returncode == 0 else done.stdout.strip() or "exit status %d" % done.returncode


class Waits:
    """Which code of the runtime does nothing but wait: functions that the compiler has not inlined, of these files."""
    FILES = re.compile(r"/core/cpu/(wait|wait_plan|wait_settings|neighbours|masters)\.[ch]:")

    def __init__(self):
        self.known = {}  # by object: offset to whether it waits

    def of(self, path, offsets):
        """By offset in the object."""
        known = self.known.setdefault(path, {})
        new = sorted(set(offsets) - set(known))
        if new:
            asked = subprocess.run(["addr2line", "-ai", "-e", path], input="".join("%#x\n" % o for o in new),
                                   stdout=subprocess.PIPE, text=True, check=True).stdout
            # An address, then the place in each function that is inlined there, the outermost last.
            found = [lines.split()[-1] for lines in re.split(r"^0x.*$", asked, flags=re.M)[1:]]
            if len(found) != len(new):
                raise Failed("addr2line says nothing of %s" % path)
            known.update((o, bool(self.FILES.search(place))) for o, place in zip(new, found))
        return known


class Count:
    """What the plug-in has counted in a process: all instructions; and `waiting`, those in polls and in `waits`'
    functions of the object."""

    def __init__(self, text, path, waits):
        lines = [line.split(maxsplit=2) for line in text.splitlines()]
        self.instructions, polls = (int(word) for word in lines[0])
        objects = sorted((int(start, 16), name) for kind, start, name in lines[1:] if kind == "object")
        blocks = [(int(address, 16), int(count)) for kind, address, count in lines[1:] if kind == "block"]
        starts = [start for start, _ in objects]

        def object_of(address):
            return objects[bisect.bisect(starts, address) - 1]

        inside = [(address - object_of(address)[0], count) for address, count in blocks
                  if address >= starts[0] and os.path.realpath(object_of(address)[1]) == os.path.realpath(path)]
        if not inside:
            raise Failed("the plug-in counted nothing in %s" % path)
        known = waits.of(path, [offset for offset, _ in inside])
        self.waiting = polls + sum(count for offset, count in inside if known[offset])


def of_threads(plugin, command, env, path, waits):
    """(the Count of the process, with its threads side by side; the object that it prints)"""
    with tempfile.NamedTemporaryFile("r", prefix="instructions-") as out:
        printed = spawn([emulator(), "-plugin", "%s,out=%s" % (plugin, out.name)] + command, env)
        text = out.read()
    if not re.match(r"\d+ \d+\n", text):
        raise Failed("%s counted nothing" % plugin)
    return Count(text, path, waits), printed
