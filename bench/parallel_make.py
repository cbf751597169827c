#!/usr/bin/env python3
"""Measures how long cabal-install's modules take to compile with examples/haskell/parallel-make, ghc --make and make.

    bench/parallel_make.py run [--name NAME] [--sources FOLDER] [--program FILE] [--flags=-O0] [--processes N]
    bench/parallel_make.py table RESULT.json
    bench/parallel_make.py check [--sources FOLDER] [--program FILE] [--flags=-O0]

The sources are Debian's package haskell-cabal-install, as tools/debian-source.sh unpacks it. `run` writes
bench/results/NAME.json and prints a Markdown table. Each sample compiles everything from nothing and links it, in a
fresh folder, and is a failure unless the program that it made says its version. After each, the same command again
finds nothing to do: the row of rebuilds. `check` compiles once with ghc --make and once with parallel-make and compares
all hashes of all interfaces: test/examples/parallel-make.sh calls it. Needs only Python's standard library, GHC, make.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import (Failed, ROOT, Watch, act, command_line, conditions_text, die, finish_run, load_result,  # noqa: E402
                    machine, spread, take_samples)

VERSION = re.compile(r"^version:\s*([\d.]+)", re.M | re.I)
# What Debian's build gives the library's solver, as -package flags: the macros MIN_VERSION_* need them, and the link.
PACKAGES = ("async array base base16-bytestring binary bytestring Cabal containers cryptohash-sha256 deepseq directory "
            "echo edit-distance filepath hashable HTTP mtl network-uri pretty process random stm tar time transformers "
            "zlib hackage-security text parsec regex-base regex-posix resolv unix lukko").split()
MAKEFILE = """\
.SUFFIXES:
OBJECTS := $(shell sed -n 's/ : .*\\.hs$$//p' depend)
cabal: $(OBJECTS)
\t@ghc -v0 FLAGS -o $@ $^
out/%.o: %.hs
\t@ghc -v0 FLAGS -iout -c $<
out/%.o: main/%.hs
\t@ghc -v0 FLAGS -iout -c $<
%.hi: %.o
\t@:
include depend
"""
TITLES = {
    "parallel-make-2": "parallel-make -j2",
    "parallel-make-1": "parallel-make -j1",
    "ghc-1": "ghc --make -j1",
    "ghc-2": "ghc --make -j2",
    "make-2": "make -j2",
}
ROWS = {
    "all": "everything from nothing: ghc -M where it is used, all modules, the link",
    "nothing": "the same command again, when nothing has changed",
}


def tree_of(sources, folder):
    """The modules, and the one that Cabal would write. A fresh copy: a run leaves nothing behind for the next one."""
    for name in "Distribution", "main":
        shutil.copytree(os.path.join(sources, name), os.path.join(folder, name))
    with open(os.path.join(sources, "cabal-install.cabal"), encoding="utf-8") as f:
        version = VERSION.search(f.read()).group(1)
    with open(os.path.join(folder, "Paths_cabal_install.hs"), "w", encoding="utf-8") as f:
        f.write("module Paths_cabal_install (version) where\nimport Data.Version (Version (..))\n"
                "version :: Version\nversion = Version [%s] []\n" % version.replace(".", ", "))
    return version


def flags_of(args):
    flags = ["-i.", "-imain", "-XHaskell2010", "-threaded", "-hide-all-packages", "-outputdir", "out", "-w"]
    return flags + [word for name in PACKAGES for word in ("-package", name)] + args.flags.split()


def command_of(name, args):
    flags, (tool, jobs) = flags_of(args), name.rsplit("-", 1)
    if tool == "ghc":
        return [["ghc", "-v0", "--make", "-j" + jobs, "main/Main.hs", "-o", "cabal"] + flags]
    if tool == "parallel-make":
        ours = [flag for flag in flags if flag not in ("-outputdir", "out")]
        options = ["-j" + jobs, "--quiet", "--outputdir", "out", "-o", "cabal"]
        return [[args.program] + options + ["main/Main.hs", "--"] + ours]
    os.makedirs("out", exist_ok=True)
    with open("Makefile", "w", encoding="utf-8") as f:
        f.write(MAKEFILE.replace("FLAGS", " ".join(flags)))
    return [["ghc", "-M", "-dep-suffix", "", "-dep-makefile", "depend", "main/Main.hs"] + flags, ["make", "-j" + jobs]]


def build(name, args, version):
    """Seconds, and CPU seconds, of one build in the current folder."""
    before, began = os.times(), time.monotonic()
    for command in command_of(name, args):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise Failed("%s: exit status %d: %s" % (TITLES[name], done.returncode, done.stdout[-600:]))
    took, after = time.monotonic() - began, os.times()
    said = subprocess.run(["./cabal", "--numeric-version"], stdout=subprocess.PIPE, text=True).stdout.strip()
    if said != version:
        raise Failed("%s: the program that it made says version '%s'" % (TITLES[name], said))
    return took, after.children_user + after.children_system - before.children_user - before.children_system


def found(args):
    """The sources' folder and the program, which must be there."""
    args.sources = os.path.abspath(args.sources)
    if not os.path.exists(os.path.join(args.sources, "cabal-install.cabal")):
        die("%s has no cabal-install: run tools/debian-source.sh haskell-cabal-install build/sources" % args.sources)
    if not args.program:
        args.program = subprocess.run(["sh", os.path.join(ROOT, "tools", "cabal.sh"), "list-bin", "exe:parallel-make"],
                                      stdout=subprocess.PIPE, text=True).stdout.strip()
    if not os.access(args.program, os.X_OK):
        die("no parallel-make: run sh tools/cabal.sh build exe:parallel-make")
    args.program = os.path.abspath(args.program)


