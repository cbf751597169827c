#!/usr/bin/env python3
# timing-part: CPU seconds of a run
"""The launcher with bad input: arguments, files that are no programs, damaged and hostile ELF files, damaged eventlogs.

Each run must end by itself with a status that docs/reference/commands.md names, use bounded time and memory, and say
what is wrong in lines that a terminal shows as they are; an exception's own text ("internal error", a call stack) is a
failure. Damaged files are mutations of good ones: cut at many places, and with bytes changed, most of them where the
tables are. GHCOMP_DEEP=1 makes 20 times as many; the seed is fixed then and now, SEED is another, COUNT the number of
mutations. A sampled run (test/sample.py) has a third of all of these.
"""
# limit: 120

import json
import os
import random
import re
import shutil
import struct
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402

GHCOMP = os.path.join(common.BUILD, "bin", "ghcomp")
SEED = int(os.environ.get("SEED", "1"))
COUNT = int(os.environ.get("COUNT", "4000" if common.DEEP else "40"))
CPU, MEMORY = 5.0, 700

HELLO = """
#include <stdio.h>
int main(void)
{
    int members = 0;
#pragma omp parallel num_threads(2) reduction(+ : members)
    members++;
    printf("%d\\n", members);
    return 0;
}
"""

LOGGED = """
module Main (main) where
import Control.Concurrent
import Debug.Trace
import System.Mem
main :: IO ()
main = do
    done <- newEmptyMVar
    _ <- forkIO (traceEventIO "ghcomp w1 region-begin threads=2" >> performMajorGC >> putMVar done ())
    takeMVar done
    traceEventIO "ghcomp w1 task-begin"
    traceMarkerIO "here"
    traceEventIO "ghcomp w1 task-end key=value text=some text"
    traceEventIO "ghcomp m1 name text=first"
    traceEventIO "ghcomp w1 region-end"
    traceEventIO "ghcomp"
    traceEventIO "another"
"""


class Launcher:
    def __init__(self, report, work):
        self.report, self.work = report, work

    def run(self, arguments, statuses, what, lines=1, env=None, stdout_lines=True, **limits):
        """Runs ghcomp; lines: the most of them on stderr."""
        variables = {b"GHCOMP_HOME": os.fsencode(common.BUILD), b"LC_ALL": b"C.UTF-8", **(env or {})}
        done = common.run([GHCOMP] + arguments, variables, cwd=self.work, **limits)
        self.report.runs += 1
        check, said = self.report.check, [l for l in done.err.split(b"\n") if l]
        shown = said + (done.out.split(b"\n") if stdout_lines else [])
        problem = next(filter(None, (bad_line(l) for l in shown)), None)
        good = (check(done.rc in statuses, "%s: %s" % (what, done.text()))
                and check(len(said) <= lines, "%s: %d lines: %r" % (what, len(said), done.err[:600]))
                and check(problem is None, "%s: %s: %r" % (what, problem, (done.err + done.out)[:600]))
                and check(b"internal error" not in done.err and b"CallStack" not in done.err,
                          "%s: an exception: %r" % (what, done.err[:600]))
                and check(done.cpu <= CPU or not common.TIMING, "%s: it took %.1f s" % (what, done.cpu))
                and check(done.memory <= MEMORY, "%s: it used %.0f MB" % (what, done.memory)))
        if good and done.rc not in (0, 1) and lines == 1:
            check(len(said) == 1 and said[0].startswith(b"ghcomp: "),
                  "%s: not one line of ghcomp: %r" % (what, done.err[:600]))
        return done


def bad_line(line):
    """As common.bad_line, but paths may have bytes that are not UTF-8 and lines may be longer."""
    if len(line) > 20000:
        return "a line of %d bytes" % len(line)
    return "a control character in a line" if any(b < 32 or b == 127 for b in line) else None


# --- arguments --------------------------------------------------------------------------------------------------------


