#!/usr/bin/env python3
"""bench/older.py on made-up samples: batches, quotients of pairs; and, where QEMU is, what its plug-in counts."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import instructions  # noqa: E402
import made_up  # noqa: E402
import older as bench  # noqa: E402

# A thread that the compiler leaves alone carries out some three instructions a round; the second thread also polls.
PROGRAM = """
#ifdef __aarch64__
#define PAUSE __asm__ volatile("isb")
#else
#define PAUSE __builtin_ia32_pause()
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static long rounds, polls;
static void *work(void *first)
{
    for (long i = 0; first == NULL && i < polls; i++)
        PAUSE;
    for (long i = 0; i < rounds; i++)
        __asm__ volatile("" ::: "memory");
    return first;
}
int main(int n, char **words)
{
    pthread_t thread;
    rounds = atol(words[n - 2]);
    polls = atol(words[n - 1]);
    pthread_create(&thread, NULL, work, NULL);
    work(words);
    pthread_join(thread, NULL);
    puts("{}");
}
"""


def result(before, now):
    row = bench.row_of(("barrier", 4), {bench.BEFORE: before, bench.NOW: now},
                       {bench.BEFORE: [1000, 1000], bench.NOW: [1005, 1005]},
                       {bench.BEFORE: [2000, 2000], bench.NOW: [1500, 1500]})
    made = made_up.result([row], timing={"programs": "a batch"}, runtimes=[bench.BEFORE, bench.NOW])
    made["machine"]["before"] = "0123abc"
    return made


class Tables(unittest.TestCase):
    def test_more_than_a_hundredth_without_waits_is_bold(self):
        made = result([1000, 1000], [1020, 1020])
        made["rows"][0]["working"] = bench.pairs.quotients_of({bench.BEFORE: [100, 100], bench.NOW: [102, 102]},
                                                              (bench.BEFORE, bench.NOW))
        self.assertIn("| 1.020 (1.02 to 1.02) | **1.020** (1.02 to 1.02) |", bench.markdown(made))

    def test_a_line_has_both_quotients(self):
        self.assertIn("| barrier: a barrier in one region | 4 | 1,000 ±0% | 1,020 ±0% | 1.020 (1.02 to 1.02) | "
                      "1.005 (1.00 to 1.00) | 1.5 us | 0.75 (0.75 to 0.75) |",
                      bench.markdown(result([1000, 1000], [1020, 1020])))
        text = bench.markdown(result([1000, 1000], [990, 1010]))
        self.assertIn("| 1.000 (0.99 to 1.01) | 1.005 (1.00 to 1.00) | 1.5 us |", text)
        self.assertIn("| construct | threads | 0123abc | abc | all instructions | without waits | CPU time now | "
                      "CPU time |", text)

    def test_a_count_is_the_difference_of_two_batches(self):
        asked = []

        def made_up_count(operations):
            asked.append(operations)
            return {"instructions": 1000000 + 7 * (operations + 3), "working": 2 * (operations + 3)}, operations + 3

        self.assertEqual({"instructions": 7, "working": 2}, bench.count(made_up_count, bench.short_of("task-fib", 4)))
        self.assertEqual([5 * 21890, 21890], asked)
        self.assertEqual(625, bench.short_of("parallel", 32))


@unittest.skipIf(shutil.which(instructions.emulator()) is None, "no QEMU for programs of this machine")
class Counts(unittest.TestCase):
    def test_instructions_of_all_threads(self):
        with tempfile.TemporaryDirectory() as folder:
            plugin, binary, source = (os.path.join(folder, name) for name in ("count.so", "program", "program.c"))
            with open(source, "w") as file:
                file.write(PROGRAM)
            subprocess.run(["gcc", "-shared", "-fPIC", "-o", plugin, os.path.join(ROOT, "bench/c/instructions.c")],
                           check=True)
            refusal = instructions.refuses(plugin)
            if refusal and "plugin" in refusal:  # no option -plugin, or another version of the interface
                self.skipTest(refusal)
            subprocess.run(["gcc", "-O1", "-pthread", "-o", binary, source], check=True)
            waits = instructions.Waits()

            def count(rounds, polls):
                return instructions.of_threads(plugin, [binary, str(rounds), str(polls)], dict(os.environ), binary,
                                               waits)[0]

            few, many, polling = count(100000, 10), count(1100000, 10), count(100000, 1000010)
            # Two threads carry out a million rounds more, of two instructions at least.
            more = many.instructions - few.instructions
            self.assertTrue(4e6 <= more < 4e7, (few.instructions, many.instructions))
            self.assertTrue(abs(many.waiting - few.waiting) < 1000, (few.waiting, many.waiting))
            # One thread polls a million times more, with a pause and two instructions at least.
            more = polling.waiting - few.waiting
            self.assertTrue(2.9e6 <= more < 2e7, (few.waiting, polling.waiting))
            self.assertTrue(polling.instructions - few.instructions - more < 100000,
                            (few.instructions, polling.instructions))

    def test_the_runtime_s_waits_are_known_by_their_files(self):
        places = {"/p/cbits/core/cpu/wait.c:12": True, "/p/cbits/core/cpu/masters.c:3": True,
                  "/p/cbits/core/cpu/admission.c:3": False, "/p/cbits/core/sync/lock.c:9": False, "??:0": False}
        for place, waits in places.items():
            self.assertEqual(waits, bool(instructions.Waits.FILES.search(place)), place)


if __name__ == "__main__":
    unittest.main()
