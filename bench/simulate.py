#!/usr/bin/env python3
"""Simulates waits of the runtime on 2 to 192 CPUs (bench/simulate), and checks the simulator against two real ones.

    bench/simulate.py run [--build BUILD] [--name NAME] [--cpus 2,4,8] [--rows regions,barriers] [--starts N]
    bench/simulate.py check [--build BUILD] [--name NAME] [--processes N]
    bench/simulate.py table RESULT.json

`run` measures what operations cost on this machine, and simulates with that. It writes bench/results/NAME.json and
prints the page's tables. `check` needs two CPUs that nobody else uses: it adds to that result what the same programs do
there, on the runtime and on the CPUs, and in the simulator, with costs that it measures anew before each row, since a
hypervisor may have moved the CPUs since `run`. Needs only Python's standard library.
"""

import argparse
import concurrent.futures
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import ROOT, die, dumps_result, environment, machine  # noqa: E402

# Construct to the work of a member between two waits, in ns.
ROWS = {"regions": 1000, "barriers": 1000, "dynamic": 1000, "ordered": 1000, "doacross": 1000, "copyprivate": 1000,
        "lock": 1000, "tasks": 1000, "late": 1000, "serial": 200000}
LARGE_ROWS = ("regions", "barriers", "lock")  # with 16 CPUs or more, where a run takes long
CPUS = (2, 4, 8, 16, 64, 192)
NOISE = ("1/20", "5/50", "100/400", "on")  # ms that a process computes, and then sleeps; `on` computes all the time
RECOVERED = 0.8  # of the quiet speed
WANTED_MS = 20
LIMIT_S = 1800  # a run


def window(cpus):
    """Length of a run, when the noise begins, and when it ends, in ms."""
    return (240, 50, 150) if cpus <= 4 else (150, 40, 100) if cpus <= 16 else (60, 22, 40)


def noise_options(noise, processes, begin, end):
    if noise == "none":
        return []
    on, off = ("1", "0") if noise == "on" else noise.split("/")
    text = "%d/%d/%d/%d" % (float(on) * 1000, float(off) * 1000, begin, end)
    return ["--noise", text] * processes