def arguments(launcher):
    long, odd = "x" * 100000, b"\xff\xfe\n\x1b[31m"
    run, doctor, info, trace, any_of = [125, 126, 127], [1, 2], [0, 2], [2], [0, 1, 2]
    table = [
        ([], [2]), (["bogus"], [2]), (["--bogus"], [2]), ([""], [2]), (["run"], [125]), (["run", "--"], [125]),
        (["run", ""], run), (["run", "--threads", "0", "true"], [125]), (["run", "--threads", "-1", "true"], [125]),
        (["run", "--threads", "", "true"], [125]), (["run", "--threads", "4,", "true"], [125]),
        (["run", "--threads", "9" * 100000, "true"], [125]),
        (["run", "--threads", "4" + ",4" * 60000, "./missing"], run),
        (["run", "--threads", "４", "true"], [125]), (["run", "--threads", odd, "true"], [125]),
        (["run", "--host", "bogus", "true"], [125]), (["run", "--host", "", "true"], [125]),
        (["run", "--host", odd, "true"], [125]),
        (["run", "--host"], [125]), (["run", "--lib", "/nonexistent", "true"], [125]),
        (["run", "--lib", long, "true"], [125]), (["run", "--lib", odd, "true"], [125]),
        (["run", "--unknown", "true"], [125]), (["run", long], run),
        (["run", odd], run), (["run", "--no-check", "./missing"], run), (["run", "--no-check", odd], run),
        (["run", "/"], run), (["run", "."], run), (["run", "/dev/null"], run), (["run", "./missing/file"], run),
        (["run", "true"] + ["x" * 100000] * 20, [0, 126]),
        (["profile"], [125]),
        (["profile", "--top", "0", "true"], [125]), (["profile", "--top", odd, "true"], [125]),
        (["profile", "--json", "/nonexistent/x", "true"], [125]), (["profile", "--trace", "/", "true"], [125]),
        (["profile", "--json", long, "./missing"], run), (["profile", "--json", odd, "./missing"], run),
        (["profile", odd], run), (["profile", "--lib", long, "true"], [125]),
        (["doctor"], [2]), (["doctor", ""], doctor), (["doctor", long], doctor),
        (["doctor", odd], doctor),
        (["doctor", "a", "b"], [2]), (["doctor", "/"], doctor), (["doctor", "/dev/zero"], doctor),
        (["doctor", "--lib"], [2]), (["doctor", "--lib", "/dev/null", "x"], [2]), (["info", long], info),
        (["info", odd], info), (["info", "a", "b"], [2]), (["info", "--json", "--all"], [2]), (["trace"], trace),
        (["trace", ""], trace), (["trace", long], trace),
        (["trace", odd], trace), (["trace", "/"], trace), (["trace", "/dev/null"], trace),
        (["trace", "/dev/zero"], trace), (["trace", "--from", "x", "log"], trace),
        (["trace", "--from", "-1", "log"], trace), (["trace", "--from", "9" * 100000, "log"], trace),
        (["trace", "--from", "1e9", "log"], trace), (["trace", "-o"], trace), (["trace", "-o", "/", GHCOMP], trace),
        (["trace", GHCOMP], trace), (["help", "bogus"], [2]), (["help", odd], [2]), (["help", "run", "run"], [2]),
        (["display-env", "x"], [2]), (["display-env"], [1]), (["version"], [2]), (["-" * 100000], [2]),
        (["run", "-"], run), (["run", "--threads=2"], [125]),
    ]
    for argv, statuses in common.sampled(table, lambda row: "ghcomp " + str(row[0][:1])):
        what = "ghcomp " + " ".join(repr(a)[:40] for a in argv[:5])
        # Without arguments it shows its help.
        launcher.run(argv, statuses, what, lines=1 if argv else 40)
    # The environment is the loader's, too, and it warns of what it cannot preload, whatever its name is.
    settings = [(name, value) for name in (b"LD_LIBRARY_PATH", b"LD_PRELOAD", b"PATH", b"GHCOMP_HOME")
                for value in (b":" * 60000, b"/nonexistent:" * 8000, odd, b"x" * 100000, b"", b"$ORIGIN/" * 10000)
                if name != b"LD_PRELOAD" or value != odd]
    for name, value in common.sampled(settings, lambda setting: setting[0].decode()):
        most = 20000 if name == b"LD_PRELOAD" else 1
        launcher.run(["doctor", "./hello"], any_of, "doctor with %s=%r" % (name.decode(), value[:30]), lines=most,
                     env={name: value})


# --- files that are no programs ---------------------------------------------------------------------------------------


