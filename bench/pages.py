#!/usr/bin/env python3
"""The pages of results, docs/results/*.md, made of the committed JSON in bench/results: a table of verdicts, and all
else folded. The table of all pages goes into docs/results/benchmarks.md, that of make rescues into its own page.

    bench/pages.py [PAGE...]        all pages; PAGE is a name without .md

PARTS says which command of bench/ prints each measurement, PAGES which of them stand on a page, SIMULATED where the
simulator's text goes. Nothing is measured here. Part of `make gen` (mk/bench.mk).
"""

import collections
import glob
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402
import verdicts  # noqa: E402

BENCH = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(BENCH)
RESCUES = "bench/results/rescues-2-cores.json"
MEASURED = "[how it was measured](benchmarks.md)"

# A measurement on a page: its title, its result below bench/results, the command of bench/ that prints it (RESULT is
# the result's path), whether the command draws pictures, and what to read on.
Part = collections.namedtuple("Part", "title result command charts more", defaults=(False, MEASURED))


def constructs(cores, words):
    title = "Compiled by gcc, on %s cores" % words
    return Part(title, "constructs-%s-cores" % cores, "run.py table RESULT", True)


PARTS = {
    "constructs": constructs("2", "two"),
    "clang": Part("Compiled by clang, on two cores", "clang-2-cores", "run.py table RESULT"),
    "free-agents": Part("Tasks that the whole pool runs, on two cores", "free-agents-2-cores",
                        "free_agents.py table RESULT",
                        more="[which threads run them](../reference/free-agents.md), " + MEASURED),
    "replay": Part("Graphs of tasks that are recorded once, on two cores", "replay-2-cores", "replay.py table RESULT",
                   more="[in C](../guide/c.md#record-tasks-once), " + MEASURED),
    "older": Part("Instructions beside an older build, on two cores", "older-2-cores", "older.py table RESULT"),
    "locks": Part("What locks cost, on two cores", "locks-2-cores", "locks.py table RESULT", True),
    "large": Part("Teams of up to 256 threads, on two cores", "large-2-cores", "large.py table RESULT",
                  more="[what large teams are](../internals/barriers.md#large-teams)"),
    "trees": Part("Unbalanced trees on two cores", "trees-2-cores", "trees.py table RESULT"),
    "watched": Part("What observers cost while nobody watches", "watched-2-cores", "watched.py table RESULT"),
    "profiler": Part("What the profiler costs, on two cores", "profiler-2-cores", "profiler.py table RESULT"),
    "quota": Part("Under a CPU quota, on two cores", "quota-2-cores", "quota.py table RESULT"),
    "neighbours": Part("Beside processes that compute, on two cores",
                       "neighbours-2-cores", "neighbours.py table RESULT"),
    "noise": Part("Beside noise, and with serial phases, on two cores", "noise-2-cores", "noise.py table RESULT"),
    "recovery": Part("While noise is there, and after it, on two cores", "recovery-2-cores",
                     "recovery.py table RESULT"),
    "virtual": Part("In virtual machines of more CPUs than there are", "virtual-2-cores", "virtual.py table RESULT"),
    "primecount": Part("primecount, on two cores", "primecount-2-cores", "primecount.py table RESULT"),
    "c-call": Part("Packaged libraries and programs on two cores", "c-call-2-cores", "c_call.py table RESULT"),
    "haskell": Part("Loops, regions, tasks and calls, on two cores",
                    "haskell-2-cores", "haskell.py table RESULT", True),
    "evaluation": Part("Lazy values and transactions on two cores", "evaluation-2-cores", "haskell.py table RESULT"),
    "shared": Part("One workload, shared by barriers and by tokens", "shared-2-cores", "haskell.py table RESULT", True,
                   "[the ways](../guide/examples/shared.md), " + MEASURED),
    "smp": Part("What parallel execution costs Haskell programs", "smp-2-cores", "smp.py table RESULT"),
    "shapes": Part("Whole algorithms on two cores", "shapes-2-cores", "haskell.py table RESULT"),
    "smp-packages": Part("What it costs packaged programs", "smp-packages-2-cores", "smp_packages.py table RESULT"),
    "parallel-make": Part("A Haskell program compiled on two cores", "parallel-make-2-cores",
                          "parallel_make.py table RESULT"),
    "compile": Part("The modules of a program compiled in one heap, on two cores", "compile-2-cores",
                    "compile.py table RESULT"),
    "compile-larger": Part("The modules of cabal-install compiled in one heap, on two cores",
                           "compile-cabal-install-2-cores", "compile.py table RESULT"),
    "pool": Part("Regions beside Haskell, callers and the collector, on two cores",
                 "pool-2-cores", "pool.py table RESULT", True),
}


# A page's title, and its measurements.
PAGES = {
    "constructs": ("Constructs, tasks and programs",
                   ("constructs", "clang", "trees", "free-agents", "replay", "older", "locks")),
    "large": ("Large teams", ("large", "primecount")),
    "observers": ("What observers cost", ("watched", "profiler")),
    "neighbours": ("Beside other processes", ("neighbours", "noise", "recovery", "quota", "virtual")),
    "programs": ("Other people's libraries and programs", ("c-call", "parallel-make", "compile", "compile-larger")),
    "haskell": ("The Haskell library", ("haskell", "evaluation", "shared", "shapes", "smp", "smp-packages")),
    "pool": ("One pool for the process", ("pool",)),
}

