#!/usr/bin/env python3
"""How a tool is found and started: preloaded, by OMP_TOOL_LIBRARIES, refused, refusing, missing, broken; what
OMP_TOOL_VERBOSE_INIT says; a tool that begins to listen late, one that stops early, one that calls the runtime while it
starts, and tools without a callback. On build/dropin."""

import os
import shutil
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import races  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", "build")
DROPIN = os.path.join(ROOT, BUILD, "dropin")
OUT = os.path.join(ROOT, BUILD, "test", "ompt", "loading")

PROGRAM = r"""
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
int omp_control_tool(int, int, void *);
static void region(void)
{
    int members = 0;
#pragma omp parallel num_threads(3)
#pragma omp atomic
    members++;
    if (members != 3)
        exit(1);
}
int main(void)
{
    region();
    int control = omp_control_tool(1, 0, NULL);
    region();
    printf("control %d\n", control);
    return 0;
}
"""

TOOL = r"""
#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>
int omp_get_max_threads(void);
int omp_get_thread_num(void);
static ompt_set_callback_t set;
static ompt_finalize_tool_t stop;
static _Atomic int regions;
static void begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested, int flags,
                  const void *address)
{
    (void)task, (void)frame, (void)parallel, (void)requested, (void)flags, (void)address;
    regions++;
    if (STOPS)
        stop();
}
static int control(uint64_t command, uint64_t modifier, void *arg, const void *address)
{
    (void)command, (void)modifier, (void)arg, (void)address;
    set(ompt_callback_parallel_begin, (ompt_callback_t)begin);
    return 3;
}
static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    set = (ompt_set_callback_t)lookup("ompt_set_callback");
    stop = (ompt_finalize_tool_t)lookup("ompt_finalize_tool");
    if (CALLS && (omp_get_max_threads() < 1 || omp_get_thread_num() != 0))
        abort();
    if (LATE)
        set(ompt_callback_control_tool, (ompt_callback_t)control);
    else if (!SILENT)
        set(ompt_callback_parallel_begin, (ompt_callback_t)begin);
    return !REFUSES;
}
static void finalize(ompt_data_t *data)
{
    (void)data;
    printf("%s saw %d\n", NAME, regions);
}
ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return NONE ? NULL : &result;
}
"""

OPTIONS = ["STOPS", "CALLS", "LATE", "SILENT", "REFUSES", "NONE"]


def compile_c(name, source, *flags):
    path = os.path.join(OUT, name)
    subprocess.run(["gcc", "-std=gnu11", "-O1", "-Wall", "-I", os.path.join(ROOT, "cbits", "include"), "-x", "c", "-",
                    "-o", path, *flags], input=source, text=True, check=True)
    return path


def tool(name, *options):
    flags = ["-D%s=%d" % (option, option in options) for option in OPTIONS]
    return compile_c(name + ".so", TOOL, "-shared", "-fPIC", '-DNAME="%s"' % name, *flags)


