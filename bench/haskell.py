#!/usr/bin/env python3
"""Measures the Haskell library beside OpenMP in C, forkIO, sparks and monad-par, in one run.

    bench/haskell.py run [--quick] [--name NAME] [--threads 1,2,4] [--rows ...] [--processes N]
    bench/haskell.py table RESULT.json [--charts FOLDER]

`run` starts one process for each sample (series, row, number of threads, size), the series alternating. It writes
bench/results/NAME.json and prints Markdown. It fails when a kernel finds a wrong result, when a sample ran on the wrong
runtime, and when one does not end in time. The rows: bench/haskell_rows.py; how to read the tables:
docs/results/benchmarks.md. Needs only Python's standard library.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chart  # noqa: E402
import haskell_base  # noqa: E402
from common import (Watch, act, built, cell_with_unit, check_served, command_line, conditions_text, die,  # noqa: E402
                    environment, finish_run, load_result, machine, note_of, peer, quantity, rows_asked, spawn, spread,
                    take_samples)
from haskell_rows import (BARS, BESIDE_WANTED, CHARTS, CONVERTED, EVALUATION, EXTRA, GAINS,  # noqa: E402
                          GAINS_WANTED, LATENCIES, PREDICTED, RATES, RATIOS_WANTED, ROWS, SHAPES, SHARED, TIMES_WANTED,
                          less_is_better, series_of)

QUICK_LIMIT_S, FULL_LIMIT_S = 165, 1200


# ---- samples ----


def find_runtimes(build):
    """Name to the argument of environment(): the folder of libgomp.so.1, the host to ask for, the object that must
    serve."""
    found = {"ours": (None, None)}
    found.update((name, peer(name, build)) for name in ("libgomp", "libomp"))
    return {name: (at[0], None, at[1]) if at else None for name, at in found.items()}


def unmatched(programs):
    """Differences between the rows and the programs' own lists; programs maps a name to its (row, series)."""
    lines, used = [], set()
    for row, spec in ROWS.items():
        for series in map(series_of, spec.series):
            if series.program in programs:
                used.add((series.program, row, series.series))
                if (row, series.series) not in programs[series.program]:
                    lines.append("%s has no series %s of row %s" % (series.program, series.series, row))
    lines += ["no row has kernels' series %s of row %s" % (series, row)
              for row, series in sorted(programs["kernels"]) if ("kernels", row, series) not in used]
    return lines


