"""The rows of bench/run.py: what each measures, with how many threads, and the project's aim.

A row is a kernel of bench/c, or something about its process.
"""

import collections
import re

import rounds

OURS = ("ours-posix", "ours-ghc")
PEERS = ("libgomp", "libomp")
TITLES = {"ours-posix": "ours, POSIX", "ours-ghc": "ours, GHC", "libgomp": "libgomp", "libomp": "libomp"}


def titled(name):
    """A runtime's name in tables: libgomp-16.2.0 is libgomp 16.2.0."""
    return TITLES.get(name) or re.sub(r"^(libg?omp)-", r"\1 ", name)


def peers_of(names):
    """Those that are not ours; peers other than the system's have names of their own (bench/peers.py)."""
    return [name for name in names if name not in OURS]


def is_of(name, library):
    """Whether a peer is that library, of any version."""
    return name == library or name.startswith(library + "-")


# The teams of every row; for all but whole processes, one with many more threads than CPUs; and those of the rows that
# show how the cost grows with the team.
THREADS = (1, 2, 4, 8)
MANY = (64,)
LARGE = (32, 64, 128, 256)
# The quick run's: constructs and tasks, large teams; programs and processes have one thread for each CPU.
QUICK_THREADS = (1, 2, 4)
QUICK_LARGE = (32, 256)

GROUPS = {
    "constructs": "Constructs",
    "tasks": "Tasks",
    "programs": "Programs",
    "large": "Context switches",
    "process": "A whole process",
}

# less: True when less is better. large: with the teams of LARGE, too. fair: only where each thread has a CPU, since
# otherwise the kernel's scheduler decides which thread gets in within 1 ms.
Row = collections.namedtuple("Row", "group what unit less large fair")


def row(group, what, unit="ns", less=True, large=False, fair=False):
    return Row(group, what, unit, less, large, fair)


ROWS = {
    "parallel": row("constructs", "an empty region", large=True),
    "barrier": row("constructs", "a barrier in one region", large=True),
    "nested": row("constructs", "an outer region of m, each thread with an inner region of 2"),
    "resize": row("constructs", "a region, m and 2m threads in turn"),
    "for-static": row("constructs", "a static loop of m iterations and its barrier"),
    "single": row("constructs", "a single block and its barrier"),
    "reduction": row("constructs", "a parallel for of m iterations with reduction(+)"),
    "critical": row("constructs", "an entry of one critical section, of all threads' entries"),
    "lock": row("constructs", "omp_set_lock and omp_unset_lock, of all threads' entries"),
    "ordered": row("constructs", "an iteration of for ordered schedule(static, 1)"),
    "dynamic": row("constructs", "an iteration of schedule(nonmonotonic: dynamic, 1)"),
    "dynamic-monotonic": row("constructs", "an iteration of schedule(monotonic: dynamic, 1)"),
    "critical-fair": row("constructs", "the worst thread's part of its fair share in 1 ms, critical", "%", False,
                         fair=True),
    "lock-fair": row("constructs", "the worst thread's part of its fair share in 1 ms, lock", "%", False, fair=True),
    "tasks": row("tasks", "a task, all of them created by one thread"),
    "task-fib": row("tasks", "a task of fib(20), which creates 21,890"),
    "task-depend": row("tasks", "a task with depend(inout) in one of four chains"),
    "task-data": row("tasks", "a task with 4 KB of firstprivate data, whose checksum it computes"),
    "taskloop": row("tasks", "an iteration of taskloop grainsize(16)"),
    "dgemm-256": row("programs", "the product of two matrices of 256 rows, tiles of 64", "us"),
    "dgemm-512": row("programs", "the product of two matrices of 512 rows, tiles of 64", "us"),
    "sine": row("programs", "the sum of a million sines, parallel for with reduction", "us"),
    "stencil": row("programs", "a sweep over 64 x 64 points, a barrier between sweeps", "us"),
    "stencil-regions": row("programs", "a sweep over 64 x 64 points, a region for each", "us"),
    "stencil-large": row("programs", "a sweep over 512 x 512 points, a barrier between sweeps", "us"),
    "sparse-lu": row("programs", "LU of 16 x 16 sparse blocks of 16 x 16, tasks with dependences", "us"),
    "queens": row("programs", "all solutions for nine queens, a task for each queen of the first five rows", "us"),
    "sort": row("programs", "a merge sort of 16,384 numbers, two tasks for each part of more than 64", "us"),
    "tree": row("programs", "the nodes of an unbalanced tree, a task for each", "us"),
    "fractal": row("programs", "a picture of 96 lines by taskloop, a task for each", "us"),
    "parallel-switches": row("large", "context switches of all threads for an empty region", "switches", large=True),
    "barrier-switches": row("large", "context switches of all threads for a barrier", "switches", large=True),
    "start": row("process", "a process that runs one region, from spawn to exit", "us"),
    "first": row("process", "the first region of a process, its threads' start included", "us"),
    "memory": row("process", "peak resident memory of such a process", "kB"),
}
# Rows that come from the samples of another row, from SWITCHES_FROM threads on.
SWITCHES = {"parallel": "parallel-switches", "barrier": "barrier-switches"}
SWITCHES_FROM = 8

