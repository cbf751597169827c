#!/usr/bin/env python3
"""Virtual machines of other sizes than this one: qemu without KVM, Debian's kernel for clouds, an initramfs.

    tools/machines.py fetch [ARCHITECTURE...]       the kernels and busyboxes, into build/machines (does nothing twice)
    tools/machines.py run [OPTION...] -- COMMAND [ARGUMENT...]

`run` boots a machine, runs a program of this one in it with the libraries that it needs and with the drop-in, prints
what it prints, and ends with its status (124: the limit). Options: --arch aarch64, --smp 8,sockets=2,cores=2,threads=2
(as qemu's -smp), --nodes N (NUMA nodes, with an equal share of the CPUs each), --offline 2,3 (CPUs), --cpuset 1,3-5
(the program is in a control group with these), --append 'isolcpus=2,3' (for the kernel), --turns (the virtual CPUs
take turns on one CPU), --env NAME=VALUE, --add FILE, --own-libgomp (without the drop-in), --limit SECONDS, --console
(also what the kernel says). For example:

    tools/machines.py run --smp 4,sockets=2 --env OMP_PLACES=sockets --env OMP_DISPLAY_ENV=true -- a.out

Each virtual CPU is a thread of qemu, or they take turns in one thread. The guest has no disk and no network: the
initramfs has busybox, test/machines/init as its first process, and the files; what the guest says comes through its
console. The kernel and busybox are taken out of Debian's packages, which are not installed; a package of another
architecture comes by lists of its own, so that this system's remain as they are. GHCOMP_MACHINE_KERNEL and
GHCOMP_MACHINE_BUSYBOX name other files.

test/virtual.py is the group `machines` of test/run.py, which uses this; test/scripts/machines_test.py tests it.
"""

import argparse
import glob
import os
import re
import select
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
INIT = os.path.join(ROOT, "test", "machines", "init")
LISTED = re.compile(r"^(?P<mark>@@|<o|<e|<s) ?(?P<text>.*)$")
BOOT_LIMIT = 600  # seconds until the first process says something
PATIENCE = 300  # seconds beyond a program's own limit, after which the guest itself hangs


class Architecture:
    """What differs between them. `debian` is Debian's name, `triplet` GNU's; `cross` is below what cross compilers
    have their libraries in."""

    def __init__(self, name, debian, qemu, console, cross=None):
        self.name, self.debian, self.qemu, self.console = name, debian, qemu, console
        self.triplet = name + "-linux-gnu"
        self.libraries = [
            os.path.join(cross or "", *path)
            for path in (("/lib", self.triplet), ("/usr/lib", self.triplet), ("/lib64",), ("/usr/lib",))
        ]
        if cross:
            self.libraries = [cross + "/lib"] + sorted(glob.glob("/usr/lib/gcc-cross/%s/*" % self.triplet))
        self.folder = os.path.join(BUILD, "machines", name)


ARCHITECTURES = {
    "x86_64": Architecture(
        "x86_64", "amd64", ["qemu-system-x86_64", "-machine", "q35", "-cpu", "max"], "ttyS0"
    ),
    "aarch64": Architecture(
        "aarch64",
        "arm64",
        ["qemu-system-aarch64", "-machine", "virt,gic-version=3", "-cpu", "max,pauth-impdef=on"],
        "ttyAMA0",
        "/usr/aarch64-linux-gnu",
    ),
}


def die(text):
    raise SystemExit("ghc-openmp: tools/machines.py: " + text)


# ------------------------------------------------------------------------------------------------------------
# The kernel and busybox


def files_of(arch):
    """The kernel and the busybox of an architecture: where they are, or will be."""
    return (
        os.environ.get("GHCOMP_MACHINE_KERNEL") or os.path.join(arch.folder, "vmlinuz"),
        os.environ.get("GHCOMP_MACHINE_BUSYBOX") or os.path.join(arch.folder, "busybox"),
    )


def lacks(arch):
    """What is missing for machines of that architecture, or None."""
    if shutil.which(arch.qemu[0]) is None:
        return "there is no %s here; `sh tools/deps.sh machines` installs it" % arch.qemu[0]
    for path in files_of(arch):
        if not os.path.exists(path):
            return "there is no %s; `tools/machines.py fetch` gets it" % os.path.relpath(path, ROOT)
    return None


