"""The rows of `make rescues`: what each one runs, and what it needs. rescues.py runs them, docs/guide/rescues.md says
what they show.

A program's standard output is its result: it is the same for each number of threads.
"""

import collections
import functools
import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import cgroups  # noqa: E402

# Debian's packages are those of its own interpreter.
PYTHON = "/usr/bin/python3"
OPENBLAS = "/usr/lib/*/openblas-openmp/libopenblas.so.0"


class Missing(Exception):
    """Why a row is left out here, and what to install."""


# make: a function of the folder that has the programs, which returns the command. threads: OMP_NUM_THREADS, None for
# the default. group: (kind of control group, its limit), or None. limit_s: after it a run counts as hung. preload: its
# program sets a library path of its own, so that the runtime is preloaded.
Row = collections.namedtuple("Row", "name title make threads group limit_s preload")


def row(name, title, make, threads=2, group=None, limit_s=30, preload=False):
    return Row(name, title, make, threads, group, limit_s, preload)


def need(there, what):
    if not there:
        raise Missing(what)


@functools.lru_cache(maxsize=None)
def compiled(folder, source, *options, compiler="gcc", name=None):
    """The path of the program of that source; rows with other arguments share it."""
    made = os.path.join(folder, name or os.path.splitext(source)[0])
    need(shutil.which(compiler), "needs " + compiler)
    subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-fopenmp", os.path.join(HERE, source), "-o", made, *options],
                   check=True)
    return made


def program(source, *options, compiler="gcc"):
    return lambda folder: [compiled(folder, source, *options, compiler=compiler)]


def forked(folder):
    library = compiled(folder, "total.c", "-shared", "-fPIC", name="total.so")
    return [sys.executable, os.path.join(HERE, "forked.py"), library]


def fit(_):
    need(glob.glob("/usr/lib/python3/dist-packages/sklearn/__init__.py"), "needs python3-sklearn")
    return [PYTHON, os.path.join(ROOT, "examples", "python", "learn.py")]


def forked_r(_):
    need(shutil.which("Rscript"), "needs r-base-core")
    need(glob.glob(OPENBLAS), "needs libopenblas0-openmp")
    return ["Rscript", os.path.join(HERE, "fork.R")]


def parts(folder):
    need(glob.glob("/usr/lib/*/libomp.so.5"), "needs libomp5-19")
    objects = [compiled(folder, "parts.c", "-c", "-DPART=by_" + name, compiler=compiler, name=name + ".o")
               for name, compiler in (("gcc", "gcc"), ("clang", "clang-19"))]
    return [compiled(folder, "parts.c", *objects, "-l:libomp.so.5")]


def lapack(size, calls):
    def make(folder):
        found = glob.glob(OPENBLAS)
        need(found, "needs libopenblas0-openmp")
        made = compiled(folder, "lapack.c", found[0], "-Wl,-rpath," + os.path.dirname(found[0]), "-lm")
        return [made, str(size), str(calls)]

    return make


ROWS = (
    row("fork-c", "a process that is forked after a region, in C", program("fork.c"), limit_s=5),
    row("fork-python", "a pool that is forked after a region, in Python", forked, limit_s=5),
    row("fork-fit", "a pool that is forked after a fit of scikit-learn", fit, limit_s=20),
    row("fork-r", "processes that are forked after a product of matrices, in R", forked_r, limit_s=10, preload=True),
    row("quota", "a control group with half a CPU, nothing set", program("regions.c"), threads=None,
        group=(cgroups.Group, 0.5)),
    row("pids", "a control group with room for four threads, teams of two by two and of four", program("team.c"),
        threads=4,
        group=(cgroups.Threads, 4)),
    row("two", "code by gcc and by clang in one process", parts),
    row("lapack-1", "LAPACK, 200 x 200, one thread", lapack(200, 3), threads=1),
    row("lapack", "LAPACK, 200 x 200, nothing set", lapack(200, 3), threads=None),
    row("lapack-8", "LAPACK, 200 x 200, 8 threads", lapack(200, 3), threads=8),
    row("lapack-64", "LAPACK, 200 x 200, 64 threads", lapack(200, 3), threads=64, limit_s=60),
    row("lapack-small", "LAPACK, 50 x 50, 8 threads", lapack(50, 20), threads=8),
    row("lapack-large", "LAPACK, 1,000 x 1,000, 8 threads", lapack(1000, 1), threads=8, limit_s=60),
    row("callers", "16 threads that call regions of 4", program("callers.cc", compiler="g++"), threads=4),
    row("serial", "regions with serial phases between them", program("serial.c")),
    row("solver", "40,000 regions in one call, default team", program("solver.c"), threads=None),
    row("solver-8", "40,000 regions in one call, 8 threads", program("solver.c"), threads=8, limit_s=60),
)
