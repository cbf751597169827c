#!/usr/bin/env python3
"""Runs LLVM's own OpenMP tests on libomp and on our drop-in, by LLVM's runner lit, and compares.

The tests are those of a source tree of LLVM: openmp/runtime/test without its folder ompt, that folder, Archer's,
openmp/tools/archer/tests, and those of offload, offload/test, for the target that LLVM's host plug-in serves. lit takes
what CMake would tell it from a configuration that this file writes for each side into build/suites/llvm. Every program
is compiled against libomp, and the library path gives it the one or the other runtime. A test that passes on libomp
must pass on the drop-in on each host; expected-failures.txt has the exceptions (for gcc expected-failures-gcc.txt) and
may only shrink. A test that LLVM expects to fail fails on libomp: the drop-in may pass it. Called by
tools/llvm-suite.sh, which fetches the source, and by hand; docs/internals/testing.md has the options.
test/scripts/llvm_suite_test.py is the test of this file.
"""

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(os.path.dirname(HERE))]

import harness  # noqa: E402

LIMIT = 600  # seconds for a test; four tests sleep for two to four minutes on two threads
LIT = ("bin/lit", "build/utils/lit/lit.py")  # in the folder of an installed LLVM, from 22 on and before
PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
LEFT_OUT = {"UNSUPPORTED", "EXCLUDED", "SKIPPED"}


class Part:
    """A folder of tests: where it is in LLVM's tree, which part of it is run, and which is not."""

    def __init__(self, folder, below="", without=(), target=None):
        self.folder, self.below, self.without, self.target = folder, below, list(without), target


PARTS = {
    "runtime": Part("openmp/runtime/test", without=["ompt"]),
    "ompt": Part("openmp/runtime/test", below="ompt"),
    "archer": Part("openmp/tools/archer/tests"),
    "offload": Part("offload/test", target="%s-pc-linux-gnu" % os.uname().machine),
}

# What the lit.site.cfg.in of these folders take from CMake. lit.cfg sets the library path to that of the library which
# the programs are linked with; here the side's own comes first.
CONFIGURATION = """# Written by test/suites/llvm/suite.py.
config.test_c_compiler = {c!r}
config.test_cxx_compiler = {cxx!r}
config.test_fortran_compiler = {fortran!r}
config.test_compiler_features = {features!r}
config.test_compiler_has_omp_h = True
config.test_filecheck = {filecheck!r}
config.test_not = {llvm!r} + "/bin/not"
config.test_openmp_flags = "-fopenmp"
config.test_extra_flags = ""
config.test_fortran_flags = ""
config.test_archer_flags = ""
config.libomp_obj_root = {out!r}
config.libarcher_obj_root = {llvm!r} + "/lib/tests"
config.library_dir = {llvm!r} + "/lib"
config.omp_library_dir = {llvm!r} + "/lib"
config.omp_header_directory = {headers!r}
config.omp_header_dir = {headers!r}
config.operating_system = "Linux"
config.hwloc_library_dir = ""
config.using_hwloc = False
config.has_ompt = True
config.has_ompx_taskgraph = False
config.has_omp_taskgraph_experimental = False
config.has_libm = True
config.has_libatomic = True
config.has_tsan = True
config.is_standalone_build = True
config.has_omit_frame_pointer_flag = True
config.target_arch = {machine!r}
config.target_triple = {machine!r} + "-pc-linux-gnu"
config.compiler_frontend_variant = "GNU"
config.compiler_simulate_id = ""
config.llvm_tools_dir = {llvm!r} + "/bin"
import lit.llvm
lit.llvm.initialize(lit_config, config)
lit_config.load_config(config, {tests!r} + "/lit.cfg")
config.test_exec_root = {out!r}
config.excludes = list(config.excludes) + {without!r}
config.environment["LD_LIBRARY_PATH"] = {libraries!r} + ":" + config.environment["LD_LIBRARY_PATH"]
config.environment.update({environment!r})
"""


