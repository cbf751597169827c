"""python -m ghc_openmp.reported SCRIPT|-m MODULE|-c CODE: runs it, and prints the report on stderr at its end.

What `python -m ghc_openmp --report` starts, in the process that has the runtime.
"""

import atexit
import os
import runpy
import sys

from .report import report


def _print(process):
    if os.getpid() == process:  # not in forked ones
        print(report(), file=sys.stderr, flush=True)


def main():
    atexit.register(_print, os.getpid())
    kind, rest = sys.argv[1], sys.argv[2:]
    if kind == "-m":
        sys.argv = rest
        sys.path[0] = os.getcwd()
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif kind == "-c":
        sys.argv = ["-c"] + rest[1:]
        sys.path[0] = ""
        exec(compile(rest[0], "<string>", "exec"), sys.modules["__main__"].__dict__)
    else:
        sys.argv = [kind] + rest
        sys.path[0] = os.path.dirname(os.path.realpath(kind))
        runpy.run_path("/dev/stdin" if kind == "-" else kind, run_name="__main__")


if __name__ == "__main__":
    main()
