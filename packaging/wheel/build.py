#!/usr/bin/env python3
"""Makes the wheel: the POSIX drop-in and the Python package ghc_openmp, for any Linux on x86-64 with glibc 2.28.

    packaging/wheel/build.py --cc CC --version V --native DROPIN --map MAP --out FOLDER OBJECT...

`make wheel` calls it (mk/wheel.mk). OBJECTs are those of the drop-in DROPIN, which is linked again for the older glibc
(glibc.py). The same objects give the same bytes: the archive has a fixed order, fixed permissions, and the time of
SOURCE_DATE_EPOCH, else that of 1980. The name of the wheel is the last line of its output. Needs Python's standard
library and the compiler. Tested by test/wheel.
"""

import argparse
import base64
import hashlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
import glibc  # noqa: E402
from ghc_openmp.elf import ElfError  # noqa: E402

MOST = (2, 28)
TAG = "py3-none-manylinux_%d_%d_x86_64" % MOST
LINK = ("-shared -Wl,-z,nodelete -Wl,-z,now -Wl,-Bsymbolic-functions -Wl,-z,defs -Wl,-soname,libgomp.so.1").split()
# Archives have no links, and two copies would be two runtimes: what asks for libomp.so.5 gets a library that only leads
# to libgomp.so.1. The loader wants the versions of symbols in the file that was asked for.
NAMES = ("libomp.so.5", "libiomp5.so")
METADATA = """Metadata-Version: 2.1
Name: ghc-openmp
Version: %s
Summary: An OpenMP runtime in place of libgomp and libomp: fork after a parallel region, CPU quotas, one pool
License: BSD-3-Clause
Requires-Python: >=3.9
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Classifier: Programming Language :: Python :: 3
Description-Content-Type: text/markdown

%s"""
ENTRY_POINTS = "[console_scripts]\nghc-openmp = ghc_openmp.command:main\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: ghc-openmp\nRoot-Is-Purelib: false\nTag: %s\n"
KERNEL = {"argv": ["python", "-m", "ghc_openmp", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
          "display_name": "Python 3 (ghc-openmp)", "language": "python", "metadata": {"debugger": True}}


def read(*parts):
    with open(os.path.join(*parts), "rb") as f:
        return f.read()


def native_files(args, folder):
    """The shared objects, by their names in the package."""
    cc = shlex.split(args.cc)
    extra = os.path.join(folder, "old_glibc.o")
    subprocess.run([*cc, "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-c",
                    os.path.join(HERE, "old_glibc.c"), "-o", extra], check=True)
    main = os.path.join(folder, "libgomp.so.1")
    glibc.link(main, args.native, args.objects + [extra], LINK + ["-Wl,--version-script=" + args.map], cc, MOST, folder)
    found = {"lib/libgomp.so.1": read(main)}
    nodes = os.path.join(folder, "nodes.map")
    with open(nodes, "w", encoding="utf-8") as f:
        f.write("VERSION { local: *; };\n")
    for name in NAMES:
        made = os.path.join(folder, name)
        subprocess.run([*cc, "-shared", "-nostdlib", "-o", made, "-Wl,-soname," + name, "-Wl,-s",
                        "-Wl,--build-id=sha1", "-Wl,--no-as-needed", main, "-Wl,-rpath,$ORIGIN",
                        "-Wl,--version-script=" + nodes], check=True)
        found["lib/" + name] = read(made)
    return found


def contents(args, folder):
    """{name in the archive: bytes}."""
    package = os.path.join(HERE, "ghc_openmp")
    files = {name: read(package, name) for name in os.listdir(package) if name.endswith(".py")}
    files.update(native_files(args, folder))
    made = {"ghc_openmp/" + name: data for name, data in files.items()}
    name = "ghc_openmp-" + args.version
    kernel = name + ".data/data/share/jupyter/kernels/ghc-openmp/kernel.json"
    made[kernel] = (json.dumps(KERNEL, indent=1) + "\n").encode()
    info = name + ".dist-info/"
    made[info + "METADATA"] = (METADATA % (args.version, read(HERE, "README.md").decode())).encode()
    made[info + "WHEEL"] = (WHEEL % TAG).encode()
    made[info + "entry_points.txt"] = ENTRY_POINTS.encode()
    made[info + "LICENSE"] = read(ROOT, "LICENSE")
    return made, info + "RECORD"


def hashed(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def pack(path, files, record):
    rows = ["%s,%s,%d" % (name, hashed(data), len(data)) for name, data in sorted(files.items())]
    moment = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]
    listed = "".join(row + "\n" for row in rows + [record + ",,"]).encode()
    with zipfile.ZipFile(path, "w") as archive:
        # The list of files comes last, as installers like it.
        for name, data in sorted(files.items()) + [(record, listed)]:
            entry = zipfile.ZipInfo(name, moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100755 if "/lib/" in name else 0o100644) << 16
            archive.writestr(entry, data, compresslevel=9)


def main():
    p = argparse.ArgumentParser(description="Makes the wheel; `make wheel` calls it.")
    for option in ("cc", "version", "native", "map", "out"):
        p.add_argument("--" + option, required=True)
    p.add_argument("objects", nargs="+")
    args = p.parse_args()
    path = os.path.join(args.out, "ghc_openmp-%s-%s.whl" % (args.version, TAG))
    try:
        with tempfile.TemporaryDirectory() as folder:
            files, record = contents(args, folder)
        os.makedirs(args.out, exist_ok=True)
        pack(path + ".new", files, record)
        os.replace(path + ".new", path)
    except (glibc.LinkError, ElfError, OSError, subprocess.CalledProcessError) as e:
        sys.exit("ghc-openmp: the wheel was not made: %s" % e)
    print(path)


if __name__ == "__main__":
    main()
