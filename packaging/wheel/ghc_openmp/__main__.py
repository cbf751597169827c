"""python -m ghc_openmp [--threads N] [--report] SCRIPT|-m MODULE|-c CODE [ARGUMENTS...]

The interpreter starts anew with the runtime loaded, and runs what follows as it would by itself. --report (reported.py)
prints at the end which runtime each library of the process uses; --threads sets OMP_NUM_THREADS.
"""

import os
import subprocess
import sys

from . import options, runtime
from .line import say

USAGE = "usage: python -m ghc_openmp [--threads N] [--report] SCRIPT|-m MODULE|-c CODE [ARGUMENTS...]"


def checked(rest):
    """Refused unless the interpreter has something to run."""
    if not rest:
        raise runtime.Refused("no script is given; " + USAGE, 2)
    if rest[0] in ("-m", "-c"):
        if len(rest) < 2:
            raise runtime.Refused("%s needs what to run; %s" % (rest[0], USAGE), 2)
    elif rest[0].startswith("-") and rest[0] != "-":
        raise runtime.Refused("unknown option %s; %s" % (rest[0], USAGE), 2)
    elif rest[0] != "-" and not os.path.exists(rest[0]):
        raise runtime.Refused("%s: no such file" % rest[0], 2)


def main():
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    try:
        chosen, rest = options.leading(sys.argv[1:], {"--threads": options.threads}, {"--report"})
        checked(rest)
        found = runtime.settings(os.environ, chosen.get("--threads"))
        # Options of this interpreter, as -O and -W: private, and there since Python 2.
        own = subprocess._args_from_interpreter_flags()
        reported = ["-m", "ghc_openmp.reported"] if "--report" in chosen else []
        runtime.become(sys.executable, [sys.executable] + own + reported + rest, dict(os.environ, **found))
    except runtime.Refused as e:
        say("ghc_openmp: %s" % e, sys.stderr)
        return e.status


if __name__ == "__main__":
    sys.exit(main())
