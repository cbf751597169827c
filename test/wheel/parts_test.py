#!/usr/bin/env python3
"""The Python package's reader of ELF files against damaged ones, what it takes for a script's interpreter, the table of
texts that it shares with the launcher, and the choice of glibc's versions for the wheel."""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, "packaging", "wheel"), os.path.join(ROOT, "tools")]
import glibc  # noqa: E402
import texts  # noqa: E402
from ghc_openmp import doctor  # noqa: E402
from ghc_openmp.elf import Elf, ElfError, Symbol  # noqa: E402

SOURCE = "#include <stdio.h>\nextern int there(void);\nint here(void) { puts(\"x\"); return there(); }\n"


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "library.so")
        subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", cls.path, "-Wl,-soname,its-name"],
                       input=SOURCE, text=True, check=True)
        with open(cls.path, "rb") as f:
            cls.data = f.read()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_reads(self):
        elf = Elf(self.path)
        symbols = {s.name: s for s in elf.symbols}
        self.assertEqual((elf.soname, elf.needed, elf.interpreter), ("its-name", ["libc.so.6"], None))
        self.assertTrue(symbols["here"].defined and not symbols["there"].defined)
        self.assertEqual((symbols["puts"].library, symbols["there"].version), ("libc.so.6", None))
        self.assertTrue(symbols["puts"].version.startswith("GLIBC_"))

    def read(self, data):
        path = os.path.join(self.folder.name, "damaged")
        with open(path, "wb") as f:
            f.write(data)
        try:
            Elf(path)
        except ElfError as e:
            self.assertEqual(len(str(e).splitlines()), 1)
            return False
        return True

    def test_damaged(self):
        """Cut off anywhere, and with random bytes: read, or refused in one line."""
        refused = sum(not self.read(self.data[:n]) for n in range(0, len(self.data), 97))
        self.assertGreater(refused, 1)
        numbers = random.Random(46)
        for _ in range(300):
            data = bytearray(self.data)
            for _ in range(numbers.randrange(1, 20)):
                place = numbers.randrange(numbers.choice((64, 1024, len(data))))
                data[place] = numbers.choice((0, 255, numbers.randrange(256)))
            self.read(bytes(data))

    def test_no_elf(self):
        for data in (b"", b"\x7fELF", b"#!/bin/sh\n"):
            self.assertFalse(self.read(data))
        self.assertRaises(ElfError, Elf, self.folder.name)


class Scripts(unittest.TestCase):
    def test_interpreters(self):
        shell, env = shutil.which("sh"), "/usr/bin/env"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "script")
            for line, expected in (
                    ("/bin/sh -e", "/bin/sh"), (" \t/bin/sh\t-e ", "/bin/sh"), (env, env), (env + " sh", shell),
                    (env + " -S A=x sh -e", shell), (env + " -S -u A sh", shell),
                    (env + " -S -C / --unset A sh", shell),
                    (env + " -S A='x y' sh", env), (env + " -S no-such-command", env),
                    (env + " no-such-command",
                     "the interpreter of its #! line, no-such-command: no such command in PATH"),
                    ("/bin/sh\r", "the interpreter of its #! line, /bin/sh\r: no such file")):
                with open(path, "w", encoding="utf-8", newline="") as f:
                    f.write("#!" + line + "\n")
                try:
                    found = doctor._interpreter(path)
                except doctor.Stops as e:
                    found = str(e).rsplit(": ", 1)[0]
                self.assertEqual(found, expected, line)

    def test_unread(self):
        """What may be executed alone is started without a verdict."""
        def refuses(path, *_):
            raise PermissionError(13, "Permission denied", path)

        with unittest.mock.patch.object(doctor, "open", refuses, create=True):
            self.assertRaisesRegex(doctor.Unread, "cannot be read: Permission denied", doctor.diagnose, "/bin/sh")


class Versions(unittest.TestCase):
    def test_newest_that_fits(self):
        class Fake:
            def __init__(self, *symbols):
                self.symbols = symbols

        def symbol(name, version, defined, library=None):
            return Symbol(name, defined, False, False, version, library, True)

        system = {"libc.so.6": Fake(*[symbol("dlsym", v, True) for v in ("GLIBC_2.2.5", "GLIBC_2.34")],
                                    *[symbol("f", v, True) for v in ("GLIBC_2.3.4", "GLIBC_2.12", "GLIBC_PRIVATE")],
                                    symbol("stat", "GLIBC_2.33", True))}
        library = Fake(symbol("dlsym", "GLIBC_2.34", False, "libc.so.6"), symbol("f", "GLIBC_2.12", False, "libc.so.6"),
                       symbol("stat", "GLIBC_2.33", False, "libc.so.6"), symbol("mine", None, True))
        self.assertEqual(list(glibc.chosen(library, system, (2, 28))),
                         [("dlsym", (2, 2, 5), "libc.so.6", False), ("f", (2, 12), "libc.so.6", False)])
        self.assertEqual(glibc.number("GLIBC_2.3.4"), (2, 3, 4))
        self.assertIsNone(glibc.number("GLIBC_PRIVATE"))


class Texts(unittest.TestCase):
    def test_generated(self):
        subprocess.run([sys.executable, "-B", os.path.join(ROOT, "tools", "texts.py"), "check"], check=True)

    def test_table(self):
        table = texts.rows("# head\nsomeText\tneeds {names}, \"100 %\" of {x}\nplain\t5 % off\n")
        space = {}
        exec(texts.python(table), space)
        self.assertEqual(space["some_text"]("a", "b"), 'needs a, "100 %" of b')
        self.assertEqual(space["plain"](), "5 % off")
        self.assertIn("someText :: String -> String -> String\nsomeText names x =\n    \"needs \"\n    ++ names\n",
                      texts.haskell(table))
        for wrong in ("no tab", "Upper\tx", "twice\tx\ntwice\ty", "empty\t "):
            self.assertRaises(ValueError, texts.rows, wrong)


if __name__ == "__main__":
    unittest.main()
