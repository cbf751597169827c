#!/usr/bin/env python3
"""test/examples/docs.py finds each kind of mistake in the guide and the pages, and none in what is committed."""

import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "test", "examples", "docs.py")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(TOOL))
import docs  # noqa: E402


class Docs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The pages link to sources beside docs/.
        folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, folder)
        for entry in os.listdir(ROOT):
            if entry != "docs":
                os.symlink(os.path.join(ROOT, entry), os.path.join(folder, entry))
        cls.docs = os.path.join(folder, "docs")
        shutil.copytree(os.path.join(ROOT, "docs"), cls.docs)

    def check(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            return docs.main(self.docs), out.getvalue()

    def page(self, name):
        """The page's text, which is there again after the case."""
        path = os.path.join(self.docs, name)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        self.addCleanup(self.put, path, text)
        return path, text

    @staticmethod
    def put(path, text):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    def change(self, name, old, new):
        path, text = self.page(name)
        self.assertIn(old, text)
        self.put(path, text.replace(old, new, 1))

    def wrong(self, *expected):
        code, out = self.check()
        self.assertEqual(code, 1, out)
        for text in expected:
            self.assertIn(text, out)

    def test_committed(self):
        code, out = self.check()
        self.assertEqual(code, 0, out)

    def test_the_exit_status_of_a_process(self):
        self.change("guide/examples/README.md", "](mixed.md)", "](calling.md)")
        done = subprocess.run([sys.executable, TOOL, self.docs], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1, done.stdout)

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
        os.unlink(self.page("guide/examples/mixed.md")[0])
        self.wrong("there is no docs/guide/examples/mixed.md", "a link to mixed.md, which does not exist")

    def test_not_in_the_index(self):
        self.change("guide/examples/README.md", "](mixed.md)", "](calling.md)")
        self.wrong("no link to mixed.md")


if __name__ == "__main__":
    unittest.main()
