#!/usr/bin/env python3
"""Programs that are their own tool (test/ompt/*.c, with record.h), compiled by gcc and by clang, on build/dropin.

    test/ompt/programs.py [--times N] [NAME...]

Each runs with several settings and checks its own events. What it prints at its end, in the tool's finalizer, is
compared with the table below.
"""

import argparse
import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", "build")
DROPIN = os.path.join(ROOT, BUILD, "dropin")
OUT = os.path.join(ROOT, BUILD, "test", "ompt")
COMPILERS = {"gcc": "gcc", "clang": "clang-19"}
SETTINGS = [{}, {"OMP_WAIT_POLICY": "passive"}, {"GHCOMP_BARRIER": "tree"}, {"GHCOMP_SHARE": "all"}]
PRINTS = {"regions": ["finalized"], "forks": ["child finalized", "child finalized", "parent finalized"]}


def compile_program(kind, name):
    """The program's path. The drop-in at link time makes the linker export the program's ompt_start_tool."""
    program = os.path.join(OUT, "%s-%s" % (name, kind))
    include = os.path.join(OUT, "include")
    os.makedirs(include, exist_ok=True)
    header = os.path.join(include, "omp-tools.h")
    if not os.path.lexists(header):
        os.symlink(os.path.join(ROOT, "cbits", "include", "omp-tools.h"), header)
    library = ["-l:libgomp.so.1"] if kind == "gcc" else []
    subprocess.run([COMPILERS[kind], "-std=gnu11", "-O1", "-g", "-Wall", "-fopenmp", "-rdynamic", "-I", include, "-o",
                    program, os.path.join(HERE, name + ".c"), "-L", DROPIN] + library, check=True)
    return program


def run(program, name, settings):
    """None, or what was wrong."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("OMP_", "GOMP_", "GHCOMP_"))}
    env.update(settings, LD_LIBRARY_PATH=DROPIN, OMP_CANCELLATION="false")
    env.setdefault("GHCOMP_HOST", "posix")
    done = subprocess.run([program], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0 or done.stderr:
        return "ended with %d: %s" % (done.returncode, done.stderr.strip())
    if sorted(done.stdout.split("\n")[:-1]) != PRINTS.get(name, []):
        return "printed %r" % done.stdout
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    names = options.names or sorted(os.path.basename(path)[:-2] for path in glob.glob(os.path.join(HERE, "*.c")))
    failed = 0
    for kind, compiler in COMPILERS.items():
        if shutil.which(compiler) is None:
            sys.exit("there is no %s; sh tools/deps.sh clang installs it" % compiler)
        for name in names:
            program = compile_program(kind, name)
            for settings in SETTINGS:
                for _ in range(options.times):
                    wrong = run(program, name, settings)
                    if wrong is not None:
                        failed += 1
                        print("%s (%s, %s): %s" % (name, kind, settings, wrong))
                        break
    print("%d failed" % failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
