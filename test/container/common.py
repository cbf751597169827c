"""What the scripts of test/container share: where things are, the failures, compiled programs, and runs of them."""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, "tools"), os.path.join(ROOT, "test")]
import harness  # noqa: E402

BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
DROPIN = os.path.join(BUILD, "dropin")
HOSTS = ["posix"] + (["ghc"] if os.path.exists(os.path.join(DROPIN, "libghcomp_rts.so")) else [])
FAKE = os.path.join(ROOT, "test", "container", "fake.c")
LIMIT = 100  # seconds for a run

work = tempfile.mkdtemp()
atexit.register(shutil.rmtree, work)
failures = []


def check(good, text):
    if not good:
        failures.append(text)
        print("FAIL " + text, flush=True)


def compiled(name, source, *flags):
    made = os.path.join(work, name)
    subprocess.run(["gcc", "-O2", "-Wall", "-I" + os.path.join(ROOT, "cbits", "include"), source, "-o", made, *flags,
                    "-ldl"], check=True)
    return made


def run(command, variables, before=None):
    """The ended process, with its output. before: what it calls before it becomes the command."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "GHCOMP_", "LD_", "GHCRTS"))}
    env.update(variables)
    with harness.start(command, env=env, preexec_fn=before, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, universal_newlines=True) as process:
        try:
            out, err = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return subprocess.CompletedProcess(command, process.returncode, out, err)
