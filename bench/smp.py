#!/usr/bin/env python3
"""Measures what parallel execution costs Haskell programs on today's GHC, and what two Capabilities gain.

    bench/smp.py run [--name NAME] [--quick] [--processes N] [--programs queens,sort] [--uncounted]
    bench/smp.py table RESULT.json

The programs are those of bench/smp, each in four variants (VARIANTS); the questions are section 6 of "Haskell on a
Shared-Memory Multiprocessor" (Harris, Marlow, Peyton Jones, Haskell Workshop 2005), whose averages stand beside.
Instructions are counted by valgrind, as a process of three runs less one of one run, with the RTS's timer off; they
hardly vary. `run` writes bench/results/NAME.json and prints Markdown tables. Needs only Python's standard library, GNU
size, and valgrind unless --uncounted.
"""

import glob
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import instructions  # noqa: E402
from common import (Failed, Watch, act, built, cell_with_unit, command_line, conditions_text, die,  # noqa: E402
                    finish_run, load_result, machine, plain_environment, spawn, spread, take_samples)

VARIANTS = {
    "plain": "GHC's RTS without `-threaded`",
    "threaded": "`-threaded`",
    "eager": "`-threaded -feager-blackholing`",
    "library": "`-threaded`, with this library",
}
# What is compared: the variant, what it is compared with, what the paper has beside it.
COMPARED = [("threaded", "plain"), ("eager", "threaded"), ("library", "threaded")]
# Two runs of a program: the variant, the mode and the number of Capabilities.
PAIRS = {
    "two-1": ("threaded", "two", 1, "one after the other, one Capability"),
    "two-2": ("threaded", "two", 2, "one after the other, two Capabilities"),
    "sparks-2": ("threaded", "sparks", 2, "at once by `par`, two Capabilities"),
    "team-2": ("library", "team", 2, "at once by a team, two Capabilities"),
}
# The pairs whose collections are shown.
COLLECTED = ("two-1", "sparks-2", "team-2")
MODEL = {
    "plain": "written when it is begun and when it is done",
    "claimed": "begun by a compare-and-swap",
    "filled": "begun and done by one each",
}
MODEL_CELLS = 6000 * 101  # chains of a hundred cells and a first one, Main.hs and Claims.hs
# The paper's figures 4 to 6: change in per cent over nofib's 88 programs (least, most, geometric mean).
PAPER = [
    ("a compare-and-swap at each entry and update (figure 4)", "code size", 3.2, 8.0, 4.9),
    ("", "run time", -4.5, 320.0, 53.9),
    ("for several processors, without locks (figure 5)", "code size", 0.7, 3.3, 1.9),
    ("", "allocation", 0.0, 24.5, 12.4),
    ("", "run time", -8.2, 41.0, 5.8),
    ("eager black-holing on top of it (figure 6)", "code size", 0.3, 1.3, 0.7),
    ("", "run time", -5.2, 53.5, 2.1),
]


def code_bytes(objects):
    """{module: bytes of code and constants} of a variant's objects."""
    sizes = {}
    for path in glob.glob(os.path.join(objects, "**", "*.o"), recursive=True):
        done = subprocess.run(["size", path], stdout=subprocess.PIPE, text=True, check=True)
        text, data = (int(word) for word in done.stdout.splitlines()[1].split()[:2])
        sizes[os.path.basename(path)[:-2]] = text + data
    return sizes


def modules(build):
    """{variant: {module: bytes}}, of the programs alone."""
    found = {}
    for variant in VARIANTS:
        folder = os.path.join(build, "bench", "cabal", "build", "*", "*", "*", "x", "smp-" + variant, "build")
        sizes = {}
        for objects in glob.glob(folder):
            sizes.update(code_bytes(objects))
        found[variant] = {name: size for name, size in sizes.items() if name not in ("Main", "Programs", "Claims")}
    return found


def binaries(build):
    return {variant: built(build, os.path.join("smp", "smp-" + variant), "make bench-smp") for variant in VARIANTS}


def command(binary, words, capabilities):
    return [binary] + words + ["+RTS", "-T", "-N%d" % capabilities] if capabilities else \
        [binary] + words + ["+RTS", "-T"]


def counted(binary, words, env):
    """Instructions of one run of a program, or of the model, by a variant's binary."""
    one, three = (instructions.of_process([binary] + words + ["=%d" % n, "+RTS", "-T", "-V0"], env) for n in (1, 3))
    return (three - one) / 2


def count_all(binary, names, env):
    """Rows of instructions, and the failures."""
    cells = [("one", name, variant, [name, "one"], variant) for name in names for variant in VARIANTS]
    cells += [("model", "", way, ["model", way], "threaded") for way in MODEL]
    rows, failures = {}, []
    for kind, program, series, words, variant in cells:
        try:
            rows.setdefault((kind, program), {})[series] = spread([counted(binary[variant], words, env)])
        except Failed as failure:
            failures.append(((kind, program), series, str(failure)))
    return [dict(kind=kind, program=program, value="instructions", unit="", values=values)
            for (kind, program), values in rows.items()], failures