def fetch(arch):
    """Takes the kernel and busybox from Debian's packages, by apt with lists of its own below build/machines."""
    if all(map(os.path.exists, files_of(arch))):
        return
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        die("it takes the kernel from Debian's packages, and there is no apt here; see GHCOMP_MACHINE_KERNEL")
    os.makedirs(arch.folder, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=arch.folder) as work:
        os.makedirs(os.path.join(work, "lists", "partial"))
        options = []
        for name, value in (
            ("APT::Architecture", arch.debian),
            ("APT::Architectures", arch.debian),
            ("APT::Sandbox::User", "root"),
            ("Dir::State::lists", os.path.join(work, "lists")),
            ("Dir::State::status", "/dev/null"),
            ("Dir::Cache", work),
        ):
            options += ["-o", "%s=%s" % (name, value)]

        def apt(*words):
            done = subprocess.run(
                [words[0]] + options + list(words[1:]), cwd=work, capture_output=True, text=True, check=False
            )
            if done.returncode != 0:
                die("%s failed: %s" % (" ".join(words), (done.stdout + done.stderr).strip()[-600:]))
            return done.stdout

        apt("apt-get", "-q", "update")
        depends = apt("apt-cache", "depends", "linux-image-cloud-" + arch.debian)
        image = re.search(r"Depends: (linux-image-\S+)", depends)
        if image is None:
            die("this archive's linux-image-cloud-%s names no kernel" % arch.debian)
        for package, pattern, path in (
            (image.group(1), "boot/vmlinuz-*", files_of(arch)[0]),
            ("busybox-static", "bin/busybox", files_of(arch)[1]),
        ):
            apt("apt-get", "-q", "download", package)
            tree = os.path.join(work, "tree-" + package)
            (deb,) = glob.glob(os.path.join(work, package + "_*.deb"))
            subprocess.run(["dpkg-deb", "-x", deb, tree], check=True)
            (found,) = glob.glob(os.path.join(tree, pattern)) or glob.glob(os.path.join(tree, "usr", pattern))
            shutil.copyfile(found, path + ".new")
            os.replace(path + ".new", path)


# ------------------------------------------------------------------------------------------------------------
# The initramfs


