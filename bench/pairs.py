"""Results whose samples are pairs: two processes one after the other, of two series, whose quotient is what counts.

A machine that becomes slower during the run changes both of a pair, and so no quotient. Used by profiler.py and
watched.py.
"""

from common import cell, spread
from construct_rows import ROWS


def row_of(cell_, series, unit, pair):
    """A row of a result. `series`: name to samples; `pair`: the names of the base and of what is compared with it."""
    row, m = cell_
    found = dict(row=row, threads=m, unit=unit, values={name: spread(v) for name, v in series.items()})
    # A failure leaves a series shorter: then it is not known which samples were pairs.
    base, other = (series.get(name, ()) for name in pair)
    if len(base) == len(other) > 0:
        found["quotients"] = spread([there / without for without, there in zip(base, other)])
    return found


def line(row, pair, digits=2, most=None):
    """The row's line in a table: its construct, threads, the two series, and the cost, bold above `most`."""
    quotients, cost = row.get("quotients"), "-"
    if quotients:
        cost = "%.*f" % (digits, quotients["median"])
        if most is not None and quotients["median"] > most:
            cost = "**%s**" % cost
        cost += " (%.2f to %.2f)" % (quotients["q1"], quotients["q3"])
    values = [cell(row["values"].get(name)) for name in pair]
    return "| %s: %s | %d | %s | %s | %s |" % (row["row"], ROWS[row["row"]].what, row["threads"], *values, cost)


def closing(result):
    """What stands below the last table: what the numbers are, and what failed."""
    lines = ["", "Medians over processes ± half the distance between the quartiles."]
    lines += [""] * bool(result["failures"])
    return lines + ["- %s, %d threads, %s, failed: %s" % (f["row"], f["threads"], f["runtime"], f["reason"])
                    for f in result["failures"]]
