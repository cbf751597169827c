#!/usr/bin/env python3
"""Programs that misuse Data.Array.Linear: they must not compile, and GHC must say why.

    test/should-fail/run.py [NAME...]
    test/should-fail/run.py --together
    test/should-fail/run.py --made NAME...

Each NAME.hs has a line `-- expect: REGEX`, which GHC's message must match, and a corrected twin, NAME_ok.hs,
which must compile without a warning, and run. In the message, white space counts as one blank, since GHC
breaks lines anywhere; quotation marks are "; and the tick of promoted constructors is dropped, which
GHC 9.10 no longer writes. A line `-- compiles: 9.0` names versions of GHC, by their beginnings, whose type checker
has a hole there: with these the misuse must compile, so that the line goes when the hole does. A hole that duplicates a
token has a line `-- ends: REGEX` for what the program then writes to stderr: where it compiles it also runs, with and
without optimization (`-- ends -O1: REGEX`: with it alone), and must end with an error. Both use the package as cabal
builds it here (tools/cabal.sh). A sampled run (test/sample.py) links and runs a third of the twins, and has one level
of optimization of two. Without names: all of them. The last line is `N passed, N failed, N skipped`; without ghc or
cabal the exit status is 77 and the last line says why.

test/run.py runs each name as a test of its own. Before the first, --together builds the library and has two processes
of GHC compile all misuses, and all twins that are not linked, as modules of other names; --made then takes their
messages and builds nothing. To start GHC takes longer than to compile such a program.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(HERE))
from sample import of_environment  # noqa: E402

OUT = os.path.join(ROOT, os.environ.get("BUILD", "build"), "test", "should-fail")
MADE = os.path.join(OUT, "together.json")
# The user's own package environment could hide or replace packages. GHC collects a third less with more memory.
GHC = ["ghc", "-v1", "-package-env", "-", "-Wall", "-fdiagnostics-color=never", "+RTS", "-A64m", "-RTS"]


def names():
    """The misuses, without their twins."""
    stems = (os.path.basename(path)[:-3] for path in glob.glob(os.path.join(HERE, "*.hs")))
    return sorted(stem for stem in stems if not stem.endswith("_ok"))


def run(argv, **options):
    env = dict(os.environ, LC_ALL="C.UTF-8")
    p = subprocess.run(
        argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", env=env, **options
    )
    return p.returncode, p.stdout


def build():
    """Builds the library, for its package database; returns cabal's message when that fails."""
    code, text = run(["sh", os.path.join(ROOT, "tools", "cabal.sh"), "build", "-v1", "lib:ghc-openmp"])
    return None if code == 0 else text


def ghc_version():
    return run(["ghc", "--numeric-version"])[1].strip()


def compiler():
    database = os.path.join(ROOT, "dist-newstyle", "packagedb", "ghc-" + ghc_version())
    return GHC + ["-package-db", database, "-package", "ghc-openmp"]


def expectation(path):
    with open(path, encoding="utf-8") as f:
        found = re.findall(r"^-- expect: (.+)$", f.read(), re.MULTILINE)
    if len(found) != 1:
        raise SystemExit("%s: it needs one line `-- expect: REGEX`" % path)
    return found[0]


def compiles(path, version):
    """Whether the misuse is one that this version of GHC lets pass."""
    with open(path, encoding="utf-8") as f:
        found = re.search(r"^-- compiles: (.+)$", f.read(), re.MULTILINE)
    return found is not None and any((version + ".").startswith(known + ".") for known in found.group(1).split())


def ends(path):
    """The levels of optimization, and what a misuse that compiles says at its end; no levels if it need not end."""
    with open(path, encoding="utf-8") as f:
        found = re.search(r"^-- ends( -O1)?: (.+)$", f.read(), re.MULTILINE)
    if found is None:
        return (), ""
    return (("-O1",) if found.group(1) else ("-O0", "-O1")), found.group(2)


def check_end(source, folder):
    """None, or what is wrong with the end of a misuse that this GHC compiles."""
    levels, expected = ends(source)
    chosen = of_environment()
    for number, level in enumerate(levels):
        if not chosen.has(os.path.basename(source), number, len(levels)):
            continue
        program = os.path.join(folder, "misuse" + level)
        code, text = run(
            compiler() + ["-w", "-threaded", level, "-outputdir", program + ".o", source, "-o", program]
        )
        if code != 0:
            return "with %s it does not link:\n%s" % (level, text)
        code, text = run([program])
        if code == 0 or not re.search(expected, plain(text)):
            return "compiled with %s, it ends with status %d, and says no `%s`:\n%s" % (level, code, expected, text)
    return None


def plain(message):
    """A message of GHC as the expectations are written."""
    return re.sub("\u2018'?|\u2019", '"', " ".join(message.split()))


