"""Markdown as this tree writes it, made ready for Python-Markdown, and its links.

The pages are written for viewers that follow CommonMark. Python-Markdown, which mkdocs uses, differs in two points that
matter here: a list needs a blank line before it, and what belongs to an item is indented by four columns. `adapt`
writes both; `links` hands each link outside of code to a function. Called by stage.py; tested by
test/docs/stage_test.py.
"""

import re

FENCE = re.compile(r"^ *(```|~~~)")
ITEM = re.compile(r"^( *)([-*]|\d+\.)( +)(?=\S)")
COMMENT = re.compile(r"^<!--.*-->$")
# The text may have one pair of brackets inside; the target no blank.
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
CODE = re.compile(r"(`+)(?:.+?)\1", re.S)


def adapt(text):
    """The page with blank lines before its lists, items indented by four columns, and without comments."""
    result, offsets, depth, fenced, before = [], [], 0, False, ""
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        if fenced:
            fenced = not FENCE.match(line)
            result.append(moved(line, offsets, depth))
            continue
        if COMMENT.match(line):
            continue
        # Python-Markdown reads what is in an element only when it is told to.
        line = line.replace("<details>", '<details markdown="1">') if line.startswith("<details>") else line
        if not line.strip():
            result.append("")
            before = ""
            continue
        item = ITEM.match(line)
        while offsets and indent < offsets[-1] and (item or not before):
            offsets.pop()
        if item and not offsets and before and not ITEM.match(before):
            result.append("")
        depth = len(offsets)
        result.append(moved(line, offsets, depth))
        fenced = bool(FENCE.match(line))
        if item and indent < 4 + (offsets[-1] if offsets else 0):
            offsets.append(item.end())
        # A line that continues an item is no paragraph of its own.
        before = line if item or not offsets else "1. "
    return "\n".join(result)


def moved(line, offsets, depth):
    """The line with four columns for each item that it is in."""
    if not depth or not line.strip():
        return line
    own = len(line) - len(line.lstrip(" "))
    return " " * (4 * depth) + line[min(own, offsets[depth - 1]):]


def links(text, change):
    """The page with change(image, words, target) in place of each link; `image` is "!" or "". None leaves it."""
    def replace(match):
        found = change(match.group(1), match.group(2), match.group(3))
        return match.group(0) if found is None else found

    result, part, fenced = [], [], False

    def end_part():
        if part:
            result.append(outside_code("\n".join(part), lambda words: LINK.sub(replace, words)))
            part.clear()

    for line in text.split("\n"):
        fence = bool(FENCE.match(line))
        if fenced or fence or not line.strip() or line.startswith("    ") and not part:
            end_part()
            result.append(line)
        else:
            part.append(line)
        fenced ^= fence
    end_part()
    return "\n".join(result)


def outside_code(part, change):
    """The paragraph with `change` applied to what is not between backquotes; a link's words may have backquotes."""
    kept = []

    def keep(match):
        kept.append(match.group(0))
        return "\0%d\0" % (len(kept) - 1)

    changed = change(CODE.sub(keep, part))
    return re.sub("\0(\\d+)\0", lambda m: kept[int(m.group(1))], changed)


def title(text, default):
    """The words of the first heading."""
    match = re.search(r"^# (.+)$", text, re.M)
    return match.group(1).strip() if match else default
