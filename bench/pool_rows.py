"""The rows of bench/pool.py: what each measures, its series and cells, and the project's aims.

A cell is a group and a column: the tables of a row have one part for each group, and a column for each column.
"""

import collections

# Title, program, runtime (None: the system's libgomp), environment, threads of a team (None: the row's).
Series = collections.namedtuple("Series", "title program runtime env threads")


def series(title, runtime, env=None, threads=None):
    program = {"ours": "pool", "dropin": "pool-dynamic", "other": "pool-dynamic"}.get(runtime, "pool-peers")
    return Series(title, program, runtime, env or {}, threads)


DYNAMIC = {"OMP_DYNAMIC": "true"}
PASSIVE = {"OMP_WAIT_POLICY": "passive"}
FAVOUR = {"GHCOMP_FAVOUR": "haskell"}
SHARE = {"GHCOMP_SHARE": "all"}

SERIES = {
    "alone": series("Haskell alone", "libgomp"),
    "alone-linked": series("Haskell alone, ours linked", "ours"),
    "alone-dynamic": Series("Haskell alone, -dynamic", "pool-dynamic", "libgomp", {}, None),
    "libgomp": series("libgomp", "libgomp"),
    "libgomp-passive": series("libgomp, passive", "libgomp", PASSIVE),
    "libgomp-dynamic": series("libgomp, dynamic", "libgomp", DYNAMIC),
    "libomp": series("libomp", "libomp"),
    "ours": series("ours", "ours"),
    "ours-dynamic": series("ours, dynamic", "ours", DYNAMIC),
    "ours-favour": series("ours, favour Haskell", "ours", FAVOUR),
    "ours-favour-dynamic": series("ours, favour Haskell, dynamic", "ours", dict(DYNAMIC, **FAVOUR)),
    "found": series("ours, drop-in of a -dynamic program", "dropin"),
    "found-dynamic": series("the same, dynamic", "dropin", DYNAMIC),
    "found-favour-dynamic": series("the same, favour Haskell, dynamic", "dropin", dict(DYNAMIC, **FAVOUR)),
    "other": series("another library (--other)", "other"),
    "other-dynamic": series("another library (--other), dynamic", "other", DYNAMIC),
    "libgomp-one": series("libgomp, teams of one", "libgomp", threads=1),
    "ours-one": series("ours, teams of one", "ours", threads=1),
    "posix-libgomp": Series("libgomp", "masters", "libgomp", {}, None),
    "posix-libomp": Series("libomp", "masters", "libomp", {}, None),
    "posix-ours": Series("ours", "masters", "dropin", {}, None),
    "posix-ours-share": Series("ours, GHCOMP_SHARE=all", "masters", "dropin", SHARE, None),
}

# A value: unit, True when less is better, its title in the tables.
Value = collections.namedtuple("Value", "unit less title")
VALUES = {
    "regions": Value("/s", False, "regions"),
    "units": Value("/s", False, "Haskell units"),
    "share": Value("%", False, "Haskell's share"),
    "p50": Value("us", True, "region p50"),
    "p99": Value("us", True, "region p99"),
    "active": Value("", False, "callers that had a turn"),
    "threads-end": Value("", True, "OS threads at the end"),
    "threads-max": Value("", True, "OS threads at most"),
    "workers": Value("", True, "OpenMP workers made"),
    "time": Value("ms", True, "time"),
    "collection": Value("us", True, "mean collection"),
    "cpus": Value("", False, "CPUs used"),
    "pause-p50": Value("us", True, "pause p50"),
    "pause-p99": Value("us", True, "pause p99"),
    "pause-max": Value("us", True, "longest pause"),
    "pauses": Value("/s", False, "pauses"),
}

# Haskell without regions in each of the programs, which share the source and differ in speed: "share" is relative to
# the units a second of the same program, in the same column.
ALONE = {"pool": "alone-linked", "pool-peers": "alone", "pool-dynamic": "alone-dynamic"}


def is_ours(name):
    """Whether regions of the series run on ours. A series that there is no more is a peer."""
    return name in SERIES and SERIES[name].runtime in ("ours", "dropin") and name not in ALONE.values()


# program_row: the row's name in the program. cells: (group, column) to the names of the series measured there.
# together: the values that share a table. without: the group whose cells are in every group's table, for the series
# without regions. window: by group, the window's length relative to that of other rows (1 if not named). rts: more
# options of the RTS.
Row = collections.namedtuple("Row", "what program_row threads cells groups columns together without window rts")


def row(what, program_row, cells, groups, columns, together, threads=2, without=None, window=None, rts=()):
    return Row(what, program_row, threads, cells, groups, columns, together, without, window or {}, tuple(rts))


