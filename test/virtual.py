"""The group `machines`: tests in virtual machines of other sizes than this one (tools/machines.py; `make
check-machines`).

A machine of MACHINES is booted once and runs its tests, or a selection of them, one after the other: unit tests (the
plain ones), conformance and hostile programs in C, stress programs with small counts, the checks of test/machines, and
the launcher. Programs
are compiled here; the guest runs them, and what they did is judged here by the same headers as everywhere. Nothing is
timed: the emulator is many times slower than a processor, and several virtual CPUs share a real one, so each limit is
multiplied by the machine's `slower`.

test/machines/excused.txt lists tests that no guest, or not each, can run, with a reason each: they are skips. A line
that fits no test is a failure.

Used by test/run.py. test/scripts/machines_test.py is the test of this file.
"""

import glob
import os
import re
import shlex
import subprocess
import sys
import time
import zlib

import harness

sys.path.insert(0, os.path.join(harness.ROOT, "tools"))
import machines as tool  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "machines")
LIMITS = {"unit": 60, "conformance": 20, "hostile": 20, "stress": 60, "machines": 60, "launcher": 60}
MOST = 900  # seconds for one program, however slow its machine is
FEWER = "20"  # times less often unit tests do what takes long (unit_rounds of test/unit/unit.h)
KINDS = ("threads", "cores", "ll_caches", "numa_domains", "sockets")

# The checks of test/machines, each with the environments that it runs in.
CHECKS = {
    "cpus": ("", "OMP_PROC_BIND=close", "OMP_WAIT_POLICY=passive"),
    "places": ["OMP_PLACES=" + kind for kind in KINDS],
    "bind": ["OMP_PLACES=" + kind for kind in KINDS],
    "teams": (
        "",
        "GHCOMP_BARRIER=tree",
        "GHCOMP_BARRIER=flat",
        "OMP_WAIT_POLICY=passive",
        "OMP_WAIT_POLICY=active",
        "OMP_PLACES=cores OMP_PROC_BIND=spread",
    ),
    "memory": ("",),
    "hotplug": ("", "OMP_PLACES=threads", "OMP_PROC_BIND=false"),
    "cpuset": ("", "OMP_PROC_BIND=false", "OMP_PLACES=threads"),
}

# Programs of test/stress: arguments, and the environment. A seed is the test's own: a failure can be repeated.
STRESS = (
    ("masters", "7 4 2", "OMP_MAX_ACTIVE_LEVELS=3 GHCOMP_SHARE=all"),
    ("masters", "8 12 2", "OMP_MAX_ACTIVE_LEVELS=3 GHCOMP_SHARE=all OMP_WAIT_POLICY=passive"),
    ("masters", "9 4 2", "OMP_MAX_ACTIVE_LEVELS=3 GHCOMP_SHARE=all GHCOMP_BARRIER=tree"),
    ("mixed", "7 1 2", ""),
    ("mixed", "8 4 2", "OMP_WAIT_POLICY=passive"),
    ("mixed", "9 2 2", "OMP_PROC_BIND=true"),
    ("tasks", "tree 50000 4 400", ""),
    ("tasks", "uneven 20000 4 400", ""),
    ("tasks", "inout 5000 4 400", ""),
    ("tasks", "loop 20000 4 400", ""),
    ("tasks", "masters 200 4 400", ""),
    ("tasks", "fork 2 3 400", ""),
    ("tasknest", "7 20 4", ""),
    ("tasknest", "8 20 8", "OMP_WAIT_POLICY=passive"),
)

# What every machine runs, and what a machine is there for. The rest is a fixed selection, unless GHCOMP_DEEP=1 or
# --filter asks for all: one of ONE_IN tests, by a number of the machine's and the test's names, so each machine has
# others, and none of those that take minutes in an emulator.
FEW = r"^(machines|launcher)/|^unit/(places|affinity|worker_placement|machine|os|cgroup|kmp_places)\b"
OF_PLACES = FEW + r"|^conformance/affinity/|^hostile/env_cpus"
WIDE = r"^machines/(cpus|places|bind)|^launcher/|^machines/teams \[posix( .*(tree|passive))?\]"
LONG = re.compile(
    r"^conformance/(task/helpers|barrier/phases|single/single)\.c|^hostile/(limits_|env_clock)"
    r"|^unit/(admission|barrier_(flags|policy))"
)


