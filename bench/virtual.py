#!/usr/bin/env python3
"""Measures constructs in virtual machines of more CPUs than this machine has, on our runtime and on its peers.

    bench/virtual.py run [--name NAME] [--machines 4,8] [--processes N]
    bench/virtual.py table RESULT.json

The machines are tools/machines.py's: qemu without KVM, whose virtual CPUs are threads that share this machine's. So a
virtual CPU stands still while others run, as those of an overcommitted cloud machine do, and an interrupt of another
CPU (a wake-up, a fence of all threads) takes long. Instructions are emulated: a number is no time of a real machine,
and only ratios count. The team has a thread for each virtual CPU. A round boots each machine once, and in it the
runtimes take turns in each row. The rows are bench/c/constructs.c's, and test/conformance's program of task reductions
as a whole. `run` writes bench/results/NAME.json and prints a Markdown table. How to read it:
docs/results/benchmarks.md. Needs what `make check-machines` needs.
"""

import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "tools")]
import machines as virtual  # noqa: E402
from common import (Watch, act, built, cell_with_unit, command_line, conditions_text, die, failures_of,  # noqa: E402
                    find_libomp, finish_run, load_result, machine, spread)
from construct_rows import ROWS, TITLES, known_wrong, ratio_cell  # noqa: E402

OURS, PEERS = "ours-posix", ("libgomp", "libomp")
NAMES = (OURS,) + PEERS
CONSTRUCTS = ("parallel", "barrier", "reduction", "dynamic", "ordered", "lock", "tasks", "task-fib", "task-depend",
              "taskloop")
PROGRAM = "task-reductions"  # the conformance program: its time as a whole, in ms; libomp lacks entries that it calls
WHAT = {PROGRAM: "a program of task reductions, as a whole"}
BATCH_MS, BATCHES = 40, 3
LIMIT_S = 60
FOLDERS = {name: "/runtimes/" + name for name in NAMES}


def rotated(row, turn):
    """The runtimes of a row, in the order of that turn."""
    names = [name for name in NAMES if (row, name) != (PROGRAM, "libomp") and known_wrong(name, row) is None]
    turn %= len(names)
    return names[turn:] + names[:turn]


def image_of(arch, build, constructs, program):
    """The files of the guest: both programs, and each runtime as libgomp.so.1 in a folder of its own."""
    image = virtual.Image(arch)
    image.program("/run/constructs", constructs)
    image.program("/run/" + PROGRAM, program)
    virtual.with_dropin(image, os.path.join(build, "dropin"), FOLDERS[OURS])
    image.link(FOLDERS["libgomp"] + "/libgomp.so.1", "/lib/libgomp.so.1")
    image.program(FOLDERS["libomp"] + "/libgomp.so.1", os.path.realpath(find_libomp()))
    return image


def run_of(row, cpus, name):
    env = {"PATH": "/bin", "HOME": "/root", "LD_LIBRARY_PATH": FOLDERS[name], "OMP_NUM_THREADS": str(cpus)}
    if name == OURS:
        env["GHCOMP_HOST"] = "posix"
    if row == PROGRAM:
        # The guest's clock: the host's would count what the console takes.
        script = "a=$(cut -d' ' -f1 /proc/uptime); %s && echo $a $(cut -d' ' -f1 /proc/uptime)" % virtual.quoted(
            ["/run/" + PROGRAM], env).replace("exec ", "", 1)
    else:
        script = virtual.quoted(["/run/constructs", row, str(cpus), str(BATCH_MS), str(BATCHES)], env)
    return virtual.Run((row, name), script, LIMIT_S)