def linked(name):
    """Whether the twin becomes a program, which is run."""
    return of_environment().has(name + "_ok.hs")


MISUSE, TWIN = ["-fno-code"], ["-Werror", "-threaded", "-O0", "-no-link"]


def compile_together(stems, options, folder):
    """{stem: (exit status, GHC's messages)} of programs that one process compiles, each as the module M_STEM. A program
    that GHC has not come to has failed, with the messages that name none of the files."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for stem in stems:
        with open(os.path.join(HERE, stem + ".hs"), encoding="utf-8") as f:
            text, count = re.subn(r"^module Main ", "module M_%s " % stem, f.read(), flags=re.MULTILINE)
        if count != 1:
            raise SystemExit("%s.hs: it needs one line `module Main (main) where`" % stem)
        with open(os.path.join(folder, "M_%s.hs" % stem), "w", encoding="utf-8") as f:
            f.write(text)
    files = ["M_%s.hs" % stem for stem in stems]
    code, text = run(compiler() + options + ["-fkeep-going", "-outputdir", "made"] + files, cwd=folder)
    common, said = [], {stem: [] for stem in stems}
    to = common
    for line in text.splitlines(keepends=True):
        progress = re.match(r"\[ *\d+ of \d+\] Compiling M_(\w+) ", line)
        place = re.match(r"M_(\w+)\.hs:\d+:\d+: ", line)
        if progress:
            said[progress.group(1)].append("")
            to = common
            continue
        if place:
            to = said[place.group(1)]
        elif line.strip() and not line[0].isspace():
            to = common
        to.append(line)
    results = {}
    for stem, lines in said.items():
        own = "".join(lines)
        reached = "" in lines
        wrong = re.search(r"^M_\w+\.hs:\S+ error\b", own, re.MULTILINE) or not reached
        results[stem] = (1 if wrong else 0, own if reached else "".join(common) or text)
    if code == 0 and any(status for status, _ in results.values()):
        raise SystemExit("GHC ends with status 0, but has messages of errors:\n" + text)
    return results


def together():
    """What all compilations of sources alone say, into a file for `check`."""
    twins = [name + "_ok" for name in names() if not linked(name)]
    twins = [twin for twin in twins if os.path.exists(os.path.join(HERE, twin + ".hs"))]
    made = {
        "misuses": compile_together(names(), MISUSE, os.path.join(OUT, "misuses")),
        "twins": compile_together(twins, TWIN, os.path.join(OUT, "twins")) if twins else {},
    }
    with open(MADE, "w", encoding="utf-8") as f:
        json.dump(made, f)


def compile_alone(stem, options, folder):
    return run(compiler() + options + ["-outputdir", folder, os.path.join(HERE, stem + ".hs")])


def check(name, made=None):
    """None, or what is wrong with this misuse or its twin. made: what `together` has written."""
    source = os.path.join(HERE, name + ".hs")
    twin = name + "_ok"
    if not os.path.exists(source):
        return "there is no %s.hs" % name
    if not os.path.exists(os.path.join(HERE, twin + ".hs")):
        return "it has no corrected twin %s.hs" % twin
    folder = os.path.join(OUT, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    code, text = made["misuses"][name] if made else compile_alone(name, MISUSE, folder)
    hole = compiles(source, ghc_version())
    if hole != (code == 0):
        return "it compiles" if code == 0 else "its line `-- compiles:` names this GHC, which refuses it:\n" + text
    expected = expectation(source)
    if not hole and not re.search(expected, plain(text)):
        return "GHC's message does not match `%s`:\n%s" % (expected, text)
    if hole:
        wrong = check_end(source, folder)
        if wrong is not None:
            return wrong
    program = os.path.join(folder, "twin")
    if linked(name):
        code, text = compile_alone(twin, ["-Werror", "-threaded", "-O1", "-o", program], folder)
    else:
        code, text = made["twins"][twin] if made else compile_alone(twin, TWIN, folder)
    if code != 0:
        return "its twin does not compile:\n" + text
    if not linked(name):
        return None
    code, text = run([program])
    return None if code == 0 else "its twin ends with status %d:\n%s" % (code, text)


def main(arguments):
    for tool in ("ghc", "cabal"):
        if shutil.which(tool) is None:
            print("%s is not installed" % tool)
            return 77
    made = None
    if "--made" in arguments:
        arguments.remove("--made")
        with open(MADE, encoding="utf-8") as f:
            made = json.load(f)
    else:
        problem = build()
        if problem is not None:
            print("%s\nthe library does not build" % problem)
            return 1
    if arguments == ["--together"]:
        together()
        return 0
    passed = failed = 0
    for name in arguments or names():
        problem = check(name, made)
        if problem is None:
            passed += 1
        else:
            failed += 1
            print("FAIL %s: %s" % (name, problem))
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
