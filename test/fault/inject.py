#!/usr/bin/env python3
# limit: 110
# deep-limit: 7200
"""Calls of the C library fail, one after the other: what the runtime makes of it.

A program (workload.c) runs parts of OpenMP with inject.c preloaded. A first run of each part counts the calls that the
runtime makes, of each function. Then each call fails in a run of its own ("once"), and so do all from that call on
("ever"), on both hosts. What must hold each time:

  - The program ends by itself: no hang, no signal, exit status 0 or 1.
  - Status 0: the results are right. Status 1: the results up to there are.
  - What the program had printed arrives on stdout, whole, and nothing else.
  - stderr has one line that says what is wrong and what to do when the program ends with status 1, and at most one
    otherwise; with "ever", at most one of each kind. Each function has its lines, and the outcomes that are allowed
    (FAULTS).

    inject.py                       a sample of the calls, 600 runs
    GHCOMP_DEEP=1 inject.py         all of them; --part, --host and --call choose
    inject.py --host posix --part tasks --fault 'malloc 12 3 3 100 0'      one run, as a failure names it

inject.c and its two neighbours have a function for each one that the runtime calls and that can fail. SURE below lists
the others; one that is in neither is a failure of this test.
"""

import argparse
import errno
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "test"))
import harness  # noqa: E402
from sample import of_environment  # noqa: E402

HERE = os.path.join(ROOT, "test", "fault")
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
DROPIN = os.path.join(BUILD, "dropin")
LIMIT = 60
PAGE_BYTES = 65536
ROW = struct.Struct("32sQQ")
EVER = 2**40
SHOWN = 2  # failures of a kind that are printed in full

# name: the workload's arguments, and environment variables.
PARTS = {
    "regions": (["regions"], {}),
    "adapts": (["adapts"], {}),
    "sleeping": (["sleeping", "worksharing", "depend"], {"OMP_WAIT_POLICY": "passive"}),
    "nested": (["nested"], {}),
    "worksharing": (["worksharing"], {}),
    "tasks": (["tasks"], {"OMP_MAX_TASK_PRIORITY": "4"}),
    "depend": (["depend", "detach"], {}),
    "affinity": (
        ["affinity"],
        {
            "OMP_PLACES": "threads",
            "OMP_PROC_BIND": "spread,close",
            "OMP_DISPLAY_AFFINITY": "true",
            "OMP_AFFINITY_FORMAT": "shown %n %A",
            "OMP_MAX_ACTIVE_LEVELS": "2",
        },
    ),
    "places": (["sleeping"], {"OMP_PLACES": "{0},{0}"}),
    "mask": (["mask"], {}),
    "display": (
        ["nested"],
        {
            "OMP_DISPLAY_ENV": "verbose",
            "OMP_NUM_THREADS": "4,3,2",
            "OMP_NUM_THREADS_DEV_1": "3,2",
            "OMP_NUM_THREADS_ALL": "5,4",
            "OMP_PROC_BIND": "spread,close",
            "OMP_PLACES": "ll_caches",
            "OMP_AFFINITY_FORMAT": "shown %n",
            "OMP_ALLOCATOR": "omp_default_mem_space:alignment=64,pool_size=1000000",
            "OMP_STACKSIZE": "3M",
            "OMP_SCHEDULE": "guided,3",
            "GOMP_SPINCOUNT": "1000",
        },
    ),
    "alloc": (["alloc"], {}),
    "target": (["target"], {}),
    "masters": (["masters"], {}),
    "shared": (["masters", "tasks"], {"GHCOMP_SHARE": "all"}),
    "forks": (["forks"], {}),
    "handler": (["handler"], {}),
    "leave": (["leave"], {}),
}
FINISHED = re.compile(r"^(end|survivor|end of handler)\n\Z", re.MULTILINE)
DISPLAY = re.compile(r"OPENMP DISPLAY ENVIRONMENT BEGIN\n.*?OPENMP DISPLAY ENVIRONMENT END\n", re.DOTALL)