def run(args):
    build = os.path.abspath(args.build)
    binary = binaries(build)
    if not args.uncounted:
        instructions.needs("valgrind", "bench-watched")
    known = subprocess.run([binary["plain"], "list"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    names = args.programs.split(",") if args.programs else known
    for name in names:
        if name not in known:
            die("no program named %s; there are %s" % (name, ", ".join(known)))
    seconds = "0.1" if args.quick else "0.3"
    env = plain_environment()
    env["OMP_NUM_THREADS"] = "2"
    results = {}

    def take(cell, series):
        kind, program = cell
        if kind == "one":
            words, variant, capabilities = [program, "one", seconds], series, 0
        elif kind == "pair":
            variant, mode, capabilities, _ = PAIRS[series]
            words = [program, mode, seconds]
        else:
            words, variant, capabilities = ["model", series, seconds], "threaded", 0
        sample = spawn(command(binary[variant], words, capabilities), env)
        if results.setdefault((kind, program), sample["result"]) != sample["result"]:
            raise Failed("the result is %d, not %d" % (sample["result"], results[kind, program]))
        return {value: sample[value] for value in ("ns", "allocated", "collector", "collections")}

    cells = [(("one", name), list(VARIANTS)) for name in names]
    cells += [(("pair", name), list(PAIRS)) for name in names] + [(("model", ""), list(MODEL))]
    watch = Watch(args.processes or (2 if args.quick else 5), None)
    samples, failed = take_samples(watch, cells, take)
    conditions = watch.conditions(programs="a variant for %s s, its best time" % seconds)
    counts, uncounted = ([], []) if args.uncounted else count_all(binary, names, env)
    units = {"ns": "ns", "allocated": "bytes", "collector": "share", "collections": ""}
    result = {
        "machine": machine(args.cc),
        "conditions": conditions,
        "programs": names,
        "code": modules(build),
        "binaries": {variant: os.path.getsize(path) for variant, path in binary.items()},
        "rows": [dict(kind=kind, program=program, value=value, unit=units[value],
                      values={n: spread(v) for n, v in found.items()})
                 for ((kind, program), value), found in samples.items()] + counts,
        "failures": [{"program": "%s %s" % cell, "series": series, "reason": reason}
                     for cell, series, reason in failed + uncounted],
    }
    return finish_run(result, args, markdown(result))


# ---- the tables ----


def medians(result, kind, value):
    """{program: {series: median}}"""
    return {row["program"]: {name: v["median"] for name, v in row["values"].items()}
            for row in result["rows"] if row["kind"] == kind and row["value"] == value}


def change(after, before):
    return 100 * (after / before - 1)


def percent(value):
    return "%+.1f %%" % value


def geometric_mean(changes):
    return 100 * (math.exp(sum(math.log(1 + c / 100) for c in changes) / len(changes)) - 1)


def summary(changes):
    return [percent(min(changes)), percent(max(changes)), percent(geometric_mean(changes))]


def table_of(head, rows):
    return ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)] + \
        ["| " + " | ".join(row) + " |" for row in rows]


def changes_of(result, variant, base, value):
    found = medians(result, "one", value)
    return {name: change(series[variant], series[base]) for name, series in found.items()
            if series.get(base, 0) > 0 and series.get(variant, 0) > 0}


def sequential(result):
    """One thread: what each variant costs."""
    time, share = medians(result, "one", "ns"), medians(result, "one", "collector")
    ns = {row["program"]: row for row in result["rows"] if row["kind"] == "one" and row["value"] == "ns"}
    allocated = medians(result, "one", "allocated")
    changed = [changes_of(result, variant, base, "ns") for variant, base in COMPARED]
    head = ["program", "time, plain", "allocated", "collector's share"] + \
        ["%s / %s" % pair for pair in COMPARED]
    rows = [[name, cell_with_unit(ns[name]["values"].get("plain"), "ns"),
             "%.1f MB" % (allocated[name]["plain"] / 1e6), "%.0f %%" % (100 * share[name]["plain"])] +
            [percent(each[name]) if name in each else "-" for each in changed]
            for name in result["programs"] if name in time and "plain" in time[name]]
    return table_of(head, rows)


def instructions_table(result):
    """One thread: instructions of a run; none where they were not counted."""
    found = medians(result, "one", "instructions")
    changed = [changes_of(result, variant, base, "instructions") for variant, base in COMPARED]
    rows = [[name, "{:,.1f}".format(found[name]["plain"] / 1e6)] +
            [percent(each[name]) if name in each else "-" for each in changed]
            for name in result["programs"] if "plain" in found.get(name, {})]
    return table_of(["program", "millions, plain"] + ["%s / %s" % pair for pair in COMPARED], rows) if rows else []


