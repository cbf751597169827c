#!/usr/bin/env python3
# The kit: bench/topology.py and bench/kit_run.py on made-up machines; the archive, and a moment of its ./run, in a
# folder that has a C library, a shell and nothing else where a chroot is allowed.
# limit: 300
# timing-part: the moment of ./run, whose steps have a share of some seconds each

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import compare  # noqa: E402
import construct_rows  # noqa: E402
import kit_run  # noqa: E402
import large  # noqa: E402
import topology  # noqa: E402
from common import find_libomp  # noqa: E402

PYTHON = "/usr/bin/python3"


class Machine:
    """A folder like /sys/devices/system: sockets of caches of cores of hardware threads. The second threads of all
    cores have the higher numbers, as Linux counts them on most machines."""

    def __init__(self, sockets, caches, cores, threads, nodes_a_socket=1):
        self.folder = tempfile.mkdtemp()
        self.count = sockets * caches * cores * threads
        one = sockets * caches * cores  # CPUs of the first threads
        self.nodes = {}
        for cpu in range(self.count):
            core = cpu % one
            socket, cache = core // (caches * cores), core // cores
            self.write("cpu/cpu%d/topology/physical_package_id" % cpu, socket)
            self.write("cpu/cpu%d/topology/thread_siblings_list" % cpu,
                       ",".join(str(core + one * i) for i in range(threads)))
            sharing = [c for c in range(self.count) if c % one // cores == cache]
            for index, (level, shared) in enumerate(((1, [cpu]), (3, sharing))):
                self.write("cpu/cpu%d/cache/index%d/level" % (cpu, index), level)
                self.write("cpu/cpu%d/cache/index%d/shared_cpu_list" % (cpu, index), ",".join(map(str, shared)))
            node = core * sockets * nodes_a_socket // one
            self.nodes.setdefault(node, []).append(cpu)
        self.write("node/online", "0-%d" % (len(self.nodes) - 1))
        for node, cpus in self.nodes.items():
            self.write("node/node%d/cpulist" % node, ",".join(map(str, cpus)))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write("%s\n" % text)

    def environment(self, cpus=None):
        return {"GHCOMP_BENCH_SYS": self.folder, "GHCOMP_BENCH_CPUS": cpus or "0-%d" % (self.count - 1)}


class Topology(unittest.TestCase):
    def on(self, *shape, cpus=None, **more):
        machine = Machine(*shape, **more)
        self.addCleanup(shutil.rmtree, machine.folder)
        changed = mock.patch.dict(os.environ, machine.environment(cpus))
        changed.start()
        self.addCleanup(changed.stop)

    def test_two_sockets_with_hardware_threads(self):
        self.on(2, 4, 4, 2, nodes_a_socket=2)
        self.assertEqual(topology.describe(), {"cpus": 64, "cores": 32, "last_caches": 8, "sockets": 2, "nodes": 4})
        self.assertEqual(topology.teams(), [64, 128, 192, 256])
        self.assertEqual(topology.smaller_teams(), [2, 4, 8, 16, 32])
        self.assertEqual(topology.pairs(), {"one core": (0, 32), "one cache": (0, 1), "one socket": (0, 4),
                                            "one socket, two nodes": (0, 8), "two sockets": (0, 16)})
        self.assertEqual(topology.two_cores(), {0, 1})
        found = topology.placements()
        self.assertEqual(list(found), ["%s-%s" % (places, bind) for places in ("cores", "threads", "caches", "sockets")
                                       for bind in ("close", "spread")])
        self.assertEqual(found["caches-spread"]["OMP_PROC_BIND"], "spread")
        self.assertTrue(found["caches-spread"]["OMP_PLACES"].startswith("{0,1,2,3,32,33,34,35},{4,"))

    def test_one_socket(self):
        self.on(1, 1, 8, 1)
        self.assertEqual(list(topology.placements()), ["cores-close", "cores-spread"])
        self.assertEqual(topology.sentence(topology.describe()),
                         "The mask has 8 CPUs in 8 cores, 1 cache of the last level, 1 socket, 1 NUMA node.")

    def test_a_mask_narrows_the_machine(self):
        self.on(2, 4, 4, 2, cpus="16-17,48")
        self.assertEqual(topology.describe(), {"cpus": 3, "cores": 2, "last_caches": 1, "sockets": 1, "nodes": 1})
        self.assertEqual(topology.teams(), [3, 6, 9, 12])
        self.assertEqual(list(topology.placements())[2:], ["threads-close", "threads-spread"])

    def test_one_cpu(self):
        self.on(1, 1, 1, 1)
        self.assertEqual((topology.teams(), topology.smaller_teams(), topology.placements(), topology.two_cores()),
                         ([1, 2, 3, 4], [], {}, None))

    def test_nothing_is_told_of_the_machine(self):
        self.on(1, 1, 1, 1, cpus="5-8")  # only CPU 0 has files
        self.assertEqual(topology.describe(), {"cpus": 4, "cores": 4, "last_caches": 1, "sockets": 1, "nodes": 1})

    def test_steps(self):
        self.on(2, 2, 64, 1)
        steps = {step.name: " ".join(step.arguments) for step in kit_run.steps(True)}
        self.assertIn("--threads 1,256,512,768,1024", steps["constructs"])
        self.assertIn("--threads 2,4,8,16,32,64,128 ", steps["sizes"])
        self.assertIn("--threads 2,64,256,512,768,1024", steps["large"])
        self.assertIn("--threads 256,512,1024", steps["primecount"])
        self.assertIn("--threads 256 ", steps["policy-active"])
        self.assertIn("--threads 128,256 ", steps["sockets-spread"])
        self.assertIn("--set OMP_PLACES=sockets --set OMP_PROC_BIND=spread", steps["sockets-spread"])
        self.assertNotIn("primecount", [step.name for step in kit_run.steps(False)])

    def test_rows_exist(self):
        self.assertLessEqual(set((kit_run.ROWS + "," + kit_run.PLACED_ROWS).split(",")), set(construct_rows.ROWS))


def prepared():
    """Why no kit can be made here; None otherwise."""
    if not os.path.exists(os.path.join(BUILD, "dropin", "libghcomp_rts.so")):
        return "no companion in the build folder"
    for command in ("dpkg-query", "readelf", "primecount", PYTHON):
        if shutil.which(command) is None:
            return "no " + command
    if find_libomp() is None:
        return "no libomp"
    if "no path found" in subprocess.run(["dpkg-query", "-S", os.path.realpath(PYTHON)], stderr=subprocess.STDOUT,
                                         stdout=subprocess.PIPE, text=True).stdout:
        return "%s comes from no package" % PYTHON
    return None


@unittest.skipIf(prepared(), prepared())
class Kit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        programs = ["%s/bench/%s" % (os.path.relpath(BUILD, ROOT), name)
                    for name in ("constructs", "large", "quota", "neighbours", "trees", "masters")]
        subprocess.run(["make", "-s", "-C", ROOT, "BUILD=" + os.path.relpath(BUILD, ROOT)] + programs, check=True,
                       stdout=subprocess.DEVNULL)
        cls.archive = os.path.join(cls.folder, "kit.tar.gz")
        command = [PYTHON, "-B", os.path.join(ROOT, "bench", "kit.py"), "--build", BUILD, "--out", cls.archive]
        done = subprocess.run(command + ["--level", "1"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stdout)
        with tarfile.open(cls.archive) as archive:
            archive.extractall(cls.folder)
        cls.kit = os.path.join(cls.folder, "ghc-openmp-bench")

    def run_kit(self, *words, **environment):
        return subprocess.run([os.path.join(self.kit, "run")] + list(words), stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, env=dict({"PATH": "/usr/bin:/bin"}, **environment))

    def test_contents(self):
        self.assertLess(os.path.getsize(self.archive), 60e6)
        for name in ("run", "README", "build/dropin/libgomp.so.1", "build/dropin/libghcomp_rts.so",
                     "peers/libgomp/libgomp.so.1", "peers/libomp/libgomp.so.1", "build/bench/constructs",
                     "build/bench/masters", "primecount/primecount", "bench/run.py"):
            self.assertTrue(os.path.exists(os.path.join(self.kit, name)), name)
        with open(os.path.join(self.kit, "licenses", "PACKAGES")) as f:
            packages = [line.split()[0] for line in f]
        for package in packages:
            self.assertGreater(os.path.getsize(os.path.join(self.kit, "licenses", package, "copyright")), 500, package)
        for peer in ("libgomp", "libomp"):
            self.assertTrue(any(package.startswith(peer) for package in packages), packages)
        with open(os.path.join(self.kit, "licenses", "libgomp1", "copyright")) as f:
            for name in re.findall(r"common-licenses/(GPL-\d)", f.read()):
                self.assertTrue(os.path.exists(os.path.join(self.kit, "licenses", "common-licenses", name)), name)
        with tarfile.open(self.archive) as archive:
            self.assertEqual({(m.uid, m.uname) for m in archive}, {(0, "root")})

    def test_one_line_where_it_cannot_run(self):
        with open(os.path.join(self.kit, "glibc-needed")) as f:
            need = f.read().strip()
        for have, says in (("glibc 2.17", "glibc is 2.17 here; the kit needs %s or newer" % need),
                           ("ld.so (X GLIBC 2.9-1) stable release version 2.9.", "glibc is 2.9 here; the kit needs"),
                           ("", "no glibc was found here; the kit needs glibc %s or newer" % need)):
            done = self.run_kit("--list", GHCOMP_KIT_GLIBC=have)
            self.assertEqual((done.returncode, done.stdout.count("\n")), (2, 1), done.stdout)
            self.assertIn("ghc-openmp: kit: " + says, done.stdout)
        for words, says in ((["--only", "x"], "no step named x; on this machine there are constructs"),
                            (["--minutes", "0"], "--minutes takes a number above 0"),
                            (["--out", "/proc/x"], "no results can be written to /proc/x"),
                            (["bench/no.py"], "the kit has no bench/no.py")):
            done = self.run_kit(*words)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(says, done.stdout)
            self.assertEqual(done.stdout.count("\n"), 1, done.stdout)

    def test_it_adapts_to_the_mask_and_the_machine(self):
        machine = Machine(2, 1, 4, 2)
        self.addCleanup(shutil.rmtree, machine.folder)
        done = self.run_kit("--list", **machine.environment())
        self.assertIn("The mask has 16 CPUs in 8 cores, 2 caches of the last level, 2 sockets", done.stdout)
        self.assertIn("sockets-spread: run.py", done.stdout)
        one = min(os.sched_getaffinity(0))
        done = subprocess.run(["taskset", "-c", str(one), os.path.join(self.kit, "run"), "--list"], text=True,
                              stdout=subprocess.PIPE)
        self.assertIn("The mask has 1 CPU in 1 core,", done.stdout)
        self.assertRegex(done.stdout, r"constructs: .*--threads 1,2,3,4 ")

    def in_a_bare_machine(self, out):
        """The command that starts ./run where there is a C library and a shell and nothing else; None if that is not
        allowed here."""
        bare = os.path.join(self.folder, "bare")
        needed = ["/lib64/ld-linux-x86-64.so.2", "/bin/sh", "/bin/uname"]
        libraries = subprocess.run(["ldd", "/bin/sh", "/bin/uname", os.path.join(self.kit, "python/bin/python3")],
                                   stdout=subprocess.PIPE, text=True).stdout
        needed += re.findall(r"=> (/\S*/(?:libc|libm|libpthread|libdl|librt)\.so\.\d)", libraries)
        folder = os.path.dirname([path for path in needed if path.endswith("libc.so.6")][0])
        needed += ["%s/%s" % (folder, name) for name in ("libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1",
                                                         "libutil.so.1")]
        for path in set(needed):
            os.makedirs(bare + os.path.dirname(path), exist_ok=True)
            shutil.copy(path, bare + path)
        for name in ("proc", "sys", "dev", "tmp", "kit"):
            os.makedirs(os.path.join(bare, name), exist_ok=True)
        script = ("set -e; cd %s; mount --rbind /proc proc; mount --rbind /sys sys; mount --rbind /dev dev; "
                  "mount --bind %s kit; " % (bare, self.kit))
        enter = ["unshare", "--mount", "sh", "-c"]
        if subprocess.run(enter + [script + "chroot . /bin/uname"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode != 0:
            return None
        script += 'exec env -i PATH=/bin "$(command -v chroot)" . /kit/run "$@"'
        return enter + [script, "sh", "--out", "/kit/" + out]

    @unittest.skipUnless("TEST_TIMING" in os.environ, "its steps have some seconds")
    def test_a_moment_of_it(self):
        out = "short"
        command = self.in_a_bare_machine(out)
        if command is None:
            print("no chroot is allowed here: ./run sees this machine's files, too")
            command = [os.path.join(self.kit, "run"), "--out", os.path.join(self.kit, out)]
        for minutes in ("0.4", "1.2", "2.4"):  # on a busy machine a step may have no sample in its share of the first
            done = subprocess.run(command + ["--minutes", minutes, "--only", "constructs,large,primecount"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            if "There was no time for" not in done.stdout:
                break
        folder = os.path.join(self.kit, out)
        with open(os.path.join(folder, "machine.json")) as f:
            about = json.load(f)["machine"]
        self.assertEqual(about["cpus_usable"], len(os.sched_getaffinity(0)))
        self.assertIn("libgomp1", about["libgomp"])
        for step, script, series in (("constructs", "run.py", {"ours-posix", "ours-ghc", "libgomp", "libomp"}),
                                     ("large", "large.py", set(large.SERIES)),
                                     ("primecount", "primecount.py", set(large.SERIES))):
            path = os.path.join(folder, step + ".json")
            self.assertTrue(os.path.exists(path), done.stdout)
            with open(path) as f:
                result = json.load(f)
            self.assertLessEqual({name for row in result["rows"] for name in row["values"]}, series)
            self.assertEqual(result.get("failures", []), [])
            shown = subprocess.run([sys.executable, os.path.join(ROOT, "bench", script), "table", path],
                                   stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertIn("The mask has %d CPU" % about["cpus_usable"], shown)
            lines, worse = compare.compare(result, result, 1.1)
            self.assertEqual(worse, 0, lines)


if __name__ == "__main__":
    unittest.main()
