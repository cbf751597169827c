#!/usr/bin/env python3
# limit: 240
"""Each system call that a program on the drop-in makes is denied in turn, by a filter (seccomp) as sandboxes have them.

The program is denied.c. A first run under a recorder says which calls it makes, on both hosts: the runtime's, GHC's and
the C library's. Then each of them is denied with EPERM and with ENOSYS, in a run of its own: from main's beginning on,
from after a first region on, and before the program is loaded. What must hold each time:

  - The program ends by itself.
  - Status 0: its results are right, and stderr has only lines of the runtime. Else one line says what is missing, after
    the runtime's warnings at most.
  - Calls marked RIGHT below are no reason to end: the results are right.

A call that is in no list is a failure of this test: the runtime has begun to make a call that has not been reviewed.
Without a tracer the lists below are used.
"""

import argparse
import concurrent.futures
import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "test"))
import harness  # noqa: E402
from sample import of_environment  # noqa: E402

BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
DROPIN = os.path.join(BUILD, "dropin")
SOURCE = os.path.join(ROOT, "test", "fault", "denied.c")
SKIP = 77
# Denied together, as gVisor and Gramine do.
TOGETHER = "sched_getaffinity+sched_setaffinity"
LIMIT = 60  # seconds of a run, which takes a tenth of one, and ten where sleepers cannot be woken

# Calls that are not needed: the runtime runs without them, or has replacements.
RIGHT = """sched_setaffinity sched_getaffinity membarrier sched_yield clock_nanosleep ppoll gettid getcpu prlimit64
           getrlimit sysinfo mlock munlock madvise uname kcmp sched_getattr
           get_mempolicy mbind""".split()
# Calls without which the program, or GHC's RTS, may be unable to run; then it ends with a line about it.
LINE = """futex mmap munmap mprotect mremap clone clone3 openat open read pread64 close access faccessat faccessat2
          fstat stat lstat statx newfstatat lseek fcntl getdents64 readlink readlinkat poll epoll_create epoll_create1
          epoll_ctl epoll_wait epoll_pwait eventfd2 pipe pipe2 timerfd_create timerfd_settime timer_create
          timer_settime timer_delete clock_gettime clock_getres nanosleep getpid rt_sigaction rt_sigprocmask
          sigaltstack set_robust_list rseq set_tid_address getrandom prctl arch_prctl wait4 tgkill getuid geteuid
          getgid getegid ioctl""".split()
# Not denied, since the program's own end or its words would not arrive.
NEVER = {
    "exit": "a thread's end, which the C library cannot do without",
    "exit_group": "the process's end",
    "write": "the results and the lines themselves",
    "writev": "the same",
    "rt_sigreturn": "the way back from a signal handler",
    "restart_syscall": "the kernel's own",
    "execve": "the program",
    "brk": "the C library takes a refusal for memory, and the program dies of it on any runtime",
}

# Where the C library ends the process itself, as it does on any runtime, by SIGABRT or status 127: the calls, and its
# line, which may follow ours.
LIBC = {
    "futex": r"The futex facility returned an unexpected error code",
    "rseq": r"Fatal glibc error: rseq registration failed",
    "mmap": r"cannot allocate memory for thread-local data: ABORT",
}

# ... and without a line: glibc's abort() where the stack of a thread that has ended cannot be given back. Threads in a
# sandbox have workers of their own, which end with them.
ABORTS = ("munmap",)

MESSAGE = re.compile(r"ghc-openmp: |libgomp: ")
# On their own lines: the program's, the loader's, the C library's, GHC's RTS's.
OTHER = re.compile(r"program: |\S*denied: |ghcomp: |" + "|".join(LIBC.values()))
# A library of the RTS of GHC 9.6.
RTS = re.compile(r"libnuma: Warning: ")
SETTINGS = {
    "plain": {"OMP_WAIT_POLICY": "passive"},
    "bound": {"OMP_WAIT_POLICY": "passive", "OMP_PROC_BIND": "close", "OMP_PLACES": "threads"},
}


def numbers():
    """The system calls' names and numbers on this machine."""
    made = subprocess.run(["gcc", "-E", "-dM", "-include", "sys/syscall.h", "-xc", "/dev/null"], check=True,
                          stdout=subprocess.PIPE, text=True)
    return {name: int(n) for name, n in re.findall(r"^#define __NR_(\w+) (\d+)$", made.stdout, re.MULTILINE)}


def run(program, arguments, host, setting, dropin=DROPIN):
    variables = dict(SETTINGS[setting], LD_LIBRARY_PATH=dropin, GHCOMP_HOST=host)
    return harness.run([program] + arguments, LIMIT, env=harness.clean_env(variables))


