"""A result of bench/run.py as Markdown and pictures: tables, ratios, and the rows that miss their aim.

Everything is computed from the result: the same result gives the same page. Needs only Python's standard library.
"""

import collections
import os
import statistics

import chart
from common import cell, conditions_text, note_of, number
import rounds
from construct_rows import (GROUPS, OURS, ROWS, THREADS, is_of, known_wrong, may_be_worse, peers_of, titled, wish)
from rounds import MOST_WORSE

# Ours to the better peer, the best one of all, by rounds (rounds.py), below 1 where ours is the better. low and high:
# the rounds' quartiles. worse: ours to the worst peer.
Ratio = collections.namedtuple("Ratio", "peer middle low high worse")
# Whether a row reaches its aim. state: "yes", "spread" (not by the medians, but the quartiles do not exclude it), "no".
Verdict = collections.namedtuple("Verdict", "row threads host measured wanted state")


def ratio(entry, ours):
    """None where ours or all peers were not measured."""
    mine = entry["values"].get(ours)
    peers = {p: entry["values"][p] for p in peers_of(entry["values"])}
    if mine is None or not peers:
        return None
    less = ROWS[entry["row"]].less
    name, found = rounds.better(mine, peers, less)
    return Ratio(name, *found, min(rounds.quotient(mine, peer, less).middle for peer in peers.values()))


def is_worse(entry, ours):
    """More than 5 % worse than the better peer, and worse in three quarters of the rounds."""
    found = ratio(entry, ours)
    return found is not None and rounds.is_behind(found)


def cpus_of(result):
    return result["machine"]["cpus_usable"]


def amount(value, unit):
    return number(value) + (unit if unit == "%" else " " + unit)


def verdict(entry, host, cpus):
    """None where there is no particular aim, or where it cannot be judged because a peer was not measured."""
    wanted = wish(entry["row"], entry["threads"], cpus)
    mine = entry["values"].get(host)
    if wanted is None or mine is None:
        return None
    unit = entry["unit"]
    if wanted.kind == "ratio":
        found = ratio(entry, host)
        if found is None:
            return None
        # The printed value is the judged one.
        got, best, limit = round(found.middle, 2), found.low, wanted.limit
        measured, text = "%.2f of %s" % (found.middle, titled(found.peer)), "%.2f" % limit
        better = got <= limit
        possible = best <= limit
    elif wanted.kind == "least":
        measured, text = amount(mine["median"], unit), "at least " + amount(wanted.limit, unit)
        better, possible = mine["median"] >= wanted.limit, mine["q3"] >= wanted.limit
    else:
        plus = 0
        if wanted.kind == "more":
            medians = [v["median"] for name, v in entry["values"].items() if is_of(name, "libgomp")]
            if not medians:
                return None
            plus = min(medians)
        limit = wanted.limit[host] if wanted.kind == "more" else wanted.limit
        measured = amount(mine["median"], unit)
        text = "at most %s" % amount(limit, unit)
        if plus:
            measured = "%s, libgomp %s" % (measured, amount(plus, unit))
            text += " more than libgomp"
        better, possible = mine["median"] <= limit + plus, mine["q1"] <= limit + plus
    return Verdict(entry["row"], entry["threads"], host, measured, text,
                   "yes" if better else "spread" if possible else "no")


def wanted_text(entry, cpus):
    wanted = wish(entry["row"], entry["threads"], cpus)
    if wanted is None:
        return "-"
    if wanted.kind == "ratio":
        return "%.2f" % wanted.limit
    if wanted.kind == "more":
        return "libgomp + %s" % " / ".join(number(wanted.limit[o]) for o in OURS)
    return "%s %s" % ("at most" if wanted.kind == "most" else "at least", amount(wanted.limit, entry["unit"]))


# ---- the sections ----


def table_lines(head, rows, left):
    """A Markdown table whose first columns are texts, the others numbers."""
    return ["| " + " | ".join(head) + " |", "|" + "|".join(["---"] * left + ["---:"] * (len(head) - left)) + "|"] + [
        "| " + " | ".join(row) + " |" for row in rows]


