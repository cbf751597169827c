#!/usr/bin/env python3
"""All code in the guides and in the examples' pages is compiled and run.

    test/examples/docs.py [DOCS]      the folder with the guides and examples/, docs/ by default

In README.md and the pages of PAGES a line `<!-- from: FILE -->` stands before every fenced block. The block's lines
must stand in that file, one after the other, with the same relative indentation; a line `...` in the block leaves lines
out. A block from a *.out file must be the whole of it. Besides, each examples/haskell/NAME.out has its test
test/examples/NAME.sh, its page docs/guide/examples/NAME.md that shows NAME.out, and a link in
docs/guide/examples/README.md. Each .sh of examples/guides is shown by a page. test/scripts/docs_test.py is the test of
this file.
"""

import glob
import os
import re
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FENCE = re.compile(r"^```")
FROM = re.compile(r"^<!-- from: (\S+) -->$")
# The patterns of the pages below docs/ that show code.
PAGES = ("guide/*.md", "guide/examples/*.md", "internals/gcc-calls.md", "internals/ghc-rts.md",
         "reference/haskell.md")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def blocks(text):
    """(line number, file named before it or None, lines) of each fenced block."""
    found, source, block, start = [], None, None, 0
    for number, line in enumerate(text.splitlines(), 1):
        if block is not None:
            if FENCE.match(line):
                found.append((start, source, block))
                source, block = None, None
            else:
                block.append(line)
        elif FENCE.match(line):
            block, start = [], number
        else:
            marker = FROM.match(line)
            source = marker.group(1) if marker else None
    if block is not None:
        found.append((start, source, block + ["(the block has no end)"]))
    return found


def pieces(lines):
    """The parts of a block between its lines `...`."""
    parts = [[]]
    for line in lines:
        if line.strip() == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    return [p for p in ("\n".join(part).strip("\n") for part in parts) if p]


def dedent(lines):
    return textwrap.dedent("\n".join(lines)).splitlines()


def position(part, lines, begin):
    """The line of `lines` after the part, which starts at `begin` or later; None if the part is not there."""
    wanted = dedent(part.splitlines())
    for at in range(begin, len(lines) - len(wanted) + 1):
        if [x.rstrip() for x in dedent(lines[at : at + len(wanted)])] == [x.rstrip() for x in wanted]:
            return at + len(wanted)
    return None


def check_block(source, block):
    """What is wrong with a block, or None."""
    if source is None:
        return "no line `<!-- from: FILE -->` stands before this block"
    path = os.path.join(ROOT, source)
    if not os.path.isfile(path):
        return "there is no file %s" % source
    lines = read(path).splitlines()
    if source.endswith(".out"):
        return None if block == lines else "this is not what %s has" % source
    at = 0
    parts = pieces(block)
    if not parts:
        return "the block is empty"
    for part in parts:
        at = position(part, lines, at)
        if at is None:
            return "not in %s (in this order): %s" % (source, part.splitlines()[0].strip())
    return None


def check_page(path, shown):
    text = read(path)
    for number, source, block in blocks(text):
        wrong = check_block(source, block)
        if wrong:
            yield "%s:%d: %s" % (shown, number, wrong)
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        if not os.path.exists(os.path.join(os.path.dirname(path), link)):
            yield "%s: a link to %s, which does not exist" % (shown, link)


def main(docs):
    wrong = []
    index = os.path.join(docs, "guide", "examples", "README.md")
    pages = [page for pattern in PAGES for page in sorted(glob.glob(os.path.join(docs, pattern)))]
    pages += glob.glob(os.path.join(os.path.dirname(docs), "README.md"))
    for page in pages:
        wrong += check_page(page, os.path.relpath(page, os.path.dirname(docs)))
    names = [os.path.basename(p)[:-4] for p in sorted(glob.glob(os.path.join(ROOT, "examples", "haskell", "*.out")))]
    for name in names:
        page = os.path.join(docs, "guide", "examples", name + ".md")
        script = os.path.join(ROOT, "test", "examples", name + ".sh")
        if not os.access(script, os.X_OK):
            wrong.append("examples/haskell/%s.out: there is no executable test/examples/%s.sh" % (name, name))
        if not os.path.exists(page):
            wrong.append("examples/haskell/%s.out: there is no docs/guide/examples/%s.md" % (name, name))
        elif "<!-- from: examples/haskell/%s.out -->" % name not in read(page):
            wrong.append("docs/guide/examples/%s.md: does not show examples/haskell/%s.out" % (name, name))
        if "](%s.md)" % name not in read(index):
            wrong.append("docs/guide/examples/README.md: no link to %s.md" % name)
    shown = "".join(map(read, pages))
    for path in sorted(glob.glob(os.path.join(ROOT, "examples", "guides", "*.sh"))):
        path = os.path.relpath(path, ROOT)
        if "<!-- from: %s -->" % path not in shown:
            wrong.append("%s: no page shows it" % path)
    for line in wrong:
        print(line)
    print("%d pages, %d examples, %d things wrong" % (len(pages), len(names), len(wrong)))
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "docs"))))
