#!/usr/bin/env python3
"""examples/mpi: C and Haskell programs of several MPI processes, whose members call MPI (docs/guide/mpi.md).

    test/mpi/stencil.py                  builds stencil.c and runs it
    test/mpi/stencil.py haskell PROGRAM  runs the Haskell one, which test/examples/mpi.sh has built

Each run compares the processes' result with that of one process, which the programs do themselves. Besides, each
process must have kept to the CPUs that mpirun gave it: OpenMP's processors are those of its mask, and neither the team
nor the Capabilities are more, unless OMP_NUM_THREADS asks for more threads. A sampled run (test/sample.py) has a third
of the numbers of processes and threads.
"""
# limit: 300

import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
EXAMPLES = os.path.join(ROOT, "examples", "mpi")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "test"))
from sample import of_environment  # noqa: E402

MPIRUN = ["mpirun", "--oversubscribe"]
NONE, CORE = ["--bind-to", "none"], ["--bind-to", "core:overload-allowed"]
# Processes, binding, OMP_NUM_THREADS. Each third has one without a binding, which every mpirun can do.
RUNS = [(2, NONE, None), (2, NONE, 3), (4, NONE, 2), (2, CORE, None), (4, CORE, None)]
WHERE = re.compile(r"^rank (\d+): (?:(\d+) CPUs, )?omp_get_num_procs (\d+), team of (\d+), (\d+) Capabilities$", re.M)
# All processes are here: no ssh, no network, and no reading of another process's memory, which containers forbid.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_plm": "isolated",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    # A control group's quota would bound the processors, too.
    "GHCOMP_CPU_QUOTA": "ignore",
}


def run(command, **more):
    env = dict(os.environ, **ENVIRONMENT)
    env.update(more)
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True)
    return done.returncode, done.stdout, done.stderr


def cpus_of(processes, binding):
    """The number of CPUs in each process's mask, as mpirun sets it; None where it cannot bind. A file for each process:
    mpirun mixes what they print."""
    with tempfile.TemporaryDirectory() as work:
        say = ("import os, sys\n"
               "with open(os.path.join(sys.argv[1], str(os.getpid())), 'w') as file:\n"
               "    file.write(str(len(os.sched_getaffinity(0))))\n")
        code, _, _ = run(MPIRUN + binding + ["-n", str(processes), sys.executable, "-c", say, work])
        if code != 0:
            return None
        masks = []
        for name in os.listdir(work):
            with open(os.path.join(work, name), encoding="utf-8") as file:
                masks.append(int(file.read()))
        return sorted(masks)


def what_is_wrong(processes, masks, threads, capabilities, in_haskell, done):
    """A line for what a run should not have done, or None. capabilities: whether there are any. in_haskell: the team's
    threads run Haskell, so there are no more than Capabilities."""
    code, out, err = done
    if code != 0:
        return "exit status %d" % code
    if "NO" in out or out.count("yes") != 2 or not re.search(r"one process: 0$", out, re.M):
        return "not the result of one process"
    if "ranks: %d" % processes not in out:
        return "another number of ranks"
    found = [[int(n or 0) for n in groups] for groups in WHERE.findall(err)]
    if sorted(where[0] for where in found) != list(range(processes)):
        return "not all ranks say where they are"
    if sorted(where[2] for where in found) != masks:
        return "the processors are not those of the masks: %s" % masks
    for number, mask, processors, team, has in found:
        if mask not in (0, processors):
            return "rank %d started with %d CPUs" % (number, mask)
        if team != (min(threads or processors, has) if in_haskell else threads or processors):
            return "the team of rank %d" % number
        if has != (processors if capabilities else 0):
            return "the Capabilities of rank %d" % number
    return None


def main(arguments):
    for command in ["mpirun"] + ([] if arguments else ["mpicc"]):
        if not shutil.which(command):
            print("skipped: needs Open MPI (libopenmpi-dev, openmpi-bin)")
            return 77
    with tempfile.TemporaryDirectory() as work:
        if arguments:
            programs = [("haskell", [arguments[1]], {}, True)]
        else:
            program = os.path.join(work, "stencil")
            subprocess.run(["mpicc", "-O2", "-Wall", "-Wextra", "-Werror", "-fopenmp",
                            os.path.join(EXAMPLES, "stencil.c"), "-o", program, "-lm", "-ldl"], check=True)
            dropin = {"LD_PRELOAD": os.path.join(BUILD, "dropin", "libgomp.so.1")}
            rts = os.path.exists(os.path.join(BUILD, "dropin", "libghcomp_rts.so"))
            programs = [("posix", [program], dict(dropin, GHCOMP_HOST="posix"), False)]
            if rts:
                programs.append(("ghc", [program], dict(dropin, GHCOMP_HOST="ghc"), True))
        bad, chosen = 0, of_environment()
        for number, (processes, binding, threads) in enumerate(RUNS):
            if not chosen.has("stencil of %s" % programs[-1][0], number, len(RUNS)):
                continue
            masks = cpus_of(processes, binding)
            if masks is None:
                print("left out: %d processes, %s, which mpirun cannot do here" % (processes, " ".join(binding)))
                continue
            for name, command, env, capabilities in programs:
                if threads:
                    env = dict(env, OMP_NUM_THREADS=str(threads))
                # The preload is for the processes, not for mpirun.
                own = [part for key in sorted(env) for part in ("-x", "%s=%s" % (key, env[key]))]
                done = run(MPIRUN + binding + own + ["-n", str(processes)] + command)
                wrong = what_is_wrong(processes, masks, threads, capabilities, bool(arguments), done)
                if wrong:
                    bad = 1
                    print("%s, %d processes, %s, threads %s: %s\n%s%s"
                          % (name, processes, " ".join(binding), threads, wrong, done[1], done[2]))
        return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
