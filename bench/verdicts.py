"""The table of verdicts at the top of a page of results: for each row, ours against the better peer.

A cell is one measured point of a row (a number of threads, a size). Its ratio is our cost over the better peer's: below
1 ours is the better, and the median of the rounds' (rounds.py). Cells are ahead or behind where it differs from 1 by
more than 5 %, and three quarters of the rounds say the same, else equal. Where both hosts were measured the worse one
counts, where a row has several settings of ours the best one. Used by bench/pages.py. Needs only Python's
standard library.
"""

import collections
import statistics

import compare
import construct_rows
import haskell_rows
import rounds

# Pages whose series have other roles than compare.py knows: (ours, peers, what the ratio is of).
ROLES = {
    "profiler": (("profiled",), ("ours-posix",), "with the profiler / without"),
    "watched": (("ours-posix", "ours-posix-aligned"), ("unwatched", "unwatched-aligned"), "with the hooks / without"),
}
HEADS = {"smp": "with the library / the fastest build"}
# Values that say how a row came about, and are no result of their own.
ASIDE = {"active", "threads-end", "threads-max", "workers", "cpus", "p50", "pause-p50", "pause-max", "pauses",
         "os-threads", "switches", "throttled", "woken_switches", "share", "collections"}

# text: the row. where: the cell within it.
Cell = collections.namedtuple("Cell", "text where ratio state")


def judged(ours, peer):
    """(ratio, state) of two entries of compare.py; None where nothing can be divided."""
    a, b = ours.values, peer.values
    if a["median"] <= 0 or b["median"] <= 0:
        return None
    found = rounds.quotient(a, b, ours.less)
    state = "equal"
    if min(len(a["samples"]), len(b["samples"])) > 1:  # one process shows no spread
        state = "behind" if rounds.is_behind(found) else "ahead" if rounds.is_ahead(found) else "equal"
    return found.middle, state


def place(names, key):
    """What a key says besides its row and its series, such as "64 threads"."""
    words = []
    for name, part in zip(names, key):
        if part not in ("", "-"):
            words.append("%s %s" % (part, name[:-1] if part == "1" else name)
                         if name in ("threads", "callers", "neighbours") else part)
    return ", ".join(words)


def chosen(entries, less):
    """Of the entries of one side: the best one, or of the two hosts the worse one."""
    hosts = {e.key[-1] for e in entries} <= set(construct_rows.OURS)
    return (max if hosts == less else min)(entries, key=lambda e: e.values["median"])


def sides(name, kind, result):
    """For each cell its key without the series, the entries of ours and those of the peers."""
    groups = {}
    if name in ROLES:
        for row in result["rows"] + result.get("trees", []):
            for series, values in row["values"].items():
                key = (row["row"], str(row["threads"]))
                groups.setdefault(key, []).append(compare.Entry(key + (series,), row["unit"], True, None, key, values))
    else:
        for e in compare.entries_of(result, kind).values():
            groups.setdefault(e.group, []).append(e)
    for group, entries in groups.items():
        if name in ROLES:
            mine, peers = ([e for e in entries if e.key[-1] in role] for role in ROLES[name][:2])
        else:
            mine, peers = ([e for e in entries if e.ours == side] for side in (True, False))
        # What computes without a team is a peer where there is no other.
        parallel = [e for e in peers if "alone" not in e.key[-1].split("-")]
        yield group, mine, parallel or peers


def label(kind, parts, group):
    """(the row, the names and the parts of the key that say which cell of it) of a key."""
    named = {"trees": 2, "smp": 1, "quota": 0}.get(kind, 1)
    texts = list(group[:named]) + [group[i] for i, part in enumerate(parts) if part == "value" and i >= named]
    texts = {"one": "one Capability", "pair": "two Capabilities"}.get(texts[0], texts[0]), *texts[1:]
    rest = [i for i, part in enumerate(parts) if i >= named and part != "value"]
    return ", ".join(t for t in texts if t not in ("", "-")), place([parts[i] for i in rest], [group[i] for i in rest])


def other_aim(kind, row):
    """Rows of constructs of which something else than a ratio is wanted."""
    return kind == "constructs" and row in construct_rows.ROWS and construct_rows.may_be_worse(row)


def cells(name, result):
    """The cells of a result; `name` is the page's."""
    kind = compare.kind_of(result, name)
    parts = compare.KINDS[kind][1][:-1]
    for group, mine, peers in sides(name, kind, result):
        aside = "value" in parts and group[parts.index("value")] in ASIDE
        if not mine or not peers or aside or other_aim(kind, group[0]):
            continue
        less = mine[0].less
        ours = chosen(mine, less)
        found = list(filter(None, (judged(ours, peer) for peer in peers)))
        if found:
            yield Cell(*label(kind, parts, group), *max(found))


def verdict(found):
    """Words for the cells of one row."""
    count = collections.Counter(c.state for c in found)
    if count["behind"]:
        return "**behind**" if count["behind"] == len(found) else "**behind** in %d of %d" % (
            count["behind"], len(found))
    if count["ahead"]:
        return "ahead" if count["ahead"] == len(found) else "ahead in %d of %d" % (count["ahead"], len(found))
    return "equal"


def described(kind, text):
    """The row's name with what it is, where the rows of that kind say it."""
    rows = {"constructs": construct_rows.ROWS, "haskell": haskell_rows.ROWS}.get(kind, {})
    return "%s: %s" % (text, rows[text].what.replace("|", "\\|")) if text in rows else text


def table(name, result):
    """The lines of the table of verdicts; none where no row has a peer."""
    rows = {}
    for c in cells(name, result):
        rows.setdefault(c.text, []).append(c)
    if not rows:
        return []
    head = ROLES[name][2] if name in ROLES else HEADS.get(name, "ours / better peer")
    lines = ["| row | %s | worst | verdict |" % head, "|---|---:|---|---|"]
    kind = compare.kind_of(result, name)
    for text, found in rows.items():
        worst = max(found, key=lambda c: c.ratio)
        at = "%.2f%s" % (worst.ratio, ": " + worst.where if worst.where else "") if len(found) > 1 else ""
        lines.append("| %s | %.2f | %s | %s |" % (
            described(kind, text), statistics.geometric_mean(c.ratio for c in found), at, verdict(found)))
    return lines


def summary(name, result):
    """The cells of a page of the table in docs/results/benchmarks.md: how many, the mean, ahead, equal, behind."""
    found = list(cells(name, result))
    count = collections.Counter(c.state for c in found)
    mean = "%.2f" % statistics.geometric_mean(c.ratio for c in found) if found else "-"
    return [str(len(found)), mean] + [str(count[state]) for state in ("ahead", "equal", "behind")]