def scenarios(cpus_asked, rows_asked):
    """Each a dictionary of what a run is."""
    found = []
    for cpus in cpus_asked:
        rows = [r for r in rows_asked if cpus < 16 or r in LARGE_ROWS]
        for row in rows:
            for noise in ("none",) + (NOISE if cpus <= 16 else ("5/50", "on")):
                found.append(dict(cpus=cpus, threads=cpus, row=row, noise=noise, processes=max(1, cpus // 4)))
            if cpus <= 4:
                found.append(dict(cpus=cpus, threads=2 * cpus, row=row, noise="none", processes=0))
                found.append(dict(cpus=cpus, threads=2 * cpus, row=row, noise="5/50", processes=1))
        for row in ("regions", "barriers"):
            if row in rows and cpus <= 16:
                found.append(dict(cpus=cpus, threads=2, row=row, noise="none", processes=0, masters=cpus))
                found.append(dict(cpus=cpus, threads=cpus, row=row, noise="none", processes=0,
                                  haskell="%d/5000/300" % max(1, cpus // 2)))
    return found


def simulate(program, costs, what, seed=1, more=(), length=None):
    ms, begin, end = window(what["cpus"])
    command = [program, costs, what["row"], "--cpus", str(what["cpus"]), "--threads", str(what["threads"]),
               "--work", str(what.get("work", ROWS[what["row"]])), "--ms", str(length or ms), "--seed", str(seed)]
    command += noise_options(what["noise"], what["processes"], begin, end) if "noise" in what else []
    for name in ("masters", "haskell"):
        if name in what:
            command += ["--" + name, str(what[name])]
    done = subprocess.run(command + list(more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=LIMIT_S)
    if done.returncode != 0:
        die("%s: exit status %d: %s" % (" ".join(command), done.returncode, done.stderr.strip()))
    return json.loads(done.stdout)


def quiet_rate(steps, begin):
    """Steps in a millisecond before the noise, without the time in which the team is made."""
    return statistics.median(steps[begin // 2:begin])


def recovery(steps, end, rate):
    """How long after the noise's end every three milliseconds together are back at the quiet speed; None: never."""
    back = len(steps)
    for i in range(len(steps) - 3, end - 1, -1):
        if sum(steps[i:i + 3]) < RECOVERED * 3 * rate:
            break
        back = i
    return back - end if back + 3 <= len(steps) else None


def answers(what, result, alone=None):
    """What the page says of a run. `alone`: the rate of the same program on as many CPUs without anything beside."""
    ms, begin, end = window(what["cpus"])
    steps = result["step"]
    found = {"stuck_ms": result["stuck_longest_ms"], "cpu": result["cpu_ms"] / (ms * what["cpus"]),
             "steps_ms": statistics.mean(steps[ms // 4:])}
    if what["noise"] != "none":
        rate = quiet_rate(steps, begin)
        left = 1 - result["noise_ms"] / (what["cpus"] * (end - begin))
        during = sum(steps[begin:end]) / (end - begin)
        found.update(steps_ms=during, quiet=rate, of_best=during / (rate * left) if rate else None,
                     recovery_ms=recovery(steps, end, rate))
    elif alone:
        found["of_alone"] = found["steps_ms"] / alone
    return found


def run_all(program, costs, asked):
    workers = os.cpu_count() or 1
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        results = list(pool.map(lambda what: simulate(program, costs, what), asked))
    alone, rows = {}, []
    for what, result in zip(asked, results):
        key = (what["cpus"], what["row"])
        plain = what["threads"] == what["cpus"] and "haskell" not in what and "masters" not in what
        row = dict(what, **answers(what, result, alone.get(key)))
        if plain and what["noise"] == "none":
            alone[key] = row["steps_ms"]
        rows.append(row)
    return rows


def start(program, costs, what, seed):
    """From a random state: ms until the team is at its speed for good, and the longest that it was stuck."""
    result = simulate(program, costs, what, seed, ["--scatter"], 30)
    steps = result["step"]
    return recovery(steps, 0, quiet_rate(steps, len(steps))), result["stuck_longest_ms"]


def run_starts(program, costs, count, cpus_asked):
    rows = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for cpus in [c for c in cpus_asked if c <= 16 and count > 0]:
            for row in ("regions", "barriers", "ordered", "lock"):
                what = dict(cpus=cpus, threads=cpus, row=row, work=5000)
                seeds = range(1, (count if cpus <= 4 else (count + 3) // 4) + 1)
                found = list(pool.map(lambda seed, w=what: start(program, costs, w, seed), seeds))
                backs = [back for back, _ in found]
                rows.append({"cpus": cpus, "row": row, "starts": len(found), "never": backs.count(None),
                             "at_once": backs.count(0),
                             "longest_ms": max((b for b in backs if b is not None), default=None),
                             "stuck_ms": max(s for _, s in found)})
    return rows


# ---- the check ----

CHECKED = [(row, noise) for row in ("regions", "barriers") for noise in ("none", "1/20", "5/50", "100/400")]
CHECK_MS, SLICE_MS = 2000, 50


def slices(result):
    """ns a step in each slice, and over all."""
    steps = result["step"]
    each = [sum(steps[i:i + SLICE_MS]) for i in range(SLICE_MS, len(steps) - SLICE_MS + 1, SLICE_MS)]
    return ([SLICE_MS * 1e6 / max(n, 1) for n in each], len(each) * SLICE_MS * 1e6 / max(sum(each), 1))


def summary(results):
    ns = [value for result in results for value in slices(result)[0]]
    return {"mean": statistics.mean(slices(result)[1] for result in results), "median": statistics.median(ns),
            "worst": max(ns), "together": sum(r["together"] for r in results) / sum(r["samples"] for r in results),
            "cpu": statistics.mean(r["cpu_ms"] / (2 * r["ms"]) for r in results)}


def really(build, row, noise):
    """The program on the runtime and on the real CPUs, beside a process that makes the noise."""
    program = os.path.join(build, "bench", "simulate-real")
    env = environment((os.path.join(build, "dropin"), "posix", None), 2)
    beside = None
    if noise != "none":
        on, off = noise.split("/")
        beside = subprocess.Popen([program, "noise", str(int(on) * 1000), str(int(off) * 1000), str(CHECK_MS + 500)])
    done = subprocess.run([program, row, "2", "0", str(CHECK_MS)], env=env, stdout=subprocess.PIPE, text=True)
    if beside is not None:
        beside.wait()
    if done.returncode != 0:
        die("%s on %s: exit status %d" % (program, row, done.returncode))
    return json.loads(done.stdout)


def run_check(build, processes):
    rows = []
    for row, noise in CHECKED:
        costs = measure(build)
        real = [really(build, row, noise) for _ in range(processes)]
        what = dict(cpus=2, threads=2, row=row, work=0)
        more = [noise_options(noise, 1, 0, CHECK_MS) for _ in range(3)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            simulated = with_costs(costs, lambda f, m=more, w=what: list(pool.map(lambda seed: simulate(
                os.path.join(build, "bench", "simulate"), f, w, seed, m[0], CHECK_MS), (1, 2, 3))))
        rows.append({"row": row, "noise": noise, "round_trip": costs["round_trip"], "real": summary(real),
                     "simulated": summary(simulated)})
    return rows


# ---- the page ----

def table(head, rows):
    align = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, align] + rows) + "\n"


def ns(value):
    return "{:,.0f}".format(value)


def part(value):
    return "-" if value is None else "%.2f" % value


def ms(value):
    return "never" if value is None else "**%.0f**" % value if value > WANTED_MS else "%.0f" % value


def beside(r):
    text = {"none": "nothing", "on": "%d that compute" % r["processes"]}.get(r["noise"]) or "%d of %s ms" % (
        r["processes"], r["noise"])
    if "haskell" in r:
        text = "Haskell on %s CPUs" % r["haskell"].split("/")[0]
    return "%d masters" % r["masters"] if "masters" in r else text


def rows_text(rows):
    lines = []
    for r in rows:
        lines.append([r["row"], str(r["threads"]), beside(r), ns(1e6 / max(r["steps_ms"], 1e-9)),
                      part(r.get("of_best", r.get("of_alone"))), part(r["cpu"]),
                      ms(r["recovery_ms"]) if "recovery_ms" in r else "", "%.1f" % r["stuck_ms"]])
    return table(["construct", "threads", "beside", "ns a step", "of the best", "CPU time", "back after, ms",
                  "stuck, ms"], lines)


def check_text(rows):
    lines = []
    for r in rows:
        real, simulated = r["real"], r["simulated"]
        lines.append([r["row"], r["noise"], ns(r["round_trip"])] + [
            "%s / %s" % (ns(real[k]), ns(simulated[k])) for k in ("mean", "median", "worst")] + [
            "%.2f / %.2f" % (real[k], simulated[k]) for k in ("together", "cpu")])
    return table(["construct", "noise, ms", "a line there and back, ns", "mean, ns", "median, ns", "worst of 50 ms, ns",
                  "on one CPU", "CPU time"], lines)


def starts_text(rows):
    return table(["construct", "CPUs", "starts", "at once", "longest, ms", "never", "stuck, ms"],
                 [[r["row"], str(r["cpus"]), str(r["starts"]), str(r["at_once"]), ms(r["longest_ms"]), str(r["never"]),
                   "%.1f" % r["stuck_ms"]] for r in rows])


def markdown(result):
    with open(os.path.join(ROOT, "bench", "simulate", "page.md")) as f:
        text = f.read()
    costs = ", ".join("%s %s" % (name, ns(value)) for name, value in sorted(result["costs"].items()))
    tables = "\n".join("### %d CPUs\n\n%s" % (cpus, rows_text([r for r in result["rows"] if r["cpus"] == cpus]))
                       for cpus in sorted({r["cpus"] for r in result["rows"]}))
    checked = check_text(result["check"]) if result.get("check") else "It has not been checked on this machine.\n"
    for name, value in (("COSTS", costs + "."), ("CHECK", checked), ("STARTS", starts_text(result["starts"])),
                        ("TABLES", tables)):
        text = text.replace("{%s}\n" % name, value if value.endswith("\n") else value + "\n")
    return text


# ---- commands ----

def measure(build):
    done = subprocess.run([os.path.join(build, "bench", "simulate-measure")], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        die("the costs cannot be measured: exit status %d" % done.returncode)
    return json.loads(done.stdout)


def with_costs(costs, function):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(costs, f)
        f.flush()
        return function(f.name)


def path_of(name):
    return os.path.join(ROOT, "bench", "results", name + ".json")


def write(result, name):
    with open(path_of(name), "w") as f:
        f.write(dumps_result(result))


def load(path):
    with open(path) as f:
        return json.load(f)


def listed(text):
    return [int(word) for word in text.split(",")]


def run(args):
    rows = args.rows.split(",") if args.rows else list(ROWS)
    for row in rows:
        if row not in ROWS:
            die("there is no row %s; there are %s" % (row, ", ".join(ROWS)))
    program = os.path.join(args.build, "bench", "simulate")
    costs = load(args.costs) if args.costs else measure(args.build)
    begin = time.time()
    result = {"machine": machine(args.cc), "costs": costs, "starts": [], "rows": []}
    for cpus in args.cpus:
        result["starts"] += with_costs(costs, lambda f, c=cpus: run_starts(program, f, args.starts, [c]))
        result["rows"] += with_costs(costs, lambda f, c=cpus: run_all(program, f, scenarios([c], rows)))
        result["took_s"] = round(time.time() - begin)
        if os.path.exists(path_of(args.name)):
            result["check"] = load(path_of(args.name)).get("check")
        write(result, args.name)
    print(markdown(result))


def check(args):
    result = load(path_of(args.name))
    result["check"] = run_check(args.build, args.processes)
    write(result, args.name)
    print(check_text(result["check"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, function in (("run", run), ("check", check)):
        p = commands.add_parser(name)
        p.set_defaults(function=function)
        p.add_argument("--build", default="build")
        p.add_argument("--name", default="simulate-latest")
        p.add_argument("--cc", default="gcc")
    run_parser, check_parser = commands.choices["run"], commands.choices["check"]
    run_parser.add_argument("--cpus", type=listed, default=list(CPUS))
    run_parser.add_argument("--rows")
    run_parser.add_argument("--starts", type=int, default=200)
    run_parser.add_argument("--costs", help="a file of costs, instead of measuring them")
    check_parser.add_argument("--processes", type=int, default=3)
    p = commands.add_parser("table")
    p.add_argument("result")
    p.set_defaults(function=lambda a: print(markdown(load(a.result)), end=""))
    args = parser.parse_args()
    args.function(args)


if __name__ == "__main__":
    main()
