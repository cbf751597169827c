#!/usr/bin/env python3
"""Measures OpenMP constructs on ghc-openmp, libgomp and libomp in one run, and compares runs.

    bench/run.py run [--quick] [--name NAME] [--threads 1,2,4] [--rows ...] [--runtimes ...] [--processes N]
    bench/run.py table RESULT.json
    bench/run.py compare BEFORE.json AFTER.json [--limit 1.10]

`run` starts one process for each sample (runtime, row, number of threads), the runtimes taking turns, all from one
binary that was compiled once. It writes bench/results/NAME.json and prints a Markdown table. It fails when a kernel
finds a wrong result, when a sample ran on another runtime than it should, and when a sample does not end in time.
How to read the table: docs/benchmarks.md. Needs only Python's standard library.
"""

import argparse
import glob
import json
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAMPLE_LIMIT_S = 60
QUICK_LIMIT_S = 160

# name: (what an operation is, unit, True when less is better)
ROWS = {
    "parallel": ("an empty region", "ns", True),
    "barrier": ("a barrier in one region", "ns", True),
    "nested": ("an outer region of m, each thread with an inner region of 2", "ns", True),
    "resize": ("a region, m and 2m threads in turn", "ns", True),
    "for-static": ("a static loop of m iterations and its barrier", "ns", True),
    "single": ("a single block and its barrier", "ns", True),
    "reduction": ("a parallel for of m iterations with reduction(+)", "ns", True),
    "critical": ("an entry of one critical section, of all threads' entries", "ns", True),
    "lock": ("omp_set_lock and omp_unset_lock, of all threads' entries", "ns", True),
    "ordered": ("an iteration of for ordered schedule(static, 1)", "ns", True),
    "dynamic": ("an iteration of schedule(nonmonotonic: dynamic, 1)", "ns", True),
    "dynamic-monotonic": ("an iteration of schedule(monotonic: dynamic, 1)", "ns", True),
    "tasks": ("a task, all of them created by one thread", "ns", True),
    "task-fib": ("a task of fib(20), which creates 21,890", "ns", True),
    "task-depend": ("a task with depend(inout) in one of four chains", "ns", True),
    "taskloop": ("an iteration of taskloop grainsize(16)", "ns", True),
    "queens": ("all solutions for nine queens, a task for each queen of the first five rows", "ns", True),
    "sort": ("a merge sort of 16,384 numbers, two tasks for each part of more than 64", "ns", True),
    "critical-fair": ("the worst thread's part of its fair share in 1 ms, critical", "%", False),
    "lock-fair": ("the worst thread's part of its fair share in 1 ms, lock", "%", False),
    "start": ("a process that runs one region, from spawn to exit", "us", True),
    "memory": ("peak resident memory of such a process", "kB", True),
}
# The ratio to the better peer that we want to be at or below, by number of threads; "wanted" in the table.
WANTED = {
    "parallel": {1: 0.2, 2: 0.6, 4: 0.8},
    "barrier": {2: 0.5, 4: 0.8},
    "nested": {2: 0.5},
    "resize": {2: 0.3},
    "for-static": {2: 0.5},
    "single": {2: 0.8},
    "critical": {2: 1.0, 4: 1.0},
    "lock": {2: 1.0, 4: 1.0},
    "ordered": {2: 0.8, 4: 0.8},
    "dynamic": {2: 0.5},
    "dynamic-monotonic": {2: 1.0},
    "tasks": {1: 1.0, 2: 1.0, 4: 0.5},
    "task-fib": {1: 0.6, 2: 0.3, 4: 0.2},
    "task-depend": {1: 0.8, 2: 0.5, 4: 0.5},
    "taskloop": {2: 1.0},
}
# Where threads share a CPU, its scheduler decides who gets in within 1 ms, not the runtime.
NOT_OVERSUBSCRIBED = ("critical-fair", "lock-fair")

OURS = ("ours-posix", "ours-ghc")
PEERS = ("libgomp", "libomp")
TITLES = {"ours-posix": "ours, POSIX", "ours-ghc": "ours, GHC", "libgomp": "libgomp", "libomp": "libomp"}


