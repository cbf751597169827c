#!/usr/bin/env python3
# Tests of test/emulate.py: how a command is emulated, and the table of tests that cannot be. No emulator is needed.
# limit: 60
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import emulate  # noqa: E402
import harness  # noqa: E402


class Emulate(unittest.TestCase):
    def table(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
            f.write(text)
            f.flush()
            return emulate.read_table(f.name)

    def emulator(self, text):
        """An emulator of a machine that has the commands it needs."""
        made = emulate.Emulator.__new__(emulate.Emulator)
        made.qemu, made.root, made.prefix = "qemu-x", "/root-of-x", "x-linux-gnu-"
        made.table = self.table(text)
        return made

    def test_native_is_as_it_was(self):
        native = emulate.chosen(None)
        self.assertEqual((["true"], {"A": "b"}), native.command(["true"], {"A": "b"}))
        self.assertEqual("gcc", native.compiler("gcc"))
        self.assertEqual(1, native.slower)
        self.assertIsNone(native.cannot_run("unit/task [asan]"))
        self.assertEqual([], native.check({"unit/task [asan]"}))

    def test_loaders_variables_are_for_the_program_alone(self):
        argv, env = self.emulator("").command(
            ["program", "-x"], {"OMP_NUM_THREADS": "2", "LD_LIBRARY_PATH": "/a:/b", "LD_PRELOAD": "c.so"}
        )
        self.assertEqual(
            {"OMP_NUM_THREADS": "2", "QEMU_LD_PREFIX": "/root-of-x", "UNIT_EMULATOR": "qemu-x"}, env
        )
        self.assertEqual("qemu-x", argv[0])
        self.assertEqual(["program", "-x"], argv[-2:])
        given = {argv[i + 1] for i, word in enumerate(argv) if word == "-E"}
        self.assertEqual({"LD_LIBRARY_PATH=/a:/b", "LD_PRELOAD=c.so"}, given)

    def test_table(self):
        made = self.emulator("# comment\n\nunit/lend  it forks\nconformance/a/b.c  why not\n")
        self.assertEqual("it forks", made.cannot_run("unit/lend [plain]"))
        self.assertEqual("why not", made.cannot_run("conformance/a/b.c [posix]"))
        self.assertIsNone(made.cannot_run("conformance/a/b.cc [posix]"))
        part = self.emulator("unit/team  without fork: it ends there\n")
        self.assertIsNone(part.cannot_run("unit/team [plain]"))
        self.assertEqual(("fork", "without fork: it ends there"), part.without("unit/team"))
        self.assertEqual((None, None), part.without("unit/lend"))
        self.assertEqual(["conformance/a/b.c"], made.check({"unit/lend [plain]", "unit/task [plain]"}))

    def test_wrong_tables_are_refused(self):
        for text, message in (("unit/lend\n", "the reason"), ("a  b\na  c\n", "listed twice")):
            with self.assertRaises(SystemExit) as raised:
                self.table(text)
            self.assertIn(message, str(raised.exception))

    def test_unknown_machine(self):
        with self.assertRaises(SystemExit) as raised:
            emulate.chosen("vax")
        self.assertIn("`vax` is none of", str(raised.exception))

    def test_committed_tables(self):
        """Every line names a file that is there."""
        for name in emulate.names():
            for test in emulate.read_table(os.path.join(emulate.FOLDER, name + ".txt")):
                path = os.path.join(harness.ROOT, "test", test)
                self.assertTrue(os.path.exists(path) or os.path.exists(path + ".c"), test)


if __name__ == "__main__":
    unittest.main()
