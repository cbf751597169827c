#!/usr/bin/env python3
"""Whether each callback has a test for each construct that raises it: docs/reference/ompt.md beside constructs.tsv.

    test/ompt/coverage.py           exit 1 when a callback or a kind has no row, or the page is stale
    test/ompt/coverage.py gen       write its tables into docs/reference/ompt.md; part of `make gen`

programs.py runs the programs and compares their events with constructs.tsv, so a row there is a test that passes. Here
the table of docs/reference/ompt.md is compared with those rows:

- each callback of omp-tools.h is in it, and has rows unless it is never called;
- each kind that omp-tools.h has for a callback is that of a row, or below with a reason;
- a callback that only one compiler's code raises is marked.
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from programs import COMPILERS, ROOT, load_constructs  # noqa: E402

PAGE = os.path.join(ROOT, "docs", "reference", "ompt.md")
BEGIN, END = "<!-- constructs: begin -->", "<!-- constructs: end -->"
KINDS_FIRST = """
<details>
<summary>Callbacks, by kind</summary>

In how many of the constructs below a callback of that kind was seen. "none" is none in that compiler's code.

"""
CONSTRUCTS_NEXT = """
</details>

<details>
<summary>Constructs</summary>

With teams of two threads; a number is how often, where that is more than once, and what has a begin and an end counts
once. Left out are the events of the region around a construct: `parallel_begin`, `parallel_end`, its two implicit tasks
and the barrier at its end.

"""
# The region around a construct, in each compiler's code; constructs that are regions themselves show them.
AROUND = {("parallel_begin", "team"), ("parallel_end", "team"), ("implicit_task", "implicit"),
          ("sync_region", "barrier_implicit_parallel"), ("sync_region_wait", "barrier_implicit_parallel")}
REGIONS = re.compile(r"parallel|teams|target teams|.*nested regions")
# The enumeration of omp-tools.h that has a callback's kinds, whose names begin as it does.
KINDS = {"thread_begin": "thread", "work": "work", "dispatch": "dispatch", "sync_region": "sync_region",
         "sync_region_wait": "sync_region", "mutex_acquire": "mutex", "mutex_acquired": "mutex",
         "task_schedule": "task_status", "cancel": "cancel_flag", "target_data_op_emi": "target_data_op"}
# Kinds that no construct raises.
NOT_RAISED = {
    "thread_begin": {"other": "a helper of the runtime; it has none", "unknown": "no thread is"},
    "work": {"loop": "a loop's schedule is told", "workshare": "compilers make loops and single of it",
             "workdistribute": "of OpenMP 6",
             "loop_other": "each schedule has its kind"},
    "dispatch": {"iteration": "the runtime hands out chunks"},
    "sync_region": {"barrier": "the specification has it for tools of old", "barrier_implicit": "the same",
                    "reduction": "the callback `reduction` has it", "barrier_teams": "a team does not wait for others"},
    "target_data_op_emi": dict.fromkeys(
        ["transfer_from_device", "associate", "disassociate", "alloc_async", "transfer_from_device_async",
         "delete_async"], "the device is the host, and no routine allocates or frees later"),
}
NOT_RAISED["sync_region_wait"] = NOT_RAISED["sync_region"]


def table_of(rows, columns):
    return "".join("| %s |\n" % " | ".join(row) for row in [columns, ["---"] * len(columns)] + rows)


def tables(rows):
    """What constructs.tsv makes of the page: all between its two marks."""
    kinds = []
    for callback, kind in dict.fromkeys(event[2:] for event, _ in rows):
        seen = [sum(1 for event, times in rows if event[2:] == (callback, kind) and times[compiler] > 0)
                for compiler in COMPILERS]
        kinds.append(["`%s`" % callback, "`%s`" % kind if kind else "", *(str(n) if n else "none" for n in seen)])
    kinds.sort()
    constructs = []
    for program, construct in dict.fromkeys(event[:2] for event, _ in rows):
        cells = []
        for compiler in COMPILERS:
            told = [(event[2], event[3], times[compiler]) for event, times in rows
                    if event[:2] == (program, construct) and times[compiler] > 0
                    and (event[2:] not in AROUND or REGIONS.match(construct))]
            cells.append(", ".join("`%s`%s%s" % (callback, " " + kind if kind else "", " %d" % n if n > 1 else "")
                                   for callback, kind, n in told) or "nothing")
        if cells[0] == cells[1]:
            cells[1] = "the same"
        constructs.append([construct, *cells])
    compilers = ["%s's code" % compiler for compiler in COMPILERS]
    return (BEGIN + "\n" + KINDS_FIRST + table_of(kinds, ["callback", "kind"] + compilers) + CONSTRUCTS_NEXT
            + table_of(constructs, ["construct"] + compilers) + "\n</details>\n\n" + END)


def read_page():
    with open(PAGE, encoding="utf-8") as file:
        return file.read()


def documented():
    """The rows of docs/reference/ompt.md's table of callbacks: their names, whether any is called, and the text."""
    rows = re.findall(r"^\| (`.*?`) \| (always|never) \| (.*) \|$", read_page(), re.M)
    return [(re.findall(r"`([^`]+)`", names), called == "always", raised) for names, called, raised in rows]


