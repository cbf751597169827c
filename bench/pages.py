#!/usr/bin/env python3
"""The pages of results, docs/results/*.md, made of the committed JSON in bench/results: a table of verdicts, and all
else folded. The table of all pages goes into docs/results/benchmarks.md.

    bench/pages.py [PAGE...]        all pages; PAGE is a name without .md

PAGES says which measurements stand on a page, and which command of bench/ prints each of them. Nothing is measured
here. Part of `make gen` (mk/bench.mk).
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
BEGIN, END = "<!-- verdicts: begin -->", "<!-- verdicts: end -->"
MEASURED = "[how it was measured](benchmarks.md)"

# A measurement on a page: its title, its result below bench/results, the command of bench/ that prints it (RESULT is
# the result's path), whether the command draws pictures, and what to read on.
Part = collections.namedtuple("Part", "title result command charts more", defaults=(False, MEASURED))


def constructs(cores, words):
    title = "Constructs, tasks and programs on %s cores" % words
    return Part(title, "constructs-%s-cores" % cores, "run.py table RESULT", True)


PAGES = {
    "constructs": constructs("2", "two"),
    "clang": Part("Constructs and tasks compiled by clang, on two cores", "clang-2-cores", "run.py table RESULT"),
    "locks": Part("What locks cost, on two cores", "locks-2-cores", "locks.py table RESULT", True),
    "large": Part("Large teams on two cores", "large-2-cores", "large.py table RESULT",
                  more="[what large teams are](../internals/barriers.md#large-teams)"),
    "trees": Part("Unbalanced trees on two cores", "trees-2-cores", "trees.py table RESULT"),
    "watched": Part("What observers cost while nobody watches", "watched-2-cores", "watched.py table RESULT"),
    "profiler": Part("What the profiler costs, on two cores", "profiler-2-cores", "profiler.py table RESULT"),
    "quota": Part("Under a CPU quota, on two cores", "quota-2-cores", "quota.py table RESULT"),
    "neighbours": Part("Beside other processes, on two cores", "neighbours-2-cores", "neighbours.py table RESULT"),
    "primecount": Part("primecount on two cores", "primecount-2-cores", "primecount.py table RESULT"),
    "c-call": Part("Packaged libraries and programs on two cores", "c-call-2-cores", "c_call.py table RESULT"),
    "haskell": Part("The Haskell library on two cores", "haskell-2-cores", "haskell.py table RESULT", True),
    "evaluation": Part("Lazy values and transactions on two cores", "evaluation-2-cores", "haskell.py table RESULT"),
    "shared": Part("One workload, shared by barriers and by tokens", "shared-2-cores", "haskell.py table RESULT", True,
                   "[the ways](../guide/examples/shared.md), " + MEASURED),
    "smp": Part("What parallel execution costs Haskell programs", "smp-2-cores", "smp.py table RESULT"),
    "parallel-make": Part("A Haskell program compiled on two cores", "parallel-make-2-cores",
                          "parallel_make.py table RESULT"),
    "pool": Part("One pool for the process, on two cores", "pool-2-cores", "pool.py table RESULT", True),
    "pool-policy": Part("One long call of C, beside a trial of the policy, on two cores", "pool-policy-2-cores",
                        "pool.py table RESULT"),
}


def larger_machines():
    """Results of larger machines, constructs-N-cores.json, are pages of their own."""
    for path in glob.glob(os.path.join(BENCH, "results", "constructs-*-cores.json")):
        cores = re.search(r"constructs-(.*)-cores", path).group(1)
        if cores != "2":
            yield "constructs-%s-cores" % cores, constructs(cores, cores)


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


def page(name, part):
    result = result_of(part)
    table = verdicts.table(name, result)
    lines = ["# " + part.title, "", "Generated from `bench/results/%s.json` by `make gen`; %s. %s." % (
        part.result, part.more, common.note_of(result)), ""]
    if table:
        lines += ["A row's ratio is the geometric mean of its cells' ([what the words mean](benchmarks.md#verdicts)).",
                  ""] + table + [""]
    text = printed(name, part).replace("](pictures/", "](../pictures/").rstrip()
    lines += ["<details>", "<summary>All numbers</summary>", "", text, "", "</details>"]
    return "\n".join(lines) + "\n"


def overview(pages):
    """The table of all pages."""
    lines = ["| page | cells | mean | ahead | equal | behind |", "|---|---:|---:|---:|---:|---:|"]
    for name, part in pages.items():
        lines.append("| [%s](%s.md) | %s |" % (part.title, name, " | ".join(verdicts.summary(name, result_of(part)))))
    return "\n".join(lines)


def main():
    pages = dict(PAGES, **dict(larger_machines()))
    for name in sys.argv[1:] or pages:
        if name not in pages:
            sys.exit("ghc-openmp: bench/pages.py: there is no page %s; pages are %s" % (name, ", ".join(sorted(pages))))
        with open(os.path.join(ROOT, "docs", "results", name + ".md"), "w", encoding="utf-8") as file:
            file.write(page(name, pages[name]))
    path = os.path.join(ROOT, "docs", "results", "benchmarks.md")
    with open(path, encoding="utf-8") as file:
        before, begin, rest = file.read().partition(BEGIN)
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + begin + "\n" + overview(pages) + "\n" + END + rest.partition(END)[2])


if __name__ == "__main__":
    main()
