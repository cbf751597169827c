"""A package that brings a libgomp of its own. The drop-in, which was there first, serves it: workers are made by it."""

import ctypes
import os
import re

part = ctypes.CDLL(os.path.abspath("part.so"))
print("threads:", part.threads())
with open("/proc/self/maps", encoding="ascii") as maps:
    print("loaded:", *sorted(set(re.findall(r"libgomp[^/\n]*", maps.read()))))
print("workers made by the drop-in:", ctypes.CDLL(None).ghcomp_workers_created())
