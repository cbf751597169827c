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
    quotients = quotients_of(series, pair)
    if quotients:
        found["quotients"] = quotients
    return found


def quotients_of(series, pair):
    """The spread of the pairs' quotients, or None."""
    # A failure leaves a series shorter: then it is not known which samples were pairs.
    base, other = (series.get(name, ()) for name in pair)
    if len(base) != len(other) or not base:
        return None
    return spread([there / without for without, there in zip(base, other)])


def cost(quotients, digits=2, most=None):
    """A median quotient with its quartiles, bold above `most`."""
    if not quotients:
        return "-"
    text = "%.*f" % (digits, quotients["median"])
    if most is not None and quotients["median"] > most:
        text = "**%s**" % text
    return text + " (%.2f to %.2f)" % (quotients["q1"], quotients["q3"])


def line(row, pair, digits=2, most=None, more=(), what=None):
    """The row's line in a table: its construct (or `what` it is), threads, the two series, the cost, bold above `most`,
    and `more`."""
    what = what or "%s: %s" % (row["row"], ROWS[row["row"]].what)
    cells = [cell(row["values"].get(name)) for name in pair] + [cost(row.get("quotients"), digits, most), *more]
    return "| %s | %d | %s |" % (what, row["threads"], " | ".join(cells))


def closing(result):
    """What stands below the last table: what the numbers are, and what failed."""
    lines = ["", "Medians over processes ± half the distance between the quartiles."]
    lines += [""] * bool(result["failures"])
    return lines + ["- %s, %d threads, %s, failed: %s" % (f["row"], f["threads"], f["runtime"], f["reason"])
                    for f in result["failures"]]
