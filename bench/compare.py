#!/usr/bin/env python3
"""What got worse between two results of one kind: of bench/run.py, haskell.py, pool.py, quota.py, large.py,
neighbours.py, noise.py, recovery.py, trees.py, primecount.py, c_call.py, smp.py, parallel_make.py or compile.py, or of
make rescues.

    bench/compare.py BEFORE.json AFTER.json [--limit 1.10] [--relative] [--all]

Exits 0 when nothing of ours got worse, 1 when something did or failed, 2 when the two cannot be compared. A number is
worse when its median is worse by more than the limit and the quartiles of the two results do not overlap. `--relative`
compares ours divided by the best peer's median in the same result, for results of two machines, or of one machine that
was slower the second time. Needs only Python's standard library.
"""

import argparse
import collections
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import construct_rows  # noqa: E402
import haskell_rows  # noqa: E402
import pool_rows  # noqa: E402
from common import cell, environment_text, machine_text  # noqa: E402

# One number of a result. key: its identity, the same in both results. less: True when less is better. ours: False for a
# peer. group: the keys of one group are alternatives to each other.
Entry = collections.namedtuple("Entry", "key unit less ours group values")
NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


class Unlike(Exception):
    """The two results cannot be compared; the text says why."""


# ---- the kinds of results ----


def of_constructs(row):
    spec = construct_rows.ROWS.get(row["row"])
    if spec:
        group = (row["row"], str(row["threads"]))
        for name, values in row["values"].items():
            yield Entry(group + (name,), row["unit"], spec.less, name in construct_rows.OURS, group, values)


def of_haskell(row):
    if row["row"] in haskell_rows.ROWS:
        group = (row["row"], row["value"] or "-", str(row["threads"]), row["size"])
        for name, values in row["values"].items():
            yield Entry(group + (name,), row["unit"], haskell_rows.less_is_better(row["row"], row["value"]),
                        haskell_rows.is_ours(row["row"], name), group, values)


def of_pool(row):
    if row["row"] in pool_rows.ROWS and row["value"] in pool_rows.VALUES:
        group = (row["row"], row["group"], str(row["column"]), row["value"])
        for name, values in row["values"].items():
            yield Entry(group + (name,), row["unit"], pool_rows.VALUES[row["value"]].less, pool_rows.is_ours(name),
                        group, values)


def of_quota(row):
    for value, values in row["values"].items():
        group = ("%g CPUs" % row["quota"], value)
        yield Entry(group + (row["runtime"],), "", value != "work_percent", row["runtime"] in construct_rows.OURS,
                    group, values)


def of_large(row):
    group = (row["large"], str(row["threads"]))
    for name, values in row["values"].items():
        unit = "ns" if row["large"].endswith("_ns") else ""
        yield Entry(group + (name,), unit, True, name in ("flat", "tree"), group, values)


def of_primecount(row):
    group = (row["primecount"], row["policy"], str(row["threads"]), row["value"])
    for name, values in row["values"].items():
        yield Entry(group + (name,), "ms" if row["value"] == "time_ms" else "", True, name in ("flat", "tree"), group,
                    values)


def of_neighbours(row):
    group = (row["row"], "%g us" % row["work_us"], str(row["neighbours"]))
    for name, values in row["values"].items():
        yield Entry(group + (name,), row["unit"], False, name in construct_rows.OURS, group, values)


def of_noise(row):
    where = "%g us" % row["work_us"] if row["row"] == "phases" else row["noise"]
    group = (row["row"], row["value"], str(row["threads"]), where)
    for name, values in row["values"].items():
        yield Entry(group + (name,), row["unit"], True, name in construct_rows.OURS, group, values)


def of_recovery(row):
    group = (row["row"], row["value"], str(row["threads"]), row["recovery"])
    for name, values in row["values"].items():
        yield Entry(group + (name,), row["unit"], True, name in construct_rows.OURS, group, values)


def of_trees(row):
    group = (row["shape"], row["variant"], str(row["threads"]))
    for name, values in row["values"].items():
        yield Entry(group + (name,), row["unit"], True, name in construct_rows.OURS, group, values)


def of_c_call(row):
    group = (row["call"], str(row["callers"]), str(row["threads"]), row["value"])
    for name, values in row["values"].items():
        yield Entry(group + (name,), row["unit"], row["value"] != "per_s", name in construct_rows.OURS, group, values)


def of_smp(row):
    group = (row["kind"], row["program"] or "-", row["value"])
    for name, values in row["values"].items():
        yield Entry(group + (name,), row["unit"], True, name in ("library", "team-2"), group, values)


