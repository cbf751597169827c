"""Which repetitions are part of a run: the same program under several compilers, hosts and sanitizers, or a script's
configurations. With --sample N a run has one in N of them, by the seed; N seeds in a row have each at least once.

A combination has a program, a number among the program's combinations, and how many those are. test/run.py samples its
tests; scripts sample their own configurations by TEST_SAMPLE and TEST_SEED, which the runner sets (here, or by
test/sample.sh). test/scripts/sample_test.py is the test of this file.
"""

import collections
import hashlib
import os
import subprocess
import time


def number_of(text):
    return int(hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8], 16)


class Sample:
    def __init__(self, parts=1, seed=0):
        self.parts, self.seed = parts, seed

    def has(self, program, number=0, count=None):
        """Whether the run has that combination. count: of the program's combinations; with it, each run has at least
        one of them."""
        turn = (self.seed + number_of(program)) % self.parts
        return number % self.parts == (turn % min(count, self.parts) if count else turn)

    def has_alike(self, program, number, count):
        """Whether the run has the combination, where all programs with as many combinations have the same one in a run.
        If it comes in several of `parts` runs, each program has it in one of these; a single one is in each run."""
        turn = (self.seed + number_of("")) % self.parts
        turns = [t for t in range(self.parts) if t % min(count, self.parts) == number % self.parts]
        return count == 1 or turn == turns[number_of(program) % len(turns)]

    def of(self, names, whole=True, together=lambda program: False, alike=False):
        """Those of the tests that the run has. `PROGRAM [COMBINATION]` names a combination; other names are not
        sampled, so that a program has at least one test in each run. whole=False: without that promise. together: says
        of which programs a run has all combinations or none, since they share a costly compilation. alike: the
        programs of a run have the same combination, since it is costly to prepare, or none (has_alike)."""
        split = [name.partition(" [")[:2] for name in names]
        counts = collections.Counter(program for program, bracket in split if bracket)
        numbers, chosen = collections.Counter(), set()
        for name, (program, bracket) in zip(names, split):
            number, count = numbers[program], counts[program] if whole else None
            numbers[program] += bool(bracket)
            if together(program):
                number, count = 0, None
            has = self.has_alike if alike and bracket else self.has
            if (not bracket and whole) or has(program, number, count):
                chosen.add(name)
        return chosen

    def environment(self):
        return {"TEST_SAMPLE": str(self.parts), "TEST_SEED": str(self.seed)}

    def options(self):
        """The runner's options that choose this sample, or nothing."""
        return " --sample %d --seed %d" % (self.parts, self.seed) if self.parts > 1 else ""


def of_environment():
    """What the runner chose, in a script."""
    return Sample(int(os.environ.get("TEST_SAMPLE") or 1), int(os.environ.get("TEST_SEED") or 0))


def default_seed(root):
    """The number of commits up to this one, so that commits in a row have the combinations in turn; in a tree without
    its history the number of the day."""

    def git(*words):
        try:
            done = subprocess.run(["git", "-C", root, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True)
        except OSError:
            return ""
        return done.stdout.strip() if done.returncode == 0 else ""

    here = os.path.realpath(git("rev-parse", "--show-toplevel") or "/") == os.path.realpath(root)
    if here and git("rev-parse", "--is-shallow-repository") == "false":
        count = git("rev-list", "--count", "HEAD")
        if count:
            return int(count)
    return int(time.time() // 86400)