def die(text):
    sys.exit("ghc-openmp: bench: " + text)


# ---- the runtimes ----


def find_libomp():
    found = sorted(glob.glob("/usr/lib/*/libomp.so.5") + glob.glob("/usr/lib64/libomp.so*"))
    return found[0] if found else None


def find_runtimes(names, build):
    """Name to (folder for LD_LIBRARY_PATH or None, value of GHCOMP_HOST or None, the object that must serve)."""
    runtimes = {}
    for name in names:
        if name in OURS:
            folder = os.path.join(build, "dropin")
            if not os.path.exists(os.path.join(folder, "libgomp.so.1")):
                die("no %s/libgomp.so.1; run make first" % folder)
            runtimes[name] = (folder, name[len("ours-"):], os.path.join(folder, "libgomp.so.1"))
        elif name == "libgomp":
            runtimes[name] = (None, None, None)
        elif name == "libomp":
            source = find_libomp()
            if source is None:
                die("no libomp.so.5; install libomp5-19 (tools/deps.sh bench), or leave libomp out of --runtimes")
            folder = os.path.join(build, "bench", "libomp")
            os.makedirs(folder, exist_ok=True)
            link = os.path.join(folder, "libgomp.so.1")
            if os.path.lexists(link):
                os.unlink(link)
            os.symlink(source, link)
            runtimes[name] = (folder, None, link)
        else:
            die("no runtime named %s; there are %s" % (name, ", ".join(OURS + PEERS)))
    return runtimes


def environment(runtime, threads):
    """The caller's environment less everything that configures an OpenMP runtime or GHC's."""
    env = {k: v for k, v in os.environ.items()
           if not re.match(r"(OMP|GOMP|KMP|LIBOMP|GHCOMP)_|GHCRTS$|LD_LIBRARY_PATH$|LD_PRELOAD$", k)}
    folder, host, _ = runtime
    if folder:
        env["LD_LIBRARY_PATH"] = folder
    if host:
        env["GHCOMP_HOST"] = host
    env["OMP_NUM_THREADS"] = str(threads)
    return env


class Failed(Exception):
    pass


def spawn(command, env):
    """Runs a sample and returns the object that it prints."""
    process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        out, err = process.communicate(timeout=SAMPLE_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Failed("did not end in %d s" % SAMPLE_LIMIT_S)
    if process.returncode != 0:
        raise Failed("exit status %d: %s" % (process.returncode, (err or out).strip()[-300:] or "no message"))
    try:
        return json.loads(out)
    except ValueError:
        raise Failed("printed no JSON object: " + out.strip()[:200])


def check_served(result, name, runtime):
    """A sample counts only when the runtime that it is filed under served it."""
    _, host, wanted = runtime
    served = result["object"]
    if wanted is None:
        if result["host"] or served.startswith(ROOT):
            raise Failed("ran on %s, not on the system's libgomp" % served)
    elif os.path.abspath(served) != os.path.abspath(wanted):
        raise Failed("ran on %s, not on %s" % (served, wanted))
    if host and result["host"] != host:
        raise Failed("host is %s, not %s" % (result["host"] or "unknown", host))


def start_us(binary, threads, env):
    """Microseconds from spawn to exit of a process that runs one region: the best of five, as with batches."""
    null = os.open(os.devnull, os.O_RDWR)
    best = None
    for _ in range(5):
        began = time.perf_counter()
        pid = os.posix_spawn(binary, [binary, "start", str(threads)], env,
                             file_actions=[(os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1, 2)])
        _, status = os.waitpid(pid, 0)
        took = time.perf_counter() - began
        if status != 0:
            raise Failed("exit status %d" % os.waitstatus_to_exitcode(status))
        best = took if best is None else min(best, took)
    os.close(null)
    return best * 1e6


# ---- the machine ----


def first_line(*command):
    try:
        out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=20)
        return out.stdout.strip().splitlines()[0] if out.returncode == 0 and out.stdout.strip() else None
    except (OSError, subprocess.TimeoutExpired):
        return None


