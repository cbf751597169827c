#!/usr/bin/env python3
"""Programs that misuse Data.Array.Linear: they must not compile, and GHC must say why.

    test/should-fail/run.py [--build | --no-build] [NAME...]

Each NAME.hs has a line `-- expect: REGEX`, which GHC's message must match, and a corrected twin, NAME_ok.hs,
which must compile without a warning, and run. In the message, white space counts as one blank, since GHC
breaks lines anywhere; quotation marks are "; and the tick of promoted constructors is dropped, which
GHC 9.10 no longer writes. A line `-- compiles: 9.0` names versions of GHC, by their beginnings, whose type checker
has a hole there: with these the misuse must compile, so that the line goes when the hole does. A hole that duplicates a
token has a line `-- ends: REGEX` for what the program then writes to stderr: where it compiles it also runs, with and
without optimization (`-- ends -O1: REGEX`: with it alone), and must end with an error. Both use the package as cabal
has built it (tools/cabal.sh); --build only builds it, --no-build does not build it. A sampled run (test/sample.py)
links and runs a third of the twins, and has one level of optimization of two. Without names: all of them. The last line
is `N passed, N failed, N skipped`; without ghc or cabal the exit status is 77 and the last line says why. test/run.py
runs each name as a test of its own.
"""

import glob
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
# The user's own package environment could hide or replace packages.
GHC = ["ghc", "-v1", "-package-env", "-", "-Wall", "-fdiagnostics-color=never"]


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


def check(name):
    """None, or what is wrong with this misuse or its twin."""
    source = os.path.join(HERE, name + ".hs")
    twin = os.path.join(HERE, name + "_ok.hs")
    if not os.path.exists(source):
        return "there is no %s.hs" % name
    if not os.path.exists(twin):
        return "it has no corrected twin %s_ok.hs" % name
    folder = os.path.join(OUT, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    code, text = run(compiler() + ["-outputdir", folder, "-fno-code", source])
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
    whole = of_environment().has(os.path.basename(twin))
    how = ["-O1", "-o", program] if whole else ["-O0", "-no-link"]
    code, text = run(compiler() + ["-Werror", "-threaded", "-outputdir", folder, twin] + how)
    if code != 0:
        return "its twin does not compile:\n" + text
    if not whole:
        return None
    code, text = run([program])
    return None if code == 0 else "its twin ends with status %d:\n%s" % (code, text)


def main(arguments):
    for tool in ("ghc", "cabal"):
        if shutil.which(tool) is None:
            print("%s is not installed" % tool)
            return 77
    if "--no-build" in arguments:
        arguments.remove("--no-build")
    else:
        problem = build()
        if problem is not None:
            print("%s\nthe library does not build" % problem)
            return 1
    if arguments == ["--build"]:
        return 0
    passed = failed = 0
    for name in arguments or names():
        problem = check(name)
        if problem is None:
            passed += 1
        else:
            failed += 1
            print("FAIL %s: %s" % (name, problem))
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
