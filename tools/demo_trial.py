#!/usr/bin/env python3
"""How long `make demo` takes to its first program on a bare Debian, package downloads aside.

    tools/demo_trial.py DIR [--suite bookworm] [--whole]

DIR is a Debian that has `make` and nothing else; tools/chroot.sh makes it where it is missing. Each trial runs in a new
copy of it, DIR.trial, into which the packages that the first program needs are downloaded, but not installed, and the
files that git knows are copied as they are here. Then `make demo` runs, and each line of what it prints has the seconds
since its start. The trial ends when the first program has run on ghc-openmp; with --whole it runs the demo to its end,
whose later packages are downloaded meanwhile. The last line is the sum:

    demo: first program after 21.4 s: packages 14.2 s (downloads aside), compile 7.1 s, its run 0.1 s

Needs root, debootstrap, util-linux, the mirror of this machine's apt, half a GB (--whole: 4 GB) and a minute, so that
no test makes it. It judges no time. Exit status 1: the demo did not get to its first program.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHROOT = ["sh", str(ROOT / "tools/chroot.sh")]
NEEDED = ("gcc", "make", "binutils", "libc6-dev")  # the group `build` of tools/deps.sh
# What ends each part: the beginning of a line that the demo prints.
PACKAGES, COMPILED, PRINTED = "ghc-openmp demo:", "demo: the first program starts", "   on ghc-openmp it takes"


def die(text):
    sys.exit("ghc-openmp: tools/demo_trial.py: " + text)


def quiet(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode:
        die(f"{command} failed:\n{done.stdout}")
    return done.stdout


def prepare(bare, suite):
    """A new copy of the bare Debian, with the tree and the archives of the packages."""
    quiet([*CHROOT, suite, bare], env={**os.environ, "CHROOT_PACKAGES": "make"})
    if os.path.exists(os.path.join(bare, "usr/bin/gcc")):
        die(f"{bare} has a compiler: name a folder that does not exist")
    trial = bare + ".trial"
    shutil.rmtree(trial, ignore_errors=True)
    quiet(["cp", "-a", bare, trial])
    apt = ["env", "APT_LISTCHANGES_FRONTEND=none", "apt-get", "-q"]
    quiet([*CHROOT, "run", trial, "--", *apt, "update"])
    begin = time.monotonic()
    quiet([*CHROOT, "run", trial, "--", *apt, "install", "-y", "--no-install-recommends", "--download-only", *NEEDED])
    print(f"demo: downloaded the packages of the first program in {time.monotonic() - begin:.1f} s")
    for name in quiet(["git", "-C", str(ROOT), "ls-files", "-z"]).split("\0"):
        if name and os.path.lexists(ROOT / name):
            target = os.path.join(trial, "srv/tree", name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(ROOT / name, target, follow_symlinks=False)
    return trial


def demo(trial, whole):
    """The seconds at which each part ended. The process namespace ends with the trial."""
    command = ["unshare", "--pid", "--fork", "--kill-child", *CHROOT, "run", trial, "--", "make", "-C", "tree", "demo"]
    ends, begin = {}, time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, bufsize=1) as process:
        for line in process.stdout:
            now = time.monotonic() - begin
            print(f"{now:7.1f}  {line}", end="", flush=True)
            for mark in (PACKAGES, COMPILED, PRINTED):
                if line.startswith(mark):
                    ends.setdefault(mark, now)
            if PRINTED in ends and not whole:
                process.kill()
                break
    return ends


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("dir")
    parser.add_argument("--suite", default="bookworm")
    parser.add_argument("--whole", action="store_true")
    options = parser.parse_args()
    if os.geteuid() != 0:
        die("a chroot needs root: run it with sudo")
    ends = demo(prepare(os.path.abspath(options.dir), options.suite), options.whole)
    if len(ends) < 3:
        die("the demo did not get to its first program")
    packages, compiled, printed = ends[PACKAGES], ends[COMPILED], ends[PRINTED]
    print(f"demo: first program after {printed:.1f} s: packages {packages:.1f} s (downloads aside), "
          f"compile {compiled - packages:.1f} s, its run {printed - compiled:.1f} s")


if __name__ == "__main__":
    main()
