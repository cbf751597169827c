#!/usr/bin/env python3
"""Measures OpenMP regions beside the rest of a process: Haskell threads, other callers, the collector.

    bench/pool.py run [--quick] [--name NAME] [--rows ...] [--series ...] [--processes N] [--other FOLDER]
    bench/pool.py table RESULT.json [--charts FOLDER]

`run` starts one process for each sample (series, row, cell), the series alternating. It writes bench/results/NAME.json
and prints Markdown. It fails when a region computes a wrong result or has a team of the wrong size, when a sample ran
on the wrong runtime, and when one does not end in time. The rows: bench/pool_rows.py; how to read the tables:
docs/results/benchmarks.md. Needs only Python's standard library.
"""

import os
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chart  # noqa: E402
import eventlog  # noqa: E402
from common import (Failed, Watch, act, built, cell_with_unit, check_served, command_line,  # noqa: E402
                    conditions_text, die, environment, finish_run, load_result, machine, note_of, peer, quantity,
                    rows_asked, spawn, spread, take_samples)
from pool_rows import (ALONE, CALLERS_CHARTS, MIXED_CHART, OTHER, ROWS, SERIES, VALUES,  # noqa: E402
                       WHOLE_MACHINE, WISHES)

QUICK_LIMIT_S, FULL_LIMIT_S = 200, 720
CAPABILITIES = 2


# ---- samples ----


def find_runtimes(build, other=None):
    """Name to (folder of libgomp.so.1 or None, the object that must serve: None for the system's, "" for the program).

    None where it is not installed. other: the folder of the one more library, if there is one.
    """
    dropin, more = os.path.join(build, "dropin"), None
    if other is not None:
        more = os.path.join(os.path.abspath(other), "libgomp.so.1")
        if not os.path.exists(more):
            die("no %s; --other names the folder of a libgomp.so.1" % more)
    return {"ours": (None, ""), "libgomp": peer("libgomp", build), "libomp": peer("libomp", build),
            "other": more and (os.path.dirname(more), more), "dropin": (dropin, os.path.join(dropin, "libgomp.so.1"))}


def find_programs(build):
    programs = {"pool": "hs/pool", "pool-peers": "hs/pool-peers",
                "pool-dynamic": "hs/pool-dynamic", "masters": "masters", "constructs": "constructs"}
    return {name: built(build, path, "make bench-pool or make bench-pool-quick") for name, path in programs.items()}


def sample(programs, runtimes, row, cell, name, window_ms):
    """One process; its values by name."""
    group, column = cell
    spec, series = ROWS[row], SERIES[name]
    folder, served = runtimes[series.runtime]
    program = programs[series.program]
    env = dict(environment((folder, None, None), series.threads or spec.threads), **series.env)
    milliseconds = str(window_ms * spec.window.get(group, 1))
    posix = series.program == "masters"
    host = {"ours": "ghc", "dropin": "posix" if posix else "ghc"}.get(series.runtime)
    if posix:
        result = spawn([program, spec.program_row, str(column), milliseconds], env)
    else:
        command = [program, spec.program_row, group, str(column), milliseconds,
                   "+RTS", "-N%d" % CAPABILITIES, *spec.rts]
        result = with_pauses(command, env) if spec.program_row == "pauses" else spawn(command, env)
    check_served(result, program if served == "" else served, host)
    return result["values"]


def with_pauses(command, env):
    """A sample with the collector's pauses among its values, in microseconds, from the process's eventlog."""
    with tempfile.TemporaryDirectory(prefix="ghc-openmp-bench-") as folder:
        path = os.path.join(folder, "pauses.eventlog")
        result = spawn(command + ["-l-agu", "-ol" + path], env)
        try:
            pauses, seconds = eventlog.pauses(path, "window opens", "window closes")
        except (OSError, eventlog.Broken) as error:
            raise Failed("its eventlog cannot be read: %s" % error)
    if pauses:
        percent = statistics.quantiles(pauses, n=100, method="inclusive") if len(pauses) > 1 else pauses * 99
        result["values"].update({"pause-p50": statistics.median(pauses) / 1e3, "pause-p99": percent[98] / 1e3,
                                 "pause-max": max(pauses) / 1e3, "pauses": len(pauses) / seconds})
    return result


