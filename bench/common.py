"""Shared by the measurements: the machine's description, samples as processes, medians, tables, results as JSON.

Used by all measurements of bench/ (docs/results/benchmarks.md lists them); run by itself it prints what a picture that
is made now says below it. In a kit (bench/kit.py) the peers and what was known where it was made come from the kit.
Needs only Python's standard library.
"""

import argparse
import contextlib
import functools
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

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import topology  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAMPLE_LIMIT_S = 60
NO_SAMPLES = 3
# What a kit has: a folder with libgomp/libgomp.so.1 and libomp/libgomp.so.1, libraries for its programs, and the
# builder's versions.
KIT_PEERS, KIT_LIBRARIES, KIT_ABOUT = (os.path.join(ROOT, name) for name in ("peers", "lib", "kit.json"))


def die(text):
    sys.exit("ghc-openmp: bench: " + text)


def kit_peer(name):
    """The folder that has this peer as libgomp.so.1 in a kit; None elsewhere."""
    folder = os.path.join(KIT_PEERS, name)
    return folder if os.path.isdir(folder) else None


def no_samples(limit_s):
    """Ends a run that has no result because its time was too short: exit status 3."""
    print("ghc-openmp: bench: nothing was measured%s" % (
        ": %g s are too short" % limit_s if limit_s else ""), file=sys.stderr)
    sys.exit(NO_SAMPLES)


def find_libomp():
    if kit_peer("libomp"):
        return os.path.join(kit_peer("libomp"), "libgomp.so.1")
    found = sorted(glob.glob("/usr/lib/*/libomp.so.5") + glob.glob("/usr/lib64/libomp.so*"))
    return found[0] if found else None


def link_libomp(folder):
    """Makes libomp the libgomp.so.1 of that folder: libomp has libgomp's entries too."""
    os.makedirs(folder, exist_ok=True)
    link = os.path.join(folder, "libgomp.so.1")
    if os.path.lexists(link):
        os.unlink(link)
    os.symlink(find_libomp(), link)
    return folder


def peer(name, build):
    """(folder for LD_LIBRARY_PATH, object that must serve) of a peer, (None, None) for the system's libgomp; None where
    it is not installed."""
    folder = kit_peer(name)
    if folder is None and name == "libgomp":
        return None, None
    if folder is None and find_libomp() is None:
        return None
    folder = folder or link_libomp(os.path.join(build, "bench", "libomp"))
    return folder, os.path.join(folder, "libgomp.so.1")


def plain_environment():
    """The caller's environment without the variables that configure an OpenMP runtime or GHC's."""
    return {k: v for k, v in os.environ.items()
            if not re.match(r"(OMP|GOMP|KMP|LIBOMP|GHCOMP)_|GHCRTS$|LD_LIBRARY_PATH$|LD_PRELOAD$", k)}


def environment(runtime, threads):
    """The environment of a program that the runtime serves."""
    env = plain_environment()
    folder, host, _ = runtime
    folders = [folder] * bool(folder) + [KIT_LIBRARIES] * os.path.isdir(KIT_LIBRARIES)
    if folders:
        env["LD_LIBRARY_PATH"] = ":".join(folders)
    if host:
        env["GHCOMP_HOST"] = host
    env["OMP_NUM_THREADS"] = str(threads)
    return env


class Failed(Exception):
    pass


class OutOfTime(Exception):
    """The run's time is over (set_deadline): the sample does not count, and is no failure."""


_deadline = None


def set_deadline(seconds):
    """No sample is running after so many seconds from now; None: no such limit."""
    global _deadline
    _deadline = None if seconds is None else time.monotonic() + seconds


def sample_seconds(limit_s=SAMPLE_LIMIT_S):
    """(how long a sample may take, what it raises when it takes longer); raises OutOfTime when none may start."""
    if _deadline is None:
        return limit_s, Failed
    left = _deadline - time.monotonic()
    if left <= 0:
        raise OutOfTime()
    return (left, OutOfTime) if left < limit_s else (limit_s, Failed)


