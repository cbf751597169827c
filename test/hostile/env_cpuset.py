#!/usr/bin/env python3
"""CPUs that leave the process's cpuset while regions run, and come back: in a control group that this script makes and
removes, where it may (root, and a writable hierarchy with the controller cpuset). Without one it is a skip: env_cpus.c
tests the same with calls that refuse CPUs. Teams keep their size, results are right, and a place that no thread can be
bound to any more is named in one line. Covered by it: worker creation and binding, places, both hosts.
"""

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
import cgroups  # noqa: E402

DROPIN = os.path.join(ROOT, os.environ.get("BUILD", "build"), "dropin")
HOSTS = ["posix"] + (["ghc"] if os.path.exists(os.path.join(DROPIN, "libghcomp_rts.so")) else [])
CPUS = sorted(os.sched_getaffinity(0))
DEEP = os.environ.get("GHCOMP_DEEP") == "1"
# The program runs regions until its standard input ends; a line for each hundred. New sizes need new workers, and the
# pause ends all of them, so binding goes on all the time.
PROGRAM = r"""
#include <omp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    struct pollfd end = {.fd = 0, .events = POLLIN};
    for (int i = 0; i % 100 != 0 || poll(&end, 1, 0) == 0; i++) {
        int threads = 1 + i % 7, sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
        {
            if (omp_get_num_threads() != threads)
                exit(3);
#pragma omp for schedule(dynamic)
            for (int k = 0; k < 50; k++)
                sum += k;
        }
        if (sum != 1225)
            exit(4);
        if (i % 100 == 99) {
            omp_pause_resource_all(omp_pause_soft);
            printf("%d %d\n", i + 1, omp_get_num_procs());
            fflush(stdout);
        }
    }
    return 0;
}
"""


def write(folder, name, text):
    with open(os.path.join(folder, name), "w") as f:
        f.write(text)


def read(folder, name):
    with open(os.path.join(folder, name)) as f:
        return f.read().strip()


def own_cpuset():
    """(mount point with this process's path in it, version) of the hierarchy with cpusets."""
    with open("/proc/self/cgroup") as f:
        own = [line.rstrip("\n").split(":", 2) for line in f]
    with open("/proc/self/mountinfo") as f:
        for line in f:
            left, _, right = line.partition(" - ")
            point = left.split()[4]
            kind, _, options = right.split()[:3]
            for _, controllers, path in own:
                if kind == "cgroup" and "cpuset" in options.split(",") and "cpuset" in controllers.split(","):
                    yield os.path.normpath(point + path), 1
                elif kind == "cgroup2" and controllers == "":
                    yield os.path.normpath(point + path), 2


def make():
    """A group whose cpuset may be set, or None and why there is none."""
    why = "no hierarchy has cpusets"
    for parent, version in own_cpuset():
        try:
            group = tempfile.mkdtemp(prefix="ghcomp-cpuset-", dir=parent)
        except OSError as e:
            why = "%s: %s" % (parent, e.strerror)
            continue
        try:
            if version == 1:
                write(group, "cpuset.mems", read(parent, "cpuset.mems"))
            write(group, "cpuset.cpus", ",".join(map(str, CPUS)))
            return group, None
        except OSError as e:
            why = "%s: %s" % (parent, e.strerror)
            os.rmdir(group)
    return None, why


def test(group):
    work = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, work)
    program = os.path.join(work, "program")
    subprocess.run(["gcc", "-O2", "-fopenmp", "-x", "c", "-", "-o", program], input=PROGRAM, text=True, check=True)
    failures = 0
    for host in HOSTS:
        for name, variables, said in (
            ("plain", {}, None),
            ("places", {"OMP_PROC_BIND": "spread", "OMP_PLACES": "threads"}, "cannot be bound to place"),
        ):
            write(group, "cpuset.cpus", ",".join(map(str, CPUS)))
            env = {k: v for k, v in os.environ.items() if not re.match("OMP_|GOMP_|GHCOMP_|LD_", k)}
            env.update(variables, LD_LIBRARY_PATH=DROPIN, GHCOMP_HOST=host, OMP_STACKSIZE="256k")
            with subprocess.Popen(
                [program],
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                preexec_fn=lambda: write(group, "cgroup.procs", "0"),
            ) as process:
                seen = set()
                for turn in range(40 if DEEP else 8):
                    # Lines that were on their way when the cpuset changed are passed over, however many they are. With
                    # places a program counts the CPUs of its places, so that there no line has to show the change.
                    wanted = CPUS[turn % 2 : turn % 2 + 1] if turn % 4 < 2 else CPUS
                    write(group, "cpuset.cpus", ",".join(map(str, wanted)))
                    for _ in range(2000 if said is None else 40):
                        line = process.stdout.readline()
                        number = line.split()[-1] if line else "nothing"
                        if number in ("nothing", str(len(wanted))):
                            break
                    seen.add(number)
                process.stdin.close()
                process.stdin = None
                _, err = process.communicate()
            wrong = []
            if process.returncode != 0:
                wrong.append("status %d" % process.returncode)
            if said is None and seen != {"1", str(len(CPUS))}:
                wrong.append("omp_get_num_procs was %s" % sorted(seen))
            if said is None and err or said is not None and (err.count("\n") != 1 or said not in err):
                wrong.append("it said: %s" % err)
            if wrong:
                failures += 1
                print("%s, %s: %s" % (host, name, "; ".join(wrong)))
            else:
                print("%s, %s: passed" % (host, name))
    return 1 if failures else 0


def main():
    if len(CPUS) < 2:
        print("needs two CPUs")
        return 77
    group, why = make()
    if group is None:
        print("no cpuset can be made here: " + why)
        return 77
    try:
        return test(group)
    finally:
        cgroups.remove(group)


if __name__ == "__main__":
    sys.exit(main())