def package_of(path):
    """The Debian package and version that a file came from."""
    if path is None or shutil.which("dpkg-query") is None:
        return None
    for name in (path, os.path.realpath(path), os.path.realpath(path).replace("/usr/lib/", "/lib/", 1)):
        owner = first_line("dpkg-query", "-S", name)
        if owner and ": " in owner:
            package = owner.split(": ")[0].split(",")[0]
            return first_line("dpkg-query", "-W", "-f", "${Package} ${Version}", package)
    return None


def machine(cc):
    model = None
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith(("model name", "Model")):
                model = line.split(":", 1)[1].strip()
                break
    memory = None
    with open("/proc/meminfo") as f:
        memory = "%.0f GiB" % (int(f.readline().split()[1]) / 1048576)
    quota = None
    try:
        with open("/sys/fs/cgroup/cpu.max") as f:
            quota = f.read().strip()
    except OSError:
        pass
    system = None
    try:
        with open("/etc/os-release") as f:
            system = dict(line.rstrip().split("=", 1) for line in f if "=" in line).get("PRETTY_NAME", "").strip('"')
    except OSError:
        pass
    libgomp = first_line(cc, "-print-file-name=libgomp.so.1")
    return {
        "cpu": model or platform.machine(),
        "cpus_online": os.cpu_count(),
        "cpus_usable": len(os.sched_getaffinity(0)),
        "cgroup_cpu_max": quota,
        "memory": memory,
        "kernel": platform.release(),
        "system": system,
        "cc": first_line(cc, "--version"),
        "ghc": first_line("ghc", "--numeric-version"),
        "libgomp": package_of(libgomp) or libgomp,
        "libomp": package_of(find_libomp()) or find_libomp(),
        "ghc_openmp": first_line("git", "-C", ROOT, "describe", "--always", "--dirty"),
    }


def cpu_seconds():
    """CPU time of the whole machine (busy, stolen by the hypervisor) and of our own children."""
    with open("/proc/stat") as f:
        ticks = [int(x) for x in f.readline().split()[1:]]
    hz = os.sysconf("SC_CLK_TCK")
    busy = sum(ticks[:3]) + sum(ticks[5:7])
    steal = ticks[7] if len(ticks) > 7 else 0
    own = 0.0
    for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF):
        usage = resource.getrusage(who)
        own += usage.ru_utime + usage.ru_stime
    return busy / hz, steal / hz, own


# ---- running ----


def spread(values):
    ordered = sorted(values)
    if len(ordered) >= 4:
        q1, _, q3 = statistics.quantiles(ordered, n=4, method="inclusive")
    else:
        q1, q3 = ordered[0], ordered[-1]
    return {"median": statistics.median(ordered), "q1": q1, "q3": q3, "min": ordered[0], "max": ordered[-1],
            "samples": [round(v, 3) for v in values]}


