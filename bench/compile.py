#!/usr/bin/env python3
"""Figures 7 to 9 of "Haskell on a Shared-Memory Multiprocessor" (Harris, Marlow, Peyton Jones, Haskell Workshop 2005):
programs whose modules are compiled in parallel, in one process with one heap, by `ghc --make` and by make.

    bench/compile.py run [--name NAME] [--sources FOLDER] [--programs ideal,happy] [--flags=-O0,-O] [--processes N]
    bench/compile.py table RESULT.json
    bench/compile.py check [--sources FOLDER] [--programs ideal]

one-heap (bench/compile) compiles by GHC's library, with a task of OpenMP.Parallel for each module. The programs are two
equal modules that this script writes, and Debian's packages happy and haskell-cabal-install, as tools/debian-source.sh
unpacks them. Each sample compiles everything from nothing, in a fresh folder, and counts only if the program that it
made runs. All have the heap that the paper gave them. Runs with GHC's eventlog count the entry conflicts: how often a
thread needed a value that another thread had under evaluation. `run` writes bench/results/NAME.json and prints Markdown
tables; `check` compiles once with ghc --make -j2 and with one-heap -j2 and compares the interfaces. Needs GHC 9.0, make
and Python's standard library.
"""

import ast
import contextlib
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import eventlog  # noqa: E402
import parallel_make  # noqa: E402
from common import (Failed, ROOT, Watch, act, built, command_line, conditions_text, die, finish_run,  # noqa: E402
                    load_result, machine, plain_environment, spread, take_samples)

MAKEFILE = """\
.SUFFIXES:
OBJECTS := $(shell sed -nE 's/ : .*\\.l?hs$$//p' depend)
all: $(OBJECTS)
\t@LINK
out/%.o: %.hs
\t@ghc -v0 FLAGS -iout -c $<
out/%.o: %.lhs
\t@ghc -v0 FLAGS -iout -c $<
out/%.o: main/%.hs
\t@ghc -v0 FLAGS -iout -c $<
%.hi: %.o
\t@:
include depend
"""
# A piece of the ideal module: a type, its classes, a recursion, and folds, so that the type checker and the optimiser
# have work. N is the piece's number.
PIECE = """
data TreeN a = LeafN | ForkN (TreeN a) a (TreeN a) deriving (Eq, Ord, Show)

instance Functor TreeN where
  fmap _ LeafN = LeafN
  fmap f (ForkN l x r) = ForkN (fmap f l) (f x) (fmap f r)

instance Foldable TreeN where
  foldr _ z LeafN = z
  foldr f z (ForkN l x r) = foldr f (f x (foldr f z r)) l

insertN :: Ord a => a -> TreeN a -> TreeN a
insertN x LeafN = ForkN LeafN x LeafN
insertN x tree@(ForkN l y r) = case compare x y of
  LT -> ForkN (insertN x l) y r
  GT -> ForkN l y (insertN x r)
  EQ -> tree

depthsN :: [Int] -> [(Int, String)]
depthsN xs = [(sum t + maximum (0 : foldr (:) [] t), show (fmap (* 2) t)) | t <- map grown xs]
  where grown x = foldr insertN LeafN [x .. N]
"""
PIECES = 24
HEAPS = {"make": "-H32m", "ghc-own": None}  # else HEAP, of the paper's, too
HEAP = "-H64m"
TITLES = {
    "ghc-1": "`ghc --make -j1`",
    "one-heap-1": "one heap, `-j1`",
    "ghc-2": "`ghc --make -j2`",
    "ghc-own-2": "`ghc --make -j2`, GHC's own heap",
    "one-heap-2": "one heap, `-j2`",
    "make-2": "`make -j2`",
}
# Figures 7 to 9: (user seconds, elapsed seconds, the collector's share in per cent) of the baseline, the parallel
# compiler alone, the same with two compilations at a time, and make.
PAPER = {
    ("ideal", "-O"): ("two equal modules", [(3.8, 4.1, 15), (3.8, 4.1, 14), (4.6, 3.1, 27), (4.8, 2.7, None)]),
    ("happy", "-O0"): ("Happy", [(8.5, 9.8, 21), (8.9, 9.9, 22), (10.2, 8.2, 25), (12.3, 7.9, None)]),
    ("happy", "-O"): ("Happy", [(22.2, 24.1, 16), (22.9, 24.0, 16), (25.9, 20.1, 21), (28.0, 18.4, None)]),
    ("cabal-install", "-O0"): ("Anna", [(9.9, 10.4, 13), (10.4, 10.8, 13), (12.4, 9.2, 23), (15.8, 12.6, None)]),
    ("cabal-install", "-O"): ("Anna", [(20.2, 20.6, 11), (19.9, 20.5, 11), (23.3, 16.9, 21), (27.4, 20.7, None)]),
}
PAPER_CONFLICTS = (0, 11, 26)  # least, mean, most grey-hole entries of ten runs that compile Happy
CONFLICT_RUNS = 10
STOP_THREAD, ON_BLACK_HOLE = 2, 8  # an event, and a status of it


