#!/usr/bin/env python3
"""No line of a program, a script, a make file or a page has more than 120 columns, and the code in README has no more
than the site's column shows without scrolling.

Left out, since they cannot be wrapped: tables and lines that are one link or one path, what make gen writes, results
and pictures, the rows of abi.tsv, and lines that a tool reads one by one (mutants of test/explore, expectations of the
conformance tests, calls of make's functions).
"""

import os
import re
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST = 120
MOST_CODE = 76
KINDS = re.compile(r"\.(c|h|cmm|hs|py|sh|f90|mk|md|cc|cpp)$|(^|/)Makefile$")
# Generated, or a measurement.
FILES = re.compile(r"^docs/(results/(?!benchmarks)[^/]*|reference/(coverage|environment))\.md$")
LINES = re.compile(r"""^\|                                  # a row of a table in Markdown
                     | ^\s*([-*/#!]+\s)?\S+$                # one link, one path
                     | ^[\s/*!]*(mutant|expect-stderr|expect-stdout):\s
                     | \$\((call|foreach)\s""", re.X)


def too_long(path, text):
    """(line number, columns) of the lines above the limit, of a file of the tree."""
    if not KINDS.search(path) or FILES.match(path):
        return []
    return [(number, len(line)) for number, line in enumerate(text.split("\n"), 1)
            if len(line) > MOST and not LINES.search(line)]


def wide_code(text):
    """Lines of code in a page, fenced or indented, that the site's column does not show whole."""
    fenced, wide = False, []
    for line in text.split("\n"):
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            code = line if fenced else line[4:]
            wide += [code] if len(code) > MOST_CODE else []
    return wide


class Columns(unittest.TestCase):
    def test_code_of_readme(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as f:
            self.assertEqual(wide_code(f.read()), [])
        wide = "x" * (MOST_CODE + 1)
        self.assertEqual(wide_code("%s\n```sh\n%s\n```\n    %s\n%s" % (wide * 2, wide, wide, wide)), [wide, wide])

    def test_committed(self):
        out = subprocess.run(["git", "ls-files"], cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout
        if not out:
            self.skipTest("not in a git checkout")
        found = []
        for path in out.splitlines():
            if KINDS.search(path) and os.path.isfile(os.path.join(ROOT, path)):
                with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as f:
                    found += ["%s:%d: %d columns" % ((path,) + where) for where in too_long(path, f.read())]
        self.assertEqual(found, [], "lines of more than %d columns; wrap them" % MOST)

    def test_finds(self):
        long = "a word " * 20
        self.assertEqual(too_long("cbits/core/x.c", "short\n/* %s*/\n" % long), [(2, len(long) + 5)])
        for path in ("src/X.hs", "test/x.sh", "README.md", "Makefile", "mk/x.mk", "bench/x.py"):
            self.assertEqual(len(too_long(path, long)), 1, path)

    def test_leaves_what_cannot_be_wrapped(self):
        long = "a word " * 20
        for path, line in (("docs/x.md", "| %s |" % long), ("README.md", "  https://" + "x" * 150),
                           ("test/explore/x.c", "   mutant: %s" % long), ("mk/x.mk", "\t$(call f,%s)" % long),
                           ("docs/results/x.md", long), ("bench/results/x.json", long)):
            self.assertEqual(too_long(path, line), [], path)


if __name__ == "__main__":
    unittest.main()
