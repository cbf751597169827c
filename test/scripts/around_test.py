#!/usr/bin/env python3
# Tests of test/around.py and the library it preloads: Haskell runs in the process, the drop-in sees it, the program
# ends as it would without it, and no other process gets the library. A wrong set-up is found.
# limit: 120
# timing-part: how often Haskell gets its turn
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

TEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, TEST)
import around  # noqa: E402
import harness  # noqa: E402

BUILD = os.path.join(harness.ROOT, os.environ.get("BUILD", "build"))
DROPIN = os.path.join(BUILD, "dropin")
# Its argument selects how it ends; it prints which other threads the process has and what its children see.
PROGRAM = r"""
#include <dirent.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Threads of this process but its main one, and how many of them block SIGUSR1 (10). */
static void others(void)
{
    int all = 0, deaf = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
        char path[300], line[200];
        if (entry->d_name[0] == '.' || atoi(entry->d_name) == getpid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        FILE *status = fopen(path, "r");
        unsigned long long mask = ~0ull; /* the file of one that ends is empty */
        while (status != NULL && fgets(line, sizeof line, status) != NULL)
            sscanf(line, "SigBlk: %llx", &mask);
        if (status != NULL)
            fclose(status);
        all++;
        deaf += (mask >> (SIGUSR1 - 1)) & 1;
    }
    closedir(tasks);
    printf("threads %s, deaf %s\n", all > 0 ? "some" : "none", deaf == all ? "all" : "not all");
}

int main(int argc, char **argv)
{
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    struct sigaction interrupt;
    sigaction(SIGINT, NULL, &interrupt);
    printf("signals %s %s\n", sigismember(&mask, SIGUSR1) ? "blocked" : "open",
           interrupt.sa_handler == SIG_DFL ? "default" : "handled");
    others();
    int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
    sum += omp_get_num_threads();
    printf("sum %d\n", sum);
    fflush(stdout);
    if (system("echo child ${LD_PRELOAD-clean} ${AROUND_REPORT-clean}") != 0)
        return 90;
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "fork") == 0) {
        int status = 0;
        if (fork() == 0)
            exit(4);
        wait(&status);
        return WEXITSTATUS(status);
    }
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "_exit") == 0)
        _exit(5);
    if (strcmp(how, "work") == 0)
        sleep(1);
    return strcmp(how, "3") == 0 ? 3 : 0;
}
"""


class Process(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.exe = os.path.join(cls.folder.name, "program")
        subprocess.run(
            ["gcc", "-std=gnu11", "-O1", "-Wall", "-fopenmp", "-x", "c", "-", "-o", cls.exe],
            input=PROGRAM,
            text=True,
            check=True,
        )

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_it(self, *argv, build=BUILD, env=None, ulimits=""):
        steering = {"LD_LIBRARY_PATH": DROPIN, "GHCOMP_HOST": "auto"}
        steering.update(env or {})
        with around.Run(build) as haskell:
            command = haskell.command([self.exe] + list(argv))
            done = harness.run(command, 60, env=harness.clean_env(steering), ulimits=ulimits)
            problem = haskell.problem(done)
            text = ""
            if os.path.exists(haskell.path):
                with open(haskell.path, encoding="ascii") as f:
                    text = f.read()
        return done, problem, text

    def test_the_program_is_as_without(self):
        done, problem, _ = self.run_it()
        self.assertEqual((done.rc, done.err, problem), (0, "", None))
        self.assertEqual(
            done.out, "signals open default\nthreads some, deaf all\nsum 16\nchild clean clean\n"
        )

    def test_it_ends_as_it_would(self):
        for how, rc in (("3", 3), ("fork", 4), ("_exit", 5), ("abort", -signal.SIGABRT)):
            done, problem, text = self.run_it(how)
            self.assertEqual((how, done.rc, problem), (how, rc, None))
            self.assertEqual(text.count("exit"), 1 if how in ("3", "fork") else 0, how)

    @unittest.skipUnless("TEST_TIMING" in os.environ, "a rate")
    def test_haskell_works_all_the_time(self):
        _, problem, text = self.run_it("work")
        self.assertIsNone(problem)
        turns = [int(n) for n in re.search(r"exit loaded (\d+) (\d+)\n", text).groups()]
        # Some hundred in a second; the first turn and one row are nine.
        self.assertGreater(min(turns), 9)

    def test_limits(self):
        done, problem, _ = self.run_it(ulimits="-v 4000000")
        self.assertEqual((done.rc, problem), (0, None))

    def test_the_wrong_host_is_found(self):
        done, problem, _ = self.run_it(env={"GHCOMP_HOST": "posix"})
        self.assertEqual(done.rc, 0)
        self.assertIn("that the drop-in did not take: 'exit posix", problem)
        done, problem, _ = self.run_it(env={"LD_LIBRARY_PATH": ""})
        self.assertEqual(done.rc, 0)
        self.assertIn("that the drop-in did not take: 'exit none", problem)

    def test_a_library_that_is_not_there_is_found(self):
        self.assertIn("run `make around`", around.absent(self.folder.name))
        done, problem, _ = self.run_it(build=self.folder.name)
        self.assertEqual(done.rc, 0)  # the loader goes on without it
        self.assertIn("around it: no Haskell: ERROR: ld.so: object", problem)

    def test_the_host_as_a_whole(self):
        self.assertIsNone(around.absent(BUILD))
        self.assertIsNone(around.trouble(BUILD))
        with tempfile.TemporaryDirectory() as build:
            os.makedirs(os.path.join(build, "test"))
            os.symlink(DROPIN, os.path.join(build, "dropin"))
            subprocess.run(
                ["gcc", "-shared", "-x", "c", "/dev/null", "-o", around.library(build)], check=True
            )
            self.assertEqual(around.trouble(build), "around it: no Haskell")
            os.remove(around.library(build))
            shutil.copy(around.library(BUILD), around.library(build))
            os.remove(os.path.join(build, "dropin"))
            self.assertIn("it is not silent: ERROR: ld.so", around.trouble(build))

    def test_reports(self):
        done = harness.Outcome(0, "", "", False, 0.0)
        for text, words in (
            ("", "did not start"),
            ("booted 1\nexit loaded 1 1\n", "did not start"),
            ("booted 2\nexit loaded 0 7\n", "did not take"),
            ("booted 2\nexit loaded 7 0\n", "did not take"),
            ("booted 2\nexit companion 7 7\n", "did not take"),
            ("booted 2\nexit loaded 7 7\nexit loaded 7 7\n", "did not take"),
            ("booted 2\nexit lo", "did not take"),
            ("booted 2\nexit loaded 7 10\n", None),
            ("booted 2\n", None),
        ):
            with around.Run(BUILD) as haskell:
                with open(haskell.path, "w", encoding="ascii") as f:
                    f.write(text)
                problem = haskell.problem(done)
            self.assertEqual(bool(problem), bool(words), text)
            self.assertIn(words or "", problem or "", text)


if __name__ == "__main__":
    if shutil.which("gcc") is None:
        print("needs gcc")
        sys.exit(77)
    missing = around.absent(BUILD)
    if missing:
        print(missing)
        sys.exit(77)
    unittest.main()