# The same for the tests of offload, whose programs need LLVM's libraries beside the runtime.
OFFLOAD = """# Written by test/suites/llvm/suite.py.
config.bin_llvm_tools_dir = {llvm!r} + "/bin"
config.test_c_compiler = {c!r}
config.test_cxx_compiler = {cxx!r}
config.test_fortran_compiler = ""
config.test_compiler_features = {features!r}
config.test_openmp_flags = "-fopenmp"
config.test_extra_flags = ""
config.cuda_path = config.cuda_libdir = config.cuda_test_arch = config.amdgpu_test_arch = ""
config.libomptarget_obj_root = {out!r}
config.library_dir = config.llvm_library_dir = config.llvm_library_intdir = {llvm!r} + "/lib"
config.llvm_lib_directory = config.omp_host_rtl_directory = {llvm!r} + "/lib"
config.omp_header_directory = {headers!r}
config.operating_system = "Linux"
config.libomptarget_all_targets = [{target!r}]
config.libomptarget_current_target = {target!r}
config.libomptarget_filecheck = {filecheck!r}
config.libomptarget_not = {llvm!r} + "/bin/not"
config.libomptarget_debug = False
config.has_libomptarget_ompt = True
config.libomptarget_has_libc = False
lit_config.load_config(config, {tests!r} + "/lit.cfg")
config.excludes = list(config.excludes) + {without!r}
config.environment["LD_LIBRARY_PATH"] = {libraries!r} + ":" + {llvm!r} + "/lib"
config.environment.update({environment!r})
"""


