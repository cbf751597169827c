#!/usr/bin/env python3
"""The explorer's atomic operations are those of cbits/base/atomic.h, name by name; its seeded defects fit the sources;
it refuses an old build; and its engine keeps its state where no schedule sets it back.

What the explorer itself can do is tested by its mutants (test/explore/run.py).
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "explore"))

import run  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
# Each schedule begins with the data that the program started with: that of pages which every schedule writes, which
# only later ones write, and which none writes. A write to no memory is still the program's end.
MEMORY = """#include "%s/explore.h"
#include <sys/mman.h>
enum { PAGE = 4096 };
static char always[8 * PAGE], later[64 * PAGE], never[8 * PAGE], filled[4 * PAGE] = {1, 2};
#define SCHEDULE ((unsigned *)0x200000000) /* mapped memory, which stays as it is */
static void steps(void *nothing) { (void)nothing; explore_point(); explore_point(); }
static void begin(void)
{
    for (unsigned i = 0; i < sizeof later; i++)
        EXPLORE_EQUAL(0, later[i] + always[i %% sizeof always] + never[i %% sizeof never]);
    EXPLORE_EQUAL(3, filled[0] + filled[1] + filled[2 * PAGE]);
    unsigned now = ++*SCHEDULE;
    always[now * 100 %% sizeof always] = 1;
    if (now > 60)
        later[now * PAGE %% sizeof later] = later[now * 1000 %% sizeof later] = filled[now %% 3 * PAGE] = 7;
    explore_thread(steps, NULL);
    explore_thread(steps, NULL);
}
static void crash(void)
{
    for (unsigned i = 0; i < 2; i++)
        explore_thread(steps, NULL);
    if (++*SCHEDULE == 100)
        *(volatile char *)(uintptr_t)*SCHEDULE = 1;
}
int main(int argc, char **argv)
{
    static const struct explore_scenario scenarios[] = {
        {.name = "memory", .setup = begin, .preemptions = 2, .random = 300},
        {.name = "crash", .setup = crash, .preemptions = 2, .random = 300}};
    void *mapped = mmap(SCHEDULE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return mapped == MAP_FAILED ? 1 : explore_main(argc, argv, scenarios, 2);
}
"""


def read(*path):
    with open(os.path.join(ROOT, *path)) as f:
        return f.read()


def names(text):
    return set(re.findall(r"^#define (\w+)", text, re.MULTILINE)) | set(
        re.findall(r"^static inline \w+ (\w+)\(", text, re.MULTILINE)
    )


class Explore(unittest.TestCase):
    def test_names(self):
        original = names(read("cbits", "base", "atomic.h"))
        shadow = {n for n in names(read("test", "explore", "shadow", "base", "atomic.h")) if "EXPLORE" not in n}
        self.assertGreater(len(original), 30)
        self.assertEqual(original, shadow)

    def test_operations(self):
        """An operation changes the word in the same way, and has the same order, in both."""
        changes = {"exchange": "XCHG", "fetch_add": "ADD", "fetch_sub": "SUB", "fetch_or": "OR", "fetch_and": "AND"}
        shadow = re.sub(r"\\\n", "", read("test", "explore", "shadow", "base", "atomic.h"))
        original = re.sub(r"\\\n", "", read("cbits", "base", "atomic.h"))
        found = re.findall(r"#define (ghcomp_\w+)\(.*?\) +atomic_(\w+?)_explicit\(.*memory_order_(\w+)\)", original)
        self.assertGreaterEqual(len(found), 24)
        for name, operation, last in found:
            line = re.search(r"^#define %s\(.*$" % name, shadow, re.MULTILINE).group()
            if operation in changes:
                self.assertIn("EXPLORE_" + changes[operation], line)
            order = name.rsplit("_", 1)[1]
            self.assertIn("EXPLORE_%s)" % order.upper(), line)
            # The last order of a cas is that of its failure.
            self.assertIn(last.replace("_", ""), ("relaxed", "acquire") if order in ("release", "acqrel") and
                          operation.startswith("compare") else (order.replace("_", ""),), name)

    def test_mutants(self):
        for name in run.names():
            mutants = run.mutants(name)
            self.assertTrue(mutants, "%s has no mutant" % name)
            comment = read("test", "explore", name + ".c").split("*/")[0]
            self.assertEqual(len(mutants), comment.count("mutant: "), "%s: each mutant is a line of its own" % name)
            for mutant, (file, regex, replacement) in mutants.items():
                matches = list(re.finditer(regex, read("cbits", file)))
                self.assertEqual(1, len(matches), "%s %s" % (name, mutant))
                self.assertNotEqual(matches[0].group(), matches[0].expand(replacement))

    def test_absent(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run.NEEDED, run.unbuilt(folder))


class Build(unittest.TestCase):
    def setUp(self):
        why = run.unbuilt(BUILD)
        if why:
            self.skipTest(why)

    def test_old(self):
        """As if one file were newer than all others."""
        for file in ("cbits/core/team/team.c", "cbits/core/team/team.h", "cbits/host/default_host.c.in",
                     "test/explore/engine/search.c", "test/explore/engine/state.h", "test/explore/shadow/thread.h"):
            self.assertTrue(os.path.exists(os.path.join(ROOT, file)), file)
            self.assertEqual(run.NEEDED, run.unbuilt(BUILD, "-W", file), file)
        for file in ("cbits/host/host_ghc.c", "test/explore/lock.c"):
            self.assertTrue(os.path.exists(os.path.join(ROOT, file)), file)
            self.assertIsNone(run.unbuilt(BUILD, "-W", file), file)

    def test_memory(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(run, "HERE", folder):
            with open(os.path.join(folder, "memory.c"), "w") as f:
                f.write(MEMORY % os.path.join(ROOT, "test", "explore"))
            program = run.compile_harness(os.path.join(ROOT, BUILD), "memory", None)
        done = subprocess.run([program, "memory"], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("300 random ones", done.stdout)
        self.assertEqual(subprocess.run([program, "crash"], stdout=subprocess.DEVNULL).returncode, -signal.SIGSEGV)

    def test_state(self):
        """Variables of the engine: constants, pointers to mapped memory, and os.c's mask, which is the runtime's."""
        engine = os.path.join(ROOT, BUILD, "explore", "engine.o")
        done = subprocess.run(["nm", engine], stdout=subprocess.PIPE, text=True, check=True)
        variables = set(re.findall(r" [bBcCdDgGsS] (\S+)$", done.stdout, re.MULTILINE))
        self.assertEqual({"X", "H", "mask", "op_names"}, variables)


if __name__ == "__main__":
    unittest.main()
