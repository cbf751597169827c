#!/usr/bin/env python3
"""test/docs/commands.py finds each kind of mistake in the pages' indented lines; it runs no command then."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "test", "docs", "commands.py")


class Commands(unittest.TestCase):
    def wrong(self, page, old, new, expected):
        with tempfile.TemporaryDirectory() as folder:
            docs = os.path.join(folder, "docs")
            shutil.copytree(os.path.join(ROOT, "docs"), docs)
            for name in ("README.md", "CONTRIBUTING.md"):
                shutil.copy(os.path.join(ROOT, name), folder)
            path = os.path.join(docs, page)
            with open(path, encoding="utf-8") as f:
                text = f.read()
            self.assertIn(old, text)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text.replace(old, new, 1))
            done = subprocess.run([sys.executable, TOOL, docs], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(expected, done.stdout)

    def test_no_target(self):
        self.wrong("internals/testing.md", "    make check-suite ", "    make check-suit ",
                   "make has no target check-suit")

    def test_no_target_in_a_fence(self):
        self.wrong("results/benchmarks.md", "\nmake bench-quick ", "\nmake bench-quik ",
                   "make has no target bench-quik")

    def test_no_file(self):
        self.wrong("reference/ghc-versions.md", "    tools/chroot.sh enter", "    tools/chroots.sh enter",
                   "there is no file tools/chroots.sh")

    def test_no_option(self):
        # Options are looked for in all of test/, this file among it.
        wrong = "--wait-" + "polcy"
        self.wrong("internals/testing.md", "--threads 1,8 --wait-policy", "--threads 1,8 " + wrong,
                   "test/run.py has no option " + wrong)
        self.wrong("../CONTRIBUTING.md", "tools/release.sh --dry-run", "tools/release.sh --dry-runs",
                   "tools/release.sh has no option --dry-runs")

    def test_no_command(self):
        self.wrong("../README.md", "    make demo ", "    mke demo ", "neither a command nor named in OTHER: mke demo")

    def test_nobody_runs_it(self):
        self.wrong("reference/commands.md", "program.eventlog --summary", "program.eventlog --sumary",
                   "a command that nobody runs")

    def test_not_shown(self):
        self.wrong("guide/clang.md", "LD_LIBRARY_PATH=build/dropin ./program", "./program",
                   "does not show this command")
        self.wrong("reference/haskell.md", "ghci> import OpenMP", "ghci> import GHC",
                   "does not show what OTHER names")


if __name__ == "__main__":
    unittest.main()
