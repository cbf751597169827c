#!/usr/bin/env python3
# limit: 400
"""The wheel: `make wheel` builds it twice with the same bytes, pip installs it into a virtual environment without an
index, and programs run on it.

Libraries by gcc and, where it is there, by clang run under `python -m ghc_openmp` and call on in a forked process; the
report says that the package's runtime serves them, also in place of a libgomp that a library brings under another
name, and that this copy is idle. The runner keeps the arguments, options and exit status; bad input is one line and
status 2. `ghc-openmp run`, `info` and `doctor`; Jupyter's kernel with a stand-in for ipykernel. A skip where there is
no venv with pip.
"""

import glob
import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "test", "wheel")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "packaging", "wheel"))
import glibc  # noqa: E402
from ghc_openmp.elf import Elf  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
LIMIT = 100  # seconds for a program
MAIN = """#include <dlfcn.h>
#include <stdio.h>
int members(void);
int main(int n, char **words)
{
    printf("%d %s %d\\n", members(), words[n - 1], dlsym(RTLD_DEFAULT, "ghcomp_version") != 0);
    return 3;
}
"""
HASHED = "libgomp-a34b3233.so.1.0.0"
CLANG = shutil.which("clang-19")
work, python, command = "", "", ""


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def run(words, check=True, **variables):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("OMP_", "GHCOMP_", "LD_", "PYTHON", "MAKE", "MFLAGS"))}
    env.update({k: v for k, v in variables.items() if v is not None})
    done = subprocess.run(words, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=LIMIT)
    if check and done.returncode:
        raise AssertionError("%s: status %d\n%s%s" % (" ".join(words), done.returncode, done.stdout, done.stderr))
    return done


def can_install_elsewhere():
    """Whether this interpreter has a pip with --python, which came with version 22.3."""
    try:
        return tuple(map(int, re.findall(r"\d+", importlib.metadata.version("pip"))[:2])) >= (22, 3)
    except importlib.metadata.PackageNotFoundError:
        return False


def prepare():
    """Builds, installs and compiles."""
    global python, command
    if platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc":
        skip("the wheel is for x86-64 with glibc")
    done = subprocess.run(["make", "-s", "wheel", "BUILD=" + BUILD, "WHEEL=" + os.path.join(work, "one")], cwd=ROOT)
    if done.returncode:
        sys.exit("make wheel fails")
    python, command = (os.path.join(work, "venv", "bin", name) for name in ("python", "ghc-openmp"))
    # The interpreter's own pip installs into the environment, where it can: to put one there takes seconds.
    pip, without = ([sys.executable, "-m", "pip", "--python", python], ["--without-pip"]) if can_install_elsewhere() \
        else ([python, "-m", "pip"], [])
    if subprocess.run([sys.executable, "-m", "venv", *without, os.path.join(work, "venv")], stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL).returncode:
        skip("needs python3-venv")
    run([*pip, "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", wheel()])
    for name in ("part.c", "use.py"):
        shutil.copy(os.path.join(HERE, name), work)
    run(["gcc", "-O2", "-fopenmp", "-fPIC", "-shared", "part.c", "-o", "gcc.so"])
    if CLANG:
        run([CLANG, "-O2", "-fopenmp", "-fPIC", "-shared", "part.c", "-o", "clang.so"])
    bundle("part.c", work)
    os.rename(os.path.join(work, "part.so"), os.path.join(work, "bundled.so"))


def wheel(folder="one"):
    found = glob.glob(os.path.join(work, folder, "*.whl"))
    assert len(found) == 1, found
    return found[0]