def spawn(command, env, cpus=None, limit_s=SAMPLE_LIMIT_S):
    """Runs a sample, on these CPUs if there are any, and returns the object that it prints."""
    limit, late = sample_seconds(limit_s)
    process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True,
                               preexec_fn=(lambda: os.sched_setaffinity(0, cpus)) if cpus else None)
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise late("did not end in %d s" % limit)
    if process.returncode != 0:
        raise Failed("exit status %d: %s" % (process.returncode, (err or out).strip()[-300:] or "no message"))
    try:
        return json.loads(out)
    except ValueError:
        raise Failed("printed no JSON object: " + out.strip()[:200])


def check_served(result, wanted, host):
    """A sample counts only when the object `wanted` served it (None: the system's libgomp), on this host (None: without
    one)."""
    served = result["object"]
    if wanted is None:
        right = not os.path.abspath(served).startswith(ROOT + os.sep)
    else:
        # One object has the names of both runtimes.
        right = os.path.realpath(served) == os.path.realpath(wanted)
    if not right or result["host"] != (host or ""):
        raise Failed("ran on %s (host: %s), not on %s (host: %s)" % (
            served, result["host"] or "none", wanted or "the system's libgomp", host or "none"))


# ---- the machine ----


def first_line(*command):
    try:
        out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=20)
        return out.stdout.strip().splitlines()[0] if out.returncode == 0 and out.stdout.strip() else None
    except (OSError, subprocess.TimeoutExpired):
        return None