def run(args):
    found(args)
    names = args.tools.split(",")
    for name in names:
        if name not in TITLES:
            die("no tool named %s; there are %s" % (name, ", ".join(TITLES)))

    def take(_, name):
        with fresh_folder() as folder:
            version = tree_of(args.sources, folder)
            seconds, cpu = build(name, args, version)
            again, _ = build(name, args, version)
        return {"all": seconds, "all-cpu": cpu, "nothing": again}

    watch = Watch(args.processes, None)
    samples, failed = take_samples(watch, [("cabal-install", names)], take)
    result = {
        "machine": machine(args.cc),
        "conditions": watch.conditions(programs="a compilation of the whole program"),
        "tools": names,
        "flags": args.flags,
        "rows": [dict(make=make, row=row, unit="s", values={n: spread(v) for n, v in values.items()})
                 for (make, row), values in samples.items()],
        "failures": [{"tool": name, "reason": reason} for _, name, reason in failed],
    }
    return finish_run(result, args, markdown(result))


def markdown(result):
    rows = {row["row"]: row["values"] for row in result["rows"]}
    base = rows.get("all", {}).get("ghc-1")
    lines = conditions_text(result) + [
        "cabal-install compiled with `%s`; seconds from spawn to exit. CPU: seconds of all processes together." %
        result["flags"], "",
        "| tool | all | CPU | `ghc --make -j1` / this | again |", "|---|---:|---:|---:|---:|"]
    for name in result["tools"]:
        cells = [rows.get(row, {}).get(name) for row in ("all", "all-cpu", "nothing")]
        ratio = "%.2f" % (base["median"] / cells[0]["median"]) if base and cells[0] else "-"
        shown = ["-" if c is None else "%.1f ± %.1f" % (c["median"], (c["q3"] - c["q1"]) / 2) for c in cells]
        lines.append("| %s | %s | %s | %s | %s |" % (TITLES[name], shown[0], shown[1], ratio, shown[2]))
    lines += ["", "Medians ± half the distance between the quartiles. A dash: it failed, see below.", ""]
    lines += ["- *%s*: %s" % ("again" if row == "nothing" else row, text) for row, text in ROWS.items()]
    lines += ["- %s failed: %s" % (TITLES[f["tool"]], f["reason"]) for f in result["failures"]]
    return "\n".join(lines)


@contextlib.contextmanager
def fresh_folder():
    """An empty folder, which is the current one meanwhile."""
    back = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(back)


def hashes(folder):
    """{interface: its hashes, as GHC shows them}, without those that depend on how GHC was called (see the test)."""
    all_ = {}
    for base, _, files in os.walk(folder):
        for name in files:
            if name.endswith((".hi", ".hi-boot")):
                path = os.path.join(base, name)
                shown = subprocess.run(["ghc", "--show-iface", path], stdout=subprocess.PIPE, text=True, check=True)
                lines = [line.strip() for line in shown.stdout.split("\n") if " hash: " in line]
                all_[os.path.relpath(path, folder)] = [x for x in lines if not x.startswith(("flag", "interface"))]
    return all_


def differing(theirs, ours):
    """The interfaces of two compilations, by their hashes, that are not the same or in one alone."""
    return sorted(set(theirs) ^ set(ours)) + [name for name in theirs if name in ours and theirs[name] != ours[name]]


def check(args):
    found(args)
    got = {}
    for name in "ghc-2", "parallel-make-2":
        with fresh_folder() as folder:
            version = tree_of(args.sources, folder)
            try:
                build(name, args, version)
            except Failed as problem:
                die(str(problem))
            got[name] = hashes("out")
    theirs, ours = got["ghc-2"], got["parallel-make-2"]
    bad = differing(theirs, ours)
    for name in bad:
        print("%s: ghc --make has %s, parallel-make %s" % (name, theirs.get(name), ours.get(name)))
    print("%d interfaces of cabal-install, %d differ from ghc --make's" % (len(theirs), len(bad)))
    return 1 if bad or not theirs else 0


def table(args):
    print(markdown(load_result(args.result)))
    return 0


def main():
    parser, commands, p, _ = command_line("Measures parallel-make against ghc --make and make.", run, table,
                                          "parallel-make-latest")
    c = commands.add_parser("check", help="compare the interfaces with those of ghc --make")
    c.set_defaults(action=check)
    for options in p, c:
        options.add_argument("--sources", default=os.path.join(ROOT, "build", "sources", "haskell-cabal-install"))
        options.add_argument("--program", help="parallel-make; by default the one that Cabal has built")
        options.add_argument("--flags", default="-O0", help="further flags for GHC, in one word: --flags='-O1'")
    p.add_argument("--tools", default=",".join(TITLES), help="some of " + ", ".join(TITLES))
    p.set_defaults(processes=5)
    act(parser)


if __name__ == "__main__":
    main()