# ---- the programs ----

PATHS = """module %s (version, getDataDir, getDataFileName) where
import Data.Version (Version (..))
version :: Version
version = Version [1] []
getDataDir :: IO FilePath
getDataDir = pure "%s"
getDataFileName :: FilePath -> IO FilePath
getDataFileName name = pure ("%s/" ++ name)
"""


def write_paths(package, data, folder):
    """The module that Cabal would write for a package whose data lie in that folder."""
    module = "Paths_" + package
    with open(os.path.join(folder, module + ".hs"), "w", encoding="utf-8") as f:
        f.write(PATHS % (module, data, data))


class Ideal:
    """Two equal modules, and nothing to link."""
    targets, flags, program, package = ["One", "Two"], ["-i."], None, None
    title = "two equal modules"

    @staticmethod
    def unpack(_, folder):
        text = "".join(PIECE.replace("N", str(n)) for n in range(1, PIECES + 1))
        for name in Ideal.targets:
            with open(os.path.join(folder, name + ".hs"), "w", encoding="utf-8") as f:
                f.write("module %s where\n%s" % (name, text))


class Happy:
    """Debian's happy, and the module that Cabal would write."""
    targets, program, package, title = ["Main.lhs"], "happy", "happy", "Happy"
    flags = ["-i.", "-XHaskell98", "-XCPP", "-XMagicHash", "-XFlexibleContexts", "-hide-all-packages"] + \
        [word for name in "base array containers mtl".split() for word in ("-package", name)]
    says = "Happy Version"

    @staticmethod
    def unpack(sources, folder):
        shutil.copytree(os.path.join(sources, "src"), folder, dirs_exist_ok=True)
        write_paths("happy", ".", folder)


class CabalInstall:
    """Debian's cabal-install, as bench/parallel_make.py compiles it."""
    targets, program, package, title = ["main/Main.hs"], "cabal", "haskell-cabal-install", "cabal-install"
    flags = ["-i.", "-imain", "-XHaskell2010", "-threaded", "-hide-all-packages"] + \
        [word for name in parallel_make.PACKAGES for word in ("-package", name)]
    says = "cabal-install version"

    @staticmethod
    def unpack(sources, folder):
        parallel_make.tree_of(sources, folder)


PROGRAMS = {"ideal": Ideal, "happy": Happy, "cabal-install": CabalInstall}


@contextlib.contextmanager
def unpacked(name, args):
    """The program, in a fresh folder that is the current one meanwhile."""
    program = PROGRAMS[name]
    with parallel_make.fresh_folder() as folder:
        program.unpack(program.package and os.path.join(args.sources, program.package), folder)
        yield program


# ---- one compilation ----


def rts_words(tool, statistics):
    """The RTS's options: the heap, and where its statistics go."""
    heap = HEAPS.get(tool, HEAP)
    words = [heap] * bool(heap) + (["-t" + statistics, "--machine-readable"] if statistics else [])
    return ["+RTS"] + words + ["-RTS"] if words else []


def commands_of(series, program, level, args, statistics="statistics"):
    """The commands that compile the program in the current folder."""
    tool, jobs = series.rsplit("-", 1)
    goal = ["-o", program.program] if program.program else ["-no-link"]
    flags = program.flags + ["-w", "-outputdir", "out", level]
    if tool == "make":
        flags += rts_words(tool, None)
        os.makedirs("out", exist_ok=True)
        link = "ghc -v0 %s -o %s $^" % (" ".join(flags), program.program) if program.program else ":"
        with open("Makefile", "w", encoding="utf-8") as f:
            f.write(MAKEFILE.replace("FLAGS", " ".join(flags)).replace("LINK", link))
        modules = [t if "." in t else t + ".hs" for t in program.targets]
        return [["ghc", "-M", "-dep-suffix", "", "-dep-makefile", "depend"] + modules + flags, ["make", "-j" + jobs]]
    words = ["-j" + jobs] + flags + goal + program.targets + rts_words(tool, statistics)
    return [[args.one_heap, "-B" + args.libdir] + words if tool == "one-heap" else ["ghc", "-v0", "--make"] + words]


def carry_out(series, commands):
    env = dict(plain_environment(), OMP_MAX_TASK_PRIORITY=str(2 ** 31 - 1))  # one-heap has priorities of bytes
    for command in commands:
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise Failed("%s: exit status %d: %s" % (TITLES[series], done.returncode, done.stdout[-600:]))


