#!/usr/bin/env python3
"""Every committed file is text, and none is larger than a result of the benchmarks can be: no download, no build output
and no archive is in the tree. Pictures in a binary format are among the exceptions below.
"""

import os
import re
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST = 512 * 1024
PICTURES = re.compile(r"\.(png|ico)$")


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

    def test_finds(self):
        self.assertEqual(len(wrong("x.whl", b"PK\3\4\0\0")), 1)
        self.assertEqual(len(wrong("x.json", b"1" * (MOST + 1))), 1)
        self.assertEqual(wrong("x.c", b"int x;\n") + wrong("docs/x.png", b"\x89PNG\r\n\0"), [])


if __name__ == "__main__":
    unittest.main()
