"""Instructions of whole processes, counted by valgrind: where times vary by more than what is asked, these do not.

Used by bench/watched.py and bench/smp.py. Needs valgrind.
"""

import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import Failed, die  # noqa: E402

COUNT_S = 300


def needs_valgrind(group):
    """Ends the run where valgrind is missing; `group` of tools/deps.sh installs it."""
    if shutil.which("valgrind") is None:
        die("there is no valgrind here; run: sh tools/deps.sh " + group)


def of_process(command, env):
    """All instructions that the process carries out, in all of its threads."""
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
