"""One bounded run of a row's program: it ends in time or it is killed with all that it has started."""

import collections
import os
import signal
import subprocess
import time

# outcome: "ended", "failed" or "hung"; text: its result, or why it failed; wall_s and cpu_s only where it has ended.
Sample = collections.namedtuple("Sample", "outcome text wall_s cpu_s")
LAST_WORDS = 200  # characters of a failed program


def take(command, environment, limit_s, before=None):
    """Runs the command. `before` is called in the new process: it joins a control group."""
    start, used = time.monotonic(), os.times()
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, preexec_fn=before, start_new_session=True)
    try:
        out, err = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        return Sample("hung", "", None, None)
    finally:
        _kill(process)
    if process.returncode:
        words = (err or out).strip().split("\n")[-1][-LAST_WORDS:]
        return Sample("failed", "status %d: %s" % (process.returncode, words), None, None)
    now = os.times()
    cpu_s = now.children_user + now.children_system - used.children_user - used.children_system
    return Sample("ended", out, time.monotonic() - start, cpu_s)


def _kill(process):
    """Ends the run's process group; a forked process may have kept the pipes open."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    for pipe in (process.stdout, process.stderr):
        pipe.close()
