#!/usr/bin/env python3
"""Measures large teams on ghc-openmp (both kinds of barrier), libgomp and libomp, beside a model.

    bench/large.py run [--name NAME] [--threads 2,32,64] [--runtimes ...] [--processes N] [--limit SECONDS]
    bench/large.py table RESULT.json

`run` starts two processes for each sample, one with the default wait policy and one with OMP_WAIT_POLICY=passive, the
runtimes alternating. It writes bench/results/NAME.json and prints a page in Markdown: the measurements, what the model
(bench/model.py) predicts for them, and what it predicts for machines with more cores. Needs only Python's standard
library.
"""

import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import model  # noqa: E402
import topology  # noqa: E402
from common import (OutOfTime, Watch, act, check_served, command_line, conditions_text, die, environment,  # noqa: E402
                    kit_peer, limit_option, load_result, machine, no_samples, spawn, spread, take_round,
                    write_result)
from peers import find_runtimes  # noqa: E402

def patterns(name):
    """libomp's settings for this algorithm, to gather and to release, in all of its barriers."""
    return {"KMP_%s_BARRIER_PATTERN" % purpose: "%s,%s" % (name, name) for purpose in ("FORKJOIN", "PLAIN",
                                                                                         "REDUCTION")}


# Name: (title, runtime of run.py, its settings).
SERIES = {
    "flat": ("ours, flat", "ours-posix", {"GHCOMP_BARRIER": "flat"}),
    "tree": ("ours, tree", "ours-posix", {"GHCOMP_BARRIER": "tree"}),
    "libgomp": ("libgomp", "libgomp", {}),
    "libomp": ("libomp", "libomp", {}),
    "libomp-hyper": ("libomp, hyper", "libomp", patterns("hyper")),
    "libomp-dist": ("libomp, dist", "libomp", patterns("dist")),
}
WOKEN = ("woken_master_ns", "woken_last_ns", "woken_ns", "woken_switches")
BUSY = ("region_ns", "region_switches", "barrier_ns", "barrier_switches")
MACHINE = ("transfer_ns", "switch_ns", "wake_ns", "wake_latency_ns", "wake_own_ns", "wake_own_latency_ns",
           "wake_other_ns", "wake_other_latency_ns")
SIZES_ELSEWHERE = (8, 16, 32, 64, 96, 192)
FITTED_AT = 64  # threads
BETWEEN_SOCKETS = 3  # a line from another socket, in lines from the same one: the order of magnitude on such machines


# ---- running ----


def sample(binary, runtime, settings, threads):
    """All values of one process of each wait policy."""
    values = {}
    for policy, kept in ((None, BUSY), ("passive", WOKEN)):
        env = dict(environment(runtime, threads), **settings)
        if policy:
            env["OMP_WAIT_POLICY"] = policy
        got = spawn([binary, "team", str(threads)], env)
        got.setdefault("host", runtime[1] or "")
        check_served(got, runtime[2], runtime[1])
        values.update({name: got[name] for name in kept})
    return values


def costs_of_machine(binary, costs):
    """Adds the costs that the model needs, of two cores near each other; returns a line's transfer, or -1."""
    cores = topology.two_cores()
    if cores is None:
        return -1
    got = spawn([binary, "machine"], environment((kit_peer("libgomp"), None, None), 2), cores)
    for name in MACHINE:
        costs.setdefault(name, []).append(got[name])
    return got["transfer_ns"]


def rows_of(samples):
    """A row for each value (`large`) and number of threads."""
    return [{"large": value, "threads": size, "values": {name: spread(found[name]) for name in sorted(found)}}
            for (size, value), found in sorted(samples.items())]