def files(launcher):
    work = launcher.work

    def make(name, content=b"", mode=0o755):
        path = os.path.join(os.fsencode(work), os.fsencode(name))
        with open(path, "wb") as f:
            f.write(content)
        os.chmod(path, mode)
        return path

    names = [make("empty"), make("text", b"hello\n"), make("magic", b"\x7fELF"), make("one", b"\x7f"),
             make("script", b"#!"), make("script2", b"#! \n"), make("script3", b"#!" + b"x" * 5000),
             make("script4", b"#!/\xff\n\n"), make("script5", b"#!/usr/bin/env\n"), make("script6", b"#!\x00\n"),
             make(b"a\nb\x1b[31m", b"x"), make("loop", b"#!" + os.fsencode(os.path.join(work, "loop")) + b"\n"),
             make("mode", b"x", 0o644),
             make("header", b"\x7fELF\x02\x01\x01" + b"\0" * 9 + struct.pack("<HH", 3, 62))]
    os.mkfifo(os.path.join(work, "fifo"))
    os.symlink("symlink", os.path.join(work, "symlink"))
    os.mkdir(os.path.join(work, "folder"))
    names += [os.fsencode(os.path.join(work, n)) for n in ("fifo", "symlink", "folder", "missing", "hello/x")]
    names += [b"/dev/zero", b"/dev/null", b"/dev/full", b"/proc/self/mem", b"/proc/self/maps", b"/dev/stdin"]
    # A terabyte with nothing in it behind the header of a static program.
    sparse = os.fsencode(os.path.join(work, "sparse"))
    with open(sparse, "wb") as f:
        f.write(elf([]))
        f.truncate(1 << 40)
    os.chmod(sparse, 0o755)
    commands = {"doctor": [0, 1, 2], "run": [125, 126, 127], "info": [0, 2], "trace": [2]}
    pairs = [(command, name) for name in names + [sparse] for command in commands]
    for command, name in common.sampled(pairs, lambda pair: "%s of files" % pair[0]):
        if command == "run" and (name == sparse or name.endswith(b"script5")):
            continue  # as a program, the script starts itself again for ever
        if command == "trace" and name == os.fsencode(os.path.join(work, "fifo")):
            continue  # a reader of a log from a pipe waits for it
        launcher.run([command, name], commands[command], "%s %r" % (command, name))


# --- ELF files --------------------------------------------------------------------------------------------------------

BASE = 0x400000


def elf(dynamic, tail=b"", sections=()):
    """A file of one loaded segment with these dynamic entries, (tag, value or None: a distance to `tail`)."""
    count = 2 if dynamic else 1
    start = 64 + 56 * count
    entries = list(dynamic) + [(0, 0)]
    data_at = start + 16 * len(entries)
    body = b"".join(struct.pack("<QQ", tag, value(data_at) if callable(value) else value) for tag, value in entries)
    size = data_at + len(tail)
    header = b"\x7fELF\x02\x01\x01" + b"\0" * 9 + struct.pack(
        "<HHIQQQIHHHHHH", 3 if dynamic else 2, 62, 1, 0, 64, 0, 0, 64, 56, count, 64, 0, 0)
    segments = struct.pack("<IIQQQQQQ", 1, 5, 0, BASE, BASE, size, size, 4096)
    if dynamic:
        segments += struct.pack("<IIQQQQQQ", 2, 4, start, BASE + start, BASE + start, 16 * len(entries),
                                16 * len(entries), 8)
    return header + segments + (body if dynamic else b"") + tail


def at(distance):
    return lambda data: BASE + data + distance


