#!/usr/bin/env python3
"""Makes the kit: one archive that measures our runtime and its peers on a machine that has nothing but Linux.

    /usr/bin/python3 bench/kit.py [--build build] [--out build/ghc-openmp-bench.tar.gz] [--level 6]

The archive has our objects with GHC's RTS, libgomp, libomp, the programs of bench/c, those of bench/hs that are built,
primecount, the measurements of bench/, and the Python interpreter that runs this script, with the modules that the
measurements import. Shared libraries other than glibc's come along; which glibc they need is in the file glibc-needed.
Whatever comes from a package has that package's copyright file below licenses/. Called by `make bench-kit`, which
builds what is needed; what ./run does there is bench/kit_run.sh and bench/kit_run.py. Tested by
test/scripts/bench_kit_test.py. Needs Debian's or Ubuntu's Python, dpkg-query and binutils.
"""

import argparse
import glob
import json
import modulefinder
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import ROOT, find_libomp, first_line, versions  # noqa: E402

TOP = "ghc-openmp-bench"
MOST_BYTES = 60 * 1000 * 1000
PROGRAMS = ("constructs", "large", "quota", "neighbours", "trees", "masters")
# glibc's own libraries come from the machine that the kit runs on.
FROM_TARGET = re.compile(r"(ld-linux-x86-64|libc|libm|libpthread|libdl|librt|libutil|libresolv)\.so|linux-vdso")
# What the measurements never use of the modules that they import.
WITHOUT = ["_ssl", "ssl", "pydoc", "test", "unittest", "doctest", "pdb", "asyncio",
           "multiprocessing", "concurrent", "sqlite3", "distutils", "setuptools", "lib2to3", "tkinter",
           "_hashlib", "_bz2", "_lzma", "bz2", "lzma"]
CODECS = ("__init__", "aliases", "ascii", "latin_1", "utf_8")
README = """\
Measures ghc-openmp, libgomp and libomp on this machine, in ten minutes at most. The machine should be quiet.

    ./run                  results/*.json and, with tables, results/*.md
    ./run --list           what it would measure here
    ./run --help

It needs Linux on x86-64 and glibc %(glibc)s or newer (primecount: %(primecount)s), no network, no compiler and no
Python. Threads are bound only in the steps that say so. `taskset -c 0-7 ./run` keeps it to some CPUs; teams have one to
four times as many threads as there are CPUs in the affinity mask. Please send the folder results/ back.

licenses/ has the licence of everything in here. The packages in licenses/PACKAGES are Debian's or Ubuntu's, whose
archive has their sources under the names and versions given there.
"""


def die(text):
    sys.exit("ghc-openmp: kit: " + text)


