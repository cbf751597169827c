"""Random cases for C, C++ and Fortran: which constructs may stand where. c_*.py and fortran_*.py write them.

The same seed gives the same cases. The results of a `sized` file may depend on the size of teams, which the model
knows; any other file also runs where teams may be smaller than they ask for (OMP_DYNAMIC). How a node of each kind is
made is in the classes that Generator inherits from.
"""

import random

from generate_base import DEPTH, THREADS, Context
from generate_loops import Loops
from generate_orders import order
from generate_regions import Regions
from generate_target import Target
from generate_tasks import Tasks
from languages import LANGUAGES
from tree import Case


class Generator(Regions, Loops, Tasks, Target):
    def __init__(self, rng, language, sized):
        super().__init__(rng, language, sized, LANGUAGES[language])

    def case(self, number):
        ctx = Context(mode="seq", depth=0, names=[], t=None, work=1, room=THREADS, final=False, nested=0,
                      repeat=False, sized=self.sized, task=False, varying=[], league=False)
        nodes = self.block(ctx, self.rng.choice([1, 2, 2, 3, 4]))
        active = self.rng.choice([1, 1, 2, 2, 3, 4])
        more = None if "order" in self.has["lacks"] else order(self.rng.getstate()[1][number % 600], self.name("o"))
        return Case(number, active, nodes + [more] if more is not None else nodes)

    CHOICES = {
        # kind: weight in seq, par, one, teams
        "add": (1, 4, 5, 2),
        "query": (1, 3, 2, 0),
        "repeat": (1, 2, 1, 0),
        "when": (0, 0, 1, 0),
        "parallel": (9, 1, 1.5, 2),
        "worksharing": (0, 6, 0, 0),
        "sections": (1, 1.5, 0.3, 0),
        "single": (0, 2, 0, 0),
        "masked": (0, 1.5, 0, 0),
        "copyprivate": (0, 1, 0, 0),
        "barrier": (0, 1.5, 0, 0),
        "scope": (0, 1, 0, 0),
        "ordered": (1, 1, 0.3, 0),
        "parallel loop": (5, 0.5, 1, 2),
        "doacross": (1, 0.1, 0.2, 0),
        "doacross2": (0.6, 0.1, 0.1, 0),
        "scan": (1, 0.1, 0.2, 0),
        "exchange": (1, 0.2, 0.3, 0),
        "copyin": (1, 0.1, 0.2, 0),
        "atomics": (1.2, 0.2, 0.2, 0),
        "locks": (1.2, 0.2, 0.2, 0),
        "task": (1, 3, 4, 0),
        "included": (0.2, 0.3, 0.4, 0),
        "taskwait": (0, 1, 1.5, 0),
        "taskyield": (0, 0.5, 0.5, 0),
        "taskgroup": (0.5, 1, 1.5, 0),
        "depend": (1, 1, 2, 0),
        "detach": (0.5, 0.7, 1, 0),
        "taskloop": (1, 1, 2, 0),
        "cancel": (1.5, 0.2, 0.4, 0),
        "teams": (0.8, 0, 0, 0),
        "teams loop": (0.8, 0, 0, 0),
        "distribute": (0, 0, 0, 3),
        "target": (0.8, 0.2, 0.3, 0),
        "target loop": (0.8, 0, 0.1, 0),
        "memory": (0.6, 0.3, 0.3, 0),
        "allocate": (0.5, 0.1, 0.1, 0),
        "schedule": (1, 0.2, 0.2, 0),
        "throw": (0.5, 1, 2, 0),
        "objects": (1, 0.2, 0.3, 0),
        "iterators": (1, 0.2, 0.3, 0),
        "workshare": (1, 0.2, 0.3, 0),
        "allocatables": (1, 0.2, 0.3, 0),
    }
    MODES = {"seq": 0, "par": 1, "one": 2, "teams": 3}
    FLAT = {"add", "query", "taskyield", "taskwait", "barrier", "memory", "copyprivate"}

    def node(self, ctx):
        self.left -= 1
        if self.left < 0 and ctx.depth > 0:
            return self.make_add(ctx) if self.chance(0.3) and (ctx.sized or ctx.mode != "par") else None
        if ctx.mode in ("leaf", "calls"):
            return self.make_add(ctx)
        column = self.MODES[ctx.mode]
        kinds, weights = [], []
        for kind, row in self.CHOICES.items():
            weight = row[column]
            if kind in self.has["lacks"]:
                continue
            if ctx.depth >= DEPTH and kind not in self.FLAT:
                continue
            if ctx.mode == "par" and not ctx.sized and kind in (
                "add", "query", "copyprivate", "memory", "task", "included", "taskgroup", "depend", "detach",
                "taskloop", "parallel", "parallel loop", "doacross", "doacross2", "scan", "exchange", "copyin",
                "atomics", "locks", "cancel", "target", "allocate", "schedule", "throw", "objects", "iterators",
                "scope", "workshare", "allocatables"
            ):
                continue
            if not ctx.sized and kind in ("exchange", "copyin") or ctx.task and kind == "copyin":
                continue
            if weight:
                kinds.append(kind)
                weights.append(weight)
        kind = self.rng.choices(kinds, weights)[0]
        return getattr(self, "make_" + kind.replace(" ", "_"))(ctx)


def cases(seed, file, count, language, sized):
    """The cases of one file."""
    found = []
    for number in range(count):
        rng = random.Random("%s/%s/%s/%s" % (seed, file, number, language))
        found.append(Generator(rng, language, sized).case(number))
    return found