def dynamic(path, readelf="readelf"):
    """(libraries that an ELF file needs, folders that it names for them, its loader)."""
    done = subprocess.run(
        [readelf, "-d", "-l", "-W", path],
        capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"}
    ).stdout
    paths = ":".join(re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", done)).split(":")
    origin = os.path.dirname(os.path.realpath(path))
    loader = re.search(r"interpreter: (\S+)\]", done)
    return (
        re.findall(r"\(NEEDED\).*\[(.*)\]", done),
        [p.replace("$ORIGIN", origin).replace("${ORIGIN}", origin) for p in paths if p],
        loader.group(1) if loader else None,
    )


STRIPPED = {}  # for several images


class Image:
    """The files of a guest, as an archive for the kernel (cpio, `newc`). A library is where this machine has it, or in
    /lib for another architecture."""

    def __init__(self, arch):
        self.arch = arch
        self.files = {}  # path in the guest: (mode, bytes or path of this machine)
        self.seen = set()
        for folder in ("proc", "sys", "dev", "tmp", "root", "etc", "bin", "runs"):
            self.files["/" + folder] = (stat.S_IFDIR | 0o755, b"")
        self.text("/etc/passwd", "root:x:0:0::/root:/bin/sh\n")
        self.text("/etc/group", "root:x:0:\n")
        self.file("/bin/busybox", files_of(arch)[1])
        self.link("/bin/sh", "busybox")
        self.file("/init", INIT)

    def text(self, path, content, mode=0o755):
        self._folders(path)
        self.files[path] = (stat.S_IFREG | mode, content.encode())

    def link(self, path, to):
        self._folders(path)
        self.files[path] = (stat.S_IFLNK | 0o777, to.encode())

    def file(self, path, source):
        """A file of this machine, without its libraries."""
        self._folders(path)
        self.files[path] = (stat.S_IFREG | 0o755, source)

    def program(self, path, source, strip=True):
        """A program or library with what it needs, unless that is in the image."""
        self._folders(path)
        self.files[path] = (stat.S_IFREG | 0o755, self._stripped(source) if strip else source)
        self.needs(source)

    def needs(self, source):
        """What a program needs, and not itself."""
        libraries, folders, loader = dynamic(source)
        if loader:
            self._library(loader, os.path.basename(loader), [], keep=loader)
        for name in libraries:
            self._library(source, name, folders)

    def library(self, name):
        """A library that programs load while they run."""
        self._library("a program", name, [])

    def _library(self, by, name, folders, keep=None):
        if name in self.seen or os.path.basename(by) == name and keep is None:
            return
        for folder in folders + self.arch.libraries:
            path = os.path.join(folder, name)
            if os.path.exists(path):
                break
        else:
            die("%s needs %s, which is in none of %s" % (by, name, " ".join(folders + self.arch.libraries)))
        self.seen.add(name)
        where = keep or (path if path.startswith(("/usr/lib/ghc", "/usr/lib/haskell")) else "/lib/" + name)
        self.program(where, os.path.realpath(path))

    def _stripped(self, source):
        """Without what debuggers need; the contents, or the path where nothing can be taken away."""
        if source not in STRIPPED:
            STRIPPED[source] = self._strip(source)
        return STRIPPED[source]

    def _strip(self, source):
        strip = shutil.which(self.arch.triplet + "-strip")
        if strip is None:
            return source
        with tempfile.NamedTemporaryFile() as out:
            done = subprocess.run(
                [strip, "--strip-debug", "-o", out.name, source], stderr=subprocess.DEVNULL, check=False
            )
            return open(out.name, "rb").read() if done.returncode == 0 else source

    def _folders(self, path):
        folder = os.path.dirname(path)
        while folder not in self.files and folder != "/":
            self.files[folder] = (stat.S_IFDIR | 0o755, b"")
            folder = os.path.dirname(folder)

    def write(self, out):
        """Folders come before what is in them."""
        for number, path in enumerate(sorted(self.files), 1):
            mode, content = self.files[path]
            if isinstance(content, str):
                with open(content, "rb") as f:
                    content = f.read()
            entry(out, number, path.lstrip("/"), mode, content)
        for number, (name, minor) in enumerate((("console", 1), ("null", 3)), 1 << 20):
            entry(out, number, "dev/" + name, stat.S_IFCHR | 0o600, b"", (5 if name == "console" else 1, minor))
        entry(out, 0, "TRAILER!!!", 0, b"")


def entry(out, number, name, mode, content, device=(0, 0)):
    """A file of a cpio archive: each part is filled up to four bytes."""
    fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, device[0], device[1], len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % f for f in fields) + name.encode() + b"\0"
    out.write(head + b"\0" * (-len(head) % 4) + content + b"\0" * (-len(content) % 4))


# ------------------------------------------------------------------------------------------------------------
# Booting


