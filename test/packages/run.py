#!/usr/bin/env python3
"""Programs of Debian's packages, as they were built, on the system's libgomp and on the drop-in: the same results.

    test/packages/run.py NAME [--runs N]    status 0: at 2 and at 8 threads, each of N runs (20) on each host printed
                                            what libgomp's runs print; 77: the package is not installed here
    test/packages/run.py --list             the packages of packages.tsv
    test/packages/run.py --gen              writes docs/reference/packages.md (part of `make gen`)

A program's result is what it writes to stdout, and its exit status. Three runs on libgomp at each number of threads
must give the same one, or the row says nothing. A run of OMP_DISPLAY_AFFINITY shows that the program opens a region
with a team. test/run.py has each row as a test of the group `packages`; test/scripts/packages_test.py tests this file.
"""

import argparse
import collections
import contextlib
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile

import inputs

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TABLE = os.path.join(HERE, "packages.tsv")
PAGE = os.path.join(ROOT, "docs", "reference", "packages.md")
MARK = re.compile(r"(?<=<!-- packages: begin -->\n).*?(?=<!-- packages: end -->)", re.S)
SIZES = (2, 8)
RUNS, RUNS_ON_LIBGOMP = 20, 3
LIMIT_S = 90  # of a run; most take a tenth of a second
SKIPPED = 77

Row = collections.namedtuple("Row", "package program inputs does command")
Result = collections.namedtuple("Result", "status out err")


class Wrong(Exception):
    """What is not as it should be."""


class Skip(Exception):
    """Why the row cannot run here."""


def rows(path=TABLE):
    found = []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if line.startswith("#"):
                continue
            words = line.rstrip("\n").split("\t")
            if len(words) != len(Row._fields):
                raise Wrong("%s:%d: a row has %d columns" % (os.path.basename(path), number, len(Row._fields)))
            found.append(Row(*words)._replace(inputs=[] if words[2] == "-" else words[2].split()))
    return found


def make_inputs(row, folder):
    for name in row.inputs:
        getattr(inputs, name.partition(".")[0])(os.path.join(folder, name))


def environment(threads, dropin=None, host=None):
    steering = re.compile(r"(OMP_|GOMP_|KMP_|GHCOMP_|GHCRTS$|LD_LIBRARY_PATH$|LD_PRELOAD$)")
    env = {name: value for name, value in os.environ.items() if not steering.match(name)}
    env.update(LC_ALL="C", OMP_NUM_THREADS=str(threads), threads=str(threads))
    if dropin:
        env.update(LD_LIBRARY_PATH=dropin, GHCOMP_HOST=host)
    return env


def run(row, made, env, limit=LIMIT_S):
    """The result of one run in a new folder that has the inputs; Wrong where it does not end."""
    with tempfile.TemporaryDirectory() as folder:
        for name in row.inputs:
            os.symlink(os.path.join(made, name), os.path.join(folder, name))
        with subprocess.Popen(["sh", "-c", row.command], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
            try:
                out, err = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                raise Wrong("did not end in %d s" % limit)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
    return Result(process.returncode, out, err.decode(errors="replace"))


def explain(want, got):
    """How a result differs from libgomp's, or None. What is written to stderr may differ."""
    if got.status != want.status:
        return "exit status %d, on libgomp %d: %s" % (got.status, want.status, got.err[-300:])
    if got.out != want.out:
        at = next((i for i, (a, b) in enumerate(zip(want.out, got.out)) if a != b), min(len(want.out), len(got.out)))
        return "byte %d of %d differs from libgomp's %d bytes: %r for %r" % (
            at, len(got.out), len(want.out), got.out[at : at + 40], want.out[at : at + 40])
    return None


def on_libgomp(row, made, threads):
    """What the program prints on libgomp, the same in each run."""
    want = run(row, made, environment(threads))
    if want.status or not want.out:
        raise Wrong("with %d threads on libgomp: exit status %d, %d bytes: %s" % (
            threads, want.status, len(want.out), want.err[-300:]))
    for _ in range(RUNS_ON_LIBGOMP - 1):
        differs = explain(want, run(row, made, environment(threads)))
        if differs:
            raise Wrong("libgomp's own runs differ with %d threads, so that the row says nothing: %s" % (
                threads, differs))
    return want


def is_served(row, made, dropin):
    """The loader takes the drop-in, and the program opens a region with a team on it."""
    listed = subprocess.run(["ldd", row.program], env=environment(2, dropin, "posix"), stdout=subprocess.PIPE,
                            text=True)
    if "libgomp.so.1 => %s/" % dropin not in listed.stdout:
        raise Wrong("%s does not load %s/libgomp.so.1" % (row.program, dropin))
    env = environment(max(SIZES), dropin, "posix")
    env.update(OMP_DISPLAY_AFFINITY="true", OMP_AFFINITY_FORMAT="member %n of %N.")
    said = run(row, made, env)
    members = set(re.findall(rb"member (\d+) of", said.out + said.err.encode()))
    if len(members) < 2:
        raise Wrong("it opened no region with a team")


def hosts(dropin):
    return ["posix"] + (["ghc"] if glob.glob(os.path.join(dropin, "libghcomp_rts*")) else [])


def compare(row, dropin, runs):
    if not os.path.exists(row.program):
        raise Skip("needs the package " + row.package)
    if not os.path.exists(os.path.join(dropin, "libgomp.so.1")):
        raise Wrong("%s/libgomp.so.1 is not built: run `make`" % dropin)
    with tempfile.TemporaryDirectory() as made:
        make_inputs(row, made)
        is_served(row, made, dropin)
        for threads in SIZES:
            want = on_libgomp(row, made, threads)
            for host in hosts(dropin):
                for number in range(1, runs + 1):
                    try:
                        differs = explain(want, run(row, made, environment(threads, dropin, host)))
                    except Wrong as e:
                        differs = str(e)
                    if differs:
                        raise Wrong("run %d of %d with %d threads on the %s host: %s" % (
                            number, runs, threads, host, differs))


def page(text, table):
    lines = ["| package | what it computes here | command |", "|---|---|---|"]
    lines += ["| `%s` | %s | `%s` |" % (r.package, r.does, r.command.replace("|", "\\|")) for r in table]
    return MARK.sub(lambda _: "\n".join(lines) + "\n", text)


def gen():
    with open(PAGE, encoding="utf-8") as f:
        text = f.read()
    made = page(text, rows())
    if made != text:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(made)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("name", nargs="?", metavar="PACKAGE")
    p.add_argument("--runs", type=int, default=RUNS, metavar="N", help="runs on each host at each number of threads")
    p.add_argument("--list", action="store_true", help="print the packages' names")
    p.add_argument("--gen", action="store_true", help="write the page")
    options = p.parse_args()
    table = {row.package: row for row in rows()}
    if options.list:
        print("\n".join(table))
    elif options.gen:
        gen()
    elif options.name not in table:
        p.error("no such package; --list prints them")
    else:
        try:
            compare(table[options.name], os.path.join(ROOT, os.environ.get("BUILD", "build"), "dropin"), options.runs)
        except Skip as e:
            print(e)
            sys.exit(SKIPPED)
        except Wrong as e:
            sys.exit("%s: %s" % (options.name, e))


if __name__ == "__main__":
    main()