def complaints(rows, table, header):
    """What is wrong, a line each."""
    by_callback = {}
    for event, times in rows:
        seen = by_callback.setdefault(event[2], {}).setdefault(event[3], dict.fromkeys(COMPILERS, 0))
        for compiler in COMPILERS:
            seen[compiler] += times[compiler]
    names = [name for callbacks, _, _ in table for name in callbacks]
    for event in re.findall(r"^\s+ompt_callback_(\w+) = \d+", header, re.M):
        if event not in names and not (event.startswith("device_") and "device_*" in names):
            yield "docs/reference/ompt.md: its table of callbacks lacks %s" % event
    for callbacks, called, raised in table:
        # Of an event with two forms the programs set the one with _emi.
        for name in [name for name in callbacks if called and name + "_emi" not in callbacks]:
            found = by_callback.get(name, {})
            if not found:
                yield "constructs.tsv: no construct raises %s, which docs/reference/ompt.md says can happen" % name
            for compiler in COMPILERS:
                if found and all(seen[other] == 0 for seen in found.values() for other in COMPILERS
                                 if other != compiler) and "(%s)" % compiler not in raised:
                    yield "docs/reference/ompt.md: the row of %s does not say that only %s's code raises it" % (
                        name, compiler)
    for name, enumeration in KINDS.items():
        excused = NOT_RAISED.get(name, {})
        body = re.search(r"enum ompt_%s_t \{(.*?)\}" % enumeration, header, re.S).group(1)
        prefix = re.sub("_(status|flag|op)$", "", enumeration)
        kinds = re.findall(r"ompt_(?:%s_)?(\w+) = " % prefix, body)
        for kind in kinds:
            tested = kind in by_callback.get(name, {})
            if not tested and kind not in excused:
                yield "constructs.tsv: no construct raises %s of kind %s" % (name, kind)
            if tested and kind in excused:
                yield "coverage.py: NOT_RAISED has %s of kind %s, which constructs raise" % (name, kind)


def main():
    rows = load_constructs()
    before, _, rest = read_page().partition(BEGIN)
    text = before + tables(rows) + rest.partition(END)[2]
    if sys.argv[1:] == ["gen"]:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(os.path.join(ROOT, "cbits", "include", "omp-tools.h"), encoding="utf-8") as file:
        wrong = list(complaints(rows, documented(), file.read()))
    if text != read_page():
        wrong.append("docs/reference/ompt.md is not what constructs.tsv makes; run make gen")
    print("\n".join(wrong) if wrong else "%d callbacks and kinds" % len({event[2:] for event, _ in rows}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
