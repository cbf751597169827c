#!/usr/bin/env python3
"""The explorer's atomic operations are those of cbits/base/atomic.h, name by name; its seeded defects fit the sources;
it refuses an old build; and its engine keeps its state where no schedule sets it back.

What the explorer itself can do is tested by its mutants (test/explore/run.py).
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "explore"))

import run  # noqa: E402

BUILD = os.environ.get("BUILD", "build")


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
            comment = read("test", "explore", name + ".c").split("*/")[0]
            self.assertEqual(len(mutants), comment.count("mutant: "), "%s: each mutant is a line of its own" % name)
            for mutant, (file, regex, replacement) in mutants.items():
                matches = list(re.finditer(regex, read("cbits", file)))
                self.assertEqual(1, len(matches), "%s %s" % (name, mutant))
                self.assertNotEqual(matches[0].group(), matches[0].expand(replacement))

    def test_absent(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run.NEEDED, run.unbuilt(folder))


class Build(unittest.TestCase):
    def setUp(self):
        why = run.unbuilt(BUILD)
        if why:
            self.skipTest(why)

    def test_old(self):
        """As if one file were newer than all others."""
        for file in ("cbits/core/team/team.c", "cbits/core/team/team.h", "cbits/host/default_host.c.in",
                     "test/explore/engine/search.c", "test/explore/engine/state.h", "test/explore/shadow/thread.h"):
            self.assertTrue(os.path.exists(os.path.join(ROOT, file)), file)
            self.assertEqual(run.NEEDED, run.unbuilt(BUILD, "-W", file), file)
        for file in ("cbits/host/host_ghc.c", "test/explore/lock.c"):
            self.assertTrue(os.path.exists(os.path.join(ROOT, file)), file)
            self.assertIsNone(run.unbuilt(BUILD, "-W", file), file)

    def test_state(self):
        """Variables of the engine: constants, pointers to mapped memory, and os.c's mask, which is the runtime's."""
        engine = os.path.join(ROOT, BUILD, "explore", "engine.o")
        done = subprocess.run(["nm", engine], stdout=subprocess.PIPE, text=True, check=True)
        variables = set(re.findall(r" [bBcCdDgGsS] (\S+)$", done.stdout, re.MULTILINE))
        self.assertEqual({"X", "H", "mask", "op_names"}, variables)


if __name__ == "__main__":
    unittest.main()