def missed(result, ours):
    cpus = cpus_of(result)
    verdicts = [v for v in (verdict(e, o, cpus) for e in result["rows"] for o in ours) if v]
    if not verdicts:
        return []
    bad = [v for v in verdicts if v.state != "yes"]
    within = sum(v.state == "spread" for v in bad)
    lines = ["## Wanted and missed", "",
             "%d of %d aims are reached; %d are missed%s." % (
                 len(verdicts) - len(bad), len(verdicts), len(bad),
                 ", %d of them within the spread" % within if within else "")]
    if bad:
        lines += [""] + table_lines(
            ["row", "threads", "host", "measured", "wanted", ""],
            [[v.row, str(v.threads), titled(v.host), v.measured, v.wanted,
              "within the spread" if v.state == "spread" else "**no**"] for v in bad], 1)
    return lines + [""]


def teams_of(result):
    """The teams that are judged and drawn row by row: up to eight threads, or one for each CPU."""
    return [m for m in sorted({e["threads"] for e in result["rows"]}) if m <= max(max(THREADS), cpus_of(result))]


def worse_than_peer(result, ours):
    teams = teams_of(result)
    if not teams:
        return []
    lines = ["## Worse than the better peer", "",
             "Rows at %s threads where ours is more than %.0f %% worse than the better peer, and worse in three "
             "quarters of the rounds; without the rows of which something else than a ratio is wanted." % (
                 ", ".join(map(str, teams)), (MOST_WORSE - 1) * 100), ""]
    rows = []
    for e in result["rows"]:
        if e["threads"] not in teams or may_be_worse(e["row"]):
            continue
        for o in ours:
            if is_worse(e, o):
                found = ratio(e, o)
                rows.append([e["row"], str(e["threads"]), titled(o), cell(e["values"][o]),
                             "%s %s" % (titled(found.peer), cell(e["values"][found.peer])), e["unit"],
                             "%.2f (%.2f to %.2f)" % (found.middle, found.low, found.high)])
    if not rows:
        return lines + ["No row.", ""]
    return lines + table_lines(["row", "threads", "host", "ours", "better peer", "unit", "ratio"], rows, 1) + [""]


def geometric_means(result, ours):
    """The means of the ratios to the better peer, for each group of rows and team."""
    groups = [g for g in ("constructs", "tasks", "programs") if any(ROWS[e["row"]].group == g for e in result["rows"])]
    lines = []
    for threads in teams_of(result):
        cells = []
        for group in groups:
            for o in ours:
                found = [ratio(e, o) for e in result["rows"]
                         if e["threads"] == threads and ROWS[e["row"]].group == group]
                found = [r.middle for r in found if r and 0 < r.middle < float("inf")]
                cells.append("%.2f" % statistics.geometric_mean(found) if found else "-")
        lines.append([str(threads)] + cells)
    if not lines:
        return []
    head = ["threads"] + ["%s: %s" % (GROUPS[group], titled(o)) for group in groups for o in ours]
    return ["## Geometric means", "", "Of the ratios to the better peer, of all rows of a group.", ""] + \
        table_lines(head, lines, 0) + [""]


def group_table(result, group, names, ours):
    rows = []
    for e in result["rows"]:
        if ROWS[e["row"]].group != group:
            continue
        found = [ratio(e, o) for o in ours]
        rows.append([e["row"], e["unit"], str(e["threads"])] + [cell(e["values"].get(n)) for n in names]
                    + ["%.2f" % r.middle if r else "-" for r in found]
                    + ([wanted_text(e, cpus_of(result))] if ours else []))
    if not rows:
        return []
    head = ["row", "unit", "threads"] + [titled(n) for n in names]
    head += ["%s / better peer" % titled(o) for o in ours] + (["wanted"] if ours else [])
    return table_lines(head, rows, 2) + [""]


def wrong_lines(result):
    """Wrong results of peers, which are therefore not measured: a line for each runtime and row."""
    teams = {}
    for runtime, row, threads in result.get("known_wrong", []):
        teams.setdefault((runtime, row), set()).add(threads)
    return ["Wrong on %s, and therefore not counted: %s at %s threads. It %s." % (
        titled(runtime), row, ", ".join(map(str, sorted(found))), known_wrong(runtime, row))
        for (runtime, row), found in teams.items()]


def all_peers(result, ours):
    worse = []
    for e in result["rows"]:
        for o in ours:
            found = ratio(e, o)
            if found and round(found.worse, 2) > 1:
                worse.append("%s at %d (%s, %.2f)" % (e["row"], e["threads"], titled(o), found.worse))
    every = "both" if len(peers_of(result["runtimes"])) < 3 else "all"
    return "Worse than %s peers: " % every + ("; ".join(worse) if worse else "no row") + "."


