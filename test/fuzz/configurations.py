"""In which environments a file of cases runs, and what a runtime is here: the system's libgomp or the drop-in.

A configuration is a dictionary of environment variables. libgomp runs each file once, the drop-in in several
configurations, which rotate from file to file.
"""

import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test"))

import harness  # noqa: E402

THREADS = (1, 2, 3, 4, 8)
POLICIES = (None, "active", "passive")
HOSTS = ("posix", "ghc")
EXTRAS = (
    {},
    {"GHCOMP_BARRIER": "tree"},
    {"GHCOMP_SHARE": "all"},
    {"OMP_SCHEDULE": "guided,3"},
    {"OMP_SCHEDULE": "static,2"},
    {"OMP_SCHEDULE": "nonmonotonic:dynamic,4"},
    {"OMP_MAX_TASK_PRIORITY": "5"},
    {"OMP_PROC_BIND": "spread"},
    {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"},
    {"OMP_STACKSIZE": "1M"},
    {"OMP_THREAD_LIMIT": "64"},
    {"GOMP_SPINCOUNT": "0"},
    {"GHCOMP_BARRIER": "tree", "GHCOMP_SHARE": "all"},
    {"OMP_TARGET_OFFLOAD": "disabled"},
)


def all_pairs():
    """Every host, size and policy, in an order in which neighbours differ."""
    found = [(h, n, p) for n in THREADS for p in POLICIES for h in HOSTS]
    random.Random("configurations").shuffle(found)
    return found


PAIRS = all_pairs()


def of_file(file, count, sized, hosts=HOSTS):
    """The configurations in which the drop-in runs file number `file`."""
    found = []
    index = file * count
    while len(found) < count:
        host, threads, policy = PAIRS[index % len(PAIRS)]
        extra = EXTRAS[(index + index // len(PAIRS)) % len(EXTRAS)]
        index += 1
        if host not in hosts:
            host = hosts[0]
        env = {"GHCOMP_HOST": host, "OMP_NUM_THREADS": str(threads)}
        if policy:
            env["OMP_WAIT_POLICY"] = policy
        env["OMP_CANCELLATION"] = "true" if index % 2 else "false"
        env.update(extra)
        if not sized and index % 3 == 0:
            env["OMP_DYNAMIC"] = "true"
        found.append(env)
    return found


def of_libgomp(file):
    """libgomp's configuration. It waits passively: its spinning threads would take the CPUs from each other."""
    return {"OMP_NUM_THREADS": str(THREADS[file % len(THREADS)]), "OMP_WAIT_POLICY": "passive",
            "OMP_CANCELLATION": "true" if file % 2 else "false"}


def threads(env):
    return int(env["OMP_NUM_THREADS"])


def cancellation(env):
    return env.get("OMP_CANCELLATION") == "true"


def words(env):
    return " ".join("%s=%s" % item for item in sorted(env.items()))


def environment(env, dropin, preload=None):
    """The whole environment of a run; dropin None: the system's libgomp."""
    extra = dict(env)
    if dropin:
        extra["LD_LIBRARY_PATH"] = dropin
    if preload:
        extra["LD_PRELOAD"] = preload
    return harness.clean_env(extra)