def value_of(row, name, done):
    """(what the program measured, None) or (None, why it did not)."""
    if done.timed_out or done.rc != 0:
        return None, "did not end in %d s" % LIMIT_S if done.timed_out else "exit status %d: %s" % (
            done.rc, (done.err or done.out).strip()[-200:])
    if row == PROGRAM:
        began, ended = map(float, done.out.split()[-2:])
        return (ended - began) * 1e3, None
    try:
        sample = json.loads(done.out)
    except ValueError:
        return None, "printed no JSON object: " + done.out.strip()[:200]
    served = os.path.dirname(sample["object"])
    if served != FOLDERS[name] and not (name == "libgomp" and served == "/lib"):
        return None, "ran on " + sample["object"]
    return sample["value"], None


def take_round(spec, image, number, samples, failures):
    """Boots the machine once; adds to {(row, CPUs): {runtime: values}} and to the failures."""
    runs = [run_of(row, spec.cpus, name) for row in CONSTRUCTS + (PROGRAM,) for name in rotated(row, number)]

    def ended(run, done):
        row, name = run.name
        value, why = value_of(row, name, done)
        if why is None:
            samples.setdefault((row, spec.cpus), {}).setdefault(name, []).append(value)
        else:
            failures.append(((row, spec.cpus), name, why))
    why = virtual.boot(spec, image, runs, ended)
    if why:
        failures.append((("boot", spec.cpus), "-", why[-200:]))


def run(args):
    build = os.path.abspath(args.build)
    arch = virtual.ARCHITECTURES.get(os.uname().machine)
    if arch is None or virtual.lacks(arch):
        die(virtual.lacks(arch) if arch else "there are no virtual machines for this one's architecture")
    if find_libomp() is None:
        die("no libomp.so.5; install libomp5-19 (tools/deps.sh bench)")
    image = image_of(arch, build, built(build, "constructs", "make bench-virtual"),
                     built(build, PROGRAM, "make bench-virtual"))
    specs = [virtual.Machine(arch.name, smp) for smp in args.machines.split(",")]
    watch, samples, failures = Watch(args.processes, None), {}, []
    while watch.another_round():
        for spec in specs:
            take_round(spec, image, watch.rounds, samples, failures)
        watch.end_round(-1, failures)
    result = {
        "machine": machine(args.cc),
        "conditions": watch.conditions(batch_ms=BATCH_MS, batches=BATCHES),
        "runtimes": list(NAMES),
        "rows": [dict(row=row, threads=cpus, unit="ms" if row == PROGRAM else "ns",
                      values={name: spread(values) for name, values in series.items()})
                 for (row, cpus), series in sorted(samples.items(), key=lambda item: item[0][1])],
        "failures": failures_of(failures),
    }
    return finish_run(result, args, markdown(result))


def markdown(result):
    names = result["runtimes"]
    lines = conditions_text(result) + [
        "", "In qemu without KVM, a thread for each virtual CPU, all of them on the CPUs above.", "",
        "| construct | virtual CPUs | %s | ours / better peer |" % " | ".join(TITLES[name] for name in names),
        "|---|---:|" + "---:|" * (len(names) + 1)]
    for row in result["rows"]:
        what = WHAT.get(row["row"]) or "%s: %s" % (row["row"], ROWS[row["row"]].what)
        lines.append("| %s | %d | %s | %s |" % (what, row["threads"], " | ".join(
            cell_with_unit(row["values"].get(name), row["unit"]) for name in names), ratio_cell(
                row["values"], OURS, True)))
    lines += ["", "Medians over processes ± half the distance between the quartiles; **bold** where ours is behind by "
              "more than 5 %, and in three quarters of the rounds."]
    lines += [""] * bool(result["failures"])
    return "\n".join(lines + ["- %(row)s, %(threads)d CPUs, %(runtime)s, failed: %(reason)s" % f
                              for f in result["failures"]])


def table(args):
    print(markdown(load_result(args.result)))
    return 0


def main():
    parser, _, p, _ = command_line("Measures constructs in virtual machines.", run, table, "virtual-latest")
    p.add_argument("--machines", default="4,8", help="numbers of virtual CPUs")
    p.set_defaults(processes=7)
    act(parser)


if __name__ == "__main__":
    main()