def run(args):
    build = os.path.abspath(args.build)
    binary = os.path.join(build, "bench", "constructs")
    if not os.path.exists(binary):
        die("no %s; run make bench or make bench-quick, which build it" % binary)
    names = args.runtimes.split(",")
    threads = [int(t) for t in args.threads.split(",")]
    rows = args.rows.split(",") if args.rows else list(ROWS)
    for row in rows:
        if row not in ROWS:
            die("no row named %s; there are %s" % (row, ", ".join(ROWS)))
    processes = args.processes or (5 if args.quick else 10)
    batch_ms, batches = (10, 7) if args.quick else (15, 7)
    runtimes = find_runtimes(names, build)
    cpus = len(os.sched_getaffinity(0))

    cells = []
    for row in rows:
        for m in threads:
            if not (row in NOT_OVERSUBSCRIBED and (m > cpus or m == 1)):
                cells.append((row, m))

    samples, failures, transfer = {}, [], []
    load = [os.getloadavg()[0]]
    busy0, steal0, own0 = cpu_seconds()
    began = time.monotonic()
    rounds = 0
    while rounds < processes:
        now = time.monotonic()
        # A busy machine must not make a quick run a long one: fewer rounds then, and the table says how many.
        if rounds and args.quick and now - began + (now - began) / rounds > QUICK_LIMIT_S:
            print("bench: stopping after %d rounds: the machine is too slow or busy for %d in %d s" % (
                rounds, processes, QUICK_LIMIT_S), file=sys.stderr, flush=True)
            break
        for row, m in cells:
            turn = rounds % len(names)
            for name in names[turn:] + names[:turn]:
                env = environment(runtimes[name], m)
                try:
                    result = spawn([binary, row, str(m), str(batch_ms), str(batches)], env)
                    check_served(result, name, runtimes[name])
                    value = start_us(binary, m, env) if row == "start" else result["value"]
                    samples.setdefault((row, m, name), []).append(value)
                except Failed as failure:
                    failures.append({"row": row, "threads": m, "runtime": name, "reason": str(failure)})
        result = spawn([binary, "transfer", "2", "5", "3"], environment((None, None, None), 2))
        if result["value"] >= 0:
            transfer.append(result["value"])
        load.append(os.getloadavg()[0])
        rounds += 1
        print("bench: round %d of %d, %.0f s, %d failures" % (
            rounds, processes, time.monotonic() - began, len(failures)), file=sys.stderr, flush=True)
    wall = time.monotonic() - began
    busy1, steal1, own1 = cpu_seconds()

    result = {
        "machine": machine(args.cc),
        "conditions": {
            "load_average": {"before": round(load[0], 2), "highest": round(max(load), 2), "after": round(load[-1], 2)},
            "cpu_taken_by_others_percent": round(max(0.0, busy1 - busy0 - (own1 - own0)) / wall / cpus * 100, 1),
            "cpu_stolen_percent": round((steal1 - steal0) / wall / cpus * 100, 1),
            "transfer_ns": spread(transfer) if transfer else None,
            "processes": rounds, "batch_ms": batch_ms, "batches": batches, "seconds": round(wall),
        },
        "runtimes": names,
        "rows": [dict(row=row, threads=m, unit=ROWS[row][1],
                      values={n: spread(samples[row, m, n]) for n in names if (row, m, n) in samples})
                 for row in ROWS for m in threads if any((row, m, n) in samples for n in names)],
        "failures": failures,
    }
    path = args.out or os.path.join(ROOT, "bench", "results", args.name + ".json")
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w") as f:
        json.dump(result, f, indent=1)
        f.write("\n")
    print(markdown(result))
    print("Written to %s." % os.path.relpath(path))
    if failures:
        print("%d samples FAILED:" % len(failures))
        print("\n".join("  " + line for line in failure_lines(failures)))
        return 1
    return 0


# ---- tables ----


def failure_lines(failures):
    """One line for each reason that a runtime failed for, with the cells that it concerns."""
    cells = {}
    for f in failures:
        cells.setdefault((f["runtime"], f["reason"]), []).append("%s at %d" % (f["row"], f["threads"]))
    return ["%s: %s (%d times: %s%s)" % (runtime, reason, len(where), ", ".join(list(dict.fromkeys(where))[:6]),
                                         ", ..." if len(set(where)) > 6 else "")
            for (runtime, reason), where in cells.items()]


def number(value):
    if value < 100:
        return "%.1f" % value
    return "{:,.0f}".format(value)


def cell(values):
    if values is None:
        return "-"
    half = (values["q3"] - values["q1"]) / 2
    percent = 100 * half / values["median"] if values["median"] else 0
    return "%s ±%.0f%%" % (number(values["median"]), percent)


def ratios(row, ours):
    """Ours to the better and to the worse peer, below 1 where ours is the better; None without a peer."""
    mine = row["values"].get(ours)
    peers = [row["values"][p]["median"] for p in PEERS if p in row["values"]]
    if mine is None or not peers:
        return None
    less_is_better = ROWS[row["row"]][2]
    median = mine["median"]
    all_ratios = [(median / p if less_is_better else p / median) if p and median else float("inf") for p in peers]
    return max(all_ratios), min(all_ratios)