def bundle(source, folder):
    """part.so of that source as wheels have libraries: with a libgomp beside it, under a name with a hash. It is linked
    with a stand-in of that name, in whose place the machine's libgomp is put."""
    copy = os.path.join(folder, "libs", HASHED)
    os.makedirs(os.path.dirname(copy))
    run(["gcc", "-O2", "-fopenmp", "-fPIC", "-c", source, "-o", os.path.join(folder, "part.o")])
    with open(os.path.join(folder, "stub.c"), "w", encoding="utf-8") as f:
        for name in ("parallel", "barrier", "atomic_start", "atomic_end"):
            f.write("void GOMP_%s(void) {}\n" % name)
        f.write("void omp_get_thread_num(void) {}\nvoid omp_get_num_threads(void) {}\n")
    run(["gcc", "-shared", "-fPIC", os.path.join(folder, "stub.c"), "-o", copy, "-Wl,-soname," + HASHED])
    run(["gcc", "-shared", os.path.join(folder, "part.o"), copy, "-o", os.path.join(folder, "part.so"),
         "-Wl,-rpath,$ORIGIN/libs"])
    shutil.copy(run(["gcc", "-print-file-name=libgomp.so.1"]).stdout.strip(), copy)


def used(libraries, runner=(), **variables):
    return json.loads(run([python, *runner, "use.py", *libraries], **variables).stdout)


def serving(report, library):
    """The name of the runtime that serves the library."""
    names = {one["path"]: one["name"] for one in report["runtimes"]}
    return [names[one["runtime"]] for one in report["libraries"] if os.path.basename(one["path"]) == library]


class Archive(unittest.TestCase):
    def test_same_bytes(self):
        """Built again, in another folder."""
        subprocess.run(["make", "-s", "wheel", "BUILD=" + BUILD, "WHEEL=" + os.path.join(work, "two")], cwd=ROOT,
                       check=True, stdout=subprocess.DEVNULL)
        with open(wheel(), "rb") as one, open(wheel("two"), "rb") as two:
            self.assertTrue(one.read() == two.read(), "two builds differ")

    def test_glibc_alone(self):
        library = glob.glob(os.path.join(work, "venv", "lib", "python3*", "site-packages", "ghc_openmp", "lib"))[0]
        names = sorted(os.listdir(library))
        self.assertEqual(names, ["libgomp.so.1", "libiomp5.so", "libomp.so.5"])
        path = os.path.join(library, "libgomp.so.1")
        glibc.check(path, (2, 28))
        self.assertRaises(glibc.LinkError, glibc.check, path, (2, 5))
        native = Elf(os.path.join(ROOT, BUILD, "dropin", "libgomp.so.1"))
        exported = lambda elf: {(s.name, s.version) for s in elf.symbols if s.defined}  # noqa: E731
        self.assertEqual(exported(Elf(path)), exported(native))
        self.assertEqual(Elf(path).soname, "libgomp.so.1")

    def test_kernel(self):
        with open(os.path.join(work, "venv", "share", "jupyter", "kernels", "ghc-openmp", "kernel.json"),
                  encoding="utf-8") as f:
            kernel = json.load(f)
        with open(os.path.join(work, "ipykernel_launcher.py"), "w", encoding="utf-8") as f:
            f.write("import ctypes, sys\nprint(sys.argv[1:], ctypes.CDLL(None).ghcomp_workers_created())\n")
        # Jupyter takes its own interpreter for `python`, and a file for the connection.
        words = [python if w == "python" else w.format(connection_file="file") for w in kernel["argv"]]
        self.assertEqual(run(words).stdout, "['-f', 'file'] 0\n")


