"""What the runtime would do here. It says so itself, in a process of its own that has it loaded."""

import ctypes
import json
import os
import subprocess
import sys

from . import runtime
from .version import __version__

ROUTINES = ("omp_get_num_procs", "omp_get_max_threads", "omp_get_thread_limit", "omp_get_dynamic")
TEXTS = ("ghcomp_version", "ghcomp_host_name")


def said():
    """The answers of the runtime that is loaded into this process: what the child of asked() prints."""
    process, found = ctypes.CDLL(None), {}
    for name in TEXTS:
        function = getattr(process, name)
        function.restype = ctypes.c_char_p
        found[name] = function().decode()
    for name in ROUTINES:
        found[name] = getattr(process, name)()
    return found


def asked():
    environment = dict(os.environ, **runtime.settings(os.environ))
    done = subprocess.run([sys.executable, "-c", "from ghc_openmp import info; info.tell()"], env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="surrogateescape")
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["status %d" % done.returncode]
        raise runtime.Refused("the runtime does not say: " + lines[-1])
    return json.loads(done.stdout)


def tell():
    print(json.dumps(said()))


def lines():
    answers = asked()
    rows = [("ghc-openmp", __version__), ("runtime", runtime.library()),
            ("threads", "POSIX threads" if answers["ghcomp_host_name"] == "posix" else answers["ghcomp_host_name"]),
            ("CPUs", "%d in this process's mask" % len(os.sched_getaffinity(0))),
            ("processors", "%d, for omp_get_num_procs; a container's quota bounds them" % answers["omp_get_num_procs"]),
            ("team", "%d threads in a parallel region" % answers["omp_get_max_threads"]),
            ("settings", " ".join("%s=%s" % item for item in sorted(os.environ.items())
                                  if item[0].startswith(("OMP_", "GOMP_", "GHCOMP_", "KMP_")))
             or "none in the environment")]
    return ["%-12s %s" % row for row in rows]
