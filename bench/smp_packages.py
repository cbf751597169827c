#!/usr/bin/env python3
"""What `-threaded` and eager black-holing cost whole programs of Debian's source packages, in instructions and in time.

    bench/smp_packages.py run [--name NAME] [--sources FOLDER] [--programs happy,alex] [--processes N]
    bench/smp_packages.py table RESULT.json

Figures 5 and 6 of "Haskell on a Shared-Memory Multiprocessor" (Harris, Marlow, Peyton Jones, Haskell Workshop 2005) are
of the nofib suite. Debian's source package of GHC has no nofib: its file `packages` names it as a separate repository.
So these are programs that Debian has sources of, among them Happy, which the paper compiles. tools/debian-source.sh
fetches them into the build folder; GHC compiles them there in three variants with `-O2`, and each runs on a file of its
package, from start to end. Instructions are counted by valgrind, with the RTS's timer off. bench/smp.py has programs
that run in a loop. Needs GHC and valgrind.
"""

import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compile as compilations  # noqa: E402
import instructions  # noqa: E402
import smp  # noqa: E402
from common import (Failed, ROOT, Watch, act, cell_with_unit, command_line, conditions_text, die,  # noqa: E402
                    finish_run, load_result, machine, plain_environment, spread, take_samples)

VARIANTS = {
    "plain": [],
    "threaded": ["-threaded"],
    "eager": ["-threaded", "-feager-blackholing"],
}
COMPARED = smp.COMPARED[:2]


class Program:
    """A package: where its modules are, which is the main one, GHC's flags, and the words of a run."""

    def __init__(self, folder, main, flags, words, what):
        self.folder, self.main, self.flags, self.words, self.what = folder, main, flags, words, what


# {D} is the package's folder.
PROGRAMS = {
    "happy": Program("src", "Main.lhs", ["-XHaskell98", "-XCPP", "-XMagicHash", "-XFlexibleContexts"],
                     ["--ghc", "--array", "--coerce", "--template={D}/data", "-o", "/dev/null",
                      "{D}/examples/ErlParser.ly"],
                     "a parser of Erlang"),
    "alex": Program("src", "Main.hs", ["-XHaskell98", "-XCPP", "-XMagicHash"],
                    ["-g", "--template={D}/data", "{D}/examples/haskell.x", "-o", "/dev/null"],
                    "a scanner of Haskell"),
    "hscolour": Program(".", "HsColour.hs", ["-XHaskell98", "-XCPP", "-DMAJOR=1", "-DMINOR=1"],
                        ["-css", "-o/dev/null", "{H}/src/ProduceCode.lhs"],
                        "Happy's largest module as HTML"),
}