def hostile():
    """Files whose tables overlap so that a reader who follows them does far more work than they have bytes."""
    strings = b"\0" + b"s" * 60000 + b"\0"
    names = [(5, at(0)), (10, len(strings))]
    records = b"".join(struct.pack("<HHIII", 1, 60000, 1, 16, 16) for _ in range(60000))
    yield "versions", elf(names + [(0x6ffffffe, at(len(strings))), (0x6fffffff, 1 << 40)], strings + records)
    records = b"".join(struct.pack("<HHHHIII", 1, 0, 2, 1, 0, 20, 20) + struct.pack("<II", 1, 0) for _ in range(60000))
    yield "definitions", elf(names + [(0x6ffffffc, at(len(strings))), (0x6ffffffd, 1 << 62)], strings + records)
    yield "needed", elf([(1, 1 + i) for i in range(50000)] + names, strings)
    yield "same needed", elf([(1, 1)] * 50000 + names, strings)
    yield "path", elf([(1, 1), (29, 3)] + [(5, at(0)), (10, 60003)], b"\0n\0" + b":" * 59999 + b"\0")
    yield "rpath", elf([(1, 1), (15, 3)] + [(5, at(0)), (10, 60003)], b"\0n\0" + b"$ORIGIN:" * 7499 + b"\0" * 8)
    symbols = b"".join(struct.pack("<IBBHQQ", 1 + i % 50000, 0x10, 0, 0, 0, 0) for i in range(150000))
    hash_table = struct.pack("<II", 1, 150000)
    yield "symbols", elf(names + [(6, at(len(strings))), (4, at(len(strings) + len(symbols)))],
                         strings + symbols + hash_table)
    yield "hash", elf(names + [(6, at(len(strings))), (4, at(len(strings)))],
                      strings + struct.pack("<II", 1, 0xffffffff))
    gnu = struct.pack("<IIII", 1, 1, 0, 0) + struct.pack("<I", 5) + b"\0" * 4000000
    yield "GNU hash", elf(names + [(6, at(len(strings))), (0x6ffffef5, at(len(strings)))], strings + gnu)
    for counts in ((0xffffffff, 0, 0), (1, 0, 0xffffffff), (0, 0, 0), (1, 0xffffffff, 0)):
        gnu = struct.pack("<IIII", *counts, 0) + struct.pack("<I", 0xfffffffe) * 10
        yield "GNU hash of %r" % (counts,), elf(names + [(6, at(0)), (0x6ffffef5, at(len(strings)))], strings + gnu)
    for tag in (1, 4, 5, 6, 10, 14, 15, 29, 0x6ffffef5, 0x6ffffff0, 0x6ffffffc, 0x6ffffffe, 0x6fffffff):
        for value in (0, 1, BASE, BASE - 1, 1 << 63, (1 << 64) - 1):
            yield "tag %x of %x" % (tag, value), elf([(tag, value)] + [n for n in names if n[0] != tag], strings)


def mutations(good, rng, count, hot):
    """Cuts, and changes of some bytes, most of them in the ranges `hot`."""
    interesting = (0, 1, 2, 0x7f, 0x80, 0xff)
    for i in range(count):
        data = bytearray(good)
        if i % 4 == 0:
            del data[rng.randrange(len(data)) if i % 8 else rng.randrange(min(len(data), 2048)):]
        for _ in range(rng.choice((0, 1, 1, 2, 4, 16, 64)) if i % 4 == 0 else rng.choice((1, 1, 2, 4, 16, 64, 300))):
            if not data:
                break
            low, high = rng.choice(hot) if rng.random() < 0.8 else (0, len(data))
            place = min(rng.randrange(low, max(high, low + 1)), len(data) - 1)
            width = rng.choice((1, 1, 2, 4, 8))
            value = rng.choice(interesting) if rng.random() < 0.6 else rng.randrange(256)
            for k in range(place, min(place + width, len(data))):
                data[k] = value
        yield bytes(data)


def hot_ranges(path):
    """Where the headers and the tables of an ELF file are."""
    with open(path, "rb") as f:
        data = f.read()
    table, sections = struct.unpack_from("<QQ", data, 32)
    ranges = [(0, 64), (0, 64), (64, 64 + 56 * 12), (sections, len(data))]
    for i in range(struct.unpack_from("<H", data, 60)[0]):
        kind, = struct.unpack_from("<I", data, sections + 64 * i + 4)
        offset, size = struct.unpack_from("<QQ", data, sections + 64 * i + 24)
        if kind in (2, 3, 5, 6, 11, 0x6ffffff6, 0x6ffffffd, 0x6ffffffe, 0x6fffffff):
            ranges.append((offset, offset + size))
    return data, ranges


def elf_files(launcher):
    def judge(item):
        what, content = item
        handle, path = tempfile.mkstemp(dir=launcher.work)
        with os.fdopen(handle, "wb") as f:
            f.write(content)
        os.chmod(path, 0o755)
        before = len(launcher.report.failures)
        launcher.run(["doctor", path], [0, 1, 2], "doctor: " + what)
        if len(launcher.report.failures) > before and os.environ.get("KEEP"):
            shutil.copy(path, os.environ["KEEP"])
        os.unlink(path)

    items = list(hostile())
    for name in ("hello", "libhello.so", "static"):
        path = os.path.join(launcher.work, name)
        if os.path.exists(path):
            good, hot = hot_ranges(path)
            rng = random.Random("%d %s" % (SEED, name))
            share = COUNT // 6 if name == "static" else COUNT // 2
            items += [("%s, mutation %d of SEED=%d" % (name, i, SEED), m)
                      for i, m in enumerate(mutations(good, rng, share, hot))]
    items = common.sampled(items, lambda item: re.split(r"[ ,]", item[0])[0])
    common.in_parallel(judge, items)
    return len(items)