@functools.lru_cache(maxsize=None)
def package_of(path):
    """The Debian package and version that a file came from."""
    if path is None or shutil.which("dpkg-query") is None:
        return None
    real = os.path.realpath(path)
    names = list(dict.fromkeys((path, real, real.replace("/usr/lib/", "/lib/", 1))))
    # It exits with 1 where it knows some of the names and not all.
    try:
        found = subprocess.run(["dpkg-query", "-S", *names], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    owners = {name: owner for owner, _, name in (line.partition(": ") for line in found.splitlines())}
    for name in names:
        if name in owners:
            package = owners[name].split(",")[0]
            return first_line("dpkg-query", "-W", "-f", "${Package} ${Version}", package)
    return None


def version_of(folder):
    return first_line("git", "-C", folder, "describe", "--always", "--dirty")


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
    about = {
        "cpu": model or platform.machine(),
        "cpus_online": os.cpu_count(),
        "cpus_usable": len(os.sched_getaffinity(0)),
        "cgroup_cpu_max": quota,
        "memory": memory,
        "kernel": platform.release(),
        "system": system,
        "topology": topology.describe(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }
    about.update(load_result(KIT_ABOUT)["versions"] if os.path.exists(KIT_ABOUT) else versions(cc))
    return about


def versions(cc):
    """What the measured objects are, and what compiled them."""
    libgomp = first_line(cc, "-print-file-name=libgomp.so.1")
    return {
        "cc": first_line(cc, "--version"),
        "ghc": first_line("ghc", "--numeric-version"),
        "libgomp": package_of(libgomp) or libgomp,
        "libomp": package_of(find_libomp()) or find_libomp(),
        "ghc_openmp": version_of(ROOT),
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


class Watch:
    """Counts the rounds of a run and records what else the machine did meanwhile."""

    def __init__(self, rounds, limit_s, hard=False):
        """With `hard` the limit ends a round, too: take_samples stops there, with what it has."""
        self.wanted, self.limit_s, self.rounds = rounds, limit_s, 0
        if hard:
            set_deadline(limit_s)
        self.transfer, self.load, self.cut = [], [os.getloadavg()[0]], False
        self.before, self.began = cpu_seconds(), time.monotonic()

    def another_round(self):
        """On a busy machine a run keeps to its limit with fewer rounds, and the table says how many."""
        took = time.monotonic() - self.began
        if self.rounds and self.limit_s and took + took / self.rounds > self.limit_s and self.rounds < self.wanted:
            print("bench: stopping after %d rounds: the machine is too slow or busy for %d in %d s" % (
                self.rounds, self.wanted, self.limit_s), file=sys.stderr, flush=True)
            return False
        return self.rounds < self.wanted

    def end_round(self, transfer_ns, failures):
        if transfer_ns >= 0:
            self.transfer.append(transfer_ns)
        self.load.append(os.getloadavg()[0])
        self.rounds += 1
        print("bench: round %d of %d, %.0f s, %d failures" % (
            self.rounds, self.wanted, time.monotonic() - self.began, len(failures)), file=sys.stderr, flush=True)

    def end_early(self):
        """The time was over within a round; a run without a complete one has one."""
        self.cut = True
        self.rounds = max(1, self.rounds)
        print("bench: %.0f s are over, within round %d" % (time.monotonic() - self.began, self.rounds),
              file=sys.stderr, flush=True)

    def conditions(self, **timing):
        """The load beside the run; timing is the length of a sample: batch_ms and batches, window_ms, or programs."""
        wall, cpus = time.monotonic() - self.began, len(os.sched_getaffinity(0))
        (busy0, steal0, own0), (busy1, steal1, own1) = self.before, cpu_seconds()
        load = self.load
        return {
            "load_average": {"before": round(load[0], 2), "highest": round(max(load), 2), "after": round(load[-1], 2)},
            "cpu_taken_by_others_percent": round(max(0.0, busy1 - busy0 - (own1 - own0)) / wall / cpus * 100, 1),
            "cpu_stolen_percent": round((steal1 - steal0) / wall / cpus * 100, 1),
            "transfer_ns": spread(self.transfer) if self.transfer else None,
            "processes": self.rounds, "cut": self.cut, "seconds": round(wall), **timing,
        }


def take_samples(watch, cells, take, constructs=None, around=None):
    """Rounds of samples: in each cell, another order each round.

    cells: (cell, names of its series); take(cell, name) starts a process and returns its values by name. After each
    round the program `constructs`, if there is one, takes a cache line's transfer. around(cell) is a context in which
    the cell's samples are taken. Returns {(cell, value): {series: list}} and the failures, each a (cell, series,
    reason).
    """
    samples, failures = {}, []
    try:
        while watch.another_round():
            take_round(watch.rounds, cells, take, samples, failures, around)
            watch.end_round(transfer_ns(constructs) if constructs else -1, failures)
    except OutOfTime:
        watch.end_early()
    return samples, failures


def take_round(number_, cells, take, samples, failures, around=None):
    """The round of that number: adds to the samples and to the failures of take_samples."""
    for cell_, names in cells:
        turn = number_ % len(names)
        with around(cell_) if around else contextlib.nullcontext():
            for name in names[turn:] + names[:turn]:
                try:
                    for value, found in take(cell_, name).items():
                        samples.setdefault((cell_, value), {}).setdefault(name, []).append(found)
                except Failed as failure:
                    failures.append((cell_, name, str(failure)))


@contextlib.contextmanager
def beside(commands):
    """The processes of these commands, while the block runs."""
    started = []
    try:
        for command in commands:
            started.append(subprocess.Popen(command, stdin=subprocess.DEVNULL))
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def transfer_ns(constructs, cpus=None):
    """A line from one core to another; -1 where there are no two CPUs."""
    # The system may have no libgomp, which the program needs in order to start.
    runtime = (kit_peer("libgomp"), None, None)
    return spawn([constructs, "transfer", "2", "5", "3"], environment(runtime, 2), cpus)["value"]


# ---- samples and tables ----


def spread(values):
    ordered = sorted(values)
    if len(ordered) >= 4:
        q1, _, q3 = statistics.quantiles(ordered, n=4, method="inclusive")
    else:
        q1, q3 = ordered[0], ordered[-1]
    return {"median": statistics.median(ordered), "q1": q1, "q3": q3, "min": ordered[0], "max": ordered[-1],
            "samples": [round(v, 3) for v in values]}


def number(value):
    if value < 100:
        return "%.*f" % (2 if 0 < value < 10 else 1, value)
    return "{:,.0f}".format(value)


def cell(values):
    if values is None:
        return "-"
    half = (values["q3"] - values["q1"]) / 2
    percent = 100 * half / values["median"] if values["median"] else 0
    return "%s ±%.0f%%" % (number(values["median"]), percent)


def quantity(value, unit):
    if unit == "ns":
        for limit, divisor, name in ((1e3, 1, "ns"), (1e6, 1e3, "us"), (1e9, 1e6, "ms")):
            if value < limit:
                break
        value, unit = value / divisor, " " + name
    text = "{:,.0f}".format(value) if value >= 1000 or unit == "" else "%.3g" % value
    if 0 < value < 0.001:
        text = "below 0.001"
    return text + (unit if unit in ("", "/s") or unit.startswith(" ") else " " + unit)


def cell_with_unit(values, unit):
    if values is None:
        return "-"
    half = (values["q3"] - values["q1"]) / 2
    return "%s ±%.0f%%" % (quantity(values["median"], unit), 100 * half / values["median"] if values["median"] else 0)


def length_of_sample(c):
    if "batches" in c:
        return "the best of %d batches of %d ms" % (c["batches"], c["batch_ms"])
    return "one run of " + c["programs"] if "programs" in c else "a window of %d ms" % c["window_ms"]


def environment_text(result):
    """A line about the variables of --set, if there are any."""
    chosen = result.get("environment")
    return ["Every process had %s." % " ".join("%s=%s" % pair for pair in chosen.items())] if chosen else []


def date_of(result):
    return result["machine"].get("date", "on a day that was not recorded")


def note_of(result):
    """What a chart says of its measurement: the machine, the commit and the date."""
    m = result["machine"]
    return "%s, %d CPU%s; ghc-openmp %s; %s" % (m["cpu"], m["cpus_usable"], "" if m["cpus_usable"] == 1 else "s",
                                                m["ghc_openmp"], date_of(result))


def peers_text(result):
    """(name, version) of each peer: those of the command line (bench/peers.py), and the system's unless only such ones
    were measured."""
    m, others = result["machine"], result["machine"].get("peers", {})
    system = [name for name in ("libgomp", "libomp") if not others or name in result.get("runtimes", [])]
    return [(name, m[name]) for name in system] + list(others.items())


def machine_text(result):
    m = result["machine"]
    return [
        "%s, %d of %d CPUs usable, %s; %s, kernel %s." % (m["cpu"], m["cpus_usable"], m["cpus_online"], m["memory"],
                                                         m["system"], m["kernel"]),
        "Compiled once by %s; %s; GHC %s; ghc-openmp %s, %s." % (
            m["cc"], "; ".join("%s: %s" % found for found in peers_text(result)), m["ghc"], m["ghc_openmp"],
            date_of(result)),
    ]


def conditions_text(result):
    m, c = result["machine"], result["conditions"]
    lines = machine_text(result) + [
        "%d processes a cell, each %s, runtimes taking turns; %d s in all." % (
            c["processes"], length_of_sample(c), c["seconds"]),
        "Load average %.2f before, %.2f at most; other processes took %.1f %% of the CPUs, the hypervisor %.1f %%." % (
            c["load_average"]["before"], c["load_average"]["highest"], c["cpu_taken_by_others_percent"],
            c["cpu_stolen_percent"]),
    ]
    if c["transfer_ns"]:
        t = c["transfer_ns"]
        lines.append("One cache line from one core to another takes %.0f ns one way (%.0f to %.0f)." % (
            t["median"], t["min"], t["max"]))
    if m.get("topology"):
        lines.append(topology.sentence(m["topology"]))
    lines += environment_text(result)
    if c.get("cut"):
        lines.append("The time was over within a round: some cells have a sample more, or less, than others, or none.")
    if c["cpu_taken_by_others_percent"] + c["cpu_stolen_percent"] > 5:
        lines.append("**The machine was busy with other work: do not quote these numbers.**")
    return lines


# ---- the command line ----


def command_line(description, run, table, name, quick=None):
    """A measurement's parser, its commands, and the parsers of `run` and `table`, for further options; `name` is the
    result's. `quick` says what --quick means; without it there is neither that option nor --rows."""
    parser = argparse.ArgumentParser(description=description)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("run", help="measure, write JSON, print tables")
    if quick:
        p.add_argument("--quick", action="store_true", help=quick)
        p.add_argument("--rows", help="only these rows, with commas between them")
    p.add_argument("--name", default=name, help="the result is bench/results/NAME.json")
    p.add_argument("--out", help="write the JSON here instead")
    p.add_argument("--build", default=os.path.join(ROOT, "build"), help="the build folder")
    p.add_argument("--cc", default="gcc", help="the compiler whose version is recorded")
    p.add_argument("--processes", type=int, help="processes a cell")
    p.set_defaults(action=run)
    shown = commands.add_parser("table", help="print a result's tables")
    shown.add_argument("result")
    shown.set_defaults(action=table)
    return parser, commands, p, shown


def limit_option(p):
    """For measurements that can end within a round."""
    p.add_argument("--limit", type=float, metavar="SECONDS", help="end after so many seconds, with what there is then")


def act(parser):
    args = parser.parse_args()
    sys.exit(args.action(args))


def built(build, name, commands):
    """The path of a measurement's program; `commands` build it."""
    path = os.path.join(build, "bench", name)
    if not os.path.exists(path):
        die("no %s; it is built by %s" % (path, commands))
    return path


def rows_asked(args, rows):
    asked = args.rows.split(",") if args.rows else list(rows)
    for row in asked:
        if row not in rows:
            die("no row named %s; there are %s" % (row, ", ".join(rows)))
    return asked


def load_result(path):
    try:
        with open(path) as f:
            return json.load(f)
    except (OSError, ValueError) as error:
        die("cannot read %s: %s" % (path, error))


def failures_of(failed):
    """take_samples' failures as results of constructs keep them; a cell is (row, threads)."""
    return [{"row": row, "threads": threads, "runtime": name, "reason": reason}
            for (row, threads), name, reason in failed]


def dumps_result(result):
    """A result as JSON, one row on a line: a change of one row is a change of one line."""
    parts = []
    for key, value in result.items():
        if isinstance(value, list) and any(isinstance(row, dict) for row in value):
            text = "[\n%s\n ]" % ",\n".join("  " + json.dumps(row) for row in value)
        else:
            text = json.dumps(value)
        parts.append(" %s: %s" % (json.dumps(key), text))
    return "{\n%s\n}\n" % ",\n".join(parts)


def write_result(result, args, suffix=""):
    """Writes the result to the command line's path, with a suffix before .json. Returns the path."""
    path = args.out or os.path.join(ROOT, "bench", "results", args.name + ".json")
    path = path.removesuffix(".json") + suffix + ".json" if suffix else path
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w") as f:
        f.write(dumps_result(result))
    return path


def finish_run(result, args, text):
    """Writes the result, prints its text, the file's name and one line for each failure. Returns the exit status."""
    path = write_result(result, args)
    print(text)
    print("Written to %s." % os.path.relpath(path))
    for failure in result["failures"]:
        where = ", ".join("%s %s" % (key.replace("_", " "), value) for key, value in failure.items() if key != "reason")
        print("FAILED: %s: %s" % (where, failure["reason"]))
    return 1 if result["failures"] else 0


if __name__ == "__main__":
    # What a picture made now says below it (`make pictures`).
    print(note_of({"machine": machine("gcc")}))
