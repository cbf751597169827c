"""The CPUs that this process may use: cores, hardware threads, caches, sockets and NUMA nodes, from Linux's /sys.

    describe()             what a result says of the machine
    teams()                the sizes of teams to measure: one to four times the CPUs
    placements()           ways to place a team that differ on this machine, as environment variables
    pairs()                two CPUs at each distance there is

GHCOMP_BENCH_SYS is another folder than /sys/devices/system, and GHCOMP_BENCH_CPUS another list of CPUs than the
affinity mask, as in `0-63,128`: machines that are not there, for tests. Used by bench/common.py, bench/large.py and
bench/kit_run.py; tested by test/scripts/bench_kit_test.py. Needs only Python's standard library.
"""

import collections
import os

# The widest team that the programs of bench/c can check (half of MAX_THREADS, since `resize` has twice as many).
MOST_THREADS = 2048

# node and socket are numbers of the system; cache and core are the lowest CPU of those that share it.
Cpu = collections.namedtuple("Cpu", "number node socket cache core")


def listed(text):
    """The numbers of a list as the kernel writes it: 0-3,8."""
    found = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def mask():
    asked = os.environ.get("GHCOMP_BENCH_CPUS")
    return listed(asked) if asked else sorted(os.sched_getaffinity(0))


def text_of(*parts):
    try:
        with open(os.path.join(os.environ.get("GHCOMP_BENCH_SYS", "/sys/devices/system"), *parts)) as f:
            return f.read()
    except OSError:
        return None


def nodes():
    """CPU to NUMA node; the node is 0 where the system has no value."""
    found = {}
    for node in listed(text_of("node", "online") or "0"):
        for cpu in listed(text_of("node", "node%d" % node, "cpulist") or ""):
            found[cpu] = node
    return found


def last_cache(cpu, otherwise):
    """The lowest CPU of those that share the last level of cache."""
    best = (0, otherwise)
    for index in range(8):
        level, shared = (text_of("cpu", "cpu%d" % cpu, "cache", "index%d" % index, name)
                         for name in ("level", "shared_cpu_list"))
        if level and shared:
            best = max(best, (int(level), min(listed(shared))))
    return best[1]


def cpus():
    """The CPUs of the mask. Where nothing can be read: a core for each CPU, one socket, one node."""
    node_of, found = nodes(), []
    for cpu in mask():
        socket = int(text_of("cpu", "cpu%d" % cpu, "topology", "physical_package_id") or 0)
        siblings = listed(text_of("cpu", "cpu%d" % cpu, "topology", "thread_siblings_list") or "") or [cpu]
        found.append(Cpu(cpu, node_of.get(cpu, 0), socket, last_cache(cpu, -1 - socket), min(siblings)))
    return found


def groups(of, by):
    found = {}
    for cpu in of:
        found.setdefault(getattr(cpu, by), []).append(cpu)
    return found


def describe():
    of = cpus()
    return {"cpus": len(of), "cores": len(groups(of, "core")), "last_caches": len(groups(of, "cache")),
            "sockets": len(groups(of, "socket")), "nodes": len(groups(of, "node"))}


def sentence(found):
    def amount(name, one, more):
        return "%d %s" % (found[name], one if found[name] == 1 else more)
    return "The mask has %s in %s, %s of the last level, %s, %s." % (
        amount("cpus", "CPU", "CPUs"), amount("cores", "core", "cores"), amount("last_caches", "cache", "caches"),
        amount("sockets", "socket", "sockets"), amount("nodes", "NUMA node", "NUMA nodes"))


def teams(times=(1, 2, 3, 4)):
    count = len(mask())
    return sorted({min(MOST_THREADS, count * n) for n in times})


def smaller_teams():
    """Powers of two from 2 below one thread for each CPU."""
    found, size = [], 2
    while size < min(len(mask()), MOST_THREADS):
        found.append(size)
        size *= 2
    return found


def placements():
    """Name to variables. OMP_PLACES=threads differs from cores where cores have several threads, sockets from none
    where there are several; places of the CPUs that share a cache where these are neither cores nor sockets."""
    of = cpus()
    core, cache, socket = (len(groups(of, by)) for by in ("core", "cache", "socket"))
    places = {}
    if core > 1:
        places["cores"] = "cores"
        if core < len(of):
            places["threads"] = "threads"
        if cache not in (1, core, socket):
            places["caches"] = ",".join("{%s}" % ",".join(str(cpu.number) for cpu in group)
                                        for group in groups(of, "cache").values())
        if socket > 1:
            places["sockets"] = "sockets"
    return {"%s-%s" % (name, bind): {"OMP_PLACES": text, "OMP_PROC_BIND": bind}
            for name, text in places.items() for bind in ("close", "spread")}


def pairs():
    """Name of a distance to two CPUs that far apart, the nearest distance first."""
    of = cpus()
    first, found = of[0], {}
    for other in of[1:]:
        if other.core == first.core:
            name = "one core"
        elif other.cache == first.cache:
            name = "one cache"
        elif other.socket == first.socket:
            name = "one socket" if other.node == first.node else "one socket, two nodes"
        else:
            name = "two sockets"
        found.setdefault(name, (first.number, other.number))
    order = ("one core", "one cache", "one socket", "one socket, two nodes", "two sockets")
    return {name: found[name] for name in order if name in found}


def two_cores():
    """Two CPUs that are near each other and do not share a core; None where there are none."""
    found = [pair for name, pair in pairs().items() if name != "one core"]
    return set(found[0]) if found else None
