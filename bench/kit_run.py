#!/usr/bin/env python3
"""What a kit's ./run does: measurements for this machine, one after the other, in ten minutes at most.

    ./run [--minutes 10] [--out FOLDER] [--only STEP,...] [--list]

Each step is a measurement of bench/ with arguments that fit the machine: its CPUs, cores, caches and sockets
(bench/topology.py). It writes FOLDER/STEP.json, which `bench/run.py table`, `large.py table`, `primecount.py table` and
`compare` read, and FOLDER/STEP.md, its tables. A step gets its share of the time that is left, and ends within a round
when that is over. The exit status is 1 when a result was wrong or a runtime failed. Made part of a kit by bench/kit.py;
tested by test/scripts/bench_kit_test.py. Needs only Python's standard library.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import topology  # noqa: E402
from common import (NO_SAMPLES, ROOT, Failed, die, load_result, machine, set_deadline, spread,  # noqa: E402
                    transfer_ns)

ROWS = ("parallel,barrier,reduction,for-static,dynamic,critical,single,nested,resize,tasks,task-fib,task-depend,"
        "taskloop,stencil,stencil-large,sparse-lu,tree")
PLACED_ROWS = "parallel,barrier,stencil-large"
BETWEEN_STEPS_S = 2  # what a step needs beside its samples: its end, and the start of the next one
TRANSFERS = 5

# share: of the time, relative to the other steps'. arguments: the measurement and what follows `run`.
Step = collections.namedtuple("Step", "name share arguments")


def joined(numbers):
    return ",".join(str(n) for n in sorted(set(numbers)))


def steps(with_primecount):
    """The steps for this machine."""
    whole, smaller = topology.teams(), topology.smaller_teams()
    one, double = whole[0], topology.teams((2,))[0]
    found = [Step("constructs", 40, ["run.py", "--rows", ROWS, "--threads", joined([1] + whole), "--processes", "10"])]
    if smaller:
        found.append(Step("sizes", 8, ["run.py", "--rows", "parallel,barrier", "--threads", joined(smaller),
                                       "--processes", "10"]))
    found.append(Step("large", 16, ["large.py", "--threads", joined([2, 64] + [n for n in whole if n > 1])]))
    if with_primecount:
        found.append(Step("primecount", 16, ["primecount.py", "--threads", joined([one, double, whole[-1]])]))
    # Threads that spin for ever and share CPUs would measure time slices.
    for policy, threads in (("active", [one]), ("passive", [one, double])):
        found.append(Step("policy-" + policy, 5, [
            "run.py", "--rows", "parallel,barrier,reduction", "--threads", joined(threads), "--processes", "5",
            "--set", "OMP_WAIT_POLICY=" + policy]))
    for name, variables in topology.placements().items():
        found.append(Step(name, 4, [
            "run.py", "--rows", PLACED_ROWS, "--threads", joined([max(1, one // 2), one]), "--processes", "5"]
            + [word for pair in variables.items() for word in ("--set", "%s=%s" % pair)]))
    return found


# ---- running ----


def run_step(step, seconds, out):
    """Its exit status. The tables go to the standard output, too."""
    script, rest = step.arguments[0], step.arguments[1:]
    stem = os.path.join(out, step.name)
    command = [sys.executable, "-I", "-S", "-B", "-X", "utf8", os.path.join(ROOT, "bench", script), "run",
               "--out", stem + ".json", "--limit", "%.1f" % seconds] + rest
    print("\n==== %s, at most %.0f s: bench/%s run %s" % (step.name, seconds, script, " ".join(rest)), flush=True)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    text, _ = process.communicate()
    print(text, end="", flush=True)
    if text.strip():
        with open(stem + ".md", "w") as f:
            f.write("# %s\n\n%s" % (step.name, text))
    return process.returncode


def distances():
    """How long a cache line takes between two CPUs, at each distance that the machine has."""
    found = {}
    for name, pair in topology.pairs().items():
        if set(pair) <= os.sched_getaffinity(0):
            took = [transfer_ns(os.path.join(ROOT, "build", "bench", "constructs"), set(pair))
                    for _ in range(TRANSFERS)]
            found[name] = {"cpus": pair, "transfer_ns": spread(took)}
    return found


def describe(out):
    about = {"machine": machine("gcc"), "distances": distances(), "taken": time.strftime("%Y-%m-%d")}
    with open(os.path.join(out, "machine.json"), "w") as f:
        json.dump(about, f, indent=1)
        f.write("\n")
    print("%s, %s. %s" % (about["machine"]["cpu"], about["machine"]["memory"],
                          topology.sentence(about["machine"]["topology"])))
    for name, found in about["distances"].items():
        print("A cache line takes %.0f ns one way between CPUs %d and %d (%s)." % (
            (found["transfer_ns"]["median"],) + tuple(found["cpus"]) + (name,)))


def run(todo, minutes, out):
    end = time.monotonic() + 60 * minutes
    set_deadline(60)
    try:
        describe(out)
    except Failed as failure:
        die("the first program of the kit, build/bench/constructs, failed: %s" % failure)
    failed, without = [], []
    while todo:
        left = end - time.monotonic() - BETWEEN_STEPS_S * len(todo)
        step, share = todo[0], sum(step.share for step in todo)
        todo = todo[1:]
        seconds = left * step.share / share
        status = run_step(step, seconds, out) if seconds > 0 else NO_SAMPLES
        if status == NO_SAMPLES:
            without.append(step.name)
        elif status != 0:
            failed.append(step.name)
    print("\nThe results are in %s: STEP.json, and STEP.md with its tables." % out)
    if without:
        print("There was no time for: %s. --minutes gives more, --only chooses." % ", ".join(without))
    if failed:
        print("FAILED, as said above: %s." % ", ".join(failed))
    return 1 if failed else 0


def may_primecount():
    """Its C++ library may need a newer glibc than the rest of the kit."""
    need = load_result(os.path.join(ROOT, "kit.json"))["glibc"].get("primecount")
    if need is None:
        return False
    have = os.confstr("CS_GNU_LIBC_VERSION").split()[-1]
    if [int(n) for n in have.split(".")[:2]] >= [int(n) for n in need.split(".")]:
        return True
    print("ghc-openmp: kit: without primecount, which needs glibc %s; here it is %s" % (need, have), file=sys.stderr)
    return False


def main():
    parser = argparse.ArgumentParser(prog="./run", description="Measures OpenMP runtimes on this machine.")
    parser.add_argument("--minutes", type=float, default=10, help="the time at most (10)")
    parser.add_argument("--out", default=os.path.join(ROOT, "results"), help="the folder of the results")
    parser.add_argument("--only", help="only these steps, with commas between them")
    parser.add_argument("--list", action="store_true", help="show the steps for this machine and measure nothing")
    args = parser.parse_args()
    todo = steps(may_primecount())
    names = [step.name for step in todo]
    for name in args.only.split(",") if args.only else []:
        if name not in names:
            die("no step named %s; on this machine there are %s" % (name, ", ".join(names)))
    todo = [step for step in todo if not args.only or step.name in args.only.split(",")]
    if args.list:
        print(topology.sentence(topology.describe()))
        for step in todo:
            print("%s: %s" % (step.name, " ".join(step.arguments)))
        return 0
    if not 0 < args.minutes <= 600:
        die("--minutes takes a number above 0, up to 600, not %g" % args.minutes)
    try:
        os.makedirs(args.out, exist_ok=True)
    except OSError as error:
        die("no results can be written to %s: %s; --out is another folder" % (args.out, error.strerror))
    return run(todo, args.minutes, args.out)


if __name__ == "__main__":
    sys.exit(main())