WITH_REGIONS = ("libgomp", "libgomp-passive", "libgomp-dynamic", "libomp", "ours", "ours-dynamic", "ours-favour",
                "ours-favour-dynamic")
CALLERS = (1, 4, 16, 64, 256)
CALLERS_VALUES = (("regions",), ("p50",), ("p99",), ("active",), ("threads-end",), ("threads-max",), ("workers",))
FOUND = ("found", "found-dynamic", "found-favour-dynamic")
OTHER = ("other", "other-dynamic")  # run's --other; without it they are not measured
POSIX = ("posix-libgomp", "posix-libomp", "posix-ours", "posix-ours-share")
PAUSE_SERIES = ("libgomp", "libgomp-passive", "ours", "ours-dynamic", "ours-favour")


def beside(kinds, counts, names):
    """Regions of each kind beside some numbers of Haskell threads, and as many threads alone."""
    cells = {(kind, count): names for kind in kinds for count in counts}
    programs = dict.fromkeys(SERIES[name].program for name in names)
    cells.update({("none", count): tuple(ALONE[program] for program in programs) for count in counts if count > 0})
    return cells


def threads_text(count):
    return {0: "no thread", 1: "1 thread"}.get(count, "%d threads" % count)


def callers_text(count):
    return "1 caller" if count == 1 else "%d callers" % count


ROWS = {
    "mixed": row(
        "one Haskell thread in a loop of safe calls to regions, beside Haskell threads that allocate", "mixed",
        {**beside(("short", "long", "bursty"), (0, 1, 2), WITH_REGIONS), ("short", 0): WITH_REGIONS + ("ours-one",)},
        {"short": "regions of about 3 us of work", "long": "regions of about 1 ms of work",
         "bursty": "20 short regions, then a pause of 1 ms"},
        threads_text, (("regions", "share"), ("p50", "p99"), ("units",)), without="none",
        window={"short": 5, "none": 5}),
    "library": row(
        "one safe call that opens regions one after the other, beside Haskell threads that allocate", "library",
        beside(("3", "30", "300"), (1, 2),
               tuple(name for name in WITH_REGIONS if "passive" not in name) + FOUND + OTHER),
        {us: "regions of %s us of work" % us for us in ("3", "30", "300")},
        threads_text, (("regions", "share"), ("collection", "cpus"), ("units",)), without="none",
        window={"3": 5, "30": 5, "300": 5, "none": 5}, rts=("-T",)),
    "callers": row(
        "Haskell threads, each in a loop of safe calls to regions of about 10 us of work, teams of four", "callers",
        {("-", count): ("libgomp", "libgomp-dynamic", "libomp", "ours", "ours-dynamic", "libgomp-one", "ours-one")
         for count in CALLERS},
        {"-": ""}, callers_text, CALLERS_VALUES, threads=4),
    "posix-callers": row(
        "the same from POSIX threads of a C program", "callers", {("-", count): POSIX for count in CALLERS},
        {"-": ""}, callers_text, CALLERS_VALUES, threads=4),
    "rendezvous": row(
        "two bound Haskell threads, whose regions wait for each other in each round", "rendezvous",
        {("-", 10000): ("libgomp", "libomp", "ours")}, {"-": ""}, "{:,} rounds".format, (("time",),)),
    "posix-rendezvous": row(
        "the same from two POSIX threads of a C program", "rendezvous", {("-", 10000): POSIX},
        {"-": ""}, "{:,} rounds".format, (("time",),)),
    "pauses": row(
        "the collector's pauses with a heap of 4 MB for each Haskell thread, and regions beside them", "pauses",
        beside(("calling", "silent"), (0, 2), PAUSE_SERIES),
        {"calling": "regions whose threads call the runtime every 50 us",
         "silent": "regions whose threads do not call the runtime for 5 ms"},
        threads_text, (("pause-p50", "pause-p99", "pause-max", "pauses"), ("p50", "p99", "units")), without="none",
        window={"calling": 3, "silent": 3, "none": 3}, rts=("-A1m",)),
}

# The project's aims. A series' value against a factor of another series' value in the same cell, plus a number in the
# value's unit; against a number alone where there is no other series. ghc: the first and the last version that the aim
# applies to, if not to all.
Wish = collections.namedtuple("Wish", "row group column name value factor other plus ghc")


def wish(row_, group, column, name, value, factor=0.0, other=None, plus=0.0, ghc=None):
    return Wish(row_, group, column, name, value, factor, other, plus, ghc)


