"""Linking for an older C library than the build machine's: the drop-in's own objects, against stand-ins of glibc.

A linker binds a symbol to the newest version that the machine's glibc has, and the result asks for that glibc. Here it
gets stand-ins of glibc's libraries instead, with the newest versions that are not newer than the wheel's glibc. What
had no such version is defined in old_glibc.c. The machine code is the drop-in's.

Before 2.34 threads and dlopen() were in libraries of their own, which the result must name: symbols are found by name
and version in whatever library is loaded. The files of these names are still there on newer systems.
"""

import os
import subprocess

from ghc_openmp.elf import Elf

SEPARATE = ("libpthread.so.0", "libdl.so.2")
# What manylinux lets a wheel take from the system, of what a runtime in C may want.
ALLOWED = ("libc.so.6", "ld-linux-x86-64.so.2") + SEPARATE


class LinkError(Exception):
    pass


def number(version):
    """GLIBC_2.3.4 as (2, 3, 4); None for a version of another kind, such as GLIBC_PRIVATE."""
    name, _, digits = version.partition("_")
    parts = digits.split(".")
    return tuple(map(int, parts)) if name == "GLIBC" and all(p.isdigit() for p in parts) else None


def chosen(library, system, most):
    """For each symbol of glibc that the library needs: (name, the version to ask for, file, whether it is data)."""
    for symbol in library.symbols:
        if symbol.defined or symbol.version is None:
            continue
        offered = [number(s.version) for s in system[symbol.library].symbols
                   if s.name == symbol.name and s.defined and s.version and number(s.version)]
        fitting = [v for v in offered if v <= most]
        if fitting:
            yield symbol.name, max(fitting), symbol.library, symbol.data


def stand_ins(rows, files, cc, folder):
    """Writes a stand-in for each file; returns their paths."""
    made = []
    for file in list(files) + list(SEPARATE):
        mine = [row for row in rows if row[2] == file]
        source, script = os.path.join(folder, file + ".c"), os.path.join(folder, file + ".map")
        with open(source, "w", encoding="utf-8") as f:
            for name, _, _, data in mine:
                f.write("char %s[8];\n" % name if data else "void %s(void) {}\n" % name)
        with open(script, "w", encoding="utf-8") as f:
            for version in sorted({row[1] for row in mine}):
                names = sorted(row[0] for row in mine if row[1] == version)
                f.write("GLIBC_%s { %s; };\n" % (".".join(map(str, version)), "; ".join(names)))
        made.append(os.path.join(folder, file))
        scripts = ["-Wl,--version-script=" + script] if mine else []
        subprocess.run([*cc, "-w", "-fno-builtin", "-shared", "-fPIC", "-nostdlib", source, "-o", made[-1],
                        "-Wl,-soname," + file] + scripts, check=True)
    return made


def where(cc, file):
    """The path of a file of the C library or the compiler."""
    return subprocess.run([*cc, "-print-file-name=" + file], stdout=subprocess.PIPE, check=True,
                          text=True).stdout.strip()


def link(out, native, objects, options, cc, most, folder):
    """Links the objects again, as `native` was, for glibc `most`. The debugging information is left out."""
    library = Elf(native)
    files = sorted({s.library for s in library.symbols if not s.defined and s.library})
    system = {file: Elf(where(cc, file)) for file in files}
    stubs = stand_ins(list(chosen(library, system, most)), files, cc, folder)
    # crti.o and crtbeginS.o stay; -nodefaultlibs leaves out the libraries, of which the static part is glibc's own.
    subprocess.run([*cc, "-nodefaultlibs", "-o", out, *objects, *options, "-Wl,-s", "-Wl,--build-id=sha1",
                    "-Wl,--no-as-needed", *stubs, "-Wl,--as-needed", where(cc, "libc_nonshared.a"), "-lgcc"],
                   check=True)
    check(out, most)


def check(path, most):
    """LinkError unless the library needs glibc alone, and none newer than `most`."""
    library = Elf(path)
    for name in library.needed:
        if name not in ALLOWED:
            raise LinkError("%s needs %s, which a wheel may not take from the system" % (path, name))
    for symbol in library.symbols:
        if symbol.defined or symbol.version is None:
            if not symbol.defined and not symbol.weak:
                raise LinkError("%s needs %s of no version" % (path, symbol.name))
            continue
        version = number(symbol.version)
        if version is None or version > most:
            raise LinkError("%s needs %s@%s, newer than glibc %s: define it in packaging/wheel/old_glibc.c" % (
                path, symbol.name, symbol.version, ".".join(map(str, most))))
