"""The ways in which a test of the suite is run, and the table of what failed in which of them.

A configuration is a runtime (libgomp or the drop-in), the drop-in's host and barrier, OMP_NUM_THREADS and
OMP_WAIT_POLICY. Used by suite.py; test/scripts/matrix_test.py is the test of this file.
"""

import threading

import around

# The full matrix, --matrix: what each value finds is in docs/internals/testing.md.
HOSTS = ["posix", "ghc"]
THREADS = ["1", "2", "4", "8", "unset"]
WAIT_POLICIES = ["active", "passive"]
# Only by --barrier.
BARRIERS = ["flat", "tree"]

# The letter of a failure in the table, by how its text starts.
KINDS = (
    ("hung", "H"),
    ("killed by", "S"),
    ("exit status 0", "X"),
    ("exit status", "F"),
    ("the output", "O"),
    ("around it", "A"),
)
LEGEND = "F exit status, S signal, H hung, O output, X should fail, A not in Haskell, l fails on libgomp too, . passes"


class Config:
    """One way to run a program: which runtime, which host, which environment."""

    def __init__(self, side, host, threads, policy, dropin, barrier="unset", libraries=None):
        self.side, self.env = side, {}
        label = []
        self.around = host == around.HOST
        if side == "ghcomp":
            self.env["LD_LIBRARY_PATH"] = dropin + (":" + libraries if libraries else "")
            self.env["GHCOMP_HOST"] = "auto" if self.around else host
            label.append("host=" + host)
        elif libraries:
            self.env["LD_LIBRARY_PATH"] = libraries
        if threads != "unset":
            self.env["OMP_NUM_THREADS"] = threads
            label.append("threads=" + threads)
        if policy != "unset":
            self.env["OMP_WAIT_POLICY"] = policy
            label.append("wait=" + policy)
        if side == "ghcomp" and barrier != "unset":
            self.env["GHCOMP_BARRIER"] = barrier
            label.append("barrier=" + barrier)
        self.label = ",".join(label) or "default"
        self.reference = reference_label(self.label)


def reference_label(label):
    """The configuration of libgomp that has the same environment as this one of ours."""
    ours = ("host=", "barrier=")
    return ",".join(part for part in label.split(",") if not part.startswith(ours)) or "default"


def configurations(side, hosts, threads, policies, dropin, barriers=("unset",), libraries=None):
    return [
        Config(side, h, t, p, dropin, b, libraries)
        for h in (hosts if side == "ghcomp" else [""])
        for t in threads
        for p in policies
        for b in (barriers if side == "ghcomp" else ["unset"])
    ]


class Result:
    """The runs of one test in one configuration."""

    def __init__(self):
        self.runs = self.failures = 0
        self.problem = None  # the first failure: (what was wrong, the output)
        self.excused = False  # libgomp fails in this configuration too
        self.lock = threading.Lock()  # of the fields above but `excused`: repeated runs may end at a time

    def add(self, problem):
        with self.lock:
            self.runs += 1
            if problem:
                self.failures += 1
                self.problem = self.problem or problem

    def kind(self):
        """The table's letter."""
        if not self.problem:
            return "."
        if self.excused:
            return "l"
        return next(letter for start, letter in KINDS if self.problem[0].startswith(start))

    def how_often(self):
        return " (%d of %d runs)" % (self.failures, self.runs) if self.runs > 1 else ""

    def text(self):
        return self.problem[0] + self.how_often() if self.problem else "pass"


def table(tests, labels):
    """Lines: failures by configuration, and a row for each failing test with a letter for each configuration."""
    if len(labels) < 2:
        return []
    failing = [t for t in tests if any(r.problem for r in t.results["ghcomp"].values())]
    if not failing:
        return []
    width = max(map(len, labels))
    out = ["failures by configuration, of %d tests:" % len(tests)]
    out.append("      %-*s  tests  hung  runs" % (width, ""))
    for number, label in enumerate(labels, 1):
        bad = [t.results["ghcomp"][label] for t in tests]
        bad = [r for r in bad if r.problem and not r.excused]
        hung = sum(r.kind() == "H" for r in bad)
        runs = sum(r.failures for r in bad)
        out.append("  %2d  %-*s  %5d %5d %5d" % (number, width, label, len(bad), hung, runs))
    out.append("%d tests, a letter for each configuration, 1 to %d (%s):" % (len(failing), len(labels), LEGEND))
    for t in failing:
        letters = "".join(t.results["ghcomp"][label].kind() for label in labels)
        groups = " ".join(letters[i : i + 10] for i in range(0, len(letters), 10))
        out.append("  %s  %s" % (groups, t.name))
    return out
