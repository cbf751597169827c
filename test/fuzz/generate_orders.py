"""The generator's programs whose result depends on an order that libgomp always keeps (docs/reference/reliability.md,
Orders)."""

import random

from tree import Node

THREADS = (1, 2, 3, 4, 8)
FORMS = ("loop", "loop", "loop", "nest", "sections", "tasks", "tasks", "released", "static")
SCHEDULES = ("dynamic", "dynamic, 3", "dynamic, 10", "guided", "guided, 2", "runtime", "static", "static, 3",
             "nonmonotonic: dynamic, 2", "monotonic: dynamic")


def order(state, name):
    """A node by random numbers of its own, drawn from the case's without using them up: the other nodes of a seed stay
    what they were."""
    rng = random.Random(state)
    if rng.random() > 0.4:
        return None
    form = rng.choice(FORMS)
    count = rng.randint(1, 6) if form == "sections" else rng.randint(1, 60 if form in ("tasks", "released") else 700)
    return Node("order", name=name, form=form, n=rng.choice(THREADS), count=count, k=rng.randrange(8),
                schedule=rng.choice(SCHEDULES), type=rng.choice(["int", "int", "u64", "short", "unsigned"]),
                modulo=rng.randint(1, 50), rest=rng.randint(0, 49), work=rng.choice([0, 0, 30, 300]))