class Spec:
    """A machine of the table. cpus: what a program may use, as the kernel writes it; always: the tests of each run, a
    regular expression over `group/name`; one_in: how many of the others are for one that is selected, 0: none is;
    hosts: of programs; slower: what limits are multiplied by; turns: as in tools/machines.py."""

    def __init__(self, name, cpus, always, one_in=0, hosts=("posix",), slower=15, build="build", turns=True, **look):
        self.name, self.cpus, self.always, self.one_in = name, cpus, re.compile(always), one_in
        self.hosts, self.slower, self.build = hosts, slower, build
        self.machine = tool.Machine(turns=turns, **look)

    def selects(self, test):
        """Whether the selection has the test."""
        if self.always.search(test):
            return True
        if self.one_in == 0 or LONG.search(test):
            return False
        return zlib.crc32((self.name + ": " + test).encode()) % self.one_in == 0


MACHINES = (
    Spec("4", "0-3", FEW, 10, ("posix", "ghc"), smp="4"),
    Spec("4-offline", "0-1,3", OF_PLACES, 20, ("posix", "ghc", "libgomp"), smp="4,cores=2,threads=2", offline="2"),
    Spec("4-isolated", "0,3", OF_PLACES, 20, smp="4,sockets=2", append="isolcpus=1,2"),
    Spec("8", "0-7", OF_PLACES, 10, smp="8,sockets=2,cores=2,threads=2", nodes=2, slower=20),
    Spec("8-cpuset", "1,3-5", OF_PLACES, 20, smp="8,sockets=2,cores=2,threads=2", nodes=2, cpuset="1,3-5"),
    Spec("16", "0-15", FEW, 20, smp="16,sockets=4,cores=2,threads=2", nodes=4, slower=30),
    Spec("64", "0-63", WIDE, 40, smp="64,sockets=4,cores=8,threads=2", nodes=4, slower=60, memory=4096),
    Spec("aarch64-4", "0-3", FEW, 12, slower=20, build="build-aarch64", arch="aarch64", smp="4", cpu="cortex-a72"),
    Spec(
        "aarch64-8",
        "0-7",
        FEW,
        20,
        slower=30,
        build="build-aarch64",
        arch="aarch64",
        smp="8,sockets=2,cores=2,threads=2",
        nodes=2,
    ),
)


class Test:
    """A test of the table: `make(options, image)` compiles what it needs, adds it to the image and returns the words
    that start it, or raises harness.TestError; `judge(outcome, limit)` returns (result, detail, output)."""

    def __init__(self, name, limit, make, judge, env=None, ulimits=""):
        self.name, self.limit, self.make, self.judge = name, limit, make, judge
        self.env, self.ulimits = env or {}, ulimits

    def script(self, words):
        lines = ["cd /tmp"] + ["ulimit " + u.strip() for u in self.ulimits.split(";") if u.strip()]
        return "\n".join(lines + [tool.quoted(words, self.env)])


# ------------------------------------------------------------------------------------------------------------
# The tests of a machine


def environment(spec, host, extra):
    env = {"PATH": "/bin", "HOME": "/root", "LC_ALL": "C", "MACHINE_CPUS": spec.cpus}
    if host != "libgomp":
        env["LD_LIBRARY_PATH"] = "/build/dropin"
        env["GHCOMP_HOST"] = host
    env.update(extra)
    return env


def label(host, extra=""):
    return " [%s]" % " ".join(filter(None, (host, extra)))


def of_program(spec, runner, source, group, host, words=(), extra="", env=None):
    """A C program on one runtime."""
    header = harness.Header(source, LIMITS[group])
    name = "%s%s%s" % (os.path.relpath(source, HERE), "".join(" " + w for w in words), label(host, extra))
    if group in ("machines", "stress"):
        name = name.replace(".c", "", 1)
    values = dict(header.env)
    values.update(item.split("=", 1) for item in extra.split())

    def make(image):
        compiler = "gcc" if spec.machine.arch.name == os.uname().machine else spec.machine.arch.triplet + "-gcc"
        exe, log = runner.compiled(source, header, compiler)
        if exe is None:
            raise harness.TestError("does not compile: " + log)
        path = "/programs/" + os.path.relpath(source, HERE).replace(os.sep, "_")[:-2]
        image.program(path, exe)
        return [path, *words]

    def judge(done, limit):
        return runner.verdict(done, limit, header, host != "libgomp")

    return Test(name, header.limit, make, judge, environment(spec, host, {**values, **(env or {})}), header.ulimits)


