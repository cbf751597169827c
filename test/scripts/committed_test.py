#!/usr/bin/env python3
"""Every committed file is text, and none is larger than a result of the benchmarks can be: no download, no build output
and no archive is in the tree. Pictures in a binary format are among the exceptions below. And every result of the
benchmarks is of a committed tree.
"""

import json
import os
import re
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST = 512 * 1024
PICTURES = re.compile(r"\.(png|ico)$")
# Results of trees with changes that were not committed. They are to be measured anew; then their line goes.
TO_MEASURE_ANEW = {}


def not_committed(path, text, listed):
    """What is wrong with the tree that a result names: a list of strings."""
    tree = json.loads(text).get("machine", {}).get("ghc_openmp") or ""
    committed = re.fullmatch(r"(v?[0-9.]+-[0-9]+-g)?[0-9a-f]{7,40}|v?[0-9]+(\.[0-9]+)*", tree) is not None
    if committed and path in listed:
        return ["%s: is of the committed tree %s: take it out of TO_MEASURE_ANEW" % (path, tree)]
    if not committed and path not in listed:
        return ["%s: '%s' is no committed tree: commit, and measure anew" % (path, tree)]
    return []


def wrong(path, data):
    """What is wrong with a committed file of that content: a list of strings, empty where nothing is."""
    found = []
    if len(data) > MOST:
        found.append("%s: %d bytes; at most %d" % (path, len(data), MOST))
    if b"\0" in data[:8192] and not PICTURES.search(path):
        found.append("%s: not text" % path)
    return found


class Committed(unittest.TestCase):
    def test_committed(self):
        out = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE).stdout
        if not out:
            self.skipTest("not in a git checkout")
        found = []
        for path in out.decode().split("\0"):
            if path and os.path.isfile(os.path.join(ROOT, path)):
                with open(os.path.join(ROOT, path), "rb") as f:
                    found += wrong(path, f.read())
        self.assertEqual(found, [], "take them out of the commit")

    def test_results_are_of_committed_trees(self):
        folder = os.path.join(ROOT, "bench", "results")
        names = subprocess.run(["git", "ls-files", "bench/results"], cwd=ROOT, stdout=subprocess.PIPE,
                               universal_newlines=True).stdout.split()
        if not names:  # not in a git checkout
            names = ["bench/results/" + name for name in os.listdir(folder)]
        found = ["%s: listed in TO_MEASURE_ANEW, but not there" % name for name in TO_MEASURE_ANEW if name not in names]
        for name in sorted(names):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                found += not_committed(name, file.read(), TO_MEASURE_ANEW)
        self.assertEqual(found, [])

    def test_finds_results_of_other_trees(self):
        def found(tree, listed=()):
            return len(not_committed("a.json", json.dumps({"machine": {"ghc_openmp": tree}}), listed))

        for tree in ("1ebafb4a", "67ee6ad", "v0.1-12-g67ee6ad", "0.1.0"):
            self.assertEqual(found(tree), 0, tree)
            self.assertEqual(found(tree, ["a.json"]), 1, tree)
        for tree in ("1ebafb4a-dirty", "v0.1-12-g67ee6ad-dirty", "0.1.0-dirty", "", None, "unknown"):
            self.assertEqual(found(tree), 1, tree)
            self.assertEqual(found(tree, ["a.json"]), 0, tree)
        self.assertEqual(len(not_committed("a.json", "{}", ())), 1)

    def test_finds(self):
        self.assertEqual(len(wrong("x.whl", b"PK\3\4\0\0")), 1)
        self.assertEqual(len(wrong("x.json", b"1" * (MOST + 1))), 1)
        self.assertEqual(wrong("x.c", b"int x;\n") + wrong("docs/x.png", b"\x89PNG\r\n\0"), [])


if __name__ == "__main__":
    unittest.main()
