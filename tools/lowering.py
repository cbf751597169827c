#!/usr/bin/env python3
"""What gcc makes of OpenMP's pragmas: examples/lowering/NAME.gimple from NAME.c, as docs/internals/gcc-calls.md shows
them.

    tools/lowering.py write     writes the listings, with this machine's gcc
    tools/lowering.py check     compares the committed ones with it

A listing is the compiler's own dump after optimisation (-fdump-tree-optimized at -O1), without its counts and the
declarations of its temporaries. Its first line names the version of gcc. Another version may number and order things in
another way, so there `check` only looks whether the runtime has every entry point that this gcc calls
(cbits/abi/abi.tsv). Called by test/docs/lowering.sh.
"""

import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "examples", "lowering")
NOISE = (r"^;; Function.*\n", r"^Removing basic block.*\n", r" \[local count: \d+\]", r" \[\d+\.\d+%\]", r"__builtin_",
         r"^  [\w *]+ _\d+;\n", r"^  \S+ =\{v\} \{CLOBBER\};\n")


def version():
    out = subprocess.run(["gcc", "-dumpversion"], stdout=subprocess.PIPE, check=True, text=True).stdout
    return "gcc " + out.strip().split(".")[0]


def dump(source):
    return subprocess.run(["gcc", "-std=gnu11", "-O1", "-fopenmp", "-fno-inline", "-S", "-o", os.devnull,
                           "-fdump-tree-optimized=/dev/stdout", source], stdout=subprocess.PIPE, check=True,
                          text=True).stdout


def listing(source):
    text = dump(source)
    for noise in NOISE:
        text = re.sub(noise, "", text, flags=re.M)
    return ";; %s\n%s\n" % (version(), re.sub(r"\n\n+(?=\}|\n)", "\n", re.sub(r"\n{3,}", "\n\n", text)).strip())


def entries_of_runtime():
    with open(os.path.join(ROOT, "cbits", "abi", "abi.tsv"), encoding="utf-8") as f:
        return set(re.findall(r"\b(?:GOMP|omp)_\w+", f.read()))


def check(source, path):
    """What is wrong, or None."""
    made = listing(source)
    missing = set(re.findall(r"\b(?:GOMP|omp)_\w+(?= \()", made)) - entries_of_runtime()
    if missing:
        return "gcc calls %s, which the runtime does not have" % ", ".join(sorted(missing))
    if not os.path.exists(path):
        return "there is no listing: tools/lowering.py write"
    with open(path, encoding="utf-8") as f:
        committed = f.read()
    if committed.split("\n", 1)[0] == made.split("\n", 1)[0] and committed != made:
        return "gcc makes something else of it than the listing says: tools/lowering.py write"
    return None


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in ("write", "check"):
        sys.exit("usage: tools/lowering.py write|check")
    wrong = 0
    sources = sorted(glob.glob(os.path.join(FOLDER, "*.c")))
    for source in sources:
        path = source[:-2] + ".gimple"
        if sys.argv[1] == "write":
            with open(path, "w", encoding="utf-8") as f:
                f.write(listing(source))
            continue
        problem = check(source, path)
        if problem:
            print("%s: %s" % (os.path.relpath(source, ROOT), problem))
            wrong += 1
    print("%d listings, %s, %d wrong" % (len(sources), version(), wrong))
    return 1 if wrong or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
