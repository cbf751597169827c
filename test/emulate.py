"""Another architecture: programs are cross-compiled and run under qemu-user, an emulator of one process (`test/run.py
--emulate NAME`, `make check-aarch64`).

The emulator runs each thread of the program on a thread of its own and passes system calls on to this machine's kernel.
So what a program does is that architecture's code, with its system calls and its C library, but the order in which
threads see each other's stores is this machine's, which may be stronger: docs/internals/design.md says what that
leaves open. An emulated program is slow: its limits are multiplied.

test/emulated/NAME.txt lists the tests that the emulator cannot run, with a reason each. They are skips. Where a reason
begins with `without PART:`, the unit test is run, and leaves that part out (unit_without in test/unit/unit.h); the
runner says so. A line that fits no test is a failure.

Used by test/run.py. test/scripts/emulate_test.py is the test of this file.
"""

import os
import re
import shutil

import harness

FOLDER = os.path.join(harness.ROOT, "test", "emulated")
SLOWER = 5
WITHOUT = re.compile(r"without (\w+): ")
# Those of the loader: the emulator itself must not see them.
LOADER = ("LD_LIBRARY_PATH", "LD_PRELOAD", "LD_BIND_NOW", "LD_DEBUG")


def names():
    return sorted(f[:-4] for f in os.listdir(FOLDER) if f.endswith(".txt"))


def read_table(path):
    """{test: reason}, of lines `test  reason`; a test is named without the [variant] or [host] behind it."""
    table = {}
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if line.startswith("#") or not line.strip():
                continue
            words = line.split(None, 1)
            if len(words) != 2:
                raise SystemExit(
                    "ghc-openmp: %s line %d: a test and the reason, please" % (os.path.relpath(path), number)
                )
            if words[0] in table:
                raise SystemExit(
                    "ghc-openmp: %s line %d: %s is listed twice" % (os.path.relpath(path), number, words[0])
                )
            table[words[0]] = words[1].strip()
    return table


class Native:
    """This machine: programs are run as they are."""

    variants = ("asan", "tsan")
    slower = 1

    def compiler(self, name):
        return name

    def command(self, argv, env):
        del self
        return list(argv), env

    def cannot_run(self, name):
        del self, name

    def without(self, name):
        del self, name
        return None, None

    def check(self, known):
        del self, known
        return []

    def loaded(self, exe, dropin):
        del self
        return harness.other_libgomp(exe, dropin)


class Emulator:
    """`name` is the GNU name of the architecture: aarch64."""

    variants = ("plain",)
    slower = SLOWER

    def __init__(self, name):
        self.name = name
        self.prefix = name + "-linux-gnu-"
        self.qemu = "qemu-" + name
        self.root = "/usr/%s-linux-gnu" % name
        self.table = read_table(os.path.join(FOLDER, name + ".txt"))
        for command in (self.qemu, self.prefix + "gcc"):
            if shutil.which(command) is None:
                raise SystemExit(
                    "ghc-openmp: there is no %s here; `sh tools/deps.sh %s` installs it" % (command, name)
                )

    def compiler(self, name):
        return self.prefix + name

    def command(self, argv, env):
        """The command that runs argv there, and its environment."""
        outside = {k: v for k, v in env.items() if k not in LOADER}
        outside["QEMU_LD_PREFIX"] = self.root
        outside["UNIT_EMULATOR"] = self.qemu  # test/unit/process.h
        inside = [["-E", "%s=%s" % (k, env[k])] for k in LOADER if k in env]
        return [self.qemu] + sum(inside, []) + list(argv), outside

    def cannot_run(self, name):
        """Why the emulator cannot run the test, or None."""
        reason = self.table.get(name.split(" [")[0])
        return None if reason is None or WITHOUT.match(reason) else reason

    def without(self, name):
        """The part that the test leaves out, and the reason; or None twice."""
        reason = self.table.get(name.split(" [")[0], "")
        found = WITHOUT.match(reason)
        return (found.group(1), reason) if found else (None, None)

    def check(self, known):
        """The lines of the table that fit none of the tests `known`."""
        known = {name.split(" [")[0] for name in known}
        return sorted(set(self.table) - known)

    def loaded(self, exe, dropin):
        argv, env = self.command(
            [exe], {"LD_LIBRARY_PATH": dropin, "PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
        )
        return harness.other_libgomp(exe, dropin, argv[:-1] + ["-E", "LD_TRACE_LOADED_OBJECTS=1", exe], env)


def chosen(name):
    """Where the tests run: this machine for None."""
    if name is None:
        return Native()
    if name not in names():
        raise SystemExit("ghc-openmp: --emulate: `%s` is none of %s" % (name, ", ".join(names())))
    return Emulator(name)