def add_shares(samples):
    """Haskell's units as a share of the same program's Haskell alone, where that was measured."""
    for ((row, (group, column)), value), found in list(samples.items()):
        alone = samples.get(((row, (ROWS[row].without, column)), "units"), {})
        bases = {name: statistics.median(alone[base]) for name in found
                 for base in [ALONE.get(SERIES[name].program)] if alone.get(base)}
        if value == "units" and bases:
            samples[(row, (group, column)), "share"] = {
                name: [100 * number / bases[name] for number in found[name]] for name in found if name in bases}


def run(args):
    build = os.path.abspath(args.build)
    rows, series = rows_asked(args, ROWS), args.series.split(",")
    for name in series:
        if name not in SERIES:
            die("no series named %s; there are %s" % (name, ", ".join(SERIES)))
    programs, runtimes = find_programs(build), find_runtimes(build, args.other)
    window_ms = args.window or (150 if args.quick else 200)
    cells = []
    for row in rows:
        for cell, names in ROWS[row].cells.items():
            there = [name for name in series if name in names and runtimes[SERIES[name].runtime] is not None]
            if there:
                cells.append(((row, cell), there))
    watch = Watch(args.processes or (3 if args.quick else 10), QUICK_LIMIT_S if args.quick else FULL_LIMIT_S)
    samples, failed = take_samples(
        watch, cells, lambda where, name: sample(programs, runtimes, *where, name, window_ms), programs["constructs"])
    add_shares(samples)
    result = {
        "machine": machine(args.cc),
        "conditions": watch.conditions(window_ms=window_ms),
        "rows": [{"row": row, "group": group, "column": column, "value": value, "unit": VALUES[value].unit,
                  "values": {name: spread(numbers) for name, numbers in found.items()}}
                 for ((row, (group, column)), value), found in samples.items()],
        "failures": [{"row": row, "group": group, "column": column, "series": name, "reason": reason}
                     for (row, (group, column)), name, reason in failed],
    }
    return finish_run(result, args, markdown(result))


# ---- tables ----


class Table:
    """A result's entries, by row, group, column and value."""

    def __init__(self, result):
        self.entries = {(e["row"], e["group"], e["column"], e["value"]): e["values"] for e in result["rows"]}
        self.rows = [row for row in ROWS if any(key[0] == row for key in self.entries)]

    def values(self, row, group, column, value):
        """Series to spread; the series without regions are in every group."""
        found = dict(self.entries.get((row, ROWS[row].without, column, value), {}))
        found.update(self.entries.get((row, group, column, value), {}))
        return found

    def median(self, row, group, column, value, name):
        found = self.values(row, group, column, value).get(name)
        return found["median"] if found else None


def columns_of(row):
    return sorted({column for _, column in ROWS[row].cells})


def series_of_row(row):
    names = dict.fromkeys(name for cell in ROWS[row].cells.values() for name in cell)
    return [name for name in SERIES if name in names]


def table_of(table, row, group, together):
    """Series down, values and columns across; empty where nothing was measured."""
    spec = ROWS[row]
    across = [(value, column) for value in together for column in columns_of(row)
              if table.values(row, group, column, value)]
    names = [name for name in series_of_row(row)
             if any(name in table.values(row, group, column, value) for value, column in across)]
    if not across:
        return []
    several = len({value for value, _ in across}) > 1
    head = [""] + [("%s, " % VALUES[value].title if several else "") + spec.columns(column) for value, column in across]
    lines = [[SERIES[name].title]
             + [cell_with_unit(table.values(row, group, column, value).get(name), VALUES[value].unit)
                for value, column in across] for name in names]
    text = ["| " + " | ".join(line) + " |" for line in [head] + lines]
    return text[:1] + ["|---|" + "---:|" * len(across)] + text[1:]