def recorded(program, host, names, report):
    """For each point the calls that are made from there on."""
    calls = {}
    for when in ("start", "later"):
        calls[when] = set()
        for setting in SETTINGS:
            done = run(program, ["record", when], host, setting)
            if done.rc == SKIP:
                print("no recorder here; the calls are those in the lists")
                return {"start": set(RIGHT + LINE) & set(names), "later": set(RIGHT + LINE) & set(names)}
            if done.rc != 0:
                report("recording %s on %s: %s\n%s" % (when, host, done.ending(LIMIT), done.text()))
            by_number = {n: name for name, n in names.items()}
            calls[when] |= {by_number.get(int(line), "number " + line) for line in done.out.split()}
        for name in sorted(calls[when]):
            if name not in RIGHT and name not in LINE and name not in NEVER:
                report("the runtime makes the call %s on host %s, which is in no list of denied.py" % (name, host))
        calls[when] -= set(NEVER)
    return calls


def problem(call, done):
    """What is wrong with a run in which the call was denied, or None."""
    lines = [line for line in done.err.splitlines() if line.strip() and not RTS.match(line)]
    strange = [line for line in lines if not MESSAGE.match(line) and not OTHER.match(line)]
    ends = [line for line in lines if not re.match(r"ghc-openmp: warning: |libgomp: warning: ", line)]
    if done.timed_out:
        return "hangs"
    if done.rc == 0:
        if done.out != "right\n" or strange or ends:
            return "status 0, and not right"
        return None
    if call in RIGHT or call == TOGETHER:
        return "does not go on"
    if call in LIBC and re.search(LIBC[call], done.err):
        return None
    if call in ABORTS and done.rc == -signal.SIGABRT:
        return None
    if done.rc < 0:
        return "dies of a signal"
    if strange or len(ends) != 1:
        return "%d lines say why it ends" % len(ends)
    return None


def cases(program, hosts, names, report):
    """(host, point, call, error, setting) of each run."""
    for host in hosts:
        calls = recorded(program, host, names, report)
        # A filter that a program is started with meets the loader, too: calls that a program without threads needs are
        # left out.
        before = [c for c in RIGHT if c in names and c in calls["start"] | {"sched_getaffinity", "membarrier"}]
        for point, denied in (("start", calls["start"]), ("later", calls["later"]), ("exec", before)):
            for call in sorted(denied) + [TOGETHER]:
                if not set(call.split("+")) <= set(names):
                    continue
                both = call.startswith("sched_") or point == "exec"
                for setting in SETTINGS if both else ["bound" if point == "start" else "plain"]:
                    for error in (errno.EPERM, errno.ENOSYS):
                        yield host, point, call, error, setting


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("--host", action="append")
    options.add_argument("--call", default="", help="a regular expression")
    options.add_argument("--dropin", default=DROPIN, help="another runtime's folder")
    options.add_argument("--show", action="store_true", help="print what each run does")
    options = options.parse_args()
    work = tempfile.mkdtemp()
    failures = []
    try:
        program = os.path.join(work, "denied")
        subprocess.run(["gcc", "-O2", "-g", "-Wall", "-Wextra", "-fopenmp", SOURCE, "-o", program], check=True)
        names = numbers()
        hosts = options.host or ["posix", "ghc"]
        if not os.path.exists(os.path.join(DROPIN, "libghcomp_rts.so")):
            hosts = [host for host in hosts if host != "ghc"]
        first = run(program, ["later", str(names["uselib"] if "uselib" in names else 9999), "1"], "posix", "plain")
        if first.rc == SKIP:
            print(first.out.strip())
            return SKIP
        wanted = [c for c in cases(program, hosts, names, failures.append) if re.search(options.call, c[2])]

        chosen = of_environment()
        wanted = [case for number, case in enumerate(wanted) if chosen.has("denied", number)]

        def one(case):
            host, point, call, error, setting = case
            denied = ",".join(str(names[c]) for c in call.split("+"))
            return run(program, [point, denied, str(error)], host, setting, options.dropin)

        outcomes = {0: 0}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for case, done in zip(wanted, pool.map(one, wanted)):
                host, point, call, error, setting = case
                text = "%s %s %s %s %s" % (host, point, call, errno.errorcode[error], setting)
                wrong = problem(call, done)
                outcomes[done.rc] = outcomes.get(done.rc, 0) + 1
                if options.show:
                    said = done.err.replace("\n", "|")[:150]
                    print("%-50s %4d %.1fs %s" % (text, done.rc, done.wall, said), flush=True)
                if wrong:
                    failures.append("%s: %s\n%s\n%s" % (text, wrong, done.ending(LIMIT), done.text()[-1500:]))
        print("%d runs: %d right, %d ended with a line" % (len(wanted), outcomes[0], len(wanted) - outcomes[0]))
    finally:
        shutil.rmtree(work)
    for failure in failures:
        print("FAIL " + failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