class Runner(unittest.TestCase):
    def test_serves(self):
        libraries = ["gcc.so"] + ["clang.so"] * bool(CLANG)
        said = used(libraries, ["-m", "ghc_openmp", "--threads", "2"])
        self.assertEqual((said["sums"], said["members"], said["child"], said["threads"]),
                         ([500500] * len(libraries), [3] * len(libraries), 0, "2"))
        for report in (said["before"], said["after"]):
            self.assertEqual([one["name"] for one in report["runtimes"]], ["ghc-openmp"], report)
            self.assertIsNotNone(report["runtimes"][0]["version"])
            for name in libraries:
                self.assertEqual(serving(report, name), ["ghc-openmp"], report)

    def test_without(self):
        """The report is right where another runtime serves. There a fork after a region need not end."""
        said = used(["gcc.so"], NO_FORK="1")
        self.assertEqual((said["members"], serving(said["before"], "gcc.so"), serving(said["after"], "gcc.so")),
                         ([3], ["libgomp"], ["libgomp"]))

    def test_idle_copy(self):
        said = used(["bundled.so"], ["-m", "ghc_openmp"])
        self.assertEqual((said["members"], said["child"], serving(said["after"], "bundled.so")),
                         ([3], 0, ["ghc-openmp"]))
        state = {os.path.basename(one["path"]): len(one["serves"]) for one in said["after"]["runtimes"]}
        self.assertEqual(state, {"libgomp.so.1": 1, HASHED: 0})
        # Without the runner they are two, and the report tells which is whose.
        said = used(["gcc.so", "bundled.so"], NO_FORK="1")
        paths = {os.path.basename(one["path"]): os.path.basename(one["runtime"]) for one in said["after"]["libraries"]}
        self.assertEqual((paths["bundled.so"], paths["gcc.so"].startswith("libgomp.so.1")), (HASHED, True), paths)

    def test_report_text(self):
        done = run([python, "-m", "ghc_openmp", "--report", "-c",
                    "import ctypes, sys; ctypes.CDLL('./bundled.so'); print(sys.argv)", "a", "b"])
        self.assertEqual(done.stdout, "['-c', 'a', 'b']\n")
        self.assertRegex(done.stderr, r"(?m)^ghc-openmp +/\S+/ghc_openmp/lib/libgomp\.so\.1: serves 1 library$")
        self.assertRegex(done.stderr, r"(?m)^libgomp +\S+%s: idle, no library calls it$" % HASHED)
        self.assertRegex(done.stderr, r"(?m)^  \S+bundled\.so: ghc-openmp$")
        with open(os.path.join(work, "own.py"), "w", encoding="utf-8") as f:
            f.write("import sys\nprint(__name__, sys.argv, sys.path[0])\n")
        said = run([python, "-m", "ghc_openmp", "--report", "own.py", "x"])
        self.assertEqual(said.stdout, run([python, "own.py", "x"]).stdout)
        self.assertEqual(said.stderr, "ghc-openmp  %s: idle, no library calls it\n" % self.library())

    def test_guide(self):
        """docs/guide/python.md: its commands and its report, with the guide's library."""
        examples = os.path.join(ROOT, "examples", "python")
        folder = os.path.join(work, "guide")
        shutil.copytree(examples, folder)
        bundle(os.path.join(examples, "part.c"), folder)
        path = os.path.dirname(python) + os.pathsep + os.environ["PATH"]
        said = run(["sh", "-euc", "cd guide && . ./installed.sh"], PATH=path).stdout
        with open(os.path.join(examples, "installed.out"), encoding="utf-8") as f:
            self.assertEqual(said, f.read())
        said = run(["sh", "-euc", "cd guide && python3 -m ghc_openmp report.py"], PATH=path).stdout
        self.assertRegex(said, r"^ghc-openmp .*serves 1 library\nlibgomp .*%s: idle, no library calls it\n" % HASHED)

    def library(self):
        return run([python, "-c", "import ghc_openmp; print(ghc_openmp.library())"]).stdout.strip()

    def test_outside(self):
        """An OpenBLAS with threads of its own asks for a runtime's state, and is not served."""
        with open(os.path.join(work, "blas.c"), "w", encoding="utf-8") as f:
            f.write("int omp_in_parallel(void) __attribute__((weak));\n"
                    "int openblas_get_parallel(void) { return KIND; }\n"
                    "int inside(void) { return omp_in_parallel ? omp_in_parallel() : 0; }\n")
        for kind, name in ((1, "libopenblas-own.so"), (2, "libopenblas-omp.so")):
            run(["gcc", "-shared", "-fPIC", "-DKIND=%d" % kind, "blas.c", "-o", name])
        code = ("import ctypes, ghc_openmp; kept = [ctypes.CDLL('./libopenblas-%s.so' % k) for k in ('own', 'omp')]; "
                "print(ghc_openmp.report())")
        said = run([python, "-m", "ghc_openmp", "-c", code]).stdout
        self.assertRegex(said, r"(?m)^  \S+-own\.so: threads of its own, outside OpenMP$")
        self.assertRegex(said, r"(?m)^  \S+-omp\.so: ghc-openmp$")
        self.assertRegex(said, r"^ghc-openmp .*: serves 1 library\n")

    def test_like_the_interpreter(self):
        code = "import sys; print(sys.flags.optimize); sys.exit(7)"
        done = run([python, "-O", "-m", "ghc_openmp", "-c", code], False)
        self.assertEqual((done.returncode, done.stdout), (7, "1\n"))
        with open(os.path.join(work, "module.py"), "w", encoding="utf-8") as f:
            f.write("import sys\nprint(__name__, sys.argv[1:])\n")
        self.assertEqual(run([python, "-m", "ghc_openmp", "-m", "module", "--threads", "x"]).stdout,
                         "__main__ ['--threads', 'x']\n")
        nested = "import os, sys; os.execv(sys.executable, [sys.executable, '-m', 'ghc_openmp', 'use.py'])"
        said = json.loads(run([python, "-m", "ghc_openmp", "-c", nested]).stdout)
        self.assertEqual(said["preload"].count("libgomp.so.1"), 1)
        # What is preloaded stays, behind the runtime.
        said = used([], ["-m", "ghc_openmp"], LD_PRELOAD="libm.so.6")
        self.assertRegex(said["preload"], r"libgomp\.so\.1:libm\.so\.6$")

    def test_refuses(self):
        os.mkdir(os.path.join(work, "a b"))
        shutil.copy(self.library(), os.path.join(work, "a b"))
        module = [python, "-m", "ghc_openmp"]
        for words, status, text, variables in (
                (module, 2, "no script is given", {}),
                (module + ["nothing.py"], 2, "nothing.py: no such file", {}),
                (module + ["--fast", "own.py"], 2, "unknown option --fast", {}),
                (module + ["--threads", "0", "use.py"], 2, "0 is not a positive number", {}),
                (module + ["--threads"], 2, "--threads needs a value", {}),
                (module + ["-c"], 2, "-c needs what to run", {}),
                (module + ["use.py"], 125, "libgomp.so.1 is not in ", {"GHCOMP_HOME": os.path.join(work, "libs")}),
                (module + ["use.py"], 125, "has a space or a colon", {"GHCOMP_HOME": os.path.join(work, "a b")}),
                ([command], 2, "no command is given", {}),
                ([command, "start"], 2, "there is no command start", {}),
                ([command, "run"], 2, "no program is given", {}),
                ([command, "run", "--fast", "ls"], 2, "unknown option --fast", {}),
                ([command, "run", "no-such-program"], 127, "no such command in PATH", {}),
                ([command, "run", "./nothing"], 127, "no such file", {}),
                ([command, "run", "./libs"], 126, "a folder, not a program", {}),
                ([command, "run", "./use.py"], 126, "not executable", {}),
                ([command, "info", "here"], 2, "info takes no argument", {}),
                ([command, "doctor"], 2, "doctor takes one program", {})):
            done = run(words, False, **variables)
            self.assertEqual((done.returncode, done.stdout), (status, ""), (words, done.stderr))
            self.assertIn(text, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


class Command(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(work, "main.c"), "w", encoding="utf-8") as f:
            f.write(MAIN)
        run(["gcc", "-O2", "-fopenmp", "main.c", "part.c", "-o", "program"])
        run(["gcc", "-O2", "-fopenmp", "-static", "main.c", "part.c", "-o", "static", "-w"], False)

    def write_script(self):
        with open(os.path.join(work, "script"), "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\nexec ./program \"$@\"\n")
        os.chmod(os.path.join(work, "script"), 0o755)

    def test_run(self):
        for words in (["run", "--", "./program"], ["run", "--threads=4", "./program"]):
            done = run([command] + words + ["--threads"], False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "3 --threads 1\n", ""))
        self.write_script()
        self.assertEqual(run([command, "run", "./script", "x"], False).stdout, "3 x 1\n")

    def test_doctor(self):
        for name, status, text in (("./program", 0, "./program: runs on ghc-openmp ("), ("./gcc.so", 0, "runs on"),
                                   ("./bundled.so", 0, HASHED + " is loaded too"),
                                   ("./use.py", 1, "not an ELF program"),
                                   ("./part.o", 1, "an object file"), ("./libs", 1, "a folder"),
                                   ("nothing", 1, "no such command"), ("./script", 0, "its interpreter /bin/sh"),
                                   ("./static", 1, "libgomp is linked into it statically"),
                                   ("/bin/sh", 0, "needs no OpenMP runtime at its start")):
            if name == "./static" and not os.path.exists(os.path.join(work, name)):
                continue  # no static libgomp here
            if name == "./script":
                self.write_script()
            done = run([command, "doctor", name], False)
            self.assertEqual((done.returncode, done.stderr), (status, ""), (name, done.stdout))
            self.assertIn(text, done.stdout)

    def test_doctor_lacking(self):
        with open(os.path.join(work, "new.c"), "w", encoding="utf-8") as f:
            f.write("void GOMP_of_next_year(void);\nvoid f(void) { GOMP_of_next_year(); }\n")
        run(["gcc", "-shared", "-fPIC", "new.c", "-o", "new.so"])
        done = run([command, "doctor", "./new.so"], False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("needs GOMP_of_next_year, which this libgomp.so.1 does not have", done.stdout)

    def test_foreign(self):
        """A program of another C library runs as it is, and doctor runs no loader that a file names."""
        loader = os.path.join(work, "ld-other.so")
        shutil.copy(Elf(sys.executable).interpreter, loader)
        with open(os.path.join(work, "bare.c"), "w", encoding="utf-8") as f:
            f.write('void _start(void) { __asm__ volatile("mov $60, %eax; mov $5, %edi; syscall"); }\n')
        run(["gcc", "-nostdlib", "-fPIE", "-pie", "bare.c", "-o", "foreign", "-Wl,--dynamic-linker=" + loader])
        done = run([command, "doctor", "./foreign"], False)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("its loader is %s, not glibc's" % loader, done.stdout)
        done = run([command, "run", "./foreign"], False)
        self.assertEqual((done.returncode, done.stdout), (5, ""))
        self.assertRegex(done.stderr, r"^ghc-openmp: ./foreign: its loader is \S+, not glibc's.*\n$")
        noisy = os.path.join(work, "ld-linux-noisy")
        with open(noisy, "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\ntouch %s/ran\n" % work)
        os.chmod(noisy, 0o755)
        run(["gcc", "-nostdlib", "-fPIE", "-pie", "bare.c", "-o", "names", "-Wl,--dynamic-linker=" + noisy])
        run([command, "doctor", "./names"], False)
        self.assertFalse(os.path.exists(os.path.join(work, "ran")))

    def test_strange_names(self):
        """One line without control characters, whatever the locale."""
        for locale in ("C", "C.UTF-8"):
            for words in ([command, "doctor"], [command, "run"], [python, "-m", "ghc_openmp"]):
                done = subprocess.run(words + [b"./a\n\x1b[1m\xff"], cwd=work, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, env=dict(os.environ, LC_ALL=locale), timeout=LIMIT)
                said = done.stdout + done.stderr
                self.assertIn(b"./a\\x0a\\x1b[1m\\xff: no such file", said)
                self.assertEqual(said.count(b"\n"), 1, said)

    def test_info(self):
        # The runtime's words on stderr need not be text.
        said = run([command, "info"], OMP_AFFINITY_FORMAT="\udcfc", OMP_DISPLAY_ENV="true").stdout
        self.assertIn("OMP_AFFINITY_FORMAT=\\xfc ", said)
        said = run([command, "info"], OMP_NUM_THREADS="3").stdout
        self.assertRegex(said, r"(?m)^runtime +/\S+/ghc_openmp/lib/libgomp\.so\.1$")
        self.assertRegex(said, r"(?m)^threads +POSIX threads$")
        self.assertRegex(said, r"(?m)^team +3 threads")
        self.assertRegex(said, r"(?m)^settings +OMP_NUM_THREADS=3$")
        self.assertRegex(run([command, "--version"]).stdout, r"^ghc-openmp \d+\.\d+")
        self.assertIn("ghc-openmp COMMAND", run([command, "help"]).stdout)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as work:
        prepare()
        program = unittest.main(verbosity=1, exit=False)
    sys.exit(not program.result.wasSuccessful())