def output(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout


class Kit:
    """A folder that becomes the archive; `copied` has the origin of each file that is not from the repository."""

    def __init__(self, folder, build):
        self.folder, self.copied, self.own = folder, {}, (ROOT + os.sep, build + os.sep)

    def path(self, *parts):
        path = os.path.join(self.folder, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)

    def add(self, source, *parts):
        """Copies a file; its shared libraries are added by with_libraries."""
        path = self.path(*parts)
        shutil.copy(os.path.realpath(source), path)
        if not os.path.realpath(source).startswith(self.own):
            self.copied[path] = os.path.realpath(source)
        return path

    def with_libraries(self, source, parts, folder):
        """Copies a program or a library, and the libraries that it needs, except glibc's, into `folder`."""
        self.add(source, *parts)
        for name, path in libraries_of(source).items():
            if not os.path.exists(os.path.join(self.folder, folder, name)):
                self.add(path, folder, name)


def libraries_of(path):
    found = {}
    for name, where in re.findall(r"^\s*(\S+) => (.*?)(?: \(0x\S+\))?$", output("ldd", path), re.M):
        if FROM_TARGET.match(name) or name == "libgomp.so.1":
            continue
        if not os.path.exists(where):
            die("%s needs %s, which this machine does not have" % (path, name))
        found[name] = where
    return found


# ---- what goes in ----


def add_runtimes(kit, build):
    dropin = os.path.join(build, "dropin")
    kit.add(os.path.join(dropin, "libgomp.so.1"), "build", "dropin", "libgomp.so.1")
    companion = os.path.join(dropin, "libghcomp_rts.so")
    if not os.path.exists(companion):
        die("no %s, the companion with GHC's RTS; install ghc and run make" % companion)
    kit.with_libraries(companion, ("build", "dropin", "libghcomp_rts.so"), "build/dropin")
    libgomp, libomp = first_line("gcc", "-print-file-name=libgomp.so.1"), find_libomp()
    if libomp is None:
        die("no libomp.so.5; install libomp5-19 (tools/deps.sh bench)")
    kit.with_libraries(libgomp, ("peers", "libgomp", "libgomp.so.1"), "peers/libgomp")
    kit.with_libraries(libomp, ("peers", "libomp", "libgomp.so.1"), "peers/libomp")


def add_programs(kit, build):
    for name in PROGRAMS:
        path = os.path.join(build, "bench", name)
        if not os.path.exists(path):
            die("no %s; it is built by make bench-kit" % path)
        kit.add(path, "build", "bench", name)
    for path in sorted(glob.glob(os.path.join(build, "bench", "hs", "*"))):
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            kit.with_libraries(path, ("build", "bench", "hs", os.path.basename(path)), "lib")
    program = shutil.which("primecount")
    if program is None:
        die("no primecount; install primecount-bin (tools/deps.sh demo)")
    kit.with_libraries(program, ("primecount", "primecount"), "lib")


def measurements():
    """The scripts of bench/, except this one."""
    found = sorted(glob.glob(os.path.join(ROOT, "bench", "*.py")))
    return [path for path in found if path != os.path.abspath(__file__)]


def modules():
    """The files of Python's library that the measurements import."""
    finder = modulefinder.ModuleFinder(path=[os.path.join(ROOT, "bench"), os.path.join(ROOT, "tools")] + sys.path,
                                       excludes=WITHOUT)
    for path in measurements():
        finder.run_script(path)
    return {module.__file__ for module in finder.modules.values()
            if module.__file__ and not module.__file__.startswith(ROOT + os.sep)}


def add_python(kit):
    if not package_of_files([os.path.realpath(sys.executable)]):
        die("%s comes from no package; run this script by the system's Python, /usr/bin/python3" % sys.executable)
    library = sysconfig.get_path("stdlib")
    version = "python%d.%d" % sys.version_info[:2]
    kit.with_libraries(sys.executable, ("python", "bin", "python3"), "python/lib")
    wanted = modules() | {os.path.join(library, "encodings", name + ".py") for name in CODECS}
    for path in sorted(wanted):
        parts = ("python", "lib", version, os.path.relpath(path, library))
        if path.endswith(".so"):
            kit.with_libraries(path, parts, "python/lib")
        else:
            kit.add(path, *parts)
    # Where Python looks for the two parts of its library.
    kit.path("python", "lib", version, "lib-dynload", "x")


# ---- licences and versions ----


def package_of_files(paths):
    """File to package, of those that a package has."""
    names = {}
    for path in paths:
        names[path] = path
        names[path.replace("/usr/lib/", "/lib/", 1) if path.startswith("/usr/lib/") else path] = path
    found = {}
    for line in output("dpkg-query", "-S", *names).splitlines():
        package, _, name = line.partition(": ")
        if name in names:
            found[names[name]] = package.split(",")[0].split(":")[0]
    return found


def add_licences(kit):
    """The copyright file of each package that a file came from, and the licences that it refers to."""
    origins = sorted(set(kit.copied.values()))
    packages = package_of_files(origins)
    unknown = [path for path in origins if path not in packages]
    if unknown:
        die("%s comes from no package, so its licence is not known" % unknown[0])
    lines = []
    for package in sorted(set(packages.values())):
        path = "/usr/share/doc/%s/copyright" % package
        if not os.path.exists(path):
            die("no %s; reinstall %s without dpkg's path-exclude for documentation" % (path, package))
        shutil.copy(path, kit.path("licenses", package, "copyright"))
        with open(path, encoding="utf-8", errors="replace") as f:
            for name in re.findall(r"/usr/share/common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9])", f.read()):
                if os.path.exists("/usr/share/common-licenses/" + name):
                    shutil.copy("/usr/share/common-licenses/" + name, kit.path("licenses", "common-licenses", name))
        lines.append(output("dpkg-query", "-W", "-f", "${Package} ${Version} (source ${source:Package} "
                            "${source:Version})\n", package).splitlines()[0])
    shutil.copy(os.path.join(ROOT, "LICENSE"), kit.path("licenses", "ghc-openmp", "LICENSE"))
    kit.write("licenses/PACKAGES", "\n".join(lines) + "\n")


def glibc_of(*folders):
    """The newest version of glibc that a file below the folders needs."""
    most = (0, 0)
    for top in folders:
        for folder, _, names in os.walk(top):
            for name in names:
                with open(os.path.join(folder, name), "rb") as f:
                    if f.read(4) != b"\x7fELF":
                        continue
                needs = output("readelf", "-V", "--wide", os.path.join(folder, name))
                if not needs and not shutil.which("readelf"):
                    die("no readelf; install binutils")
                # Versions that a library defines (Name: without Flags) are its own, not glibc's.
                most = max([most] + [(int(a), int(b)) for a, b in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", needs)])
    return "%d.%d" % most


def finish(kit):
    glibc = {"kit": glibc_of(*(os.path.join(kit.folder, name) for name in ("build", "peers", "python"))),
             "primecount": glibc_of(*(os.path.join(kit.folder, name) for name in ("primecount", "lib")))}
    kit.write("glibc-needed", glibc["kit"] + "\n")
    kit.write("README", README % dict(glibc=glibc["kit"], primecount=glibc["primecount"]))
    kit.write("kit.json", json.dumps({"versions": versions("gcc"), "glibc": glibc}, indent=1) + "\n")
    for path in measurements():
        kit.add(path, "bench", os.path.basename(path))
    kit.add(os.path.join(ROOT, "tools", "cgroups.py"), "tools", "cgroups.py")
    kit.add(os.path.join(ROOT, "bench", "kit_run.sh"), "run")


def plain(entry):
    """Nothing of the builder's account in the archive."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry


def main():
    parser = argparse.ArgumentParser(description="Makes the archive that measures on other machines.")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="the build folder")
    parser.add_argument("--out", help="the archive; by default %s.tar.gz in the build folder" % TOP)
    parser.add_argument("--level", type=int, default=6, help="how much gzip does for a small archive, 1 to 9")
    args = parser.parse_args()
    build = os.path.realpath(args.build)
    out = args.out or os.path.join(build, TOP + ".tar.gz")
    if shutil.which("dpkg-query") is None:
        die("no dpkg-query: a kit is made on Debian or Ubuntu, whose packages tell the licence of each file")
    with tempfile.TemporaryDirectory() as folder:
        kit = Kit(os.path.join(folder, TOP), build)
        add_runtimes(kit, build)
        add_programs(kit, build)
        add_python(kit)
        add_licences(kit)
        finish(kit)
        with tarfile.open(out, "w:gz", compresslevel=args.level) as archive:
            archive.add(kit.folder, TOP, filter=plain)
    size = os.path.getsize(out)
    if size >= MOST_BYTES:
        die("%s has %.1f MB, which is not below %d MB" % (out, size / 1e6, MOST_BYTES / 1e6))
    print("%s: %.1f MB" % (os.path.relpath(out), size / 1e6))


if __name__ == "__main__":
    main()