SAME, LINE, END = "the same", "a line", "status 1"
MEMORY = r"out of memory|memory is short|Out of memory"
THREADS = (
    r"Thread creation failed: .*; "
    r"(raise the limit .* or use fewer|set OMP_STACKSIZE .* or use fewer|a sandbox denies it)|"
    r"a region of \d+ threads gets \d+: no more threads can be created"
)
NO_RTS = r"running on POSIX threads, not in GHC's runtime: "


def numbers(*names):
    return [getattr(errno, name) for name in names]


# Function of inject.c: how it fails, the outcomes that are allowed, and what a line must say.
SHORTAGE = (numbers("ENOMEM"), {SAME, LINE, END}, MEMORY)
QUIET = {SAME}
FILES = numbers("ENOENT", "EACCES", "EMFILE", "EIO")
FAULTS = {
    "malloc": SHORTAGE,
    "calloc": SHORTAGE,
    "realloc": SHORTAGE,
    "aligned_alloc": (numbers("ENOMEM"), {SAME, LINE, END}, MEMORY + "|" + THREADS),
    "posix_memalign": SHORTAGE,
    "strdup": SHORTAGE,
    "open_memstream": SHORTAGE,
    "inner_alloc": (numbers("ENOMEM"), {SAME, LINE, END}, MEMORY + "|" + THREADS + "|" + NO_RTS),
    "mmap": (numbers("ENOMEM"), {SAME, LINE}, NO_RTS + "there is no memory for a stack"),
    "mprotect": (numbers("ENOMEM"), {SAME, LINE}, NO_RTS + "there is no memory for a stack"),
    "mremap": (numbers("ENOMEM"), QUIET, None),
    "mlock": (numbers("ENOMEM", "EAGAIN"), QUIET, None),
    "munmap": (numbers("ENOMEM"), QUIET, None),
    "pthread_create": (numbers("EAGAIN", "ENOMEM", "EPERM", "EINVAL"), {SAME, LINE, END}, THREADS + "|" + NO_RTS),
    "pthread_attr_init": (numbers("ENOMEM"), {SAME, LINE, END}, THREADS + "|" + NO_RTS),
    "pthread_attr_setstacksize": (numbers("EINVAL"), QUIET, None),
    "pthread_attr_setdetachstate": (numbers("EINVAL"), QUIET, None),
    "pthread_attr_setaffinity_np": (numbers("ENOMEM", "EINVAL"), QUIET, None),
    "pthread_setaffinity_np": (numbers("EINVAL", "EPERM", "ESRCH"), QUIET, None),
    "pthread_key_create": (numbers("EAGAIN", "ENOMEM"), {SAME, END}, "thread-specific|" + MEMORY),
    "pthread_setspecific": (numbers("ENOMEM"), {SAME, END}, MEMORY),
    "__register_atfork": (numbers("ENOMEM"), {END}, MEMORY),
    "sched_getaffinity": (numbers("EINVAL", "ENOSYS"), QUIET, None),
    "sched_setaffinity": (numbers("EINVAL", "EPERM"), {SAME, LINE}, "cannot be bound to place"),
    "sys_sched_getaffinity": (numbers("EINVAL", "ENOSYS", "EPERM"), QUIET, None),
    "sched_getcpu": (numbers("ENOSYS"), QUIET, None),
    "sched_yield": (numbers("ENOSYS"), QUIET, None),
    "sysconf": (numbers("EINVAL"), QUIET, None),
    "getrlimit": (numbers("EPERM"), QUIET, None),
    "gethostname": (numbers("EPERM"), QUIET, None),
    "open": (FILES, QUIET, None),
    "openat": (FILES, QUIET, None),
    "read": (numbers("EIO", "EACCES") + ["short", "garbage", "empty"], QUIET, None),
    "close": (numbers("EIO"), QUIET, None),
    "fopen": (FILES, QUIET, None),
    "fread": (numbers("EIO") + ["short", "garbage", "empty"], {SAME, LINE}, "of its places have no CPU"),
    "fclose": (numbers("EIO"), {SAME, LINE}, MEMORY),
    "opendir": (
        FILES,
        {SAME, LINE},
        lambda how: NO_RTS + (".* file descriptors" if how == errno.EMFILE else r".*\(/proc/self/fd\)"),
    ),
    "readdir": (numbers("EIO"), QUIET, None),
    "closedir": (numbers("EIO"), QUIET, None),
    "access": (numbers("EACCES", "ENOENT"), {SAME, LINE}, NO_RTS + r".*libghcomp_rts\.so.*missing"),
    "realpath": (numbers("EACCES", "ENOENT"), {SAME, LINE}, NO_RTS + r".*libghcomp_rts\.so"),
    "dladdr": ([0], {SAME, LINE}, NO_RTS + r".*libghcomp_rts\.so"),
    "dlopen": ([0], {SAME, LINE}, NO_RTS),
    "dlsym": ([0], {SAME, LINE}, NO_RTS),
    "futex_wait": (numbers("EINTR", "EAGAIN"), QUIET, None),
    "membarrier": (numbers("ENOSYS", "EPERM"), QUIET, None),
    "clock_nanosleep": (numbers("EINTR", "ENOSYS"), QUIET, None),
    "sys_write": (numbers("EINTR") + ["short"], QUIET, None),
}
# For what is no part of the workload: the eventlog (test/unit/trace.c), a program's own RTS (test/host/layout.sh), the
# search for a tool (test/ompt/loading.py); or asked only whether it is denied (test/fault/denied.py).
ELSEWHERE = {"poll", "epoll_wait", "stat", "fstat", "fcntl", "readlinkat", "dladdr1", "dlclose", "fflush", "stdout"}
# Functions of inject.c that are only counted, with the reason.
COUNTED = {
    "pthread_attr_getstacksize": "its arguments are right",
    "fwrite": "to stderr, which the program may have closed",
    "pthread_mutex_init": "glibc's cannot fail",
    "dl_iterate_phdr": "gives what its callback says",
    "clock_gettime": "the monotonic clock is always there",
    "sys_gettid": "cannot fail",
    "sys_other": "there is none",
}
# Functions that no part calls, with the reason. Every other one of FAULTS fails in a run of all parts on both hosts.
NOT_CALLED = {
    "mprotect": "for a thread whose stack is too small for GHC's RTS, which no part has",
    "pthread_attr_setdetachstate": "the runtime does not call it now",
}
# Symbols that the runtime takes from the C library and that cannot fail.
SURE = re.compile(
    r"^(mem|str|n?str|_ITM_|__ctype|__cxa|__environ|environ|__errno|__gmon|__libc_single|__sched_cpucount|__tls_get|"
    r"abort|exit|free|getpid|getauxval|qsort|snprintf|vsnprintf|fprintf|fput|stderr|dirfd|dlerror|dlvsym|ferror|"
    r"clock_getres|gnu_get_libc_version|"
    r"pthread_(attr_(destroy|getstack)|getattr_np|getspecific|mutex_(destroy|lock|trylock|unlock)|once|self|sigmask|"
    r"setcancelstate|join|tryjoin_np|detach)|(get|make|swap)context|sig(fill|del)set|syscall|prctl|fstatat|"
    r"__isoc\d\d_(sscanf|strtou?ll?)|__stack_chk|__(v?snprintf|v?fprintf|mem\w+|str\w+)_chk|realloc)"
)

