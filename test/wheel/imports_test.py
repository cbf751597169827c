#!/usr/bin/env python3
# limit: 200
"""`doctor python SCRIPT`, by the launcher where it is built and by the Python package: both say the same of each
import.

The modules here load libraries of ours: one by gcc that asks for libgomp, one that asks for a copy of it under another
name, one with a libgomp of its own linked into it, one that says that it is an OpenBLAS with threads of its own. The
program itself is not run; an import that fails, ends the process or prints does not end the list. Bad arguments are one
line and status 2.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "packaging", "wheel"))
sys.path.insert(0, os.path.join(ROOT, "test"))
from ghc_openmp import imports  # noqa: E402
from sample import of_environment  # noqa: E402

BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
DROPIN = os.path.join(BUILD, "dropin")
LAUNCHER = os.path.join(BUILD, "bin", "ghcomp")
HASHED = "libgomp-a34b3233.so.1.0.0"
PART = os.path.join(ROOT, "test", "wheel", "part.c")
SCRIPT = """import json, by_gcc
import hashed as other
from package import inner, value
import own_threads
import absent
import leaves
def later():
    import by_gcc, static_part
open("ran", "w")
"""
MODULE = "import ctypes, os\nctypes.CDLL(os.path.join(os.path.dirname(__file__), %r), os.RTLD_NOW%s)\n"
work = ""


def gcc(*words):
    subprocess.run(["gcc", "-O1", *words], cwd=work, check=True)


def put(name, text):
    path = os.path.join(work, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def make():
    gcc("-fopenmp", "-shared", "-fPIC", PART, "-o", "part.so")
    gcc("-shared", "-fPIC", "-x", "c", os.devnull, "-o", HASHED, "-Wl,-soname," + HASHED)
    gcc("-fopenmp", "-fPIC", "-c", PART, "-o", "part.o")
    gcc("-shared", "part.o", "-Wl,--no-as-needed", HASHED, "-o", "renamed.so", "-Wl,-rpath,$ORIGIN",
        "-Wl,--allow-shlib-undefined")
    system = subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], stdout=subprocess.PIPE, text=True).stdout.strip()
    shutil.copy(system, os.path.join(work, HASHED))
    put("blas.c", "int openblas_get_parallel(void) { return 1; }\n")
    gcc("-shared", "-fPIC", "blas.c", "-o", "libfakeopenblas.so")
    put("own.c", "void GOMP_parallel(void (*f)(void *), void *d, unsigned n, unsigned g) { (void)n, (void)g; f(d); }\n"
                 "int omp_get_num_threads(void) { return 1; }\n"
                 "int members(void) { GOMP_parallel((void (*)(void *))members, 0, 1, 0);"
                 " return omp_get_num_threads(); }\n")
    gcc("-w", "-shared", "-fPIC", "own.c", "-o", "ownpart.so", "-Wl,-z,now")
    for name, library in (("by_gcc", "part.so"), ("hashed", "renamed.so"), ("own_threads", "libfakeopenblas.so"),
                          ("static_part", "ownpart.so")):
        put(name + ".py", MODULE % (library, " | os.RTLD_DEEPBIND" if name == "static_part" else ""))
    put("package/__init__.py", "print('said by a module')\nvalue = 1\n")
    put("package/inner.py", "import by_gcc\n")
    put("package/__main__.py", "import by_gcc\nopen('ran', 'w')\n")
    put("leaves.py", "import sys\nsys.exit('gone')\n")
    put("script.py", SCRIPT)


def run(command, *words):
    """Status and lines of stdout, without the folder of the test."""
    env = {k: v for k, v in os.environ.items() if not re.match("OMP_|GHCOMP_|LD_|PYTHON", k)}
    env.update(GHCOMP_HOME=DROPIN, PYTHONPATH=os.path.join(ROOT, "packaging", "wheel"), PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run([*command, "doctor", *words], cwd=work, env=env, stdin=subprocess.DEVNULL, timeout=100,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout.replace(os.path.realpath(work) + "/", "").splitlines(), done.stderr


def sampled(some, words):
    """Of the commands, one in a sampled run (test/sample.py)."""
    chosen = of_environment()
    return [command for number, command in enumerate(some) if chosen.has(" ".join(words), number, len(some))]


def commands():
    found = [[sys.executable, "-m", "ghc_openmp.command"]]
    return found + ([[LAUNCHER]] if os.path.exists(LAUNCHER) else [])


class Doctor(unittest.TestCase):
    def asked(self, *words):
        """What all of them say."""
        found = [run(command, *words) for command in commands()]
        for other in found[1:]:
            self.assertEqual(other[:2], found[0][:2])
        self.assertFalse(os.path.exists(os.path.join(work, "ran")))
        return found[0]

    def test_script(self):
        status, lines, err = self.asked(sys.executable, "script.py", "an argument")
        last = [line for line in lines if not line.startswith("import ")]
        said = [line for line in lines if line.startswith("import ")]
        self.assertEqual(said, [
            "import json: nothing of OpenMP",
            "import by_gcc: part.so: ghc-openmp",
            "import hashed: renamed.so: ghc-openmp",
            "import package: nothing of OpenMP",
            "import own_threads: libfakeopenblas.so: threads of its own, outside OpenMP",
            "import absent: warning: it fails: ModuleNotFoundError: No module named 'absent'",
            "import leaves: warning: it fails: SystemExit: gone",
            "import by_gcc: nothing of OpenMP",
            "import static_part: ownpart.so: a runtime linked into it serves it"])
        self.assertEqual(last, [HASHED + ": libgomp, loaded and idle: no library calls it",
                                "script.py: libraries that ghc-openmp does not serve: 1"])
        self.assertEqual(status, 1)
        self.assertIn("said by a module", err)

    def test_served(self):
        self.assertEqual(self.asked(sys.executable, "-c", "import by_gcc")[:2], (
            0, ["import by_gcc: part.so: ghc-openmp",
                "-c: runs on ghc-openmp (%s)" % os.path.realpath(os.path.join(DROPIN, "libgomp.so.1"))]))
        status, lines, _ = self.asked(sys.executable, "-m", "package")
        self.assertEqual((status, lines[:2]), (0, ["import package: nothing of OpenMP",
                                                   "import by_gcc: part.so: ghc-openmp"]))

    def test_relative(self):
        """What most packages have as __main__: an import from themselves."""
        put("relative/__init__.py", "")
        put("relative/__main__.py", "from .part import value\nfrom . import more\n")
        put("relative/part.py", "import by_gcc\nvalue = 1\n")
        put("relative/more.py", "import own_threads\n")
        self.assertEqual(self.asked(sys.executable, "-m", "relative")[1][:-1], [
            "import relative: nothing of OpenMP", "import relative.part: part.so: ghc-openmp",
            "import relative: libfakeopenblas.so: threads of its own, outside OpenMP"])

    def test_first_folder(self):
        """The package's own modules do not hide the program's: one of them has the name of this one."""
        put("folder/runtime.py", "import by_gcc\n")
        put("folder/start.py", "import sys\nsys.path.append('..')\nimport runtime\n")
        put("info.py", "import by_gcc\n")
        self.assertEqual(self.asked(sys.executable, "-c", "import info")[1][0], "import info: part.so: ghc-openmp")
        status, lines, _ = self.asked(sys.executable, os.path.join("folder", "start.py"))
        self.assertEqual(lines[1], "import runtime: warning: it fails: ModuleNotFoundError: No module named 'by_gcc'")

    def test_nothing(self):
        self.assertEqual(self.asked(sys.executable, "-c", "import json")[:2], (
            0, ["import json: nothing of OpenMP", "-c: no import of it brings a library that calls OpenMP"]))

    def test_wrong(self):
        put("broken.py", "import (\n")
        put("raises/__init__.py", "raise RuntimeError('on purpose')\n")
        for words, why in ((("nothing.py",), "nothing.py: No such file"), (("broken.py",), "broken.py: "),
                           (("-m", "nothing"), "-m nothing: there is no such module"),
                           (("-m", "raises"), "-m raises: RuntimeError: on purpose"),
                           (("-m", "leaves.x"), "-m leaves.x: SystemExit: gone"), (("-x",), "no script"),
                           (("-m",), "no script"), ((".",), "Is a directory")):
            for command in sampled(commands(), words):
                status, lines, err = run(command, sys.executable, *words)
                self.assertEqual((status, lines, len(err.splitlines())), (2, [], 1), (words, err))
                self.assertIn(why, err)
        for name, why in (("ls", "arguments of python alone"), ("./python3", "no such file")):
            for command in sampled(commands(), [name]):
                status, _, err = run(command, name, "x")
                self.assertEqual((status, len(err.splitlines())), (2, 1), err)
                self.assertIn(why, err)

    def test_modules(self):
        text = "from . import a\nimport b.c as d\nfrom e import *\nfrom f import g, h\n"
        self.assertEqual(imports.modules(text, "x"), [("b.c", []), ("e", []), ("f", ["g", "h"])])
        self.assertEqual(imports.modules("from . import a\nfrom ..b import c\n", "x", "p.q"),
                         [("p.q", []), ("p.q", ["a"]), ("p.b", ["c"])])


if __name__ == "__main__":
    if not os.path.exists(os.path.join(DROPIN, "ghc_openmp", "doctor_python.py")):
        sys.exit("%s/ghc_openmp is not there: run `make dropin`" % DROPIN)
    with tempfile.TemporaryDirectory() as work:
        make()
        unittest.main()