def version(text):
    return [int(part) for part in text.split(".")[:2]]


def asked_of(wish, ghc):
    """Whether the aim applies to this version of GHC."""
    return wish.ghc is None or (ghc is not None and version(wish.ghc[0]) <= version(ghc) <= version(wish.ghc[1]))


def beside_other(table, w):
    """The line of an aim beside one more library: the quotients of each round, whose processes are seconds apart."""
    value = "units" if w.value == "share" else w.value

    def samples(name):
        found = table.values(w.row, w.group, w.column, value).get(name)
        return found["samples"] if found else []

    series = [samples(w.name), samples(w.other)]
    programs = [SERIES[name].program for name in (w.name, w.other)]
    if w.value == "share" and programs[0] != programs[1]:
        series += [samples(ALONE[program]) for program in programs]
    if not series[0] or len({len(found) for found in series}) > 1:
        return []
    rounds = [a / b / (base[0] / base[1] if base else 1) for a, b, *base in zip(*series)]
    quotient = spread(rounds)
    return ["| %s | %.2f (%.2f to %.2f) of %s | at least %g | %s |" % (
        title_of(w), quotient["median"], quotient["q1"], quotient["q3"], SERIES[w.other].title, w.factor,
        "yes" if quotient["median"] >= w.factor else "**no**")]


def title_of(w):
    spec = ROWS[w.row]
    return ", ".join(part for part in (w.row, w.group.strip("-"), spec.columns(w.column), SERIES[w.name].title,
                                       VALUES[w.value].title) if part)


def wanted(result):
    """The project's aims, and whether this result reaches them."""
    table, lines = Table(result), []
    for w in WISHES:
        if w.other in OTHER:
            lines += beside_other(table, w) if asked_of(w, result["machine"]["ghc"]) else []
            continue
        got = table.median(w.row, w.group, w.column, w.value, w.name)
        other = table.median(w.row, w.group, w.column, w.value, w.other) if w.other else 0
        if got is None or other is None or not asked_of(w, result["machine"]["ghc"]):
            continue
        value = VALUES[w.value]
        limit = w.factor * other + w.plus
        bound = "%g times %s%s" % (w.factor, SERIES[w.other].title,
                                   " and %s" % quantity(w.plus, value.unit) if w.plus else "") if w.other else ""
        lines.append("| %s | %s | %s %s%s | %s |" % (
            title_of(w), quantity(got, value.unit), "at most" if value.less else "at least",
            quantity(limit, value.unit), " (%s)" % bound if bound else "",
            "yes" if (got <= limit if value.less else got >= limit) else "**no**"))
    return (["| row | measured | wanted | |", "|---|---:|---:|---|"] + lines + whole_machine(result)) if lines else []


def whole_machine(result):
    """The CPUs that the aims of a series would take at least: Haskell's share of all of them, and for the regions their
    rate relative to that of one thread that has a CPU for itself."""
    row, group, column, one = WHOLE_MACHINE
    table, cpus = Table(result), min(result["machine"]["cpus_usable"], CAPABILITIES)
    rate = table.median(row, group, 0, "regions", one)
    asked = {}
    for w in WISHES:
        other = table.median(w.row, w.group, w.column, w.value, w.other) if w.other else None
        if (w.row, w.group, w.column) == (row, group, column) and other and asked_of(w, result["machine"]["ghc"]):
            limits = asked.setdefault(w.name, {})
            limits[w.value] = max(limits.get(w.value, 0), w.factor * other)
    lines = []
    for name, limits in asked.items():
        had = [table.median(row, group, column, value, name) for value in ("share", "regions")]
        if rate and set(limits) == {"share", "regions"} and None not in had:
            haskell, openmp = taken(limits["share"], limits["regions"], cpus, rate)
            lines.append("- %s, %s, %s: %s of Haskell and %s regions would take %.2f + %.2f = %.2f of %d CPUs; it had "
                         "%.2f." % (row, ROWS[row].columns(column), SERIES[name].title, quantity(limits["share"], "%"),
                                    quantity(limits["regions"], "/s"), haskell, openmp, haskell + openmp, cpus,
                                    sum(taken(*had, cpus, rate))))
    if not lines:
        return []
    return ["", "Both at a time, in CPUs: a share of Haskell's units is that share of all the CPUs, and a region what "
            "it takes one thread that has a CPU for itself (%s regions), though a team of two takes more:"
            % quantity(rate, "/s"), ""] + lines


