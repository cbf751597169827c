"""The tests of libgomp's suite: unpacked from Debian's package, gathered, and the command that compiles each.

Called by suite.py beside it; test/scripts/suite_test.py and dejagnu_test.py are the tests.
"""

import glob
import os
import re
import subprocess
import tarfile
import tempfile

import dejagnu
import harness

DIRS = ("libgomp.c", "libgomp.c-c++-common", "libgomp.c++", "libgomp.fortran")
FORTRAN = {".f", ".F", ".f90", ".F90", ".f95", ".F95", ".f03", ".F03", ".f08", ".F08"}
# (name, language, compiler, folder, extensions): what the suite's .exp files gather.
SETS = (
    ("libgomp.c", "c", "gcc", "libgomp.c", {".c"}),
    ("libgomp.c", "c", "gcc", "libgomp.c-c++-common", {".c"}),
    ("libgomp.c++", "c++", "g++", "libgomp.c++", {".C"}),
    ("libgomp.c++", "c++", "g++", "libgomp.c-c++-common", {".c"}),
    ("libgomp.fortran", "fortran", "gfortran", "libgomp.fortran", FORTRAN),
)
ALWAYS = [
    "-fopenmp",
    "-foffload=disable",
    "-fmessage-length=0",
    "-fno-diagnostics-show-caret",
    "-fdiagnostics-color=never",
]


def gcc_major():
    """The suite's version is the compiler's: its libgomp is the reference, which may lack what other versions test."""
    version = subprocess.run(["gcc", "-dumpversion"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return int(version.split(".")[0])


def unpack(build, major):
    """The folder of that version's suite, unpacked from the package when it is not there yet."""
    tars = sorted(glob.glob("/usr/src/gcc-%d/gcc-%d*.tar.xz" % (major, major)))
    if not tars:
        raise harness.Skip("libgomp's test suite is not installed (apt-get install gcc-%d-source)" % major)
    tar = tars[-1]
    top = os.path.join(build, "suites", os.path.basename(tar)[: -len(".tar.xz")])
    tests = os.path.join(top, "libgomp", "testsuite")
    if os.path.isdir(tests):
        return tests
    print("unpacking the suite from %s" % tar, flush=True)
    wanted = re.compile(
        r"^[^/]+/(libgomp/testsuite/(%s)/|libgomp/libgomp_g\.h$|"
        r"libgomp/testsuite/libgomp\.oacc-fortran/pr90030\.f90$|include/gomp-constants\.h$|"
        # included by tests of GCC 16
        r"libgomp/testsuite/libgomp\.oacc-c(-c\+\+-common|\+\+)/|libgomp/alloc_cache\.h$|"
        r"gcc/testsuite/gfortran\.fortran-torture/execute/math\.f90$)"
        % "|".join(re.escape(d) for d in DIRS)
    )
    os.makedirs(os.path.dirname(top), exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="unpack-", dir=os.path.dirname(top)) as tmp:
        with tarfile.open(tar) as archive:
            for member in archive:
                if member.isfile() and wanted.match(member.name):
                    member.name = member.name.split("/", 1)[1]
                    archive.extract(member, os.path.join(tmp, "x"))
        # Written by libgomp's configure: affinity-1.c reads it to learn that the affinity calls of glibc are
        # there.
        with open(os.path.join(tmp, "x", "libgomp", "config.h"), "w", encoding="ascii") as f:
            f.write("#define HAVE_PTHREAD_AFFINITY_NP 1\n")
        os.rename(os.path.join(tmp, "x"), top)
    return tests


# gcc 12's code without optimisation fails on libgomp, too.
WRONG_AT_O0 = {"libgomp.c/loop-19.c"}


class Test:
    def __init__(self, name, language, compiler, path, case, level):
        self.name, self.language, self.compiler, self.path, self.case = name, language, compiler, path, case
        self.level = level
        self.exe = None
        self.needs = set()  # symbols of the runtime that the program takes
        self.out_of_scope = []  # those of them that the drop-in does not claim
        self.results = {}  # {"libgomp" or "ghcomp": {configuration: matrix.Result}}

    def command(self, tests):
        options = list(ALWAYS)
        if self.language == "fortran":
            options += [self.level] + (self.case.options or [])
        else:
            options += [self.level] if self.case.options is None else self.case.options
        options += self.case.additional
        options += ["-I" + os.path.join(tests, "..", "..", "include"), "-I" + os.path.join(tests, "..")]
        kind = ["-x", "c++"] if self.language == "c++" else []
        return [self.compiler] + kind + self.sources() + (["-x", "none"] if kind else []) + options + ["-lm"]

    def sources(self):
        folder = os.path.dirname(self.path)
        return [self.path] + [os.path.normpath(os.path.join(folder, s)) for s in self.case.sources]


def gather(tests, only, optimised=True):
    """Every file that the suite's drivers would take, parsed: (tests to run, [(name, why it is not run)]). optimised:
    as the suite's drivers compile it; else with -O0 where a test has no level of its own, in half of the time."""
    found, left_out = [], []
    for set_name, language, compiler, folder, extensions in SETS:
        target = dejagnu.Target(language)
        for where, _, files in sorted(os.walk(os.path.join(tests, folder))):
            for name in sorted(files):
                if os.path.splitext(name)[1] not in extensions:
                    continue
                path = os.path.join(where, name)
                full = set_name + "/" + os.path.relpath(path, os.path.join(tests, folder))
                if folder == "libgomp.c-c++-common":
                    full = (
                        set_name + "/../" + folder + "/" + os.path.relpath(path, os.path.join(tests, folder))
                    )
                if only and not only.search("suite/" + full):
                    continue
                # Fortran tests that say `dg-do run` go through every level, the others get -O; one level is
                # enough.
                level = "-O2"
                if language == "fortran" and not _says_run(path):
                    level = "-O"
                if not optimised and full not in WRONG_AT_O0:
                    level = "-O0"
                case = dejagnu.parse(path, target, level)
                if case.reason:
                    left_out.append((full, case.reason))
                else:
                    found.append(Test(full, language, compiler, path, case, level))
    return found, left_out


def _says_run(path):
    with open(path, encoding="latin-1") as f:
        return "dg-do run" in f.read()


def includable(tests):
    """Files that tests include: all headers, and the tests that other tests are made of."""
    out = []
    for where, _, files in sorted(os.walk(os.path.dirname(tests))):
        out += [os.path.join(where, f) for f in sorted(files) if f.endswith((".h", ".inc"))]
    return out


_INCLUDE = re.compile(r"""^\s*#?\s*include\s+["']([^"']+)["']""", re.MULTILINE | re.IGNORECASE)


def inputs_of(sources, headers):
    """The files that the result of compiling `sources` depends on."""
    out, todo = list(headers), list(sources)
    while todo:
        path = todo.pop()
        if path in out or not os.path.exists(path):
            continue
        out.append(path)
        with open(path, encoding="latin-1") as f:
            for name in _INCLUDE.findall(f.read()):
                todo.append(os.path.normpath(os.path.join(os.path.dirname(path), name)))
    return out
