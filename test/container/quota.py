#!/usr/bin/env python3
# limit: 120
# timing-part: how much work programs do
"""CPU quotas of control groups in whole programs: how many CPUs they see, and how much work they do.

What they see is tested in a control group that this script makes, where it may, and in any case with prepared files
(fake.c, preloaded) that look like those in containers. How much work they do needs the real group; without one, that
part is left out, with a line about it. Its bounds depend on what libgomp does in the same group, so that other load on
the machine causes no failure.
"""

import json
import math
import os
import shutil
import subprocess
import sys

import common
from common import BUILD, DROPIN, FAKE, HOSTS, ROOT, check, compiled, failures, work
import cgroups

HERE = os.path.join(ROOT, "test", "container")
GHCOMP = os.path.join(BUILD, "bin", "ghcomp")
CPUS = sorted(os.sched_getaffinity(0))
QUOTAS = (0.5, 1, 1.5)


class Real:
    """In the control group."""

    def __init__(self, group, outer):
        self.group, self.name, self.outer = group, "group of version %d" % group.version, outer

    def start(self, cpus):
        self.group.limit(cpus)
        return {}, self.group.join

    def end(self):
        pass


class Fake:
    """With prepared files."""

    def __init__(self, shape, preload):
        self.name, self.shape, self.preload, self.outer = "files of " + shape, shape, preload, None

    def start(self, cpus):
        self.files = cgroups.Written(self.shape, cpus)
        return {"LD_PRELOAD": self.preload, "GHCOMP_TEST_ROOT": self.files.root}, None

    def end(self):
        self.files.close()


def run(command, variables, join, cpus=None):
    """The process's output; `join` puts it into the group before it becomes the command."""

    def before():
        if cpus is not None:
            os.sched_setaffinity(0, cpus)
        if join is not None:
            join()

    done = common.run(command, variables, before)
    check(done.returncode == 0 and not done.stderr, "%s: status %d, %s%s" % (
        os.path.basename(command[0]), done.returncode, done.stdout[:300], done.stderr[:300]))
    return done.stdout


# ---- what programs see ----


def expect(wanted, got, text):
    check(got.strip() == wanted, "%s: wanted `%s`, got `%s`" % (text, wanted, got.strip()))


def counted(procs, team, capabilities, host):
    return "procs %d max %d team %d capabilities %d origin %s" % (
        procs, team, team, capabilities if host == "ghc" else 0, "companion" if host == "ghc" else "posix")


def programs(place, cpus, counts):
    """A C program on both hosts; an RTS that we boot has as many Capabilities as there are CPUs."""
    allowed = min(math.ceil(cpus) if cpus else len(CPUS), place.outer or len(CPUS), len(CPUS))
    variables, join = place.start(cpus)
    for host in HOSTS:
        ours = dict(variables, LD_LIBRARY_PATH=DROPIN, GHCOMP_HOST=host)
        text = "%s, quota %s, host %s" % (place.name, cpus, host)
        expect(counted(allowed, allowed, allowed, host), run([counts], ours, join), text)
        expect(counted(len(CPUS), len(CPUS), len(CPUS), host),
               run([counts], dict(ours, GHCOMP_CPU_QUOTA="ignore"), join), text + ", ignored")
        expect(counted(allowed, allowed, allowed, host),
               run([counts], dict(ours, GHCOMP_CPU_QUOTA="honour"), join), text + ", honoured")
        # A program that sets the number of threads gets them; more Capabilities than CPUs would be of no use.
        expect(counted(allowed, 3, min(3, allowed), host), run([counts], dict(ours, OMP_NUM_THREADS="3"), join),
               text + ", OMP_NUM_THREADS=3")
        expect(counted(1, 1, 1, host), run([counts], ours, join, CPUS[:1]), text + ", one CPU in the mask")
        # The mask may grow while the program runs, the quota still holds.
        expect(counted(allowed, 1, 1, host), run([counts] + [str(c) for c in CPUS], ours, join, CPUS[:1]),
               text + ", a mask that grows")
    place.end()