def run(args):
    build = os.path.abspath(args.build)
    binary = os.path.join(build, "bench", "large")
    if not os.path.exists(binary):
        die("no %s; run make bench-large, which builds it" % binary)
    names = args.runtimes.split(",")
    for name in names:
        if name not in SERIES:
            die("no runtime named %s; there are %s" % (name, ", ".join(SERIES)))
    runtimes = find_runtimes(sorted({SERIES[name][1] for name in names}), build)
    threads = [int(t) for t in args.threads.split(",")]
    watch = Watch(args.processes, args.limit, hard=bool(args.limit))
    samples, failures, costs = {}, [], {}

    def take(size, name):
        _, runtime, settings = SERIES[name]
        return sample(binary, runtimes[runtime], settings, size)

    try:
        while watch.another_round():
            transfer = costs_of_machine(binary, costs)  # first: a run that ends within its first round has them
            take_round(watch.rounds, [(size, names) for size in threads], take, samples, failures)
            watch.end_round(transfer, failures)
    except OutOfTime:
        watch.end_early()
    if not samples and not failures:
        no_samples(args.limit)
    result = {
        "machine": machine(args.cc), "conditions": watch.conditions(batch_ms=40, batches=3),
        "taken": time.strftime("%Y-%m-%d"), "threads": threads, "series": names,
        "costs": {name: spread(values) for name, values in costs.items()},
        "rows": rows_of(samples),
    }
    write_result(result, args)
    print("\n".join(page(result)))
    for size, name, reason in failures:
        print("bench: %s, %d threads: %s" % (name, size, reason), file=sys.stderr)
    return 1 if failures else 0


# ---- the page ----


def us(ns):
    return "%.2f" % (ns / 1e3) if ns < 1e4 else "%.1f" % (ns / 1e3) if ns < 1e5 else "{:,.0f}".format(ns / 1e3)


class Values:
    def __init__(self, result):
        self.medians = {(row["threads"], name, row["large"]): values["median"]
                        for row in result["rows"] for name, values in row["values"].items()}
        c = {name: values["median"] for name, values in result["costs"].items()}
        self.fitted = bool(c) and None not in (self.get(2, "tree", "barrier_ns"), self.get(2, "tree", "region_ns"),
                                               self.get(FITTED_AT, "flat", "woken_master_ns"))
        if not self.fitted:
            return
        self.measured, self.cores = c, result["machine"]["cpus_usable"]
        self.costs = {"transfer": c["transfer_ns"], "switch": c["switch_ns"], "wake": c["wake_ns"],
                      "latency": c["wake_latency_ns"]}
        self.set_share(0)
        # Fitted: the code's own time, so that the model has the measured time of two threads.
        self.own_barrier = max(0, self.get(2, "tree", "barrier_ns") - model.barrier(2, 2, True, self.costs, 0)[0])
        self.own_region = max(0, self.get(2, "tree", "region_ns") - model.region(2, 2, True, self.costs, 0))
        # Fitted, too: on which busy core the kernel wakes a thread, the waker's own, or another one, which costs an
        # interrupt.
        low, high, wanted = 0.0, 1.0, self.get(FITTED_AT, "flat", "woken_master_ns")
        for _ in range(20):
            self.set_share((low + high) / 2)
            if model.woken(FITTED_AT, self.cores, False, self.costs, self.own_region)[0] < wanted:
                low = self.share
            else:
                high = self.share

    def set_share(self, share):
        self.share, c = share, self.measured
        for name, value in (("wake_busy", "ns"), ("busy_latency", "latency_ns")):
            self.costs[name] = (1 - share) * c["wake_own_" + value] + share * c["wake_other_" + value]

    def get(self, threads, series, value):
        return self.medians.get((threads, series, value))

    def predicted(self, threads, cores, tree, costs=None):
        costs = costs or self.costs
        barrier, switches = model.barrier(threads, cores, tree, costs, self.own_barrier)
        master, _, whole = model.woken(threads, cores, tree, costs, self.own_region)
        return {"barrier_ns": barrier, "barrier_switches": switches,
                "region_ns": model.region(threads, cores, tree, costs, self.own_region),
                "woken_master_ns": master, "woken_ns": whole}


def row(cells):
    return "| " + " | ".join(cells) + " |"