# What the kernels print, in a row's unit.
DIVISOR = {"ns": 1, "us": 1e3}

# Known wrong results of a peer, so that a run does not fail for them; such samples do not count. Runtime and row to
# what is wrong.
KNOWN_WRONG = {
    ("libomp", "ordered"): "gives each thread a block of consecutive iterations for gcc's schedule(static, 1), so that "
                           "hardly any ordered block follows one of another thread",
}


def known_wrong(runtime, row):
    """What is wrong with that peer's result of that row; None: nothing that is known."""
    return next((text for (library, at), text in KNOWN_WRONG.items() if at == row and is_of(runtime, library)), None)


def rightly(names, row):
    """Those of the runtimes of which nothing wrong is known in that row."""
    return [name for name in names if known_wrong(name, row) is None]


def steps_text(result, rows):
    """Lines that say what a step of each row of a result is (the first part of its entry in `rows`), and which runtimes
    rightly() has left out of a row, and why."""
    steps, left_out = [], []
    for row in dict.fromkeys(row["row"] for row in result["rows"]):
        steps.append("- *%s*: %s" % (row, rows[row][0]))
        of = {}
        for name in result["runtimes"]:
            of.setdefault(known_wrong(name, row), []).append(titled(name))
        left_out += ["*%s* leaves out %s, which %s." % (row, " and ".join(of[why]), why) for why in of if why]
    return steps + [""] * bool(left_out) + left_out


# The aim of a row. `ratio`: ours to the better peer, at most. `most`, `least`: a value of ours. `more`: at most so much
# above libgomp, by host; for a cost that no peer has, as booting GHC's RTS.
Wish = collections.namedtuple("Wish", "kind limit")


def ratio_wishes(**by_row):
    return {(name.replace("_", "-"), m): Wish("ratio", limit) for name, limits in by_row.items()
            for m, limit in limits.items()}


WANTED = {
    **ratio_wishes(
        parallel={1: 0.2, 2: 0.6, 4: 0.8}, barrier={2: 0.5, 4: 0.8}, nested={2: 0.5}, resize={2: 0.3},
        for_static={2: 0.5}, single={2: 0.8}, critical={2: 1.0, 4: 1.0}, lock={2: 1.0, 4: 1.0},
        ordered={2: 0.8, 4: 0.8}, dynamic={2: 0.5}, dynamic_monotonic={2: 1.0}, tasks={1: 1.0, 2: 1.0, 4: 0.5},
        task_fib={1: 0.6, 2: 0.3, 4: 0.2}, task_depend={1: 0.8, 2: 0.5, 4: 0.5}, task_data={2: 1.0},
        taskloop={2: 1.0},
        tree={1: 1.0, 2: 1.0}, queens={1: 1.0, 2: 1.0}),
    ("barrier", 1): Wish("most", 6),
    ("critical-fair", None): Wish("least", 40),
    ("lock-fair", None): Wish("least", 40),
    ("start", None): Wish("more", {"ours-posix": 1000, "ours-ghc": 6000}),
    ("memory", None): Wish("more", {"ours-posix": 1024, "ours-ghc": 14 * 1024}),
}
# With more threads than CPUs: at or below the better peer, unless an aim above asks for more.
OVERSUBSCRIBED = Wish("ratio", 1.0)
OVERSUBSCRIBED_GROUPS = ("constructs", "tasks", "programs")


def ratio_cell(values, name, less):
    """A table's cell: ours divided by the better peer, the best one of all, by rounds; bold where ours is behind
    (rounds.py). less: fewer is better."""
    peers = {p: values[p] for p in peers_of(values)}
    if name not in values or not any(peer["median"] for peer in peers.values()):
        return "-"
    _, found = rounds.better(values[name], peers, less)
    ratio = found.middle if less else 1 / found.middle if found.middle else float("inf")
    return ("**%.2f**" if rounds.is_behind(found) else "%.2f") % ratio


def wish(name, m, cpus):
    """The aim of a row at m threads on `cpus` CPUs; None without a particular one."""
    found = WANTED.get((name, m)) or WANTED.get((name, None))
    if found is None and m > cpus and ROWS[name].group in OVERSUBSCRIBED_GROUPS:
        return OVERSUBSCRIBED
    return found


def may_be_worse(name):
    """Rows whose ratio to the better peer is no measure of them."""
    return (name, None) in WANTED or ROWS[name].group in ("process", "large")


def threads_of(name, asked, quick, cpus):
    """The teams that a row is measured with; `asked` is the user's choice instead of the default, or None."""
    spec = ROWS[name]
    if asked is not None:
        teams = asked
    elif quick:
        teams = QUICK_THREADS if spec.group in ("constructs", "tasks") else (cpus,)
    else:
        teams = THREADS + (MANY if spec.group != "process" else ())
    if spec.large and asked is None:
        teams = tuple(teams) + (QUICK_LARGE if quick else LARGE)
    return [m for m in sorted(set(teams)) if not spec.fair or 1 < m <= cpus]