def info(place, cpus):
    """`ghcomp info` says what the programs see."""
    allowed = min(math.ceil(cpus) if cpus else len(CPUS), place.outer or len(CPUS), len(CPUS))
    variables, join = place.start(cpus)
    text = "%s, quota %s, ghcomp info: " % (place.name, cpus)
    for knob, procs, threads in ((None, allowed, allowed), ("ignore", len(CPUS), len(CPUS)), ("honour", allowed, 1)):
        if knob:
            variables["GHCOMP_CPU_QUOTA"] = knob
        if knob == "honour":
            variables["OMP_NUM_THREADS"] = "1"
        try:
            said = json.loads(run([GHCOMP, "info", "--json", "--lib", DROPIN], variables, join))
        except ValueError as e:
            check(False, text + "no JSON: %s" % e)
            continue
        seen = said["cpus"]
        check(seen["usable"] == len(CPUS), text + "usable %s" % seen["usable"])
        check(seen["quota_honoured"] == (knob != "ignore"), text + "honoured %s" % seen["quota_honoured"])
        check(seen["processors"] == procs, text + "processors %s with %s" % (seen["processors"], knob))
        check(said["capabilities"] == threads, text + "Capabilities %s with %s" % (said["capabilities"], knob))
        check(said["icvs"].get("OMP_NUM_THREADS") == str(threads), text + "ICVs %s" % said["icvs"])
        if not place.outer:
            # The kernel's unit of time is a microsecond, the period is ours.
            wanted = cpus and {"cpus": math.ceil(cpus), "time_us": int(cpus * cgroups.PERIOD_US),
                               "period_us": cgroups.PERIOD_US}
            quota = seen["quota"] and {k: v for k, v in seen["quota"].items() if k != "from"}
            check(quota == wanted, text + "quota %s" % seen["quota"])
        written = run([GHCOMP, "info", "--lib", DROPIN], variables, join)
        rows = {line[:14].strip(): line[14:] for line in written.splitlines()}
        check(rows["processors"].split(",")[0] == str(procs), text + written)
        check(("ignored by GHCOMP_CPU_QUOTA" in rows["quota"]) == (knob == "ignore"), text + written)
        check(rows["Capabilities"].split()[0] == str(threads), text + written)
    place.end()