def of_parallel_make(row):
    group = (row["make"], row["row"])
    for name, values in row["values"].items():
        yield Entry(group + (name,), row["unit"], True, name.startswith("parallel-make"), group, values)


def of_compile(row):
    if row["row"] == "elapsed":
        group = (row["compile"], row["flags"])
        for name, values in row["values"].items():
            yield Entry(group + (name,), row["unit"], True, name.startswith("one-heap"), group, values)


def of_free_agents(row):
    group = (row["row"], row["runtime"])
    for name, values in row["values"].items():
        yield Entry(group + (name,), row["unit"], True, name != "threads", group, values)


def of_rescues(row):
    for name, counts in row["of"].items():
        for value in ("wall_s", "cpu_s"):
            if counts[value] is not None:
                group = (row["name"], value)
                yield Entry(group + (name,), "s", True, name == "ours", group, dict.fromkeys(
                    ("median", "q1", "q3"), counts[value]))


# Name: (a field that its rows have and those of the kinds before do not, names of a key's parts, entries of a row).
KINDS = {
    "rescues": ("of", ("row", "value", "runtime"), of_rescues),
    "c-call": ("call", ("call", "callers", "threads", "value", "runtime"), of_c_call),
    "primecount": ("primecount", ("primes up to", "policy", "threads", "value", "runtime"), of_primecount),
    "trees": ("shape", ("tree", "variant", "threads", "runtime"), of_trees),
    "noise": ("noise", ("row", "value", "threads", "noise", "runtime"), of_noise),
    "recovery": ("recovery", ("row", "value", "threads", "noise", "runtime"), of_recovery),
    "neighbours": ("neighbours", ("row", "work", "neighbours", "runtime"), of_neighbours),
    "smp": ("kind", ("kind", "program", "value", "series"), of_smp),
    "parallel-make": ("make", ("program", "row", "tool"), of_parallel_make),
    "compile": ("compile", ("program", "flags", "tool"), of_compile),
    "large": ("large", ("value", "threads", "runtime"), of_large),
    "quota": ("quota", ("quota", "value", "runtime"), of_quota),
    "pool": ("group", ("row", "group", "column", "value", "series"), of_pool),
    "haskell": ("size", ("row", "value", "threads", "size", "series"), of_haskell),
    "free-agents": ("times_as_fast", ("row", "runtime", "series"), of_free_agents),
    "constructs": ("threads", ("row", "threads", "runtime"), of_constructs),
}


def kind_of(result, path):
    rows = result.get("rows") if isinstance(result, dict) else None
    if not rows or not isinstance(rows[0], dict):
        raise Unlike("%s has no rows; it is no result of bench, or of a run that measured nothing" % path)
    for kind, (mark, _, _) in KINDS.items():
        if mark in rows[0]:
            return kind
    raise Unlike("%s is no result of bench/run.py or of one of the other programs that bench/compare.py knows" % path)


def entries_of(result, kind):
    return {entry.key: entry for row in result["rows"] for entry in KINDS[kind][2](row)}


# ---- comparing ----


def scaled(values, factor):
    return {name: values[name] * factor for name in ("median", "q1", "q3")}


def relative(entries):
    """Ours divided by the best peer's median, where there is one."""
    peers = {}
    for e in entries.values():
        if not e.ours:
            peers.setdefault(e.group, []).append(e.values["median"])
    found = {}
    for key, e in entries.items():
        medians = peers.get(e.group)
        best = (min(medians) if e.less else max(medians)) if medians else 0
        if e.ours and best > 0:
            found[key] = e._replace(unit="to the best peer", values=scaled(e.values, 1 / best))
    return found


def in_unit(entry, unit):
    """The entry's values in another unit of time, since the row's unit may have changed."""
    if entry.unit == unit:
        return entry
    if entry.unit not in NANOSECONDS or unit not in NANOSECONDS:
        raise Unlike("%s is in %s in one result and in %s in the other" % (
            " ".join(entry.key), entry.unit or "numbers", unit or "numbers"))
    return entry._replace(unit=unit, values=scaled(entry.values, NANOSECONDS[entry.unit] / NANOSECONDS[unit]))


def judge(before, after, limit):
    """(after / before, "worse", "better" or "")."""
    x, y = before.values, after.values
    change = y["median"] / x["median"] if x["median"] else (1.0 if not y["median"] else float("inf"))
    cost = change if after.less else (1 / change if change else float("inf"))
    higher, lower = y["q1"] > x["q3"], y["q3"] < x["q1"]
    if cost > limit and (higher if after.less else lower):
        return change, "worse"
    if cost < 1 / limit and (lower if after.less else higher):
        return change, "better"
    return change, ""