def compiled(name, variant, args):
    """The binary, and {module: bytes of code}; built where it is not there yet."""
    program, source = PROGRAMS[name], os.path.join(args.sources, name)
    folder = os.path.join(args.build, "bench", "smp-packages", name, variant)
    binary = os.path.join(folder, name)
    if not os.path.exists(binary):
        os.makedirs(folder, exist_ok=True)
        compilations.write_paths(name, source, folder)
        path = os.path.join(source, program.folder)
        command = ["ghc", "-v0", "--make", "-O2", "-w", "-rtsopts", "-i" + path, "-i" + folder, "-outputdir",
                   os.path.join(folder, "out"), "-o", binary, os.path.join(path, program.main)]
        done = subprocess.run(command + program.flags + VARIANTS[variant], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            die("%s does not compile: %s" % (name, done.stdout[-600:]))
    return binary, smp.code_bytes(os.path.join(folder, "out"))


def command_of(name, binary, args, rts):
    places = {"D": os.path.join(args.sources, name), "H": os.path.join(args.sources, "happy")}
    return [binary] + [word.format(**places) for word in PROGRAMS[name].words] + ["+RTS"] + rts + ["-RTS"]


def sample(name, binary, args, env):
    """One run from start to end: its time, and what the RTS says of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "statistics")
        command = command_of(name, binary, args, ["-t" + path, "--machine-readable"])
        began = time.monotonic()
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        took = time.monotonic() - began
        if done.returncode != 0:
            raise Failed("exit status %d: %s" % (done.returncode, done.stderr[-300:]))
        found = compilations.statistics_of(path)
    return {"ns": 1e9 * took, "allocated": float(found["bytes allocated"]),
            "collector": float(found["GC_wall_seconds"]) / float(found["total_wall_seconds"])}


def run(args):
    names = args.programs.split(",")
    for name in names:
        if name not in PROGRAMS:
            die("no program named %s; there are %s" % (name, ", ".join(PROGRAMS)))
    args.build, args.sources = os.path.abspath(args.build), os.path.abspath(args.sources)
    for name in sorted(set(names) | {"happy"}):
        if not os.path.isdir(os.path.join(args.sources, name)):
            die("no sources of %s; run: sh tools/debian-source.sh %s %s" % (name, name, args.sources))
    instructions.needs("valgrind", "bench-watched")
    made = {name: {variant: compiled(name, variant, args) for variant in VARIANTS} for name in names}
    env = plain_environment()
    watch = Watch(args.processes, None)
    samples, failed = take_samples(watch, [(("one", name), list(VARIANTS)) for name in names],
                                   lambda cell, variant: sample(cell[1], made[cell[1]][variant][0], args, env))
    conditions = watch.conditions(programs="the whole program")
    units = {"ns": "ns", "allocated": "bytes", "collector": "share"}
    rows = [dict(kind="one", program=name, value=value, unit=units[value],
                 values={n: spread(v) for n, v in found.items()}) for ((_, name), value), found in samples.items()]
    for name in names:
        counts = {}
        for variant, (binary, _) in made[name].items():
            try:
                counts[variant] = spread([instructions.of_process(command_of(name, binary, args, ["-V0"]), env)])
            except Failed as failure:
                failed.append((("one", name), variant, str(failure)))
        rows.append(dict(kind="one", program=name, value="instructions", unit="", values=counts))
    result = {
        "machine": machine(args.cc), "conditions": conditions, "programs": names,
        "code": {variant: {"%s %s" % (name, module): size for name in names
                           for module, size in made[name][variant][1].items()} for variant in VARIANTS},
        "rows": rows,
        "failures": [{"program": "%s %s" % cell, "series": series, "reason": reason}
                     for cell, series, reason in failed],
    }
    return finish_run(result, args, markdown(result))


def markdown(result):
    medians = {value: smp.medians(result, "one", value) for value in ("ns", "allocated", "collector", "instructions")}
    lines = conditions_text(result) + [
        "Debian's source package of GHC has no nofib, so these are whole programs of other source packages.", "",
        "| program | what it makes | time, plain | allocated | collector | instructions, millions |",
        "|---|---|---:|---:|---:|---:|"]
    times = {row["program"]: row["values"] for row in result["rows"] if row["value"] == "ns"}
    for name in result["programs"]:
        lines.append("| %s | %s | %s | %.1f MB | %.0f %% | %s |" % (
            name, PROGRAMS[name].what, cell_with_unit(times[name]["plain"], "ns"),
            medians["allocated"][name]["plain"] / 1e6, 100 * medians["collector"][name]["plain"],
            "{:,.1f}".format(medians["instructions"][name]["plain"] / 1e6)))
    rows = []
    for variant, base in COMPARED:
        for name in result["programs"]:
            code = [sum(size for module, size in result["code"][v].items() if module.split()[0] == name)
                    for v in (variant, base)]
            changes = [smp.changes_of(result, variant, base, value).get(name) for value in
                       ("allocated", "instructions", "ns")]
            rows.append(["%s, %s / %s" % (name, variant, base), smp.percent(smp.change(*code))] +
                        ["-" if c is None else smp.percent(c) for c in changes])
    lines += [""] + smp.table_of(["", "code size", "allocation", "instructions", "run time"], rows)
    lines += ["- %s, %s failed: %s" % (f["program"], f["series"], f["reason"]) for f in result["failures"]]
    return "\n".join(lines)


def table(args):
    print(markdown(load_result(args.result)))
    return 0


def main():
    parser, _, p, _ = command_line("Measures what parallel execution costs packaged Haskell programs.", run, table,
                                   "smp-packages-latest")
    p.add_argument("--sources", default=os.path.join(ROOT, "build", "sources"))
    p.add_argument("--programs", default=",".join(PROGRAMS), help="some of " + ", ".join(PROGRAMS))
    p.set_defaults(processes=25)
    act(parser)


if __name__ == "__main__":
    main()