def haskell(places):
    """A Haskell program has the Capabilities that it asks for; its OpenMP teams keep to the quota."""
    if shutil.which("ghc") is None:
        return
    with open(os.path.join(work, "Main.hs"), "w") as f:
        f.write("import Foreign.C\n"
                "foreign import ccall \"omp_get_num_procs\" procs :: IO CInt\n"
                "foreign import ccall safe \"team\" team :: IO CInt\n"
                "main :: IO ()\n"
                "main = do { p <- procs; t <- team; putStrLn (show p ++ \" \" ++ show t) }\n")
    with open(os.path.join(work, "team.c"), "w") as f:
        f.write("#include <omp.h>\nint team(void);\nint team(void)\n{\n    int n = 0;\n"
                "#pragma omp parallel\n#pragma omp single\n    n = omp_get_num_threads();\n    return n;\n}\n")
    program = os.path.join(work, "haskell")
    # ghc's own -optc -fopenmp is for the C file; libgomp.so.1 is what the drop-in replaces.
    made = subprocess.run(["ghc", "-v0", "-threaded", "-dynamic", "-optc-fopenmp", "-outputdir", work, "-o", program,
                           os.path.join(work, "Main.hs"), os.path.join(work, "team.c"), "-optl-fopenmp"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if made.returncode != 0 and "dynamic" in made.stdout and "_dyn" not in made.stdout:
        print("no Haskell program: this GHC has no shared base library")
        return
    check(made.returncode == 0, "ghc: " + made.stdout)
    for place in places:
        allowed = min(1, place.outer or 1)
        variables, join = place.start(0.5)
        ours = dict(variables, LD_LIBRARY_PATH=DROPIN)
        expect("%d %d" % (allowed, allowed), run([program], ours, join), place.name + ", Haskell")
        expect("%d %d" % (len(CPUS), len(CPUS)), run([program], dict(ours, GHCOMP_CPU_QUOTA="ignore"), join),
               place.name + ", Haskell, ignored")
        place.end()


# ---- how much work programs do ----

SECONDS = 0.8
ROUNDS = 3
MOST_ROUNDS = 9  # where other machines take CPU time from this one, a runtime may have had less of it each time


def throughput(group, outer):
    """The regions' work against the quota, our two hosts and libgomp in alternation."""
    program = compiled("work", os.path.join(ROOT, "bench", "c", "quota.c"), "-fopenmp")
    runtimes = dict({"libgomp": {}}, **{h: {"LD_LIBRARY_PATH": DROPIN, "GHCOMP_HOST": h} for h in HOSTS})
    for cpus in QUOTAS:
        if cpus > len(CPUS):
            continue
        group.limit(cpus)
        rates = {name: [] for name in runtimes}
        held = {name: [] for name in runtimes}

        # libgomp gets no more than the machine's other load leaves either.
        def wanted():
            return min(0.85 * cpus, 0.9 * max(rates["libgomp"]))

        # One thread fits into a quota of one CPU; libgomp's team does not, where there are more CPUs.
        def enough(host):
            return max(rates[host]) >= wanted() and (cpus != 1 or outer or min(held[host]) < 0.1)

        for turn in range(MOST_ROUNDS):
            if turn >= ROUNDS and all(enough(host) for host in HOSTS):
                break
            for name, variables in runtimes.items():
                before = group.throttled_s()
                said = run([program, str(SECONDS)], variables, group.join)
                if not said:
                    return
                result = json.loads(said)
                held[name].append((group.throttled_s() - before) / result["wall_s"])
                rates[name].append(result["work_s"] / result["wall_s"])
                if name != "libgomp":
                    text = "quota %s, host %s" % (cpus, name)
                    check(result["host"] == name, text + ": host is %s" % result["host"])
                    check(result["threads"] == min(math.ceil(cpus), outer or len(CPUS), len(CPUS)),
                          text + ": team of %d" % result["threads"])
        line = ", ".join("%s %.2f CPUs of work (throttled %.2f)" % (name, max(rates[name]), min(held[name]))
                         for name in runtimes)
        print("quota %s: %s" % (cpus, line), flush=True)
        for host in HOSTS:
            check(max(rates[host]) >= wanted(), "quota %s, host %s: %.2f CPUs of work, wanted %.2f; %s" % (
                cpus, host, max(rates[host]), wanted(), line))
            if cpus == 1 and not outer:
                check(min(held[host]) < 0.1, "host %s is throttled by a quota of one CPU; %s" % (host, line))


def test(places, group, why, counts):
    if group is not None:
        # A quota that this script itself is under binds its group too, when the group could be made below its own.
        group.limit(None)
        free = run([counts], {"LD_LIBRARY_PATH": DROPIN, "GHCOMP_HOST": "posix"}, group.join).split()
        outer = int(free[1]) if int(free[1]) < len(CPUS) else None
        places.append(Real(group, outer))
    for place in places:
        for cpus in QUOTAS + (None,):
            programs(place, cpus, counts)
    if os.path.exists(GHCOMP):
        for place in places:
            for cpus in (0.5, 1.5, None):
                info(place, cpus)
    else:
        print("ghcomp info: left out, there is no " + GHCOMP)
    haskell(places[-1:])
    if "TEST_TIMING" not in os.environ:
        pass
    elif group is not None:
        throughput(group, outer)
    else:
        print("throughput: left out, no control group can be made here: " + why)


def main():
    counts = compiled("counts", os.path.join(HERE, "counts.c"), "-fopenmp")
    preload = compiled("fake.so", FAKE, "-shared", "-fPIC")
    places = [Fake(shape, preload) for shape in cgroups.Written.SHAPES]
    group, why = cgroups.make()
    try:
        test(places, group, why, counts)
    finally:
        if group is not None:
            group.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