class Machine:
    """How a guest looks. smp: as for qemu; nodes: NUMA nodes; offline, cpuset: lists of CPUs as the kernel writes
    them; append: for the kernel; cpu: another model than the architecture's; turns: its CPUs take turns on one of this
    machine's, and one that pauses gives its turn away, as suits many CPUs on few."""

    def __init__(
        self, arch="x86_64", smp="4", nodes=1, offline="", cpuset="", append="", cpu=None, memory=2048, turns=False
    ):
        self.arch, self.smp, self.nodes, self.offline = ARCHITECTURES[arch], smp, nodes, offline
        self.cpuset, self.append, self.cpu, self.memory, self.turns = cpuset, append, cpu, memory, turns
        self.cpus = int(smp.split(",")[0])

    def command(self, initramfs):
        argv = list(self.arch.qemu)
        if self.cpu:
            argv[argv.index("-cpu") + 1] = self.cpu
        argv += ["-accel", "tcg,thread=" + ("single" if self.turns else "multi")]
        argv += ["-smp", self.smp, "-m", str(self.memory)]
        argv += ["-nographic", "-nodefaults", "-serial", "stdio", "-no-reboot"]
        if self.nodes > 1:
            share, size = self.cpus // self.nodes, self.memory // self.nodes
            for node in range(self.nodes):
                argv += ["-object", "memory-backend-ram,id=m%d,size=%dM" % (node, size)]
                cpus = "%d-%d" % (node * share, (node + 1) * share - 1)
                argv += ["-numa", "node,nodeid=%d,cpus=%s,memdev=m%d" % (node, cpus, node)]
        words = "console=%s quiet loglevel=1 panic=-1 rcupdate.rcu_cpu_stall_suppress=1" % self.arch.console
        # What a processor's errors would need; and the clock that the emulator keeps: the kernel measures the rate of a
        # counter while it boots, and on a busy machine it was wrong by eight.
        words += " nowatchdog mitigations=off tsc=unstable clocksource=hpet random.trust_cpu=on " + self.append
        return argv + ["-kernel", files_of(self.arch)[0], "-initrd", initramfs, "-append", words.strip()]

    def setup(self):
        """The shell's lines that the guest's first process reads."""
        return "OFFLINE='%s'\nCPUSET='%s'\n" % (" ".join(expand(self.offline)), self.cpuset)


def expand(cpus):
    """['1', '3', '4'] of '1,3-4'."""
    result = []
    for part in filter(None, cpus.split(",")):
        first, _, last = part.partition("-")
        result += [str(n) for n in range(int(first), int(last or first) + 1)]
    return result


class Run:
    """A program of the guest: `script` is for its shell and ends with exec, `limit` is in seconds."""

    def __init__(self, name, script, limit):
        self.name, self.script, self.limit = name, script, limit


class Ended:
    """What a run did: as harness.Outcome."""

    def __init__(self):
        self.rc, self.timed_out, self.out, self.err, self.stood, self.wall = None, False, "", "", "", 0


def quoted(argv, env=None):
    """For a run's script: exec argv with these variables and no others."""
    words = ["exec", "env", "-i"] + ["%s=%s" % (k, v) for k, v in sorted((env or {}).items())] + list(argv)
    return " ".join(map(shlex.quote, words))