def conditions_text(result):
    m, c = result["machine"], result["conditions"]
    lines = [
        "%s, %d of %d CPUs usable, %s; %s, kernel %s." % (m["cpu"], m["cpus_usable"], m["cpus_online"], m["memory"],
                                                         m["system"], m["kernel"]),
        "Compiled once by %s; libgomp: %s; libomp: %s; GHC %s; ghc-openmp %s." % (
            m["cc"], m["libgomp"], m["libomp"], m["ghc"], m["ghc_openmp"]),
        "%d processes a cell, each the best of %d batches of %d ms, runtimes taking turns; %d s in all." % (
            c["processes"], c["batches"], c["batch_ms"], c["seconds"]),
        "Load average %.2f before, %.2f at most; other processes took %.1f %% of the CPUs, the hypervisor %.1f %%." % (
            c["load_average"]["before"], c["load_average"]["highest"], c["cpu_taken_by_others_percent"],
            c["cpu_stolen_percent"]),
    ]
    if c["transfer_ns"]:
        t = c["transfer_ns"]
        lines.append("One cache line from one core to another takes %.0f ns one way (%.0f to %.0f)." % (
            t["median"], t["min"], t["max"]))
    if c["cpu_taken_by_others_percent"] + c["cpu_stolen_percent"] > 5:
        lines.append("**The machine was busy with other work: do not quote these numbers.**")
    return lines


def markdown(result):
    names = result["runtimes"]
    ours = [n for n in OURS if n in names]
    lines = conditions_text(result) + [""]
    head = ["row", "unit", "threads"] + [TITLES[n] for n in names]
    head += ["%s / better peer" % TITLES[o] for o in ours] + ["%s / worse peer" % TITLES[o] for o in ours]
    head += ["wanted / better peer"] if ours else []
    lines.append("| " + " | ".join(head) + " |")
    lines.append("|" + "|".join(["---", "---"] + ["---:"] * (len(head) - 2)) + "|")
    worse = []
    for row in result["rows"]:
        cells = [row["row"], row["unit"], str(row["threads"])] + [cell(row["values"].get(n)) for n in names]
        better_text, worse_text = [], []
        for o in ours:
            pair = ratios(row, o)
            better_text.append("%.2f" % pair[0] if pair else "-")
            worse_text.append("%.2f" % pair[1] if pair else "-")
            if pair and round(pair[1], 2) > 1:
                worse.append("%s at %d (%s, %.2f)" % (row["row"], row["threads"], TITLES[o], pair[1]))
        wanted = WANTED.get(row["row"], {}).get(row["threads"])
        wanted_text = ["%.2f" % wanted if wanted else "-"] if ours else []
        lines.append("| " + " | ".join(cells + better_text + worse_text + wanted_text) + " |")
    lines.append("")
    lines.append("Medians over processes ± half the distance between the quartiles; a ratio below 1 means that ours is "
                 "the better.")
    if ours:
        lines.append("Worse than both peers: " + ("; ".join(worse) if worse else "no row") + ".")
    return "\n".join(lines)


def load_result(path):
    try:
        with open(path) as f:
            return json.load(f)
    except (OSError, ValueError) as error:
        die("cannot read %s: %s" % (path, error))


def short_markdown(result, rows):
    """Medians alone, of some rows: the table of the README."""
    names = result["runtimes"]
    lines = ["| ns | threads | " + " | ".join(TITLES[n] for n in names) + " |",
             "|---|---:|" + "---:|" * len(names)]
    for row in result["rows"]:
        if row["row"] in rows:
            values = [row["values"].get(n) for n in names]
            lines.append("| %s | %d | %s |" % (row["row"], row["threads"], " | ".join(
                number(v["median"]) if v else "-" for v in values)))
    return "\n".join(lines)


def insert(path, text):
    """Puts the text between the two marker lines of a Markdown file."""
    begin, end = "<!-- bench: begin -->\n", "<!-- bench: end -->"
    with open(path) as f:
        whole = f.read()
    if begin not in whole or end not in whole:
        die("%s has no lines %s and %s" % (path, begin.strip(), end))
    head, rest = whole.split(begin, 1)
    with open(path, "w") as f:
        f.write(head + begin + text + "\n" + end + rest.split(end, 1)[1])