def is_ours(name):
    return "ours" in name.split("-") or name in ("flat", "tree")


def failed_of_ours(result):
    """The failures of ours, one line each: a failure is worse than any time."""
    lines = []
    for f in result.get("failures", []):
        name = f.get("runtime") or f.get("series") or ""
        if haskell_rows.is_ours(f.get("row", ""), name) if "size" in f else is_ours(name):
            lines.append(", ".join("%s %s" % (k, v) for k, v in f.items() if k != "reason") + ": " + f["reason"])
    return list(dict.fromkeys(lines))


def compare(before, after, limit, as_ratios=False, everything=False, paths=("before", "after")):
    """Lines to print, and the number of ours that are worse or failed."""
    kind, other = kind_of(before, paths[0]), kind_of(after, paths[1])
    if kind != other:
        raise Unlike("%s is a result of %s and %s one of %s" % (paths[0], kind, paths[1], other))
    old, new = entries_of(before, kind), entries_of(after, kind)
    if as_ratios:
        old, new = relative(old), relative(new)
    both = [key for key in new if key in old]
    if not both:
        raise Unlike("the two results have no row in common%s" % (" that a peer was measured in" * as_ratios))
    lines = ["%s: %s" % (title, " ".join(machine_text(result) + environment_text(result)))
             for title, result in zip(("before", "after"), (before, after))]
    lines += machines(before, after) * (not as_ratios) + [""]
    table, worse = [], 0
    for key in both:
        y = new[key]
        x = in_unit(old[key], y.unit)
        change, verdict = judge(x, y, limit)
        worse += verdict == "worse" and y.ours
        if verdict or everything:
            words = {"worse": "**worse**" if y.ours else "peer worse", "better": "better", "": ""}[verdict]
            numbers = (y.unit, cell(x.values), cell(y.values), "%.2f" % change, words)
            table.append("| " + " | ".join(key + numbers) + " |")
    if table:
        head = KINDS[kind][1] + ("unit", "before", "after", "after / before", "")
        lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + table + [""]
    gone = [key for key in old if key not in new and old[key].ours]
    if gone:
        lines.append("Not measured any more: %s%s." % ("; ".join(" ".join(key) for key in gone[:6]),
                                                       " and %d others" % (len(gone) - 6) if len(gone) > 6 else ""))
    known = failed_of_ours(before)
    failures = [line for line in failed_of_ours(after) if line not in known]
    lines += ["FAILED in the second result: " + line for line in failures]
    lines.append("%d of %d numbers of ours are worse (by more than %.0f %%, quartiles apart)%s." % (
        worse, sum(new[key].ours for key in both), (limit - 1) * 100,
        ", and %d failed" % len(failures) if failures else ""))
    return lines, worse + len(failures)


def machines(before, after):
    a, b = (result.get("conditions", {}).get("transfer_ns") for result in (before, after))
    if before["machine"]["cpu"] != after["machine"]["cpu"] or (
            a and b and not 0.8 < b["median"] / a["median"] < 1.25):
        return ["The machines differ, or a cache line's transfer does: --relative compares the ratios to the peers."]
    return []


# ---- the command line ----


def load(path):
    try:
        with open(path) as f:
            return json.load(f)
    except (OSError, ValueError) as error:
        raise Unlike("cannot read %s: %s" % (path, error))


def add_options(parser):
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--limit", type=float, default=1.10, help="how much worse counts (1.10 is 10 %%)")
    parser.add_argument("--relative", action="store_true", help="compare ours divided by the best peer's median")
    parser.add_argument("--all", action="store_true", help="show what did not change, too")
    parser.set_defaults(action=run)


def run(args):
    try:
        if not args.limit >= 1:
            raise Unlike("--limit is 1 or more, for example 1.10 for 10 %")
        lines, worse = compare(load(args.before), load(args.after), args.limit, args.relative, args.all,
                               (args.before, args.after))
    except Unlike as why:
        print("ghc-openmp: bench: %s" % why, file=sys.stderr)
        return 2
    print("\n".join(lines))
    return 1 if worse else 0


def main():
    parser = argparse.ArgumentParser(description="Shows what got worse between two results of bench.")
    add_options(parser)
    args = parser.parse_args()
    sys.exit(args.action(args))


if __name__ == "__main__":
    main()
