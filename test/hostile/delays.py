#!/usr/bin/env python3
# Ends of processes and of first threads (process_ends.c, main_exits.c), many times, with random delays in the C
# library's calls (slow.c.in, preloaded), on libgomp and on both hosts. Every run ends in time, with the case's status
# and output.
#
#     BUILD=build test/hostile/delays.py [SEED]
#
# A failure names its seed. GHCOMP_DEEP=1 runs 10,000 processes on each runtime from a new seed, otherwise 150 from seed
# 1.
# limit: 120
# deep-limit: 7200
import os
import random
import re
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import harness  # noqa: E402
import sample  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
DEEP = os.environ.get("GHCOMP_DEEP", "0") not in ("", "0")
RUNS = 10000 if DEEP else 150
LIMIT = 60  # seconds for a run
HOWS = [("exit", 41, "buffered"), ("quick_exit", 42, ""), ("_exit", 43, ""), ("abort", -6, ""),
        ("kill", -15, ""), ("exec", 44, "other")]


def compile_program(name, folder):
    exe = os.path.join(folder, name)
    subprocess.run(["gcc", "-O1", "-fopenmp", os.path.join(HERE, name + ".c"), "-o", exe], check=True)
    return exe


def cases_of(folder):
    """(program, case, status, output); names and expectations are those of the programs' tables."""
    ends, exits = compile_program("process_ends", folder), compile_program("main_exits", folder)
    with open(os.path.join(HERE, "process_ends.c"), encoding="ascii") as f:
        places = re.findall(r'\{"([^"]+)", \w+\}', f.read())
    with open(os.path.join(HERE, "main_exits.c"), encoding="ascii") as f:
        rows = re.findall(r'\{"([^"]+)", run_\w+, (\d+), "([^"]*)"\}', f.read())
    assert len(places) > 10 and len(rows) > 10
    cases = [(ends, "%s, %s" % (how, place), status, out) for how, status, out in HOWS for place in places]
    return cases + [(exits, name, int(status), out.replace("\\n", "\n")) for name, status, out in rows]


def environment(host, shim, seed):
    env = {k: v for k, v in os.environ.items() if not re.match(r"OMP_|GOMP_|GHCOMP_|LD_", k)}
    env.update(LD_PRELOAD=shim, DELAY_SEED=str(seed))
    env.update(DELAY_ONE_IN=str(1 + seed % 7), DELAY_US=str([300, 3000][seed % 2]))
    if host is not None:
        env.update(LD_LIBRARY_PATH=os.path.join(BUILD, "dropin"), GHCOMP_HOST=host)
    return env


def failure(case, host, shim, seed):
    exe, name, status, out = case
    process = harness.start([exe, name], env=environment(host, shim, seed), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        said, complaint = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return "it hangs"
    if process.returncode != status or said.decode("ascii", "replace") != out or complaint:
        return "status %d instead of %d, printed %r instead of %r, stderr %r" % (
            process.returncode, status, said, out, complaint)
    return None


def main():
    if not os.path.exists(os.path.join(BUILD, "dropin", "libgomp.so.1")):
        sys.exit("build the drop-in first (make)")
    first = int(sys.argv[1]) if len(sys.argv) > 1 else (random.randrange(1 << 30) if DEEP else 1)
    hosts = [None, "posix"]
    if os.path.exists(os.path.join(BUILD, "dropin", "libghcomp_rts.so")):
        hosts.append("ghc")
    failed, chosen = [], sample.of_environment()
    with tempfile.TemporaryDirectory() as folder:
        shim = os.path.join(folder, "slow.so")
        source = ["-x", "c", os.path.join(HERE, "slow.c.in")]
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC"] + source + ["-o", shim, "-ldl"], check=True)
        cases = cases_of(folder)

        def some(host, start):
            for seed in range(first + start, first + RUNS, 2):
                if failed:
                    return
                if not chosen.has("delays", seed // 2):
                    continue
                case = cases[seed % len(cases)] if DEEP else random.Random(seed).choice(cases)
                if host is None and case[1] in ("handler of the last", "exec, beside first regions",
                                                "exec, beside regions"):
                    continue  # main_exits.c and process_ends.c say why
                problem = failure(case, host, shim, seed)
                if problem is not None:
                    failed.append("%s on %s, seed %d: %s" % (case[1], host or "libgomp", seed, problem))

        for host in hosts:
            threads = [threading.Thread(target=some, args=(host, start)) for start in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    if failed:
        sys.exit("\n".join(failed))
    names = ", ".join(h or "libgomp" for h in hosts)
    print("%d runs each on %s, from seed %d, one in %d of them" % (RUNS, names, first, chosen.parts))


if __name__ == "__main__":
    main()