def table(args):
    result = load_result(args.result)
    text = short_markdown(result, args.short.split(",")) if args.short else markdown(result)
    if args.into:
        insert(args.into, text)
    else:
        print(text)
    return 0


def compare(args):
    """A row is a regression when its median is worse by more than the limit and the quartiles do not overlap."""
    before, after = load_result(args.before), load_result(args.after)
    old = {(r["row"], r["threads"]): r for r in before["rows"]}
    regressions = 0
    for title, result in (("before", before), ("after", after)):
        print("%s: %s" % (title, " ".join(conditions_text(result)[:2])))
    a, b = before["conditions"]["transfer_ns"], after["conditions"]["transfer_ns"]
    if before["machine"]["cpu"] != after["machine"]["cpu"] or (
            a and b and not 0.8 < b["median"] / a["median"] < 1.25):
        print("The machines differ, or a cache line's transfer does: compare the ratios to the peers instead.")
    print()
    print("| row | unit | threads | runtime | before | after | after / before | |")
    print("|---|---|---:|---|---:|---:|---:|---|")
    for row in after["rows"]:
        was = old.get((row["row"], row["threads"]))
        for name in after["runtimes"]:
            if was is None or name not in was["values"] or name not in row["values"]:
                continue
            x, y = was["values"][name], row["values"][name]
            less_is_better = ROWS[row["row"]][2]
            change = y["median"] / x["median"] if x["median"] else float("inf")
            cost = change if less_is_better else (1 / change if change else float("inf"))
            apart = y["q1"] > x["q3"] if less_is_better else y["q3"] < x["q1"]
            gained = y["q3"] < x["q1"] if less_is_better else y["q1"] > x["q3"]
            verdict = ""
            if cost > args.limit and apart:
                verdict = "**worse**" if name in OURS else "peer worse"
                regressions += name in OURS
            elif cost < 1 / args.limit and gained:
                verdict = "better"
            if verdict or args.all:
                print("| %s | %s | %d | %s | %s | %s | %.2f | %s |" % (
                    row["row"], row["unit"], row["threads"], TITLES[name], cell(x), cell(y), change, verdict))
    print()
    print("%d regressions of ours (more than %.0f %% worse, quartiles apart)." % (regressions, (args.limit - 1) * 100))
    return 1 if regressions else 0


def main():
    parser = argparse.ArgumentParser(description="Measures OpenMP constructs on ghc-openmp and its peers.")
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("run", help="measure, write JSON, print a table")
    p.add_argument("--quick", action="store_true", help="five processes a cell (under three minutes)")
    p.add_argument("--name", default="latest", help="the result is bench/results/NAME.json")
    p.add_argument("--out", help="write the JSON here instead")
    p.add_argument("--threads", default="1,2,4", help="team sizes, for example 1,2,4,8")
    p.add_argument("--rows", help="only these rows, with commas between them")
    p.add_argument("--runtimes", default=",".join(OURS + PEERS), help="some of " + ", ".join(OURS + PEERS))
    p.add_argument("--processes", type=int, help="processes a cell (10, quick: 5)")
    p.add_argument("--build", default=os.path.join(ROOT, "build"), help="the build folder")
    p.add_argument("--cc", default="gcc", help="the compiler whose version is recorded")
    p.set_defaults(action=run)
    p = commands.add_parser("table", help="print a result's table")
    p.add_argument("result")
    p.add_argument("--short", help="only the medians of these rows, with commas between them")
    p.add_argument("--into", help="put it between the bench markers of this Markdown file")
    p.set_defaults(action=table)
    p = commands.add_parser("compare", help="show what got worse between two results; exits 1 when ours did")
    p.add_argument("before")
    p.add_argument("after")
    p.add_argument("--limit", type=float, default=1.10, help="how much worse counts (1.10 is 10 %%)")
    p.add_argument("--all", action="store_true", help="show the rows that did not change, too")
    p.set_defaults(action=compare)
    args = parser.parse_args()
    sys.exit(args.action(args))


if __name__ == "__main__":
    main()