def measured(result, values):
    lines = []
    names = result["series"]
    for title, value, switches in (
            ("Region, back to back", "region_ns", "region_switches"),
            ("Barrier, back to back", "barrier_ns", "barrier_switches"),
            ("Region of a team that sleeps (`OMP_WAIT_POLICY=passive`)", "woken_ns", "woken_switches"),
            ("The same: until the master's part begins", "woken_master_ns", None)):
        lines += ["### " + title, "", "us" + (" (context switches of all threads)" if switches else "") + ".", ""]
        lines.append(row(["threads"] + [SERIES[name][0] for name in names]))
        lines.append(row(["---:"] * (len(names) + 1)))
        for size in result["threads"]:
            cells = []
            for name in names:
                ns = values.get(size, name, value)
                text = "-" if ns is None else us(ns)
                if ns is not None and switches:
                    text += " (%.0f)" % values.get(size, name, switches)
                cells.append(text)
            lines.append(row([str(size)] + cells))
        lines.append("")
    return lines


def compared(result, values):
    c = values.measured
    lines = ["## The model and these measurements", "",
             "us, and in brackets the model's. Fitted at two threads with `tree`: %.0f ns of code in a barrier, %.0f "
             "ns in a region; at %d, where the master's part begins in a team that sleeps: of wake-ups on busy cores, "
             "%.0f %% are on another core than the waker's. The other costs are measured: a line's transfer %.0f ns, a "
             "switch %.0f ns; waking a thread costs the waker %s us on an idle core, %s us on its own, %s us on "
             "another busy one, and the thread runs after %s, %s and %s us." % (
                 values.own_barrier, values.own_region, FITTED_AT, 100 * values.share, c["transfer_ns"], c["switch_ns"],
                 us(c["wake_ns"]), us(c["wake_own_ns"]), us(c["wake_other_ns"]), us(c["wake_latency_ns"]),
                 us(c["wake_own_latency_ns"]), us(c["wake_other_latency_ns"])), ""]
    columns = (("barrier", "barrier_ns"), ("region", "region_ns"), ("woken: master begins", "woken_master_ns"),
               ("woken: region", "woken_ns"))
    kinds = [name for name in ("flat", "tree") if name in result["series"]]
    lines.append(row(["threads", "kind"] + [title for title, _ in columns]))
    lines.append(row(["---:", "---"] + ["---:"] * len(columns)))
    for size in result["threads"]:
        for kind in kinds:
            said = values.predicted(size, values.cores, kind == "tree")
            lines.append(row([str(size), kind] + [
                "%s (%s)" % (us(values.get(size, kind, value)), us(said[value])) for _, value in columns]))
    return lines + [""]


def elsewhere(values):
    lines = ["## Extrapolation: as many cores as threads", "",
             "**Nothing in this table was measured.** It is what the model says of machines that have a core for each "
             "thread, with this machine's costs; in brackets with lines that take %d times as long, as between "
             "sockets. us." % BETWEEN_SOCKETS, "",
             row(["threads", "kind", "barrier", "region", "woken: master begins", "woken: region"]),
             row(["---:", "---"] + ["---:"] * 4)]
    far = dict(values.costs, transfer=BETWEEN_SOCKETS * values.costs["transfer"])
    for size in SIZES_ELSEWHERE:
        for kind in ("flat", "tree"):
            near = values.predicted(size, size, kind == "tree")
            apart = values.predicted(size, size, kind == "tree", far)
            lines.append(row([str(size), kind] + [
                "%s (%s)" % (us(near[value]), us(apart[value]))
                for value in ("barrier_ns", "region_ns", "woken_master_ns", "woken_ns")]))
    return lines + [""]


def page(result):
    values = Values(result)
    lines = conditions_text(result) + ["", "## Measured", ""] + measured(result, values)
    if values.fitted:
        return lines + compared(result, values) + elsewhere(values)[:-1]
    return lines + ["Without the model, which needs two cores, and `tree` and `flat` at 2 and %d threads." % FITTED_AT]


def table(args):
    print("\n".join(page(load_result(args.result))))
    return 0


def main():
    parser, _, running, _ = command_line("Measures large teams on ghc-openmp and its peers, beside a model.", run,
                                         table, "large-latest")
    running.add_argument("--threads", default="2,8,32,64,128,256",
                         help="with 2 and 64 there is a model: it is fitted there")
    running.add_argument("--runtimes", default=",".join(SERIES))
    limit_option(running)
    running.set_defaults(processes=5)
    act(parser)


if __name__ == "__main__":
    main()