class Loading(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(OUT, exist_ok=True)
        cls.program = compile_c("program", PROGRAM, "-fopenmp", "-L", DROPIN, "-l:libgomp.so.1")
        cls.counts = tool("counts")
        cls.none = tool("none", "NONE")
        cls.no_tool = compile_c("library.so", "int library;", "-shared", "-fPIC")

    path, start = DROPIN, []

    def run_it(self, libraries=None, program=None, **settings):
        env = {key: value for key, value in os.environ.items() if not key.startswith(("OMP_", "GOMP_", "GHCOMP_"))}
        env.update(settings, LD_LIBRARY_PATH=self.path)
        env.setdefault("GHCOMP_HOST", "posix")
        if libraries is not None:
            env["OMP_TOOL_LIBRARIES"] = ":".join(libraries)
        done = subprocess.run(self.start + [program or self.program], env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines(), done.stderr.splitlines()

    def expect(self, out, libraries=None, **settings):
        self.assertEqual(self.run_it(libraries, **settings), (out, []))

    def test_no_tool(self):
        self.expect(["control -2"])

    def test_library(self):
        self.expect(["control -1", "counts saw 2"], [self.counts])

    def test_preloaded(self):
        self.expect(["control -1", "counts saw 2"], LD_PRELOAD=self.counts)

    def test_disabled(self):
        self.expect(["control -2"], [self.counts], OMP_TOOL="disabled")
        self.expect(["control -2"], OMP_TOOL="disabled", LD_PRELOAD=self.counts)
        line = "ghc-openmp: warning: OMP_TOOL='off' is not enabled or disabled; no tool runs"
        self.assertEqual(self.run_it([self.counts], OMP_TOOL="off"), (["control -2"], [line]))
        self.expect(["control -1", "counts saw 2"], [self.counts], OMP_TOOL="")

    def test_first_that_answers(self):
        self.expect(["control -1", "counts saw 2"], ["/nowhere.so", self.no_tool, self.none, self.counts])
        self.expect(["control -1", "counts saw 2"], [tool("other")], LD_PRELOAD=self.counts)

    def test_fails_to_load(self):
        for library, why in (("/nowhere.so", "cannot open shared object"), (self.no_tool, "ompt_start_tool")):
            out, err = self.run_it([library])
            self.assertEqual(out, ["control -2"])
            self.assertEqual(len(err), 1, err)
            self.assertIn("OMP_TOOL_LIBRARIES: no tool runs", err[0])
            self.assertIn(why, err[0])

    def test_refuses(self):
        self.expect(["control -2"], [self.none])
        self.expect(["control -2"], [tool("refuses", "REFUSES")])

    def test_late(self):
        self.expect(["control 3", "late saw 1"], [tool("late", "LATE")])

    def test_fortran(self):
        program = os.path.join(OUT, "control")
        subprocess.run(["gfortran", "-fopenmp", os.path.join(HERE, "control.f90"), "-o", program, "-L", DROPIN,
                        "-l:libgomp.so.1"], check=True)
        self.expect(["control -2"], program=program)
        self.expect(["control 3", "late saw 0"], [tool("late", "LATE")], program=program)

    def test_stops(self):
        self.expect(["stops saw 1", "control -2"], [tool("stops", "STOPS")])

    def test_without_callbacks(self):
        self.expect(["control -1", "silent saw 0"], [tool("silent", "SILENT")])

    def test_calls_the_runtime(self):
        self.expect(["control -1", "calls saw 2"], [tool("calls", "CALLS")])

    def test_verbose(self):
        begin, end = "----- START LOGGING OF TOOL REGISTRATION -----", "----- END LOGGING OF TOOL REGISTRATION -----"
        out, err = self.run_it([self.none, self.counts], OMP_TOOL_VERBOSE_INIT="stderr")
        self.assertEqual(out, ["control -1", "counts saw 2"])
        self.assertEqual((err[0], err[-1]), (begin, end))
        self.assertIn("Opening %s... Success. " % self.none, err)
        self.assertIn("Tool was started and is using the OMPT interface.", err)
        out, err = self.run_it(OMP_TOOL_VERBOSE_INIT="stdout")
        self.assertEqual((out[0], out[-2], out[-1], err), (begin, end, "control -2", []))
        log = os.path.join(OUT, "log")
        self.expect(["control -1", "counts saw 2"], [self.counts], OMP_TOOL_VERBOSE_INIT=log)
        with open(log, encoding="utf-8") as file:
            self.assertEqual(file.read().splitlines()[0], begin)
        self.expect(["control -2"], OMP_TOOL_VERBOSE_INIT="disabled")

    def test_archer(self):
        """libarcher.so on the loader's path is asked last, where there is a ThreadSanitizer or the search is logged."""
        folder = os.path.join(OUT, "path")
        os.makedirs(folder, exist_ok=True)
        shutil.copy(self.counts, os.path.join(folder, "libarcher.so"))
        checked = compile_c("checked", PROGRAM, "-fopenmp", "-fsanitize=thread", "-L", DROPIN, "-l:libgomp.so.1")
        self.path, self.start = DROPIN + ":" + folder, races.fixed_addresses()
        self.expect(["control -2"])
        out, err = self.run_it(OMP_TOOL_VERBOSE_INIT="stderr")
        self.assertEqual(out, ["control -1", "counts saw 2"])
        self.assertEqual(err[3:6], ["...searching tool libraries failed. Using archer tool.",
                                    "Opening libarcher.so... Success. ",
                                    "Searching for ompt_start_tool in libarcher.so... Success. "])
        self.assertEqual(self.run_it(program=checked), (["control -1", "counts saw 2"], []))
        self.expect(["control -1", "counts saw 2"], program=checked, GHCOMP_TSAN="off", TSAN_OPTIONS="report_bugs=0")
        self.assertEqual(self.run_it([tool("other")], program=checked), (["control -1", "other saw 2"], []))
        self.assertEqual(self.run_it(program=checked, OMP_TOOL="disabled"), (["control -2"], []))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