def boot(machine, image, runs, ended, console=None):
    """Boots the machine and runs `runs`, one after the other; calls ended(run, Ended) for each that has ended. Returns
    None, or why not all have: in which run the machine stopped, and its last words."""
    image.text("/setup", machine.setup() + "RUNS='%s'\n" % " ".join("%d:%d" % (i, r.limit) for i, r in enumerate(runs)))
    for i, run in enumerate(runs):
        image.text("/runs/%d" % i, "#!/bin/sh\n%s\n" % run.script)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that qemu ends, too
    with tempfile.NamedTemporaryFile(prefix="initramfs-", dir=machine.arch.folder) as archive:
        image.write(archive)
        archive.flush()
        proc = subprocess.Popen(
            machine.command(archive.name), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        try:
            return listen(proc, runs, ended, console)
        finally:
            proc.kill()
            proc.wait()
            for i in range(len(runs)):
                del image.files["/runs/%d" % i]


def lines(proc, patience):
    """The guest's lines, until it ends or says nothing for patience() seconds."""
    rest, last = b"", time.monotonic()
    while time.monotonic() - last < patience():
        if not select.select([proc.stdout], [], [], 5)[0]:
            continue
        data = os.read(proc.stdout.fileno(), 65536)
        last = time.monotonic()
        if not data:
            return
        rest += data
        *whole, rest = rest.split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace").rstrip("\r")
    yield "[it said nothing for %d seconds]" % patience()


def listen(proc, runs, ended, console):
    current, now, others, began = None, Ended(), [], time.monotonic()
    limit = BOOT_LIMIT
    done = 0
    for line in lines(proc, lambda: limit):
        found = LISTED.match(line)
        if found is None:
            others = (others + [line])[-40:]
            if console:
                print(line, file=console, flush=True)
            continue
        mark, text = found.group("mark"), found.group("text")
        if mark == "<o":
            now.out += text + "\n"
        elif mark == "<e":
            now.err += text + "\n"
        elif mark == "<s":
            now.stood += text + "\n"
        elif text.startswith("begin "):
            current, now, began = runs[int(text.split()[1])], Ended(), time.monotonic()
            limit = current.limit + PATIENCE
        elif text.startswith("end "):
            _, _, rc, late = text.split()
            now.rc, now.timed_out, now.wall = int(rc), late == "late", time.monotonic() - began
            now.out, now.err = now.out[:-2], now.err[:-2]  # without the full stop
            if now.rc > 128:
                now.rc = 128 - now.rc
            ended(current, now)
            current, done = None, done + 1
        elif text == "all":
            return None
    where = "in %s" % current.name if current else "before its first program" if done == 0 else "between two programs"
    return "the machine ended %s, %d of %d were run: %s" % (where, done, len(runs), "\n".join(others).strip())


# ------------------------------------------------------------------------------------------------------------
# The command


def with_dropin(image, dropin, folder):
    """The drop-in, and its companion where there is one."""
    image.program(folder + "/libgomp.so.1", os.path.join(dropin, "libgomp.so.1"))
    for name in ("libomp.so", "libomp.so.5", "libiomp5.so"):
        image.link(folder + "/" + name, "libgomp.so.1")
    companion = os.path.join(dropin, "libghcomp_rts.so")
    if os.path.exists(companion):
        image.program(folder + "/libghcomp_rts.so", os.path.realpath(companion))


def run_command(options):
    arch = ARCHITECTURES[options.arch]
    missing = lacks(arch)
    if missing:
        die(missing)
    machine = Machine(
        options.arch, options.smp, options.nodes, options.offline, options.cpuset, options.append, options.cpu,
        turns=options.turns
    )
    image = Image(arch)
    program = shutil.which(options.command[0]) or options.command[0]
    if not os.path.exists(program):
        die("there is no %s" % program)
    image.program("/run/" + os.path.basename(program), program)
    env = {"PATH": "/bin", "HOME": "/root"}
    if not options.own_libgomp:
        build = BUILD if arch.name == os.uname().machine else os.path.join(ROOT, "build-" + arch.name)
        with_dropin(image, os.path.join(build, "dropin"), "/dropin")
        env["LD_LIBRARY_PATH"] = "/dropin"
    env.update(item.split("=", 1) for item in options.env)
    for path in options.add:
        image.program("/run/" + os.path.basename(path), path)
    script = "cd /run\n" + quoted(["./" + os.path.basename(program)] + options.command[1:], env)
    result = []

    def ended(run, done):
        del run
        result.append(done)

    why = boot(machine, image, [Run(program, script, options.limit)], ended, sys.stderr if options.console else None)
    if why:
        die(why)
    sys.stdout.write(result[0].out)
    sys.stdout.flush()
    sys.stderr.write(result[0].err + result[0].stood)
    return 124 if result[0].timed_out else result[0].rc if result[0].rc >= 0 else 128 - result[0].rc


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    commands = p.add_subparsers(dest="what", required=True)
    get = commands.add_parser("fetch")
    get.add_argument("architectures", nargs="*", choices=[[], *ARCHITECTURES], metavar="ARCHITECTURE")
    run = commands.add_parser("run")
    run.add_argument("--arch", choices=sorted(ARCHITECTURES), default="x86_64")
    run.add_argument("--smp", default="4")
    run.add_argument("--nodes", type=int, default=1)
    for name in ("offline", "cpuset", "append"):
        run.add_argument("--" + name, default="")
    run.add_argument("--cpu")
    run.add_argument("--turns", action="store_true")
    run.add_argument("--env", action="append", default=[])
    run.add_argument("--add", action="append", default=[])
    run.add_argument("--own-libgomp", action="store_true")
    run.add_argument("--limit", type=int, default=300)
    run.add_argument("--console", action="store_true")
    run.add_argument("command", nargs="+")
    options = p.parse_args()
    if options.what == "run":
        return run_command(options)
    for name in options.architectures or ARCHITECTURES:
        fetch(ARCHITECTURES[name])
    return 0


if __name__ == "__main__":
    sys.exit(main())
