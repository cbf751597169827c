#!/usr/bin/env python3
"""Storms of exceptions, each in a process of its own, and how the processes ended.

    tools/storm.py library FROM TO                       StormTest with SEED=FROM .. TO (test/hs/library/StormTest.hs)
    tools/storm.py plain FROM TO [KIND,...] [THROWS]     plain Haskell with base alone (test/hs/storm/Plain.hs)

GHC's RTS crashes under such storms, also in plain Haskell (docs/reference/ghc-versions.md), and a crash ends the
process. So a long storm is many short ones: a process that crashed counts as crashed, and each that did not must have
received every exception once. GHCRTS has options of the RTS, such as -N1 or -G1. Builds what it runs; the plain program
is in build/storm. The last line counts; the exit status is 1 when a process lost an exception or hung.
docs/internals/testing.md names this script; no test runs it.
"""
import os
import re
import signal
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMIT = 300  # seconds for a process
ALL_KINDS = "allocate,wait,delay,handler,timeout,fork,safe,collect"
THROWS = "3500"
CRASHES = {signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL}


def die(text):
    sys.exit("ghc-openmp: tools/storm.py: " + text)


def build_plain():
    folder = os.path.join(os.environ.get("BUILD", os.path.join(ROOT, "build")), "storm")
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(folder, "plain")
    subprocess.run(["ghc", "-v0", "-O1", "-threaded", "-rtsopts", "-with-rtsopts=-N2", "-outputdir", folder,
                    "-i" + os.path.join(ROOT, "test/hs/library"),
                    os.path.join(ROOT, "test/hs/storm/Plain.hs"), "-o", program], check=True)
    return program


def build_library():
    cabal = ["sh", os.path.join(ROOT, "tools/cabal.sh")]
    subprocess.run(cabal + ["build", "-v0", "--enable-tests", "test:library"], check=True)
    listed = subprocess.run(cabal + ["list-bin", "--enable-tests", "test:library"], check=True, stdout=subprocess.PIPE)
    return listed.stdout.decode().strip()


def storm(command, seed, throws_of):
    """Runs one storm; returns what became of it, the exceptions thrown in it, and the last thing that it said."""
    environment = dict(os.environ, SEED=str(seed))
    try:
        done = subprocess.run(command, env=environment, cwd=ROOT, timeout=LIMIT, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return "hung", 0, "nothing for %d s" % LIMIT
    output = done.stdout.decode(errors="replace")
    if done.returncode == 0:
        return "whole", sum(int(n) for n in re.findall(throws_of, output)), ""
    error = re.search(r"internal error: .*", output)
    if -done.returncode in CRASHES:
        return "crashed", 0, error.group() if error else signal.Signals(-done.returncode).name
    return "lost", 0, output.strip()[-2000:]


def main(arguments):
    if len(arguments) < 3 or arguments[0] not in ("library", "plain"):
        die("usage: storm.py library FROM TO | storm.py plain FROM TO [KIND,...] [THROWS]")
    what, first, last = arguments[0], int(arguments[1]), int(arguments[2])
    kinds, throws = (arguments[3:] + [ALL_KINDS, THROWS][len(arguments[3:]):])[:2]
    program = build_library() if what == "library" else build_plain()
    counts = dict.fromkeys(("whole", "crashed", "lost", "hung"), 0)
    thrown = 0
    for seed in range(first, last + 1):
        if what == "library":
            fate, throws_here, said = storm([program, "-p", "storm", "--color", "never", "-j1"], seed,
                                            r"(\d+) throws in")
        else:
            fate, throws_here, said = storm([program, kinds, str(seed), throws], seed, r"(\d+) thrown")
        if fate == "whole" and throws_here == 0:
            die("seed %d threw nothing: the program's last lines have changed" % seed)
        counts[fate] += 1
        thrown += throws_here
        if said:
            print("seed %d %s: %s" % (seed, fate, said), flush=True)
    print("%d processes: %d whole, with %d exceptions thrown and none lost; %d crashed, %d lost an exception, %d hung"
          % (last - first + 1, counts["whole"], thrown, counts["crashed"], counts["lost"], counts["hung"]))
    return 1 if counts["lost"] + counts["hung"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
