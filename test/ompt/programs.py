#!/usr/bin/env python3
"""Programs that are their own tool (test/ompt/*.c, with record.h), compiled by gcc and by clang, on build/dropin.

    test/ompt/programs.py [--times N] [NAME...]
    test/ompt/programs.py --record        write constructs.tsv anew, to be read before it is committed

Each runs with several settings and checks its own events. What it prints at its end, in the tool's finalizer, is
compared with the table below. The programs constructs*.c print for each construct the tool's events and their numbers
(constructs.h); that is compared with constructs.tsv, which coverage.py compares with the documentation. A sampled run
(test/sample.py) has each program by one compiler.
"""

import argparse
import difflib
import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import sample  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", "build")
DROPIN = os.path.join(ROOT, BUILD, "dropin")
OUT = os.path.join(ROOT, BUILD, "test", "ompt")
COMPILERS = {"gcc": "gcc", "clang": "clang-19"}
SETTINGS = [{}, {"OMP_WAIT_POLICY": "passive"}, {"GHCOMP_BARRIER": "tree"}, {"GHCOMP_SHARE": "all"}]
CONSTRUCTS = os.path.join(HERE, "constructs.tsv")
PRINTS = {"regions": ["finalized"], "asks": ["finalized"], "free_agents": ["finalized"],
          "transparent": ["finalized"],
          "forks": ["child finalized", "child finalized", "parent finalized"]}


# Parts of a program's runs, of which a sampled run has one: by gcc, and two by clang. Compiling it takes longer than
# running it.
PARTS = 3


def part(kind, number):
    return 0 if kind == "gcc" else 1 + number % 2


def load_constructs():
    """Rows of constructs.tsv: (program, construct, callback, kind) and how often for each compiler, 0 for never."""
    with open(CONSTRUCTS, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [(tuple(row[:4]), dict(zip(COMPILERS, (int(times) for times in row[4:])))) for row in rows]


def expected(name, kind):
    if not name.startswith("constructs"):
        return PRINTS.get(name, [])
    return sorted("\t".join(event[1:] + (str(times[kind]),)) for event, times in load_constructs()
                  if event[0] == name and times[kind] > 0)


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


def start(program, name, settings):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("OMP_", "GOMP_", "GHCOMP_"))}
    env.update(settings, LD_LIBRARY_PATH=DROPIN, OMP_CANCELLATION=str(name.startswith("constructs")).lower())
    env.setdefault("GHCOMP_HOST", "posix")
    return subprocess.run([program], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(program, name, kind, settings):
    """None, or what was wrong."""
    done = start(program, name, settings)
    if done.returncode != 0 or done.stderr:
        return "ended with %d: %s" % (done.returncode, done.stderr.strip())
    printed, wanted = sorted(done.stdout.split("\n")[:-1]), expected(name, kind)
    if printed != wanted:
        return "\n".join(difflib.unified_diff(wanted, printed, "expected", "printed", lineterm="", n=1))
    return None


def record(names):
    events = {}
    for name in names:
        for kind in COMPILERS:
            done = start(compile_program(kind, name), name, {})
            if done.returncode != 0:
                sys.exit("%s (%s) ended with %d: %s" % (name, kind, done.returncode, done.stderr.strip()))
            for line in done.stdout.splitlines():
                *event, times = line.split("\t")
                events.setdefault((name, *event), {})[kind] = times
    # Each construct's events beside each other, constructs in the order of the program.
    constructs = list(dict.fromkeys(event[:2] for event in events))
    with open(CONSTRUCTS, "w", encoding="utf-8") as file:
        file.write("# program, construct, callback, kind; how often in the code of %s. Compared by programs.py.\n" %
                   " and of ".join(COMPILERS))
        for event in sorted(events, key=lambda event: constructs.index(event[:2])):
            file.write("\t".join(event + tuple(events[event].get(kind, "0") for kind in COMPILERS)) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    names = options.names or sorted(os.path.basename(path)[:-2] for path in glob.glob(os.path.join(HERE, "*.c")))
    if options.record:
        return record([name for name in names if name.startswith("constructs")])
    failed, chosen = 0, sample.of_environment()
    for kind, compiler in COMPILERS.items():
        if shutil.which(compiler) is None:
            sys.exit("there is no %s; sh tools/deps.sh clang installs it" % compiler)
        for name in names:
            some = [settings for number, settings in enumerate(SETTINGS)
                    if chosen.has(name, part(kind, number), PARTS)]
            program = some and compile_program(kind, name)
            for settings in some:
                for _ in range(options.times):
                    wrong = run(program, name, kind, settings)
                    if wrong is not None:
                        failed += 1
                        print("%s (%s, %s): %s" % (name, kind, settings, wrong))
                        break
    print("%d failed" % failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