SPINNING = ("9.0", "9.2")  # the versions whose parallel collector spins
TRIAL = ("9.10", "9.10")
WISHES = [
    # No loss without Haskell threads beside the regions; 5 % is noise.
    *[wish("mixed", kind, 0, "ours", "regions", 0.95, "libgomp") for kind in ("short", "long", "bursty")],
    wish("mixed", "short", 2, "ours", "share", 10, "libgomp", ghc=SPINNING),
    wish("mixed", "short", 2, "ours", "regions", 0.5, "libgomp", ghc=SPINNING),
    wish("mixed", "short", 2, "ours-dynamic", "share", 10, "libgomp", ghc=SPINNING),
    wish("mixed", "short", 2, "ours-dynamic", "share", 2, "libgomp-dynamic", ghc=SPINNING),
    wish("mixed", "short", 2, "ours-dynamic", "regions", 1, "libgomp", ghc=SPINNING),
    wish("mixed", "short", 2, "ours-dynamic", "regions", 1, "libgomp-dynamic", ghc=SPINNING),
    # What the trial of the policy had, to libgomp beside it (its own rows: 166k to 242k regions and 9,122 to 6,501
    # units with exact teams, 333k to 288k and 8,638 to 8,985 with dynamic ones).
    wish("mixed", "short", 2, "ours", "share", 1.4, "libgomp", ghc=TRIAL),
    wish("mixed", "short", 2, "ours", "regions", 0.69, "libgomp", ghc=TRIAL),
    wish("mixed", "short", 2, "ours-dynamic", "share", 0.96, "libgomp-dynamic", ghc=TRIAL),
    wish("mixed", "short", 2, "ours-dynamic", "regions", 1.16, "libgomp-dynamic", ghc=TRIAL),
    # One long call: collections take what they take alone, and libomp, whose threads sleep, leaves Haskell no more than
    # ours do when they favour it.
    *[wish("library", us, count, name, "collection", 1.1, ALONE[SERIES[name].program], ghc=SPINNING)
      for us in ("3", "30", "300") for count in (1, 2) for name in ("ours", "ours-dynamic", "found", "found-dynamic")],
    # Beside the trial of the policy (--other), whose own aims were regions and Haskell units at once. 3 % is noise.
    *[wish("library", us, count, name + mode, value, 0.97, "other" + mode, ghc=SPINNING)
      for us in ("3", "30", "300") for count in (1, 2) for mode in ("", "-dynamic") for name in ("ours", "found")
      for value in ("regions", "share")],
    *[wish("library", us, 2, "ours-favour", value, 1, "libomp", ghc=SPINNING)
      for us in ("3", "30", "300") for value in ("regions", "units")],
    *[wish("callers", "-", count, "ours", "regions", 2, "libgomp") for count in (16, 64)],
    *[wish("callers", "-", count, "ours", "regions", 1, "libomp") for count in CALLERS],
    *[wish("callers", "-", count, "ours", "workers", plus=8) for count in CALLERS],
    *[wish("callers", "-", count, "ours", "threads-max", plus=count + 16) for count in CALLERS],
    wish("callers", "-", 64, "ours-dynamic", "regions", 0.97, "ours-one"),
    wish("callers", "-", 1, "ours-dynamic", "regions", 1.6, "libgomp-dynamic"),
    *[wish("posix-callers", "-", count, "posix-ours-share", "regions", 2, "posix-libgomp") for count in (16, 64)],
    *[wish("posix-callers", "-", count, "posix-ours-share", "regions", 1, "posix-libomp") for count in CALLERS],
    *[wish("posix-callers", "-", count, "posix-ours-share", "workers", plus=8) for count in CALLERS],
    *[wish("posix-callers", "-", count, "posix-ours-share", "threads-max", plus=count + 16) for count in CALLERS],
    wish("rendezvous", "-", 10000, "ours", "time", 3, "libgomp"),
    *[wish("posix-rendezvous", "-", 10000, name, "time", 3, "posix-libgomp")
      for name in ("posix-ours", "posix-ours-share")],
    wish("pauses", "calling", 2, "ours", "pause-p50", 1.5, "alone-linked"),
    wish("pauses", "calling", 2, "ours", "pause-p99", 1, "alone-linked", plus=4000),
    wish("pauses", "silent", 2, "ours", "pause-p50", 1, "libgomp-passive"),
    wish("pauses", "silent", 2, "ours", "pause-p99", 1, "libgomp-passive"),
]

# Where the aims of one series are compared with the CPUs: row, group, column, the series that runs a region in one
# thread with nothing beside it.
WHOLE_MACHINE = ("mixed", "short", 2, "ours-one")

# The charts: (file, title, x and y as (value, axis title), row, group, column or None for all).
MIXED_CHART = ("mixed", "short", 2)
CALLERS_CHARTS = (("regions", "regions a second"), ("threads-max", "OS threads of the process, at most"))
