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

# A thread that the compiler leaves alone carries out some three instructions a round.
PROGRAM = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static long rounds;
static void *work(void *unused)
{
    for (long i = 0; i < rounds; i++)
        __asm__ volatile("" ::: "memory");
    return unused;
}
int main(int n, char **words)
{
    pthread_t thread;
    rounds = atol(words[n - 1]);
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    puts("{}");
}
"""


def result(before, now):
    row = bench.row_of(("barrier", 4), {bench.BEFORE: before, bench.NOW: now},
                       {bench.BEFORE: [2000, 2000], bench.NOW: [1500, 1500]})
    made = made_up.result([row], timing={"programs": "a batch"}, runtimes=[bench.BEFORE, bench.NOW])
    made["machine"]["before"] = "0123abc"
    return made


class Tables(unittest.TestCase):
    def test_more_than_a_hundredth_is_bold(self):
        self.assertIn("| barrier: a barrier in one region | 4 | 1,000 ±0% | 1,020 ±0% | **1.020** (1.02 to 1.02) | "
                      "1.5 us | 0.75 (0.75 to 0.75) |",
                      bench.markdown(result([1000, 1000], [1020, 1020])))
        text = bench.markdown(result([1000, 1000], [990, 1010]))
        self.assertIn("| 1.000 (0.99 to 1.01) | 1.5 us |", text)
        self.assertIn("| construct | threads | 0123abc | abc | instructions | CPU time now | CPU time |", text)

    def test_a_count_is_the_difference_of_two_batches(self):
        asked = []

        def made_up_count(operations):
            asked.append(operations)
            return 1000000 + 7 * (operations + 3), operations + 3

        self.assertEqual(7, bench.count(made_up_count, bench.short_of("task-fib", 4)))
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
            few, many = (instructions.of_threads(plugin, [binary, rounds], dict(os.environ))[0]
                         for rounds in ("100000", "1100000"))
            # Two threads carry out a million rounds more, of two instructions at least.
            self.assertTrue(4e6 <= many - few < 4e7, (few, many))


if __name__ == "__main__":
    unittest.main()
