"""What every kind of test needs: run a command in its own process group under a hard limit, compile once for
each content. report.py runs many at a time and counts; this file has its names, too.

Used by test/run.py (the driver) and test/suites/libgomp/suite.py; docs/internals/testing.md describes both for their
users. test/scripts/harness_test.py is the test of this file.

Limits. A test is never run twice: a hang is a failure. A loaded machine must not look like a hang, so a
test's clock is slowed while other processes compete for the CPUs with its threads (Clock below); five limits
of wall time end it in any case.
"""

import contextlib
import difflib
import errno
import hashlib
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import costs
import stacks
from report import FAIL, PASS, SKIP, TAIL_LINES, Report, parallel, tail, write_json  # noqa: F401  (for users)

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Variables that configure an OpenMP runtime: a test sees only those it asks for.
STEERING = re.compile(r"^(OMP_|GOMP_|GHCOMP_(?!DEEP$)|KMP_|GHCRTS$|LD_LIBRARY_PATH$|LD_PRELOAD$)")
# Values of GHCOMP_HOST, and `around`: `auto` in a Haskell process (around.py).
HOSTS = ("posix", "ghc", "auto", "around")
VARIANTS = ("asan", "tsan", "plain")
# GHCOMP_DEEP=1: tests that have a deep part run it, under the limit of their `deep-limit:`.
DEEP = os.environ.get("GHCOMP_DEEP", "0") not in ("", "0")
OUTPUT_LIMIT = 1 << 20
STEP = 0.5  # seconds between two looks at a test that runs
WALL_FACTOR = 5
NO_ROOM = os.strerror(errno.EAGAIN)
PATIENCE = 60  # seconds for which a process that cannot be started is tried again


class TestError(Exception):
    """A test that cannot be started as it is written (bad directive, missing file): reported as a failure."""


class NoProcess(Exception):
    """The system has refused a new process for a minute: the run ends with one failure about it."""


class Skip(Exception):
    """A test that cannot run on this machine; the text is the reason."""


def unwrap_python():
    """Where `python3` is a wrapper's script, such as pyenv's, which takes longer than the interpreter's start, the
    programs that this process starts find the interpreter itself."""
    found = shutil.which("python3")
    with open(found or os.devnull, "rb") as f:
        if f.read(2) == b"#!":
            os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]


def clean_env(extra=None):
    """The environment of a test: this process's, without what configures a runtime, plus `extra`."""
    env = {k: v for k, v in os.environ.items() if not STEERING.match(k)}
    env["LC_ALL"] = "C"
    env.update(extra or {})
    return env


def _runnable_threads(pid):
    """How many threads of process `pid` run or wait for a CPU now."""
    count = 0
    try:
        for tid in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/stat" % (pid, tid), encoding="latin-1") as f:
                if f.read().rsplit(")", 1)[1].split()[0] == "R":
                    count += 1
    except (OSError, IndexError):
        pass
    return count


class Clock:
    """Time as a test on a machine of its own would see it.

    With `own` runnable threads of the test's processes and `others` of the rest on `cpus` CPUs, the test gets a fair
    share cpus*own/(own+others) of min(own, cpus) CPUs; its clock runs at that rate. A sleeping test's clock
    runs at 1.
    """

    LOOK = 2.0  # seconds between two looks at which processes the test has

    def __init__(self):
        self.start = self.last = self.looked = time.monotonic()
        self.processes = None
        self.effective = 0.0
        self.cpus = len(os.sched_getaffinity(0))

    def tick(self, pid):
        now = time.monotonic()
        step, self.last = now - self.last, now
        if now - self.looked > self.LOOK:
            self.looked, self.processes = now, stacks.processes(stacks.SESSION, pid)
        own = sum(map(_runnable_threads, self.processes or [pid]))
        rate = 1.0
        if own:
            try:
                with open("/proc/loadavg", encoding="ascii") as f:
                    running = int(f.read().split()[3].split("/")[0])
            except (OSError, ValueError, IndexError):
                running = own
            others = max(0, running - own - 1)  # minus this process, which reads the file
            share = self.cpus * own / (own + others)
            rate = min(1.0, share / min(own, self.cpus))
        self.effective += step * rate

    def expired(self, limit):
        return self.effective > limit or self.last - self.start > WALL_FACTOR * limit