def listed(program):
    out = subprocess.run([program, "list"], stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout
    return {tuple(line.split()) for line in out.splitlines()}


def thread_numbers(kind, asked, cpus):
    if kind == "all":
        return asked
    if kind == "cpus":
        return [m for m in asked if m <= cpus]
    if kind == "full":
        return [cpus]
    if kind == "spare":
        return sorted({max(1, cpus - 1), cpus})
    return list(kind)


def cells_of(rows, asked, quick, cpus):
    return [(row, m, size) for row in rows for m in thread_numbers(ROWS[row].threads, asked, cpus)
            for size in (ROWS[row].quick if quick else ROWS[row].sizes)]


def check_series(result, series, runtime, program):
    """Our series run on the runtime that is linked into the program."""
    ours = series.runtime == "ours"
    check_served(result, program if ours else runtime[2], "ghc" if ours else None)


def sample(bins, runtimes, row, m, size, name, timing, cpus):
    series = series_of(name)
    program = bins[series.program]
    env = dict(environment(runtimes[series.runtime], m), **series.env)
    flags = ["-N%d" % cpus, "-T"] if row in LATENCIES else ["-N%d" % min(m, cpus)]
    result = spawn([program, row, series.series, str(m), size, *timing, "+RTS", *flags, "-RTS"], env)
    check_series(result, series, runtimes[series.runtime], program)
    values = result["values"]
    if row in CONVERTED:
        values[""] = CONVERTED[row](values[""], size)
    return values


def run(args):
    build = os.path.abspath(args.build)
    commands = "make bench-hs or make bench-hs-quick"
    bins = {name: built(build, os.path.join("hs", name), commands) for name in ("kernels", "peers")}
    bins["kernels-llvm"] = os.path.join(build, "bench", "hs", "kernels-llvm")  # where there is LLVM for this GHC
    constructs = built(build, "constructs", commands)
    wrong = unmatched({name: listed(path) for name, path in bins.items() if os.path.exists(path)})
    if wrong:
        die("bench/haskell_rows.py and bench/hs do not fit: " + "; ".join(wrong))
    rows = rows_asked(args, ROWS) if args.rows else [row for row in ROWS if row not in EVALUATION + SHARED + SHAPES]
    runtimes = find_runtimes(build)
    cpus = len(os.sched_getaffinity(0))
    cells = cells_of(rows, [int(t) for t in args.threads.split(",")], args.quick, cpus)
    processes = args.processes or (5 if args.quick else 10)
    batch_ms, batches = (8, 4) if args.quick else (10, 5)
    timing = [str(batch_ms), str(batches)]

    def there(name):
        series = series_of(name)
        return os.path.exists(bins[series.program]) and runtimes[series.runtime] is not None

    def take(cell, name):
        return sample(bins, runtimes, *cell, name, timing, cpus)

    watch = Watch(processes, QUICK_LIMIT_S if args.quick else FULL_LIMIT_S)
    samples, failed = take_samples(watch, [(cell, [n for n in ROWS[cell[0]].series if there(n)]) for cell in cells],
                                   take, constructs)
    failures = [{"row": row, "threads": m, "size": size, "series": name, "reason": reason}
                for (row, m, size), name, reason in failed]

    result = {
        "machine": machine(args.cc),
        "conditions": watch.conditions(batch_ms=batch_ms, batches=batches),
        "rows": [{"row": row, "value": extra, "threads": m, "size": size, "unit": unit_of(row, extra),
                  "values": {name: spread(values) for name, values in found.items()}}
                 for ((row, m, size), extra), found in sorted(
                     samples.items(), key=lambda s: (list(ROWS).index(s[0][0][0]), s[0][1] != "", s[0][1]))],
        "failures": failures,
    }
    return finish_run(result, args, markdown(result))


# ---- tables ----


def unit_of(row, extra):
    return EXTRA[extra][0] if extra else RATES.get(row, "ns")


def threads_text(m):
    return "1 thread" if m == 1 else "%d threads" % m


def size_text(size):
    return " x ".join("{:,}".format(int(n)) for n in size.split("x")) if size != "-" else size


def where(entry):
    """A cell's size, or its team in a row that has none."""
    return size_text(entry["size"]) if entry["size"] != "-" else threads_text(entry["threads"])


def ratio(entry, name, peers):
    """The cost of a series to that of the best measured peer: below 1, the series is better. None without a peer."""
    medians = [entry["values"][p]["median"] for p in peers if p in entry["values"]]
    if name not in entry["values"] or not medians:
        return None
    own = entry["values"][name]["median"]
    if less_is_better(entry["row"], entry["value"]):
        return own / min(medians) if min(medians) else float("inf")
    return max(medians) / own if own else float("inf")


def best_of(entries, peers):
    """What a ratio is of: the peers that were measured, which a committed result may lack."""
    return "best of " + ", ".join(series_of(p).title for p in peers if any(p in e["values"] for e in entries))


def gain_of(entry, series, alone):
    """How many times as fast as alone; None where one of the two was not measured."""
    if series not in entry["values"] or alone not in entry["values"]:
        return None
    return entry["values"][alone]["median"] / entry["values"][series]["median"]


def predicted(function, entry):
    """The row's prediction for a cell; None when a series that it is computed from was not measured."""
    try:
        return function({n: v["median"] for n, v in entry["values"].items()}, entry["size"])
    except KeyError:
        return None


def table_of(row, extra, entries):
    """Series across and cells down, or the other way round where that is narrower."""
    spec = ROWS[row]
    names = [n for n in spec.series if any(n in e["values"] for e in entries)]
    compared = [o for o in spec.ours if not extra and any(ratio(e, o, spec.peers) is not None for e in entries)]
    sized = any(e["size"] != "-" for e in entries)
    columns = [(series_of(n).title, [cell_with_unit(e["values"].get(n), e["unit"]) for e in entries]) for n in names]
    for o in compared:
        ratios = [ratio(e, o, spec.peers) for e in entries]
        columns.append(("%s / %s" % (series_of(o).title, best_of(entries, spec.peers)),
                        ["%.2f" % r if r is not None else "-" for r in ratios]))
    for series, alone in [gain[1:] for gain in GAINS if gain[0] == row and not extra]:
        gains = [gain_of(e, series, alone) for e in entries]
        if any(gains):
            columns.append(("%s to %s: times as fast" % (series_of(alone).title, series_of(series).title),
                            ["%.2f" % g if g else "-" for g in gains]))
    if row in PREDICTED and not extra:
        title, function = PREDICTED[row]
        values = [predicted(function, e) for e in entries]
        columns.append((title, ["-" if v is None else quantity(v, e["unit"]) for v, e in zip(values, entries)]))
    if len(names) > len(entries):
        head = [""] + [threads_text(e["threads"]) + (", " + size_text(e["size"]) if sized else "") for e in entries]
        lines = [[title] + texts for title, texts in columns]
        rule = "|---|" + "---:|" * len(entries)
    else:
        head = ["threads"] + ["size"] * sized + [title for title, _ in columns]
        lines = [[str(e["threads"])] + [size_text(e["size"])] * sized + [texts[i] for _, texts in columns]
                 for i, e in enumerate(entries)]
        rule = "|" + "---:|" * len(head)
    text = ["| " + " | ".join(line) + " |" for line in [head] + lines]
    return text[:1] + [rule] + text[1:]


def crossover(entries):
    """For each team, the smallest size from which it was faster than its sequential twin."""
    lines = []
    for name, twin in (("c-ours", "c-alone"), ("libgomp", "c-alone"), ("libomp", "c-alone"), ("ours", "alone"),
                       ("ours", "c-alone")):
        known = sorted((int(e["size"]), e["values"][name]["median"] < e["values"][twin]["median"]) for e in entries
                       if name in e["values"] and twin in e["values"])
        if known:
            wins = [size for i, (size, _) in enumerate(known) if all(w for _, w in known[i:])]
            lines.append("- %s is faster than %s %s" % (
                series_of(name).title, series_of(twin).title,
                "from %s on." % "{:,}".format(wins[0]) if wins else "at none of these sizes."))
    return lines


def fixed_cost(by_row):
    """What a region costs however small it is, in parts: the call from Haskell, and fork and join."""
    calls = [e for e in by_row.get("call", []) if "safe" in e["values"]]
    lines = []
    for e in by_row.get("fork-join", []):
        for name in ("c-ours", "libgomp", "libomp"):
            if calls and name in e["values"] and e["threads"] == by_row["crossover"][0]["threads"]:
                whole, call = e["values"][name]["median"], calls[0]["values"]["safe"]["median"]
                lines.append("- %s: a region with nothing in it takes %s, a safe call of it %s, fork and join %s." % (
                    series_of(name).title, quantity(whole, "ns"), quantity(call, "ns"), quantity(whole - call, "ns")))
    return lines


def grain(entries, cpus):
    """For each way to call back and each team, what a call costs besides the work, and the least work beside which that
    is a tenth of the whole. A cell's time is the call's and that of so many units: the unit's is taken from the largest
    size, where the call vanishes, and the call's from the smallest one, with its quartiles."""
    lines = []
    for name in ROWS["callback-work"].ours:
        for m in sorted({e["threads"] for e in entries}):
            known = sorted(((int(e["size"]), e["values"][name]) for e in entries
                            if e["threads"] == m and name in e["values"]), key=lambda k: k[0])
            if len(known) < 2:
                continue
            (least, small), (most, large) = known[0], known[-1]
            unit = (large["median"] - small["median"]) / (most - least)
            at_once = min(m, cpus)  # of all threads' calls; one thread's take so many times as long
            cost, low, high = ((small[q] - unit * least) * at_once for q in ("median", "q1", "q3"))
            at = "- %s, %s: a call costs " % (series_of(name).title, threads_text(m))
            if low <= 0:
                lines.append(at + "less than its time varies, %s." % quantity((small["q3"] - small["q1"]) * at_once,
                                                                              "ns"))
            else:
                lines.append(at + "%s (%s to %s), a tenth of the whole beside %s of work." % (
                    *(quantity(v, "ns") for v in (cost, low, high)), quantity(9 * cost, "ns")))
    return lines


def gains_wanted(by_row):
    for row, name, threads, limit in GAINS_WANTED:
        alone = next(gain[2] for gain in GAINS if gain[:2] == (row, name))
        gains = [(gain_of(e, name, alone), e["size"]) for e in by_row.get(row, []) if e["threads"] == threads]
        gains = [(g, size) for g, size in gains if g]
        if gains:
            under = [size_text(size) for g, size in gains if g < limit]
            yield "| %s, %s to %s, %s, at worst | %.2f times as fast (%s) | at least %.1f | %s |" % (
                row, series_of(alone).title, series_of(name).title, threads_text(threads), min(gains)[0],
                size_text(min(gains)[1]), limit, "**not** at " + ", ".join(under) if under else "yes")


def beside_wanted(result):
    """Regions beside other Haskell threads, to what the same team's take alone, or to the best of the peers'."""
    at = {(e["row"], e["value"], e["threads"]): e for e in result["rows"] if e["row"] in LATENCIES}
    for (row, value, threads), e in at.items():
        if row == "latency" or value not in BESIDE_WANTED:
            continue
        if threads < result["machine"]["cpus_usable"]:
            alone = at.get(("latency", value, threads))
            if alone is None or "c-ours" not in alone["values"] or "c-ours" not in e["values"]:
                continue
            got, limit = e["values"]["c-ours"]["median"] / alone["values"]["c-ours"]["median"], BESIDE_WANTED[value]
            to = "alone, a CPU left for Haskell"
        else:
            got, limit, to = ratio(e, "c-ours", ROWS[row].peers), 1.0, "best of the peers, no CPU left"
        if got is not None:
            yield "| %s, C on ours, %s, %s / %s | %.2f | at most %.2f | %s |" % (
                row, value or "p50", threads_text(threads), to, got, limit,
                "yes" if round(got, 2) <= limit else "**no**")


def wanted(result):
    """The project's aims, and whether this result reaches them."""
    lines = []
    by_row = {}
    for e in result["rows"]:
        if not e["value"]:
            by_row.setdefault(e["row"], []).append(e)
    for row, name, threads, size, limit in TIMES_WANTED:
        for e in by_row.get(row, []):
            if e["threads"] == threads and e["size"] == size and name in e["values"]:
                got = e["values"][name]["median"]
                of_size = ", " + size_text(size) if size != "-" else ""
                lines.append("| %s, %s, %s%s | %s | at most %s | %s |" % (
                    row, series_of(name).title, threads_text(threads), of_size, quantity(got, "ns"),
                    quantity(limit, "ns"), "yes" if got <= limit else "**no**"))
    compared = [(row, name, ROWS[row].peers, ROWS[row].limit) for row in by_row for name in ROWS[row].ours
                if ROWS[row].limit]
    for row, name, peers, limit in compared + RATIOS_WANTED:
        ratios = [(ratio(e, name, peers), where(e)) for e in by_row.get(row, [])]
        ratios = [(r, at) for r, at in ratios if r is not None]
        if ratios:
            over = [at for r, at in ratios if r > limit]
            lines.append("| %s, %s / %s, at worst | %.2f (%s) | at most %.2f | %s |" % (
                row, series_of(name).title, best_of(by_row[row], peers), max(ratios)[0],
                max(ratios)[1], limit, "**not** at " + ", ".join(over) if over else "yes"))
    lines += list(gains_wanted(by_row)) + list(beside_wanted(result))
    return ["| row | measured | wanted | |", "|---|---:|---:|---|"] + lines if lines else []


# What follows a row's table: a function of its entries, of all rows' entries and of the number of CPUs.
AFTER = {"crossover": lambda entries, by_row, cpus: crossover(entries) + fixed_cost(by_row),
         "callback-work": lambda entries, by_row, cpus: grain(entries, cpus)}


def charts(result, folder):
    """Writes the charts there. Returns row to the Markdown that shows them, relative to the folder's parent."""
    shown = {}
    for row, title, across, fixed, names in CHARTS:
        entries = [e for e in result["rows"] if e["row"] == row and not e["value"] and
                   e["threads" if across == "size" else "size"] == fixed]
        # Of a size with several numbers the last is what changes.
        at = {id(e): int(e["size"].split("x")[-1]) if across == "size" else e["threads"] for e in entries}
        lines = [(series_of(n).title, [(at[id(e)], e["values"][n]["median"]) for e in entries if n in e["values"]])
                 for n in names.split()]
        if len(set(at.values())) < 2:
            continue
        if row in PREDICTED:
            known = [(at[id(e)], predicted(PREDICTED[row][1], e)) for e in entries]
            lines.append((PREDICTED[row][0], [point for point in known if point[1] is not None]))
        svg = chart.curves(title, across, entries[0]["unit"], [line for line in lines if line[1]], log_y=True,
                           note=note_of(result))
        shown.setdefault(row, []).append(picture(svg, title, folder, "haskell-%s-by-%s.svg" % (row, across)))
    for row, title, names in BARS:
        for e in [e for e in result["rows"] if e["row"] == row and not e["value"]]:
            medians = [(series_of(n).title, e["values"][n]["median"]) for n in names.split() if n in e["values"]]
            svg = chart.bars(title, e["unit"], [(words, m, quantity(m, e["unit"])) for words, m in medians],
                             note=note_of(result))
            shown.setdefault(row, []).append(picture(svg, title, folder, "haskell-%s.svg" % row))
    return shown


def picture(svg, title, folder, name):
    """Writes it; returns the Markdown that shows it, relative to the folder's parent."""
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(svg)
    return "![%s](%s)" % (title, os.path.join(os.path.basename(folder), name))


def markdown(result, pictures=None):
    lines = conditions_text(result) + ["", "Medians over processes ± half the distance between the quartiles. Ratios "
                                       "are of costs: below 1 means the better.", ""]
    verdicts = wanted(result)
    if verdicts:
        lines += ["## What is wanted", ""] + verdicts + [""]
    groups, by_row = {}, {}
    for e in result["rows"]:
        groups.setdefault((e["row"], e["value"]), []).append(e)
        if not e["value"]:
            by_row.setdefault(e["row"], []).append(e)
    for (row, extra), entries in groups.items():
        lines += ["## %s%s" % (row, ": " + extra if extra else ""), ""]
        if not extra:
            lines += [ROWS[row].what[0].upper() + ROWS[row].what[1:] + ".", ""]
        lines += table_of(row, extra, entries) + [""]
        for shown in (pictures or {}).get(row, []) if not extra else []:
            lines += [shown, ""]
        if not extra and row in AFTER:
            lines += AFTER[row](entries, by_row, result["machine"]["cpus_usable"]) + [""]
    beside = haskell_base.table(result, quantity, lambda name: series_of(name).title)
    if beside:
        lines += ["## Beside the prototype", "",
                  "Figures of the research prototype that this project set out from, and the same here. Times of two "
                  "machines do not compare; ratios do. **Bold**: more than 5 % above the prototype's own ratio.", ""]
        lines += beside + [""]
    return "\n".join(lines).rstrip()


def table(args):
    result = load_result(args.result)
    print(markdown(result, charts(result, args.charts) if args.charts else None))
    return 0


def main():
    parser, _, p, shown = command_line("Measures the Haskell library and its peers.", run, table, "haskell-latest",
                                   "five processes a cell, fewer sizes (under three minutes)")
    p.add_argument("--threads", default="1,2,4", help="team sizes, for example 1,2,4,8")
    shown.add_argument("--charts", help="also write pictures there, and show them")
    act(parser)


if __name__ == "__main__":
    main()
