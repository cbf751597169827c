"""Instructions of whole processes, which hardly vary where times vary by more than the difference in question.

Valgrind counts for bench/watched.py and bench/smp.py; its threads run one at a time, and take some fifty times as long
as without it. For waits, whose instructions depend on how long a yield takes and on who runs meanwhile, bench/older.py
has QEMU count (bench/c/instructions.c), in which all threads run at once and the kernel's calls take their usual time.
"""

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


def of_threads(plugin, command, env):
    """(all instructions that the process carries out, with its threads side by side; the object that it prints)"""
    with tempfile.NamedTemporaryFile("r", prefix="instructions-") as out:
        printed = spawn([emulator(), "-plugin", "%s,out=%s" % (plugin, out.name)] + command, env)
        text = out.read()
    if not text.strip().isdigit():
        raise Failed("%s counted nothing" % plugin)
    return int(text), printed
