#!/usr/bin/env python3
"""test/examples/docs.py finds each kind of mistake in the guide and the pages, and none in what is committed."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "test", "examples", "docs.py")


class Docs(unittest.TestCase):
    def setUp(self):
        # The pages link to sources beside docs/.
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        for entry in os.listdir(ROOT):
            if entry != "docs":
                os.symlink(os.path.join(ROOT, entry), os.path.join(self.folder, entry))
        self.docs = os.path.join(self.folder, "docs")
        shutil.copytree(os.path.join(ROOT, "docs"), self.docs)

    def check(self):
        done = subprocess.run([sys.executable, TOOL, self.docs], stdout=subprocess.PIPE, universal_newlines=True)
        return done.returncode, done.stdout

    def change(self, page, old, new):
        path = os.path.join(self.docs, page)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        self.assertIn(old, text)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace(old, new, 1))

    def wrong(self, *expected):
        code, out = self.check()
        self.assertEqual(code, 1, out)
        for text in expected:
            self.assertIn(text, out)

    def test_committed(self):
        code, out = self.check()
        self.assertEqual(code, 0, out)

    def test_changed_code(self):
        self.change("guide/examples/calling.md", "sum += x[i] * y[i];", "sum += x[i] + y[i];")
        self.wrong("docs/guide/examples/calling.md:", "not in examples/haskell/calling.c")

    def test_other_order(self):
        self.change("guide/walkthrough.md", "common program\n  default",
                    "executable first\n...\ncommon program\n  default")
        self.wrong("docs/guide/walkthrough.md:", "(in this order): common program")

    def test_changed_indentation(self):
        self.change("guide/examples/calling.md", "    return sum;", "   return sum;")
        self.wrong("docs/guide/examples/calling.md:")

    def test_changed_output(self):
        self.change("guide/examples/calling.md", "a team of 2: [0,1]\n", "")
        self.wrong("this is not what examples/haskell/calling.out has")

    def test_no_source(self):
        self.change("guide/walkthrough.md", "<!-- from: examples/guide/dot.c -->\n", "")
        self.wrong("no line `<!-- from: FILE -->` stands before this block")

    def test_no_such_source(self):
        self.change("guide/walkthrough.md", "<!-- from: examples/guide/dot.c -->",
                    "<!-- from: examples/guide/dots.c -->")
        self.wrong("there is no file examples/guide/dots.c")

    def test_no_end(self):
        self.change("guide/examples/calling.md", "a team of 5: [0,1,2,3,4]\n```\n", "a team of 5: [0,1,2,3,4]\n")
        self.wrong("this is not what examples/haskell/calling.out has")

    def test_changed_command(self):
        self.change("guide/start.md", "ghcomp run --threads 4", "ghcomp run --threads 5")
        self.wrong("docs/guide/start.md:", "not in examples/guides/start.sh")

    def test_script_without_page(self):
        self.change("guide/c.md", "from: examples/guides/guide-cmake.sh", "from: examples/guides/start.sh")
        self.wrong("examples/guides/guide-cmake.sh: no page shows it")

    def test_no_page(self):
        os.unlink(os.path.join(self.docs, "guide", "examples", "mixed.md"))
        self.wrong("there is no docs/guide/examples/mixed.md", "a link to mixed.md, which does not exist")

    def test_not_in_the_index(self):
        self.change("guide/examples/README.md", "](mixed.md)", "](calling.md)")
        self.wrong("no link to mixed.md")


if __name__ == "__main__":
    unittest.main()
