#!/usr/bin/env python3
"""The assembly that GHC makes of examples/codegen/Loop.hs, by its native generator and by LLVM: the listings
examples/codegen/FUNCTION.native.s and FUNCTION.llvm.s, as docs/internals/ghc-rts.md shows them.

    tools/codegen.py write     writes the listings, with this machine's GHC and LLVM
    tools/codegen.py check     compares the committed ones with them

A listing is one function's worker at -O2, without directives and comments, its labels numbered in order. The first
line names the compilers that made it. Where this machine has other ones, or no LLVM, `check` compares nothing and says
so. Called by test/docs/codegen.sh.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "examples", "codegen")
FUNCTIONS = ("sumOfSquares", "sumOfSines", "numbered")
BACKENDS = {"native": [], "llvm": ["-fllvm"]}


def output(command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout


def version(backend):
    """The compilers' names; None where they are not here."""
    if not shutil.which("ghc"):
        return None
    ghc = "ghc " + output(["ghc", "--numeric-version"]).strip()
    if backend == "native":
        return ghc
    if not (shutil.which("opt") and shutil.which("llc")):
        return None
    found = re.search(r"LLVM version (\d+)", output(["llc", "--version"]))
    return "%s, LLVM %s" % (ghc, found.group(1)) if found else None


def assembly(backend):
    with tempfile.TemporaryDirectory() as work:
        made = os.path.join(work, "Loop.s")
        shutil.copy(os.path.join(FOLDER, "Loop.hs"), work)
        subprocess.run(["ghc", "-v0", "-O2", "-S"] + BACKENDS[backend] + ["Loop.hs", "-o", made], cwd=work, check=True)
        with open(made, encoding="utf-8") as file:
            return file.read()


def listing(text, function):
    """The lines of the function's worker, whose name GHC writes as $w and the function's."""
    name = "Loop_zdw%s_info" % function
    lines = re.search(r"^%s(?:\$def)?:\n(.*?)^\s*\.size\s+%s" % (name, name), text, re.M | re.S).group(1)
    lines = re.sub(r"\s*#.*", "", lines)
    lines = re.sub(r"^\s*\.(?!L)\w+.*\n", "", lines, flags=re.M)
    lines = re.sub(r"^\.Lfunc_end\d+:\n", "", lines, flags=re.M)
    # A label without jumps to it is left out.
    for label in re.findall(r"^(\.L\w+):", lines, re.M):
        if len(re.findall(re.escape(label) + r"\b", lines)) == 1:
            lines = lines.replace(label + ":\n", "")
    numbers = {}
    lines = re.sub(r"\.L\w+", lambda m: ".L%d" % numbers.setdefault(m.group(0), len(numbers) + 1), lines)
    lines = re.sub(r"^\t(\w+)[ \t]+", lambda m: "    %-7s " % m.group(1), lines, flags=re.M).expandtabs()
    lines = re.sub(r",(?=\S)(?![^(]*\))", ", ", lines)
    return "$w%s:\n%s" % (function, "\n".join(line.rstrip() for line in lines.splitlines() if line.strip()))


def main(arguments):
    if arguments not in (["write"], ["check"]):
        sys.exit(__doc__)
    bad = 0
    for backend in BACKENDS:
        here = version(backend)
        if here is None:
            print("codegen: no compiler for the %s listings here" % backend)
            continue
        text = assembly(backend)
        for function in FUNCTIONS:
            path = os.path.join(FOLDER, "%s.%s.s" % (function, backend))
            made = "# %s\n%s\n" % (here, listing(text, function))
            if arguments == ["write"]:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(made)
                continue
            with open(path, encoding="utf-8") as file:
                committed = file.read()
            if committed.split("\n", 1)[0] != made.split("\n", 1)[0]:
                print("codegen: %s is by other compilers than these, %s" % (os.path.relpath(path, ROOT), here))
            elif committed != made:
                bad = 1
                print("codegen: %s is not what GHC makes: tools/codegen.py write\n%s" % (path, made))
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
