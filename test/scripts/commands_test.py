#!/usr/bin/env python3
"""test/docs/commands.py finds each kind of mistake in the pages' indented lines; it runs no command then."""

import contextlib
import functools
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "test", "docs", "commands.py")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(TOOL))
import commands  # noqa: E402


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.docs = os.path.join(folder, "docs")
        shutil.copytree(os.path.join(ROOT, "docs"), cls.docs, ignore=lambda at, names: [
            name for name in names if not name.endswith(".md") and not os.path.isdir(os.path.join(at, name))])
        for name in ("README.md", "CONTRIBUTING.md"):
            shutil.copy(os.path.join(ROOT, name), folder)
        # The tree that the pages are about, and most pages, are the same in all cases.
        static, blocks = commands.Static(), functools.lru_cache(maxsize=None)(commands.blocks)
        static.has_option = functools.lru_cache(maxsize=None)(static.has_option)
        for name, value in (("Static", lambda: static), ("blocks", blocks)):
            changed = unittest.mock.patch.object(commands, name, value)
            changed.start()
            cls.addClassCleanup(changed.stop)

    def in_here(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            return commands.main(self.docs), out.getvalue()

    def in_a_process(self):
        done = subprocess.run([sys.executable, TOOL, self.docs], stdout=subprocess.PIPE, text=True)
        return done.returncode, done.stdout

    def wrong(self, page, old, new, expected, run=in_here):
        path = os.path.join(self.docs, page)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        self.assertIn(old, text)
        try:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text.replace(old, new, 1))
            code, said = run(self)
        finally:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        self.assertEqual(code, 1, said)
        self.assertIn(expected, said)

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
        self.wrong("../README.md", "    make demo ", "    mke demo ", "neither a command nor named in OTHER: mke demo",
                   run=Commands.in_a_process)

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