def beside(result):
    """Least, most and mean of the changes, and the paper's."""
    code, rows = result["code"], []
    for variant, base in COMPARED:
        sizes = [change(code[variant][m], code[base][m]) for m in code[base] if m in code[variant]]
        lines = [("code size", sizes), ("allocation", list(changes_of(result, variant, base, "allocated").values())),
                 ("instructions", list(changes_of(result, variant, base, "instructions").values())),
                 ("run time", list(changes_of(result, variant, base, "ns").values()))]
        title = "%s, to %s" % (VARIANTS[variant], VARIANTS[base])
        for what, changes in lines:
            if changes:
                rows.append([title, what] + summary(changes))
                title = ""
    for what, value in ("instructions", "instructions"), ("run time", "ns"):
        model = medians(result, "model", value).get("", {})
        rows += [["the model's cells %s, to %s" % (MODEL[way], MODEL["plain"]), what, "", "",
                  percent(change(model[way], model["plain"]))]
                 for way in ("claimed", "filled") if way in model and "plain" in model]
    rows += [["*the paper*: " + title if title else "", what] + [percent(v) for v in values]
             for title, what, *values in PAPER]
    return table_of(["", "", "least", "most", "geometric mean"], rows)


def why_cheaper(result):
    """Why the model's compare-and-swap costs so much less than the paper's, where instructions were counted."""
    plain = medians(result, "model", "instructions").get("", {}).get("plain")
    return ["", "A cell of the model takes %.0f instructions, made and evaluated, and the compare-and-swap is one of "
            "them. The paper had it in the entry code of GHC's own thunks, of a few instructions, and thunks may be "
            "all that a program evaluates." % (plain / MODEL_CELLS)] if plain else []


def pairs(result):
    """Two runs of a program: how many times as fast as one after the other on one Capability."""
    ns = {row["program"]: row["values"] for row in result["rows"] if row["kind"] == "pair" and row["value"] == "ns"}
    share, times = medians(result, "pair", "collector"), medians(result, "pair", "collections")
    others = [name for name in PAIRS if name != "two-1"]
    rows, gains = [], {name: [] for name in others}
    for program in result["programs"]:
        values = ns.get(program, {})
        if "two-1" not in values:
            continue
        row = [program, cell_with_unit(values["two-1"], "ns")]
        for name in others:
            gain = values["two-1"]["median"] / values[name]["median"] if name in values else None
            gains[name].append(gain)
            row.append("-" if gain is None else "%.2f" % gain)
        row += ["%.0f %%" % (100 * share[program].get(name, 0)) for name in COLLECTED]
        there = times.get(program, {})
        rows.append(row + ["{:,.0f}".format(there[name]) if name in there else "-" for name in COLLECTED])
    means = ["**geometric mean**", ""]
    for name in others:
        there = [gain for gain in gains[name] if gain]
        means.append("%.2f" % math.exp(sum(map(math.log, there)) / len(there)) if there else "-")
    head = ["program", "two, one after the other"] + \
        [PAIRS[name][3] for name in others] + ["collector's share: one", "`par`", "team"] + \
        ["collections: one", "`par`", "team"]
    return table_of(head, rows + [means + [""] * 6])


def markdown(result):
    lines = conditions_text(result) + [
        "", "## What the variants cost one thread", "",
        "The best time of a run in each process; medians over processes ± half the distance of the quartiles.", ""]
    lines += sequential(result)
    counts = instructions_table(result)
    if counts:
        lines += ["", "### The same in instructions", "", "Counted by valgrind, so without what a cache, a lock prefix "
                  "or the machine's other work costs.", ""] + counts
    lines += ["", "## Beside the paper", ""] + beside(result)
    lines += ["", "Code size: the modules' objects. The paper's base lines are a GHC for one processor; today's has "
              "one code for both, and `-threaded` changes only the RTS."]
    lines += why_cheaper(result)
    lines += ["", "## Two runs at once", "", "How many times as fast as one after the other by one Capability. A "
              "collection stops both runs and empties both allocation areas, so two runs that are at work at the same "
              "time need half as many. Both wait for it, so what spends most of its time in the collector gains no "
              "more than the collector's second thread gives.", ""]
    lines += pairs(result)
    sizes = result["binaries"]
    lines += ["", "The binary: %s." % ", ".join("%s %.1f MB" % (VARIANTS[v], sizes[v] / 1e6) for v in VARIANTS)]
    failed = dict.fromkeys((f["program"], f["series"], f["reason"]) for f in result["failures"])
    lines += [""] * bool(failed) + ["- %s, %s failed: %s" % f for f in failed]
    return "\n".join(lines)


def table(args):
    print(markdown(load_result(args.result)))
    return 0


def main():
    parser, _, p, _ = command_line("Measures what parallel execution costs Haskell programs.", run, table, "smp-latest")
    p.add_argument("--programs", help="only these programs, with commas between them")
    p.add_argument("--quick", action="store_true", help="two processes, 0.1 s each")
    p.add_argument("--uncounted", action="store_true", help="count no instructions, which takes some 15 minutes")
    act(parser)


if __name__ == "__main__":
    main()
