"""Compares two series by rounds.

In a round the runtimes' processes run one after the other, within seconds. A machine that turns slower, or that comes
in two states, changes both times of a round, and hardly their quotient. So what counts is the median of the rounds'
quotients, and their quartiles. Needs only Python's standard library.
"""

import collections

from common import spread

# No row may be worse than the better peer by more than this factor; a row whose aim is not a ratio is judged by its
# aim.
MOST_WORSE = 1.05
# Our cost over a peer's, below 1 where ours is the better: the median of the rounds, and their quartiles.
Quotient = collections.namedtuple("Quotient", "middle low high")


def divided(a, b):
    return a / b if b else (1.0 if not a else float("inf"))


def quotient(ours, peer, less):
    """Of two spreads (common.spread). less: fewer is better. Where a round lacks one of the two, because a process
    failed, or where there is one round only, the medians are divided, and the quartiles furthest from each other."""
    def cost(own, other):
        return divided(own, other) if less else divided(other, own)

    a, b = ours["samples"], peer["samples"]
    if len(a) == len(b) > 1:
        found = spread([cost(own, other) for own, other in zip(a, b)])
        return Quotient(found["median"], found["q1"], found["q3"])
    ends = [cost(ours["q1"], peer["q3"]), cost(ours["q3"], peer["q1"])]
    return Quotient(cost(ours["median"], peer["median"]), min(ends), max(ends))


def better(ours, peers, less):
    """(name, Quotient) of the better peer: the one beside which ours is worst. `peers`: name to spread, one or more."""
    return max(((name, quotient(ours, peer, less)) for name, peer in peers.items()), key=lambda one: one[1].middle)


def is_behind(found):
    """By more than MOST_WORSE, in more than three quarters of the rounds worse."""
    return found.middle > MOST_WORSE and found.low > 1


def is_ahead(found):
    return found.middle < 2 - MOST_WORSE and found.high < 1