class Compiler:
    """What compiles the tests: the commands for C, C++ and Fortran (none: "", and its tests are not run), the names
    that REQUIRES and XFAIL lines have for it, the list of tests that may fail, and the part of the names of files with
    its results."""

    def __init__(self, name, c, cxx, fortran=""):
        self.c, self.cxx, self.fortran = c, cxx, fortran
        self.tag = "" if name == "clang" else "-" + name
        self.expected = os.path.join(HERE, "expected-failures%s.txt" % self.tag)
        said = subprocess.run([c, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.features = features(name, version_of(said))


def version_of(said):
    """The compiler's version in what it says of itself, outside of the distribution's words in parentheses."""
    return re.search(r" (\d+\.\d+(?:\.\d+)*)", re.sub(r"\(.*?\)", "", said)).group(1)


def features(name, version):
    """A compiler's names in REQUIRES and XFAIL lines: clang, clang-19, clang-19.1, clang-19.1.7."""
    numbers = version.split(".")
    return [name] + [name + "-" + ".".join(numbers[: n + 1]) for n in range(len(numbers))]


class Side:
    """A runtime: its name, the folder of its libomp.so.5, and the variables that choose its host."""

    def __init__(self, name, libraries, environment):
        self.name, self.libraries, self.environment = name, libraries, environment


def sides(options):
    """libomp first: what it does is what the others are compared with."""
    out = []
    if options.only != "ours":
        out.append(Side("libomp", os.path.join(options.llvm, "lib"), {}))
    if options.only != "libomp":
        dropin = os.path.join(os.path.abspath(options.build), "dropin")
        out += [Side(host, dropin, {"GHCOMP_HOST": host}) for host in options.hosts]
    return out


def read_list(path, version):
    """{(test's name, side's name or None): reason} of a list file, of its lines for that version of LLVM: a name,
    [llvm>=N] or [llvm<=N], [SIDE] where it fails on one, a reason; `#` opens a comment line."""
    out = {}
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            m = re.match(r"(\S+)\s+(?:\[llvm([<>])=(\d+)\]\s+)?(?:\[(\w+)\]\s+)?([^\s\[].*)$", line)
            if not m:
                raise SystemExit("ghc-openmp: %s:%d: a line is a test's name, perhaps [llvm>=N] or [llvm<=N], perhaps "
                                 "[HOST], and a reason" % (path, number))
            name, way, bound, host, reason = m.groups()
            if way is None or (version >= int(bound) if way == ">" else version <= int(bound)):
                out[name, host] = reason
    return out


def outcomes(part, report):
    """{test's name: (code, seconds, output)} of lit's report; a name is PART/FOLDER/FILE."""
    out = {}
    for test in report["tests"]:
        name = test["name"].rsplit(" :: ", 1)[1]
        below = PARTS[part].below
        if below and name.startswith(below + "/"):
            name = name[len(below) + 1 :]
        out[part + "/" + name] = (test["code"], test["elapsed"] or 0.0, test["output"])
    return out


def first_words(output):
    """What the failing command said first: lit puts `# | ` before a command's words; FileCheck repeats its input."""
    said = [line[4:].strip() for line in output.splitlines() if line.startswith("# | ")]
    notes = [line[2:].strip() for line in output.splitlines() if line.startswith("# error: ")]
    words = [line for line in said if "error" in line.lower()] or said or notes
    return words[0][-120:] if words else "no output"


class Suite:
    def __init__(self, options, report):
        self.o, self.report = options, report
        self.folder = os.path.join(os.path.abspath(options.build), "suites", "llvm")
        self.results = collections.OrderedDict()  # side: {test: (code, seconds, output)}
        self.counts = collections.OrderedDict()

    def headers(self):
        """A folder with libomp's headers: in clang's own folder are others, too, which gcc cannot read."""
        folder = os.path.join(self.folder, "include")
        os.makedirs(folder, exist_ok=True)
        for name in ("omp.h", "ompx.h", "omp-tools.h", "ompt.h"):
            link = os.path.join(folder, name)
            if os.path.lexists(link):
                os.remove(link)
            os.symlink(os.path.join(self.o.llvm, "lib/clang/%d/include" % self.o.version, name), link)
        return folder

    def configure(self, part, side):
        """Writes the folder that lit is given, and returns the path of the tests in it."""
        o, p = self.o, PARTS[part]
        tests = os.path.join(os.path.abspath(o.source), p.folder)
        if not os.path.exists(os.path.join(tests, "lit.cfg")):
            raise SystemExit("ghc-openmp: %s has no lit.cfg: --source names a source tree of LLVM" % tests)
        folder = os.path.join(self.folder, part + self.o.compiler.tag, side.name)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "lit.site.cfg"), "w", encoding="utf-8") as f:
            f.write((OFFLOAD if p.target else CONFIGURATION).format(
                c=o.compiler.c, cxx=o.compiler.cxx, fortran=o.compiler.fortran, features=o.compiler.features,
                filecheck="FileCheck-%d" % o.version, llvm=o.llvm, headers=self.headers(),
                out=os.path.join(folder, "out"),
                machine=os.uname().machine, target=p.target, tests=tests, without=p.without, libraries=side.libraries,
                environment=side.environment))
        return os.path.join(folder, p.below)

    def check_side(self, side):
        """Ends the run where the loader gives the side's programs another library than the side's."""
        program = os.path.join(self.folder, "probe")
        os.makedirs(self.folder, exist_ok=True)
        subprocess.run(
            [self.o.compiler.c, "-fopenmp", "-x", "c", "-", "-o", program, "-L", os.path.join(self.o.llvm, "lib")],
            input="int main(void) {\n#pragma omp parallel\n;\nreturn 0; }\n", text=True, check=True)
        listed = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True, check=True,
                                env=harness.clean_env({"LD_LIBRARY_PATH": side.libraries})).stdout
        m = re.search(r"libomp\.so\.5 => (\S+)", listed)
        if not m or os.path.dirname(m.group(1)) != side.libraries:
            raise SystemExit("ghc-openmp: the loader does not take %s/libomp.so.5: run `make`" % side.libraries)

    def run_side(self, side):
        self.check_side(side)
        found = self.results[side.name] = {}
        for part in self.o.parts:
            report = os.path.join(self.folder, "%s%s-%s.json" % (part, self.o.compiler.tag, side.name))
            if os.path.exists(report):
                os.remove(report)
            command = [sys.executable, self.o.lit, "-j%d" % self.o.jobs, "--timeout", str(self.o.limit), "--quiet",
                       "--output", report, self.configure(part, side)]
            if self.o.filter:
                command[-1:-1] = ["--filter", self.o.filter]
            # lit passes little of the environment on, and reads LIT_* itself.
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  env=harness.clean_env({}), check=False)
            if not os.path.exists(report):
                if self.o.filter and "did not match any tests" in done.stdout:
                    continue
                raise SystemExit("ghc-openmp: lit gives no report:\n" + done.stdout[-2000:])
            with open(report, encoding="utf-8") as f:
                found.update(outcomes(part, json.load(f)))
        print("%s: %d tests" % (side.name, len(found)), flush=True)

    def judge(self, expected):
        """One line for each test that passes on libomp and not on ours; without libomp's side every failure counts."""
        reference = self.results.get("libomp")
        for side, found in self.results.items():
            if side == "libomp" and len(self.results) > 1:
                continue
            for name, (code, _, output) in sorted(found.items()):
                self.judge_one(side, name, code, output, reference if side != "libomp" else None, expected)

    def judge_one(self, side, name, code, output, reference, expected):
        label = "%s [%s]" % (name, side)
        excuse = None
        if side != "libomp":
            excuse = expected.get((name, side)) or expected.get((name, None))
        if code in LEFT_OUT:
            return
        if reference is not None and reference.get(name, ("",))[0] not in PASSED:
            return
        if code in PASSED or (code == "XPASS" and side != "libomp"):
            if excuse:
                self.report.add(label, harness.FAIL, "passes, but %s lists it: remove the line"
                                % os.path.basename(self.o.compiler.expected))
            else:
                self.report.add(label, harness.PASS)
        elif excuse:
            self.report.add(label, harness.SKIP, "expected failure: " + excuse)
        else:
            self.report.add(label, harness.FAIL, "%s: %s" % (code.lower(), first_words(output)),
                            output if self.o.verbose else "")

    def check_list(self, expected):
        """A line about a test that is not run must be removed."""
        known = {name for found in self.results.values() for name in found}
        for name, _ in sorted(expected, key=str):
            if name.split("/")[0] in self.o.parts and name not in known:
                self.report.add(name, harness.FAIL, "%s names a test that is not run"
                                % os.path.basename(self.o.compiler.expected))

    def summary(self):
        reference = self.results.get("libomp")
        asked = {n for n, r in reference.items() if r[0] in PASSED} if reference is not None else None
        for side, found in self.results.items():
            run = {n: r for n, r in found.items() if r[0] not in LEFT_OUT}
            passed = {n for n, r in run.items() if r[0] in PASSED or (r[0] == "XPASS" and side != "libomp")}
            row = collections.OrderedDict(tests=len(found), run=len(run), passed=len(passed))
            if asked is not None and side != "libomp":
                row["of those that libomp passes"] = len(asked)
                row["passed of them"] = len(asked & passed)
            self.counts[side] = row
            print("%-8s %s" % (side, ", ".join("%s %d" % item for item in row.items())))
        path = os.path.join(self.folder, "results%s.json" % self.o.compiler.tag)
        rows = {side: {n: r[:2] for n, r in found.items()} for side, found in self.results.items()}
        harness.write_json(path, {"counts": self.counts, "tests": rows})
        print("results: %s" % os.path.relpath(path))

    def run(self):
        expected = read_list(self.o.compiler.expected, self.o.version)
        for side in sides(self.o):
            self.run_side(side)
        self.judge(expected)
        if not self.o.filter:
            self.check_list(expected)
        self.summary()