def check_made(series, program):
    """A sample counts only if what it made is there and runs."""
    if program.program is None:
        missing = [name for name in program.targets if not os.path.exists(os.path.join("out", name + ".o"))]
        if missing:
            raise Failed("%s: made no out/%s.o" % (TITLES[series], missing[0]))
        return
    said = subprocess.run(["./" + program.program, "--version"], stdout=subprocess.PIPE, text=True).stdout
    if not said.startswith(program.says):
        raise Failed("%s: the program that it made says '%s'" % (TITLES[series], said.strip()[:100]))


def statistics_of(path):
    """What the RTS wrote by -tFILE --machine-readable: below the command a list of pairs."""
    with open(path) as f:
        return dict(ast.literal_eval(f.read().split("\n", 1)[1].strip()))


def collector_share(path):
    """The collector's share of the elapsed time, from the RTS's statistics; None where there are none."""
    if not os.path.exists(path):
        return None
    found = statistics_of(path)
    return float(found["GC_wall_seconds"]) / float(found["total_wall_seconds"])


def sample(series, name, level, args):
    """{value: number} of one compilation."""
    with unpacked(name, args) as program:
        commands = commands_of(series, program, level, args)
        before, began = os.times(), time.monotonic()
        carry_out(series, commands)
        took, after = time.monotonic() - began, os.times()
        check_made(series, program)
        share = collector_share("statistics")
    found = {"elapsed": took, "user": after.children_user - before.children_user}
    return found if share is None else dict(found, share=share)


# ---- entry conflicts ----


def conflicts_in(path):
    """How often a thread stopped for a value that another thread had under evaluation."""
    with open(path, "rb") as f:
        found = eventlog.events(f.read())
    return sum(1 for _, event, _, payload in found
               if event == STOP_THREAD and int.from_bytes(payload[4:6], "big") == ON_BLACK_HOLE)


def conflicts(name, level, args):
    """The entry conflicts of one compilation by one-heap -j2."""
    with unpacked(name, args) as program:
        command, = commands_of("one-heap-2", program, level, args, statistics=None)
        logged = [args.one_heap + "-logged"] + command[1:] + ["+RTS", "-l-as", "-olevents", "-RTS"]
        carry_out("one-heap-2", [logged])
        return conflicts_in("events")


# ---- the measurement ----


def prepare(args):
    """Checks what there is, and finds one-heap and GHC's folder."""
    names, args.levels = args.programs.split(","), args.flags.split(",")
    for name in names:
        if name not in PROGRAMS:
            die("no program named %s; there are %s" % (name, ", ".join(PROGRAMS)))
        package = PROGRAMS[name].package
        if package and not os.path.isdir(os.path.join(args.sources, package)):
            die("no sources of %s; run: sh tools/debian-source.sh %s %s" % (name, package, args.sources))
    args.one_heap = args.one_heap or built(args.build, os.path.join("hs", "one-heap"), "make bench-compile")
    args.one_heap, args.sources = os.path.abspath(args.one_heap), os.path.abspath(args.sources)
    args.libdir = subprocess.run(["ghc", "--print-libdir"], stdout=subprocess.PIPE, text=True).stdout.strip()
    return names


def run(args):
    names = prepare(args)
    watch = Watch(args.processes, None)
    cells = [((name, level), list(TITLES)) for name in names for level in args.levels]
    samples, failed = take_samples(watch, cells, lambda cell, series: sample(series, *cell, args))
    units = {"elapsed": "s", "user": "s", "share": "share"}
    rows = [dict(compile=name, flags=level, row=row, unit=units[row],
                 values={n: spread(v) for n, v in values.items()})
            for ((name, level), row), values in samples.items()]
    failures = [{"program": "%s %s" % cell, "series": series, "reason": reason} for cell, series, reason in failed]
    if "happy" in names and args.conflicts:
        for level in args.levels:
            try:
                counts = [conflicts("happy", level, args) for _ in range(args.conflicts)]
                rows.append(dict(compile="happy", flags=level, row="conflicts", unit="",
                                 values={"one-heap-2": spread(counts)}))
            except Failed as failure:
                failures.append({"program": "happy " + level, "series": "one-heap-2", "reason": str(failure)})
    result = {
        "machine": machine(args.cc),
        "conditions": watch.conditions(programs="a compilation of the whole program"),
        "programs": names, "levels": args.levels, "rows": rows, "failures": failures,
    }
    return finish_run(result, args, markdown(result))


# ---- the tables ----


def cells_of(result):
    """{(program, flags): {row: {series: spread}}}"""
    found = {}
    for row in result["rows"]:
        found.setdefault((row["compile"], row["flags"]), {})[row["row"]] = row["values"]
    return found