work = tempfile.mkdtemp()


def compiled(name, sources, *flags):
    made = os.path.join(work, name)
    command = ["gcc", "-O2", "-g", "-Wall", "-Wextra"] + [os.path.join(HERE, source) for source in sources]
    subprocess.run(command + ["-o", made] + list(flags), check=True)
    return made


class Run:
    """One run of a part: what it did, and the number of calls of each function."""

    def __init__(self, host, part, fault=None):
        self.host, self.part, self.fault = host, part, fault
        folder = tempfile.mkdtemp(dir=work)
        page, mirror = os.path.join(folder, "page"), os.path.join(folder, "mirror")
        with open(page, "wb") as f:
            f.truncate(PAGE_BYTES)
        arguments, env = PARTS[part]
        env = dict(env, LD_LIBRARY_PATH=DROPIN, LD_PRELOAD=SHIM, GHCOMP_HOST=host, FAULT_PAGE=page)
        env["FAULT_MIRROR"] = mirror
        if fault:
            env["FAULT"] = ";".join("%s %s %d %d %d %d" % one for one in fault)
        self.done = harness.run([PROGRAM] + arguments, LIMIT, env=harness.clean_env(env))
        self.mirror = ""
        if os.path.exists(mirror):
            with open(mirror, encoding="utf-8", errors="replace") as f:
                self.mirror = f.read()
        self.calls, self.failed = {}, 0
        with open(page, "rb") as f:
            for name, calls, failed in ROW.iter_unpack(f.read()[: PAGE_BYTES // ROW.size * ROW.size]):
                name = name.rstrip(b"\0").decode()
                if name:
                    self.calls[name] = calls
                    self.failed += failed
        shutil.rmtree(folder)

    def lines(self):
        """The runtime's lines on stderr: without what the program asked it to print, and without blank lines."""
        text = DISPLAY.sub("", self.done.err)
        return [line for line in text.split("\n") if line.strip() and not line.startswith("shown ")]

    def shown(self):
        return len(re.findall(r"^shown ", self.done.err, re.MULTILINE))

    def outcome(self):
        return END if self.done.rc == 1 else LINE if self.lines() else SAME

    def problem(self, reference):
        """What is wrong, or None. reference: a run in which no call failed."""
        done, lines, steps = self.done, self.lines(), self.mirror.splitlines()
        if done.timed_out or done.rc not in (0, 1):
            return done.ending(LIMIT)
        if done.out != self.mirror:
            return "stdout is not what the program printed: %r instead of %r" % (done.out, self.mirror)
        if done.rc == 0 and self.mirror != reference.mirror:
            return "the results are wrong"
        rest = iter(reference.mirror.splitlines())
        if not all(step in rest for step in steps):
            return "the results up to the end are wrong"
        strange = [line for line in lines if not line.startswith(("ghc-openmp: ", "libgomp: "))]
        if strange:
            return "stderr has a line that is not the runtime's message: %r" % strange[0]
        ends = [line for line in lines if not re.match("ghc-openmp: warning: |libgomp: warning: ", line)]
        if len(ends) != (1 if done.rc == 1 else 0):
            return "%d lines say why the program ends with status %d" % (len(ends), done.rc)
        if len(set(lines)) != len(lines):
            return "a line is there twice"
        if self.fault is None:
            return "stderr has a line" if lines else None
        name, how, first, last, _, _ = self.fault[0]
        _, allowed, says = FAULTS[name]
        says = says(how) if callable(says) else says
        if first == last and len(lines) > 1:
            return "%d lines for one call that failed" % len(lines)
        if self.failed == 0 and (lines or done.rc != 0):
            return "there is a line, and no call failed"
        if self.outcome() not in allowed:
            return "the outcome is '%s', allowed: %s" % (self.outcome(), ", ".join(sorted(allowed)))
        for line in lines:
            if not re.search(says or "(?!)", line):
                return "the line does not say what is wrong: %r" % line
        shows = "OMP_DISPLAY_ENV" in PARTS[self.part][1]
        if shows and done.rc == 0 and not lines and not DISPLAY.search(done.err):
            return "the environment is not displayed, and no line says why"
        if self.outcome() == SAME and self.shown() != reference.shown():
            return "%d threads show their places instead of %d" % (self.shown(), reference.shown())
        return None

    def command(self):
        return "test/fault/inject.py --host %s --part %s --fault '%s'" % (
            self.host,
            self.part,
            ";".join("%s %s %d %d %d %d" % one for one in self.fault),
        )


def known_symbols(report):
    """Every function that the runtime takes from outside is failed, counted or sure."""
    library = os.path.join(DROPIN, "libgomp.so.1")
    done = subprocess.run(["nm", "-D", "--undefined-only", library], stdout=subprocess.PIPE, text=True, check=True)
    for line in done.stdout.splitlines():
        name = line.split()[-1].split("@")[0]
        if not SURE.match(name) and name not in FAULTS and name not in COUNTED and name not in ELSEWHERE:
            report("the runtime calls %s, which inject.c does not fail, and which is not in SURE" % name)


# The sample: these fail in every part, the others once for each way in which they can fail.
EVERYWHERE = {"malloc", "calloc", "aligned_alloc", "inner_alloc", "pthread_create"}
# These are called so often that each call for itself is too much: half of them fail, by chance. (All writes that are
# interrupted would be a program that makes no progress.)
OFTEN = {"futex_wait", "clock_nanosleep", "membarrier", "sched_yield", "sys_write"}
# The message itself is written with interruptions, and a byte at a time.
NO_THREAD = ("pthread_create", errno.EAGAIN, 1, EVER, 100, 0)
MESSAGES = [  # in the part `regions`
    (NO_THREAD, ("sys_write", errno.EINTR, 1, 3, 100, 0)),
    (NO_THREAD, ("sys_write", "short", 1, EVER, 100, 0)),
]
# A program that its first thread leaves ends only if the runtime notices the ends of threads.
ENDS = [  # in the part `leave`
    ((name, errno.ENOMEM, n, last, 100, 0),)
    for name, calls in (("pthread_key_create", 2), ("pthread_setspecific", 3))
    for n in range(1, calls + 1)
    for last in (n, EVER)
]


def once(name, how, n):
    return ((name, how, n, n, 100, n),)


def ever(name, how, n):
    return ((name, how, n, EVER, 100, n),)


def sample(counts):
    turn = 0
    for (host, part), calls in counts.items():
        for name in sorted(EVERYWHERE & set(calls)):
            how, count = FAULTS[name][0][turn % len(FAULTS[name][0])], calls[name]
            if count == 0:
                continue
            turn += 1
            if host == "posix":
                yield host, part, once(name, how, 1 + turn * 7 % count)
                yield host, part, once(name, how, count - turn * 5 % ((count + 1) // 2))
            yield host, part, ever(name, how, 1 + turn * 11 % count)
    for host in sorted({host for host, _ in counts}):
        for name in sorted(set(FAULTS) - EVERYWHERE):
            parts = [(part, calls[name]) for (h, part), calls in counts.items() if h == host and calls.get(name)]
            for how in FAULTS[name][0] if parts else []:
                turn += 1
                part, count = parts[turn % len(parts)]
                if name != "sys_write" or how == "short":
                    yield host, part, ever(name, how, 1)
                part, count = max(parts, key=lambda entry: entry[1])
                if name in OFTEN:
                    yield host, part, ((name, how, 1, EVER, 50, turn),)
                else:
                    yield host, part, once(name, how, 1 + turn * 7 % count)


def everything(counts):
    for (host, part), calls in counts.items():
        for name, (hows, _, _) in FAULTS.items():
            count = calls.get(name, 0)
            for how in hows if count > 0 else []:
                if name in OFTEN:
                    for seed in range(20):
                        yield host, part, ((name, how, 1, EVER, 50, seed),)
                    if name != "sys_write" or how == "short":
                        yield host, part, ever(name, how, 1)
                    continue
                for n in range(1, count + 1):
                    yield host, part, once(name, how, n)
                    yield host, part, ever(name, how, n)


def parsed(text):
    name, how, *rest = text.split()
    return (name, int(how) if how.isdigit() else how) + tuple(int(word) for word in rest)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--host", choices=["posix", "ghc"])
    p.add_argument("--part", choices=sorted(PARTS))
    p.add_argument("--call", choices=sorted(FAULTS))
    p.add_argument("--fault", help="one run, with FAULT as inject.c describes it")
    p.add_argument("--times", type=int, default=1, help="with --fault: so many runs")
    p.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    p.add_argument("--counts", action="store_true", help="print the number of calls of each function, and end")
    options = p.parse_args()
    deep = os.environ.get("GHCOMP_DEEP", "0") not in ("", "0")
    hosts = ["posix"] + (["ghc"] if glob.glob(os.path.join(DROPIN, "libghcomp_rts*")) else [])
    hosts = [host for host in hosts if options.host in (None, host)]
    parts = [part for part in PARTS if options.part in (None, part)]
    problems, kinds = [], {}

    def report(text, kind=None):
        problems.append(text)
        kinds[kind] = kinds.get(kind, 0) + 1
        if kind is None or kinds[kind] <= SHOWN:
            print("FAIL " + text, flush=True)

    known_symbols(report)
    references, counts = {}, {}
    for host in hosts:
        for part in parts:
            run = Run(host, part)
            references[host, part] = run
            counts[host, part] = run.calls
            bad = run.problem(run) or ("WRONG" in run.mirror or not FINISHED.search(run.mirror)) and "wrong results"
            if bad:
                report("%s on %s, no call failed: %s\n%s" % (part, host, bad, run.done.text()))
            if options.counts:
                print(host, part, {k: v for k, v in sorted(run.calls.items()) if v}, flush=True)
    if options.counts or problems:
        return 1 if problems else 0
    whole = False
    if options.fault is not None:
        fault = tuple(parsed(text) for text in options.fault.split(";"))
        todo = [(host, part, fault) for host in hosts for part in parts] * options.times
    else:
        todo = list(everything(counts) if deep else sample(counts))
        for part, faults in ("regions", MESSAGES), ("leave", ENDS):
            todo += [(host, part, fault) for host in hosts for fault in faults if part in parts]
        todo = [plan for plan in todo if options.call in (None, plan[2][0][0])]
        chosen = of_environment()
        todo = [plan for number, plan in enumerate(todo) if chosen.has("inject", number)]
        whole = chosen.parts == 1 and options.call is None and options.part is None
    outcomes, calls_failed, unreached = {}, set(), 0

    def one(plan):
        nonlocal unreached
        host, part, fault = plan
        run = Run(host, part, fault)
        bad = run.problem(references[host, part])
        if run.failed == 0:
            unreached += 1
        else:
            calls_failed.add(fault[0][0])
            outcomes[run.outcome()] = outcomes.get(run.outcome(), 0) + 1
        if bad:
            text = "%s\n    %s\n%s" % (run.command(), bad, harness.tail(run.done.text()))
            report(text, "%s on %s: %s" % (fault[0][0], host, bad[:60]))
        elif options.fault is not None:
            print("%s on %s: %s\n%s" % (part, host, run.outcome(), run.done.text()), end="")

    harness.parallel(one, todo, options.jobs)
    print(
        "%d runs; %d functions failed, never: %s; outcomes: %s; %d runs did not come to the call"
        % (
            len(todo),
            len(calls_failed),
            " ".join(sorted(set(FAULTS) - calls_failed)) or "none",
            ", ".join("%s %d" % (name, outcomes.get(name, 0)) for name in (SAME, LINE, END)),
            unreached,
        )
    )
    if options.fault is None and options.call is None and unreached * 2 > len(todo):
        report("%d of %d runs did not come to the call that they were to fail" % (unreached, len(todo)), "not reached")
    if whole and len(hosts) == 2:
        # Whether those of OFTEN are called is a matter of time.
        for name in sorted(set(FAULTS) - calls_failed - set(NOT_CALLED) - OFTEN):
            report("%s never failed: no part calls it, or the run did not come to the call" % name, "never failed")
    if problems:
        print("%d problems" % len(problems))
        for kind, count in sorted(kinds.items()):
            print("    %4d  %s" % (count, kind))
    return 1 if problems else 0


if __name__ == "__main__":
    try:
        PROGRAM = compiled("workload", ["workload.c"], "-fopenmp")
        SHIM = compiled("inject.so", ["inject.c", "inject_process.c", "inject_files.c"], "-shared", "-fPIC", "-ldl")
        status = main()
    finally:
        shutil.rmtree(work)
    sys.exit(status)