def of_nest(test, words, source):
    """tasknest prints what it prints without OpenMP."""
    plain = test.judge

    def judge(done, limit):
        exe, log = harness.compile_cached(
            ["gcc", "-O2", "-Wno-unknown-pragmas", source],
            [source], os.path.join(tool.BUILD, "test", "programs"), "nest"
        )
        if exe is None:
            return "fail", "does not compile", log
        expected = subprocess.run([exe, *words], stdout=subprocess.PIPE, text=True, check=True).stdout
        result = plain(done, limit)
        if result[0] == "pass" and done.out != expected:
            return "fail", "other results than without OpenMP", done.text()
        return result

    test.judge = judge
    return test


def units(spec, runner):
    for source in sorted(glob.glob(os.path.join(HERE, "unit", "*.c"))):
        name = os.path.basename(source)[:-2]
        header = harness.Header(source, LIMITS["unit"])

        def make(image, name=name):
            exe = os.path.join(harness.ROOT, spec.build, "plain", "test", name)
            if not os.path.exists(exe):
                where = os.path.relpath(exe, harness.ROOT)
                raise harness.TestError("%s is not built: run `make check-machines`" % where)
            image.program("/unit/" + name, exe)
            return ["/unit/" + name]

        def judge(done, limit, header=header):
            return runner.verdict(done, limit, header)

        env = environment(spec, "libgomp", {"UNIT_FEWER": FEWER, **header.env})
        yield Test("unit/" + name, header.limit, make, judge, env, header.ulimits)


def launcher(spec, runner):
    """`ghcomp`: what it says of the machine, and a program under it."""
    count = len(tool.expand(spec.cpus))
    cpus = os.path.join(FOLDER, "cpus.c")

    def made(image):
        image.program("/build/bin/ghcomp", os.path.join(harness.ROOT, spec.build, "bin", "ghcomp"))

    def judged(done, limit, wanted):
        result = runner.verdict(done, limit)
        for regex in wanted:
            if result[0] == "pass" and not re.search(regex, done.out, re.MULTILINE):
                return "fail", "it does not say `%s`" % regex, done.text()
        return result

    def info(image):
        made(image)
        return ["/build/bin/ghcomp", "info"]

    def say(done, limit):
        shown = "%d (%s)" % (count, spec.cpus)
        lines = ("^CPUs +%s" % re.escape(shown), "^processors +%d," % count, "^Capabilities +%d " % count)
        return judged(done, limit, lines)

    env = environment(spec, "libgomp", {})
    yield Test("launcher/info", LIMITS["launcher"], info, say, env)
    program = of_program(spec, runner, cpus, "machines", "libgomp")

    def run(image):
        made(image)
        return ["/build/bin/ghcomp", "run", "--", *program.make(image)]

    yield Test("launcher/run", LIMITS["launcher"], run, lambda d, l: judged(d, l, ()), env)


def all_tests(spec, runner):
    hosts = [host for host in spec.hosts if host != "libgomp"]
    for program, environments in CHECKS.items():
        for extra in environments:
            for host in spec.hosts:
                if host != "libgomp" or "GHCOMP" not in extra:
                    yield of_program(spec, runner, os.path.join(FOLDER, program + ".c"), "machines", host, extra=extra)
    if spec.machine.arch.name == os.uname().machine:
        yield from launcher(spec, runner)
    yield from units(spec, runner)
    for group in ("conformance", "hostile"):
        for source in sorted(glob.glob(os.path.join(HERE, group, "**", "*.c"), recursive=True)):
            for host in hosts:
                yield of_program(spec, runner, source, group, host)
    for program, arguments, extra in STRESS:
        source = os.path.join(HERE, "stress", program + ".c")
        words = arguments.split()
        for host in hosts:
            test = of_program(
                spec, runner, source, "stress", host, words, extra, {"OMP_CANCELLATION": "true", "OMP_DYNAMIC": "false"}
            )
            yield of_nest(test, words, source) if program == "tasknest" else test


