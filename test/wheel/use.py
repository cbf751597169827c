"""What test/wheel/wheel.py runs: LIBRARY... are loaded and called, here and in a forked process. One line of JSON."""

import ctypes
import json
import os
import sys

import ghc_openmp

libraries = [ctypes.CDLL(os.path.abspath(name)) for name in sys.argv[1:]]
before = ghc_openmp.report().as_dict()
sums = [library.sum(1000) for library in libraries]
members = [library.members() for library in libraries]
after = ghc_openmp.report().as_dict()
child = None
if not os.environ.get("NO_FORK"):
    process = os.fork()
    if process == 0:
        os._exit(0 if [library.members() for library in libraries] == members else 1)
    child = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
print(json.dumps({"sums": sums, "members": members, "child": child, "before": before, "after": after,
                  "preload": os.environ.get("LD_PRELOAD", ""), "threads": os.environ.get("OMP_NUM_THREADS")}))