def table_of(rows):
    base = rows.get("elapsed", {}).get("ghc-1")
    lines = ["| | user | elapsed | collector | speedup |", "|---|---:|---:|---:|---:|"]
    for series, title in TITLES.items():
        user, took, share = (rows.get(row, {}).get(series) for row in ("user", "elapsed", "share"))
        if took is None:
            lines.append("| %s | - | - | - | - |" % title)
            continue
        shown = ["%.2f ± %.2f" % (v["median"], (v["q3"] - v["q1"]) / 2) for v in (user, took)]
        shown.append("%.0f %%" % (100 * share["median"]) if share else "?")
        shown.append("%.2f" % (base["median"] / took["median"]) if base else "-")
        lines.append("| %s | %s |" % (title, " | ".join(shown)))
    return lines


def of_paper(name, level):
    """The paper's rows as a table."""
    if (name, level) not in PAPER:
        return []
    title, rows = PAPER[name, level]
    heads = ["ghc-6.5", "ghc-smp", "ghc-smp `-j2`", "`make -j2`"]
    lines = ["", "The paper, %s on two Xeons of 2.4 GHz in 2005:" % title, "",
             "| | user | elapsed | collector | speedup |", "|---|---:|---:|---:|---:|"]
    for head, (user, took, share) in zip(heads, rows):
        lines.append("| %s | %.1f | %.1f | %s | %.2f |" % (
            head, user, took, "?" if share is None else "%d %%" % share, rows[0][1] / took))
    return lines


def conflicts_text(found):
    lines = []
    for (name, level), rows in found.items():
        for values in rows.get("conflicts", {}).values():
            counts = values["samples"]
            lines.append("| %s `%s` | %d | %.0f | %.0f | %.0f |" % (
                PROGRAMS[name].title, level, len(counts), min(counts), sum(counts) / len(counts), max(counts)))
    if not lines:
        return []
    return ["", "### Entry conflicts", "",
            "How often a thread of `one heap, -j2` needed a value that another thread had under evaluation, in runs "
            "with GHC's eventlog. GHC's own modules are compiled without eager black-holing, so a thread that comes "
            "before the other one has been to the scheduler is not among them.", "",
            "| | runs | least | mean | most |", "|---|---:|---:|---:|---:|"] + lines + [
            "| *the paper*: Happy, with grey-holing | 10 | %d | %d | %d |" % PAPER_CONFLICTS]


def markdown(result):
    found = cells_of(result)
    lines = conditions_text(result) + [
        "Seconds from nothing to the linked program; the speedup is to `ghc --make -j1`. The heaps are the paper's: "
        "`%s`, and `%s` for each compilation of make." % (HEAP, HEAPS["make"])]
    for (name, level), rows in found.items():
        lines += ["", "### %s, `%s`" % (PROGRAMS[name].title, level), ""] + table_of(rows) + of_paper(name, level)
    lines += conflicts_text(found)
    failed = dict.fromkeys((f["program"], f["series"], f["reason"]) for f in result["failures"])
    lines += [""] * bool(failed) + ["- %s, %s failed: %s" % f for f in failed]
    return "\n".join(lines)


def check(args):
    """Both compilers' interfaces are the same."""
    bad = 0
    for name in prepare(args):
        got = {}
        for series in "ghc-2", "one-heap-2":
            with unpacked(name, args) as program:
                try:
                    carry_out(series, commands_of(series, program, args.levels[0], args))
                    check_made(series, program)
                except Failed as problem:
                    die(str(problem))
                got[series] = parallel_make.hashes("out")
        theirs, ours = got["ghc-2"], got["one-heap-2"]
        differ = parallel_make.differing(theirs, ours)
        print("%s: %d interfaces, %d differ from ghc --make's: %s" % (name, len(theirs), len(differ), " ".join(differ)))
        bad += len(differ) + (not theirs)
    return 1 if bad else 0


def table(args):
    print(markdown(load_result(args.result)))
    return 0


def main():
    parser, commands, p, _ = command_line("Measures how long programs take to compile on two processors.", run, table,
                                          "compile-latest")
    c = commands.add_parser("check", help="compare the interfaces with those of ghc --make")
    c.add_argument("--build", default=os.path.join(ROOT, "build"), help="the build folder")
    c.set_defaults(action=check)
    for options in p, c:
        options.add_argument("--sources", default=os.path.join(ROOT, "build", "sources"))
        options.add_argument("--one-heap", help="one-heap; by default the one that make bench-compile has built")
        options.add_argument("--programs", default=",".join(PROGRAMS), help="some of " + ", ".join(PROGRAMS))
        options.add_argument("--flags", default="-O0,-O", help="flags of GHC, with commas: --flags=-O0,-O")
    p.add_argument("--conflicts", type=int, default=CONFLICT_RUNS, help="runs that count entry conflicts; 0: none")
    p.set_defaults(processes=3)
    act(parser)


if __name__ == "__main__":
    main()
