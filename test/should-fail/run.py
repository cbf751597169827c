#!/usr/bin/env python3
"""Programs that misuse Data.Array.Linear, or another type of the library: they must not compile, and GHC must say why.

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

Starting GHC takes longer than compiling such a program, and so does linking one. So one process of GHC compiles all
that have the same options, as modules of other names, and those that run are parts of one program. test/run.py runs
each name as a test of its own: before the first, --together builds the library and does this for all; --made then takes
what GHC has said and builds nothing.
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


def levels(name):
    """The levels of optimization at which this run links a misuse that GHC compiles."""
    every, _ = ends(os.path.join(HERE, name + ".hs"))
    return [level for number, level in enumerate(every) if of_environment().has(name + ".hs", number, len(every))]


def check_end(name, made):
    """None, or what is wrong with the end of a misuse that this GHC compiles."""
    _, expected = ends(os.path.join(HERE, name + ".hs"))
    for level in levels(name):
        code, text = made["ends"][level][name]
        if code != 0:
            return "with %s it does not compile:\n%s" % (level, text)
        code, text = run([program("ends" + level), name])
        if code == 0 or not re.search(expected, plain(text)):
            return "compiled with %s, it ends with status %d, and says no `%s`:\n%s" % (level, code, expected, text)
    return None


def plain(message):
    """A message of GHC as the expectations are written."""
    return re.sub("\u2018'?|\u2019", '"', " ".join(message.split()))


def linked(twin):
    """Whether the twin becomes a part of a program, which is run."""
    return of_environment().has(twin + ".hs")


MISUSE, TWIN = ["-fno-code"], ["-Werror", "-threaded", "-O0", "-no-link"]
LINKED, END = ["-Werror", "-threaded", "-O1", "-no-link"], ["-w", "-threaded", "-no-link"]
# Nothing of a module is compiled again in the one that calls it.
DRIVER = """{-# OPTIONS_GHC -w -O0 #-}
module Main (main) where
import System.Environment (getArgs, withArgs)
%s
main :: IO ()
main = getArgs >>= \\words -> withArgs [] (case words of
%s
    _ -> fail "no such program")
"""


def program(folder):
    """Its path, of what `link_together` links in that folder."""
    return os.path.join(OUT, folder, "program")


def link_together(results, options, folder):
    """One program of those that GHC has compiled in that folder, which runs the one that its argument names: to link
    takes longer than to compile them."""
    stems = [stem for stem, (status, _) in results.items() if status == 0]
    if not stems:
        return
    with open(os.path.join(OUT, folder, "Main.hs"), "w", encoding="utf-8") as f:
        f.write(DRIVER % ("\n".join("import qualified M_%s" % stem for stem in stems),
                          "\n".join('    ["%s"] -> M_%s.main' % (stem, stem) for stem in stems)))
    options = [option for option in options if option != "-no-link"]
    code, text = run(compiler() + options + ["-outputdir", "made", "Main.hs", "-o", "program"],
                     cwd=os.path.join(OUT, folder))
    if code != 0 or re.search(r"Compiling M_", text):
        raise SystemExit("GHC does not link what it has compiled:\n" + text)


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


def together(stems):
    """What GHC says of all of them, for `check`, and the programs that it runs."""
    twins = [name + "_ok" for name in stems if os.path.exists(os.path.join(HERE, name + "_ok.hs"))]
    version = ghc_version()
    holes = [name for name in stems if compiles(os.path.join(HERE, name + ".hs"), version)]

    def made(some, options, folder):
        return compile_together(some, options, os.path.join(OUT, folder)) if some else {}

    results = {
        "version": version,
        "misuses": made(stems, MISUSE, "misuses"),
        "twins": made([twin for twin in twins if not linked(twin)], TWIN, "twins"),
        "linked": made([twin for twin in twins if linked(twin)], LINKED, "linked"),
        "ends": {},
    }
    link_together(results["linked"], LINKED, "linked")
    for level in ("-O0", "-O1"):
        chosen = [name for name in holes if level in levels(name)]
        results["ends"][level] = made(chosen, END + [level], "ends" + level)
        link_together(results["ends"][level], END + [level], "ends" + level)
    return results


def check(name, made):
    """None, or what is wrong with this misuse or its twin. made: what `together` returns."""
    source = os.path.join(HERE, name + ".hs")
    twin = name + "_ok"
    if name not in made["misuses"]:
        return "there is no %s.hs" % name
    if not os.path.exists(os.path.join(HERE, twin + ".hs")):
        return "it has no corrected twin %s.hs" % twin
    code, text = made["misuses"][name]
    hole = compiles(source, made["version"])
    if hole != (code == 0):
        return "it compiles" if code == 0 else "its line `-- compiles:` names this GHC, which refuses it:\n" + text
    expected = expectation(source)
    if not hole and not re.search(expected, plain(text)):
        return "GHC's message does not match `%s`:\n%s" % (expected, text)
    if hole:
        wrong = check_end(name, made)
        if wrong is not None:
            return wrong
    code, text = made["linked" if linked(twin) else "twins"][twin]
    if code != 0:
        return "its twin does not compile:\n" + text
    if not linked(twin):
        return None
    code, text = run([program("linked"), twin])
    return None if code == 0 else "its twin ends with status %d:\n%s" % (code, text)


def main(arguments):
    for tool in ("ghc", "cabal"):
        if shutil.which(tool) is None:
            print("%s is not installed" % tool)
            return 77
    if "--made" in arguments:
        arguments.remove("--made")
        with open(MADE, encoding="utf-8") as f:
            made = json.load(f)
    else:
        problem = build()
        if problem is not None:
            print("%s\nthe library does not build" % problem)
            return 1
        whole = arguments == ["--together"]
        made = together(names() if whole or not arguments else [name for name in arguments if name in names()])
        if whole:
            with open(MADE, "w", encoding="utf-8") as f:
                json.dump(made, f)
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