def read_excuses():
    """[(test, machine, reason)], of lines `TEST MACHINE REASON`; both are regular expressions over the whole name."""
    found = []
    with open(os.path.join(FOLDER, "excused.txt"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                test, machine, reason = line.split(None, 2)
                found.append((re.compile(test), re.compile(machine), reason.strip()))
    return found


def excuse(excuses, test, spec):
    """Why the machine cannot run the test, or None."""
    for name, machine, reason in excuses:
        if name.fullmatch(test.split(" [")[0]) and machine.fullmatch(spec.name):
            return reason
    return None


# ------------------------------------------------------------------------------------------------------------
# Running them


class Runner:
    """What test/run.py gives: compiled(source, header, compiler) and verdict(outcome, limit, header, ours)."""

    def __init__(self, options, report, compiled, verdict):
        self.options, self.report, self.compiled, self.verdict = options, report, compiled, verdict

    def name(self, spec, test):
        return "machines/%s: %s" % (spec.name, test.name)

    def chosen(self, spec, excuses):
        """The machine's tests that the filter lets through; those that are excused are reported."""
        result = []
        for test in all_tests(spec, self):
            if self.options.filter:
                if not re.search(self.options.filter, self.name(spec, test)):
                    continue
            elif not harness.DEEP and not spec.selects(test.name):
                continue
            reason = excuse(excuses, test.name, spec)
            if reason and not self.options.list:
                self.report.add(self.name(spec, test), harness.SKIP, reason)
            elif not reason:
                result.append(test)
        return result

    def run(self, spec, tests):
        missing = tool.lacks(spec.machine.arch)
        if missing:
            self.report.add("machines/" + spec.name, harness.SKIP, missing)
            return
        image = tool.Image(spec.machine.arch)
        dropin = os.path.join(harness.ROOT, spec.build, "dropin")
        if not os.path.exists(os.path.join(dropin, "libgomp.so.1")):
            self.report.add("machines/" + spec.name, harness.FAIL, "%s is not built" % os.path.relpath(dropin))
            return
        tool.with_dropin(image, dropin, "/build/dropin")
        image.library("libgcc_s.so.1")  # pthread_exit loads it
        runs, by_run = [], {}
        for test in tests:
            try:
                script = test.script(test.make(image))
            except harness.TestError as e:
                self.report.add(self.name(spec, test), harness.FAIL, str(e).split("\n")[0], str(e))
                continue
            run = tool.Run(test.name, script, min(int(test.limit * spec.slower), MOST))
            runs.append(run)
            by_run[run] = test

        def ended(run, done):
            if self.options.verbose and done.wall > 5:
                print("%s took %.0f s" % (self.name(spec, by_run[run]), done.wall))
            outcome = harness.Outcome(done.rc, done.out, done.err, done.timed_out, done.wall, done.stood)
            self.report.add(self.name(spec, by_run[run]), *by_run[run].judge(outcome, run.limit))

        why = tool.boot(spec.machine, image, runs, ended)
        if why:
            self.report.add("machines/" + spec.name, harness.FAIL, why.split("\n")[0], why)


def run(options, report, compiled, verdict):
    excuses = read_excuses()
    runner = Runner(options, report, compiled, verdict)
    known = set()
    for spec in MACHINES:
        tests = runner.chosen(spec, excuses)
        known.update((spec.name, test.name.split(" [")[0]) for test in all_tests(spec, runner))
        if options.list:
            for test in tests:
                print(runner.name(spec, test))
        elif tests:
            before, began = (report.passed, report.failed, report.skipped), time.monotonic()
            runner.run(spec, tests)
            now = report.passed, report.failed, report.skipped
            counts = tuple(b - a for a, b in zip(before, now))
            took = time.monotonic() - began
            print("machines/%s: %d passed, %d failed, %d skipped, in %.0f s" % (spec.name, *counts, took))
            sys.stdout.flush()
    for name, machine, _ in excuses:
        if not any(name.fullmatch(test) and machine.fullmatch(spec) for spec, test in known):
            report.add("machines/excused.txt", harness.FAIL, "%s %s fits no test" % (name.pattern, machine.pattern))
