"""The runtimes of a measurement: ours on its hosts, the system's libgomp and libomp, and any number of other peers.

A peer is a runtime that is not ours. One that the system does not have is named on the command line, by the path of its
object or of the folder that has it; it serves the same programs as libgomp.so.1, whichever runtime it is. Shared by the
measurements with the options --runtimes and --peer. Needs only Python's standard library.
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import die, package_of, peer  # noqa: E402
from construct_rows import OURS, PEERS  # noqa: E402

OBJECTS = ("libgomp.so.1", "libomp.so.5")
VERSION_FILE = "version"  # beside a copied object: what it was copied from


def runtime_options(p):
    """The options that choose what is measured."""
    p.add_argument("--runtimes", default=",".join(OURS + PEERS), help="some of " + ", ".join(OURS + PEERS))
    p.add_argument("--peer", action="append", metavar="[NAME=]PATH",
                   help="another peer: a libgomp.so.1 or libomp.so.5, or its folder; without NAME it is called "
                        "libgomp-VERSION or libomp-VERSION; may be repeated")


def object_at(path):
    """The path of the runtime that --peer names."""
    for found in [path] * os.path.isfile(path) + [os.path.join(path, name) for name in OBJECTS]:
        if os.path.isfile(found):
            return os.path.abspath(found)
    die("--peer takes the path of a libgomp.so.1 or libomp.so.5, or of a folder with one, not %s" % path)


def runs_clang(path):
    """Whether the object has the entries that clang's code calls, as libomp's have."""
    with open(path, "rb") as f:
        return b"__kmpc_fork_call\0" in f.read()


def version_at(path):
    """What a peer's object is: what stands beside it, else its package and version, else its path."""
    try:
        with open(os.path.join(os.path.dirname(path), VERSION_FILE), encoding="utf-8") as f:
            return f.read().strip()
    except OSError:
        return package_of(path) or path


def name_of(path):
    """libgomp-16.2.0 and the like."""
    version = re.search(r" (?:\d+:)?(\d+(?:\.\d+)*)", version_at(path))
    if version is None:
        die("%s is of no package, so its version is not known: name it, for example --peer libomp-23=%s" % (path, path))
    return ("libomp-" if runs_clang(path) else "libgomp-") + version.group(1)


def others(given):
    """{name: object} of --peer's values."""
    found = {}
    for text in given or []:
        name, equals, path = text.rpartition("=")
        path = object_at(path)
        name = name if equals else name_of(path)
        if not re.fullmatch(r"[a-z][a-z0-9.+-]*", name) or name in PEERS or "ours" in name.split("-"):
            die("a peer's name has small letters, digits, '.' and '-', and is none of ours and not libgomp or libomp; "
                "'%s' is no such name" % name)
        if name in found:
            die("two peers are called %s; give each a name, NAME=PATH" % name)
        found[name] = path
    return found


def linked(name, path, build):
    """A folder with the object as libgomp.so.1 and, where it runs clang's code, as libomp.so.5."""
    folder = os.path.join(build, "bench", "peers", name)
    os.makedirs(folder, exist_ok=True)
    for file in OBJECTS[:2 if runs_clang(path) else 1]:
        link = os.path.join(folder, file)
        if os.path.lexists(link):
            os.unlink(link)
        os.symlink(path, link)
    return folder


def find_runtimes(names, build, given=None):
    """Name to (folder for LD_LIBRARY_PATH or None, value of GHCOMP_HOST or None, the object that must serve), of the
    named ones and of --peer's values."""
    runtimes = {}
    for name in names:
        if name in OURS:
            folder = os.path.join(build, "dropin")
            if not os.path.exists(os.path.join(folder, "libgomp.so.1")):
                die("no %s/libgomp.so.1; run make first" % folder)
            runtimes[name] = (folder, name[len("ours-"):], os.path.join(folder, "libgomp.so.1"))
        elif name in PEERS:
            found = peer(name, build)
            if found is None:
                die("no libomp.so.5; install libomp5-19 (tools/deps.sh bench), or leave libomp out of --runtimes")
            runtimes[name] = (found[0], None, found[1])
        else:
            die("no runtime named %s; there are %s, and others with --peer" % (name, ", ".join(OURS + PEERS)))
    for name, path in others(given).items():
        runtimes[name] = (linked(name, path, build), None, path)
    return runtimes


def versions_of(given):
    """What a result's machine says of --peer's values."""
    found = others(given)
    return {"peers": {name: version_at(path) for name, path in found.items()}} if found else {}
