#!/usr/bin/env python3
# limit: 120
"""Few threads: a control group's pids.max, as `docker run --pids-limit` and systemd's TasksMax set it.

A program with a team of four and inner teams runs in a control group that this script makes, where it may, with limits
from 2 to none; a second one with prepared files (fake.c, preloaded) that look like those in containers. What must hold:
the program runs to its end, or has one line of ours and status 1; GHC's RTS never ends it; and where it runs on the
POSIX host it does so with GHCOMP_HOST=ghc.
"""

import os
import re
import sys
import tempfile

from common import DROPIN, FAKE, HOSTS, check, compiled, failures, run, work
import cgroups

PROGRAM = """
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
int main(void)
{
    int n = 0;
    omp_set_max_active_levels(2);
    for (int i = 0; i < 3; i++) {
        n = 0;
#pragma omp parallel num_threads(4) reduction(+ : n)
        {
            n++;
#pragma omp parallel num_threads(2) reduction(+ : n)
            n++;
        }
    }
    const char *(*origin)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "ghcomp_host_origin");
    printf("%d members, %s\\n", n, origin());
    return 0;
}
"""
# How a group is shown, and the folders of two groups: the process's own and one above it.
SHAPES = {
    "v2": ("0::/\n", "29 23 0:25 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw,nsdelegate\n", "/sys/fs/cgroup"),
    "v2-slice": ("0::/some.slice/some.service\n", "29 23 0:25 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
                 "/sys/fs/cgroup/some.slice"),
    "v1": ("9:memory:/docker/0a\n8:pids:/docker/0a\n1:name=systemd:/docker/0a\n0::/\n",
           "31 23 0:29 /docker/0a /sys/fs/cgroup/pids ro - cgroup cgroup rw,pids\n", "/sys/fs/cgroup/pids"),
}
NO_RTS = "running on POSIX threads, not in GHC's runtime: too few threads"
NO_TEAM = "Thread creation failed: Resource temporarily unavailable; raise the limit"
SMALLER = r"a region of \d+ threads gets \d+: no more threads"


def run_with(program, host, dynamic, join=None, variables=None):
    ours = dict(variables or {}, LD_LIBRARY_PATH=DROPIN, GHCOMP_HOST=host, OMP_DYNAMIC=dynamic)
    return run([program], ours, join)


def lines_of(done):
    return [line for line in done.stderr.splitlines() if line.strip()]


def ends_well(done, dynamic, text):
    """True: it ran to its end."""
    told = "%s: status %d, %s%s" % (text, done.returncode, done.stdout, done.stderr)
    lines = lines_of(done)
    allowed = [NO_RTS, SMALLER if dynamic == "true" else NO_TEAM]
    check(all(any(re.search(a, line) for a in allowed) for line in lines), told)
    check(len(lines) <= 2 and len(set(lines)) == len(lines), told)
    check(done.returncode in (0, 1), told)
    if done.returncode == 0:
        check(dynamic == "true" or done.stdout.startswith("12 members"), told)
    else:
        check(dynamic == "false" and any(NO_TEAM in line for line in lines), told)
    return done.returncode == 0


def in_group(program):
    group, why = cgroups.make(cgroups.Threads)
    if group is None:
        print("the real group: left out, none can be made here: " + why)
        return
    try:
        for threads in (2, 3, 4, 5, 6, 7, 8, 9, 12, 20, 60, None):
            group.limit(threads)
            for dynamic in ("false", "true"):
                runs = {}
                for host in HOSTS:
                    text = "pids.max %s, host %s, dynamic %s" % (threads, host, dynamic)
                    group.wait_until_empty()
                    done = run_with(program, host, dynamic, group.join)
                    runs[host] = ends_well(done, dynamic, text)
                    if host == "ghc":
                        check(runs[host] == runs["posix"], text + ": ends otherwise than on the host posix")
                        few = threads is not None and threads <= 40
                        check((NO_RTS in done.stderr) == few, text + ": " + done.stdout + done.stderr)
        group.limit(None)
    finally:
        group.close()


def with_files(program, preload):
    for shape, (groups, mounts, folder) in SHAPES.items():
        for most, used, few in (("9", 1, True), ("1000", 5, False), ("1000", 990, True), ("max", 990, False)):
            root = tempfile.mkdtemp(dir=work)

            def put(name, text):
                os.makedirs(os.path.dirname(root + name), exist_ok=True)
                with open(root + name, "w") as f:
                    f.write(text)

            put("/proc/self/cgroup", groups)
            put("/proc/self/mountinfo", "22 1 254:1 / / rw - ext4 /dev/root rw\n" + mounts)
            put(folder + "/pids.max", most + "\n")
            put(folder + "/pids.current", "%d\n" % used)
            text = "files of %s, pids.max %s, pids.current %d" % (shape, most, used)
            done = run_with(program, "ghc", "false", variables={"LD_PRELOAD": preload, "GHCOMP_TEST_ROOT": root})
            check(done.stdout == "12 members, %s\n" % ("posix" if few else "companion"),
                  text + ": " + done.stdout + done.stderr)
            check((NO_RTS in done.stderr) == few and len(lines_of(done)) == few, text + ": " + done.stderr)


def main():
    source = os.path.join(work, "program.c")
    with open(source, "w") as f:
        f.write(PROGRAM)
    program = compiled("program", source, "-fopenmp")
    preload = compiled("fake.so", FAKE, "-shared", "-fPIC")
    in_group(program)
    if "ghc" in HOSTS:
        with_files(program, preload)
    else:
        print("the host ghc: left out, there is no companion")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