def markdown(result, pictures=None):
    """The page; pictures: group to the Markdown that shows its charts."""
    names = result["runtimes"]
    ours = [n for n in OURS if n in names]
    lines = conditions_text(result) + [
        "", "Medians over processes ± half the distance between the quartiles. Ratios are ours to the better peer, of "
        "costs: below 1 means that ours is the better.", ""]
    if ours:
        lines += missed(result, ours)
        if peers_of(names):
            lines += geometric_means(result, ours)
            lines += worse_than_peer(result, ours) + [all_peers(result, ours), ""]
    lines += [line for found in wrong_lines(result) for line in (found, "")]
    for group, title in GROUPS.items():
        found = group_table(result, group, names, ours)
        if found:
            lines += ["## " + title, ""] + (pictures or {}).get(group, []) + found
    return "\n".join(lines).rstrip()


def short_markdown(result, rows):
    """Medians alone, the table of the README; `rows` are ROW:THREADS."""
    names = result["runtimes"]
    lines = ["| ns | threads | " + " | ".join(titled(n) for n in names) + " |",
             "|---|---:|" + "---:|" * len(names)]
    for row in result["rows"]:
        if "%s:%d" % (row["row"], row["threads"]) in rows:
            values = [row["values"].get(n) for n in names]
            lines.append("| %s | %d | %s |" % (row["row"], row["threads"], " | ".join(
                number(v["median"]) if v else "-" for v in values)))
    return "\n".join(lines)


# ---- pictures ----


def charts(result, folder, prefix="results"):
    """Writes pictures there, PREFIX-*.svg; group to the Markdown that shows them, relative to the folder's parent."""
    pictures = {}
    os.makedirs(folder, exist_ok=True)

    def picture(group, name, words, svg):
        with open(os.path.join(folder, name), "w") as f:
            f.write(svg)
        pictures.setdefault(group, []).extend(["![%s](%s/%s)" % (words, os.path.basename(folder), name), ""])

    ours = [o for o in OURS if o in result["runtimes"]]
    teams = teams_of(result)
    for group in ("constructs", "tasks", "programs"):
        lines = ratio_lines(result, group, ours, teams)
        if lines:
            words = "%s: time to the better peer's" % GROUPS[group]
            legend = ["%d thread%s" % (m, "" if m == 1 else "s") for m in teams]
            marks = dict(zip(("filled", "ring"), (titled(o) for o in ours)))
            picture(group, "%s-%s.svg" % (prefix, group), words,
                    chart.dots(words, "ours / better peer (quartiles as lines; upright mark: wanted)", lines, legend,
                               marks, note_of(result)))
    for row, group in (("parallel", "constructs"), ("barrier", "constructs"),
                       ("parallel-switches", "large"), ("barrier-switches", "large")):
        entries = [e for e in result["rows"] if e["row"] == row]
        if len(entries) < 2:
            continue
        lines = [(titled(n), [(e["threads"], e["values"][n]["median"]) for e in entries
                              if n in e["values"] and e["values"][n]["median"] > 0]) for n in result["runtimes"]]
        lines = [line for line in lines if line[1]]
        if lines:
            words = "%s, against the number of threads" % (ROWS[row].what[0].upper() + ROWS[row].what[1:])
            picture(group, "%s-%s.svg" % (prefix, row), words,
                    chart.curves(words, "threads", ROWS[row].unit, lines, log_y=True, note=note_of(result)))
    return pictures


def ratio_lines(result, group, ours, teams):
    """What chart.dots takes: a line for each row, a lane for each team, both hosts in it."""
    lines = []
    for name, spec in ROWS.items():
        if spec.group != group or spec.fair:
            continue
        lanes = {}
        for e in result["rows"]:
            if e["row"] != name or e["threads"] not in teams:
                continue
            dots = [(style, ratio(e, o)) for style, o in zip(("filled", "ring"), ours)]
            dots = [chart.Dot(style, r.middle, r.low, r.high) for style, r in dots if r and r.low > 0]
            wanted = wish(name, e["threads"], cpus_of(result))
            limit = wanted.limit if wanted and wanted.kind == "ratio" else None
            if dots:
                lanes[teams.index(e["threads"])] = (dots, limit)
        if lanes:
            lines.append((name, lanes))
    return lines