class Outcome:
    """What a command did: rc (negative: killed by that signal), output, whether the limit ended it, and its threads'
    stacks at that time."""

    def __init__(self, rc, out, err, timed_out, wall, stood=""):
        self.rc, self.out, self.err, self.timed_out, self.wall = rc, out, err, timed_out, wall
        self.stood = stood

    def text(self):
        return self.out + self.err + self.stood

    def last_words(self):
        lines = [line for line in (self.out + self.err).splitlines() if line.strip()]
        return lines[-1].strip() if lines else "no reason given"

    def ending(self, limit):
        if self.timed_out:
            return "hung: killed after %g s (limit %g s)" % (round(self.wall, 1), limit)
        if self.rc < 0:
            try:
                return "killed by " + signal.Signals(-self.rc).name
            except ValueError:
                return "killed by signal %d" % -self.rc
        return "exit status %d" % self.rc


# Process groups of the tests that run now; lock: the interpreter's own (add, discard and copy are single
# steps).
_live = set()


def kill_tests_on_signals():
    """An interrupted driver ends its tests: they are in other process groups, which no terminal reaches."""

    def end(number, _frame):
        for pgid in list(_live):
            _kill_group(pgid)
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)


def _kill_group(pgid):
    try:
        os.killpg(pgid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def start(argv, **how):
    """subprocess.Popen, tried again for a minute where the system has no room for another process (EAGAIN): other
    programs' threads count against the same limits."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return subprocess.Popen(argv, **how)
        except BlockingIOError as e:
            if time.monotonic() > until:
                raise NoProcess("no process can be started for %d s: %s; end other programs here, or raise the limit "
                                "of processes and threads (ulimit -u, pids.max)" % (PATIENCE, e.strerror)) from None
            time.sleep(0.2)


@contextlib.contextmanager
def _end_of(pid):
    """A function that waits for a child's end, for some seconds at most, and says whether it has come. The child stays
    a zombie, so that its group's id is not used again before the group is killed."""
    try:
        file = os.pidfd_open(pid)
    except OSError:  # before Linux 5.3
        file = None
    if file is None:

        def ended(seconds):
            until, pause = time.monotonic() + seconds, 0.002
            while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                if time.monotonic() > until:
                    return False
                time.sleep(pause)
                pause = min(0.05, pause * 1.5)
            return True

        yield ended
        return
    poll = select.poll()
    poll.register(file, select.POLLIN)
    try:
        yield lambda seconds: bool(poll.poll(seconds * 1000))
    finally:
        os.close(file)


def _reap(proc):
    """The exit status as Popen has it; what the process cost is the test's."""
    _, status, used = os.wait4(proc.pid, 0)
    costs.spend(used.ru_utime + used.ru_stime)
    proc.returncode = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return proc.returncode


def _read(f):
    f.seek(0)
    data = f.read(OUTPUT_LIMIT)
    if f.read(1):
        data += b"\n[output cut after 1 MiB]\n"
    return data.decode("utf-8", "replace")


def run(argv, limit, env=None, cwd=None, ulimits="", merge=False):
    """Run argv under `limit` seconds in a process group of its own; nothing of the group survives this call.

    `ulimits` is what the shell's ulimit takes, several separated by ';'. merge: stderr goes where stdout
    goes. Output goes to files, not pipes, so a left-over child cannot hold this process up.
    """
    if ulimits:
        settings = " && ".join("ulimit " + u.strip() for u in ulimits.split(";") if u.strip())
        argv = ["/bin/bash", "-c", settings + ' && exec "$@"', "bash"] + list(argv)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            proc = start(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out if merge else err,
                env=clean_env() if env is None else env,
                cwd=cwd,
                start_new_session=True,
            )
        except OSError as e:
            raise TestError("cannot start %s: %s" % (argv[0], e.strerror)) from None
        clock, timed_out, stood = Clock(), False, ""
        _live.add(proc.pid)
        try:
            with _end_of(proc.pid) as ended:
                while not ended(min(STEP, limit / 4)):
                    clock.tick(proc.pid)
                    if clock.expired(limit):
                        timed_out, wall = True, time.monotonic() - clock.start
                        stood = stacks.of_group(proc.pid)
                        break
        finally:
            _kill_group(proc.pid)
            _live.discard(proc.pid)
            rc = _reap(proc)
        if not timed_out:
            wall = time.monotonic() - clock.start
        return Outcome(rc, _read(out), _read(err), timed_out, wall, stood)


def output(argv, env=None):
    """What a tool such as readelf prints, which must not fail."""
    done = run(argv, 60, env=env)
    if done.rc != 0:
        raise TestError("%s: %s: %s" % (argv[0], done.ending(60), done.text().strip()))
    return done.out


def dynamic_symbols(path, undefined):
    """The names of an object's dynamic symbols, with their versions: those that it needs, or those that it defines. By
    readelf: nm loads bfd's plugins first, which may be all of LLVM."""
    names = []
    for line in output(["readelf", "-W", "--dyn-syms", path]).splitlines():
        words = line.split()  # Num: Value Size Type Bind Vis Ndx Name (version)
        if len(words) >= 8 and words[0][:-1].isdigit() and (words[6] == "UND") == undefined:
            names.append(words[7])
    return names


# ------------------------------------------------------------------------------------------------------------
# Directives in the header comment of a test

KNOWN = {
    "env",
    "hosts",
    "limit",
    "variants",
    "deep-limit",
    "expect-exit",
    "expect-stderr",
    "expect-stdout",
    "cflags",
    "ldflags",
    "ulimit",
    "repeat",
    "ghcomp-only",
    "timing",
    "timing-part",
}
REPEATABLE = {"env", "expect-stderr", "expect-stdout", "cflags", "ldflags", "ulimit"}
_LEADER = re.compile(r"^\s*(?:/\*+|\*+(?!/)|//+|!+|#+(?!\s*include)|[Cc](?=\s))\s*")
_KEY = re.compile(r"^([a-z][a-z-]*):(?:\s+(.*))?$")
_BEHIND = re.compile(r"[.;] ([a-z][a-z-]*): ")


def directives(path):
    """The directives of the comment that opens `path`: {key: [values]}.  A misspelt key is an error."""
    found = {}
    with open(path, encoding="utf-8", errors="replace") as f:
        lines = f.read().splitlines()
    in_block = in_text = False  # in a comment, in a docstring
    for number, line in enumerate(lines, 1):
        if number == 1 and line.startswith("#!"):
            continue
        leader = _LEADER.match(line)
        quotes = line.count('"""')
        if in_text or (quotes and line.startswith('"""')):
            in_text = in_text != (quotes % 2 == 1)
            m = _KEY.match(line)
            if m and m.group(1) in KNOWN:
                raise TestError("line %d: `%s:` stands in a docstring; write a comment" % (number, m.group(1)))
            continue
        if not leader and not in_block and line.strip():
            break
        body = line[leader.end() :] if leader else line.strip()
        if line.lstrip().startswith("/*"):
            in_block = True
        if "*/" in line:
            in_block = False
            body = body.split("*/")[0]
        m = _KEY.match(body.strip())
        if not m:
            inside = [key for key in _BEHIND.findall(body) if key in KNOWN]
            if inside:
                raise TestError("line %d: `%s:` stands behind a sentence; give it a line" % (number, inside[0]))
            continue
        key, value = m.group(1), (m.group(2) or "").strip()
        if key not in KNOWN:
            near = difflib.get_close_matches(key, KNOWN, 1, 0.75)
            if near:
                raise TestError("line %d: unknown directive `%s:`; `%s:` was meant?" % (number, key, near[0]))
            continue
        if key in found and key not in REPEATABLE:
            raise TestError("line %d: `%s:` is given twice" % (number, key))
        if not value:
            raise TestError("line %d: `%s:` needs a value" % (number, key))
        found.setdefault(key, []).append(value)
    return found


class Header:
    """The directives of one test, checked and with their defaults."""

    def __init__(self, path, default_limit):
        d = directives(path)
        try:
            self.limit = float(d.get("limit", [default_limit])[0])
            if DEEP:
                self.limit = float(d.get("deep-limit", [self.limit])[0])
            self.repeat = int(d.get("repeat", ["1"])[0])
            self.exit = int(d.get("expect-exit", ["0"])[0])
        except ValueError as e:
            raise TestError("a directive is not a number: %s" % e) from None
        self.env = {}
        for line in d.get("env", []):
            for item in shlex.split(line):
                name, eq, value = item.partition("=")
                if not eq:
                    raise TestError("env: `%s` is not NAME=VALUE" % item)
                self.env[name] = value
        self.hosts = d["hosts"][0].split() if "hosts" in d else None
        for host in self.hosts or []:
            if host not in HOSTS:
                raise TestError("hosts: `%s` is none of %s" % (host, ", ".join(HOSTS)))
        self.variants = d["variants"][0].split() if "variants" in d else None
        for variant in self.variants or []:
            if variant not in VARIANTS:
                raise TestError("variants: `%s` is none of %s" % (variant, ", ".join(VARIANTS)))
        self.stdout = [self._regex(r) for r in d.get("expect-stdout", [])]
        self.stderr = [self._regex(r) for r in d.get("expect-stderr", [])]
        self.cflags = shlex.split(" ".join(d.get("cflags", [])))
        self.ldflags = shlex.split(" ".join(d.get("ldflags", [])))
        self.ulimits = ";".join(d.get("ulimit", []))
        self.ghcomp_only = d.get("ghcomp-only", [None])[0]
        self.timing = "timing" in d  # whole
        self.timing_part = "timing-part" in d

    @staticmethod
    def _regex(text):
        try:
            return re.compile(text, re.MULTILINE)
        except re.error as e:
            raise TestError("bad regular expression `%s`: %s" % (text, e)) from None


# ------------------------------------------------------------------------------------------------------------
# Compile once for each content


def digest(*parts):
    """A content hash of strings and bytes."""
    h = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogateescape")
        h.update(b"%d:" % len(data))
        h.update(data)
    return h.hexdigest()[:32]


def file_digest(path):
    with open(path, "rb") as f:
        return digest(f.read())


_versions = {}


def compiler_version(compiler):
    """One line that changes when the compiler does; None where there is no such compiler."""
    if compiler not in _versions:
        try:
            done = run([compiler, "--version"], 60)
        except TestError:
            done = None
        _versions[compiler] = done.out.splitlines()[0] if done and done.rc == 0 and done.out else None
    return _versions[compiler]


def refused(text):
    """Whether a tool says that it could not start a process or a thread. The runtime's own messages do not count:
    those are its tests' affair."""
    return any((NO_ROOM in line or "Cannot fork" in line) and "ghc-openmp:" not in line for line in text.splitlines())


def until_room(argv, limit, **how):
    """run() of a compiler or a script, for a minute again while it could not start processes of its own."""
    until = None
    while True:
        done = run(argv, limit, **how)
        if done.rc == 0 or not refused(done.out + done.err):
            return done
        until = until or time.monotonic() + PATIENCE
        if time.monotonic() > until:
            raise NoProcess("%s cannot start a process for %d s: %s" % (argv[0], PATIENCE, NO_ROOM))
        time.sleep(0.2)


def compile_cached(argv, inputs, folder, name, limit=300, base=ROOT):
    """Compile by `argv + ["-o", PROGRAM]`, unless a program of the same content is in `folder`.

    `inputs` are all files that the result depends on. Returns (path or None, compiler's output); failures are
    cached too. The compiler runs in a directory of its own (Fortran writes module files there).
    """
    # Without `base`, so that several working trees can share a cache.
    words = "\0".join(argv).replace(base, "")
    key = digest(compiler_version(argv[0]) or "", words, *[file_digest(i) for i in inputs])
    exe = os.path.join(folder, "%s-%s" % (name, key))
    log = exe + ".log"
    if os.path.exists(exe):
        return exe, ""
    if os.path.exists(log):
        with open(log, encoding="utf-8") as f:
            return None, f.read()
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="c-", dir=folder) as tmp:
        made = os.path.join(tmp, "program")
        done = until_room(argv + ["-o", made], limit, env=clean_env(), cwd=tmp, merge=True)
        if done.rc == 0 and not done.timed_out and os.path.exists(made):
            os.replace(made, exe)
            return exe, done.out
        text = done.out + "\n[%s: %s]\n" % (argv[0], done.ending(limit))
        if not done.timed_out and done.rc >= 0:
            with open(log, "w", encoding="utf-8") as f:
                f.write(text)
        return None, text


def other_libgomp(exe, dropin, lister=None, env=None):
    """The loader's message when a program that needs libgomp.so.1 or libomp.so.5 would not get the drop-in's, or when
    it fails, or None.
    `lister` is the command that shows what is loaded, in `env`, where it is not ldd."""
    done = run(lister or ["ldd", exe], 60, env=env or clean_env({"LD_LIBRARY_PATH": dropin}), merge=True)
    said = done.out
    if done.rc != 0 or done.timed_out:
        return "%s\n%s: %s" % (said, (lister or ["ldd"])[0], done.ending(60))
    ours = os.path.realpath(os.path.join(dropin, "libgomp.so.1"))
    for found in re.findall(r"(?:libgomp\.so\.1|libomp\.so\.5|libiomp5\.so) => (\S+)", said):
        if os.path.realpath(found) != ours:
            return said
    return None