def ready(options):
    """Fills in what the installed LLVM says; ends the run where something is missing."""
    options.llvm = "/usr/lib/llvm-%d" % options.version
    lits = [path for path in (os.path.join(options.llvm, name) for name in LIT) if os.path.exists(path)]
    options.lit = lits[0] if lits else os.path.join(options.llvm, LIT[0])
    for path, package in (
        (options.lit, "llvm-%d-tools"), ("bin/FileCheck", "llvm-%d-tools"), ("bin/clang++", "clang-%d"),
        ("lib/libomp.so.5", "libomp-%d-dev"),
    ):
        if not os.path.exists(os.path.join(options.llvm, path)):
            raise SystemExit("ghc-openmp: %s/%s is missing: apt-get install %s"
                             % (options.llvm, path, package % options.version))
    if subprocess.run([sys.executable, "-c", "import psutil"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise SystemExit("ghc-openmp: lit's time limit needs the module psutil of %s: apt-get install python3-psutil"
                         % sys.executable)
    if options.compiler == "gcc":
        options.compiler = Compiler("gcc", "gcc", "g++")
    else:
        options.compiler = Compiler("clang", "clang-%d" % options.version, "clang++-%d" % options.version,
                                    shutil.which("flang-%d" % options.version) or "")


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("filter", nargs="?", help="only tests whose name matches this regular expression")
    p.add_argument("--source", required=True, help="LLVM's source tree")
    p.add_argument("--only", choices=["ours", "libomp"], help="run one side")
    p.add_argument("--hosts", default="posix,ghc", help="comma list of posix, ghc (default: both)")
    p.add_argument("--parts", default="runtime", help="comma list of runtime, ompt, archer, offload (default: runtime)")
    p.add_argument("--compiler", choices=["clang", "gcc"], default="clang",
                   help="what compiles the tests (default clang); libomp has gcc's interface, too")
    p.add_argument("--version", type=int, default=19, help="clang's and libomp's version (default 19)")
    p.add_argument("--limit", type=int, default=LIMIT, help="seconds for a test (default %d)" % LIMIT)
    p.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--build", default=os.environ.get("BUILD", "build"), help="the build folder")
    p.add_argument("--verbose", "-v", action="store_true")
    o = p.parse_args(argv)
    for option, known in (("hosts", ["posix", "ghc"]), ("parts", list(PARTS))):
        setattr(o, option, getattr(o, option).split(","))
        for value in getattr(o, option):
            if value not in known:
                p.error("--%s: `%s` is none of %s" % (option, value, ", ".join(known)))
    return o


def main():
    o = parse(sys.argv[1:])
    ready(o)
    harness.kill_tests_on_signals()
    report = harness.Report(o.verbose)
    Suite(o, report).run()
    print(report.last_line())
    return 1 if report.failed or not report.passed else 0


if __name__ == "__main__":
    sys.exit(main())
