#!/usr/bin/env python3
"""docs/reference/openmp-6.md against the tables of the tree: a routine or an entry that a row calls "here" is in
cbits/abi/abi.tsv, and one that it calls "not" is not; so it is with variables and environment.md; tests that it names
exist. limit: 60"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = "docs/reference/openmp-6.md"
STATES = ("here", "not yet", "not")


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def rows(text):
    """The cells of each table row below a head, by the head's names."""
    head = None
    for line in text.splitlines():
        if not line.startswith("|"):
            head = None
        elif head is None:
            head = [cell.strip() for cell in line.strip("|").split("|")]
        elif not re.fullmatch(r"[|\-: ]+", line):
            yield dict(zip(head, (cell.strip() for cell in line.strip("|").split("|"))))


def wrong(text, symbols, variables):
    """What of the page does not hold."""
    seen = 0
    for row in rows(text):
        state = re.match(r"(here|not yet|not)\b", row.get("here", ""))
        if state is None:
            yield "%s: the last cell begins with none of: %s" % (row.get("feature"), ", ".join(STATES))
            continue
        for name in re.findall(r"`(\w+)`", row["names"]):
            seen += 1
            known = name in (variables if name.startswith("OMP_") else symbols)
            # A variable of 5.2 whose new values are not taken is there all the same.
            if known != (state.group(1) == "here") and not (known and name.startswith("OMP_")):
                yield "%s is %sin the tree's tables, and the page says: %s" % (
                    name, "" if known else "not ", row["here"])
    for name in re.findall(r"`((?:test|cbits)/[\w/.]+)`", text):
        if not os.path.exists(os.path.join(ROOT, name)):
            yield "%s does not exist" % name
    if seen < 30:
        yield "only %d names were found" % seen


def main():
    symbols = {line.split("\t")[0] for line in read("cbits/abi/abi.tsv").splitlines()[1:]
               if line.split("\t")[4] == "done"}
    variables = set(re.findall(r"^## (\w+)$", read("docs/reference/environment.md"), re.MULTILINE))
    text = read(PAGE)
    problems = list(wrong(text, symbols, variables))
    # The check itself: a row that is untrue is found.
    untrue = text.replace("| here ([rules](free-agents.md));", "| not yet;")
    if untrue == text or not list(wrong(untrue, symbols, variables)):
        problems.append("the check does not find what is untrue")
    for problem in problems:
        print("%s: %s" % (PAGE, problem))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
