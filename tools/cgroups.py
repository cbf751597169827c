"""A control group with a CPU quota, or with a limit of threads, where this process may make one (versions 1 and 2).

Used by test/container/quota.py and few.py, and by bench/quota.py. Needs only Python's standard library.
"""

import math
import os
import shutil
import tempfile
import time

PERIOD_US = 100000
PREFIX = "ghcomp-quota-"
REMOVE_SECONDS = 60


def _unescaped(word):
    return word.encode("ascii", "surrogateescape").decode("unicode_escape") if "\\" in word else word


def _hierarchies(controller):
    """(version, folder of this process's own group, mount point) of each mounted hierarchy that may have the
    controller's
    limits."""
    own = {}
    with open("/proc/self/cgroup") as f:
        for line in f:
            _, controllers, path = line.rstrip("\n").split(":", 2)
            if controllers == "":
                own[2] = path
            elif controller in controllers.split(","):
                own[1] = path
    with open("/proc/self/mountinfo") as f:
        for line in f:
            left, _, right = line.partition(" - ")
            kind, _, options = right.split()[:3]
            version = 2 if kind == "cgroup2" else 1
            if kind not in ("cgroup", "cgroup2") or version not in own:
                continue
            if version == 1 and controller not in options.split(","):
                continue
            top, point = (_unescaped(word) for word in left.split()[3:5])
            path = own[version]
            below = path[len(top.rstrip("/")):] if path.startswith(top.rstrip("/")) else ""
            folder = os.path.normpath(point + "/" + below)
            yield version, folder if os.path.isdir(folder) and folder.startswith(point) else point, point


def remove(folder):
    """Removes a group. A process that has just ended is a member for a moment, on a busy machine for a longer one."""
    until = time.monotonic() + REMOVE_SECONDS
    while True:
        try:
            return os.rmdir(folder)
        except OSError as e:
            if time.monotonic() > until:
                raise RuntimeError("cannot remove the control group %s: %s" % (folder, e.strerror)) from None
            time.sleep(0.02)


class Group:
    """A group that stays until close(). Processes join it by `join`, which is for Popen's preexec_fn."""

    controller, tried = "cpu", 1.5  # a limit that shows whether there are limits

    def __init__(self, version, folder):
        self.version, self.folder = version, folder

    def limit(self, cpus):
        """Sets the quota; OSError where there is none to set. `cpus` None: no quota."""
        if self.version == 2:
            text = "max" if cpus is None else "%d" % (cpus * PERIOD_US)
            self._write("cpu.max", "%s %d" % (text, PERIOD_US))
        else:
            self._write("cpu.cfs_period_us", str(PERIOD_US))
            self._write("cpu.cfs_quota_us", "-1" if cpus is None else "%d" % (cpus * PERIOD_US))

    def join(self):
        self._write("cgroup.procs", "0")

    def throttled_s(self):
        """Seconds for which the group's threads were throttled so far, summed over the CPUs."""
        with open(os.path.join(self.folder, "cpu.stat")) as f:
            stat = dict(line.split() for line in f)
        return int(stat["throttled_usec"]) / 1e6 if self.version == 2 else int(stat["throttled_time"]) / 1e9

    def close(self):
        remove(self.folder)

    def _write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as f:
            f.write(text)


class Threads(Group):
    """The same with a limit of threads."""

    controller, tried = "pids", 1000

    def limit(self, threads):
        """`threads` None: no limit."""
        self._write("pids.max", "max" if threads is None else str(threads))

    def wait_until_empty(self):
        """The kernel counts threads for a moment after their end. The caller's limit of time is the only one."""
        while True:
            with open(os.path.join(self.folder, "pids.current")) as f:
                if int(f.read()) == 0:
                    return
            time.sleep(0.002)


def make(kind=Group):
    """(a group of that kind, None), or (None, why there is none). Looks in this process's own group and in those above
    it; changes
    nothing that is already there."""
    reasons = []
    for version, folder, point in _hierarchies(kind.controller):
        while True:
            try:
                group = kind(version, tempfile.mkdtemp(prefix=PREFIX, dir=folder))
            except OSError as e:
                reasons.append("%s: %s" % (folder, e.strerror))
            else:
                try:
                    group.limit(kind.tried)
                    return group, None
                except OSError as e:
                    reasons.append("%s: no limit in a group here (%s)" % (folder, e.strerror))
                    group.close()
            if folder == point:
                break
            folder = os.path.dirname(folder)
    return None, "; ".join(reasons) or "no control groups are mounted"


class Written:
    """Files that look like a container's control groups, for test/container/fake.c, which reads them instead."""

    SHAPES = {
        # As Docker and Kubernetes on version 2: a namespace of control groups.
        "v2": ("0::/\n", "29 23 0:25 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw,nsdelegate\n", "/sys/fs/cgroup"),
        # As systemd: the quota is a slice's, above the service.
        "v2-slice": ("0::/some.slice/some.service\n", "29 23 0:25 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
                     "/sys/fs/cgroup/some.slice"),
        # As Docker on version 1: the path is the one outside the container, the mount shows a part of the tree.
        "v1": ("9:memory:/docker/0a\n4:cpu,cpuacct:/docker/0a\n1:name=systemd:/docker/0a\n0::/\n",
               "31 23 0:29 /docker/0a /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n",
               "/sys/fs/cgroup/cpu,cpuacct"),
    }

    def __init__(self, shape, cpus):
        """`cpus` None: no quota."""
        self.root = tempfile.mkdtemp(prefix=PREFIX)
        groups, mounts, folder = self.SHAPES[shape]
        self._put("/proc/self/cgroup", groups)
        self._put("/proc/self/mountinfo", "22 1 254:1 / / rw - ext4 /dev/root rw\n" + mounts)
        quota = None if cpus is None else math.floor(cpus * PERIOD_US)
        if shape == "v1":
            self._put(folder + "/cpu.cfs_quota_us", "%d\n" % (-1 if quota is None else quota))
            self._put(folder + "/cpu.cfs_period_us", "%d\n" % PERIOD_US)
        else:
            self._put(folder + "/cpu.max", "%s %d\n" % ("max" if quota is None else quota, PERIOD_US))

    def _put(self, name, text):
        os.makedirs(os.path.dirname(self.root + name), exist_ok=True)
        with open(self.root + name, "w") as f:
            f.write(text)

    def close(self):
        shutil.rmtree(self.root)