def taken(share, regions, cpus, rate):
    return share / 100 * cpus, regions / rate


def markdown(result, pictures=None):
    """pictures: row to the Markdown of its charts."""
    table = Table(result)
    lines = conditions_text(result) + ["", "%d Capabilities. Medians over processes ± half the distance between the "
                                       "quartiles." % CAPABILITIES, ""]
    verdicts = wanted(result)
    if verdicts:
        lines += ["## What is wanted", ""] + verdicts + [""]
    for row in table.rows:
        spec = ROWS[row]
        lines += ["## " + row, "", spec.what[0].upper() + spec.what[1:] + ".", ""]
        lines += (pictures or {}).get(row, [])
        for group, words in spec.groups.items():
            for together in spec.together:
                found = table_of(table, row, group, together)
                if found:
                    title = "; ".join(part for part in (words, "" if len(together) > 1 else VALUES[together[0]].title)
                                      if part)
                    lines += [title[0].upper() + title[1:] + ":", ""] + found + [""]
    return "\n".join(lines).rstrip()


def charts(result, folder):
    """Writes the charts there. Returns row to the Markdown that shows them, relative to the folder's parent."""
    table, pictures = Table(result), {}
    os.makedirs(folder, exist_ok=True)

    def picture(row, name, words, svg):
        with open(os.path.join(folder, name), "w") as f:
            f.write(svg)
        pictures.setdefault(row, []).extend(["![%s](%s/%s)" % (words, os.path.basename(folder), name), ""])

    row, group, column = MIXED_CHART
    medians = [(SERIES[name].title, table.median(row, group, column, "regions", name) or 0,
                table.median(row, group, column, "share", name)) for name in series_of_row(row)]
    points = [point for point in medians if point[2] is not None]
    if points:
        words = "Mixed load: %s, beside %s" % (ROWS[row].groups[group], ROWS[row].columns(column))
        picture(row, "pool-mixed.svg", words,
                chart.scatter(words, "regions a second", "% of the units that Haskell has alone", points,
                              note_of(result)))
    for row, kind in (("callers", "Haskell threads"), ("posix-callers", "POSIX threads")):
        for value, title in CALLERS_CHARTS:
            lines = [(SERIES[name].title, [(column, table.median(row, "-", column, value, name))
                                           for column in columns_of(row)
                                           if table.median(row, "-", column, value, name) is not None])
                     for name in series_of_row(row)]
            lines = [line for line in lines if line[1]]
            if lines:
                words = "%s, against the number of callers" % (title[0].upper() + title[1:])
                picture(row, "pool-%s-%s.svg" % (row, value), words,
                        chart.curves(words, kind + " that call regions", title, lines, log_y=value != "regions",
                                     note=note_of(result)))
    return pictures


def show(args):
    result = load_result(args.result)
    print(markdown(result, charts(result, args.charts) if args.charts else None))
    return 0


def main():
    parser, _, p, shown = command_line("Measures OpenMP regions beside what else a process does.", run, show,
                                       "pool-latest", "three processes a cell, shorter windows (under four minutes)")
    p.add_argument("--window", type=int, help="milliseconds of a sample (200, quick: 150); three times that for "
                   "pauses, five times for short mixed regions")
    p.add_argument("--series", default=",".join(SERIES), help="in this order, only some of " + ", ".join(SERIES))
    p.add_argument("--other", metavar="FOLDER", help="also measure the libgomp.so.1 there, in the row library")
    shown.add_argument("--charts", help="also write pictures there, and show them")
    act(parser)


if __name__ == "__main__":
    main()
