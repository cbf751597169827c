#!/usr/bin/env python3
"""The explorer's atomic operations are those of cbits/base/atomic.h, name by name, and its seeded defects fit the sources.

What the explorer itself can do is tested by its mutants (test/explore/run.py).
"""

import os
import re
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "explore"))

import run  # noqa: E402


def read(*path):
    with open(os.path.join(ROOT, *path)) as f:
        return f.read()


def names(text):
    return set(re.findall(r"^#define (\w+)", text, re.MULTILINE)) | set(
        re.findall(r"^static inline \w+ (\w+)\(", text, re.MULTILINE)
    )


class Explore(unittest.TestCase):
    def test_names(self):
        original = names(read("cbits", "base", "atomic.h"))
        shadow = {n for n in names(read("test", "explore", "shadow", "base", "atomic.h")) if "EXPLORE" not in n}
        self.assertGreater(len(original), 30)
        self.assertEqual(original, shadow)

    def test_operations(self):
        """An operation changes the word in the same way, and has the same order, in both."""
        changes = {"exchange": "XCHG", "fetch_add": "ADD", "fetch_sub": "SUB", "fetch_or": "OR", "fetch_and": "AND"}
        shadow = re.sub(r"\\\n", "", read("test", "explore", "shadow", "base", "atomic.h"))
        original = re.sub(r"\\\n", "", read("cbits", "base", "atomic.h"))
        found = re.findall(r"#define (ghcomp_\w+)\(.*?\) +atomic_(\w+?)_explicit\(.*memory_order_(\w+)\)", original)
        self.assertGreaterEqual(len(found), 24)
        for name, operation, last in found:
            line = re.search(r"^#define %s\(.*$" % name, shadow, re.MULTILINE).group()
            if operation in changes:
                self.assertIn("EXPLORE_" + changes[operation], line)
            order = name.rsplit("_", 1)[1]
            self.assertIn("EXPLORE_%s)" % order.upper(), line)
            # The last order of a cas is that of its failure.
            self.assertIn(last.replace("_", ""), ("relaxed", "acquire") if order in ("release", "acqrel") and
                          operation.startswith("compare") else (order.replace("_", ""),), name)

    def test_mutants(self):
        for name in run.names():
            mutants = run.mutants(name)
            self.assertTrue(mutants, "%s has no mutant" % name)
            for mutant, (file, regex, replacement) in mutants.items():
                matches = list(re.finditer(regex, read("cbits", file)))
                self.assertEqual(1, len(matches), "%s %s" % (name, mutant))
                self.assertNotEqual(matches[0].group(), matches[0].expand(replacement))


if __name__ == "__main__":
    unittest.main()