# Measurements that no peer has a counterpart of: their own tables stand unfolded.
ALONE = ("free-agents", "replay", "older", "smp-packages", "recovery")

# Simulations have no verdicts, and fold their tables themselves (bench/simulate/page.md) or have short ones: by the
# page whose last part they are.
SIMULATED = {
    "neighbours": Part("Waits on simulated CPUs", "simulate", "simulate.py table RESULT"),
    "large": Part("Flat or tree, on simulated CPUs", "simulate-barriers", "simulate_barriers.py table RESULT"),
}


def larger_machines():
    """Results of larger machines, constructs-N-cores.json, are pages of their own: adds them to both tables."""
    for path in glob.glob(os.path.join(BENCH, "results", "constructs-*-cores.json")):
        cores = re.search(r"constructs-(.*)-cores", path).group(1)
        if cores != "2":
            name = "constructs-%s-cores" % cores
            PARTS[name] = constructs(cores, cores)
            PAGES[name] = (PARTS[name].title, (name,))


def printed(name, part):
    """What the part's command prints."""
    result = "bench/results/%s.json" % part.result
    script, *words = part.command.replace("RESULT", result).split()
    if part.charts:
        words += ["--charts", "docs/pictures"]
        words += ["--prefix", "results" + name[len("constructs"):]] if script == "run.py" else []
    done = subprocess.run([sys.executable, os.path.join("bench", script)] + words, cwd=ROOT, stdout=subprocess.PIPE,
                          text=True, check=True)
    return done.stdout


def result_of(part):
    with open(os.path.join(BENCH, "results", part.result + ".json"), encoding="utf-8") as file:
        return json.load(file)


def text_of(name, part):
    """What the part's command prints, with paths and headings of a page."""
    text = printed(name, part).replace("](pictures/", "](../pictures/").rstrip()
    return re.sub(r"(?m)^#(?=#+ )", "##", text)


def measured(names):
    """Those of a page's measurements that have a committed result."""
    return [name for name in names if os.path.exists(os.path.join(BENCH, "results", PARTS[name].result + ".json"))]


def section(name):
    """A measurement's part of a page."""
    part = PARTS[name]
    result = result_of(part)
    table = verdicts.table(name, result) if name not in ALONE else []
    lines = ["## " + part.title, "", "Generated from `bench/results/%s.json` by `make gen`; %s. %s." % (
        part.result, part.more, common.note_of(result)), ""] + table + [""] * bool(table)
    if name in ALONE:
        return lines + [text_of(name, part), ""]
    return lines + ["<details>", "<summary>All numbers</summary>", "", text_of(name, part), "", "</details>", ""]


def page(name):
    title, names = PAGES[name]
    lines = ["# " + title, "",
             "A row's ratio is the geometric mean of its cells' ([what the words mean](benchmarks.md#verdicts)).", ""]
    for part in measured(names):
        lines += section(part)
    if name in SIMULATED:
        part = SIMULATED[name]
        lines += ["## " + part.title, "", "Generated from `bench/results/%s.json` by `make gen`." % part.result, "",
                  text_of("simulated", part), ""]
    return "\n".join(lines)


def overview():
    """The table of all measurements."""
    lines = ["| measurement | cells | mean | ahead | equal | behind |", "|---|---:|---:|---:|---:|---:|"]
    for name, (_, names) in PAGES.items():
        for part in (part for part in measured(names) if part not in ALONE):
            title = PARTS[part].title
            anchor = re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
            lines.append("| [%s](%s.md#%s) | %s |" % (title, name, anchor, " | ".join(
                verdicts.summary(part, result_of(PARTS[part])))))
    return "\n".join(lines)


def rescues():
    """The table of make rescues as it was measured on a quiet machine."""
    done = subprocess.run([sys.executable, "-B", os.path.join("examples", "rescues", "rescues.py"), "table", RESCUES],
                          cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.rstrip()


def put(path, name, text):
    """Puts the text between a page's comments of that name."""
    begin, end = ("<!-- %s: %s -->" % (name, which) for which in ("begin", "end"))
    path = os.path.join(ROOT, "docs", path)
    with open(path, encoding="utf-8") as file:
        before, _, rest = file.read().partition(begin)
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + begin + "\n" + text + "\n" + end + rest.partition(end)[2])


def main():
    larger_machines()
    for name in sys.argv[1:] or PAGES:
        if name not in PAGES:
            sys.exit("ghc-openmp: bench/pages.py: there is no page %s; pages are %s" % (name, ", ".join(sorted(PAGES))))
        with open(os.path.join(ROOT, "docs", "results", name + ".md"), "w", encoding="utf-8") as file:
            file.write(page(name))
    put("results/benchmarks.md", "verdicts", overview())
    put("guide/rescues.md", "rescues", rescues())


if __name__ == "__main__":
    main()
