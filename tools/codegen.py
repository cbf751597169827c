#!/usr/bin/env python3
"""The assembly that GHC makes of examples/codegen/Loop.hs, by its native generator and by LLVM, and gcc of loop.c: the
listings examples/codegen/FUNCTION.native.s, FUNCTION.llvm.s and FUNCTION.gcc.s, as docs/internals/ghc-rts.md shows
them.

    tools/codegen.py write     writes the listings, with this machine's GHC, LLVM and gcc
    tools/codegen.py check     compares the committed ones with them
    tools/codegen.py count     prints the page's table: the instructions of each loop, of the committed listings

`check` compares the table, too. A listing is one function's worker at -O2, without directives and comments, its labels
numbered in order. The first line names the compilers that made it. Where this machine has other ones, or no LLVM,
`check` compares nothing and says so. Called by test/docs/codegen.sh.
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
IN_C = FUNCTIONS[:2]
BACKENDS = {"native": [], "llvm": ["-fllvm"], "gcc": None}
PAGE = os.path.join(ROOT, "docs", "internals", "ghc-rts.md")
TITLES = {"native": "GHC's own generator", "llvm": "GHC by LLVM", "gcc": "gcc"}


def output(command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout


def version(backend):
    """The compilers' names; None where they are not here."""
    if backend == "gcc":
        return "gcc " + output(["gcc", "-dumpfullversion"]).strip() if shutil.which("gcc") else None
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
        if backend == "gcc":
            subprocess.run(["gcc", "-O2", "-S", os.path.join(FOLDER, "loop.c"), "-o", made], check=True)
            with open(made, encoding="utf-8") as file:
                return file.read()
        shutil.copy(os.path.join(FOLDER, "Loop.hs"), work)
        subprocess.run(["ghc", "-v0", "-O2", "-S"] + BACKENDS[backend] + ["Loop.hs", "-o", made], cwd=work, check=True)
        with open(made, encoding="utf-8") as file:
            return file.read()


def listing(text, function, backend):
    """The lines of the function, of GHC's code those of its worker, whose name GHC writes as $w and the function's."""
    name = function if backend == "gcc" else "Loop_zdw%s_info" % function
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
    lines = re.sub(r"^\t(\w+)(?:[ \t]+|$)", lambda m: "    %-7s " % m.group(1), lines, flags=re.M).expandtabs()
    lines = re.sub(r",(?=\S)(?![^(]*\))", ", ", lines)
    body = "\n".join(line.rstrip() for line in lines.splitlines() if line.strip())
    return "%s%s:\n%s" % ("" if backend == "gcc" else "$w", function, body)


def instructions_of_loop(text):
    """Those of the listing's first loop, from a label to the jump back to it."""
    at, code = {}, 0
    for line in text.splitlines()[1:]:
        label = re.match(r"(\S+):$", line)
        if label:
            at[label.group(1)] = code
            continue
        code += 1
        words = line.split()
        if words[0].startswith("j") and words[-1] in at:
            return code - at[words[-1]]
    raise ValueError("no loop in\n" + text)


def committed(function, backend):
    """The text of a listing."""
    with open(os.path.join(FOLDER, "%s.%s.s" % (function, backend)), encoding="utf-8") as file:
        return file.read()


def table():
    """The instructions of a round, by function and compiler."""
    lines = ["| instructions of a round | %s |" % " | ".join(TITLES.values()), "|---|" + "---:|" * len(TITLES)]
    for function in FUNCTIONS:
        lines.append("| `%s` | %s |" % (function, " | ".join(
            str(instructions_of_loop(committed(function, backend))) if backend != "gcc" or function in IN_C else "-"
            for backend in TITLES)))
    return "\n".join(lines)


def same_listings(backend, write):
    """Writes the backend's listings, or compares them: False when one is not what the same compilers make."""
    here, same = version(backend), True
    if here is None:
        print("codegen: no compiler for the %s listings here" % backend)
        return same
    text = assembly(backend)
    for function in IN_C if backend == "gcc" else FUNCTIONS:
        path = os.path.join(FOLDER, "%s.%s.s" % (function, backend))
        made = "# %s\n%s\n" % (here, listing(text, function, backend))
        if write:
            with open(path, "w", encoding="utf-8") as file:
                file.write(made)
            continue
        known = committed(function, backend)
        if known.split("\n", 1)[0] != made.split("\n", 1)[0]:
            print("codegen: %s is by other compilers than these, %s" % (os.path.relpath(path, ROOT), here))
        elif known != made:
            same = False
            print("codegen: %s is not what they make: tools/codegen.py write\n%s" % (path, made))
    return same


def same_table():
    """Whether the page has the table that the committed listings give."""
    with open(PAGE, encoding="utf-8") as file:
        if table() in file.read():
            return True
    print("codegen: %s has another table than tools/codegen.py count prints:\n%s" % (PAGE, table()))
    return False


def main(arguments):
    if arguments == ["count"]:
        print(table())
        return 0
    if arguments not in (["write"], ["check"]):
        sys.exit(__doc__)
    good = [same_listings(backend, arguments == ["write"]) for backend in BACKENDS]
    if arguments == ["check"]:
        good.append(same_table())
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
