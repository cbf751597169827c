#!/usr/bin/env python3
"""The loops that GHC makes of the library's: as many instructions as those that a programmer writes, and no allocation.

    loops.py ASSEMBLY-OF-ALONE ASSEMBLY-OF-TEAM

Each function of Alone.hs and of Team.hs beside this file has an instruction that no other has (LOOPS). A loop is a
shortest cycle through such an instruction; the inner loop is the shortest of them. The library's must have no more
instructions than the sequential one, and none of its loops may check the heap's limit, as a loop does that allocates,
or whose exit does. The last line counts the functions. Called by test/hs/loops.sh.
"""
import re
import sys

# Functions, and what identifies their loops.
LOOPS = {"integers": r"\$10000001\b", "roots": r"\bv?sqrtsd\b", "inBounds": r"\$10000002\b",
         "indices": r"\$10000003\b", "least": r"\$10000004\b", "filled": r"\$10000005\b",
         "thirds": r"\bv?divsd\b", "written": r"\$10000006\b", "moments": r"\$10000007\b",
         "generated": r"\$10000008\b"}

HEAP_LIMIT = re.compile(r"\(%r13\),\s*%r12\b")


class Code:
    """The instructions of a module in order; for each its successors among them."""

    def __init__(self, path):
        self.instructions, self.labels = [], {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                line = line.split("#")[0].strip()
                label = re.match(r"([.\w$]+):$", line)
                if label:
                    self.labels[label.group(1)] = len(self.instructions)
                elif line and not line.startswith("."):
                    self.instructions.append(line)

    def successors(self, place):
        words = self.instructions[place].split()
        if words[0].startswith("j"):
            if words[-1] in self.labels:
                yield self.labels[words[-1]]
            if words[0] == "jmp":
                return
        if words[0] not in ("ret", "ud2") and place + 1 < len(self.instructions):
            yield place + 1

    def cycle(self, start):
        """The places of a shortest way from that instruction back to it; None if there is none."""
        before, queue = {}, [start]
        for place in queue:
            for follower in self.successors(place):
                if follower == start:
                    way = [place]
                    while way[-1] != start:
                        way.append(before[way[-1]])
                    return way[::-1]
                if follower not in before:
                    before[follower] = place
                    queue.append(follower)
        return None

    def loops(self, mark):
        """The instructions of the loops with that mark, the shortest first."""
        cycles = (self.cycle(i) for i, text in enumerate(self.instructions) if re.search(mark, text))
        return [[self.instructions[i] for i in c] for c in sorted((c for c in cycles if c), key=len)]


def fault(alone, team):
    """What is wrong with the reduction's loops, and the loop to show; None if they are right."""
    if not alone or not team:
        return "%s has no loop" % ("Team" if alone else "Alone"), []
    for loop in team:
        if any(HEAP_LIMIT.search(text) for text in loop):
            return "a loop looks for room on the heap", loop
    if len(team[0]) > len(alone[0]):
        return "%d instructions, %d in the sequential loop" % (len(team[0]), len(alone[0])), team[0]
    return None


def main(paths):
    if len(paths) != 2:
        sys.exit(__doc__)
    alone, team = (Code(path) for path in paths)
    bad = 0
    for function, mark in LOOPS.items():
        wrong = fault(alone.loops(mark), team.loops(mark))
        if wrong is None:
            print("ok %s" % function)
        else:
            bad += 1
            print("\n    ".join(["FAIL %s: %s" % (function, wrong[0])] + wrong[1]))
    print("%d passed, %d failed, 0 skipped" % (len(LOOPS) - bad, bad))


if __name__ == "__main__":
    main(sys.argv[1:])
