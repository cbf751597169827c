"""Which OpenMP runtime each library of this process really uses, and which runtimes are there and idle.

Tools that list libraries by their names, such as threadpoolctl, show a copy of libgomp that a wheel has brought as a
second runtime. This report follows the calls (loaded.py). Tested by test/wheel.
"""

import ctypes
import os
import re

from . import loaded, texts

RUNTIME = re.compile(r"(libgomp|libiomp5|libomp5?)(-(?!plugin)[^/]*)?\.so")
# In the spellings of Debian, SciPy's wheels and 64-bit integers: 0 one thread, 1 threads of its own, 2 OpenMP.
OPENBLAS = tuple(prefix + "openblas_get_parallel" + suffix for prefix in ("", "scipy_") for suffix in ("", "64_"))
OWN_THREADS = 1


def _text(name, path):
    """What a function without arguments that gives a text says in that library."""
    address = loaded.loader.inside(name, path)
    return ctypes.CFUNCTYPE(ctypes.c_char_p)(address)().decode() if address else None


class Report:
    """runtimes: {"path", "name", "version", "serves": [paths]}, first those that serve; libraries: {"path", "runtime"}
    (the runtime's path, or None where the library has its own); outside: paths of libraries with threads of their
    own."""

    def __init__(self, runtimes, libraries, outside):
        self.runtimes, self.libraries, self.outside = runtimes, libraries, outside

    def as_dict(self):
        return {"runtimes": self.runtimes, "libraries": self.libraries, "outside": self.outside}

    def __str__(self):
        if not self.runtimes and not self.libraries and not self.outside:
            return "no OpenMP runtime is loaded, and no library asks for one"
        lines = []
        for one in self.runtimes:
            count = len(one["serves"])
            lines.append("%-11s %s: %s" % (
                one["name"], one["path"], "serves %d librar%s" % (count, "y" if count == 1 else "ies") if count
                else "idle, no library calls it"))
        names = {one["path"]: one["name"] for one in self.runtimes}
        for one in self.libraries:
            lines.append("  %s: %s" % (one["path"], names.get(one["runtime"], "a runtime linked into it")))
        lines += ["  " + texts.own_threads(path) for path in self.outside]
        return "\n".join(lines)

    __repr__ = __str__


def _runtimes(everything):
    """The runtimes among the objects, without those that only lead to another: {object: (name, version)}."""
    found = {}
    for one in everything:
        match = RUNTIME.match(os.path.basename(one.path))
        if not match:
            continue
        version = _text("ghcomp_version", one.path)
        target = loaded.holder(loaded.loader.inside("omp_get_num_threads", one.path), everything)
        if version and target is not one:
            continue  # libomp.so.5 of ours
        found[one] = ("ghc-openmp" if version else match.group(1), version)
    return found


def _outside(one):
    for name in OPENBLAS:
        address = loaded.loader.inside(name, one.path)
        if address and address in one:
            return ctypes.CFUNCTYPE(ctypes.c_int)(address)() == OWN_THREADS
    return False


def report():
    """The Report of this process as it is now: libraries that are loaded later are not in it."""
    everything = loaded.objects()
    runtimes = _runtimes(everything)
    serves, libraries, outside = {one: [] for one in runtimes}, [], []
    for one in everything:
        if RUNTIME.match(os.path.basename(one.path)):
            continue
        # It may ask a runtime whether it is called inside a region, and yet have no region of its own.
        if "blas" in os.path.basename(one.path) and _outside(one):
            outside.append(one.path)
            continue
        targets = loaded.served(one, everything)
        for target in targets:
            if target in serves:
                serves[target].append(one.path)
            libraries.append({"path": one.path, "runtime": target.path if target is not one else None})
    rows = [{"path": one.path, "name": name, "version": version, "serves": serves[one]}
            for one, (name, version) in runtimes.items()]
    return Report(sorted(rows, key=lambda row: not row["serves"]), libraries, outside)