# --- eventlogs --------------------------------------------------------------------------------------------------------


def eventlogs(launcher):
    work = launcher.work
    if shutil.which("ghc") is None:
        return 0
    with open(os.path.join(work, "Main.hs"), "w") as f:
        f.write(LOGGED)
    built = common.run(["ghc", "-v0", "-eventlog", "-rtsopts", "-threaded", "-outputdir", os.path.join(work, "o"),
                        os.path.join(work, "Main.hs"), "-o", os.path.join(work, "logged")], limit=100)
    log = os.path.join(work, "logged.eventlog")
    ran = common.run([os.path.join(work, "logged"), "+RTS", "-l", "-ol" + log, "-RTS"])
    if not launcher.report.check(built.rc == 0 and ran.rc == 0, "no eventlog: %s %s" % (built.text(), ran.text())):
        return 0
    with open(log, "rb") as f:
        good = f.read()
    done = launcher.run(["trace", log, "-o", "-"], [0], "the good log", stdout_lines=False)
    launcher.report.check(b'"region"' in done.out and json.loads(done.out), "the good log: %r" % done.out[:300])
    rng = random.Random("%d log" % SEED)
    header = good.index(b"hdre")
    items = [good[:n] for n in range(0, len(good), max(1, len(good) // 20))]
    items += [b"hdrb", b"hdrb" * 1000, good[:header] * 3, good + good, good[:-2], good[:-1], good + b"\0" * 100000,
              good[:header + 8] + b"\xff" * 100000, b"hdrbhetbetb\0" + b"\xff" * 1000,
              good.replace(b"ghcomp w1", b"\xff\xfe\x80 w1"),
              good.replace(b"region-begin", b"\n\x1b[31m\0\"\\begin"[:12])]
    items += list(mutations(good, rng, COUNT // 2, [(0, header), (header, len(good)), (len(good) // 2, len(good))]))
    forms = (["-o", "-"], ["--summary"], ["--svg", "-"])

    def judge(item):
        number, content = item
        handle, path = tempfile.mkstemp(dir=work, suffix=".eventlog")
        with os.fdopen(handle, "wb") as f:
            f.write(content)
        form = forms[number % 3]
        what = "trace %s, log %d of SEED=%d" % (form[0], number, SEED)
        before = len(launcher.report.failures)
        done = launcher.run(["trace", path] + form, [0, 2], what, lines=1, stdout_lines=form == ["--summary"])
        if done.rc == 0 and form[0] == "-o":
            try:
                json.loads(done.out)
            except ValueError as e:
                launcher.report.check(len(done.out) > common.OUTPUT, "%s: not JSON: %s" % (what, e))
        if len(launcher.report.failures) > before and os.environ.get("KEEP"):
            shutil.copy(path, os.environ["KEEP"])
        os.unlink(path)

    items = common.sampled(enumerate(items), lambda item: "trace " + forms[item[0] % 3][0])
    common.in_parallel(judge, items)
    return len(items)


def main():
    if not os.path.exists(GHCOMP):
        common.skip("the launcher is not built here")
    report = common.Report()
    with tempfile.TemporaryDirectory() as work:
        launcher = Launcher(report, work)
        with open(os.path.join(work, "hello.c"), "w") as f:
            f.write(HELLO)
        for name, flags in (("hello", []), ("libhello.so", ["-shared", "-fPIC"]), ("static", ["-static"])):
            common.run(["gcc", "-O1", "-fopenmp", os.path.join(work, "hello.c"), "-o",
                        os.path.join(work, name)] + flags)
        arguments(launcher)
        files(launcher)
        objects, logs = elf_files(launcher), eventlogs(launcher)
    report.end("%d runs of ghcomp, among them %d ELF files and %d eventlogs" % (report.runs, objects, logs))


if __name__ == "__main__":
    main()
